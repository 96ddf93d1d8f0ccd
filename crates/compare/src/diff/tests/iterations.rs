//! Matching of loops by their iterations: some are inserted before others, some are in functions with new names.

use std::sync::Arc;

use sheaf_model::{Lens, Progress, RunSummary};

use super::functions::{Construct, version_with};
use super::*;
use sheaf_synthetic::testing::runs;

/// Compares two versions. The last number of a loop is its number of iterations.
pub(super) fn compared(before: &[Construct<'_>], after: &[Construct<'_>]) -> Diff {
    compared_with(before, after, |_, count| 1000 * count)
}

pub(super) fn compared_with(
    before: &[Construct<'_>],
    after: &[Construct<'_>],
    work: impl Fn(usize, i64) -> i64,
) -> Diff {
    compared_by(before, after, work, [""; 2])
}

/// A run of each version, with a parameter of each, and the selections of both with their iterations.
pub(super) fn versions(
    before: &[Construct<'_>],
    after: &[Construct<'_>],
    work: impl Fn(usize, i64) -> i64,
    params: [&str; 2],
) -> (Vec<Arc<RunSummary>>, [DiffSelection; 2]) {
    let version = |tag, constructs, param: &str| {
        let run = format!("run {tag}");
        version_with(tag, constructs, &work).replace(&run, &format!("{run} {param}"))
    };
    let [first, second] = [('a', before, params[0]), ('b', after, params[1])]
        .map(|(tag, constructs, param)| version(tag, constructs, param));
    let text = "def main kind=program\n".to_owned() + &first + &second;
    let (definitions, others): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("def"));
    let all = runs(&[definitions, others].concat().join("\n"));
    let side = |run: &Arc<RunSummary>| {
        let mut side = DiffSelection::new(run.meta.name.clone(), vec![run.meta.id]);
        let counts = sheaf_analysis::grains_of(run).unwrap();
        let is_loop = |row: usize| {
            let definition = usize::try_from(run.contexts.definition.value(row)).unwrap();
            run.definitions.kind.value(definition) == "loop"
        };
        let of_row = |(row, count): (usize, i64)| is_loop(row).then_some(count);
        let counts = counts.into_iter().enumerate().map(of_row).collect();
        side.iterations.insert(run.meta.id, counts);
        side
    };
    let sides = [side(&all[0]), side(&all[1])];
    (all, sides)
}

/// The same with a parameter of each version's run.
pub(super) fn compared_by(
    before: &[Construct<'_>],
    after: &[Construct<'_>],
    work: impl Fn(usize, i64) -> i64,
    params: [&str; 2],
) -> Diff {
    let (all, sides) = versions(before, after, work, params);
    let lens: Lens = "level definition".parse().unwrap();
    let progress = Progress::silent();
    let state = sheaf_analysis::partial(&lens, &all, &progress).unwrap();
    let (options, mapping) = (DiffOptions::default(), Mapping::default());
    finish_diff(&lens, state, &sides, &options, mapping, &progress)
        .unwrap()
        .answer
}

/// Lines and kinds of every construct of the baseline with those of the candidate, either way round.
pub(super) fn check(before: &[Construct<'_>], after: &[Construct<'_>], expected: &[&str]) {
    for (is_turned, (a, b)) in [(false, (before, after)), (true, (after, before))] {
        let answer = compared(a, b);
        let rows = answer.rows.iter().filter(|row| row.path != ["main"]);
        let mut found: Vec<String> = rows
            .map(|row| {
                let [first, second] = paths(row).map(|path| path.join("/"));
                let (here, there) = if is_turned {
                    (second, first)
                } else {
                    (first, second)
                };
                match row.matched_by {
                    Some(_) => format!("{here} = {there}"),
                    None => format!("{here} alone"),
                }
            })
            .collect();
        found.sort();
        assert_eq!(found, expected, "turned: {is_turned}, {:?}", answer.notes);
    }
}

pub(super) const TWO: [Construct<'_>; 4] = [
    ("parallel", "main", 0, 4, None, 2),
    ("loop", "main", 0, 4, Some(0), 12),
    ("parallel", "main", 1, 6, None, 2),
    ("loop", "main", 1, 6, Some(2), 24),
];

/// The new one stands in the line of the first.
#[test]
fn a_loop_before_others_does_not_take_their_place() {
    let after = [
        ("parallel", "main", 0, 4, None, 2),
        ("loop", "main", 0, 4, Some(0), 48),
        ("parallel", "main", 1, 6, None, 2),
        ("loop", "main", 1, 6, Some(2), 12),
        ("parallel", "main", 2, 8, None, 2),
        ("loop", "main", 2, 8, Some(4), 24),
    ];
    let expected = [
        "main:4(loop) = main:6(loop)",
        "main:4(loop) alone",
        "main:4(parallel) = main:6(parallel)",
        "main:4(parallel) alone",
        "main:6(loop) = main:8(loop)",
        "main:6(parallel) = main:8(parallel)",
    ];
    check(&TWO, &after, &expected);
}

#[test]
fn a_loop_after_others_leaves_them_alone() {
    let mut after = TWO.to_vec();
    after.push(("parallel", "main", 2, 8, None, 2));
    after.push(("loop", "main", 2, 8, Some(4), 24));
    let expected = [
        "main:4(loop) = main:4(loop)",
        "main:4(parallel) = main:4(parallel)",
        "main:6(loop) = main:6(loop)",
        "main:6(parallel) = main:6(parallel)",
        "main:8(loop) alone",
        "main:8(parallel) alone",
    ];
    check(&TWO, &after, &expected);
    // With more to do everywhere as well.
    for one in after.iter_mut().filter(|one| one.0 == "loop") {
        one.5 *= 2;
    }
    check(&TWO, &after, &expected);
}

const REGION: [Construct<'_>; 5] = [
    ("parallel", "solve", 0, 9, None, 2),
    ("loop", "solve", 0, 11, Some(0), 12),
    ("loop", "solve", 1, 13, Some(0), 24),
    ("single", "solve", 0, 15, Some(0), 1),
    ("task", "solve", 0, 17, Some(3), 10),
];

#[test]
fn a_loop_before_others_of_the_same_region_does_not_take_their_place() {
    let after = [
        ("parallel", "solve", 0, 9, None, 2),
        ("loop", "solve", 0, 11, Some(0), 48),
        ("loop", "solve", 1, 13, Some(0), 12),
        ("loop", "solve", 2, 15, Some(0), 24),
        ("single", "solve", 0, 17, Some(0), 1),
        ("task", "solve", 0, 19, Some(4), 10),
    ];
    check(
        &REGION,
        &after,
        &[
            "solve:11(loop) = solve:13(loop)",
            "solve:11(loop) alone",
            "solve:13(loop) = solve:15(loop)",
            "solve:15(single) = solve:17(single)",
            "solve:17(task) = solve:19(task)",
            "solve:9(parallel) = solve:9(parallel)",
        ],
    );
}

/// Several functions with new names at once, each of one loop.
#[test]
fn functions_with_one_loop_each_are_told_by_iterations_and_lines() {
    let before = [
        ("parallel", "jacobi", 0, 3, None, 2),
        ("loop", "jacobi", 0, 3, Some(0), 192),
        ("parallel", "norm", 0, 7, None, 2),
        ("loop", "norm", 0, 7, Some(2), 384),
    ];
    let mut after = before;
    for (one, name) in after
        .iter_mut()
        .zip(["relax", "relax", "residual", "residual"])
    {
        one.1 = name;
    }
    let same = [
        "jacobi:3(loop) = relax:3(loop)",
        "jacobi:3(parallel) = relax:3(parallel)",
        "norm:7(loop) = residual:7(loop)",
        "norm:7(parallel) = residual:7(parallel)",
    ];
    check(&before, &after, &same);
    // Further down, in another order.
    let other = [
        ("parallel", "residual", 0, 30, None, 2),
        ("loop", "residual", 0, 30, Some(0), 384),
        ("parallel", "relax", 0, 40, None, 2),
        ("loop", "relax", 0, 40, Some(2), 192),
    ];
    check(
        &before,
        &other,
        &[
            "jacobi:3(loop) = relax:40(loop)",
            "jacobi:3(parallel) = relax:40(parallel)",
            "norm:7(loop) = residual:30(loop)",
            "norm:7(parallel) = residual:30(parallel)",
        ],
    );
    // With equal iterations and no common file there is no evidence for any pair.
    let mut unclear = other;
    for one in &mut unclear {
        one.5 = if one.0 == "loop" { 500 } else { one.5 };
    }
    check(
        &before,
        &unclear,
        &[
            "jacobi:3(loop) alone",
            "jacobi:3(parallel) alone",
            "norm:7(loop) alone",
            "norm:7(parallel) alone",
            "relax:40(loop) alone",
            "relax:40(parallel) alone",
            "residual:30(loop) alone",
            "residual:30(parallel) alone",
        ],
    );
}

/// A copy of the program under another name, as `sed` makes it.
#[test]
fn lines_of_the_only_file_count_under_its_new_name() {
    let before = [
        ("parallel", "setup", 0, 5, None, 2),
        ("loop", "setup", 0, 5, Some(0), 12),
        ("parallel", "post", 0, 24, None, 2),
        ("loop", "post", 0, 24, Some(2), 12),
    ];
    let after = before.map(|one| {
        let name = if one.1 == "setup" { "alpha" } else { "omega" };
        (one.0, name, one.2, one.3, one.4, one.5)
    });
    check(
        &before,
        &after,
        &[
            "post:24(loop) = omega:24(loop)",
            "post:24(parallel) = omega:24(parallel)",
            "setup:5(loop) = alpha:5(loop)",
            "setup:5(parallel) = alpha:5(parallel)",
        ],
    );
}

/// The second stands in the line of the first then.
#[test]
fn tasks_are_matched_by_their_numbers_when_one_before_them_goes() {
    let before = [
        ("parallel", "build", 0, 17, None, 2),
        ("single", "build", 0, 18, Some(0), 1),
        ("task", "build", 0, 20, Some(1), 20),
        ("task", "build", 1, 25, Some(1), 12),
    ];
    let mut after = before[..3].to_vec();
    after[2].5 = 12;
    let expected = [
        "build:17(parallel) = build:17(parallel)",
        "build:18(single) = build:18(single)",
        "build:20(task) alone",
        "build:25(task) = build:20(task)",
    ];
    check(&before, &after, &expected);
}

/// `solve` of the programs below: two loops and a task in one region.
const SOLVE: [Construct<'_>; 5] = [
    ("parallel", "solve", 0, 9, None, 2),
    ("loop", "solve", 0, 11, Some(0), 12),
    ("loop", "solve", 1, 13, Some(0), 24),
    ("single", "solve", 0, 15, Some(0), 3),
    ("task", "solve", 0, 17, Some(3), 30),
];

#[test]
fn a_phase_that_moved_into_a_new_function_is_followed() {
    let after = [
        ("parallel", "solve", 0, 13, None, 2),
        ("loop", "solve", 0, 15, Some(0), 12),
        ("loop", "phase2", 0, 9, Some(0), 24),
        ("single", "solve", 0, 18, Some(0), 3),
        ("task", "solve", 0, 20, Some(3), 30),
    ];
    check(
        &SOLVE,
        &after,
        &[
            "solve:11(loop) = solve:15(loop)",
            "solve:13(loop) = phase2:9(loop)",
            "solve:15(single) = solve:18(single)",
            "solve:17(task) = solve:20(task)",
            "solve:9(parallel) = solve:13(parallel)",
        ],
    );
}

#[test]
fn a_function_that_was_split_is_followed() {
    let after = [
        ("parallel", "solve_loops", 0, 9, None, 2),
        ("loop", "solve_loops", 0, 11, Some(0), 12),
        ("loop", "solve_loops", 1, 13, Some(0), 24),
        ("parallel", "solve_tasks", 0, 18, None, 2),
        ("single", "solve_tasks", 0, 20, Some(3), 3),
        ("task", "solve_tasks", 0, 22, Some(4), 30),
    ];
    check(
        &SOLVE,
        &after,
        &[
            "solve:11(loop) = solve_loops:11(loop)",
            "solve:13(loop) = solve_loops:13(loop)",
            "solve:15(single) = solve_tasks:20(single)",
            "solve:17(task) = solve_tasks:22(task)",
            "solve:9(parallel) = solve_loops:9(parallel)",
            "solve_tasks:18(parallel) alone",
        ],
    );
}
