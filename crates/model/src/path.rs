//! The rule of path keys: which numbers make a step of a grain's path.

use crate::table::GrainKind;
use crate::{DefinitionId, PathKey};

/// The numbers that distinguish a grain, or a construct on its path, from others of the same
/// definition below the same grain or construct. None depends on the schedule. A number that a
/// source does not state is -1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// An initial task: MPI rank, number of the process within the rank, place in the process.
    Initial {
        /// MPI rank.
        rank: i64,
        /// Number of the process within the rank; forked processes come after their parent.
        process: i64,
        /// Place among the initial tasks of the process.
        index: i64,
    },
    /// The place of a member in its team, of a work-sharing construct in its region, or of a
    /// task, region or taskloop among the forks of its creator.
    Place(i64),
    /// The place of a grain among those that one construct created, or that one member created in
    /// a construct whose forks are a race.
    PlaceIn {
        /// Sequence number of the construct, or index of the member.
        group: i64,
        /// Place in it.
        index: i64,
    },
    /// Iterations of a chunk, below its construct: the places of chunks depend on the schedule.
    Iterations {
        /// First iteration, or the place of a chunk whose iterations are not known.
        first: i64,
        /// Number of iterations.
        count: i64,
    },
    /// Iterations of a chunk, below the grain that its loop belongs to.
    IterationsOf {
        /// Sequence number of the loop.
        sequence: i64,
        /// First iteration.
        first: i64,
        /// Number of iterations.
        count: i64,
    },
}

impl PathStep {
    /// The step of a grain below its parent, for sources that have no rows for constructs. A
    /// chunk whose iterations are not known is identified by its place. `rank` counts for initial
    /// tasks only.
    pub fn below_parent(
        kind: GrainKind,
        rank: i64,
        sequence: Option<i64>,
        index: i64,
        iterations: Option<(i64, Option<i64>)>,
    ) -> Self {
        match (kind, iterations, sequence) {
            (GrainKind::Initial, _, _) => Self::Initial {
                rank,
                process: 0,
                index,
            },
            (GrainKind::Chunk | GrainKind::TaskloopChunk, Some((first, count)), _) => {
                Self::IterationsOf {
                    sequence: sequence.unwrap_or(-1),
                    first,
                    count: count.unwrap_or(-1),
                }
            }
            (_, _, Some(group)) => Self::PlaceIn { group, index },
            (_, _, None) => Self::Place(index),
        }
    }
}

impl PathKey {
    /// The key of what is reached from this path by a step into a definition.
    #[must_use]
    pub fn step(self, definition: DefinitionId, step: PathStep) -> Self {
        match step {
            PathStep::Initial {
                rank,
                process,
                index,
            } => self.child(definition, &[rank, process, index]),
            PathStep::Place(index) => self.child(definition, &[index]),
            PathStep::PlaceIn { group, index } => self.child(definition, &[group, index]),
            PathStep::Iterations { first, count } => self.child(definition, &[first, count]),
            PathStep::IterationsOf {
                sequence,
                first,
                count,
            } => self.child(definition, &[sequence, first, count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a step, found by the keys that they give.
    fn check(step: PathStep, numbers: &[i64]) {
        let definition = DefinitionId::new("task", "fib", 0);
        let expected = PathKey::ROOT.child(definition, numbers);
        assert_eq!(PathKey::ROOT.step(definition, step), expected, "{step:?}");
    }

    #[test]
    fn steps_have_their_numbers() {
        use GrainKind::{Chunk, Implicit, Initial, Task};
        check(
            PathStep::below_parent(Initial, 2, Some(7), 1, None),
            &[2, 0, 1],
        );
        check(PathStep::below_parent(Task, 2, None, 5, None), &[5]);
        check(
            PathStep::below_parent(Implicit, 2, Some(3), 5, None),
            &[3, 5],
        );
        let range = Some((8, Some(4)));
        check(
            PathStep::below_parent(Chunk, 2, Some(3), 5, range),
            &[3, 8, 4],
        );
        check(
            PathStep::below_parent(Chunk, 2, None, 5, Some((8, None))),
            &[-1, 8, -1],
        );
        check(PathStep::below_parent(Chunk, 2, Some(3), 5, None), &[3, 5]);
        // Only chunks have iterations in their path.
        check(PathStep::below_parent(Task, 2, None, 5, range), &[5]);
        check(PathStep::Iterations { first: 8, count: 4 }, &[8, 4]);
    }
}
