//! The verdict on structure: the same, changed, or another with every run or number of threads.

use std::collections::BTreeMap;

use sheaf_model::DefinitionId;

use super::verdict::percent;
use super::{DiffContext, MatchedWork, StructureVerdict};

/// Share of unmatched work from which the sides are different programs.
const DIFFERENT: f64 = 0.9;

/// Contexts that differ, by what could explain them.
#[derive(Default)]
struct Differences {
    /// On one side only, with definitions that the other side has.
    contexts: usize,
    /// On one side only, in some of its runs only.
    varying: usize,
    /// On both sides, with other numbers of grains.
    counts: usize,
    /// Of those, where runs of one side differ as well.
    varying_counts: usize,
}

/// What can be said of the structure, and why. `runs` are the numbers of runs of the sides,
/// `widths` says how their numbers of threads differ, if they do.
pub(super) fn judge(
    contexts: &[DiffContext],
    matched: &MatchedWork,
    runs: [usize; 2],
    widths: Option<&str>,
) -> (StructureVerdict, String) {
    if matched.unmatched > DIFFERENT {
        let share = percent(matched.unmatched);
        let reason = format!("{share} of the work occurs on one side only");
        return (StructureVerdict::Different, reason);
    }
    let [vanished, appeared] = one_sided_definitions(contexts);
    if vanished + appeared > 0 {
        let reason = format!(
            "{} in the candidate only, {vanished} in the baseline only",
            counted(appeared, "definition occurs", "definitions occur"),
        );
        return (StructureVerdict::Changed, reason);
    }
    let found = differences(contexts, runs);
    let varies = contexts.iter().any(|context| varies(context, runs));
    if found.contexts + found.counts == 0 {
        return if varies {
            let reason = "both sides have the same contexts, but not every run has all of them \
                          with the same numbers of grains";
            (StructureVerdict::Varies, reason.to_owned())
        } else {
            let reason = format!("every run has the same {} contexts", contexts.len());
            (StructureVerdict::Same, reason)
        };
    }
    let what = format!(
        "{} on one side only and {} other numbers of grains",
        counted(found.contexts, "context occurs", "contexts occur"),
        counted(found.counts, "has", "have"),
    );
    if let Some(widths) = widths {
        let reason = format!("{what}; {widths}");
        return (StructureVerdict::ThreadCountDependent, reason);
    }
    if found.contexts == found.varying && found.counts == found.varying_counts {
        let reason = format!("{what}; so they do among runs of one side");
        return (StructureVerdict::Varies, reason);
    }
    let single = if runs.contains(&1) {
        "; one run cannot show whether they do in every run"
    } else {
        ""
    };
    (StructureVerdict::Changed, format!("{what}{single}"))
}

/// Definitions on the baseline's side only and on the candidate's only.
fn one_sided_definitions(contexts: &[DiffContext]) -> [usize; 2] {
    let mut sides: BTreeMap<DefinitionId, [bool; 2]> = BTreeMap::new();
    for context in contexts {
        let known = sides.entry(context.definition).or_default();
        for (known, is_present) in known.iter_mut().zip(context.is_present()) {
            *known |= is_present;
        }
    }
    let count = |one: [bool; 2]| sides.values().filter(|sides| **sides == one).count();
    [count([true, false]), count([false, true])]
}

fn differences(contexts: &[DiffContext], runs: [usize; 2]) -> Differences {
    let mut found = Differences::default();
    for context in contexts {
        if context.is_present() != [true, true] {
            found.contexts += 1;
            found.varying += usize::from(varies(context, runs));
        } else if context.grains[0] != context.grains[1] {
            found.counts += 1;
            found.varying_counts += usize::from(varies(context, runs));
        }
    }
    found
}

/// Whether runs of one side differ in the context.
fn varies(context: &DiffContext, runs: [usize; 2]) -> bool {
    (0..2).any(|side| {
        let in_some = context.runs[side] > 0 && context.runs[side] < runs[side];
        in_some || context.grains[side].is_some_and(|[least, most]| least != most)
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
