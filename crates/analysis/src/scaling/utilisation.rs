//! Utilisation: how much of the workers' time a series would need at its best.

use std::collections::BTreeMap;

use sheaf_answers::{Scale, ScalingKind};
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
    let note = told(answer, &references);
    answer.notes.extend(note);
}

/// What tells programs and inputs apart.
fn key(values: &BTreeMap<String, ParamValue>) -> String {
    let program = values
        .iter()
        .filter(|(name, _)| !RUNTIMES.contains(&name.as_str()));
    let texts = program.map(|(name, value)| format!("{name}={value}"));
    texts.collect::<Vec<_>>().join("\n")
}

/// Of which series the references are, where there are several series.
fn told(answer: &Scale, references: &[Reference]) -> Option<String> {
    let scaled: std::collections::BTreeSet<u32> = answer
        .points
        .iter()
        .filter(|point| point.speedup.is_some())
        .map(|point| point.series)
        .collect();
    if scaled.len() < 2 {
        return None;
    }
    let by = &answer.by;
    match references {
        [] => None,
        [one] => Some(format!(
            "utilisation is related to {} at {by} = {}",
            answer.series[one.series as usize].name, one.p
        )),
        _ if references.len() == scaled.len() => Some(format!(
            "utilisation: each series is related to its own best time, since `{}` may distinguish inputs",
            inputs(answer).join("`, `")
        )),
        _ => {
            let each = references.iter().map(|one| {
                let name = &answer.series[one.series as usize].name;
                format!("{name} at {by} = {}", one.p)
            });
            Some(format!(
                "utilisation is related, for each value of `{}`, to {}",
                inputs(answer).join("`, `"),
                each.collect::<Vec<_>>().join("; ")
            ))
        }
    }
}

fn inputs(answer: &Scale) -> Vec<&str> {
    let divided = answer.divided_by.iter().map(String::as_str);
    divided.filter(|name| !RUNTIMES.contains(name)).collect()
}
