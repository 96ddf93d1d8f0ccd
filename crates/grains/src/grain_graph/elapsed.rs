//! The critical path by elapsed time: from the end back, always to what finished last.

mod arrival;
mod busy;
mod finishers;
mod region_ends;

use rayon::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

use super::absent::{Absence, Figure};
use super::fault::GraphFault;
use super::graph::{EdgeKind, GrainGraph};
use super::group::GrainGroup;
use super::to_u32;
pub(super) use arrival::{Arrival, Stretch};
use busy::Occupied;
pub(crate) use busy::num_workers;
use finishers::Finishers;
pub(super) use region_ends::{After, Member, TeamEnds};

/// Fragments whose ends are compared together.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Why time passed on a path without anything running on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DelayKind {
    /// Between a creation and the begin of the created grain.
    Creation,
    /// Between the end of a grain, or the last member's arrival at a barrier, and what goes on behind.
    Synchronisation,
    /// Between two stretches of a grain, with nothing to wait for.
    Continuation,
    /// Between the end of a task and the begin of one that depends on it.
    Dependence,
    /// Between two stretches of a grain whose worker ran something else meanwhile.
    Scheduling,
    /// Between two stretches of a grain that waited for a lock, a critical or ordered section, or an atomic construct.
    Lock,
    /// Between two stretches of a grain that called MPI.
    Message,
}

/// All kinds of delay, in the order of [`ElapsedPath::delays`].
pub const DELAY_KINDS: [DelayKind; 7] = [
    DelayKind::Creation,
    DelayKind::Synchronisation,
    DelayKind::Continuation,
    DelayKind::Dependence,
    DelayKind::Scheduling,
    DelayKind::Lock,
    DelayKind::Message,
];

/// The chain of stretches that the elapsed time consists of: the one that finished last, before it the
/// one of its predecessors that finished last, and so on to the beginning.
///
/// With the gaps between its stretches any chain from the beginning to the end is as long as the
/// elapsed time, so their lengths distinguish none; on this one every gap is as short as the graph
/// allows, and what shortens none of it shortens nothing. `before + work + delays + outside + after` is `elapsed`,
/// exactly; where clocks of workers disagree, a gap can be negative. All are in the run's time unit.
/// A stretch behind the end of a parallel region follows the member that arrived at that end last.
/// If predecessors finished at the same time, the path takes the fragment with the smaller row. (Critical path of DAG Recorder's
/// tools, `last finished tail`; Huynh et al. 2015, section 4.)
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ElapsedPath {
    /// From the begin of the run, or of the group's first stretch, to the end of the last.
    pub elapsed: i64,
    /// Time in which stretches of the path ran.
    pub work: i64,
    /// Time before the first stretch of the path.
    pub before: i64,
    /// Gaps of the path, by [`DELAY_KINDS`]. The part of a gap in which no worker was free because some waited for locks
    /// or in MPI counts as [`DelayKind::Lock`] or [`DelayKind::Message`].
    pub delays: [i64; 7],
    /// The part of each of these in which all workers of the run computed: no worker was free for the path.
    pub busy: [i64; 7],
    /// Of a group: time on the path with what is not of the group.
    pub outside: i64,
    /// From the end of the last stretch to the end of the run; 0 of a group.
    pub after: i64,
    /// Rows of the path's fragments, in order; of a group those of the group.
    pub rows: Vec<u32>,
    /// The gaps that [`ElapsedPath::delays`] sums, in the order of the path. A gap that has several causes has an entry
    /// for each.
    pub gaps: Vec<PathGap>,
}

/// Time that passed on a path before a stretch began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathGap {
    /// Row of the fragment that began later than it could.
    pub row: u32,
    /// Its reason.
    pub kind: DelayKind,
    /// Its length in the run's time unit.
    pub time: i64,
}

impl ElapsedPath {
    /// The path of a run, on its unreduced graph. Linear in nodes and edges.
    ///
    /// # Errors
    /// [`PathFault::Absent`] where fragments have no times, [`PathFault::Graph`] where the graph has a cycle.
    pub fn of(run: &RunTables, graph: &GrainGraph) -> Result<Self, PathFault> {
        Self::on_graph(run, graph, None)
    }

    /// The path local to a group: of the group's stretch that finished last, back to the begin of the one
    /// that began first.
    ///
    /// # Errors
    /// As [`ElapsedPath::of`].
    pub fn local(
        run: &RunTables,
        graph: &GrainGraph,
        group: &GrainGroup,
    ) -> Result<Self, PathFault> {
        Self::on_graph(run, graph, Some(group))
    }

    fn on_graph(
        run: &RunTables,
        graph: &GrainGraph,
        group: Option<&GrainGroup>,
    ) -> Result<Self, PathFault> {
        if let Some(absence) = Absence::of(run, Figure::ElapsedPath) {
            return Err(absence.into());
        }
        let finishers = Finishers::of(run, graph)?;
        let last = finishers.last(|grain| group.is_none_or(|group| group.contains(grain)));
        let found = Self::along(run, group, finishers.chain(last));
        // The gaps need as much memory again.
        drop(finishers);
        Ok(found.finish(run))
    }

    /// The stretch of a group or of all grains that finished last. Linear in the fragments.
    pub(super) fn last(run: &RunTables, group: Option<&GrainGroup>) -> Option<u32> {
        let later = |a: Stretch, b: Stretch| if a.is_later(b) { a } else { b };
        let rows = (0..to_u32(run.fragments.len())).into_par_iter();
        let latest = rows.fold_chunks(
            ROWS_AT_ONCE,
            || Stretch::NOTHING,
            |latest, row| {
                let end = end(run, row);
                let stretch = Stretch { row, end };
                let is_later = stretch.is_later(latest) && is_member(run, group, row);
                if is_later { stretch } else { latest }
            },
        );
        let latest = latest.reduce(|| Stretch::NOTHING, later);
        (!latest.is_nothing()).then_some(latest.row)
    }

    /// Follows the stretches that finished last, from the last one back, with the kind of the way from each to the next.
    pub(super) fn along(
        run: &RunTables,
        group: Option<&GrainGroup>,
        mut chain: impl Iterator<Item = (u32, EdgeKind)>,
    ) -> PathWithGaps {
        let mut found = PathWithGaps::default();
        let path = &mut found.path;
        let Some((last, _)) = chain.next() else {
            found.set_elapsed(run, group, 0, 0);
            return found;
        };
        let first = match group {
            Some(_) => first_start(run, group).unwrap_or(0),
            None => 0,
        };
        let mut row = last;
        // Each fragment is on the path once.
        for _ in 0..run.fragments.len() {
            let start = run.fragments.start.value(row as usize).max(first);
            let ran = end(run, row) - start;
            let is_own = is_member(run, group, row);
            if is_own {
                path.work += ran;
                path.rows.push(row);
            } else {
                path.outside += ran;
            }
            let before = if start > first { chain.next() } else { None };
            let Some((before, way)) = before else {
                path.before = start - first;
                break;
            };
            let ended = end(run, before);
            let time = start - ended.max(first);
            if !is_own {
                path.outside += time;
            } else if time != 0 {
                let kind = delay_kind(run, before, way);
                found.gaps.push((PathGap { row, kind, time }, start));
            }
            if ended <= first {
                break;
            }
            row = before;
        }
        path.rows.reverse();
        found.gaps.reverse();
        found.set_elapsed(run, group, end(run, last), first);
        found
    }

    /// Sum of all gaps.
    pub fn delay(&self) -> i64 {
        self.delays.iter().sum()
    }

    /// Part of all gaps in which all workers were busy.
    pub fn busy(&self) -> i64 {
        self.busy.iter().sum()
    }

    /// Gaps of a kind.
    pub fn delay_by(&self, kind: DelayKind) -> i64 {
        self.delays.get(kind as usize).copied().unwrap_or(0)
    }

    /// Gaps of a kind while a worker of the run was free.
    pub fn free_delay(&self, kind: DelayKind) -> i64 {
        let busy = self.busy.get(kind as usize).copied().unwrap_or(0);
        self.delay_by(kind) - busy
    }

    /// Adds gaps, each with the time at which the stretch behind it began.
    fn add_gaps(&mut self, gaps: &[(PathGap, i64)], run: &RunTables) {
        // The reason of a pause is known, whatever the other workers did.
        let is_pause = |kind| matches!(kind, DelayKind::Lock | DelayKind::Message);
        let is_open = |gap: &PathGap| gap.time > 0 && !is_pause(gap.kind);
        let any_open = gaps.iter().any(|(gap, _)| is_open(gap));
        let occupied = any_open.then(|| Occupied::of(run));
        for &(gap, start) in gaps {
            let mut rest = gap.time;
            if let Some(occupied) = occupied.as_ref().filter(|_| is_open(&gap)) {
                let parts = occupied.within(start - gap.time, start);
                if let Some(sum) = self.busy.get_mut(gap.kind as usize) {
                    *sum += parts.running;
                }
                // No worker was free, because some waited: that is the cause.
                for (cause, time) in [
                    (DelayKind::Lock, parts.locked),
                    (DelayKind::Message, parts.calling),
                ] {
                    rest -= time;
                    self.add_gap(gap.row, cause, time);
                }
            }
            self.add_gap(gap.row, gap.kind, rest);
        }
    }

    fn add_gap(&mut self, row: u32, kind: DelayKind, time: i64) {
        if let Some(delay) = self.delays.get_mut(kind as usize) {
            *delay += time;
        }
        if time != 0 {
            self.gaps.push(PathGap { row, kind, time });
        }
    }
}

/// A path whose gaps were not added yet, each with the time at which the stretch behind it began.
#[derive(Default)]
pub(super) struct PathWithGaps {
    path: ElapsedPath,
    gaps: Vec<(PathGap, i64)>,
}

impl PathWithGaps {
    /// Sets the elapsed time of a path that ends at a time, of a group from the begin of its first stretch.
    fn set_elapsed(&mut self, run: &RunTables, group: Option<&GrainGroup>, end: i64, first: i64) {
        let reported = run.summary.meta.elapsed.filter(|_| group.is_none());
        self.path.elapsed = reported.unwrap_or(end - first);
        self.path.after = self.path.elapsed - (end - first);
    }

    /// The path. Sorts the beginnings and ends of all fragments, if time passed on the path for no stated reason.
    pub(super) fn finish(self, run: &RunTables) -> ElapsedPath {
        let Self { mut path, gaps } = self;
        path.add_gaps(&gaps, run);
        path
    }
}

fn end(run: &RunTables, row: u32) -> i64 {
    let (fragments, row) = (&run.fragments, row as usize);
    let start = fragments.start.value(row);
    start.saturating_add(fragments.duration.value(row))
}

fn is_member(run: &RunTables, group: Option<&GrainGroup>, row: u32) -> bool {
    group.is_none_or(|group| {
        let grain = run.fragments.grain.value(row as usize);
        u32::try_from(grain).is_ok_and(|grain| group.contains(grain))
    })
}

/// Rows of the fragments of a group.
fn members<'a>(
    run: &'a RunTables,
    group: Option<&'a GrainGroup>,
) -> impl Iterator<Item = u32> + 'a {
    let rows = 0..to_u32(run.fragments.len());
    rows.filter(move |&row| is_member(run, group, row))
}

fn first_start(run: &RunTables, group: Option<&GrainGroup>) -> Option<i64> {
    let starts = members(run, group).map(|row| run.fragments.start.value(row as usize));
    starts.min()
}

/// The cause of a gap between a stretch and the next on the path.
fn delay_kind(run: &RunTables, before: u32, way: EdgeKind) -> DelayKind {
    match way {
        EdgeKind::Creation => DelayKind::Creation,
        EdgeKind::Synchronisation => DelayKind::Synchronisation,
        EdgeKind::Dependence => DelayKind::Dependence,
        EdgeKind::Continuation => {
            match FragmentEnd::from_code(run.fragments.ended_by.value(before as usize)) {
                Some(FragmentEnd::Switch) => DelayKind::Scheduling,
                Some(FragmentEnd::Lock) => DelayKind::Lock,
                Some(FragmentEnd::Message) => DelayKind::Message,
                _ => DelayKind::Continuation,
            }
        }
    }
}

/// A reason why a run has no path by elapsed time.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathFault {
    /// The source does not say what is needed.
    #[error(transparent)]
    Absent(#[from] Absence),
    /// The graph is at fault.
    #[error(transparent)]
    Graph(#[from] GraphFault),
}
