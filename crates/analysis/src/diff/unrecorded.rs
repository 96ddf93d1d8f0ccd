//! Regions whose loops were recorded on one side only, so that their own work is that of the loops on the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ladder::Ladder;
use super::{DiffContext, DiffDefinition, DiffGroup};

/// Kinds of constructs whose grains a runtime may not report.
const LOOPS: [&str; 2] = ["loop", "sections"];

/// Says of the groups of such regions why they cannot be compared; and what a reader must know, a line per region.
///
/// Runtimes report no static loops of GCC, whose iterations run without a call of the runtime: the members of the team
/// spend the time themselves. A group that holds the loops as well, as a module does, is comparable.
pub(super) fn mark(
    groups: &mut [DiffGroup],
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    ladder: &Ladder,
) -> Vec<String> {
    let kind = |at: usize| &*definitions[contexts[at].definition].kind;
    if !(0..contexts.len()).any(|at| LOOPS.contains(&kind(at))) {
        return Vec::new();
    }
    // By region: on which sides it has loops that count for another group.
    let mut loops = vec![[false; 2]; contexts.len()];
    let mut region = vec![None; contexts.len()];
    for (at, context) in contexts.iter().enumerate() {
        let around = context.parent.and_then(|parent| region[parent]);
        region[at] = if kind(at) == "parallel" {
            Some(at)
        } else {
            around
        };
        let Some(around) = around.filter(|_| LOOPS.contains(&kind(at))) else {
            continue;
        };
        if contexts[around].group == context.group {
            continue;
        }
        for (known, is_there) in loops[around].iter_mut().zip(context.is_present()) {
            *known |= is_there;
        }
    }
    let mut found: BTreeSet<(Arc<str>, usize)> = BTreeSet::new();
    for (at, context) in contexts.iter().enumerate() {
        if kind(at) != "parallel" {
            continue;
        }
        let other = match context.is_present() {
            [true, true] => at,
            [true, false] => match ladder.partners[at] {
                Some(there) => there,
                None => continue,
            },
            _ => continue,
        };
        let recorded = match [loops[at][0], loops[other][1]] {
            [true, false] => 0,
            [false, true] => 1,
            _ => continue,
        };
        let side = ["baseline", "candidate"][recorded];
        let reason = format!(
            "its loops were recorded in the {side} only, and their time is its own on the other side"
        );
        for group in [contexts[at].group, contexts[other].group] {
            if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
                group.incomparable = Some(reason.clone());
            }
        }
        let name = Arc::clone(&definitions[context.definition].names[0]);
        found.insert((name, recorded));
    }
    let note = |(name, recorded): (Arc<str>, usize)| {
        let side = ["baseline", "candidate"][recorded];
        format!(
            "loops of `{name}` were recorded in the {side} only, as runtimes do not report static loops of GCC: it is not compared"
        )
    };
    found.into_iter().map(note).collect()
}
