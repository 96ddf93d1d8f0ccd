//! Regions whose loops were recorded on one side only, so that their own work is that of the loops on the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_analysis::{LOOPS, may_lack_loops};
use sheaf_answers::{DiffFact, Note, Reason, WhichSide, Why};

use super::context_matching::ContextMatching;
use super::{DiffContext, DiffDefinition, DiffGroup, DiffSide};

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
    let loops = RegionLoops::of(contexts, kind, pairing, sides);
    let mut names: BTreeSet<(Arc<str>, usize)> = BTreeSet::new();
    let is_region = |at: usize| kind(at) == "parallel";
    for regions in paired(contexts, pairing, is_region) {
        let missing = (0..2).map(|side| (side, loops.missing(&regions, side)));
        let Some((recorded, missing)) = missing.into_iter().find(|(_, loops)| !loops.is_empty())
        else {
            continue;
        };
        let side = WhichSide::of(recorded);
        let reason = Reason::from(Why::LoopsOnOneSide { side });
        for &at in regions.iter().flatten() {
            incomparable(groups, contexts[at].group, &reason);
        }
        let reason = Reason::from(Why::LoopOnOneSide { side });
        for (region, at) in missing {
            found.region[at] = Some(region);
            incomparable(groups, contexts[at].group, &reason);
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

/// The loops inside of regions.
struct RegionLoops<'a> {
    contexts: &'a [DiffContext],
    pairing: &'a ContextMatching,
    /// Sides with runs that may lack loops.
    may_lack: [bool; 2],
    /// By region, its loops that count for another group.
    loops: Vec<Vec<usize>>,
    /// By region, on which sides these are.
    has_loops: Vec<[bool; 2]>,
}

impl<'a> RegionLoops<'a> {
    fn of(
        contexts: &'a [DiffContext],
        kind: impl Fn(usize) -> &'a str,
        pairing: &'a ContextMatching,
        sides: &[DiffSide<'_>; 2],
    ) -> Self {
        let may_lack = |side: &DiffSide<'_>| side.runs.iter().any(|run| may_lack_loops(run));
        let mut found = Self {
            contexts,
            pairing,
            may_lack: sides.each_ref().map(may_lack),
            loops: vec![Vec::new(); contexts.len()],
            has_loops: vec![[false; 2]; contexts.len()],
        };
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
            found.loops[around].push(at);
            let known = found.has_loops[around].iter_mut();
            for (known, is_there) in known.zip(context.is_present()) {
                *known |= is_there;
            }
        }
        found
    }

    /// Loops of regions that one side recorded and the other lacks, each with its region. A side that recorded some of
    /// the loops lacks others only if the other side's runtime reports all loops.
    fn missing(&self, regions: &Regions, recorded: usize) -> Vec<(usize, usize)> {
        let other = 1 - recorded;
        let has_some = regions[other].iter().any(|&at| self.has_loops[at][other]);
        if !self.may_lack[other] || (has_some && self.may_lack[recorded]) {
            return Vec::new();
        }
        let inside = regions[recorded].iter();
        let inside =
            inside.flat_map(|&region| self.loops[region].iter().map(move |&at| (region, at)));
        let is_missing = |&(_, at): &(usize, usize)| {
            let is_present = self.contexts[at].is_present();
            let is_matched = has_some && self.pairing.partners[at].is_some();
            is_present[recorded] && !is_present[other] && !is_matched
        };
        inside.filter(is_missing).collect()
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
