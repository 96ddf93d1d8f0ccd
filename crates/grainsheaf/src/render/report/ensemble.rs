//! An ensemble or one run: what was run, then distributions and notes.

use std::collections::BTreeSet;

use sheaf_answers::{RunInfo, Runs};
use sheaf_server::Markup;

use super::{MAX_ROWS, Statistics, TITLE, list, more};
use crate::render::notes::with_hints;
use crate::render::stats::sections;
use crate::render::table::Layout;
use crate::render::text::{counted, shortened};
use crate::render::{info, plain};

/// Programs that a title names.
const NAMED: usize = 3;

/// `sort (20 runs)`.
pub(super) fn title(runs: &Runs) -> String {
    let programs: BTreeSet<&str> = runs.runs.iter().map(|run| run.program.as_str()).collect();
    let count = counted(runs.runs.len() as u64, "run", "runs");
    let named: Vec<String> = programs
        .iter()
        .take(NAMED)
        .map(|name| plain(name))
        .collect();
    let more = if programs.len() > NAMED { ", …" } else { "" };
    let named = shortened(&named.join(", "), TITLE);
    format!("{named}{more} ({count})")
}

/// The first part of the report.
pub(super) fn summary(title: &str, runs: &Runs, statistics: &Statistics) -> Markup {
    let mut html = Markup::default();
    html.element("h1", title);
    for section in sections(&statistics.stats) {
        html.element("p", &section.title);
    }
    let unusual = runs
        .runs
        .iter()
        .filter(|run| !run.is_complete || !run.warnings.is_empty());
    let unusual = unusual.count();
    if unusual > 0 {
        let runs = counted(unusual as u64, "run has", "runs have");
        html.element_as(
            "p",
            "is-notable",
            &format!("{runs} warnings: see the import report"),
        );
    }
    html.line();
    html
}

/// The figures of one run.
pub(super) fn run(answer: &RunInfo) -> Markup {
    let mut html = Markup::default();
    html.element("h2", "Run").open("pre");
    for line in info(answer, Layout::default()).lines() {
        html.text(line).line();
    }
    html.close("pre").line();
    html
}

/// Distributions and notes.
pub(super) fn tables(statistics: &Statistics) -> Markup {
    let mut html = Markup::default();
    html.element("h2", "Statistics");
    for section in sections(&statistics.stats) {
        let rows = section.kept(MAX_ROWS);
        html.append(&section.table(&rows).markup(&section.title));
        more(&mut html, section.rows.len(), rows.len(), ["row", "rows"]);
    }
    let notes = &statistics.stats.notes;
    if !notes.is_empty() {
        html.element("h2", "Notes");
        list(&mut html, &with_hints(notes));
    }
    html
}
