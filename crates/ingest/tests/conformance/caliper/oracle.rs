//! Statistics over runs, and differences of two, against Hatchet and Thicket.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::profile::Loaded;
use super::{Comparison, Profiles, is_of_source};

/// Mean, standard deviation (n − 1), least, quartiles (type 7) and greatest.
fn statistics(values: &[f64]) -> [(&'static str, f64); 7] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let quantile = |quarters: usize| {
        let place = (sorted.len() - 1) * quarters;
        let (below, part) = (place / 4, (place % 4) as f64 / 4.0);
        let above = (below + 1).min(sorted.len() - 1);
        sorted[below] + (sorted[above] - sorted[below]) * part
    };
    [
        ("mean", mean),
        ("std_sample", (squares / (count - 1.0)).sqrt()),
        ("min", sorted[0]),
        ("q1", quantile(1)),
        ("median", quantile(2)),
        ("q3", quantile(3)),
        ("max", sorted[sorted.len() - 1]),
    ]
}

fn folder<'a>(profiles: &'a Profiles, name: &str) -> Vec<&'a Loaded> {
    let prefix = format!("{name}/");
    let of_folder = |(file, _): &(String, Option<i64>)| {
        file.split_once('/')
            .is_some_and(|(_, rest)| rest.starts_with(&prefix))
    };
    let entries = profiles.iter().filter(|(key, _)| of_folder(key));
    entries.map(|(_, profile)| profile).collect()
}

fn file<'a>(profiles: &'a Profiles, end: &str) -> &'a Loaded {
    let entry = profiles.iter().find(|((file, _), _)| file.ends_with(end));
    entry.unwrap().1
}

/// Compares the statistics of `name` with those of `profiles`; `value` gives a profile's value.
fn ensemble(
    comparison: &mut Comparison,
    data: &Path,
    name: &str,
    profiles: &[&Loaded],
    value: impl Fn(&Loaded, &str, &str) -> Option<f64>,
) {
    let path = data
        .join("call-profiles/oracle")
        .join(format!("{name}.json"));
    let oracle: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let list = |value: &Value| {
        let names = value.as_array().unwrap().iter();
        names
            .map(|name| name.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("/")
    };
    let theirs: BTreeSet<String> = oracle["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(list)
        .collect();
    let ours: BTreeSet<String> = profiles
        .iter()
        .flat_map(|profile| &profile.paths)
        .filter(|path| is_of_source(path))
        .map(|path| path.replace('\u{1f}', "/"))
        .collect();
    comparison.exact(&format!("{name}: call paths"), ours, theirs);
    let runs = oracle["profiles"].as_array().unwrap().len();
    comparison.exact(&format!("{name}: runs"), profiles.len(), runs);
    for row in oracle["stats"].as_array().unwrap() {
        let (path, metric) = (list(&row["path"]), row["metric"].as_str().unwrap());
        let values: Vec<f64> = profiles
            .iter()
            .filter_map(|profile| value(profile, metric, &path))
            .collect();
        let what = format!("{name}: {path} {metric}");
        let n = usize::try_from(row["n"].as_u64().unwrap()).unwrap();
        comparison.exact(&format!("{what} n"), values.len(), n);
        if values.is_empty() {
            continue;
        }
        for (statistic, ours) in statistics(&values) {
            match row[statistic].as_f64() {
                Some(theirs) => {
                    comparison.close(&format!("{what} {statistic}"), ours, theirs, 1e-12);
                }
                None => comparison.exact(&format!("{what} {statistic}"), ours.is_nan(), true),
            }
        }
    }
}

/// Compares the values of both sides, and their difference where both have one.
fn difference(
    comparison: &mut Comparison,
    data: &Path,
    name: &str,
    value: impl Fn(bool, &str) -> Option<f64>,
) {
    let path = data
        .join("call-profiles/oracle")
        .join(format!("{name}.csv"));
    let text = std::fs::read_to_string(path).unwrap();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let theirs = |at: usize| cells[at].parse::<f64>().ok();
        let (a, b) = (value(true, cells[0]), value(false, cells[0]));
        let what = format!("{name}: {}", cells[0]);
        for (ours, theirs) in [(a, theirs(1)), (b, theirs(2))] {
            match (ours, theirs) {
                (Some(ours), Some(theirs)) => comparison.close(&what, ours, theirs, 1e-12),
                (ours, theirs) => comparison.exact(&what, ours, theirs),
            }
        }
        let delta = a.zip(b).map(|(a, b)| a - b);
        match delta.zip(theirs(3)) {
            // A difference of nearly equal numbers is as exact as they are.
            Some((ours, theirs)) => {
                let scale = a.unwrap_or(0.0).abs().max(b.unwrap_or(0.0).abs());
                comparison.close(&what, ours + scale, theirs + scale, 1e-12);
            }
            // Hatchet takes a node that is not there for one of value 0.
            None => comparison.known_fault(&what, delta, theirs(3)),
        }
    }
}

pub(super) fn quartz(comparison: &mut Comparison, profiles: &Profiles, data: &Path) {
    let runs = folder(profiles, "rajaperf-quartz50");
    let value = |run: &Loaded, metric: &str, path: &str| run.value(metric, path);
    ensemble(comparison, data, "E1_quartz50", &runs, value);
    let a = file(profiles, "GCC_1031_BaseSeq_O0_8388608_01.cali");
    let b = file(profiles, "GCC_1031_BaseSeq_O3_8388608_01.cali");
    difference(comparison, data, "E1_diff_O0_minus_O3", |is_a, path| {
        if is_a { a } else { b }.value("time (exc)", path)
    });
}

pub(super) fn mpi_scaling(comparison: &mut Comparison, profiles: &Profiles, data: &Path) {
    let runs = folder(profiles, "lulesh-mpi-scaling5");
    let value = |run: &Loaded, metric: &str, path: &str| run.value(metric, path);
    ensemble(comparison, data, "E2_mpi_scaling5", &runs, value);
    let a = file(profiles, "ckFBIeNS6L3ozgKQP_1.cali");
    let b = file(profiles, "cghRRN5HCwJacMr1l_1.cali");
    difference(comparison, data, "E2_diff_343_minus_27", |is_a, path| {
        if is_a { a } else { b }.value("Avg time/rank", path)
    });
}

/// The mean over all ranks: those without a value have spent no time.
fn mean(run: &Loaded, metric: &str, path: &str) -> Option<f64> {
    let source = match metric {
        "time" => "sum#time.duration",
        _ => "inclusive#sum#time.duration",
    };
    Some(run.value(source, path)? / run.ranks as f64)
}

pub(super) fn weak_scaling(comparison: &mut Comparison, profiles: &Profiles, data: &Path) {
    let runs = folder(profiles, "lulesh-weak-scaling8");
    ensemble(comparison, data, "E3_lulesh_ws8", &runs, mean);
    let paths: BTreeSet<&str> = runs
        .iter()
        .flat_map(|run| &run.paths)
        .map(String::as_str)
        .filter(|path| is_of_source(path))
        .collect();
    let names: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.rsplit('\u{1f}').next())
        .collect();
    comparison.exact("LULESH: call paths of all runs", paths.len(), 45);
    comparison.exact("LULESH: names of all runs", names.len(), 33);
    for (name, ends) in [
        (
            "E3_diff_216_minus_125",
            ["-216cores.json", "-125cores.json"],
        ),
        ("E3_diff_64_minus_1", ["-64cores.json", "-1core.json"]),
    ] {
        let [a, b] = ends.map(|end| {
            let found = format!("weak-scaling8/lulesh-annotation-profile{end}");
            file(profiles, &found)
        });
        difference(comparison, data, name, |is_a, path| {
            mean(if is_a { a } else { b }, "time", path)
        });
    }
    let largest = file(
        profiles,
        "weak-scaling8/lulesh-annotation-profile-512cores.json",
    );
    let measured = largest.observations["sum#time.duration"]
        .iter()
        .filter(|(path, _)| is_of_source(path))
        .map(|(_, count)| count)
        .sum::<i64>();
    comparison.exact("LULESH, 512 ranks: values", measured, 23_549 - 512);
    // Hatchet writes 0 where a rank has not measured a node.
    comparison.known_fault("LULESH, 512 ranks: values", measured, 45 * 512);
}
