//! How long fragments waited for a worker.

use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;

use super::ready::Ready;
use super::summary::Summary;

/// Time from becoming ready to the start, of every fragment that an edge made ready as far as it is known, by the kind of
/// edge that made it ready (in the order of [`ReadyBy`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delays {
    /// All of them.
    pub all: [Option<Summary>; 6],
    /// Those that ran on another worker than the fragment that made them ready: steals.
    pub migrated: [Option<Summary>; 6],
    /// Of every kind together.
    pub total: Option<Summary>,
    /// Sums over the fragments of each context, by row of the run's contexts.
    pub by_context: Vec<i64>,
}

impl Delays {
    /// One pass, and linear selections. Fragments that started early count as if they did not wait.
    pub(super) fn of(run: &RunTables, ready: &Ready) -> Self {
        let mut all: [Vec<i64>; 6] = Default::default();
        let mut migrated: [Vec<i64>; 6] = Default::default();
        let mut total = Vec::with_capacity(run.fragments.len());
        let starts = run.fragments.start.values();
        let locations = run.fragments.location.values();
        let mut by_context = vec![0_i64; run.summary.contexts.len()];
        for (fragment, time, by) in ready.iter() {
            let start = starts.get(fragment as usize).unwrap_or(time);
            let delay = start.saturating_sub(time).max(0);
            if let Some(sum) = context_of(run, fragment).and_then(|row| by_context.get_mut(row)) {
                *sum = sum.saturating_add(delay);
            }
            if Some(fragment) == ready.root() {
                continue;
            }
            total.push(delay);
            let source = ready.source(fragment);
            let location = |fragment: u32| locations.get(fragment as usize);
            if source.is_some_and(|source| location(source) != location(fragment)) {
                migrated[by as usize].push(delay);
            }
            all[by as usize].push(delay);
        }
        Self {
            all: all.map(Summary::of),
            migrated: migrated.map(Summary::of),
            total: Summary::of(total),
            by_context,
        }
    }

    /// Delays of one kind.
    pub fn by(&self, kind: ReadyBy) -> Option<&Summary> {
        self.all.get(kind as usize)?.as_ref()
    }
}

fn context_of(run: &RunTables, fragment: u32) -> Option<usize> {
    let grain = run.fragments.grain.get(fragment as usize)?;
    let context = run
        .grains
        .context
        .values()
        .get(usize::try_from(grain).ok()?)?;
    usize::try_from(context).ok()
}
