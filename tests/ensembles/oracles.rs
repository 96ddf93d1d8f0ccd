//! `stats` and `diff` of call profiles against Hatchet, Thicket and numpy, value by value.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{add, json, reference};

/// Names of the oracle's statistics, and ours.
const STATISTICS: [(&str, &str); 8] = [
    ("n", "runs"),
    ("mean", "mean"),
    ("std_sample", "std"),
    ("min", "min"),
    ("q1", "q1"),
    ("median", "median"),
    ("q3", "q3"),
    ("max", "max"),
];

fn path_of(row: &Value) -> String {
    let names = row["path"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    names.join("/")
}

fn by_path(answer: &Value) -> BTreeMap<String, Value> {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().map(|row| (path_of(row), row.clone())).collect()
}

fn oracle(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("oracle").join(name)).unwrap()
}

/// Ids of the runs by the names of their files, without the ending.
fn ids(added: &Value) -> BTreeMap<String, String> {
    let id = |file: &Value| {
        let name = Path::new(file["path"].as_str().unwrap())
            .file_stem()
            .unwrap();
        let run = file["runs"][0].as_str().unwrap();
        (name.to_string_lossy().into_owned(), run.to_owned())
    };
    added["files"].as_array().unwrap().iter().map(id).collect()
}

/// Compares all statistics of an ensemble's oracle with those of `stats`, to 13 digits of the
/// value or the mean; returns how many. `ask` gives our name of a metric and its scope.
fn statistics(store: &Path, oracle: &str, ask: fn(&str) -> (&str, &str)) -> usize {
    let oracle: Value = serde_json::from_str(oracle).unwrap();
    let mut by_metric: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in oracle["stats"].as_array().unwrap() {
        by_metric
            .entry(row["metric"].as_str().unwrap())
            .or_default()
            .push(row);
    }
    let mut compared = 0;
    for (metric, rows) in by_metric {
        let (name, scope) = ask(metric);
        let words = [
            "stats", "--json", "--metric", name, "--level", "context", "--scope", scope,
        ];
        let ours = by_path(&json(store, &words));
        for row in rows {
            let own = &ours[&path_of(row)];
            let scale = row["mean"].as_f64().unwrap_or(0.0).abs();
            for (theirs, name) in STATISTICS {
                let what = format!("{metric} of {}: {name}", path_of(row));
                match row[theirs].as_f64() {
                    Some(value) => {
                        let ours = own[name].as_f64().unwrap_or(f64::NAN);
                        let tolerance = 1e-13 * scale.max(value.abs());
                        assert!((ours - value).abs() <= tolerance, "{what} {ours}, {value}");
                    }
                    None => assert!(own.get(name).is_none(), "{what} {own}"),
                }
                compared += 1;
            }
        }
    }
    compared
}

/// A row of a peer's difference: path, values of the minuend and the subtrahend, difference, and
/// its code of a node that is missing on a side.
struct Difference<'a> {
    path: &'a str,
    values: [Option<f64>; 2],
    delta: Option<f64>,
    is_one_sided: bool,
}

fn differences(csv: &str) -> Vec<Difference<'_>> {
    csv.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |at: usize| {
                cells[at]
                    .parse::<f64>()
                    .ok()
                    .filter(|value| !value.is_nan())
            };
            Difference {
                path: cells[0],
                values: [number(1), number(2)],
                delta: number(3),
                is_one_sided: number(1).is_none() || number(2).is_none(),
            }
        })
        .collect()
}

/// Compares a peer's difference `a − b` with ours from b to a and back; returns how many values
/// were compared and how many rows are on one side only.
fn difference(
    store: &Path,
    sides: [&str; 2],
    metric: &str,
    is_inclusive: bool,
    csv: &str,
) -> [usize; 2] {
    let ask = |from: &str, to: &str| {
        json(
            store,
            &[
                "diff", "--json", from, to, "--metric", metric, "--level", "context",
            ],
        )
    };
    let [minuend, subtrahend] = sides;
    let (there, back) = (ask(subtrahend, minuend), ask(minuend, subtrahend));
    let totals = |side: &str| there["totals"][side].as_f64().unwrap();
    // Means of a diff are multiples of one power of two, so that they add up without rounding.
    let unit = (totals("a") + totals("b")) * 2.0_f64.powi(-51);
    let (ours, reversed) = (by_path(&there), by_path(&back));
    let (mut compared, mut one_sided) = (0, 0);
    for theirs in differences(csv) {
        let own = &ours[theirs.path];
        let names = if is_inclusive {
            ["inclusive_b", "inclusive_a"]
        } else {
            ["b", "a"]
        };
        let values = names.map(|name| own[name].as_f64());
        for (ours, value) in values.into_iter().zip(theirs.values) {
            let tolerance = unit + 1e-13 * value.unwrap_or(0.0).abs();
            let is_met = match (ours, value) {
                (Some(ours), Some(value)) => (ours - value).abs() <= tolerance,
                (ours, value) => ours == value,
            };
            assert!(is_met, "{}: {ours:?}, {value:?}", theirs.path);
            compared += 1;
        }
        let own_value = if is_inclusive {
            values[0].unwrap_or(0.0) - values[1].unwrap_or(0.0)
        } else {
            own["delta"].as_f64().unwrap()
        };
        let value = theirs.delta.unwrap();
        let scale = theirs
            .values
            .iter()
            .flatten()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let is_met = (own_value - value).abs() <= 2.0 * unit + 2e-13 * scale;
        assert!(is_met, "{}: delta {own_value}, {value}", theirs.path);
        compared += 1;
        // Ours the other way round is the same with the other sign, to the last bit.
        let own_delta = own["delta"].as_f64().unwrap();
        let negated = reversed[theirs.path]["delta"].as_f64().unwrap();
        assert!((own_delta + negated).abs() <= 0.0, "{}", theirs.path);
        if theirs.is_one_sided {
            // The peer takes a missing subtrahend for 0 here, but its reversed difference is NaN
            // for the same node: a known fault, since it neither negates nor conserves.
            assert_eq!(theirs.values[1], None);
            assert_eq!(
                (own["verdict"].as_str(), own_delta > 0.0),
                (Some("appeared"), true)
            );
            let verdict = &reversed[theirs.path]["verdict"];
            assert_eq!((verdict.as_str(), negated < 0.0), (Some("vanished"), true));
            one_sided += 1;
        }
    }
    let rows = there["rows"].as_array().unwrap().iter();
    let deltas: Vec<f64> = rows.map(|row| row["delta"].as_f64().unwrap()).collect();
    let sum = sheaf_statistics::exact_sum(&deltas);
    // Numbers in JSON are read to within their last bit.
    let last_bits: f64 = deltas.iter().map(|delta| delta.abs() * f64::EPSILON).sum();
    assert!((sum - there["totals"]["delta"].as_f64().unwrap()).abs() <= last_bits);
    [compared, one_sided]
}

fn profiles() -> Option<PathBuf> {
    reference("call-profiles")
}

#[test]
fn fifty_runs_of_rajaperf_match_thicket() {
    let Some(folder) = profiles() else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let added = add(&store, &folder.join("caliper-cali/rajaperf-quartz50"), &[]);
    let ids = ids(&added);
    assert_eq!(ids.len(), 50);
    let compared = statistics(&store, &oracle(&folder, "E1_quartz50.json"), |metric| {
        let is_exclusive = metric == "time (exc)";
        (
            metric,
            if is_exclusive {
                "exclusive"
            } else {
                "inclusive"
            },
        )
    });
    // 74 call paths, 22 metrics, 8 statistics.
    assert_eq!(compared, 74 * 22 * 8);
    let sides =
        ["O0", "O3"].map(|level| ids[&format!("GCC_1031_BaseSeq_{level}_8388608_01")].as_str());
    let csv = oracle(&folder, "E1_diff_O0_minus_O3.csv");
    let compared = difference(&store, sides, "time (exc)", false, &csv);
    assert_eq!(compared, [74 * 3, 0]);
}

#[test]
fn mpi_scaling_of_lulesh_matches_thicket() {
    let Some(folder) = profiles() else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let added = add(
        &store,
        &folder.join("caliper-cali/lulesh-mpi-scaling5"),
        &[],
    );
    let ids = ids(&added);
    let compared = statistics(&store, &oracle(&folder, "E2_mpi_scaling5.json"), |metric| {
        (metric, "inclusive")
    });
    assert_eq!(compared, 45 * 4 * 8);
    let sides = ["ckFBIeNS6L3ozgKQP_1", "cghRRN5HCwJacMr1l_1"].map(|name| ids[name].as_str());
    let csv = oracle(&folder, "E2_diff_343_minus_27.csv");
    let compared = difference(&store, sides, "Avg time/rank", true, &csv);
    assert_eq!(compared, [45 * 3, 0]);
}

#[test]
fn weak_scaling_of_lulesh_matches_hatchet() {
    let Some(folder) = profiles() else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let added = add(
        &store,
        &folder.join("caliper-json-split/lulesh-weak-scaling8"),
        &[],
    );
    let ids = ids(&added);
    // These files have no aliases.
    let compared = statistics(
        &store,
        &oracle(&folder, "E3_lulesh_ws8.json"),
        |metric| match metric {
            "time" => ("sum_time_duration", "exclusive"),
            _ => ("inclusive_sum_time_duration", "inclusive"),
        },
    );
    assert_eq!(compared, 45 * 2 * 8);
    for (names, file, one_sided) in [
        (["216cores", "125cores"], "E3_diff_216_minus_125.csv", 0),
        (["64cores", "1core"], "E3_diff_64_minus_1.csv", 16),
    ] {
        let sides = names.map(|name| ids[&format!("lulesh-annotation-profile-{name}")].as_str());
        let compared = difference(
            &store,
            sides,
            "sum_time_duration",
            false,
            &oracle(&folder, file),
        );
        assert_eq!(compared, [45 * 3, one_sided]);
    }
}
