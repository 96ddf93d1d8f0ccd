//! Reports: an answer with its runs as one HTML file, with the words and numbers of the text.

mod content;
mod diff;
mod ensemble;
mod gate;

use sheaf_answers::{Diff, Gate, GateCause, Mapping, RunInfo, Runs, Sankey, Stats};
use sheaf_server::{Markup, Report};

use super::runs::telling_table;
use super::selection::Selection;
use super::table::Table;
use super::text::{counted, shortened};
use content::Content;

/// Rows that a table shows.
const MAX_ROWS: usize = 1000;
/// Runs that a table shows.
const MAX_RUNS: usize = 500;
/// Warnings that are listed.
const MAX_WARNINGS: usize = 200;
/// Columns of a title.
const TITLE: usize = 120;

/// Answers that a report contains in addition to its own.
#[derive(Debug)]
pub(crate) struct Material {
    /// The runs that it is about.
    pub(crate) runs: Runs,
    /// Their picture.
    pub(crate) sankey: Sankey,
    /// Mapping of the store between definitions of different versions.
    pub(crate) mapping: Mapping,
}

/// Distributions of an ensemble.
#[derive(Debug)]
pub(crate) struct Statistics {
    /// As the lens asks.
    pub(crate) stats: Stats,
    /// Exclusive values of groups.
    pub(crate) exclusive: Stats,
    /// Inclusive values of groups.
    pub(crate) inclusive: Stats,
    /// Exclusive values of contexts.
    pub(crate) contexts: Stats,
}

/// The report of an ensemble; nothing if the binary was built without the frontend.
///
/// # Errors
/// When an answer has no JSON.
pub(crate) fn ensemble_report(
    lens: &str,
    statistics: &Statistics,
    material: Material,
) -> serde_json::Result<Option<String>> {
    let title = ensemble::title(&material.runs);
    let content = ensemble_content(lens, statistics, material)?;
    let summary = ensemble::summary(&title, content.runs(), statistics);
    Ok(file(
        &title,
        &summary,
        &ensemble::tables(statistics),
        &content,
    ))
}

/// The report of a run; nothing if the binary was built without the frontend.
///
/// # Errors
/// When an answer has no JSON.
pub(crate) fn run_report(
    lens: &str,
    info: &RunInfo,
    statistics: &Statistics,
    material: Material,
) -> serde_json::Result<Option<String>> {
    let title = shortened(&super::plain(&info.run.name), TITLE);
    let mut content = ensemble_content(lens, statistics, material)?;
    content.add("info", serde_json::to_value(info)?);
    let summary = ensemble::summary(&title, content.runs(), statistics);
    let mut tables = ensemble::run(info);
    tables.append(&ensemble::tables(statistics));
    Ok(file(&title, &summary, &tables, &content))
}

fn ensemble_content(
    lens: &str,
    statistics: &Statistics,
    material: Material,
) -> serde_json::Result<Content> {
    let mut content = Content::of(lens, material)?;
    for (name, stats, what) in [
        ("stats", &statistics.stats, "distributions of groups"),
        ("exclusive", &statistics.exclusive, "exclusive values"),
        ("inclusive", &statistics.inclusive, "inclusive values"),
        ("contexts", &statistics.contexts, "call paths"),
    ] {
        content.add(name, serde_json::to_value(stats)?);
        content.cut_rows(name, "/rows", what);
    }
    let same = |name| (name, name);
    content.picture("sankey", [same("sankey")], []);
    let functions = ["exclusive", "inclusive", "contexts"];
    content.picture("functions", functions.map(same), []);
    content.picture("boxes", [same("stats")], []);
    content.picture("scatter", [("x", "sankey")], []);
    content.picture("time-strip", [], []);
    content.picture("runs", [same("runs")], []);
    Ok(content)
}

/// The report of a comparison; nothing if the binary was built without the frontend.
///
/// # Errors
/// When an answer has no JSON.
pub(crate) fn diff_report(answer: &Diff, material: Material) -> serde_json::Result<Option<String>> {
    let mut content = Content::of(&answer.lens, material)?;
    content.add("diff", serde_json::to_value(answer)?);
    content.cut_rows("diff", "/rows", "groups");
    let diff = ("diff", "diff");
    content.picture("changes", [diff], []);
    content.picture("sankey", [("sankey", "sankey"), diff], []);
    content.picture("structure", [diff, ("mapping", "mapping")], []);
    content.picture("runs", [("runs", "runs")], []);
    let title = between(answer);
    Ok(file(
        &title,
        &diff::summary(answer),
        &diff::tables(answer),
        &content,
    ))
}

/// The report of a gate; nothing if the binary was built without the frontend.
///
/// # Errors
/// When an answer has no JSON.
pub(crate) fn gate_report(answer: &Gate, material: Material) -> serde_json::Result<Option<String>> {
    let mut content = Content::of(&answer.diff.lens, material)?;
    content.add("gate", serde_json::to_value(answer)?);
    content.cut_rows("gate", "/groups", "groups");
    content.cut_rows("gate", "/diff/rows", "compared groups");
    let diff = ("diff", "gate.diff");
    content.picture("gate", [("gate", "gate")], gate_settings(answer));
    content.picture("changes", [diff], []);
    content.picture("sankey", [("sankey", "sankey"), diff], []);
    content.picture("structure", [diff, ("mapping", "mapping")], []);
    content.picture("runs", [("runs", "runs")], []);
    let title = format!("Gate: {}", between(&answer.diff));
    Ok(file(
        &title,
        &gate::summary(answer),
        &gate::tables(answer),
        &content,
    ))
}

/// The limits, as the page's view has them.
fn gate_settings(answer: &Gate) -> [(&'static str, String); 5] {
    let limits = &answer.limits;
    // Without the noise of binary fractions.
    let percent = |share: f64| ((share * 1e8).round() / 1e6).to_string();
    let causes = limits.fail_on.iter().map(|cause| match cause {
        GateCause::Slower => "slower",
        GateCause::Structure => "structure",
    });
    [
        ("regression", percent(limits.max_regression)),
        ("share", percent(limits.min_share)),
        ("alpha", percent(limits.alpha)),
        ("causes", causes.collect::<Vec<_>>().join(",")),
        ("strict", u8::from(limits.is_strict).to_string()),
    ]
}

/// The two sides of a comparison, for titles.
fn between(answer: &Diff) -> String {
    let name = |name: &str| shortened(&super::plain(name), TITLE / 2);
    format!("{} → {}", name(&answer.a.name), name(&answer.b.name))
}

/// The file: what is about the answer, then what is about its runs.
fn file(title: &str, summary: &Markup, tables: &Markup, content: &Content) -> Option<String> {
    let mut all = tables.clone();
    all.append(&about_runs(content.runs()));
    all.element("h2", "Lens")
        .open("pre")
        .sentence(content.lens())
        .close("pre")
        .line();
    all.element("h2", "Versions")
        .element("p", &content.versions())
        .line();
    if !content.cuts().is_empty() {
        all.element("h2", "Left out of this file");
        list(&mut all, content.cuts());
    }
    let report = Report {
        title: &format!("{title} · grainsheaf report"),
        summary,
        tables: &all,
        content: &content.to_json(),
    };
    report.to_html()
}

/// The runs, and what was met when they were imported.
fn about_runs(answer: &Runs) -> Markup {
    let mut html = Markup::default();
    let runs = counted(answer.runs.len() as u64, "run", "runs");
    html.element("h2", "Runs");
    html.append(&telling_table(answer, MAX_RUNS).markup(&runs));
    more(&mut html, answer.runs.len(), MAX_RUNS, ["run", "runs"]);
    html.element("h2", "Import report");
    html.append(&sources(answer).markup("Where the runs come from"));
    let warnings: Vec<String> = answer
        .runs
        .iter()
        .flat_map(|run| {
            let incomplete = (!run.is_complete).then_some("the source is incomplete");
            let warnings = run.warnings.iter().map(String::as_str);
            incomplete
                .into_iter()
                .chain(warnings)
                .map(|warning| format!("{}: {warning}", run.name))
        })
        .collect();
    if warnings.is_empty() {
        html.element("p", "The readers met nothing unusual.");
    }
    list(&mut html, &warnings[..warnings.len().min(MAX_WARNINGS)]);
    more(
        &mut html,
        warnings.len(),
        MAX_WARNINGS,
        ["warning", "warnings"],
    );
    html
}

fn sources(answer: &Runs) -> Table {
    Selection::of(answer, "")
        .id("run")
        .name("name")
        .name("source_file as file")
        .columns("format, reader, source_files as files, source_bytes as size, imported")
        .first(MAX_RUNS)
}

/// Sentences, as far as there are any.
fn list(html: &mut Markup, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    html.open("ul");
    for sentence in sentences {
        html.open("li").sentence(sentence).close("li");
    }
    html.close("ul").line();
}

/// How many rows are not shown.
fn more(html: &mut Markup, total: usize, shown: usize, words: [&str; 2]) {
    if total > shown {
        let hidden = counted((total - shown) as u64, words[0], words[1]);
        html.element(
            "p",
            &format!("+ {hidden} more, which this report does not list"),
        );
    }
}
