//! What each grain does, in order: runs, forks, regions, chunks, joins, barriers.

use std::ops::Range;

use sheaf_model::RunTables;
use sheaf_model::table::{FragmentEnd, GrainKind};

use super::SetKind;
use super::barriers::Barriers;
use super::by_grain::{Groups, Ranges, bounds, starts};
use super::logical::LogicalFragments;
use super::structure::Structure;
use crate::grain_graph::to_u32;

/// Kind of the definitions that stand for what a loop's members do around their chunks.
const BOOK_KEEPING_KIND: &str = "bookkeeping";

/// One thing that a grain does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Step {
    /// Creates a grain.
    Fork(u32),
    /// Creates a grain and goes on when that has ended: an undeferred task.
    Undeferred(u32),
    /// Begins a parallel region, a sibling set, and goes on when it has ended.
    Region(u32),
    /// Runs a chunk, or a loop's book-keeping that is a grain of its own, itself.
    Inline(u32),
    /// Waits for a sibling set.
    Join(u32),
    /// Meets the other members of its team at a barrier.
    Barrier(u32),
    /// Runs: a row of the fragments' table, or the number of a logical fragment.
    Run(u32),
}

/// A step that is no run, with its place between the runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    /// Runs of the grain that come before.
    place: u32,
    time: i64,
    step: Step,
}

/// The steps of each grain, from the tables.
pub(super) struct Timelines<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    logical: Option<&'a LogicalFragments>,
    barriers: Barriers,
    /// First fragment of each grain, and behind them their number.
    fragments: Vec<u32>,
    waits: Ranges,
    /// Grains by parent, those of the run itself last.
    children: Vec<u32>,
    children_of: Ranges,
    /// Definitions of contexts that are a loop's book-keeping, by context.
    book_keeping: Vec<bool>,
}

/// Memory to use again for the steps of each grain.
#[derive(Default)]
pub(super) struct StepBuffers {
    events: Vec<Event>,
    /// Places behind fragments that end with a wait.
    wait_places: Vec<u32>,
}

/// Grains by parent, those of the run itself last, and the places of those of each parent.
fn children(structure: &Structure) -> (Vec<u32>, Ranges) {
    let grains = structure.num_grains();
    let slot = |row: u32| structure.parent(row).unwrap_or(to_u32(grains));
    let by_parent = Groups::new(grains + 1, grains, |row| slot(to_u32(row)) as usize);
    let (_, children) = by_parent.into_parts();
    let parents = children.iter().map(|&row| slot(row).cast_signed());
    let children_of = Ranges::of_rows(parents, grains + 1);
    (children, children_of)
}

impl<'a> Timelines<'a> {
    pub(super) fn new(
        run: &'a RunTables,
        structure: &'a Structure,
        logical: Option<&'a LogicalFragments>,
    ) -> Self {
        let grains = run.grains.len();
        let ((children, children_of), (fragments, waits, barriers)) = rayon::join(
            || children(structure),
            || {
                let waits = Ranges::of_rows(run.waits.grain.values().iter().copied(), grains);
                let barriers = Barriers::new(run, structure, &waits);
                let fragments = starts(run.fragments.grain.values(), grains);
                (fragments, waits, barriers)
            },
        );
        Self {
            children_of,
            children,
            barriers,
            fragments,
            waits,
            book_keeping: book_keeping(run),
            run,
            structure,
            logical,
        }
    }

    pub(super) fn run(&self) -> &'a RunTables {
        self.run
    }

    pub(super) fn structure(&self) -> &'a Structure {
        self.structure
    }

    pub(super) fn barriers(&self) -> &Barriers {
        &self.barriers
    }

    /// Whether a grain is a chunk of a loop, or its book-keeping, that runs inside its parent.
    pub(super) fn is_inline(&self, grain: u32) -> bool {
        let kind = self.run.grains.kind.values().get(grain as usize);
        let is_part = kind == Some(GrainKind::Chunk as i32) || self.is_book_keeping(grain);
        is_part && self.structure.parent(grain).is_some()
    }

    /// Whether a grain is the book-keeping of a loop.
    pub(super) fn is_book_keeping(&self, grain: u32) -> bool {
        let context = self.run.grains.context.values().get(grain as usize);
        let context = context.and_then(|context| usize::try_from(context).ok());
        let found = context.and_then(|context| self.book_keeping.get(context));
        found.copied().unwrap_or(false)
    }

    /// The fragments of a grain that does nothing else.
    pub(super) fn only_runs(&self, grain: u32) -> Option<Range<u32>> {
        let at = grain as usize;
        let only_runs = at < self.run.grains.len()
            && self.children_of.of(at).is_empty()
            && self.waits.of(at).is_empty()
            && self.structure.sets_of(Some(grain)).is_empty();
        only_runs.then(|| bounds(&self.fragments, at))
    }

    /// The steps of a grain, or of the run where `owner` is the number of grains, in order.
    pub(super) fn steps(&self, owner: usize, buffers: &mut StepBuffers, steps: &mut Vec<Step>) {
        steps.clear();
        if owner < self.run.grains.len()
            && let Some(logical) = self.logical
        {
            self.logical_steps(logical, to_u32(owner), steps);
            return;
        }
        let StepBuffers {
            events,
            wait_places,
        } = buffers;
        events.clear();
        wait_places.clear();
        wait_places.extend(self.ended_by(owner, FragmentEnd::Wait));
        self.creations(owner, events);
        self.joins(owner, wait_places, events);
        events.sort_unstable();
        self.hold_joins(owner, events);
        let mut next = events.iter().peekable();
        for (place, row) in (0..).zip(bounds(&self.fragments, owner)) {
            while let Some(event) = next.next_if(|event| event.place <= place) {
                steps.push(event.step);
            }
            steps.push(Step::Run(row));
        }
        steps.extend(next.map(|event| event.step));
    }

    /// Puts joins behind the creations that they collect, whatever the clocks say.
    fn hold_joins(&self, owner: usize, events: &mut Vec<Event>) {
        let grain = (owner < self.run.grains.len()).then(|| to_u32(owner));
        let sets = self.structure.sets_of(grain);
        let mut is_joined = vec![false; sets.len()];
        let slot = |set: u32| set.checked_sub(sets.start).map(|slot| slot as usize);
        let is_late = |is_joined: &[bool], child: u32| {
            let set = self.structure.set_of(child).and_then(slot);
            set.and_then(|slot| is_joined.get(slot).copied()) == Some(true)
        };
        let mut is_sound = true;
        for event in &*events {
            match event.step {
                Step::Join(set) => {
                    if let Some(joined) = slot(set).and_then(|slot| is_joined.get_mut(slot)) {
                        *joined = true;
                    }
                }
                Step::Fork(child) => is_sound &= !is_late(&is_joined, child),
                _ => {}
            }
        }
        if is_sound {
            return;
        }
        // Each join moves behind the last of its creations.
        let mut last: Vec<Option<(u32, i64)>> = vec![None; sets.len()];
        for event in &*events {
            if let Step::Fork(child) = event.step
                && let Some(slot) = self.structure.set_of(child).and_then(slot)
                && let Some(last) = last.get_mut(slot)
            {
                *last = (*last).max(Some((event.place, event.time)));
            }
        }
        for event in &mut *events {
            if let Step::Join(set) = event.step
                && let Some(Some(last)) = slot(set).and_then(|slot| last.get(slot))
            {
                (event.place, event.time) = (event.place, event.time).max(*last);
            }
        }
        events.sort_unstable();
    }

    /// Runs alternate with creations and waits.
    fn logical_steps(&self, logical: &LogicalFragments, grain: u32, steps: &mut Vec<Step>) {
        let mut runs = logical.of_grain(grain).map(Step::Run);
        steps.extend(runs.next());
        for number in self.structure.sets_of(Some(grain)) {
            let Some(set) = self.structure.sets().get(number as usize) else {
                continue;
            };
            let members = self.structure.members(set);
            for &member in members {
                let is_inline = self.is_inline(member);
                steps.push(if is_inline {
                    Step::Inline(member)
                } else {
                    Step::Fork(member)
                });
                steps.extend(runs.next());
            }
            if members.iter().any(|&member| !self.is_inline(member)) {
                steps.push(Step::Join(number));
            }
            steps.extend(runs.next());
        }
    }

    /// What a grain creates and runs itself.
    fn creations(&self, owner: usize, events: &mut Vec<Event>) {
        let grains = &self.run.grains;
        let children = self.children_of.of(owner);
        let children = children.start as usize..children.end as usize;
        for &child in self.children.get(children).unwrap_or_default() {
            let at = child as usize;
            let kind = GrainKind::from_code(grains.kind.value(at));
            let step = match kind {
                Some(GrainKind::Chunk) if self.is_inline(child) => Step::Inline(child),
                Some(GrainKind::Implicit) | None => continue,
                Some(_) if self.structure.is_undeferred(child) => Step::Undeferred(child),
                Some(_) => Step::Fork(child),
            };
            let (created, start) = (grains.created.get(at), grains.start.get(at));
            let known = match step {
                // What the parent does between such a creation and the begin comes before.
                Step::Inline(_) | Step::Undeferred(_) => start.or(created),
                _ => created.or(start),
            };
            let time = known.unwrap_or_else(|| grains.index.value(at));
            let is_fork = matches!(step, Step::Fork(_));
            let place = if is_fork {
                0
            } else {
                self.place_of_time(owner, time, step)
            };
            events.push(Event { place, time, step });
        }
        if self.match_creations(owner, events) {
            return;
        }
        for event in events {
            if matches!(event.step, Step::Fork(_)) {
                event.place = self.place_of_time(owner, event.time, event.step);
            }
        }
    }

    /// Runs of a grain that come before something at a time.
    fn place_of_time(&self, owner: usize, time: i64, step: Step) -> u32 {
        let rows = bounds(&self.fragments, owner);
        let fragments = &self.run.fragments;
        let range = rows.start as usize..rows.end as usize;
        let starts = fragments.start.values().slice(range);
        let mut place = starts.partition_point(|start| start < time);
        // The book-keeping before a chunk can be too short for the clock.
        while matches!(step, Step::Inline(_)) && starts.get(place) == Some(time) {
            let row = rows.start as usize + place;
            let is_entry = fragments.ended_by.value(row) == FragmentEnd::Enter as i32;
            if !is_entry || fragments.duration.value(row) > 0 {
                break;
            }
            place += 1;
        }
        to_u32(place)
    }

    /// Assigns creations to fragments by their order if the source marks the fragments that end with one: clocks are less
    /// exact. Whether it does.
    fn match_creations(&self, owner: usize, events: &mut [Event]) -> bool {
        let is_fork = |event: &Event| matches!(event.step, Step::Fork(_) | Step::Undeferred(_));
        let ends = self.ended_by(owner, FragmentEnd::Creation);
        if events.iter().filter(|event| is_fork(event)).count() != ends.clone().count() {
            return false;
        }
        let grains = &self.run.grains;
        let order = |step: Step| match step {
            Step::Fork(child) | Step::Undeferred(child) => {
                let at = child as usize;
                (grains.created.get(at), grains.index.value(at))
            }
            _ => (None, 0),
        };
        events.sort_unstable_by_key(|event| (order(event.step), event.step));
        for (event, place) in events.iter_mut().filter(|event| is_fork(event)).zip(ends) {
            // An undeferred task begins later than it is created.
            if matches!(event.step, Step::Fork(_)) {
                event.place = place;
            }
        }
        true
    }

    /// Places behind the fragments of a grain that something ended.
    fn ended_by(&self, owner: usize, end: FragmentEnd) -> impl Iterator<Item = u32> + Clone {
        let rows = bounds(&self.fragments, owner);
        let range = rows.start as usize..rows.end as usize;
        let ends = self.run.fragments.ended_by.values().slice(range);
        let places = (1..).zip(ends);
        places
            .filter(move |(_, ended)| *ended == end as i32)
            .map(|(place, _)| place)
    }

    /// Regions, and the waits of a grain.
    fn joins(&self, owner: usize, wait_places: &[u32], events: &mut Vec<Event>) {
        let waits = self.waits.of(owner);
        let is_matched = wait_places.len() == waits.len();
        let at_wait = |wait: u32, step: Step| {
            let time = self.run.waits.start.value(wait as usize);
            let number = wait.saturating_sub(waits.start) as usize;
            let matched = wait_places.get(number).filter(|_| is_matched).copied();
            let place = matched.unwrap_or_else(|| self.place_of_time(owner, time, step));
            Event { place, time, step }
        };
        let grain = (owner < self.run.grains.len()).then(|| to_u32(owner));
        for number in self.structure.sets_of(grain) {
            let Some(set) = self.structure.sets().get(number as usize) else {
                continue;
            };
            let members = self.structure.members(set);
            match (set.kind, set.wait()) {
                (SetKind::Members, _) => {
                    let starts = members
                        .iter()
                        .map(|&row| self.run.grains.start.get(row as usize));
                    let time = starts.flatten().min().unwrap_or(i64::MIN);
                    let step = Step::Region(number);
                    let place = self.place_of_time(owner, time, step);
                    events.push(Event { place, time, step });
                }
                // Chunks of work-sharing loops and undeferred tasks end before their parent goes on.
                _ if members.iter().all(|&row| self.ends_at_once(row)) => {}
                (_, Some(wait)) => events.push(at_wait(wait, Step::Join(number))),
                (_, None) => events.push(Event {
                    place: u32::MAX,
                    time: i64::MAX,
                    step: Step::Join(number),
                }),
            }
        }
        for wait in waits.clone() {
            if let Some(barrier) = self.barriers.of_wait(wait) {
                events.push(at_wait(wait, Step::Barrier(barrier)));
            }
        }
    }

    fn ends_at_once(&self, grain: u32) -> bool {
        self.is_inline(grain) || self.structure.is_undeferred(grain)
    }
}

/// Which contexts are a loop's book-keeping.
pub(super) fn book_keeping(run: &RunTables) -> Vec<bool> {
    let summary = &run.summary;
    let is_kind = |definition: &i32| {
        usize::try_from(*definition).is_ok_and(|row| {
            row < summary.definitions.len()
                && summary.definitions.kind.value(row) == BOOK_KEEPING_KIND
        })
    };
    let definitions = summary.contexts.definition.values();
    definitions.iter().map(is_kind).collect()
}
