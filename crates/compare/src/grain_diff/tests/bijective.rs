//! Other names for definitions change nothing of which grain is which, when it is said which name is which.
#![expect(
    clippy::float_cmp,
    reason = "the values are exact, or rounded in the same way"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use sheaf_model::table::{ContextRow, DefinitionRow, GrainRow, Grains};
use sheaf_model::{ContextId, PathKey, RunMeta, RunSummary, RunTables};

use super::renamed::through;
use super::*;

/// Names of definitions; the first stands around the others.
const NAMES: [&str; 5] = ["main", "sort", "merge", "copy", "leaf"];

/// A grain of a made program: what creates it, its definition, and whether each side has it.
type Made = (prop::sample::Index, usize, [bool; 2]);

fn programs() -> impl Strategy<Value = Vec<Made>> {
    let side = || prop::bool::weighted(0.8);
    let grain = (
        any::<prop::sample::Index>(),
        1..NAMES.len(),
        [side(), side()],
    );
    prop::collection::vec(grain, 0..60)
}

/// Grains of a program: parent, definition, place among those with the same parent. The first ones have every
/// definition, so that both sides have all.
fn tree(made: &[Made]) -> Vec<(Option<usize>, usize, i64)> {
    let mut grains = vec![(None, 0, 0)];
    let first = (1..NAMES.len()).map(|definition| (0, definition));
    let others = made.iter().enumerate();
    let others = others.map(|(at, (parent, definition, _))| {
        // Every grain before it, and not the first ones alone.
        (parent.index(NAMES.len() + at), *definition)
    });
    let mut children: BTreeMap<usize, i64> = BTreeMap::new();
    for (parent, definition) in first.chain(others) {
        let place = children.entry(parent).or_default();
        grains.push((Some(parent), definition, *place));
        *place += 1;
    }
    grains
}

/// Path of definitions of each grain that a side has; a side that lacks a grain lacks what it creates.
fn paths(made: &[Made], side: usize) -> Vec<Option<Vec<usize>>> {
    let mut paths: Vec<Option<Vec<usize>>> = Vec::new();
    for (at, (parent, definition, _)) in tree(made).into_iter().enumerate() {
        let is_there = at < NAMES.len() || made[at - NAMES.len()].2[side];
        let around = parent.map_or_else(|| Some(Vec::new()), |parent| paths[parent].clone());
        let path = around.filter(|_| is_there).map(|mut path| {
            path.push(definition);
            path
        });
        paths.push(path);
    }
    paths
}

fn whole(number: usize) -> i32 {
    i32::try_from(number).unwrap()
}

/// Definitions under the given names, and contexts, of a side; `known` are all paths, in order.
fn summary(side: usize, name: impl Fn(&str) -> String, known: &[&Vec<usize>]) -> RunSummary {
    let ids = NAMES.map(|plain| DefinitionId::new("task", &name(plain), 0));
    // Sorted, parents come before what is below them.
    let context = |path: &&Vec<usize>| {
        let mut id = ContextId::root(ids[path[0]]);
        for &definition in &path[1..] {
            id = id.child(ids[definition]);
        }
        let above = &path[..path.len() - 1];
        ContextRow {
            id: id.0,
            parent: (!above.is_empty()).then(|| place(known, above)),
            definition: whole(path[path.len() - 1]),
            depth: whole(above.len()),
        }
    };
    let definition = |(plain, id): (&&str, DefinitionId)| DefinitionRow {
        id: id.0,
        kind: "task".to_owned(),
        name: name(plain),
        ..DefinitionRow::default()
    };
    let mut summary = RunSummary::empty(RunMeta {
        id: RunId([1 + u8::try_from(side).unwrap(); 16]),
        ..RunMeta::new("made", "test")
    });
    summary.contexts = known.iter().map(context).collect();
    summary.definitions = NAMES.iter().zip(ids).map(definition).collect();
    summary
}

fn place(known: &[&Vec<usize>], path: &[usize]) -> i32 {
    let found = known.binary_search_by(|one| one.as_slice().cmp(path));
    whole(found.unwrap())
}

/// One side of a program, its definitions called as `name` says.
fn side(made: &[Made], side: usize, name: impl Fn(&str) -> String) -> RunTables {
    let paths = paths(made, side);
    let mut known: Vec<&Vec<usize>> = paths.iter().flatten().collect();
    known.sort_unstable();
    known.dedup();
    let ids = NAMES.map(|plain| DefinitionId::new("task", &name(plain), 0));
    let mut run = RunTables::without_grains(summary(side, name, &known));
    let mut rows: Vec<Option<i32>> = Vec::new();
    let mut keys: Vec<PathKey> = Vec::new();
    let mut grains: Vec<GrainRow> = Vec::new();
    for (at, (parent, definition, index)) in tree(made).into_iter().enumerate() {
        let above = parent.map_or(PathKey::ROOT, |parent| keys[parent]);
        keys.push(above.child(ids[definition], &[index]));
        rows.push(paths[at].as_ref().map(|_| whole(grains.len())));
        let Some(path) = &paths[at] else {
            continue;
        };
        let kind = parent.map_or(GrainKind::Initial, |_| GrainKind::Task);
        let number = i64::from(whole(at));
        grains.push(GrainRow {
            path_key: keys[at].0,
            context: place(&known, path),
            parent: parent.and_then(|parent| rows[parent]),
            kind: kind as i32,
            index,
            // Tells which grain it is, and on which side.
            work: Some([1_000 + number, 5_000 + 3 * number][side]),
            ..GrainRow::default()
        });
    }
    run.grains = grains.into_iter().collect::<Grains>();
    run
}

/// A line per grain without what names say: runs, work and change.
fn told(answer: &GrainDiff, is_swapped: bool) -> Vec<String> {
    let turn = |of: [Option<f64>; 2]| if is_swapped { [of[1], of[0]] } else { of };
    let rows = answer.page(GrainMatch::All, 0, usize::MAX);
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let runs = if is_swapped {
                [row.runs[1], row.runs[0]]
            } else {
                row.runs
            };
            let delta = row
                .delta
                .map(|delta| if is_swapped { 0.0 - delta } else { delta });
            format!("{runs:?} {} {}", pair(turn(row.work)), number(delta))
        })
        .collect();
    lines.sort_unstable();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn said_renames_change_no_match(made in programs(), renamed in [any::<bool>(); NAMES.len()]) {
        let plain = |name: &str| name.to_owned();
        let other = |name: &str| {
            let at = NAMES.iter().position(|one| *one == name).unwrap();
            if renamed[at] { format!("new_{}", NAMES.len() - at) } else { name.to_owned() }
        };
        let (a, b) = (side(&made, 0, plain), side(&made, 1, plain));
        let expected = through(&a, &b, &[]);
        let after = side(&made, 1, other);
        let names: Vec<(String, String)> = NAMES
            .iter()
            .filter(|name| other(name) != **name)
            .map(|name| ((*name).to_owned(), other(name)))
            .collect();
        let said: Vec<(&str, &str)> = names.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let found = through(&a, &after, &said);
        prop_assert_eq!(told(&found, false), told(&expected, false));
        let totals = |answer: &GrainDiff| {
            let total = answer.total();
            (total.matched, [total.only_a, total.only_b], total.delta.to_bits(), [total.a, total.b])
        };
        prop_assert_eq!(totals(&found), totals(&expected));
        // What both sides have is more than the first grains, or the property says nothing.
        prop_assert!(found.total().matched >= NAMES.len() as u64);
        // Sides swapped, with the same said the other way round.
        let turned: Vec<(&str, &str)> = said.iter().map(|&(a, b)| (b, a)).collect();
        for said in [&said, &turned] {
            let back = through(&after, &a, said);
            prop_assert_eq!(told(&back, true), told(&expected, false));
            prop_assert_eq!(back.total().delta + 0.0, 0.0 - found.total().delta);
        }
    }
}
