//! Scaling studies through the command line alone.
#![expect(clippy::float_cmp, reason = "these values are exact")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_answers::{Diff, Noise, OutOfOrder, Scale};
use sheaf_tests::{as_json, ask, find, grainsheaf, reference, run, sample, word};

use super::add;

/// The parts of every row of loss make its area, and those of groups the whole, exactly.
fn adds_up(answer: &Scale) -> usize {
    let mut work: BTreeMap<(u32, u64), f64> = BTreeMap::new();
    for row in &answer.loss {
        let optional = [row.overhead, row.idle, row.unexplained];
        let optional = optional.map(|part| part.unwrap_or(0.0));
        let parts = [row.ideal, row.inflation].into_iter().chain(optional);
        assert_eq!(parts.sum::<f64>().to_bits(), row.area.to_bits(), "{row:?}");
        let sign = if row.group.is_none() { -1.0 } else { 1.0 };
        let rest = work.entry((row.series, row.p.to_bits())).or_default();
        *rest += sign * (row.ideal + row.inflation);
    }
    assert!(work.values().all(|rest| *rest == 0.0), "{work:?}");
    answer.loss.len()
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
    let answer: Scale = ask(&store, &["scale", "--by", "ranks"]);
    assert_eq!(word(&answer.series[0].kind), "weak");
    assert_eq!(adds_up(&answer), 8 + 268);
    let found = &answer.out_of_order;
    let pairs: Vec<[f64; 2]> = found.iter().map(|it| it.p).collect();
    assert_eq!(pairs, [[125.0, 216.0], [343.0, 512.0]]);
    let first = |place: usize| &found[place].culprits[0].path;
    assert_eq!(*first(0), ["CalcHourglassControlForElems"]);
    assert_eq!(*first(1), ["MPI_Allreduce"]);
    // One run of each: it cannot be distinguished from noise.
    assert!(found.iter().all(|it| it.certain.is_none()));

    // Of both pairs the greatest changes, in either direction, in a difference.
    for (a, b) in [(125, 216), (343, 512)] {
        let [a, b] = [a, b].map(|ranks| format!("ranks = {ranks}"));
        let diff: Diff = ask(&store, &["diff", &a, &b]);
        let mut sizes: Vec<(f64, String)> = diff
            .rows
            .iter()
            .map(|row| (row.delta.unwrap_or(0.0).abs(), row.path.join("/")))
            .collect();
        sizes.sort_by(|x, y| y.0.total_cmp(&x.0));
        let top: BTreeSet<&str> = sizes.iter().take(3).map(|it| it.1.as_str()).collect();
        for culprit in ["MPI_Allreduce", "CalcHourglassControlForElems"] {
            assert!(top.contains(culprit), "{a} {b}: {top:?}");
        }
    }
    culprits_match(found);
}

/// Every culprit's change is the difference of the reference's means over ranks.
fn culprits_match(found: &[OutOfOrder]) {
    let Some(oracle) = reference("call-profiles/oracle") else {
        return;
    };
    let text = std::fs::read_to_string(oracle.join("E3_lulesh_ws8_matrix.json")).unwrap();
    let matrix: Value = serde_json::from_str(&text).unwrap();
    let cores = matrix["cores"].as_array().unwrap();
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let mut compared = 0;
    for pair in found {
        let place = |side: usize| {
            let name = format!("{}cores", pair.p[side]);
            cores.iter().position(|cores| *cores == name).unwrap()
        };
        let (a, b) = (place(0), place(1));
        let mut expected: BTreeMap<String, f64> = BTreeMap::new();
        for (path, values) in matrix["time"].as_object().unwrap() {
            let name = path.rsplit('/').next().unwrap().to_owned();
            *expected.entry(name).or_default() += number(&values[b]) - number(&values[a]);
        }
        for culprit in &pair.culprits {
            let name = culprit.path.join("/");
            // What ran outside any region is not in the reference.
            if name == "(no path)" {
                continue;
            }
            let (ours, reference) = (culprit.delta, expected.remove(&name).unwrap());
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

/// Runs of different sizes are distinguished, and their times are not tested.
#[test]
fn other_numbers_of_ranks_are_seen() {
    let Some((_temporary, store)) = lulesh() else {
        return;
    };
    let answer: Diff = ask(&store, &["diff", "ranks < 100", "ranks > 100"]);
    let environment = answer.environment.iter();
    let found: Vec<&str> = environment
        .map(|change| change.parameter.as_str())
        .collect();
    assert_eq!(found, ["ranks"]);
    assert!(answer.rows.iter().all(|row| row.p.is_none()));
    let notes = as_json(&answer.notes);
    assert!(notes.contains("different numbers of workers"), "{notes}");
    let sides = ["--baseline", "ranks < 100", "--candidate", "ranks > 100"];
    run(&store, ["gate"].iter().chain(&sides)).expect_code(0);
    run(&store, ["gate", "--strict"].iter().chain(&sides)).expect_code(4);
    let noise: Noise = ask(&store, &["noise"]);
    assert_eq!(noise.cohorts.len(), 8);
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
    let store = sample("threads");
    let answer: Scale = ask(&store, &["scale", "--by", "threads"]);
    assert_eq!(answer.schema, "scale/1");
    assert_eq!(answer.series.len(), 1);
    assert_eq!(word(&answer.series[0].kind), "strong");
    let points = &answer.points;
    let p: Vec<f64> = points.iter().map(|point| point.p).collect();
    assert_eq!(p, [1.0, 2.0, 4.0, 8.0]);
    for point in points {
        assert_eq!(point.runs.len(), 5);
        assert!(point.lower_bound.unwrap() <= point.value, "{point:?}");
        let product = point.load_balance.unwrap() * point.communication_efficiency.unwrap();
        assert!((product - point.parallel_efficiency.unwrap()).abs() < 1e-12);
    }
    // Two processors.
    let crowded: Vec<bool> = points.iter().map(|point| point.oversubscribed).collect();
    assert_eq!(crowded, [false, false, true, true]);
    assert!(adds_up(&answer) > 20);
    // Work of the leaves inflates beyond doubt; nothing else loses as much.
    let rows = &answer.loss;
    let last = find(rows, |row| row.p == 8.0 && row.group.is_some());
    assert_eq!(last.path, ["sort_range (task)"]);
    assert!(last.inflation_interval.unwrap()[0] > 1.0, "{last:?}");

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

/// The same numbers in every form: the interval next to a scaled speedup is its own.
#[test]
fn scaled_speedups_have_their_own_intervals() {
    let store = sample("threads");
    let words = ["scale", "--by", "threads", "--scaling", "weak"];
    let answer: Scale = ask(&store, &words);
    let csv = run(&store, [&words[..], &["--csv"]].concat())
        .expect_code(0)
        .stdout;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|it| *it == name).unwrap();
    for (point, line) in answer.points.iter().zip(lines).skip(1) {
        let [low, high] = point.scaled_speedup_interval.unwrap();
        let of_speedup = point.speedup_interval.unwrap();
        for (shown, speedup, name) in [
            (low, of_speedup[0], "scaled_speedup_low"),
            (high, of_speedup[1], "scaled_speedup_high"),
        ] {
            let scaled = point.p * speedup;
            assert!((shown / scaled - 1.0).abs() < 1e-14, "{shown}, {scaled}");
            let written: f64 = line[column(name)].parse().unwrap();
            assert!((written / shown - 1.0).abs() < 1e-14, "{written}, {shown}");
        }
        let speedup = point.scaled_speedup.unwrap();
        assert!(low <= speedup && speedup <= high, "{point:?}");
    }
    let text = run(&store, words).expect_code(0).stdout;
    let row = text.lines().find(|line| line.contains("3.74")).unwrap();
    assert!(row.contains("3.36 … 3.86"), "{row}");
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
    let answer: Scale = ask(&store, &["scale", "--by", "workers", "--where", selection]);
    let names: Vec<&str> = answer.series.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(adds_up(&answer) > 50);
    // Serial runs on one worker only, others on two without one: slots that are empty, and listed.
    assert_eq!(answer.missing.len(), 12);
    // The best time of one worker is that of some runtime: none is better used than fully there.
    let points = &answer.points;
    let single = points.iter().filter(|point| point.p == 1.0);
    let used: Vec<f64> = single.map(|point| point.utilisation.unwrap()).collect();
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
