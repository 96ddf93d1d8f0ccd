//! Matching of constructs that changed places, or that compilers number differently.

use super::functions::Construct;
use super::iterations::{TWO, check, compared, compared_by, compared_with, versions};
use super::*;
use sheaf_answers::Note;

/// Both sides have the same numbers, so only what is in them can tell.
#[test]
fn loops_that_changed_places_are_followed() {
    let mut after = TWO;
    (after[1].5, after[3].5) = (24, 12);
    let expected = [
        "main:4(loop) = main:6(loop)",
        "main:4(parallel) = main:6(parallel)",
        "main:6(loop) = main:4(loop)",
        "main:6(parallel) = main:4(parallel)",
    ];
    check(&TWO, &after, &expected);
}

#[test]
fn task_loops_that_changed_places_are_followed() {
    let before = [
        ("single", "run", 0, 3, None, 1),
        ("task", "run", 0, 10, Some(0), 18),
        ("task", "leaf", 0, 4, Some(1), 36),
        ("task", "run", 1, 14, Some(0), 30),
    ];
    let after = [
        ("single", "run", 0, 3, None, 1),
        ("task", "run", 0, 10, Some(0), 30),
        ("task", "run", 1, 14, Some(0), 18),
        ("task", "leaf", 0, 4, Some(2), 36),
    ];
    check(
        &before,
        &after,
        &[
            "leaf:4(task) = leaf:4(task)",
            "run:10(task) = run:14(task)",
            "run:14(task) = run:10(task)",
            "run:3(single) = run:3(single)",
        ],
    );
}

/// Both tasks do the same work in all.
#[test]
fn contents_show_which_constructs_changed_places() {
    let before = [
        ("task", "run", 0, 10, None, 18),
        ("task", "leaf", 0, 4, Some(0), 36),
        ("task", "run", 1, 14, None, 30),
    ];
    let after = [
        ("task", "run", 0, 10, None, 30),
        ("task", "run", 1, 14, None, 18),
        ("task", "leaf", 0, 4, Some(1), 36),
    ];
    let answer = compared_with(&before, &after, |_, _| 1_000);
    let mut rows = answer.rows.iter();
    let row = rows.find(|row| paths(row)[0] == ["run:10(task)"]).unwrap();
    assert_eq!(paths(row)[1], ["run:14(task)"]);
}

/// The numbers of iterations may be parameters that the user gave in another order, or the loops changed places and one
/// of them became slower.
#[test]
fn loops_with_swapped_iterations_and_other_work_are_not_compared() {
    let mut after = TWO;
    (after[1].5, after[3].5) = (24, 12);
    // The second loop does ten times as much in each iteration.
    let work = |at: usize, count| {
        if at > 1 {
            10_000 * count
        } else {
            1_000 * count
        }
    };
    for (a, b) in [(&TWO, &after), (&after, &TWO)] {
        let answer = compared_with(a, b, work);
        assert!(
            answer
                .rows
                .iter()
                .all(|row| row.path_a.is_none() && row.path_b.is_none())
        );
        let loops = answer.rows.iter().filter(|row| row.path != ["main"]);
        for row in loops {
            assert_eq!(row.verdict, Verdict::Untestable, "{row:?}");
            assert!(
                row.reason
                    .text()
                    .ends_with("which of them are the same is not known"),
                "{row:?}"
            );
        }
        let is_note = |note: &Note| {
            note.text
                .starts_with("constructs of `main` may have changed")
        };
        assert_eq!(answer.notes.iter().filter(|note| is_note(note)).count(), 1);
    }
}

/// Nothing but their work distinguishes them.
#[test]
fn loops_of_equal_length_that_have_each_others_work_are_not_compared() {
    let before = [
        ("parallel", "main", 0, 4, None, 2),
        ("loop", "main", 0, 5, Some(0), 12),
        ("loop", "main", 1, 7, Some(0), 12),
    ];
    let mut after = before;
    (after[1], after[2]) = (before[2], before[1]);
    let verdicts = |after: &[Construct<'_>], works: [i64; 3]| {
        let answer = compared_with(&before, after, |at, _| works[at]);
        let of_loops = answer
            .rows
            .iter()
            .filter(|row| row.path[0].ends_with("(loop)"));
        let reasons = of_loops.map(|row| row.reason.text());
        let unclear =
            reasons.filter(|text| text.ends_with("which of them are the same is not known"));
        let notes = answer.notes.iter();
        let is_unclear = |note: &&Note| {
            note.text
                .starts_with("constructs of `main` may have changed")
        };
        (unclear.count(), notes.filter(is_unclear).count())
    };
    assert_eq!(verdicts(&after, [100, 9_000, 3_000]), (2, 1));
    assert_eq!(verdicts(&before, [100, 9_000, 3_000]), (0, 0));
    // Too much alike to tell.
    assert_eq!(verdicts(&after, [100, 9_000, 8_000]), (0, 0));
}

/// One of two loops moves into another function, and nothing shows which.
#[test]
fn a_loop_that_moved_from_others_of_its_length_is_not_compared() {
    let doubts = |count: i64| {
        let before = [
            ("parallel", "step", 0, 4, None, 2),
            ("loop", "step", 0, 5, Some(0), 12),
            ("loop", "step", 1, 7, Some(0), count),
        ];
        let after = [
            ("parallel", "step", 0, 9, None, 2),
            ("loop", "step", 0, 11, Some(0), count),
            ("loop", "relax", 0, 5, Some(0), 12),
        ];
        [(&before, &after), (&after, &before)].map(|(a, b)| {
            let answer = compared(a, b);
            let of_loops = answer
                .rows
                .iter()
                .filter(|row| row.path[0].contains("(loop)"));
            let reasons = of_loops.map(|row| row.reason.text());
            let unclear =
                reasons.filter(|text| text.ends_with("which of them are the same is not known"));
            (unclear.count(), answer.rows.len())
        })
    };
    assert_eq!(doubts(12), [(2, 4); 2]);
    assert_eq!(doubts(24), [(0, 4); 2]);
}

/// Explanations follow what a diff follows.
#[test]
fn iterations_link_a_loop_with_itself_in_another_function() {
    let before = [
        ("parallel", "step", 0, 4, None, 2),
        ("loop", "step", 0, 5, Some(0), 12),
        ("loop", "step", 1, 7, Some(0), 24),
    ];
    let after = [
        ("parallel", "step", 0, 9, None, 2),
        ("loop", "step", 0, 10, Some(0), 12),
        ("loop", "relax", 0, 2, Some(0), 24),
    ];
    let (all, sides) = versions(&before, &after, |_, count| 1000 * count, [""; 2]);
    let tree = sheaf_analysis::EnsembleTree::union(all);
    let num_links = |counts| {
        let places = [vec![0], vec![1]];
        rename_links(&tree, &places, counts, &Mapping::default()).len()
    };
    assert_eq!(num_links(sides.each_ref().map(|side| &side.iterations)), 1);
    assert_eq!(num_links([&IterationCounts::new(); 2]), 0);
}

/// Runtimes report no static loops of GCC, and GCC states other lines than Clang.
#[test]
fn loops_of_compilers_are_paired_within_their_regions() {
    let clang = [
        ("parallel", "main", 0, 27, None, 2),
        ("loop", "main", 0, 27, Some(0), 512),
        ("parallel", "main", 1, 30, None, 2),
        ("loop", "main", 1, 31, Some(2), 512),
        ("parallel", "main", 2, 33, None, 2),
        ("loop", "main", 2, 35, Some(4), 512),
        ("loop", "main", 3, 42, Some(4), 512),
    ];
    let gcc = [
        ("parallel", "main", 0, 27, None, 2),
        ("parallel", "main", 1, 30, None, 2),
        ("loop", "main", 0, 30, Some(1), 512),
        ("parallel", "main", 2, 33, None, 2),
        ("loop", "main", 1, 43, Some(3), 512),
    ];
    let pairs = |a: &[Construct<'_>], b: &[Construct<'_>], compilers| {
        let answer = compared_by(a, b, |_, count| count, compilers);
        let both = |row: &&DiffRow| row.matched_by.is_some() && row.path[0].contains("loop");
        let mut pairs: Vec<String> = (answer.rows.iter().filter(both))
            .map(|row| paths(row).map(|path| path.join("/")).join(" = "))
            .collect();
        pairs.sort();
        pairs
    };
    let compilers = ["compiler=clang", "compiler=GCC"];
    assert_eq!(
        pairs(&clang, &gcc, compilers),
        [
            "main:31(loop) = main:30(loop)",
            "main:42(loop) = main:43(loop)"
        ]
    );
    let [first, second] = compilers;
    assert_eq!(
        pairs(&gcc, &clang, [second, first]),
        [
            "main:30(loop) = main:31(loop)",
            "main:43(loop) = main:42(loop)"
        ]
    );
}

/// Other constructs with equal amounts stay where they are.
#[test]
fn constructs_of_unique_amounts_changed_places_among_others() {
    let mut before = TWO.to_vec();
    for ordinal in 2..4 {
        before.push(("parallel", "main", ordinal, 10 + ordinal, None, 2));
        let region = before.len() - 1;
        before.push(("loop", "main", ordinal, 10 + ordinal, Some(region), 48));
    }
    let mut after = before.clone();
    (after[1].5, after[3].5) = (24, 12);
    let expected = [
        "main:12(loop) = main:12(loop)",
        "main:12(parallel) = main:12(parallel)",
        "main:13(loop) = main:13(loop)",
        "main:13(parallel) = main:13(parallel)",
        "main:4(loop) = main:6(loop)",
        "main:4(parallel) = main:6(parallel)",
        "main:6(loop) = main:4(loop)",
        "main:6(parallel) = main:4(parallel)",
    ];
    check(&before, &after, &expected);
}

/// The function keeps its code under another name, and another function has its name now.
#[test]
fn functions_whose_name_is_reused_are_followed_as_wholes() {
    let before = [
        ("parallel", "solve", 0, 10, None, 2),
        ("loop", "solve", 0, 11, Some(0), 600),
        ("task", "solve", 0, 14, Some(0), 300),
    ];
    let after = [
        ("parallel", "solve_old", 0, 30, None, 2),
        ("loop", "solve_old", 0, 31, Some(0), 600),
        ("task", "solve_old", 0, 34, Some(0), 300),
        ("parallel", "solve", 0, 9, None, 2),
        ("loop", "solve", 0, 10, Some(3), 150),
    ];
    let expected = [
        "solve:10(loop) alone",
        "solve:10(parallel) = solve_old:30(parallel)",
        "solve:11(loop) = solve_old:31(loop)",
        "solve:14(task) = solve_old:34(task)",
        "solve:9(parallel) alone",
    ];
    check(&before, &after, &expected);
}

#[test]
fn functions_that_exchanged_their_names_are_followed() {
    let program = |[first, second]: [&'static str; 2]| {
        [
            ("parallel", first, 0, 10, None, 2),
            ("loop", first, 0, 11, Some(0), 600),
            ("task", first, 0, 14, Some(0), 300),
            ("parallel", second, 0, 30, None, 2),
            ("loop", second, 0, 31, Some(3), 150),
            ("loop", second, 1, 35, Some(3), 75),
            ("taskloop", second, 0, 38, Some(3), 40),
        ]
    };
    let expected = [
        "a:10(parallel) = b:10(parallel)",
        "a:11(loop) = b:11(loop)",
        "a:14(task) = b:14(task)",
        "b:30(parallel) = a:30(parallel)",
        "b:31(loop) = a:31(loop)",
        "b:35(loop) = a:35(loop)",
        "b:38(taskloop) = a:38(taskloop)",
    ];
    let answer = compared(&program(["a", "b"]), &program(["b", "a"]));
    let mut found: Vec<String> = (answer.rows.iter().filter(|row| row.path != ["main"]))
        .map(|row| paths(row).map(|path| path.join("/")).join(" = "))
        .collect();
    found.sort();
    assert_eq!(found, expected);
}
