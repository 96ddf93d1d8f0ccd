//! `diff --level grain` on the sample ensembles, through the command line alone.

#![expect(
    clippy::float_cmp,
    reason = "the values are exact, or rounded in the same way"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use sheaf_tests::{Service, run, workspace_root};

use crate::json;

fn sample(name: &str) -> PathBuf {
    workspace_root().join("data/ensembles").join(name)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn rows(answer: &Value) -> &[Value] {
    answer["rows"].as_array().unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn thread_counts_have_the_same_grains_and_the_work_of_their_runs() {
    let store = sample("threads");
    let [a, b] = ["threads = 1", "threads = 8"];
    let answer = json(&store, &["diff", a, b, "--level", "grain", "--json"]);
    assert_eq!(answer["schema"], "grain-diff/1");
    let totals = &answer["totals"];
    // Seven more members of the team, no task more or less.
    assert_eq!(
        (&totals["matched"], &totals["only_a"], &totals["only_b"]),
        (&544.into(), &0.into(), &7.into())
    );
    let only: Vec<&Value> = rows(&answer)
        .iter()
        .filter(|row| row["runs_a"] == 0)
        .map(|row| &row["kind"])
        .collect();
    assert_eq!(only, ["implicit"; 7]);

    // What is summed grain by grain is what is summed definition by definition.
    let groups = json(&store, &["diff", a, b, "--json", "--over", "ranks=sum"]);
    for key in ["a", "b", "delta"] {
        assert!(
            close(number(&totals[key]), number(&groups["totals"][key])),
            "{key}"
        );
    }
    let by_name: BTreeMap<&str, &Value> = rows(&groups)
        .iter()
        .map(|row| (row["path"][0].as_str().unwrap(), row))
        .collect();
    let definitions = answer["definitions"].as_array().unwrap();
    assert!(definitions.len() > 5);
    for it in definitions {
        let name = it["definition"].as_str().unwrap();
        // What a member of a team does in a `single` is work of the grain that it is.
        if name != "main (parallel)" {
            let other = number(&by_name[name]["delta"]);
            assert!(close(number(&it["delta"]), other), "{it}");
        }
        let own = rows(&answer)
            .iter()
            .filter(|row| row["definition"] == it["definition"]);
        let sum: f64 = own.map(|row| number(&row["delta"])).sum();
        assert!(close(sum, number(&it["delta"])), "{it}");
    }

    // The other way around every change has the other sign.
    let swapped = json(&store, &["diff", b, a, "--level", "grain", "--json"]);
    assert_eq!(rows(&swapped).len(), rows(&answer).len());
    for (row, other) in rows(&answer).iter().zip(rows(&swapped)) {
        assert_eq!(row["path"], other["path"]);
        assert_eq!(number(&row["delta"]), 0.0 - number(&other["delta"]));
        assert_eq!(
            (&row["a"], &row["delay_b"]),
            (&other["b"], &other["delay_a"])
        );
    }
}

#[test]
fn one_run_against_another_is_work_deviation() {
    let store = sample("threads");
    let runs = json(&store, &["runs", "--json"]);
    let name = |threads: f64| {
        let of = |run: &&Value| number(&run["params"]["threads"]) == threads;
        let run = runs["runs"].as_array().unwrap().iter().find(of).unwrap();
        run["run"].as_str().unwrap().to_owned()
    };
    let [a, b] = [name(1.0), name(4.0)];
    let answer = json(
        &store,
        &[
            "diff", &a, &b, "--level", "grain", "--grains", "matched", "--json",
        ],
    );
    let grains = json(
        &store,
        &["grains", &b, "--all", "--reference", &a, "--json"],
    );
    let mut deviations: BTreeMap<&str, &Value> = BTreeMap::new();
    for row in rows(&grains) {
        deviations.insert(row["path_key"].as_str().unwrap(), &row["work_deviation"]);
    }
    let mut compared = 0;
    for row in rows(&answer) {
        assert_eq!(
            &row["work_deviation"],
            deviations[row["path_key"].as_str().unwrap()]
        );
        compared += usize::from(row["work_deviation"].is_number());
        // Integers of one run on each side, so nothing is rounded.
        assert_eq!(number(&row["delta"]), number(&row["b"]) - number(&row["a"]));
    }
    assert_eq!(compared, 544);
}

/// The grains of a definition.
fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let found = answer["definitions"].as_array().unwrap().iter();
    let mut found = found.filter(|it| it["definition"] == name);
    found.next().unwrap()
}

#[test]
fn grains_are_matched_through_a_task_that_was_renamed() {
    let words = ["diff", "version = 1", "version = 2", "--level", "grain"];
    let store = sample("versions");
    let answer = json(&store, &[&words[..], &["--json"]].concat());
    let both = of(&answer, "sort_range (task) → sort_block:139 (task)");
    assert_eq!(
        (&both["matched"], &both["only_a"], &both["only_b"]),
        (&84.into(), &0.into(), &0.into())
    );
    // Its merges, which hang below it, come along; all but the new task is matched.
    let totals = &answer["totals"];
    assert_eq!(
        (&totals["matched"], &totals["only_a"], &totals["only_b"]),
        (&547.into(), &0.into(), &21.into())
    );
    let new = of(&answer, "sort_block:144 (task)");
    // What A lacks is not zero.
    assert!(
        new.get("a").is_none() && new["b"].as_f64() > Some(0.0),
        "{new}"
    );
    let renames = &answer["renames"][0]["names"];
    assert_eq!(renames[1]["matched_by"], "inferred");
    assert_eq!(renames[1]["score"], 1.0);
    let mut ways = BTreeMap::new();
    for row in answer["rows"].as_array().unwrap() {
        *ways
            .entry(row["matched_by"].as_str().unwrap_or("none"))
            .or_insert(0) += 1;
    }
    // What is not below the renamed task keeps its path.
    assert_eq!(
        ways,
        BTreeMap::from([("inferred", 350), ("none", 21), ("path", 197)])
    );
    // Grain by grain and definition by definition the work is that of `--level definition`.
    let groups = json(
        &store,
        &["diff", words[1], words[2], "--json", "--over", "ranks=sum"],
    );
    let group = groups["rows"].as_array().unwrap().iter();
    let mut group = group.filter(|row| row["path"][0] == both["definition"]);
    let group = group.next().unwrap();
    for key in ["a", "b", "delta"] {
        assert!(close(number(&both[key]), number(&group[key])), "{key}");
        assert!(
            close(number(&totals[key]), number(&groups["totals"][key])),
            "{key}"
        );
    }
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
    crate::structure::copy(&sample("versions"), &store);
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
    let answer = json(&store, &[&words[..], &["--json"]].concat());
    let old = of(&answer, "sort_range (task)");
    let new = of(&answer, "sort_block:139 (task)");
    assert_eq!(
        (&old["matched"], &old["only_a"], &old["only_b"]),
        (&0.into(), &84.into(), &0.into())
    );
    assert_eq!((&new["only_a"], &new["only_b"]), (&0.into(), &84.into()));
    let total = answer["total"].as_u64().unwrap();
    let totals = &answer["totals"];
    assert_eq!(
        total,
        totals["only_a"].as_u64().unwrap() + totals["only_b"].as_u64().unwrap()
    );
    let text = run(&store, words).expect_code(0).stdout;
    assert!(text.contains("where a definition was renamed"), "{text}");
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
    let whole = service.get(&path).json();
    let words = [
        "diff",
        "threads = 1",
        "threads = 8",
        "--level",
        "grain",
        "--json",
    ];
    assert_eq!(whole, json(&store, &words));
    let mut pages = Vec::new();
    for offset in [0, 200, 400, 600] {
        let page = service
            .get(&format!("{path}&offset={offset}&limit=200"))
            .json();
        assert_eq!(page["offset"], offset);
        pages.extend(rows(&page).to_vec());
    }
    assert_eq!(pages, rows(&whole));
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
    let words = ["stats", "--over", "grains", "--by", "threads", "--json"];
    let answer = json(&store, &words);
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.contains("of 20 runs are drawn, not tested"), "{note}");
    for row in rows(&answer) {
        let bins = row["histogram"]["counts"].as_array().unwrap().iter();
        let count: u64 = bins.map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(row["count"], count);
        assert_eq!(row["scope"], "exclusive");
    }
    let service = Service::start(&store, &[]);
    let lens = Service::encode("by threads | scope exclusive");
    let http = service
        .get(&format!("/api/v1/stats/grains?lens={lens}"))
        .json();
    assert_eq!(http["rows"], answer["rows"]);
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
