//! Path keys of grains whose path goes through a definition that has several names.
//!
//! A key is the hash of a path of definitions and steps, so every grain at or below a definition that was
//! renamed has another key. Such grains get new keys on both sides, from the columns that distinguish a grain
//! below its parent, with the newest name of every definition; all others keep theirs. As in the paths of
//! recorded runs, what a member of a team creates inside a work-sharing construct hangs below the construct,
//! not below the member, any of which may execute it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use arrow::array::{Array, AsArray, Int32Array, Int64Array, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};
use sheaf_model::table::{Contexts, GrainKind};
use sheaf_model::{DefinitionId, PathKey};

use super::columns::GrainColumns;
use crate::renaming::Renaming;
use sheaf_answers::MatchedBy;

/// How sure it is that two paths are one, and how that is known.
pub type Through = (MatchedBy, f64);

/// Numbers by key; looked up only.
type Counts = HashMap<i64, i64, BuildHasherDefault<DefaultHasher>>;

/// Stands for a number that a grain has not got.
const NO: i64 = -1;
/// First number of the step to a team, which no grain's step begins with.
const TEAM: i64 = -2;
/// First number of the step to a work-sharing construct.
const CONSTRUCT: i64 = -3;

impl GrainColumns {
    /// Columns of the table of grains that [`GrainColumns::rename`] takes.
    pub const NEEDED_TO_RENAME: [&'static str; 5] = [
        "parent",
        "sequence",
        "index",
        "first_iteration",
        "iterations",
    ];

    /// Gives every definition its newest name and number, and new keys to the grains whose path goes through one that
    /// has several. Linear in the grains, and n log n in the chunks that create such grains. Absent when a column is
    /// missing or of another type.
    pub fn rename(
        &mut self,
        grains: &RecordBatch,
        contexts: &Contexts,
        renaming: &Renaming,
    ) -> Option<()> {
        self.through = through(&self.definitions, contexts, renaming);
        for definition in &mut self.definitions {
            *definition = renaming.id(*definition);
        }
        if self.through.iter().all(Option::is_none) {
            self.through.clear();
            return Some(());
        }
        let wide = |name| grains.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let parent = grains.column_by_name("parent")?;
        let parent = parent.as_primitive_opt::<Int32Type>()?;
        let paths = Paths {
            run: self,
            parent,
            sequence: instances(self, parent, wide("sequence")?),
            index: wide("index")?,
            first: wide("first_iteration")?,
            iterations: wide("iterations")?,
        };
        self.path_key = paths.keys();
        Some(())
    }

    /// How the path of a grain's context is found under other names; absent where it has no other.
    pub(super) fn through(&self, row: usize) -> Option<Through> {
        let context = usize::try_from(*self.context.values().get(row)?).ok()?;
        self.through.get(context).copied().flatten()
    }
}

/// Number of the construct of each grain: on paths that have another name or number elsewhere, the instance of the
/// construct in the team, or in the grain, that executes it. Other constructs before it, which one side may lack, do not
/// count. n log n in the grains on such paths.
fn instances(run: &GrainColumns, parent: &Int32Array, sequence: &Int64Array) -> Vec<i64> {
    let number = |row: usize| {
        if sequence.is_valid(row) {
            sequence.value(row)
        } else {
            NO
        }
    };
    let mut found: Vec<i64> = (0..run.len()).map(number).collect();
    let above = |row: usize| {
        let parent = parent.is_valid(row).then(|| parent.value(row))?;
        usize::try_from(parent)
            .ok()
            .filter(|&parent| parent < run.len())
    };
    let is_member = |row: usize| run.kind.values().get(row) == Some(&(GrainKind::Implicit as i32));
    // Members of a team share its constructs, and some may have no part in one.
    let owner = |row: usize| match above(row) {
        Some(member) if is_member(member) => (above(member), number(member)),
        other => (other, NO),
    };
    let rows = (0..run.len()).filter(|&row| sequence.is_valid(row) && run.through(row).is_some());
    let mut rows: Vec<_> = rows
        .map(|row| (owner(row), run.context.values().get(row), number(row), row))
        .collect();
    rows.sort_unstable();
    for same in rows.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        for (instance, rows) in (0..).zip(same.chunk_by(|x, y| x.2 == y.2)) {
            for &(.., row) in rows {
                found[row] = instance;
            }
        }
    }
    found
}

/// Of each context the weakest link on its path.
fn through(
    definitions: &[DefinitionId],
    contexts: &Contexts,
    renaming: &Renaming,
) -> Vec<Option<Through>> {
    let mut through: Vec<Option<Through>> = Vec::with_capacity(definitions.len());
    for (context, definition) in definitions.iter().enumerate() {
        let parent = contexts.parent.is_valid(context);
        let parent = parent.then(|| contexts.parent.value(context));
        let parent = parent.and_then(|parent| usize::try_from(parent).ok());
        let around = parent.and_then(|parent| through.get(parent).copied().flatten());
        let links = renaming.names(*definition).iter();
        let links = links.filter_map(|name| name.link);
        let is_renumbered = renaming.is_renumbered(*definition);
        let number = is_renumbered.then_some((MatchedBy::Path, 1.0));
        through.push(links.chain(number).chain(around).reduce(weaker));
    }
    through
}

fn weaker(x: Through, y: Through) -> Through {
    (x.0.max(y.0), x.1.min(y.1))
}

struct Paths<'a> {
    run: &'a GrainColumns,
    parent: &'a Int32Array,
    /// Instance of the construct of each grain; [`NO`] outside of one.
    sequence: Vec<i64>,
    index: &'a Int64Array,
    first: &'a Int64Array,
    iterations: &'a Int64Array,
}

impl Paths<'_> {
    fn keys(&self) -> Int64Array {
        let rows = self.run.len();
        let before = self.forks_before();
        let mut keys: Vec<i64> = self.run.path_key.values().to_vec();
        // What is created in a team's constructs hangs below the team.
        let mut teams: Vec<i64> = vec![0; rows];
        let mut members = Counts::default();
        let mut seen = Counts::default();
        for row in 0..rows {
            let definition = self.definition(row);
            let around = self.parent(row).filter(|&parent| parent < row);
            let above = around.map_or(PathKey::ROOT, |parent| PathKey(keys[parent]));
            let kind = self.kind(row);
            if kind == Some(GrainKind::Implicit) {
                let step = [TEAM, self.sequence[row]];
                let team = above.child(definition, &step);
                // Regions that the source does not number: each has one member of a number.
                let member = team.child(definition, &[number(self.index, row)]);
                let region = members.entry(member.0).or_default();
                teams[row] = team.child(definition, &[*region]).0;
                *region += 1;
            }
            if self.run.through(row).is_none() {
                continue;
            }
            let team = |member: usize| PathKey(teams[member]);
            let (anchor, step) = match (kind, around) {
                (Some(GrainKind::Implicit), _) => {
                    (PathKey(teams[row]), [number(self.index, row), NO, NO])
                }
                (Some(GrainKind::Chunk | GrainKind::TaskloopChunk), Some(parent)) => {
                    (self.shared(parent, row, above, team), self.range(row))
                }
                (_, Some(parent)) => self.forked(parent, row, above, team, &before),
                (_, None) => (above, [number(self.index, row), NO, NO]),
            };
            let key = anchor.child(definition, &step);
            // Equal grains in the order of the table; which is which is flagged where it may vary.
            let same = seen.entry(key.0).or_default();
            keys[row] = key.child(definition, &[*same]).0;
            *same += 1;
        }
        keys.into()
    }

    /// The construct of a chunk, or what stands around it where it is in none.
    fn shared(
        &self,
        parent: usize,
        row: usize,
        above: PathKey,
        team: impl Fn(usize) -> PathKey,
    ) -> PathKey {
        let sequence = self.sequence[row];
        if self.kind(parent) == Some(GrainKind::Implicit) && sequence != NO {
            let step = [CONSTRUCT, sequence];
            return team(parent).child(self.definition(row), &step);
        }
        above.child(self.definition(row), &[CONSTRUCT, sequence])
    }

    /// Where the path of a task begins, and its step from there.
    fn forked(
        &self,
        parent: usize,
        row: usize,
        above: PathKey,
        team: impl Fn(usize) -> PathKey,
        before: &HashMap<usize, i64, BuildHasherDefault<DefaultHasher>>,
    ) -> (PathKey, [i64; 3]) {
        let index = number(self.index, row);
        let sequence = self.sequence[row];
        match self.kind(parent) {
            Some(GrainKind::Implicit) if sequence != NO => (team(parent), [sequence, index, NO]),
            Some(GrainKind::Chunk) => match self.parent(parent).filter(|&member| member < parent) {
                Some(member) if self.kind(member) == Some(GrainKind::Implicit) => {
                    let step = [CONSTRUCT, self.sequence[parent]];
                    let loop_of_chunk = team(member).child(self.definition(parent), &step);
                    let before = before.get(&parent).copied().unwrap_or(0);
                    (loop_of_chunk, [before + index, NO, NO])
                }
                _ => (above, [sequence, index, NO]),
            },
            _ => (above, [sequence, index, NO]),
        }
    }

    /// Of each chunk that creates a grain on a renamed path, how many the chunks of its loop with smaller
    /// iterations create: where chunks begin depends on the team.
    fn forks_before(&self) -> HashMap<usize, i64, BuildHasherDefault<DefaultHasher>> {
        let mut forks: HashMap<usize, i64, BuildHasherDefault<DefaultHasher>> = HashMap::default();
        for row in 0..self.run.len() {
            let chunk = self
                .parent(row)
                .filter(|&parent| self.kind(parent) == Some(GrainKind::Chunk));
            if let Some(chunk) = chunk.filter(|_| self.run.through(row).is_some()) {
                let own = forks.entry(chunk).or_default();
                *own = (*own).max(number(self.index, row) + 1);
            }
        }
        let mut chunks: Vec<(Option<usize>, i32, i64, i64, usize)> = forks
            .keys()
            .map(|&chunk| {
                let member = self.parent(chunk);
                let team = member.and_then(|member| self.parent(member));
                let context = self.run.context.value(chunk);
                let sequence = self.sequence[chunk];
                (team, context, sequence, number(self.first, chunk), chunk)
            })
            .collect();
        chunks.sort_unstable();
        for same in chunks.chunk_by(|x, y| (x.0, x.1, x.2) == (y.0, y.1, y.2)) {
            let mut sum = 0;
            for (.., chunk) in same {
                if let Some(own) = forks.get_mut(chunk) {
                    let next = sum + *own;
                    *own = sum;
                    sum = next;
                }
            }
        }
        forks
    }

    /// Iterations of a chunk, or its place where they are not known.
    fn range(&self, row: usize) -> [i64; 3] {
        if self.first.is_valid(row) {
            [self.first.value(row), number(self.iterations, row), 0]
        } else {
            [number(self.index, row), NO, NO]
        }
    }

    fn kind(&self, row: usize) -> Option<GrainKind> {
        GrainKind::from_code(*self.run.kind.values().get(row)?)
    }

    fn parent(&self, row: usize) -> Option<usize> {
        let parent = self.parent.is_valid(row).then(|| self.parent.value(row))?;
        usize::try_from(parent)
            .ok()
            .filter(|&parent| parent < self.run.len())
    }

    fn definition(&self, row: usize) -> DefinitionId {
        let context = self.run.context.values().get(row);
        let context = context.and_then(|&context| usize::try_from(context).ok());
        let id = context.and_then(|context| self.run.definitions.get(context));
        id.copied().unwrap_or(DefinitionId([0; 16]))
    }
}

fn number(column: &Int64Array, row: usize) -> i64 {
    if column.is_valid(row) {
        column.value(row)
    } else {
        NO
    }
}
