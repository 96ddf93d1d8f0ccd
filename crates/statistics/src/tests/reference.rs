//! Reference values of other implementations.

use super::{S1, S2, S3, check, normal_p, null, sample};
use crate::*;
use std::path::{Path, PathBuf};

/// Names of the values of one sample and how we compute them.
type OneSample = (&'static str, fn(&Sample) -> Option<f64>);
const ONE_SAMPLE: &[OneSample] = &[
    ("sum", |x| Some(x.sum())),
    ("mean", Sample::mean),
    ("sd1", Sample::standard_deviation),
    ("min", Sample::min),
    ("max", Sample::max),
    ("iqr", Sample::interquartile_range),
    ("mad_raw", Sample::median_absolute_deviation),
    ("mad_normal", |x| {
        Some(MAD_TO_SIGMA * x.median_absolute_deviation()?)
    }),
    ("load_balance_avg_over_max", Sample::load_balance),
];

/// Names of the values of two samples and how we compute them.
type TwoSamples = (&'static str, fn(&Sample, &Sample) -> Option<f64>);
const TWO_SAMPLES: &[TwoSamples] = &[
    ("hl_shift_b_minus_a", |a, b| {
        Some(hodges_lehmann_shift(a, b, &null(a, b), 0.05)?.value)
    }),
    ("hl_ratio_exp", |a, b| {
        Some(hodges_lehmann_ratio(a, b, &null(a, b), 0.05)?.value)
    }),
    ("cliffs_delta_b_vs_a", cliffs_delta),
    ("vargha_delaney_A_b_gt_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b / (a.len() * b.len()) as f64)
    }),
    ("mwu_exact.U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_exact.U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("mwu_asymptotic_cc.p", |a, b| Some(normal_p(a, b))),
];

#[test]
fn one_sample_matches_the_table() {
    // Columns: S1 A, S1 B, S2 A, S2 B, S3 A, S3 B, at six digits.
    let table: &[(&str, [f64; 6])] = &[
        ("sum", [70.7, 77.7, 23.0, 38.0, 1150.7, 1654.2]),
        ("mean", [10.1, 11.1, 2.875, 4.22222, 115.07, 137.85]),
        (
            "sd1",
            [0.216_025, 0.216_025, 1.24642, 1.39443, 24.1321, 22.6298],
        ),
        ("iqr", [0.3, 0.3, 1.25, 2.0, 37.2, 14.375]),
        ("mad_raw", [0.2, 0.2, 1.0, 1.0, 1.5, 1.2]),
        (
            "mad_normal",
            [0.29652, 0.29652, 1.4826, 1.4826, 2.2239, 1.77912],
        ),
        (
            "load_balance_avg_over_max",
            [0.971_154, 0.973_684, 0.575, 0.703_704, 0.762_053, 0.906_908],
        ),
    ];
    let samples = [S1.0, S1.1, S2.0, S2.1, S3.0, S3.1].map(sample);
    for (name, references) in table {
        let ours = ONE_SAMPLE.iter().find(|known| known.0 == *name).unwrap().1;
        for (sample, &reference) in samples.iter().zip(references) {
            check(name, ours(sample), reference, 6);
        }
    }
}

#[test]
fn quantiles_and_median_intervals_match_the_table() {
    let samples = [S1.0, S1.1, S2.0, S2.1, S3.0, S3.1].map(sample);
    let quantiles: [[f64; 5]; 6] = [
        [9.83, 9.95, 10.1, 10.25, 10.37],
        [10.83, 10.95, 11.1, 11.25, 11.37],
        [1.35, 2.0, 3.0, 3.25, 4.65],
        [2.4, 3.0, 4.0, 5.0, 6.0],
        [98.45, 100.05, 100.75, 137.25, 150.55],
        [99.83, 136.375, 150.0, 150.75, 151.725],
    ];
    for (sample, references) in samples.iter().zip(quantiles) {
        for (share, reference) in [0.05, 0.25, 0.5, 0.75, 0.95].into_iter().zip(references) {
            check("quantile", sample.quantile(share), reference, 12);
        }
    }
    let intervals = [
        (9.8, 10.4, 0.984_375),
        (10.8, 11.4, 0.984_375),
        (1.0, 5.0, 0.992_187_5),
        (3.0, 6.0, 0.960_937_5),
        (99.0, 150.0, 0.978_515_625),
        (101.5, 150.9, 0.961_425_781_25),
    ];
    for (sample, (low, high, coverage)) in samples.iter().zip(intervals) {
        let ours = sample.median_interval(0.05);
        assert_eq!(
            ours,
            Some(Interval {
                low,
                high,
                coverage
            })
        );
    }
}

#[test]
fn two_samples_match_the_table() {
    let table: &[(&str, [f64; 3])] = &[
        ("hl_shift_b_minus_a", [1.0, 1.0, 47.5]),
        ("hl_ratio_exp", [1.09901, 1.5, 1.46716]),
        ("cliffs_delta_b_vs_a", [1.0, 0.527_778, 0.5]),
        (
            "mwu_asymptotic_cc.p",
            [0.002_165_03, 0.069_172_8, 0.051_754_2],
        ),
        ("mwu_exact.U_a", [0.0, 17.0, 30.0]),
        ("mwu_exact.U_b", [49.0, 55.0, 90.0]),
    ];
    for (name, references) in table {
        let ours = TWO_SAMPLES.iter().find(|known| known.0 == *name).unwrap().1;
        for ((a, b), &reference) in [S1, S2, S3].into_iter().zip(references) {
            check(name, ours(&sample(a), &sample(b)), reference, 6);
        }
    }
    // Tie-aware exact p, counted.
    let exact = [2.0 / 3432.0, 1638.0 / 24310.0, 32542.0 / 646_646.0];
    // Ends and coverage of the interval of the shift.
    let intervals = [
        (0.7, 1.3, 0.962_121_212_121),
        (0.0, 3.0, 0.953_599_341_835),
        (-0.1, 50.4, 0.957_429_567_337),
    ];
    for ((a, b), (p, (low, high, coverage))) in [S1, S2, S3]
        .into_iter()
        .zip(exact.into_iter().zip(intervals))
    {
        let (a, b) = (sample(a), sample(b));
        let test = rank_sum(&a, &b, &null(&a, &b)).unwrap();
        assert_eq!(test.method, Method::Exact);
        check("p", Some(test.p), p, 13);
        let shift = hodges_lehmann_shift(&a, &b, &null(&a, &b), 0.05).unwrap();
        let interval = shift.interval.unwrap();
        check("low", Some(interval.low), low, 6);
        check("high", Some(interval.high), high, 12);
        check("coverage", Some(interval.coverage), coverage, 12);
    }
}

#[test]
fn smallest_p_and_runs_needed_match_the_table() {
    let table = [
        (1, 1.0),
        (2, 0.333_333),
        (3, 0.1),
        (4, 0.028_571_4),
        (5, 0.007_936_51),
        (6, 0.002_164_50),
        (7, 0.000_582_751),
        (8, 0.000_155_400),
        (10, 0.000_010_825),
    ];
    for (runs, p) in table {
        check("smallest p", Some(smallest_p(runs, runs)), p, 6);
    }
    assert_eq!(runs_needed(0.05), Some(4));
    assert_eq!(runs_needed(0.01), Some(5));
    assert_eq!(runs_needed(0.0), None);
    let groups = [(4, 572), (5, 159), (6, 44), (7, 12), (8, 4), (10, 1)];
    for (runs, needed) in groups {
        let ours = separated_groups_needed(1000, smallest_p(runs, runs), 0.05);
        assert_eq!(ours, Some(needed));
    }
    assert_eq!(separated_groups_needed(1000, 0.1, 0.05), None);
}

#[test]
fn q_values_match_the_table() {
    let cases: &[(&[f64], &[f64])] = &[
        (&[], &[]),
        (&[1.0], &[1.0]),
        (
            &[0.04, 0.001, 0.03, 0.2],
            &[0.053_333_333_333, 0.004, 0.053_333_333_333, 0.2],
        ),
        (
            &[0.01, 0.01, 0.01, 0.02, 0.5, 1.0, 1.0],
            &[
                0.023_333_333_333,
                0.023_333_333_333,
                0.023_333_333_333,
                0.035,
                0.7,
                1.0,
                1.0,
            ],
        ),
    ];
    for (p, references) in cases {
        let q = benjamini_hochberg(p);
        assert_eq!(q.len(), references.len());
        for (ours, &reference) in q.into_iter().zip(*references) {
            check("q", Some(ours), reference, 10);
        }
    }
    let q = benjamini_hochberg(&[f64::NAN, 0.02, 0.04]);
    assert!(q[0].is_nan());
    assert_eq!(q[1..], [0.04, 0.04]);
}

/// The folder of reference data: `GRAINSHEAF_SHARED`, else `shared` beside the workspace.
pub(super) fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("GRAINSHEAF_SHARED").map(PathBuf::from);
    given.or_else(|| {
        let ancestors = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut folders = ancestors.map(|folder| folder.join("shared"));
        folders.find(|folder| folder.is_dir())
    })
}

/// The reference data, or nothing where they are not here, which is said.
pub(super) fn oracle() -> Option<serde_json::Value> {
    let path = shared().map(|folder| folder.join("oracle/statistics.json"));
    let Some(json) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        println!(
            "The reference data `oracle/statistics.json` is not here; only the values in this folder are checked."
        );
        return None;
    };
    Some(serde_json::from_str(&json).unwrap())
}
