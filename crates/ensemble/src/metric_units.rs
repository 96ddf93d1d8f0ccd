//! `notes/units.toml` of a store: units of metrics whose source states none.
//!
//! Stored runs are never changed: the note replaces the unit `unknown` whenever metrics are read, and no other unit.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use arrow::array::StringArray;
use sheaf_model::Unit;
use sheaf_model::table::Metrics;
use toml::de::{DeTable, DeValue};

use crate::import::quoted;
use crate::notes::Notes;
use crate::{Ensemble, Error};

/// The note that holds the units.
const NAME: &str = "units.toml";

const HEAD: &str = "\
# Units of metrics whose source states none: the page writes this file, and people may. Keys are names of metrics.
";

/// Units by the name of their metric.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MetricUnits(BTreeMap<String, Unit>);

impl MetricUnits {
    /// The metrics with the units of the note; `None` if it changes none of them.
    pub(crate) fn apply(&self, metrics: &Metrics) -> Option<Metrics> {
        if self.0.is_empty() {
            return None;
        }
        let unit_of = |row: usize| {
            let stated = metrics.unit.value(row);
            let noted = self.0.get(metrics.name.value(row));
            match noted {
                Some(unit) if stated == Unit::Unknown.as_str() => unit.as_str(),
                _ => stated,
            }
        };
        let units: Vec<&str> = (0..metrics.len()).map(unit_of).collect();
        let unit = StringArray::from(units);
        (unit != metrics.unit).then(|| Metrics {
            unit,
            ..metrics.clone()
        })
    }
}

impl Ensemble {
    /// Units that the store states of metrics, by their names.
    ///
    /// # Errors
    /// If the note cannot be read or understood; the message names the line.
    pub(crate) fn metric_units(&self) -> Result<MetricUnits, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(MetricUnits::default()),
        }
    }

    /// States the unit of a metric whose source states none; `None` removes the statement. Returns all units of the note,
    /// which is written anew, as a whole.
    ///
    /// # Errors
    /// When the unit is `unknown`, the name is empty, or the note cannot be read or written.
    pub fn set_metric_unit(
        &self,
        metric: &str,
        unit: Option<Unit>,
    ) -> Result<BTreeMap<String, Unit>, Error> {
        let fault = |reason: &str| Error::Setting {
            setting: metric.to_owned(),
            reason: reason.to_owned(),
        };
        if metric.is_empty() {
            return Err(fault("the name of the metric is empty; write one"));
        }
        if unit == Some(Unit::Unknown) {
            return Err(fault(
                "`unknown` is not a unit; leave the unit out to remove it",
            ));
        }
        let notes = Notes::of(self.path());
        // Held until the new file exists, so that simultaneous edits follow each other.
        let locked = notes.lock()?;
        let MetricUnits(mut units) = self.metric_units()?;
        match unit {
            Some(unit) => drop(units.insert(metric.to_owned(), unit)),
            None => drop(units.remove(metric)),
        }
        locked.write(NAME, &to_toml(&units))?;
        Ok(units)
    }
}

fn parse(text: &str, path: &Path) -> Result<MetricUnits, Error> {
    let fault = |at: usize, reason: String| Error::in_note(text, at, &reason, path);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        fault(at, error.message().replace('\n', ", "))
    })?;
    let mut units = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        let DeValue::String(unit) = value.get_ref() else {
            let reason = format!("write the unit of `{name}` as a text, such as \"s\"");
            return Err(fault(value.span().start, reason));
        };
        let unit: Unit = unit
            .parse()
            .map_err(|reason| fault(value.span().start, reason))?;
        units.insert(name.to_owned(), unit);
    }
    Ok(MetricUnits(units))
}

fn to_toml(units: &BTreeMap<String, Unit>) -> String {
    let mut text = format!("{HEAD}\n");
    for (metric, unit) in units {
        let _ = writeln!(text, "{} = \"{unit}\"", quoted(metric));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_are_written_are_read_back() {
        let units = [
            ("time".to_owned(), Unit::Microseconds),
            ("it's \"odd\" \\ \n\u{7}.name".to_owned(), Unit::Bytes),
        ];
        let units = BTreeMap::from(units);
        let read = parse(&to_toml(&units), Path::new("p")).unwrap();
        assert_eq!(read, MetricUnits(units));
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, expected) in [
            (
                "time = \"sec\"\n",
                "`sec` is not a unit; use one of ns, us, s, ticks, cycles, bytes, count, ratio, unknown at line 1, column 8",
            ),
            (
                "\ntime = 1\n",
                "write the unit of `time` as a text, such as \"s\" at line 2, column 8",
            ),
        ] {
            let error = parse(text, Path::new("p")).unwrap_err();
            let cure = "; mend the line, or remove the file";
            assert_eq!(error.reason_alone(), format!("{expected}{cure}"));
        }
    }

    #[test]
    fn only_unknown_units_are_replaced() {
        let runs = sheaf_synthetic::testing::runs(
            "
            metric time unknown additive
            metric load ratio intensive float
            run a
              main time 10@0 ; load 0.5@0
            ",
        );
        let metrics = &runs[0].metrics;
        let note = ["time", "load", "other"].map(|name| (name.to_owned(), Unit::Seconds));
        let applied = MetricUnits(BTreeMap::from(note)).apply(metrics).unwrap();
        let units = |metrics: &Metrics| -> Vec<(String, String)> {
            let rows = metrics.rows();
            rows.map(|row| (row.name, row.unit)).collect()
        };
        let expected = [("load", "ratio"), ("time", "s")];
        assert_eq!(
            units(&applied),
            expected.map(|(name, unit)| (name.to_owned(), unit.to_owned()))
        );
        assert_eq!(MetricUnits::default().apply(metrics), None);
    }
}
