//! Parameters of runs as numbers.

use std::collections::BTreeMap;

use sheaf_model::{ParamValue, RunMeta};

use super::SimilarityQuestion;
use sheaf_analysis::parameter_of;
use sheaf_analysis::scaling::is_incidental;

/// A parameter that varies over the runs.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Parameters that divide the runs in the same way.
    pub(super) same: Vec<String>,
    pub(super) is_incidental: bool,
    /// The number of each run, where all have one.
    pub(super) numbers: Option<Vec<f64>>,
    /// Distinct values, in order; that of runs without the parameter is the last.
    pub(super) values: Vec<String>,
    /// Which of them each run has.
    pub(super) value_of: Vec<usize>,
}

/// A column of numbers, one per run.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) parameter: String,
    /// The value that runs have or have not; absent for numbers.
    pub(super) value: Option<String>,
    pub(super) numbers: Vec<f64>,
}

impl Parameter {
    /// Whether too few runs have the same number to distinguish its values one by one.
    fn is_continuous(&self) -> bool {
        self.numbers.is_some() && 2 * self.values.len() > self.value_of.len()
    }

    /// Columns that distinguish its values: the number itself where nearly all are different.
    pub(super) fn design(&self) -> Vec<Vec<f64>> {
        match &self.numbers {
            Some(numbers) if self.is_continuous() => vec![numbers.clone()],
            _ => self.indicators().collect(),
        }
    }

    fn indicators(&self) -> impl Iterator<Item = Vec<f64>> {
        let is_value = |value| {
            self.value_of
                .iter()
                .map(move |&own| f64::from(u8::from(own == value)))
        };
        (0..self.values.len()).map(move |value| is_value(value).collect())
    }

    /// The number, or one column for each value.
    pub(super) fn columns(&self) -> Vec<Column> {
        let column = |value, numbers| Column {
            parameter: self.name.clone(),
            value,
            numbers,
        };
        if let Some(numbers) = &self.numbers {
            return vec![column(None, numbers.clone())];
        }
        let values = self.values.iter().zip(self.indicators());
        values
            .map(|(value, is_value)| column(Some(value.clone()), is_value))
            .collect()
    }

    /// Its columns, centred, of variance one in all.
    pub(super) fn standardised(&self) -> Vec<Vec<f64>> {
        let mut columns: Vec<Vec<f64>> = self
            .columns()
            .into_iter()
            .map(|column| column.numbers)
            .collect();
        let mut sum = 0.0;
        for column in &mut columns {
            let mean = mean(column);
            for value in &mut *column {
                *value -= mean;
            }
            sum += column.iter().map(|value| value * value).sum::<f64>();
        }
        let deviation = (sum / (self.value_of.len().max(2) - 1) as f64).sqrt();
        for value in columns.iter_mut().flatten() {
            *value /= deviation;
        }
        columns
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Facts of every run that distinguish runs as parameters do.
const FACTS: [&str; 2] = ["ranks", "workers"];

/// Parameters in which the runs differ, by name, then numbers of ranks and workers, then what is incidental;
/// of those that divide the runs in the same way one stands for all. Points in time are none, and texts of
/// which each run has its own say nothing. Workers are left out where `ranks` and `threads` determine them.
pub(super) fn varying(question: &SimilarityQuestion, runs: &[&RunMeta]) -> Vec<Parameter> {
    let mut names: Vec<&str> = runs
        .iter()
        .flat_map(|run| run.params.keys().map(String::as_str))
        .collect();
    let are_known = |name: &&str| runs.iter().all(|run| parameter_of(run, name).is_some());
    names.extend(FACTS.into_iter().filter(are_known));
    let is_given = |name: &str| runs.iter().any(|run| run.params.contains_key(name));
    let rank = |name: &&str| (is_incidental(name, &question.rules), !is_given(name));
    names.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    names.dedup();
    let mut found: Vec<Parameter> = Vec::new();
    for name in names {
        let Some(parameter) = parameter(question, runs, name) else {
            continue;
        };
        let is_counted = name == "workers" && !is_given(name);
        let has = |wanted: &str| found.iter().any(|known| known.name == wanted);
        if is_counted && has("ranks") && has("threads") {
            continue;
        }
        let division = first_seen(&parameter.value_of);
        let known = found.iter_mut().find(|known| {
            first_seen(&known.value_of) == division
                && known.is_continuous() == parameter.is_continuous()
        });
        match known {
            Some(_) if is_counted => {}
            Some(known) => known.same.push(parameter.name),
            None => found.push(parameter),
        }
    }
    found
}

fn parameter(question: &SimilarityQuestion, runs: &[&RunMeta], name: &str) -> Option<Parameter> {
    let owned: Vec<Option<ParamValue>> = runs.iter().map(|run| parameter_of(run, name)).collect();
    let values: Vec<Option<&ParamValue>> = owned.iter().map(Option::as_ref).collect();
    if values
        .iter()
        .flatten()
        .any(|value| matches!(value, ParamValue::Time(_)))
    {
        return None;
    }
    let mut distinct: Vec<&ParamValue> = values.iter().flatten().copied().collect();
    distinct.sort_by(|a, b| a.order(b));
    distinct.dedup_by(|a, b| a.order(b).is_eq());
    let number = |value: Option<&ParamValue>| match value {
        Some(ParamValue::Number(number)) if number.is_finite() => Some(*number),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = values.iter().copied().map(number).collect();
    let place = |value: Option<&ParamValue>| {
        let own = value.map(|value| distinct.iter().position(|known| known.order(value).is_eq()));
        own.flatten().unwrap_or(distinct.len())
    };
    let value_of: Vec<usize> = values.iter().copied().map(place).collect();
    let mut texts: Vec<String> = distinct.iter().map(ToString::to_string).collect();
    if values.contains(&None) {
        texts.push(format!("no {name}"));
    }
    let is_telling =
        texts.len() > 1 && (numbers.is_some() || texts.len() < runs.len() || runs.len() == 2);
    is_telling.then(|| Parameter {
        name: name.to_owned(),
        same: Vec::new(),
        is_incidental: is_incidental(name, &question.rules),
        numbers,
        values: texts,
        value_of,
    })
}

/// Values numbered in the order of the runs in which they first occur.
fn first_seen(value_of: &[usize]) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let mut number = |value| {
        let next = numbers.len();
        *numbers.entry(value).or_insert(next)
    };
    value_of.iter().map(|&value| number(value)).collect()
}
