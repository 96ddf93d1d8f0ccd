//! Time outside of every region can be left out, is no part of shares, and is shown however small it is.

use std::fmt::Write as _;

use sheaf_model::{Lens, Progress, RunSummary};
use std::sync::Arc;

use sheaf_answers::Note;

use crate::diff::{Diff, DiffOptions, DiffSelection, Mapping, Verdict, finish_diff};
use sheaf_analysis::{LayoutOptions, partial, sankey, stats};
use sheaf_synthetic::testing::{runs, short};

/// Nine tenths of each run are outside of regions, as in programs with few annotations.
fn ensemble() -> Vec<Arc<RunSummary>> {
    let mut text =
        "def none kind=outside\ndef main module=app\ndef dot module=libm.so\n".to_owned();
    for run in 0..12 {
        let side = usize::from(run >= 6);
        let slower = [0, 40][side] + run;
        let outside = 90_000 + 7 * run;
        writeln!(
            text,
            "run r{run:02} v={side}\n  none work_ns {outside}\n  main work_ns {}\n  main/dot work_ns {}",
            9_950 + slower,
            50 + run % 3,
        )
        .unwrap();
    }
    runs(&text)
}

fn shares(lens: &str) -> String {
    let lens: Lens = lens.parse().unwrap();
    let answer = stats(&lens, &ensemble(), &Progress::silent()).unwrap();
    let rows = answer.rows.iter().map(|row| {
        let share = row.share.map_or("-".to_owned(), short);
        let mark = if row.outside { " outside" } else { "" };
        format!("{} {share}{mark}", row.path.names().join("/"))
    });
    let notes = answer.notes.iter().map(|note| format!("({note})"));
    rows.chain(notes).collect::<Vec<_>>().join("\n")
}

#[test]
fn shares_are_of_what_is_inside_of_regions() {
    assert_eq!(
        shares("scope exclusive"),
        "none - outside\nmain 0.995\ndot 0.005"
    );
    assert_eq!(
        shares("level module | scope exclusive"),
        "none - outside\napp 0.995\nlibm.so 0.005"
    );
    assert_eq!(
        shares("hide outside | scope exclusive"),
        "main 0.995\ndot 0.005"
    );
    assert_eq!(
        shares("hide none | scope exclusive"),
        "main 0.995\ndot 0.005"
    );
    assert_eq!(
        shares("level context | hide outside"),
        "main 1\nmain/dot 0.005"
    );
}

#[test]
fn hiding_what_is_not_there_is_noted() {
    let lens: Lens = "hide outside".parse().unwrap();
    let all = runs("run a\n  main work_ns 1\n");
    let answer = stats(&lens, &all, &Progress::silent()).unwrap();
    assert_eq!(
        Note::texts(&answer.notes),
        ["nothing was measured outside of regions, so there is nothing to hide"]
    );
}

fn diff(lens: &str) -> Diff {
    let lens: Lens = lens.parse().unwrap();
    let all = ensemble();
    let state = partial(&lens, &all, &Progress::silent()).unwrap();
    let select = |runs: &[Arc<RunSummary>]| {
        DiffSelection::new("side", runs.iter().map(|run| run.meta.id).collect())
    };
    let sides = [select(&all[..6]), select(&all[6..])];
    let options = DiffOptions {
        threshold: 0.0,
        least_impact: 0.003,
        ..DiffOptions::default()
    };
    let mapping = Mapping::default();
    finish_diff(&lens, state, &sides, &options, mapping, &Progress::silent())
        .unwrap()
        .answer
}

/// 0.5 % of the values inside of regions is 0.05 % of the run: tested nevertheless, as is a change of 0.46 % of it.
#[test]
fn small_groups_are_small_among_regions() {
    let answer = diff("");
    let row = |name: &str| {
        let mut rows = answer.rows.iter();
        rows.find(|row| row.path == [name]).unwrap()
    };
    assert!(row("dot").p.is_some(), "{}", row("dot").reason.text());
    assert_eq!(
        row("main").verdict,
        Verdict::Slower,
        "{}",
        row("main").reason.text()
    );
    assert!((row("main").impact.unwrap() - 0.0046).abs() < 1e-4);
    assert!(row("none").outside && row("none").impact.is_none());
    assert!(row("none").p.is_some());
    let sum: f64 = answer.rows.iter().filter_map(|row| row.delta).sum();
    assert!((answer.totals.unwrap().delta - sum).abs() < 1e-6);
    let names = |answer: &Diff| {
        let mut names: Vec<String> = answer.rows.iter().map(|row| row.path.join("/")).collect();
        names.sort();
        names
    };
    assert_eq!(names(&diff("hide outside")), ["dot", "main"]);
}

#[test]
fn pictures_show_it_however_small_it_is() {
    let lens: Lens = "below 50%".parse().unwrap();
    let text = "def none kind=outside\nrun a\n  none work_ns 1\n  main/f work_ns 100\n  main/g work_ns 900\n";
    let picture = sankey(
        &lens,
        &runs(text),
        &LayoutOptions::default(),
        &Progress::silent(),
    );
    let names: Vec<String> = picture
        .unwrap()
        .nodes
        .iter()
        .map(|node| node.name.clone())
        .collect();
    assert!(names.contains(&"none".to_owned()), "{names:?}");
    assert!(!names.contains(&"f".to_owned()), "{names:?}");
}
