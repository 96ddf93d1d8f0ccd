//! `notes/incidental.toml` of a store: which parameters identify a launch, and which do not, whatever their names are.

use std::collections::BTreeSet;
use std::path::Path;

use sheaf_model::ParameterRules;

use crate::import::quoted;
use crate::notes::Notes;
use crate::patterns::{self, fault_of};
use crate::{Ensemble, Error};

/// The note that holds the rules.
pub(crate) const NAME: &str = "incidental.toml";

const HEAD: &str = "\
# Parameters of this store: `grainsheaf set --incidental` and `--configuration` write this file, and people may. A pattern is
# a name, or the beginning of names and a `*`; the longest one that fits counts.
";

/// Keys of the note.
const INCIDENTAL: &str = "incidental";
const CONFIGURATION: &str = "configuration";

impl Ensemble {
    /// Rules of the store about its parameters.
    ///
    /// # Errors
    /// If the note cannot be read or understood; the message names the line.
    pub fn parameter_rules(&self) -> Result<ParameterRules, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(ParameterRules::default()),
        }
    }

    /// Adds patterns to the rules, each of which leaves the other list, and removes those of `forgotten`. Returns all rules.
    /// The note is written anew, as a whole.
    ///
    /// # Errors
    /// When a pattern is malformed or in both lists, one of `forgotten` is not a rule, or the note cannot be read or
    /// written.
    pub fn set_parameter_rules(
        &self,
        added: &ParameterRules,
        forgotten: &[String],
    ) -> Result<ParameterRules, Error> {
        let fault = |pattern: &String, reason: &str| Error::Setting {
            setting: pattern.clone(),
            reason: reason.to_owned(),
        };
        for pattern in added.incidental.union(&added.configuration) {
            if let Some(reason) = fault_of(pattern) {
                return Err(fault(pattern, reason));
            }
        }
        if let Some(pattern) = added.incidental.intersection(&added.configuration).next() {
            return Err(fault(pattern, BOTH));
        }
        let notes = Notes::of(self.path());
        // Held until the new file is there: edits at the same time are done one after the other.
        let locked = notes.lock()?;
        let mut rules = self.parameter_rules()?;
        for pattern in forgotten {
            let is_known = rules.incidental.remove(pattern) | rules.configuration.remove(pattern);
            if !is_known {
                let reason = "no rule has this pattern; `notes/incidental.toml` lists them";
                return Err(fault(pattern, reason));
            }
        }
        rules
            .incidental
            .retain(|it| !added.configuration.contains(it));
        rules
            .configuration
            .retain(|it| !added.incidental.contains(it));
        rules.incidental.extend(added.incidental.iter().cloned());
        rules
            .configuration
            .extend(added.configuration.iter().cloned());
        locked.write(NAME, &to_toml(&rules))?;
        Ok(rules)
    }
}

/// Fault of a pattern in both lists.
const BOTH: &str = "a parameter is either incidental or part of a configuration";

fn parse(text: &str, path: &Path) -> Result<ParameterRules, Error> {
    let [incidental, configuration] = patterns::parse(text, path, [INCIDENTAL, CONFIGURATION])?;
    match incidental.intersection(&configuration).next() {
        Some(pattern) => {
            let reason = format!("`{pattern}` is in both lists: {BOTH}");
            Err(Error::in_note(text, 0, &reason, path))
        }
        None => Ok(ParameterRules {
            incidental,
            configuration,
        }),
    }
}

fn to_toml(rules: &ParameterRules) -> String {
    let list = |patterns: &BTreeSet<String>| {
        let patterns: Vec<String> = patterns.iter().map(|it| quoted(it)).collect();
        patterns.join(", ")
    };
    let (incidental, configuration) = (list(&rules.incidental), list(&rules.configuration));
    format!("{HEAD}\n{INCIDENTAL} = [{incidental}]\n{CONFIGURATION} = [{configuration}]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(incidental: &[&str], configuration: &[&str]) -> ParameterRules {
        let set = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect();
        ParameterRules {
            incidental: set(incidental),
            configuration: set(configuration),
        }
    }

    #[test]
    fn rules_that_are_written_are_read_back() {
        for rules in [
            rules(&[], &[]),
            rules(&["job*", "it's \"odd\" \\ \n\u{7}"], &["commit"]),
        ] {
            assert_eq!(parse(&to_toml(&rules), Path::new("p")).unwrap(), rules);
        }
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, expected) in [
            (
                "incidentl = []\n",
                "unknown key `incidentl`; keys are `incidental` and `configuration` at line 1, column 1",
            ),
            (
                "\nincidental = 'job'\n",
                "write `incidental = [\"NAME\", \"PREFIX*\"]` at line 2, column 14",
            ),
            (
                "configuration = ['a', 'b*c']\n",
                "`b*c` is not a pattern: write a name, or the beginning of names and `*` at its end at line 1, column 23",
            ),
            (
                "incidental = ['a']\nconfiguration = ['a']\n",
                "`a` is in both lists: a parameter is either incidental or part of a configuration at line 1, column 1",
            ),
        ] {
            let error = parse(text, Path::new("p")).unwrap_err();
            let cure = "; mend the line, or remove the file";
            assert_eq!(error.reason_alone(), format!("{expected}{cure}"));
        }
    }

    #[test]
    fn edits_move_patterns_between_lists() {
        let folder = tempfile::tempdir().unwrap();
        let ensemble = Ensemble::create_or_open(&folder.path().join("store")).unwrap();
        let set = |added: ParameterRules, forgotten: &[&str]| {
            let forgotten: Vec<String> = forgotten.iter().map(ToString::to_string).collect();
            ensemble.set_parameter_rules(&added, &forgotten)
        };
        let first = set(rules(&["job*", "seed"], &["commit"]), &[]).unwrap();
        assert_eq!(first, rules(&["job*", "seed"], &["commit"]));
        let moved = set(rules(&["commit"], &["seed"]), &["job*"]).unwrap();
        assert_eq!(moved, rules(&["commit"], &["seed"]));
        assert_eq!(ensemble.parameter_rules().unwrap(), moved);
        for (added, forgotten) in [
            (rules(&["*"], &[]), &[][..]),
            (rules(&["a"], &["a"]), &[]),
            (rules(&[], &[]), &["job*"]),
        ] {
            assert!(set(added, forgotten).is_err());
        }
        assert_eq!(ensemble.parameter_rules().unwrap(), moved);
    }
}
