//! Scaling studies through the command line alone.
#![expect(clippy::float_cmp, reason = "these values are exact")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_tests::{grainsheaf, run, workspace_root};

use super::{add, json, reference};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().unwrap().iter();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// The parts of every row of loss make its area, and those of groups the whole, exactly.
fn adds_up(answer: &Value) -> usize {
    let rows = answer["loss"].as_array().unwrap();
    let mut work: BTreeMap<String, f64> = BTreeMap::new();
    for row in rows {
        let parts = ["ideal", "inflation", "overhead", "idle", "unexplained"];
        let sum: f64 = parts.iter().map(|part| number(&row[*part])).sum();
        assert_eq!(sum.to_bits(), number(&row["area"]).to_bits(), "{row}");
        let own = number(&row["ideal"]) + number(&row["inflation"]);
        let sign = if row["group"].is_null() { -1.0 } else { 1.0 };
        *work
            .entry(format!("{} {}", row["series"], row["p"]))
            .or_default() += sign * own;
    }
    assert!(work.values().all(|rest| *rest == 0.0), "{work:?}");
    rows.len()
}

fn lulesh() -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8")?;
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    add(&store, &folder, &[]);
    Some((temporary, store))
}

/// Which runs are out of order, and which groups made them so: reported in the paper on `CallFlow`,
/// found here without a word about it.
#[test]
fn runs_of_lulesh_out_of_order_are_found_with_their_culprits() {
    let Some((_temporary, store)) = lulesh() else {
        return;
    };
    let answer = json(&store, &["scale", "--json", "--by", "ranks"]);
    assert_eq!(answer["series"][0]["kind"], "weak");
    assert_eq!(adds_up(&answer), 8 + 268);
    let found = answer["out_of_order"].as_array().unwrap();
    let pairs: Vec<String> = found.iter().map(|it| it["p"].to_string()).collect();
    assert_eq!(pairs, ["[125.0,216.0]", "[343.0,512.0]"]);
    let first = |place: usize| texts(&found[place]["culprits"][0]["path"]);
    assert_eq!(first(0), ["CalcHourglassControlForElems"]);
    assert_eq!(first(1), ["MPI_Allreduce"]);
    // One run of each: nothing tells it from noise, and that is said.
    assert!(found.iter().all(|it| it["certain"].is_null()));

    // Of both pairs the greatest changes, in either direction, in a difference.
    for (a, b) in [(125, 216), (343, 512)] {
        let [a, b] = [a, b].map(|ranks| format!("ranks = {ranks}"));
        let diff = json(&store, &["diff", "--json", &a, &b]);
        let rows = diff["rows"].as_array().unwrap();
        let mut sizes: Vec<(f64, Vec<String>)> = rows
            .iter()
            .map(|row| (number(&row["delta"]).abs(), texts(&row["path"])))
            .collect();
        sizes.sort_by(|x, y| y.0.total_cmp(&x.0));
        let top: BTreeSet<String> = sizes.iter().take(3).map(|it| it.1.join("/")).collect();
        for culprit in ["MPI_Allreduce", "CalcHourglassControlForElems"] {
            assert!(top.contains(culprit), "{a} {b}: {top:?}");
        }
    }
    culprits_match(found);
}

/// Every culprit's change is the difference of the reference's means over ranks.
fn culprits_match(found: &[Value]) {
    let Some(oracle) = reference("call-profiles/oracle") else {
        return;
    };
    let text = std::fs::read_to_string(oracle.join("E3_lulesh_ws8_matrix.json")).unwrap();
    let matrix: Value = serde_json::from_str(&text).unwrap();
    let cores = texts(&matrix["cores"]);
    let mut compared = 0;
    for pair in found {
        let place = |side: usize| {
            let name = format!("{}cores", number(&pair["p"][side]));
            cores.iter().position(|cores| *cores == name).unwrap()
        };
        let (a, b) = (place(0), place(1));
        let mut expected: BTreeMap<String, f64> = BTreeMap::new();
        for (path, values) in matrix["time"].as_object().unwrap() {
            let name = path.rsplit('/').next().unwrap().to_owned();
            *expected.entry(name).or_default() += number(&values[b]) - number(&values[a]);
        }
        for culprit in pair["culprits"].as_array().unwrap() {
            let name = texts(&culprit["path"]).join("/");
            // What ran outside any region is not in the reference.
            if name == "(no path)" {
                continue;
            }
            let (ours, reference) = (number(&culprit["delta"]), expected.remove(&name).unwrap());
            assert!(
                (ours - reference).abs() < 1e-4,
                "{name}: {ours}, reference {reference}"
            );
            compared += 1;
        }
        assert!(expected.values().all(|rest| *rest == 0.0), "{expected:?}");
    }
    println!("{compared} changes of groups");
    assert_eq!(compared, 66);
}

/// Runs of different sizes are told apart, and their times not tested.
#[test]
fn other_numbers_of_ranks_are_seen() {
    let Some((_temporary, store)) = lulesh() else {
        return;
    };
    let answer = json(&store, &["diff", "ranks < 100", "ranks > 100", "--json"]);
    let environment = answer["environment"].as_array().unwrap().iter();
    let found: Vec<&str> = environment
        .map(|change| change["parameter"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["ranks"]);
    let rows = answer["rows"].as_array().unwrap();
    let is_tested = |row: &&Value| row["p"].is_number();
    assert_eq!(rows.iter().filter(is_tested).count(), 0);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("different numbers of workers"), "{notes}");
    let sides = ["--baseline", "ranks < 100", "--candidate", "ranks > 100"];
    run(&store, ["gate"].iter().chain(&sides)).expect_code(0);
    run(&store, ["gate", "--strict"].iter().chain(&sides)).expect_code(4);
    let noise = json(&store, &["noise", "--json"]);
    assert_eq!(noise["cohorts"].as_array().unwrap().len(), 8);
}

#[test]
fn order_of_import_and_threads_change_no_bit() {
    let Some((temporary, store)) = lulesh() else {
        return;
    };
    let folder = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8").unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let other = temporary.path().join("other");
    for file in files.iter().rev() {
        add(&other, file, &[]);
    }
    let text = |store: &Path, threads: &str| {
        let mut command = grainsheaf(store);
        command.env("RAYON_NUM_THREADS", threads);
        let output = command
            .args(["scale", "--by", "ranks", "--json"])
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = text(&store, "1");
    assert_eq!(text(&store, "2"), expected);
    assert_eq!(text(&store, "8"), expected);
    assert_eq!(text(&other, "8"), expected);
}

#[test]
fn the_study_of_threads_tells_what_inflates() {
    let store = workspace_root().join("data/ensembles/threads");
    let answer = json(&store, &["scale", "--json", "--by", "threads"]);
    assert_eq!(answer["schema"], "scale/1");
    assert_eq!(answer["series"].as_array().unwrap().len(), 1);
    assert_eq!(answer["series"][0]["kind"], "strong");
    let points = answer["points"].as_array().unwrap();
    let p: Vec<f64> = points.iter().map(|point| number(&point["p"])).collect();
    assert_eq!(p, [1.0, 2.0, 4.0, 8.0]);
    for point in points {
        assert_eq!(point["runs"].as_array().unwrap().len(), 5);
        let [lower, time] = ["lower_bound", "value"].map(|name| number(&point[name]));
        assert!(lower <= time, "{point}");
        let of = |name: &str| number(&point[name]);
        let product = of("load_balance") * of("communication_efficiency");
        assert!((product - of("parallel_efficiency")).abs() < 1e-12);
    }
    // Two processors.
    let crowded: Vec<bool> = points
        .iter()
        .map(|point| point["oversubscribed"].as_bool().unwrap())
        .collect();
    assert_eq!(crowded, [false, false, true, true]);
    assert!(adds_up(&answer) > 20);
    // Work of the leaves inflates beyond doubt; nothing else loses as much.
    let rows = answer["loss"].as_array().unwrap();
    let last = rows
        .iter()
        .find(|row| number(&row["p"]) == 8.0 && !row["group"].is_null());
    let last = last.unwrap();
    assert_eq!(texts(&last["path"]), ["sort_range (task)"]);
    assert!(number(&last["inflation_interval"][0]) > 1.0, "{last}");

    let text = run(&store, ["scale", "--by", "threads"])
        .expect_code(0)
        .stdout;
    for line in [
        "all runs, strong scaling by threads, elapsed time, 20 runs",
        "Efficiencies (POP)",
        "Where the time of a worker went",
        "Groups at threads = 8, by what they lost",
        "there are more workers than processors",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for (table, rows) in [
        ("points", 5),
        ("models", 12),
        ("loss", 1 + rows.len()),
        ("out_of_order", 1),
    ] {
        let csv = run(
            &store,
            ["scale", "--by", "threads", "--csv", "--table", table],
        );
        let csv = csv.expect_code(0).stdout;
        assert!(csv.starts_with("series,"), "{csv}");
        assert_eq!(csv.lines().count(), rows, "{table}");
    }
}

/// The same numbers in every form: the interval beside a scaled speedup is its own.
#[test]
fn scaled_speedups_have_their_own_intervals() {
    let store = workspace_root().join("data/ensembles/threads");
    let words = ["scale", "--by", "threads", "--scaling", "weak"];
    let answer = json(&store, &[&words[..], &["--json"]].concat());
    let csv = run(&store, [&words[..], &["--csv"]].concat())
        .expect_code(0)
        .stdout;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|it| *it == name).unwrap();
    for (point, line) in answer["points"]
        .as_array()
        .unwrap()
        .iter()
        .zip(lines)
        .skip(1)
    {
        for (end, name) in ["scaled_speedup_low", "scaled_speedup_high"]
            .into_iter()
            .enumerate()
        {
            let shown = number(&point["scaled_speedup_interval"][end]);
            let scaled = number(&point["p"]) * number(&point["speedup_interval"][end]);
            assert!((shown / scaled - 1.0).abs() < 1e-14, "{shown}, {scaled}");
            let written: f64 = line[column(name)].parse().unwrap();
            assert!((written / shown - 1.0).abs() < 1e-14, "{written}, {shown}");
        }
        assert!(number(&point["scaled_speedup_interval"][0]) <= number(&point["scaled_speedup"]));
        assert!(number(&point["scaled_speedup_interval"][1]) >= number(&point["scaled_speedup"]));
    }
    let text = run(&store, words).expect_code(0).stdout;
    let row = text.lines().find(|line| line.contains("2.12")).unwrap();
    assert!(row.contains("1.94 … 2.81"), "{row}");
}

#[test]
fn programs_and_runtimes_are_series_of_their_own() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let input = folder.display().to_string();
    let pattern = "{variant}/{runtime}-w{workers:int}.dag";
    run(&store, ["add", "--json", &input, "--params-from", pattern]).expect_code(3);
    let selection = "variant in ('sort', 'fib', 'strassen')";
    let answer = json(
        &store,
        &["scale", "--json", "--by", "workers", "--where", selection],
    );
    let names: Vec<&str> = answer["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(adds_up(&answer) > 50);
    // Serial runs on one worker only, others on two without one: slots that are empty, and listed.
    assert_eq!(answer["missing"].as_array().unwrap().len(), 12);
    // The best time of one worker is that of some runtime: none is better used than fully there.
    let points = answer["points"].as_array().unwrap();
    let single = points.iter().filter(|point| number(&point["p"]) == 1.0);
    let used: Vec<f64> = single.map(|point| number(&point["utilisation"])).collect();
    assert_eq!(used.len(), 9);
    assert!(
        used.iter().all(|&used| used > 0.0 && used <= 1.0),
        "{used:?}"
    );
    assert_eq!(used.iter().filter(|&&used| used == 1.0).count(), 3);
    let refused = run(&store, ["scale", "--by", "runtime"])
        .expect_code(2)
        .stderr;
    assert!(refused.contains("not a positive number"), "{refused}");
}
