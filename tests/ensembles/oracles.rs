//! `stats` and `diff` of call profiles against Hatchet, Thicket and numpy, value by value.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sheaf_answers::{Add, Diff, DiffRow, Stats, StatsRow, Verdict};
use sheaf_tests::{ask, reference};

use super::add;

/// Statistics of a group over runs, as the peers' scripts wrote them.
#[derive(Deserialize)]
struct Oracle {
    stats: Vec<OracleRow>,
}

#[derive(Deserialize)]
struct OracleRow {
    path: Vec<String>,
    metric: String,
    n: Option<f64>,
    mean: Option<f64>,
    std_sample: Option<f64>,
    min: Option<f64>,
    q1: Option<f64>,
    median: Option<f64>,
    q3: Option<f64>,
    max: Option<f64>,
}

/// A statistic: its name, ours and the oracle's value.
type Statistic = (&'static str, Option<f64>, Option<f64>);

fn compared(ours: &StatsRow, theirs: &OracleRow) -> [Statistic; 8] {
    [
        ("n", Some(ours.runs as f64), theirs.n),
        ("mean", ours.mean, theirs.mean),
        ("std", ours.std, theirs.std_sample),
        ("min", ours.min, theirs.min),
        ("q1", ours.q1, theirs.q1),
        ("median", ours.median, theirs.median),
        ("q3", ours.q3, theirs.q3),
        ("max", ours.max, theirs.max),
    ]
}

fn by_path(diff: &Diff) -> BTreeMap<String, &DiffRow> {
    let rows = diff.rows.iter();
    rows.map(|row| (row.path.join("/"), row)).collect()
}

fn oracle(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("oracle").join(name)).unwrap()
}

/// Ids of the runs by the names of their files, without the ending.
fn ids(added: Add) -> BTreeMap<String, String> {
    let files = added.files.into_iter();
    files
        .map(|mut file| {
            let name = Path::new(&file.path).file_stem().unwrap();
            (name.to_string_lossy().into_owned(), file.runs.remove(0))
        })
        .collect()
}

/// Compares all statistics of an ensemble's oracle with those of `stats`, to 13 digits of the
/// value or the mean; returns how many. `ask` gives our name of a metric and its scope.
fn statistics(store: &Path, oracle: &str, name: fn(&str) -> (&str, &str)) -> usize {
    let oracle: Oracle = serde_json::from_str(oracle).unwrap();
    let mut by_metric: BTreeMap<&str, Vec<&OracleRow>> = BTreeMap::new();
    for row in &oracle.stats {
        by_metric.entry(&row.metric).or_default().push(row);
    }
    let mut count = 0;
    for (metric, rows) in by_metric {
        let (name, scope) = name(metric);
        let words = [
            "stats", "--metric", name, "--level", "context", "--scope", scope,
        ];
        let stats: Stats = ask(store, &words);
        let ours: BTreeMap<_, _> = stats
            .rows
            .iter()
            .map(|row| (row.path.names(), row))
            .collect();
        for row in rows {
            let scale = row.mean.unwrap_or(0.0).abs();
            let path: Vec<&str> = row.path.iter().map(String::as_str).collect();
            for (name, ours, theirs) in compared(ours[&path], row) {
                let what = format!("{metric} of {:?}: {name}", row.path);
                let is_met = match (ours, theirs) {
                    (Some(ours), Some(value)) => {
                        (ours - value).abs() <= 1e-13 * scale.max(value.abs())
                    }
                    (ours, theirs) => ours == theirs,
                };
                assert!(is_met, "{what} {ours:?}, {theirs:?}");
                count += 1;
            }
        }
    }
    count
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
    let diff = |from: &str, to: &str| -> Diff {
        let metric = ["--metric", metric, "--level", "context"];
        ask(store, &[&["diff", from, to], &metric[..]].concat())
    };
    let [minuend, subtrahend] = sides;
    let (there, back) = (diff(subtrahend, minuend), diff(minuend, subtrahend));
    let totals = there.totals.as_ref().unwrap();
    // Means of a diff are multiples of one power of two, so that they add up without rounding.
    let unit = (totals.a + totals.b) * 2.0_f64.powi(-51);
    let (ours, reversed) = (by_path(&there), by_path(&back));
    let (mut compared, mut one_sided) = (0, 0);
    for theirs in differences(csv) {
        let own = ours[theirs.path];
        let values = if is_inclusive {
            [own.inclusive_b, own.inclusive_a]
        } else {
            [own.b, own.a]
        };
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
            own.delta.unwrap()
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
        let own_delta = own.delta.unwrap();
        let other = reversed[theirs.path];
        let negated = other.delta.unwrap();
        assert!((own_delta + negated).abs() <= 0.0, "{}", theirs.path);
        if theirs.is_one_sided {
            // The peer takes a missing subtrahend for 0 here, but its reversed difference is NaN
            // for the same node: a known fault, since it neither negates nor conserves.
            assert_eq!(theirs.values[1], None);
            assert_eq!((own.verdict, own_delta > 0.0), (Verdict::Appeared, true));
            assert_eq!((other.verdict, negated < 0.0), (Verdict::Vanished, true));
            one_sided += 1;
        }
    }
    let deltas: Vec<f64> = there.rows.iter().map(|row| row.delta.unwrap()).collect();
    let sum = sheaf_statistics::exact_sum(&deltas);
    // Numbers in JSON are read to within their last bit.
    let last_bits: f64 = deltas.iter().map(|delta| delta.abs() * f64::EPSILON).sum();
    assert!((sum - totals.delta).abs() <= last_bits);
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
    let ids = ids(added);
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
    let ids = ids(added);
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
    let ids = ids(added);
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
