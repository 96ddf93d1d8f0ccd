//! Regions whose loops were recorded on one side only, so that their own work is that of the loops on the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::{DiffFact, Note, Reason, WhichSide, Why};
use sheaf_model::{ParamValue, RunMeta};

use super::context_matching::ContextMatching;
use super::{DiffContext, DiffDefinition, DiffGroup, DiffSide};

/// Kinds of constructs whose grains a runtime may not report.
pub(crate) const LOOPS: [&str; 2] = ["loop", "sections"];

/// Loops that were recorded on one side only.
pub(super) struct Unrecorded {
    /// A line per region that a reader must know.
    pub(super) notes: Vec<Note>,
    /// By context, the region of a loop that the other side has too, but did not record.
    pub(super) region: Vec<Option<usize>>,
}

/// Contexts of regions in the baseline, and of the same regions in the candidate.
type Regions = [Vec<usize>; 2];

/// States of the groups of such regions and loops why they cannot be compared.
///
/// Runtimes report no static loops of GCC, whose iterations run without a call of the runtime: the members of the team
/// spend the time themselves. A group that holds the loops as well, as a module does, is comparable. Regions are paired
/// by the matching; those that it leaves over, as below entry functions with other names, by their groups.
pub(super) fn mark(
    groups: &mut [DiffGroup],
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    pairing: &ContextMatching,
    sides: &[DiffSide<'_>; 2],
) -> Unrecorded {
    let mut found = Unrecorded {
        notes: Vec::new(),
        region: vec![None; contexts.len()],
    };
    let kind = |at: usize| &*definitions[contexts[at].definition].kind;
    if !(0..contexts.len()).any(|at| LOOPS.contains(&kind(at))) {
        return found;
    }
    // By region, its loops that count for another group, and on which sides they are.
    let mut loops: Vec<Vec<usize>> = vec![Vec::new(); contexts.len()];
    let mut has_loops = vec![[false; 2]; contexts.len()];
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
        loops[around].push(at);
        for (known, is_there) in has_loops[around].iter_mut().zip(context.is_present()) {
            *known |= is_there;
        }
    }
    let mut names: BTreeSet<(Arc<str>, usize)> = BTreeSet::new();
    let is_region = |at: usize| kind(at) == "parallel";
    for regions in paired(contexts, pairing, is_region) {
        let has = |side: usize| regions[side].iter().any(|&at| has_loops[at][side]);
        let recorded = match [has(0), has(1)] {
            [true, false] => 0,
            [false, true] => 1,
            _ => continue,
        };
        let mut others = sides[1 - recorded].runs.iter();
        if !others.any(|run| may_lack_loops(run)) {
            continue;
        }
        let side = WhichSide::of(recorded);
        let reason = Reason::from(Why::LoopsOnOneSide { side });
        for &at in regions.iter().flatten() {
            incomparable(groups, contexts[at].group, &reason);
        }
        let reason = Reason::from(Why::LoopOnOneSide { side });
        for &region in &regions[recorded] {
            for &at in &loops[region] {
                found.region[at] = Some(region);
                incomparable(groups, contexts[at].group, &reason);
            }
        }
        if let Some(&at) = regions[recorded].first() {
            let definition = contexts[at].definition;
            names.insert((Arc::clone(&definitions[definition].names[0]), recorded));
        }
    }
    let note = |(name, recorded): (Arc<str>, usize)| {
        let fact = DiffFact::RegionNotCompared {
            region: name.to_string(),
            side: WhichSide::of(recorded),
        };
        fact.into()
    };
    found.notes = names.into_iter().map(note).collect();
    found
}

/// Whether a loop of the run may not have been recorded: runtimes see all loops of compilers that are made of LLVM.
pub(crate) fn may_lack_loops(run: &RunMeta) -> bool {
    match run.params.get("compiler") {
        Some(ParamValue::Text(compiler)) => !compiler.to_ascii_lowercase().contains("clang"),
        _ => true,
    }
}

fn incomparable(groups: &mut [DiffGroup], group: Option<usize>, reason: &Reason) {
    if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
        group.incomparable = Some(reason.clone());
    }
}

/// Regions of both sides that are the same: a pair of contexts each, then what is left over of each group.
fn paired(
    contexts: &[DiffContext],
    pairing: &ContextMatching,
    is_region: impl Fn(usize) -> bool,
) -> Vec<Regions> {
    let mut pairs = Vec::new();
    let mut is_paired = vec![false; contexts.len()];
    for (at, context) in contexts.iter().enumerate().filter(|&(at, _)| is_region(at)) {
        let other = match context.is_present() {
            [true, true] => Some(at),
            [true, false] => pairing.partners[at],
            _ => None,
        };
        if let Some(other) = other {
            (is_paired[at], is_paired[other]) = (true, true);
            pairs.push([vec![at], vec![other]]);
        }
    }
    let mut left_over: BTreeMap<usize, Regions> = BTreeMap::new();
    for (at, context) in contexts.iter().enumerate() {
        if is_region(at)
            && !is_paired[at]
            && let Some(group) = context.group
        {
            let regions = left_over.entry(group).or_default();
            for (side, is_there) in context.is_present().into_iter().enumerate() {
                if is_there {
                    regions[side].push(at);
                }
            }
        }
    }
    let is_on_both = |regions: &Regions| regions.iter().all(|side| !side.is_empty());
    pairs.extend(left_over.into_values().filter(is_on_both));
    pairs
}
