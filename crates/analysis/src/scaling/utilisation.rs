//! Utilisation: how much of the workers' time a series would need at its best.

use std::collections::BTreeMap;

use sheaf_answers::{Note, Scale, ScaleFact, ScalingKind, SeriesPoint};
use sheaf_model::ParamValue;

use super::division::same;

/// Parameters by which one program runs on several runtimes; what is left names the program.
const RUNTIMES: &[&str] = &[
    "runtime",
    "compiler",
    "build",
    "compiler_runtime",
    "runtime_version",
];

/// The best time of the fewest workers among series that may be related.
#[derive(Clone, Copy)]
struct Reference {
    series: u32,
    p: f64,
    time: f64,
}

/// Puts points in relation to the best time of the fewest workers of the same program and input, on whatever
/// runtime, and says which series had it. Whether an unknown parameter is an input is not known, so series
/// that differ in one are not related.
pub(super) fn add_utilisation(answer: &mut Scale) {
    let keys: Vec<String> = answer
        .points
        .iter()
        .map(|point| key(&answer.series[point.series as usize].values))
        .collect();
    let mut best: BTreeMap<&str, Reference> = BTreeMap::new();
    for (point, key) in answer.points.iter().zip(&keys) {
        if point.speedup.is_none() {
            continue;
        }
        let own = Reference {
            series: point.series,
            p: point.p,
            time: point.value,
        };
        let known = best.entry(key).or_insert(own);
        if own.p < known.p || (same(own.p, known.p) && own.time < known.time) {
            *known = own;
        }
    }
    let kinds: Vec<ScalingKind> = answer.series.iter().map(|series| series.kind).collect();
    for (point, key) in answer.points.iter_mut().zip(&keys) {
        let reference = best.get(key.as_str()).filter(|_| point.speedup.is_some());
        point.utilisation = reference.map(|one| match kinds[point.series as usize] {
            ScalingKind::Weak => one.time / point.value,
            ScalingKind::Strong | ScalingKind::Unclear => {
                one.p * one.time / (point.p * point.value)
            }
        });
    }
    let references: Vec<Reference> = best.into_values().collect();
    let note = reference_note(answer, &references);
    answer.notes.extend(note.map(Note::from));
}

/// Parameters that distinguish programs and inputs.
fn key(values: &BTreeMap<String, ParamValue>) -> String {
    let program = values
        .iter()
        .filter(|(name, _)| !RUNTIMES.contains(&name.as_str()));
    let texts = program.map(|(name, value)| format!("{name}={value}"));
    texts.collect::<Vec<_>>().join("\n")
}

/// Of which series the references are, where there are several series.
fn reference_note(answer: &Scale, references: &[Reference]) -> Option<ScaleFact> {
    let scaled: std::collections::BTreeSet<u32> = answer
        .points
        .iter()
        .filter(|point| point.speedup.is_some())
        .map(|point| point.series)
        .collect();
    if scaled.len() < 2 {
        return None;
    }
    let parameter = answer.by.clone();
    let inputs = answer.divided_by.iter().cloned();
    let inputs = inputs.filter(|name| !RUNTIMES.contains(&name.as_str()));
    let point = |one: &Reference| SeriesPoint {
        series: answer.series[one.series as usize].name.clone(),
        value: one.p,
    };
    match references {
        [] => None,
        [one] => Some(ScaleFact::UtilisationOfPoint {
            parameter,
            reference: point(one),
        }),
        _ if references.len() == scaled.len() => Some(ScaleFact::UtilisationOfSeries {
            inputs: inputs.collect(),
        }),
        _ => Some(ScaleFact::UtilisationOfInputs {
            parameter,
            inputs: inputs.collect(),
            references: references.iter().map(point).collect(),
        }),
    }
}
