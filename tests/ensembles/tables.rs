//! What tables name honestly: lines that runs disagree on, points in time, the program, differences, and what `@new`
//! is for; through the command line.

use sheaf_answers::{Diff, History};
use sheaf_tests::{ask, run, sample};

use crate::made::{Made, store};

/// Standard output of a question about both versions of the sample program.
fn of_both(words: &[&str]) -> String {
    let store = sample("versions");
    run(&store, words).expect_code(0).stdout
}

#[test]
fn lines_on_which_runs_disagree_are_told_alike_everywhere() {
    // Versions 1 and 2 have the tasks of `merge_ranges` on lines 98 and 100, and 105 and 107.
    let both = "merge_ranges:100|107 (task)";
    for words in [
        &["stats"][..],
        &["stats", "--csv"],
        &["scale", "--by", "repeat"],
        &["history", "--by", "repeat"],
        &["noise", "--by", "repeat"],
        &["similar"],
    ] {
        let text = of_both(words);
        assert!(text.contains(both), "{words:?}: {text}");
        assert!(
            !text.contains("merge_ranges:100 (task)"),
            "{words:?}: {text}"
        );
    }
    // One version has one line, and a diff tells which is whose.
    for (version, line, other) in [("1", "100", "107"), ("2", "107", "100")] {
        let text = of_both(&["stats", "--where", &format!("version = {version}")]);
        assert!(
            text.contains(&format!("merge_ranges:{line} (task)")),
            "{text}"
        );
        assert!(!text.contains(&format!("merge_ranges:{other}")), "{text}");
    }
    let diff = of_both(&["diff", "version = 1", "version = 2", "--limit", "0"]);
    assert!(diff.contains("merge_ranges:100→107 (task)"), "{diff}");
    assert!(!diff.contains('|'), "{diff}");
    // Whoever knows one of the lines finds the group.
    for line in ["100", "107", "100|107"] {
        let lens = format!("focus 'merge_ranges:{line} (task)'");
        let found = of_both(&["stats", "--lens", &lens]);
        assert!(found.contains(both), "{line}: {found}");
    }
}

#[test]
fn points_in_time_are_dates() {
    let text = of_both(&["noise", "--by", "started", "--limit", "1"]);
    let named: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("started="))
        .collect();
    assert_eq!(named.len(), 14, "{text}");
    for line in named {
        assert!(
            line.starts_with("started=20") && line.contains("Z (1 repeat)"),
            "{line}"
        );
    }
    // What a history by time says of its versions can be asked for.
    let store = sample("versions");
    let words = ["history", "--by", "started", "--order", "started"];
    let history: History = ask(&store, &words);
    let link = history.series[0].points[1].diff.as_ref().unwrap();
    let lens = link.lens.as_str();
    let diff: Diff = ask(&store, &["diff", "--lens", lens]);
    assert_eq!(diff.a.runs.len(), 1, "{lens}");
}

#[test]
fn the_program_has_one_column() {
    let made = store(
        &["lulesh", "kripke"].map(|program| Made {
            params: vec![("program", program.to_owned())],
            times: vec![("solve", 1.0)],
        }),
        false,
    );
    for words in [
        &["runs"][..],
        &["runs", "--columns", "all"],
        &["runs", "--columns", "program"],
    ] {
        let text = run(&made.path(), words).expect_code(0).stdout;
        let header = text.lines().next().unwrap();
        assert_eq!(header.matches("program").count(), 1, "{words:?}: {text}");
        assert!(text.contains("lulesh") && text.contains("kripke"), "{text}");
    }
}

#[test]
fn what_is_compared_by_differences_says_so() {
    // Six runs on either side; `idle` is nothing in some of them.
    let mut runs = Vec::new();
    for side in ["a", "b"] {
        for repeat in 0..6_u32 {
            let time = f64::from(repeat) * if side == "b" { 2.0 } else { 1.0 };
            runs.push(Made {
                params: vec![("side", side.to_owned()), ("repeat", repeat.to_string())],
                times: vec![("idle", time), ("busy", 10.0 + 0.01 * time)],
            });
        }
    }
    let made = store(&runs, false);
    let diff = |form: &[&str]| {
        let words = [&["diff", "side = a", "side = b"], form].concat();
        run(&made.path(), words).expect_code(0).stdout
    };
    let text = diff(&[]);
    assert!(
        text.contains("by differences, as not all values are positive: idle"),
        "{text}"
    );
    let gate = ["gate", "--baseline", "side = a", "--candidate", "side = b"];
    let text = run(&made.path(), gate).expect_code(0).stdout;
    assert!(
        text.contains("by differences, as not all values are positive: idle"),
        "{text}"
    );
    // The typical difference stands in place of the ratio, with its unit and interval.
    let shown = |text: &str, start: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(start));
        let line = line.unwrap_or_else(|| panic!("no {start} in {text}"));
        assert!(line.contains("+2.50"), "{line}");
        assert!(line.contains("−2 … +7"), "{line}");
    };
    shown(&diff(&[]), "idle");
    shown(&text, "idle");
    let markdown = [&gate[..], &["--format", "markdown"]].concat();
    let markdown = run(&made.path(), markdown).expect_code(0).stdout;
    shown(&markdown, "| `idle`");
    let legend = "change is the typical difference of runs, candidate − baseline";
    assert!(markdown.contains(legend), "{markdown}");
    let csv = diff(&["--csv"]);
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let at = header
        .iter()
        .position(|name| *name == "compared_by")
        .unwrap();
    for (name, how) in [("idle", "difference"), ("busy", "ratio")] {
        let line = csv.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(line.split(',').nth(at), Some(how), "{line}");
    }
}

#[test]
fn helps_show_what_new_runs_are_called() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["add", "diff", "gate"] {
        let help = run(folder.path(), [command, "--help"])
            .expect_code(0)
            .stdout;
        let examples = help.split("Examples:").nth(1).unwrap();
        assert!(examples.contains("@new"), "{command}: {help}");
    }
}
