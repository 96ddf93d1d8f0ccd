//! In which order the children of a context are first created.

use std::collections::BTreeMap;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};
use sheaf_model::table::Contexts;

/// Columns of a run's table of grains that [`Creations::of`] reads.
pub const CREATION_COLUMNS: [&str; 4] = ["context", "parent", "created", "start"];

/// When grains first created children of each context, in some of a run's grains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Creations(Vec<Creation>);

/// Sorted by parent context, then parent grain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Creation {
    around: i32,
    by: i32,
    context: i32,
    at: i64,
}

impl Creations {
    /// Those of a stretch of the table, which is sorted by context and parent. Contexts without siblings are left
    /// out, and grains without a time. Linear.
    pub fn of(contexts: &Contexts, grains: &RecordBatch) -> Self {
        let narrow = |name| {
            let column = grains.column_by_name(name)?;
            column.as_primitive_opt::<Int32Type>()
        };
        let wide = |name| {
            let column = grains.column_by_name(name)?;
            column.as_primitive_opt::<Int64Type>()
        };
        let (Some(context), Some(parent), Some(created), Some(start)) = (
            narrow("context"),
            narrow("parent"),
            wide("created"),
            wide("start"),
        ) else {
            return Self::default();
        };
        let around = parents_with_many(contexts);
        let mut found: Vec<Creation> = Vec::new();
        for row in 0..grains.num_rows() {
            let own = context.value(row);
            let around = usize::try_from(own).ok().and_then(|own| *around.get(own)?);
            let time = [created, start]
                .into_iter()
                .find_map(|column| column.is_valid(row).then(|| column.value(row)));
            let (Some(around), Some(at), true) = (around, time, parent.is_valid(row)) else {
                continue;
            };
            let by = parent.value(row);
            match found.last_mut() {
                Some(last) if (last.context, last.by) == (own, by) => last.at = last.at.min(at),
                _ => found.push(Creation {
                    around,
                    by,
                    context: own,
                    at,
                }),
            }
        }
        Self(found)
    }
}

/// The context around each that has siblings.
fn parents_with_many(contexts: &Contexts) -> Vec<Option<i32>> {
    let parents: Vec<Option<i32>> = contexts.parent.iter().collect();
    let mut children: BTreeMap<i32, u32> = BTreeMap::new();
    for parent in parents.iter().flatten() {
        *children.entry(*parent).or_default() += 1;
    }
    let has_many = |parent: &i32| children.get(parent).is_some_and(|&count| count > 1);
    let around = parents.into_iter().map(|parent| parent.filter(has_many));
    around.collect()
}

/// Place of each context among its siblings, in the order in which every grain around them first creates them;
/// absent where nothing is known of that, and where grains differ in it. `parts` may be in any order. n log n.
pub fn creation_order(
    contexts: usize,
    parts: impl IntoIterator<Item = Creations>,
) -> Vec<Option<u32>> {
    let mut all: Vec<Creation> = parts.into_iter().flat_map(|part| part.0).collect();
    all.sort_unstable();
    // What was split between parts.
    all.dedup_by(|next, kept| {
        (next.around, next.by, next.context) == (kept.around, kept.by, kept.context)
    });
    let mut places = vec![None; contexts];
    for children in all.chunk_by(|x, y| x.around == y.around) {
        let Some(order) = common_order(children) else {
            continue;
        };
        for (place, context) in (0..).zip(order) {
            let context = usize::try_from(context).ok();
            if let Some(known) = context.and_then(|context| places.get_mut(context)) {
                *known = Some(place);
            }
        }
    }
    places
}

/// The order that all parents agree on, if they do. Parents that create several at one time say nothing.
fn common_order(children: &[Creation]) -> Option<Vec<i32>> {
    let mut order: Vec<i32> = Vec::new();
    for of_one in children.chunk_by(|x, y| x.by == y.by) {
        let mut of_one: Vec<(i64, i32)> = of_one.iter().map(|one| (one.at, one.context)).collect();
        of_one.sort_unstable();
        if of_one.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            continue;
        }
        // Each stands behind the last one; a new one directly so.
        let mut next = 0;
        for (_, context) in of_one {
            match order.iter().position(|&known| known == context) {
                Some(at) if at < next => return None,
                Some(at) => next = at + 1,
                None => {
                    order.insert(next, context);
                    next += 1;
                }
            }
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of contexts below context 0 from creations `parent grain: context@time …`.
    fn check(text: &str, expected: &[(usize, u32)]) {
        let line = |line: &str| {
            let (by, of_one) = line.split_once(':').unwrap();
            let by: i32 = by.trim().parse().unwrap();
            let creation = |word: &str| {
                let (context, at) = word.split_once('@').unwrap();
                Creation {
                    around: 0,
                    by,
                    context: context.parse().unwrap(),
                    at: at.parse().unwrap(),
                }
            };
            Creations(of_one.split_whitespace().map(creation).collect())
        };
        let parts: Vec<Creations> = text.lines().map(line).collect();
        for parts in [parts.clone(), parts.into_iter().rev().collect()] {
            let found = creation_order(9, parts);
            let known = found.iter().enumerate();
            let known: Vec<(usize, u32)> = known
                .filter_map(|(at, place)| Some((at, (*place)?)))
                .collect();
            assert_eq!(known, expected, "{text}");
        }
    }

    #[test]
    fn parents_agree_on_an_order() {
        check("", &[]);
        check("1: 5@10 3@20 4@30", &[(3, 1), (4, 2), (5, 0)]);
        // One that some parents leave out has its place.
        check("1: 5@10 4@30\n2: 5@1 3@2 4@3", &[(3, 1), (4, 2), (5, 0)]);
        // The same parent in two parts.
        check("1: 5@10\n1: 3@20 5@15", &[(3, 1), (5, 0)]);
    }

    #[test]
    fn parents_disagree() {
        check("1: 5@10 4@30\n2: 4@1 5@3", &[]);
        check("1: 5@10 4@10", &[]);
        check("1: 5@10 4@10\n2: 4@1 5@3", &[(4, 0), (5, 1)]);
    }
}
