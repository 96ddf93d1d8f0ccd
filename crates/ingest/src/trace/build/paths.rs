//! Path keys: the identity of grains over runs and thread counts.
//!
//! [`PathStep`] has the numbers of each step. What is created in a worksharing construct continues
//! from the construct, not from the member, any of which may execute a single. Tasks that are
//! created in chunks count over the whole loop, in the order of the chunks' iterations, because
//! where chunks begin depends on the team.

use sheaf_model::table::{GrainKind, flags};
use sheaf_model::{PathKey, PathStep};

use super::contexts::{Placement, parent_of};
use super::records::{NONE, Records, Slot};
use super::sites::Site;
use super::tally::Tally;
use crate::run_tables::{FinishedDefinitions, GrainRows, repeated_keys};

/// What distinguishes processes in a path: rank, and number of the process within the rank.
pub(super) type ProcessStep = (i64, i64);

/// Key of each grain; folded grains have none. Flags grains whose path depends on the schedule.
pub(super) fn path_keys(
    records: &mut Records,
    placement: &Placement,
    order: &GrainRows,
    definitions: &FinishedDefinitions,
    sites: &[Site],
    processes: &[ProcessStep],
    tally: &mut Tally,
) -> Vec<PathKey> {
    let mut paths = Paths {
        placement,
        definitions,
        processes,
        keys: vec![PathKey::ROOT; records.grains.len()],
        regions: vec![None; records.regions.len()],
        constructs: vec![None; records.constructs.len()],
        taskloops: vec![None; records.taskloops.len()],
        invisible_loops: invisible_loops(records, order, sites),
    };
    // Parents come before their children.
    for &slot in &order.grains {
        let (key, is_dependent) = paths.key(records, slot);
        paths.keys[slot as usize] = key;
        if is_dependent {
            records.grain_mut(slot).flag(flags::SCHEDULE_DEPENDENT);
        }
    }
    flag_equal_keys(records, &order.grains, &paths.keys, tally);
    paths.keys
}

struct Paths<'a> {
    placement: &'a Placement,
    definitions: &'a FinishedDefinitions,
    processes: &'a [ProcessStep],
    keys: Vec<PathKey>,
    regions: Vec<Option<Memo>>,
    constructs: Vec<Option<Memo>>,
    taskloops: Vec<Option<Memo>>,
    invisible_loops: Vec<bool>,
}

/// A key and whether it depends on the schedule.
type Memo = (PathKey, bool);

/// The path that a fork starts from, its step there, and whether that depends on the schedule.
type Origin = (PathKey, PathStep, bool);

impl Paths<'_> {
    fn key(&mut self, records: &Records, slot: Slot) -> Memo {
        let grain = records.grain(slot);
        let parent = parent_of(records, slot);
        let is_inherited = is_flagged(records, parent);
        let definition = self.definition_of(slot);
        match grain.kind {
            GrainKind::Initial => {
                let (rank, process) = self
                    .processes
                    .get(grain.process as usize)
                    .copied()
                    .unwrap_or_default();
                let index = i64::from(grain.index);
                let step = PathStep::Initial {
                    rank,
                    process,
                    index,
                };
                (PathKey::ROOT.step(definition, step), false)
            }
            GrainKind::Implicit => {
                let (region, is_dependent) = self.region(records, grain.origin);
                let key = region.step(definition, PathStep::Place(i64::from(grain.index)));
                (key, is_dependent || is_inherited)
            }
            GrainKind::Chunk => {
                let (key, is_dependent) = self.construct(records, grain.origin);
                (
                    key.step(definition, range_step(records, slot)),
                    is_dependent || is_inherited,
                )
            }
            GrainKind::TaskloopChunk => {
                let (key, is_dependent) = self.taskloop(records, grain.origin);
                (
                    key.step(definition, range_step(records, slot)),
                    is_dependent || is_inherited,
                )
            }
            GrainKind::Task => {
                let (origin, step, is_dependent) =
                    self.origin(records, grain.parent, grain.pass, grain.index);
                let key = origin.step(definition, step);
                (key, is_dependent || is_inherited)
            }
        }
    }

    fn definition_of(&self, slot: Slot) -> sheaf_model::DefinitionId {
        let row = self
            .placement
            .definition(self.placement.grains[slot as usize]);
        self.definitions.ids[row as usize]
    }

    fn definition(&self, row: u32) -> sheaf_model::DefinitionId {
        let first = self.definitions.ids.first();
        let id = self.definitions.ids.get(row as usize).or(first);
        id.copied().unwrap_or(sheaf_model::DefinitionId([0; 16]))
    }

    /// Where the fork number `index` of a grain, or of its pass through a construct, starts.
    fn origin(&mut self, records: &Records, parent: Slot, pass: Slot, index: u32) -> Origin {
        let index = i64::from(index);
        let Some(grain) = records.grains.get(parent as usize) else {
            return (PathKey::ROOT, PathStep::Place(index), true);
        };
        if grain.kind == GrainKind::Chunk {
            let before = records.ranges.get(grain.range as usize);
            let before = before.map_or(0, |range| i64::from(range.forks_before));
            let (key, is_dependent) = self.construct(records, grain.origin);
            return (key, PathStep::Place(before + index), is_dependent);
        }
        let construct = records.passes.get(pass as usize).map(|pass| pass.construct);
        if let Some(construct) = construct {
            let (key, is_dependent) = self.construct(records, construct);
            return if records.constructs[construct as usize].num_passes == 1 {
                (key, PathStep::Place(index), is_dependent)
            } else {
                // Who creates what is a race: loops of runtimes without chunks.
                let group = i64::from(grain.index);
                (key, PathStep::PlaceIn { group, index }, true)
            };
        }
        let is_dependent =
            grain.kind == GrainKind::Implicit && self.invisible_loops[grain.origin as usize];
        let key = self.keys[parent as usize];
        (key, PathStep::Place(index), is_dependent)
    }

    fn region(&mut self, records: &Records, region: Slot) -> Memo {
        if let Some(known) = self.regions[region as usize] {
            return known;
        }
        let row = &records.regions[region as usize];
        let known = if row.parent == NONE {
            let initial = row.members.first().copied().unwrap_or(NONE);
            let key = self
                .keys
                .get(initial as usize)
                .copied()
                .unwrap_or(PathKey::ROOT);
            (key, is_flagged(records, initial))
        } else {
            let (origin, step, is_new) = self.origin(records, row.parent, row.pass, row.index);
            let definition = self.definition(self.placement.regions[region as usize]);
            (
                origin.step(definition, step),
                is_new || is_flagged(records, row.parent),
            )
        };
        self.regions[region as usize] = Some(known);
        known
    }

    fn construct(&mut self, records: &Records, construct: Slot) -> Memo {
        if let Some(known) = self.constructs[construct as usize] {
            return known;
        }
        let row = &records.constructs[construct as usize];
        let (region, is_dependent) = self.region(records, row.region);
        let definition = self.definition(self.placement.constructs[construct as usize]);
        let known = (
            region.step(definition, PathStep::Place(i64::from(row.sequence))),
            is_dependent,
        );
        self.constructs[construct as usize] = Some(known);
        known
    }

    fn taskloop(&mut self, records: &Records, taskloop: Slot) -> Memo {
        if let Some(known) = self.taskloops[taskloop as usize] {
            return known;
        }
        let row = &records.taskloops[taskloop as usize];
        let (origin, step, is_dependent) = self.origin(records, row.parent, row.pass, row.index);
        let definition = self.definition(self.placement.taskloops[taskloop as usize]);
        let known = (origin.step(definition, step), is_dependent);
        self.taskloops[taskloop as usize] = Some(known);
        known
    }
}

fn is_flagged(records: &Records, grain: Slot) -> bool {
    let grain = records.grains.get(grain as usize);
    grain.is_some_and(|grain| grain.flags() & flags::SCHEDULE_DEPENDENT != 0)
}

/// The iterations of a chunk; its place if they are not known.
fn range_step(records: &Records, slot: Slot) -> PathStep {
    let grain = records.grain(slot);
    match records.ranges.get(grain.range as usize) {
        Some(range) => PathStep::Iterations {
            first: range.first,
            count: i64::try_from(range.iterations).unwrap_or(i64::MAX),
        },
        None => PathStep::Iterations {
            first: i64::from(grain.index),
            count: -1,
        },
    }
}

/// Regions in which tasks may come from a loop that nothing reports: GCC computes static
/// schedules inline. Tasks then seem to be created by members directly, by others than the
/// primary too; in a team of one, where that cannot be seen, any may be.
fn invisible_loops(records: &Records, order: &GrainRows, sites: &[Site]) -> Vec<bool> {
    let is_gnu = |site: super::sites::SiteId| {
        let site = sites
            .get(site.0 as usize)
            .and_then(|site| site.module.as_ref());
        site.is_some_and(|module| module.is_gnu)
    };
    let any_gnu = (0..)
        .take(sites.len())
        .any(|site| is_gnu(super::sites::SiteId(site)));
    let mut found = vec![false; records.regions.len()];
    if !any_gnu {
        return found;
    }
    for &slot in &order.grains {
        let grain = records.grain(slot);
        let Some(parent) = records.grains.get(grain.parent as usize) else {
            continue;
        };
        if grain.pass != NONE || parent.kind != GrainKind::Implicit || !grain.is_explicit() {
            continue;
        }
        let region = &records.regions[parent.origin as usize];
        let is_located = sites
            .get(region.site.0 as usize)
            .is_some_and(|site| !site.is_in_runtime);
        let from_gnu = if is_located {
            is_gnu(region.site)
        } else {
            any_gnu
        };
        if from_gnu && (parent.index > 0 || region.team_size <= 1) {
            found[parent.origin as usize] = true;
        }
    }
    found
}

/// Flags all grains that share a key: which is which depends on the schedule.
fn flag_equal_keys(records: &mut Records, order: &[Slot], keys: &[PathKey], tally: &mut Tally) {
    let grains = order.iter().map(|&slot| (keys[slot as usize], slot));
    let repeated = repeated_keys(grains);
    for same in repeated.chunk_by(|a, b| a.0 == b.0) {
        tally.repeated_paths += same.len() as u64 - 1;
        for &(_, slot) in same {
            records.grain_mut(slot).flag(flags::SCHEDULE_DEPENDENT);
        }
    }
}
