//! `diff --level grain` on the sample ensembles, through the command line alone.

#![expect(
    clippy::float_cmp,
    reason = "the values are exact, or rounded in the same way"
)]

use std::collections::BTreeMap;

use sheaf_answers::{Diff, GrainDiff, GrainDiffGroup, Grains, MetricValue, Runs, Stats};
use sheaf_model::Scope;
use sheaf_tests::{Service, ask, copy, find, number, run, sample, word};

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Whether grains summed one by one are what definitions add up to: means of both sides, and their difference.
fn is_sum(grains: &GrainDiffGroup, expected: [Option<f64>; 3]) -> bool {
    let own = [grains.a, grains.b, Some(grains.delta)];
    let mut pairs = own.into_iter().zip(expected);
    pairs.all(|(own, expected)| is_close(own.unwrap_or(0.0), expected.unwrap_or(0.0)))
}

fn of_totals(diff: &Diff) -> [Option<f64>; 3] {
    let totals = diff.totals.as_ref().unwrap();
    [Some(totals.a), Some(totals.b), Some(totals.delta)]
}

/// Grains that both sides have, that only A and that only B has.
fn counts(grains: &GrainDiffGroup) -> [u64; 3] {
    [grains.matched, grains.only_a, grains.only_b]
}

#[test]
fn thread_counts_have_the_same_grains_and_the_work_of_their_runs() {
    let store = sample("threads");
    let [a, b] = ["threads = 1", "threads = 8"];
    let answer: GrainDiff = ask(&store, &["diff", a, b, "--level", "grain"]);
    assert_eq!(answer.schema, "grain-diff/1");
    // Seven more members of the team, no task more or less.
    assert_eq!(counts(&answer.totals), [544, 0, 7]);
    let only = answer.rows.iter().filter(|row| row.runs_a == 0);
    let only: Vec<&str> = only.map(|row| row.kind.as_str()).collect();
    assert_eq!(only, ["implicit"; 7]);

    // What is summed grain by grain is what is summed definition by definition.
    let groups: Diff = ask(&store, &["diff", a, b, "--over", "ranks=sum"]);
    assert!(is_sum(&answer.totals, of_totals(&groups)), "{answer:?}");
    assert!(answer.definitions.len() > 5);
    for it in &answer.definitions {
        let delta = it.grains.delta;
        // What a member of a team does in a `single` is work of the grain that it is.
        if it.definition != "main (parallel)" {
            let group = find(&groups.rows, |row| row.path[0] == it.definition);
            assert!(is_close(delta, group.delta.unwrap()), "{it:?}");
        }
        let own = answer.rows.iter();
        let own = own.filter(|row| row.definition == it.definition);
        let sum: f64 = own.filter_map(|row| row.delta).sum();
        assert!(is_close(sum, delta), "{it:?}");
    }

    // The other way around every change has the other sign.
    let swapped: GrainDiff = ask(&store, &["diff", b, a, "--level", "grain"]);
    assert_eq!(swapped.rows.len(), answer.rows.len());
    for (row, other) in answer.rows.iter().zip(&swapped.rows) {
        assert_eq!(row.path, other.path);
        assert_eq!(row.delta, other.delta.map(|delta| 0.0 - delta));
        assert_eq!((row.a, row.delay_b), (other.b, other.delay_a));
    }
}

#[test]
fn one_run_against_another_is_work_deviation() {
    let store = sample("threads");
    let runs: Runs = ask(&store, &["runs"]);
    let id = |threads: f64| {
        let run = find(&runs.runs, |run| number(&run.params["threads"]) == threads);
        run.run.clone()
    };
    let [a, b] = [id(1.0), id(4.0)];
    let words = ["diff", &a, &b, "--level", "grain", "--grains", "matched"];
    let answer: GrainDiff = ask(&store, &words);
    let grains: Grains = ask(&store, &["grains", &b, "--all", "--reference", &a]);
    let mut deviations = BTreeMap::new();
    for row in grains.rows.iter() {
        let deviation = row.metrics.get("work_deviation").copied();
        deviations.insert(row.path_key, deviation.map(float));
    }
    let mut compared = 0;
    for row in &answer.rows {
        assert_eq!(row.work_deviation, deviations[&row.path_key]);
        compared += usize::from(row.work_deviation.is_some());
        // Integers of one run on each side, so nothing is rounded.
        assert_eq!(row.delta, Some(row.b.unwrap() - row.a.unwrap()));
    }
    assert_eq!(compared, 544);
}

fn float(value: MetricValue) -> f64 {
    match value {
        MetricValue::Integer(value) => value as f64,
        MetricValue::Float(value) => value,
    }
}

/// The grains of a definition.
fn grains_of<'a>(answer: &'a GrainDiff, name: &str) -> &'a GrainDiffGroup {
    &find(&answer.definitions, |it| it.definition == name).grains
}

#[test]
fn grains_are_matched_through_a_task_that_was_renamed() {
    let words = ["diff", "version = 1", "version = 2", "--level", "grain"];
    let store = sample("versions");
    let answer: GrainDiff = ask(&store, &words);
    let name = "sort_range (task) → sort_block:139 (task)";
    let both = grains_of(&answer, name);
    assert_eq!(counts(both), [84, 0, 0]);
    // Its merges, which hang below it, come along; all but the new task is matched.
    assert_eq!(counts(&answer.totals), [547, 0, 21]);
    let new = grains_of(&answer, "sort_block:144 (task)");
    // What A lacks is not zero.
    assert!(new.a.is_none() && new.b > Some(0.0), "{new:?}");
    let renamed = &answer.renames[0].names[1];
    assert_eq!(word(&renamed.matched_by), "inferred");
    assert_eq!(renamed.score, Some(1.0));
    let mut ways = BTreeMap::new();
    for row in &answer.rows {
        *ways.entry(word(&row.matched_by)).or_insert(0) += 1;
    }
    // What is not below the renamed task keeps its path.
    assert_eq!(
        ways,
        BTreeMap::from(
            [("inferred", 350), ("null", 21), ("path", 197)]
                .map(|(way, count)| (way.to_owned(), count))
        )
    );
    // Grain by grain and definition by definition the work is that of `--level definition`.
    let groups: Diff = ask(&store, &["diff", words[1], words[2], "--over", "ranks=sum"]);
    let group = find(&groups.rows, |row| row.path[0] == name);
    assert!(is_sum(both, [group.a, group.b, group.delta]), "{both:?}");
    assert!(is_sum(&answer.totals, of_totals(&groups)), "{answer:?}");
    let text = run(&store, words).expect_code(0).stdout;
    let through = "through sort_range (task) → sort_block:139 (task)  inferred, score 1.00";
    assert!(text.contains(through), "{text}");
    let csv = run(&store, [&words[..], &["--csv"]].concat())
        .expect_code(0)
        .stdout;
    let inferred = csv.lines().filter(|line| line.ends_with(",inferred,1"));
    assert_eq!(inferred.count(), 350);
}

#[test]
fn grains_of_a_task_that_is_said_to_be_another_are_on_one_side() {
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    copy(&sample("versions"), &store);
    let pair = "sort_range (task) = sort_block:139 (task)";
    run(&store, ["match", "--reject", pair]).expect_code(0);
    let words = [
        "diff",
        "version = 1",
        "version = 2",
        "--level",
        "grain",
        "--grains",
        "unmatched",
    ];
    let answer: GrainDiff = ask(&store, &words);
    let old = grains_of(&answer, "sort_range (task)");
    let new = grains_of(&answer, "sort_block:139 (task)");
    assert_eq!((counts(old), counts(new)), ([0, 84, 0], [0, 0, 84]));
    let total = answer.total;
    assert_eq!(total, answer.totals.only_a + answer.totals.only_b);
    let text = run(&store, words).expect_code(0).stdout;
    assert!(text.contains("if a definition was renamed"), "{text}");
    assert!(
        text.contains("+ only in B") && text.contains("`--limit 0` shows all"),
        "{text}"
    );
    let csv = run(&store, [&words[..], &["--csv"]].concat())
        .expect_code(0)
        .stdout;
    assert_eq!(csv.lines().count() as u64, total + 1);
    assert!(
        csv.starts_with("path,definition,path_key,kind,runs_a,runs_b,a,b,delta,work_deviation,")
    );
}

#[test]
fn http_says_the_same_page_by_page_and_as_arrow() {
    let store = sample("threads");
    let service = Service::start(&store, &[]);
    let lens = "scope exclusive | diff \"threads = 1\" to \"threads = 8\"";
    let path = format!("/api/v1/diff/grains?lens={}", Service::encode(lens));
    let whole: GrainDiff = service.read(&path);
    let words = ["diff", "threads = 1", "threads = 8", "--level", "grain"];
    assert_eq!(whole, ask(&store, &words));
    let mut pages = Vec::new();
    for offset in [0, 200, 400, 600] {
        let page: GrainDiff = service.read(&format!("{path}&offset={offset}&limit=200"));
        assert_eq!(page.offset, offset);
        pages.extend(page.rows);
    }
    assert_eq!(pages, whole.rows);
    let arrow = service.get(&format!("{path}&format=arrow&grains=matched"));
    let mut reader =
        arrow::ipc::reader::StreamReader::try_new(arrow.body.as_slice(), None).unwrap();
    let batch = reader.next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (544, 18));
    assert_eq!(service.get(&format!("{path}&limit=0")).status, 400);
    assert_eq!(service.get("/api/v1/diff/grains").status, 400);
}

#[test]
fn what_grains_have_not_is_refused_with_the_reason() {
    let store = sample("threads");
    let check = |more: &[&str], expected: &str| {
        let words = [&["diff", "threads = 1", "threads = 8"], more].concat();
        let outcome = run(&store, words).expect_code(2);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    };
    check(
        &["--level", "grain", "--fail-on", "slower"],
        "grains have no verdicts",
    );
    check(
        &["--level", "grain", "--metric", "waiting_ns"],
        "not by `waiting_ns`",
    );
    check(
        &["--level", "grain", "--over", "ranks=max"],
        "a grain runs on one rank",
    );
    check(
        &["--level", "grain", "--arrow", "--csv"],
        "exclude each other",
    );
    check(&["--grains", "matched"], "for `--level grain`");
    check(&["--level", "grains"], "module, definition, context, grain");
}

#[test]
fn distributions_over_grains_are_the_same_over_http_and_say_what_they_are() {
    let store = sample("threads");
    let answer: Stats = ask(&store, &["stats", "--over", "grains", "--by", "threads"]);
    let note = &answer.notes[0].text;
    assert!(note.contains("of 20 runs are drawn, not tested"), "{note}");
    for row in &answer.rows {
        let counts = &row.histogram.as_ref().unwrap().counts;
        assert_eq!(row.count, counts.iter().sum::<u64>());
        assert_eq!(row.scope, Scope::Exclusive);
    }
    let service = Service::start(&store, &[]);
    let lens = Service::encode("by threads | scope exclusive");
    let http: Stats = service.read(&format!("/api/v1/stats/grains?lens={lens}"));
    assert_eq!(http.rows, answer.rows);
    let refused = run(&store, ["stats", "--over", "grains", "--metric", "grains"]).expect_code(2);
    assert!(
        refused.stderr.contains("not known of single grains"),
        "{}",
        refused.stderr
    );
    let text = run(&store, ["stats", "--over", "grains"])
        .expect_code(0)
        .stdout;
    assert!(text.lines().nth(1).unwrap().contains("grains"), "{text}");
}
