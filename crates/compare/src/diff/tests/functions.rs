//! Issue 12, lines 6 and 7: functions that were renamed, moved, extracted or renumbered, and those whose parameters one
//! compiler leaves out.

use std::fmt::Write as _;

use super::ensembles::compare_runs;
use super::*;
use sheaf_synthetic::testing::runs;

/// A construct: kind, function, ordinal, line, and where it stands among those before it.
pub(super) type Construct<'a> = (&'a str, &'a str, i32, i32, Option<usize>, i64);

/// A run of a version. Names are unlike in every version, as lines in them are; grains are counted.
fn version(tag: char, constructs: &[Construct<'_>]) -> String {
    version_with(tag, constructs, |at, _| {
        1000 + 10 * i64::try_from(at).unwrap()
    })
}

/// The same with the work of each construct, by its place and number of grains.
pub(super) fn version_with(
    tag: char,
    constructs: &[Construct<'_>],
    work: impl Fn(usize, i64) -> i64,
) -> String {
    let mut text = String::new();
    let mut paths: Vec<String> = Vec::new();
    let mut lines = format!("run {tag}\n  main work_ns 100 ; grains 1\n");
    for (at, (kind, function, ordinal, line, parent, grains)) in constructs.iter().enumerate() {
        let own = format!("{tag}{at}");
        let name = format!("{function}:{line}({kind})");
        let _ = writeln!(
            text,
            "def {own} kind={kind} function={function} ordinal={ordinal} line={line} file=a.c name={name}"
        );
        let around = parent.map_or("main", |parent| paths[parent].as_str());
        let path = format!("{around}/{own}");
        let _ = writeln!(
            lines,
            "  {path} work_ns {} ; grains {grains}",
            work(at, *grains)
        );
        paths.push(path);
    }
    text + &lines
}

fn compared(before: &[Construct<'_>], after: &[Construct<'_>]) -> Diff {
    let text = "def main kind=program\n".to_owned() + &version('a', before) + &version('b', after);
    // Lines of definitions must stand before those of runs, which they do within a version.
    let (definitions, others): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("def"));
    let all = runs(&[definitions, others].concat().join("\n"));
    compare_runs("level definition", &all[..1], &all[1..])
}

/// Names of every row with how it was found, and the share of the work that was not.
fn check(before: &[Construct<'_>], after: &[Construct<'_>], expected: &[&str]) {
    for (is_turned, (a, b)) in [(false, (before, after)), (true, (after, before))] {
        let answer = compared(a, b);
        let mut rows: Vec<String> = answer
            .rows
            .iter()
            .filter(|row| row.path != ["main"])
            .map(|row| {
                let side = |side: usize| paths(row)[side].join("/");
                let (here, there) = if is_turned { (1, 0) } else { (0, 1) };
                match row.matched_by {
                    Some(by) => format!("{} = {} {by:?}", side(here), side(there)),
                    None => format!("{} alone", side(here)),
                }
            })
            .collect();
        rows.sort();
        assert_eq!(rows, expected, "turned: {is_turned}, {:?}", answer.notes);
    }
}

const SOLVE: [Construct<'_>; 6] = [
    ("parallel", "solve", 0, 10, None, 4),
    ("single", "solve", 0, 11, Some(0), 1),
    ("task", "solve", 0, 13, Some(1), 8),
    ("task", "solve", 1, 17, Some(1), 28),
    ("task", "solve", 2, 22, Some(1), 28),
    ("task", "solve", 3, 28, Some(1), 140),
];

/// Another name for the function, further down in the file.
fn renamed(
    constructs: &[Construct<'static>],
    to: &'static str,
    down: i32,
) -> Vec<Construct<'static>> {
    let rename = |&(kind, _, ordinal, line, parent, grains): &Construct<'static>| {
        (kind, to, ordinal, line + down, parent, grains)
    };
    constructs.iter().map(rename).collect()
}

#[test]
fn all_constructs_follow_a_renamed_function() {
    for down in [0, 37] {
        let line = |line: i32, kind: &str| {
            format!(
                "solve:{line}({kind}) = factorise:{}({kind}) Inferred",
                line + down
            )
        };
        let mut expected: Vec<String> = SOLVE.iter().map(|it| line(it.3, it.0)).collect();
        expected.sort();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&SOLVE, &renamed(&SOLVE, "factorise", down), &expected);
        let answer = compared(&SOLVE, &renamed(&SOLVE, "factorise", down));
        assert_eq!(answer.structure.matched_work.unmatched, 0.0);
        assert!(!matches!(
            answer.structure.verdict,
            StructureVerdict::Different
        ));
    }
}

/// Leaves of four functions alone: nothing is below them, and two are as many.
#[test]
fn leaves_of_several_renamed_functions_are_told_by_their_lines() {
    let before = [
        ("single", "main", 0, 50, None, 1),
        ("task", "lu0", 0, 3, Some(0), 8),
        ("task", "fwd", 0, 13, Some(0), 28),
        ("task", "bdiv", 0, 23, Some(0), 28),
        ("task", "bmod", 0, 33, Some(0), 140),
    ];
    let mut after = before;
    for (at, name) in ["main", "first", "right", "below", "rest"]
        .into_iter()
        .enumerate()
    {
        after[at].1 = name;
    }
    check(
        &before,
        &after,
        &[
            "bdiv:23(task) = below:23(task) Inferred",
            "bmod:33(task) = rest:33(task) Inferred",
            "fwd:13(task) = right:13(task) Inferred",
            "lu0:3(task) = first:3(task) Inferred",
            "main:50(single) = main:50(single) Context",
        ],
    );
}

/// Another function in the same place, with other numbers of tasks elsewhere in the file, is not the same.
#[test]
fn a_replaced_function_is_no_renamed_one() {
    let before = [
        ("single", "main", 0, 50, None, 1),
        ("task", "lu0", 0, 3, Some(0), 8),
        ("task", "lu0", 1, 5, Some(0), 20),
    ];
    let after = [
        ("single", "main", 0, 50, None, 1),
        ("task", "gauss", 0, 103, Some(0), 9),
        ("task", "gauss", 1, 111, Some(0), 21),
    ];
    check(
        &before,
        &after,
        &[
            "gauss:103(task) alone",
            "gauss:111(task) alone",
            "lu0:3(task) alone",
            "lu0:5(task) alone",
            "main:50(single) = main:50(single) Context",
        ],
    );
}

const PHASES: [Construct<'_>; 9] = [
    ("parallel", "run", 0, 10, None, 4),
    ("single", "run", 0, 11, Some(0), 1),
    ("task", "run", 0, 13, Some(1), 10),
    ("parallel", "run", 1, 20, None, 4),
    ("single", "run", 1, 21, Some(3), 1),
    ("task", "run", 1, 25, Some(4), 20),
    ("parallel", "run", 2, 40, None, 4),
    ("single", "run", 2, 41, Some(6), 1),
    ("task", "run", 2, 42, Some(7), 30),
];

/// The second of three phases becomes a function, so that the third has its numbers.
#[test]
fn a_phase_that_became_a_function_is_followed_and_so_are_those_behind_it() {
    let after = [
        ("parallel", "run", 0, 30, None, 4),
        ("single", "run", 0, 31, Some(0), 1),
        ("task", "run", 0, 33, Some(1), 10),
        ("parallel", "phase", 0, 10, None, 4),
        ("single", "phase", 0, 11, Some(3), 1),
        ("task", "phase", 0, 15, Some(4), 20),
        ("parallel", "run", 1, 45, None, 4),
        ("single", "run", 1, 46, Some(6), 1),
        ("task", "run", 1, 47, Some(7), 30),
    ];
    check(
        &PHASES,
        &after,
        &[
            "run:10(parallel) = run:30(parallel) Context",
            "run:11(single) = run:31(single) Context",
            "run:13(task) = run:33(task) Context",
            "run:20(parallel) = phase:10(parallel) Inferred",
            "run:21(single) = phase:11(single) Inferred",
            "run:25(task) = phase:15(task) Inferred",
            "run:40(parallel) = run:45(parallel) Context",
            "run:41(single) = run:46(single) Context",
            "run:42(task) = run:47(task) Context",
        ],
    );
    let answer = compared(&PHASES, &after);
    assert!(
        answer.notes.iter().any(|note| note
            .text
            .starts_with("constructs of `run` have other numbers")),
        "{:?}",
        answer.notes
    );
}

/// Only the loop that creates the tasks becomes a function.
#[test]
fn tasks_that_moved_into_a_new_function_are_followed() {
    let after = [
        ("parallel", "solve", 0, 30, None, 4),
        ("single", "solve", 0, 31, Some(0), 1),
        ("task", "solve", 0, 33, Some(1), 8),
        ("task", "panels", 0, 7, Some(1), 28),
        ("task", "panels", 1, 12, Some(1), 28),
        ("task", "solve", 1, 40, Some(1), 140),
    ];
    check(
        &SOLVE,
        &after,
        &[
            "solve:10(parallel) = solve:30(parallel) Context",
            "solve:11(single) = solve:31(single) Context",
            "solve:13(task) = solve:33(task) Context",
            "solve:17(task) = panels:7(task) Inferred",
            "solve:22(task) = panels:12(task) Inferred",
            "solve:28(task) = solve:40(task) Context",
        ],
    );
}

/// A new construct before the others of its kind gives them other numbers.
#[test]
fn a_new_construct_does_not_take_the_place_of_those_behind_it() {
    let after = [
        ("parallel", "run", 0, 8, None, 4),
        ("task", "run", 0, 9, Some(0), 3),
        ("parallel", "run", 1, 20, None, 4),
        ("single", "run", 0, 21, Some(2), 1),
        ("task", "run", 1, 23, Some(3), 10),
        ("parallel", "run", 2, 30, None, 4),
        ("single", "run", 1, 31, Some(5), 1),
        ("task", "run", 2, 35, Some(6), 20),
        ("parallel", "run", 3, 50, None, 4),
        ("single", "run", 2, 51, Some(8), 1),
        ("task", "run", 3, 52, Some(9), 30),
    ];
    check(
        &PHASES,
        &after,
        &[
            "run:10(parallel) = run:20(parallel) Context",
            "run:11(single) = run:21(single) Context",
            "run:13(task) = run:23(task) Context",
            "run:20(parallel) = run:30(parallel) Context",
            "run:21(single) = run:31(single) Context",
            "run:25(task) = run:35(task) Context",
            "run:40(parallel) = run:50(parallel) Context",
            "run:41(single) = run:51(single) Context",
            "run:42(task) = run:52(task) Context",
            "run:8(parallel) alone",
            "run:9(task) alone",
        ],
    );
}

/// GCC has no linkage names of static functions, and so no parameters.
#[test]
fn parameters_that_one_side_lacks_do_not_tell_functions_apart() {
    let before = [
        ("loop", "force(Domain&,double*)", 0, 10, None, 4),
        ("loop", "force(Domain&,double*)", 1, 20, None, 4),
        ("loop", "energy(Domain&)", 0, 30, None, 4),
        ("loop", "energy(Domain&,int)", 0, 40, None, 4),
    ];
    let after = [
        ("loop", "force", 0, 10, None, 4),
        ("loop", "force", 1, 20, None, 4),
    ];
    check(
        &before,
        &after,
        &[
            "energy(Domain&):30(loop) alone",
            "energy(Domain&,int):40(loop) alone",
            "force(Domain&,double*):10(loop) = force:10(loop) Normalised",
            "force(Domain&,double*):20(loop) = force:20(loop) Normalised",
        ],
    );
    // An overloaded name says nothing.
    let after = [("loop", "energy", 0, 130, None, 4)];
    let before = [before[2], before[3]];
    let answer = compared(&before, &after);
    let is_known = |row: &&DiffRow| row.matched_by == Some(MatchedBy::Normalised);
    assert_eq!(answer.rows.iter().filter(is_known).count(), 0);
}

/// Six runs of a region with its loop `l`, and six without, as runtimes report static loops of GCC. `other` is a path
/// that all have.
fn recorded_and_not(other: &str, compilers: [&str; 2]) -> String {
    let mut text =
        "def p kind=parallel\ndef l kind=loop\ndef d kind=loop\ndef t kind=task\n".to_owned();
    for run in 0..6 {
        let _ = writeln!(
            text,
            "run a{run}{}\n  main/p work_ns {}\n  main/p/l work_ns {}\n  {other} work_ns {}",
            compilers[0],
            100 + run,
            9_000 + run,
            5_000 + run,
        );
    }
    for run in 0..6 {
        let _ = writeln!(
            text,
            "run b{run}{}\n  main/p work_ns {}\n  {other} work_ns {}",
            compilers[1],
            9_100 + run,
            8_000 + run,
        );
    }
    text
}

#[test]
fn regions_whose_loops_one_side_lacks_are_not_compared() {
    let all = runs(&recorded_and_not("main/t", ["", ""]));
    for level in ["level definition", "level context"] {
        let answer = compare_runs(level, &all[..6], &all[6..]);
        let verdict = |name: &str| {
            let mut rows = answer.rows.iter();
            let row = rows.find(|row| row.path.last().is_some_and(|it| it == name));
            let row = row.unwrap();
            (row.verdict, row.reason.text().to_owned())
        };
        assert_eq!(
            verdict("p"),
            (
                Verdict::Untestable,
                "its loops were recorded in the baseline only, and their time is its own on the other side"
                    .to_owned()
            )
        );
        assert_eq!(
            verdict("l"),
            (
                Verdict::Untestable,
                "recorded in the baseline only: its time is its region's on the other side"
                    .to_owned()
            )
        );
        let structure = &answer.structure;
        assert_eq!([structure.appeared, structure.vanished], [0, 0]);
        assert!(structure.changes.is_empty(), "{:?}", structure.changes);
        assert_eq!(structure.matched_work.unmatched, 0.0);
        assert_eq!(verdict("t").0, Verdict::Slower);
        assert!(
            answer
                .notes
                .iter()
                .any(|note| note.text.starts_with("loops of `p` were recorded")),
            "{:?}",
            answer.notes
        );
    }
    let lens = "".parse().unwrap();
    let stats = sheaf_analysis::stats(&lens, &all, &sheaf_model::Progress::silent()).unwrap();
    assert!(
        stats.notes.iter().any(|note| note
            .text
            .starts_with("all loops of `p` were recorded in 6 of 12 runs")),
        "{:?}",
        stats.notes
    );
}

/// Runtimes report dynamic loops of GCC and no static ones, so that a region can have some of its loops.
#[test]
fn regions_are_not_compared_if_one_side_lacks_some_of_their_loops() {
    use Verdict::{Slower, Untestable, Vanished};
    let verdicts = |compiler: &str| {
        let all = runs(&recorded_and_not("main/p/d", [compiler, " compiler=GCC"]));
        let answer = compare_runs("level definition", &all[..6], &all[6..]);
        ["p", "l", "d"].map(|name| {
            let mut rows = answer.rows.iter();
            let row = rows.find(|row| row.path.last().is_some_and(|it| it == name));
            row.unwrap().verdict
        })
    };
    assert_eq!(
        verdicts(" compiler=clang"),
        [Untestable, Untestable, Slower]
    );
    // Both lack static loops, so the loop was recorded and is gone.
    assert_eq!(verdicts(" compiler=GCC"), [Slower, Vanished, Slower]);
}

/// Executables of two compilers often have other names.
#[test]
fn such_regions_below_other_names_are_not_compared_either() {
    let text = recorded_and_not("main/t", ["", ""]);
    let (all, renamed) = (runs(&text), runs(&text.replace("main/", "gcc/")));
    let answer = compare_runs("level definition", &all[..6], &renamed[6..]);
    for name in ["p", "l"] {
        let row = answer.rows.iter().find(|row| row.path[..] == [name]);
        assert_eq!(row.unwrap().verdict, Verdict::Untestable, "{name}");
    }
}

/// Runtimes see every loop of Clang: a region without loops has none.
#[test]
fn loops_of_clang_that_are_gone_are_vanished() {
    let text = recorded_and_not("main/t", ["", ""]);
    let compiled = |compiler: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for line in lines.iter_mut().filter(|line| line.starts_with("run b")) {
            let _ = write!(line, " compiler={compiler}");
        }
        runs(&lines.join("\n"))
    };
    for (compiler, expected) in [
        ("clang-19", Verdict::Vanished),
        ("GNU", Verdict::Untestable),
    ] {
        let all = compiled(compiler);
        let answer = compare_runs("level definition", &all[..6], &all[6..]);
        let row = answer.rows.iter().find(|row| row.path[..] == ["l"]);
        assert_eq!(row.unwrap().verdict, expected, "{compiler}");
    }
}
