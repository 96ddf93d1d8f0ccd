//! Diffs of whole runs, at every level.

use super::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use sheaf_model::table::{ContextRow, DefinitionRow, LocationRow, MetricRow, TotalRow, ValueRow};
use sheaf_model::{ContextId, Lens, Progress, RunSummary};

/// A run of `path work` lines, paths like `main/f`, parents first; names of the form `f.x` are
/// in module `x`.
pub(super) fn summary(number: u8, lines: &str) -> Arc<RunSummary> {
    let lines: Vec<(&str, i64)> = lines
        .split(';')
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(path, work)| (path, work.parse().unwrap()))
        .collect();
    let mut meta = RunMeta::new("sort", "trace");
    meta.id = RunId([number; 16]);
    meta.name = format!("run {number:03}");
    let mut run = RunSummary::empty(meta);
    let last = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let names: BTreeMap<DefinitionId, String> = lines
        .iter()
        .map(|(path, _)| (definition(&last(path)), last(path)))
        .collect();
    let row_of = |name: &str| names.keys().position(|id| *id == definition(name)).unwrap();
    run.definitions = names
        .iter()
        .map(|(id, name)| DefinitionRow {
            id: id.0,
            kind: "task".to_owned(),
            name: name.clone(),
            module: name.split_once('.').map(|(_, module)| module.to_owned()),
            ..DefinitionRow::default()
        })
        .collect();
    let index = |row: usize| i32::try_from(row).unwrap();
    let mut ids: Vec<ContextId> = Vec::new();
    let mut contexts = Vec::new();
    for (path, _) in &lines {
        let parent = path.rsplit_once('/').map(|(parent, _)| {
            lines
                .iter()
                .position(|(other, _)| *other == parent)
                .unwrap()
        });
        let own = definition(&last(path));
        ids.push(parent.map_or_else(|| ContextId::root(own), |parent| ids[parent].child(own)));
        contexts.push(ContextRow {
            id: ids[contexts.len()].0,
            parent: parent.map(index),
            definition: index(row_of(&last(path))),
            depth: index(path.matches('/').count()),
        });
    }
    run.contexts = contexts.into_iter().collect();
    add_work(
        &mut run,
        &lines.iter().map(|line| line.1).collect::<Vec<_>>(),
    );
    run.validate().unwrap();
    Arc::new(run)
}

fn add_work(run: &mut RunSummary, work: &[i64]) {
    let location = LocationRow {
        rank: 0,
        thread: 0,
        core: None,
        numa_node: None,
    };
    run.locations = [location].into_iter().collect();
    let metric = MetricRow {
        name: "work_ns".to_owned(),
        unit: "ns".to_owned(),
        kind: "additive".to_owned(),
        direction: "higher_is_worse".to_owned(),
        is_integer: true,
        source: None,
        alias: None,
    };
    run.metrics = [metric].into_iter().collect();
    let rows = (0..).zip(work);
    run.values = rows
        .clone()
        .map(|(context, &work)| ValueRow {
            context,
            metric: 0,
            location: 0,
            count: 1,
            sum: Some(work),
            sum_float: None,
        })
        .collect();
    run.totals = rows
        .map(|(context, &work)| TotalRow {
            context,
            metric: 0,
            count: 1,
            sum: Some(work),
            min: Some(work),
            max: Some(work),
            sum_squares: Some(i128::from(work) * i128::from(work)),
            sum_float: None,
            min_float: None,
            max_float: None,
            sketch_buckets: Vec::new(),
            sketch_counts: Vec::new(),
        })
        .collect();
}

pub(super) fn compare_runs(lens: &str, a: &[Arc<RunSummary>], b: &[Arc<RunSummary>]) -> Diff {
    let lens: Lens = lens.parse().unwrap();
    let all: Vec<_> = a.iter().chain(b).cloned().collect();
    let state = sheaf_analysis::partial(&lens, &all, &Progress::silent()).unwrap();
    let select = |name: &str, runs: &[Arc<RunSummary>]| {
        DiffSelection::new(name, runs.iter().map(|run| run.meta.id).collect())
    };
    let sides = [select("a", a), select("b", b)];
    finish_diff(
        &lens,
        state,
        &sides,
        &DiffOptions::default(),
        Mapping::default(),
        &Progress::silent(),
    )
    .unwrap()
    .answer
}

fn check(lens: &str, a: &str, b: &str, expected: &str) {
    let answer = compare_runs(lens, &[summary(1, a)], &[summary(2, b)]);
    let mut text = String::new();
    for row in &answer.rows {
        let [a, b] = row
            .means()
            .map(|mean| mean.map_or("-".to_owned(), |mean| mean.to_string()));
        let matched = row
            .matched_by
            .map_or("-".to_owned(), |by| format!("{by:?}"));
        writeln!(
            text,
            "{} {a} {b} {} {matched} {:?}",
            row.path.join("/"),
            row.delta.unwrap(),
            row.verdict
        )
        .unwrap();
    }
    let totals = answer.totals.unwrap();
    let work = answer.structure.matched_work;
    writeln!(text, "total {} {} {}", totals.a, totals.b, totals.delta).unwrap();
    write!(
        text,
        "matched {:.3} {:.3} {:.3}",
        work.context, work.definition, work.unmatched
    )
    .unwrap();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(text, expected.join("\n"));
}

const BEFORE: &str = "main.x 10; main.x/f.y 20; main.x/g.y 30";
/// `f` moved under a wrapper, `g` grew, `h` is new.
const AFTER: &str = "main.x 10; main.x/g.y 45; main.x/w.z 5; main.x/w.z/f.y 20; main.x/h.z 1";

#[test]
fn contexts_that_moved_are_paired() {
    check(
        "level context",
        BEFORE,
        AFTER,
        "
        main.x/g.y 30 45 15 Context Untestable
        main.x/w.z - 5 5 - Appeared
        main.x/h.z - 1 1 - Appeared
        main.x 10 10 0 Context Untestable
        main.x/w.z/f.y 20 20 0 Definition Untestable
        total 60 81 21
        matched 0.674 0.284 0.043",
    );
}

#[test]
fn definitions_do_not_mind_where_they_are_called() {
    check(
        "level definition",
        BEFORE,
        AFTER,
        "
        g.y 30 45 15 Context Untestable
        w.z - 5 5 - Appeared
        h.z - 1 1 - Appeared
        f.y 20 20 0 Definition Untestable
        main.x 10 10 0 Context Untestable
        total 60 81 21
        matched 0.674 0.284 0.043",
    );
}

#[test]
fn modules_add_up() {
    check(
        "level module",
        BEFORE,
        AFTER,
        "
        y 50 65 15 Context Untestable
        z - 6 6 - Appeared
        x 10 10 0 Context Untestable
        total 60 81 21
        matched 0.674 0.284 0.043",
    );
}

#[test]
fn the_scope_and_share_of_the_lens_do_not_change_a_diff() {
    let (a, b) = ([summary(1, BEFORE)], [summary(2, AFTER)]);
    let plain = compare_runs("level definition", &a, &b);
    let other = compare_runs("level definition | scope exclusive | below 0.5", &a, &b);
    assert_eq!(plain, other);
    let greatest = compare_runs("level definition | over ranks=max", &a, &b);
    assert!(
        greatest.notes[0]
            .text
            .starts_with("`ranks=max` does not conserve")
    );
}

#[test]
fn cohorts_are_tested() {
    let runs = |first: u8, factor: f64| -> Vec<Arc<RunSummary>> {
        let run = |number: u8| {
            let noise = f64::from(number % 7);
            let work = (1000.0 + noise) * factor;
            summary(number, &format!("main 500; main/f {work:.0}"))
        };
        (first..first + 6).map(run).collect()
    };
    let (a, b) = (runs(1, 1.0), runs(100, 1.2));
    let answer = compare_runs("level definition", &a, &b);
    assert_eq!(answer.rows[0].path, ["f"]);
    assert_eq!(answer.rows[0].verdict, Verdict::Slower);
    assert_eq!(answer.rows[1].verdict, Verdict::Unchanged);
    assert_eq!((answer.tested, answer.structure.common), (2, 2));
    let same = compare_runs("level definition", &a, &a);
    assert!(
        same.rows
            .iter()
            .all(|row| row.delta == Some(0.0) && row.verdict == Verdict::Unchanged)
    );
}

#[test]
fn inclusive_means_come_along_for_pictures() {
    let answer = compare_runs(
        "level definition",
        &[summary(1, BEFORE)],
        &[summary(2, AFTER)],
    );
    assert_eq!(
        inclusive(row_named(&answer, "main.x")),
        [Some(60.0), Some(81.0)]
    );
    assert_eq!(inclusive(row_named(&answer, "w.z")), [None, Some(25.0)]);
}

fn row_named<'a>(answer: &'a Diff, name: &str) -> &'a DiffRow {
    answer.rows.iter().find(|row| row.path == [name]).unwrap()
}
