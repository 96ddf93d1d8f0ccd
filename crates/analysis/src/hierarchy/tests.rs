//! Trees inside groups of small ensembles, computed by hand.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sheaf_model::{ContextId, Lens, Progress};

use super::{MAX_SITES, hierarchy};
use sheaf_answers::Hierarchy;
use sheaf_synthetic::testing::{by_run, runs};

/// A line per site, indented by depth.
fn check(text: &str, lens: &str, group: &str, expected: &str) {
    let expected: Vec<&str> = expected
        .trim_end()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let blanks = expected
        .iter()
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let expected: Vec<&str> = expected.iter().map(|line| &line[blanks..]).collect();
    let printed = match answer(text, lens, group) {
        Ok(answer) => print(&answer, &context_ids(text)),
        Err(error) => error,
    };
    assert_eq!(printed, expected.join("\n"));
}

fn answer(text: &str, lens: &str, group: &str) -> Result<Hierarchy, String> {
    let lens: Lens = lens.parse().unwrap();
    hierarchy(&lens, group, &runs(text), &Progress::silent()).map_err(|error| error.to_string())
}

fn context_ids(text: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for run in runs(text) {
        let bytes =
            (0..run.contexts.len()).filter_map(|row| run.contexts.id.value(row).try_into().ok());
        ids.extend(bytes.map(|bytes| ContextId(bytes).to_string()));
    }
    ids
}

fn print(answer: &Hierarchy, context_ids: &BTreeSet<String>) -> String {
    let mut lines = Vec::new();
    for (at, site) in answer.sites.iter().enumerate() {
        assert!(site.parent.is_none_or(|parent| (parent as usize) < at));
        let mut line = "  ".repeat(site.depth as usize);
        let kind = if site.kind == "group" {
            assert_eq!(site.id, answer.group);
            " (group)"
        } else if context_ids.contains(&site.id) {
            ""
        } else {
            " (several)"
        };
        write!(
            line,
            "{}{kind}: [{}] [{}]",
            site.name,
            by_run(&site.inclusive_by_run),
            by_run(&site.exclusive_by_run)
        )
        .unwrap();
        lines.push(line);
    }
    lines.join("\n")
}

const TEXT: &str = "
    def main module=app
    def f module=app
    def g module=app
    def cb module=app
    def send module=mpi
    def recv module=mpi
    run a
      main work_ns 1
      main/f work_ns 10
      main/f/send work_ns 100
      main/f/send/cb work_ns 1000
      main/g work_ns 20
      main/g/recv work_ns 200
      main/g/f work_ns 30
      main/g/f/send work_ns 300
      main/g/f/recv work_ns 400
    run b
      main work_ns 1
      main/f work_ns 2
";

#[test]
fn a_module_shows_its_own_contexts() {
    check(
        TEXT,
        "level module",
        "app",
        "
        main: [2061 3] [1 1]
          f: [1110 2] [10 2]
          g: [950 -] [20 -]
            f: [730 -] [30 -]
    ",
    );
}

#[test]
fn several_entries_hang_under_the_group() {
    check(
        TEXT,
        "level module",
        "m:mpi",
        "
        mpi (group): [2000 -] [0 -]
          send: [1100 -] [100 -]
          recv: [400 -] [400 -]
          send: [300 -] [300 -]
          recv: [200 -] [200 -]
    ",
    );
}

#[test]
fn a_definition_shows_everything_below() {
    check(
        TEXT,
        "",
        "f",
        "
        f (several): [1840 2] [40 2]
          send (several): [1400 -] [400 -]
            cb: [1000 -] [1000 -]
          recv: [400 -] [400 -]
    ",
    );
}

#[test]
fn a_context_shows_everything_below() {
    let expected = "
        g: [950 -] [20 -]
          f: [730 -] [30 -]
            recv: [400 -] [400 -]
            send: [300 -] [300 -]
          recv: [200 -] [200 -]
    ";
    check(TEXT, "level module | reveal main/g", "g", expected);
    check(TEXT, "level context", "main/g", expected);
}

#[test]
fn recursion_is_a_tree() {
    check(
        "
        run a
          f work_ns 1
          f/f work_ns 2
          f/g work_ns 4
          f/g/f work_ns 8
    ",
        "",
        "f",
        "
        f: [15] [1]
          f: [2] [2]
          g: [12] [4]
            f: [8] [8]
    ",
    );
}

#[test]
fn an_others_node_has_an_inside() {
    let text =
        "run a\n main work_ns 1000\n main/x work_ns 3\n main/y work_ns 4\n main/y/z work_ns 2";
    check(
        text,
        "",
        "others:1",
        "
        others (2) (group): [9] [0]
          x: [3] [3]
          y: [6] [4]
    ",
    );
    check(
        text,
        "",
        "others:7",
        "group `others:7` is not in the ensemble at this level",
    );
}

#[test]
fn large_trees_keep_the_heaviest() {
    let mut text = "run a\n main work_ns 1\n".to_owned();
    for number in 0..MAX_SITES + 9 {
        writeln!(text, " main/f{number} work_ns {}", number + 1).unwrap();
    }
    let answer = answer(&text, "level module", "m:")
        .or_else(|_| answer(&text, "", "main"))
        .unwrap();
    assert_eq!((answer.sites.len(), answer.omitted), (MAX_SITES, 10));
    let lightest = answer
        .sites
        .iter()
        .map(|site| site.max_inclusive)
        .fold(f64::MAX, f64::min);
    assert_eq!(lightest.to_bits(), 11.0_f64.to_bits());
}
