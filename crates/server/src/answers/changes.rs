//! Changes of the store: parameters are corrected, runs removed.

use std::collections::BTreeMap;

use sheaf_answers as api;
use sheaf_ensemble::{Error, MappingEdit};
use sheaf_model::{ParamValue, ParameterRules, Unit};

use super::Answers;

impl Answers {
    /// Corrects parameters of the runs that a selector names; nothing in place of a value takes its correction back.
    ///
    /// # Errors
    /// When the selector names no run, or the store cannot be written.
    pub fn set_params(
        &self,
        selector: &str,
        edits: &BTreeMap<String, Option<ParamValue>>,
    ) -> Result<api::Corrected, Error> {
        let runs = self.ensemble.set_params(selector, edits)?;
        let alone = match runs.as_slice() {
            [run] => Some(run),
            _ => None,
        };
        Ok(api::Corrected {
            schema: "set/1".to_owned(),
            run: alone.map(|run| run.run.to_string()),
            params: alone.map(|run| run.params.clone()),
            runs: runs
                .into_iter()
                .map(|run| api::CorrectedRun {
                    run: run.run.to_string(),
                    name: run.name,
                    changes: run
                        .changes
                        .into_iter()
                        .map(|(key, [before, after])| (key, api::CorrectedParam { before, after }))
                        .collect(),
                })
                .collect(),
        })
    }

    /// Gives the run that a selector names another name; `None` restores the name of its import.
    ///
    /// # Errors
    /// When the selector does not name one run, the name is empty or too long, or the store cannot be written.
    pub fn rename_run(&self, selector: &str, name: Option<&str>) -> Result<api::RunName, Error> {
        let renamed = self.ensemble.rename_run(selector, name)?;
        Ok(api::RunName {
            schema: "run-name/1".to_owned(),
            run: renamed.run.to_string(),
            before: renamed.before,
            name: renamed.name,
        })
    }

    /// Sets the remark on a run, or on the grain of it with a path key; `None` removes it. Answers all remarks.
    ///
    /// # Errors
    /// When the selector does not name one run, no grain has the key, the remark is empty or too long, or the store cannot
    /// be written.
    pub fn set_remark(
        &self,
        selector: &str,
        path_key: Option<&str>,
        text: Option<&str>,
    ) -> Result<api::Remarks, Error> {
        Ok(remarks(self.ensemble.set_remark(selector, path_key, text)?))
    }

    /// The remarks of users on runs and grains.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn remarks(&self) -> Result<api::Remarks, Error> {
        self.ask(|view| Ok(remarks(view.remarks())))
    }

    /// Changes the rules of the store about parameters: adds patterns, each of which leaves the other list, and removes the
    /// forgotten ones.
    ///
    /// # Errors
    /// When a pattern is malformed, a forgotten one is not a rule, or the store cannot be written.
    pub fn set_parameter_rules(
        &self,
        added: &ParameterRules,
        forgotten: &[String],
    ) -> Result<api::ParameterRules, Error> {
        let rules = self.ensemble.set_parameter_rules(added, forgotten)?;
        Ok(api::ParameterRules {
            schema: "parameter-rules/1".to_owned(),
            incidental: rules.incidental.into_iter().collect(),
            configuration: rules.configuration.into_iter().collect(),
        })
    }

    /// States the unit of a metric whose source states none; `None` removes the statement.
    ///
    /// # Errors
    /// When the metric has no name, the unit is `unknown`, or the store cannot be written.
    pub fn set_metric_unit(
        &self,
        metric: &str,
        unit: Option<Unit>,
    ) -> Result<api::MetricUnits, Error> {
        Ok(api::MetricUnits {
            schema: "units/1".to_owned(),
            units: self.ensemble.set_metric_unit(metric, unit)?,
        })
    }

    /// Changes the store's mapping; answers what it says then, and what takes the change back.
    ///
    /// # Errors
    /// As for [`Answers::mapping`], when an edit names what is not there, or the file cannot be written.
    pub fn edit_mapping(&self, edits: &[MappingEdit]) -> Result<api::Mapping, Error> {
        let edited = self.ensemble.edit_mapping(edits)?;
        Ok(api::Mapping {
            undo: edited.undo.into_iter().map(mapping_change).collect(),
            ..self.describe_mapping(edited.entries)?
        })
    }

    /// Brings removed runs back by their ids, all or none, until their space is freed.
    ///
    /// # Errors
    /// When an id belongs to no removed run, when the space of one is freed already, or when the store cannot be written.
    pub fn restore(&self, ids: &[String]) -> Result<api::Restore, Error> {
        let restored = self.ensemble.restore(ids)?;
        Ok(api::Restore {
            schema: "restore/1".to_owned(),
            restored: restored.iter().map(ToString::to_string).collect(),
        })
    }

    /// Removes the runs that the selectors name, all or none.
    ///
    /// # Errors
    /// When a selector names nothing, or the store cannot be written.
    pub fn remove(&self, runs: &[String]) -> Result<api::Remove, Error> {
        let removed = self.ensemble.remove(runs)?;
        let removed = removed.iter().map(ToString::to_string).collect();
        Ok(api::Remove {
            schema: "remove/1".to_owned(),
            removed,
        })
    }
}

fn remarks(remarks: Vec<api::Remark>) -> api::Remarks {
    api::Remarks {
        schema: "remarks/1".to_owned(),
        remarks,
    }
}

/// Converts an edit to the change that a client would ask for.
fn mapping_change(edit: MappingEdit) -> api::MappingChange {
    let (a, b, same, note) = match edit {
        MappingEdit::Same(a, b) => (a, b, Some(true), None),
        MappingEdit::Different(a, b) => (a, b, Some(false), None),
        MappingEdit::Forget(a, b) => (a, b, None, None),
        MappingEdit::Restore(pair) => (pair.a, pair.b, Some(pair.same), pair.note),
    };
    api::MappingChange { a, b, same, note }
}
