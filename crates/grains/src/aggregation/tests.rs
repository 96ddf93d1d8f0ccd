//! Trees of small runs.

mod properties;

use sheaf_model::table::{DependenceRow, GrainRow, WaitRow};
use sheaf_model::{RunMeta, RunSummary, RunTables};

use super::{AggregationTree, Propagation};
use crate::grain_graph::Structure;

/// A run of tasks, each with its parent and the number of the parent's wait that collects it; negative
/// for one that the waits of the tables collect.
fn run(grains: &[(Option<i32>, i64)]) -> RunTables {
    let mut run = RunTables::without_grains(RunSummary::empty(RunMeta::new("program", "text")));
    let row = |(row, &(parent, joined)): (i64, &(Option<i32>, i64))| GrainRow {
        path_key: row,
        parent,
        kind: 2,
        index: row,
        joined_by: (joined >= 0).then_some(joined),
        created: (joined < 0).then_some(10 * row),
        end: (joined < 0).then_some(1000),
        work: Some(row + 1),
        ..GrainRow::default()
    };
    run.grains = (0..).zip(grains).map(row).collect();
    run
}

fn text(tree: &AggregationTree) -> String {
    named(
        tree,
        &(0..i64::try_from(tree.len()).unwrap()).collect::<Vec<_>>(),
    )
}

/// The text with the grains' names, which are counted from 0, counted from 1.
fn named(tree: &AggregationTree, names: &[i64]) -> String {
    use std::io::Write as _;
    let mut bytes = Vec::new();
    let name = |out: &mut Vec<u8>, row: u32| write!(out, "{}", names[row as usize] + 1);
    tree.text().write(&mut bytes, name).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Task 1 creates task 2 and waits. Task 2 creates 3 and 4, waits, creates 5, waits.
const FIVE: [(Option<i32>, i64); 5] = [
    (None, 0),
    (Some(0), 0),
    (Some(1), 0),
    (Some(1), 0),
    (Some(1), 1),
];

fn tree(run: &RunTables) -> AggregationTree {
    AggregationTree::of(run, &Structure::of(run))
}

#[test]
fn five_tasks() {
    let run = run(&FIVE);
    let reduced = AggregationTree::reduced(&run, &Structure::of(&run));
    assert_eq!(text(&reduced), "FJ[L[1 FJ[L[2 L[FJ[3 4] FJ[5]]]]]]");
    let tree = tree(&run);
    assert_eq!(text(&tree), "FJ[L[1 FJ[L[2 FJ[3 4] FJ[5]]]]]");
    assert_eq!(reduced.normalised(), tree);
    let counts = tree.counts();
    assert_eq!(
        (counts.grains, counts.fork_joins, counts.linears),
        (5, 4, 2)
    );
    assert_eq!((tree.len(), tree.depth()), (11, 5));
    assert_eq!(tree.max_open_nodes(), 11);
    let last = [false, false, false, false, true];
    assert_eq!(tree.max_theta(&last), Some(10));
    assert_eq!(tree.max_theta(&[false; 5]), None);
    let separated = tree.separated(&last);
    assert_eq!(text(&separated), "FJ[L[1 FJ[L[L[2 FJ[3 4]] FJ[5]]]]]");
    assert_eq!((separated.len(), separated.depth()), (12, 6));
    assert_eq!(separated.max_theta(&last), Some(9));
    assert_eq!(separated.num_graph_nodes(), 15);
    assert_eq!(separated.savings(&last), Some(1.0 - 9.0 / 15.0));
    assert_eq!(separated.savings(&[false; 5]), None);
}

#[test]
fn groups_stay_closed_below_a_depth() {
    let run = run(&FIVE);
    let tree = tree(&run);
    let closed = |depth| {
        let mut bytes = Vec::new();
        let name = |out: &mut Vec<u8>, _: u32| std::io::Write::write_all(out, b"g");
        tree.text().to_depth(depth).write(&mut bytes, name).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(closed(0), "FJ(5)");
    assert_eq!(closed(2), "FJ[L[g FJ(4)]]");
    assert_eq!(closed(4), "FJ[L[g FJ[L[g FJ(2) FJ(1)]]]]");
}

#[test]
fn no_grains_no_tree() {
    let run = run(&[]);
    let tree = tree(&run);
    assert!(tree.is_empty());
    assert_eq!(text(&tree), "");
    assert_eq!(
        (tree.depth(), tree.max_open_nodes(), tree.num_graph_nodes()),
        (0, 0, 2)
    );
    assert_eq!(tree.separated(&[]), tree);
    assert_eq!(tree.normalised(), tree);
}

#[test]
fn grains_stand_where_they_are_joined() {
    // 1 creates 2, which creates 3 and does not wait; the end of the taskgroup in 1 collects both.
    let mut run = run(&[(None, -1), (Some(0), -1), (Some(1), -1)]);
    let group = WaitRow {
        grain: 0,
        kind: 1,
        start: 500,
        duration: 600,
        line: None,
    };
    run.waits = [group].into_iter().collect();
    let structure = Structure::of(&run);
    assert_eq!(structure.num_escaped(), 1);
    let tree = AggregationTree::of(&run, &structure);
    assert_eq!(text(&tree), "FJ[L[1 FJ[2 3]]]");
    assert_eq!(tree.counts().restructured_grains, 1);
    let marked: Vec<u32> = tree
        .nodes()
        .filter(|&node| tree.is_restructured(node))
        .collect();
    assert_eq!(
        marked
            .iter()
            .map(|&node| tree.grain(node))
            .collect::<Vec<_>>(),
        [Some(2)]
    );
}

#[test]
fn grains_that_depend_on_each_other() {
    // 1 creates 2 to 5; 3 creates 6.
    let grains = [
        (None, 0),
        (Some(0), 0),
        (Some(0), 0),
        (Some(0), 0),
        (Some(0), 0),
        (Some(2), 0),
    ];
    let check = |dependences: &[(i32, i32)]| {
        let mut run = run(&grains);
        let rows = dependences
            .iter()
            .map(|&(predecessor, successor)| DependenceRow {
                predecessor: predecessor - 1,
                successor: successor - 1,
            });
        run.dependences = rows.collect();
        let tree = tree(&run);
        assert_eq!(tree.counts().grains, 6);
        let counts = tree.counts();
        (text(&tree), counts.unstructured, counts.unstructured_grains)
    };
    let text = |text: &str| text.to_owned();
    assert_eq!(check(&[]), (text("FJ[L[1 FJ[2 L[3 FJ[6]] 4 5]]]"), 0, 0));
    // The linear group of 3 and what it forks is part of the row.
    assert_eq!(
        check(&[(2, 3), (3, 5)]),
        (text("FJ[L[1 FJ[L[2 3 FJ[6] 5] 4]]]"), 0, 0)
    );
    let diamond = [(2, 3), (2, 4), (3, 5), (4, 5)];
    assert_eq!(
        check(&diamond),
        (text("FJ[L[1 FJ[L[2 S[L[3 FJ[6]] 4] 5]]]]"), 0, 0)
    );
    let n = [(2, 4), (2, 5), (3, 5)];
    assert_eq!(check(&n), (text("FJ[L[1 U[2 L[3 FJ[6]] 4 5]]]"), 1, 4));
}

#[test]
fn absent_values_do_not_take_part() {
    let run = run(&FIVE);
    let tree = tree(&run);
    // Of nodes: FJ L 1 FJ L 2 FJ 3 4 FJ 5.
    let check = |values: [Option<i64>; 5], how| {
        let values = tree
            .propagate_integers(&values.into_iter().collect(), how)
            .unwrap();
        let show = |value: Option<i64>| value.map_or("-".to_owned(), |value| value.to_string());
        values.iter().map(show).collect::<Vec<_>>().join(" ")
    };
    let values = [Some(7), None, Some(3), Some(-2), None];
    assert_eq!(check(values, Propagation::Sum), "8 8 7 1 1 - 1 3 -2 - -");
    assert_eq!(
        check(values, Propagation::Minimum),
        "-2 -2 7 -2 -2 - -2 3 -2 - -"
    );
    assert_eq!(
        check(values, Propagation::Maximum),
        "7 7 7 3 3 - 3 3 -2 - -"
    );
    assert_eq!(
        check(values, Propagation::UpperMedian),
        "7 7 7 3 3 - 3 3 -2 - -"
    );
    assert_eq!(check(values, Propagation::Any), "1 1 7 1 1 - 1 3 -2 - -");
    assert_eq!(check([None; 5], Propagation::Any), "- - - - - - - - - - -");
}

#[test]
fn a_number_that_is_none_is_absent() {
    let run = run(&FIVE);
    let tree = tree(&run);
    let values = [Some(0.5), Some(f64::NAN), None, Some(2.0), Some(f64::NAN)];
    let values: arrow::array::Float64Array = values.into_iter().collect();
    let root = |how| tree.propagate_floats(&values, how).iter().next().unwrap();
    assert_eq!(root(Propagation::Sum), Some(2.5));
    assert_eq!(root(Propagation::Minimum), Some(0.5));
    assert_eq!(root(Propagation::Maximum), Some(2.0));
    assert_eq!(root(Propagation::UpperMedian), Some(2.0));
    assert_eq!(root(Propagation::Any), Some(1.0));
}

#[test]
fn sums_that_do_not_fit_are_said() {
    let run = run(&FIVE);
    let tree = tree(&run);
    let values = [
        Some(i64::MAX),
        None,
        Some(i64::MAX),
        Some(i64::MIN),
        Some(2),
    ];
    let values = values.into_iter().collect();
    let error = tree
        .propagate_integers(&values, Propagation::Sum)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the sum of group `1` does not fit 64 bits"
    );
}

#[test]
fn a_long_chain_and_a_wide_fork_need_no_stack() {
    let million = 1_000_000_i32;
    let chain: Vec<(Option<i32>, i64)> = (0..million)
        .map(|row| ((row > 0).then(|| row - 1), 0))
        .collect();
    let run_ = run(&chain);
    let chain = tree(&run_);
    assert_eq!(chain.depth(), 1_999_999);
    let mut flags = vec![false; 1_000_000];
    flags[999_999] = true;
    let separated = chain.separated(&flags);
    assert_eq!(separated, chain);
    // Every task but the last shows itself, a fork and a join.
    assert_eq!(chain.max_theta(&flags), Some(3 * 999_999 + 3));
    let sums = chain
        .propagate_integers(&run_.grains.work.to_arrow(), Propagation::Sum)
        .unwrap();
    assert_eq!(sums.value(0), 500_000_500_000);
    let mut bytes = Vec::new();
    chain.text().write(&mut bytes, |_, _| Ok(())).unwrap();
    assert!(bytes.ends_with(b"]]]]"));

    let wide: Vec<(Option<i32>, i64)> = (0..million).map(|_| (None, 0)).collect();
    let wide = tree(&run(&wide));
    assert_eq!((wide.len(), wide.depth()), (1_000_001, 1));
    let separated = wide.separated(&flags);
    assert_eq!(separated.max_theta(&flags), Some(4));
    assert_eq!(wide.max_theta(&flags), Some(1_000_002));

    // A row of a million waits is as deep after reduction.
    let row: Vec<(Option<i32>, i64)> = (0..million).map(|row| (None, i64::from(row))).collect();
    let run_ = run(&row);
    let reduced = AggregationTree::reduced(&run_, &Structure::of(&run_));
    assert_eq!(reduced.depth(), 1_000_000);
    assert_eq!(reduced.normalised(), tree(&run_));
}
