//! Every value of the reference data that belongs to this crate's tests, to printed precision.

use super::{normal_p, null};
use crate::rank_sum::Pooled;
use crate::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Sections that other tests compare: scaling models, loss of time, change points.
const ELSEWHERE: [&str; 4] = ["scaling", "decomposition", "changepoint", "pmnf"];

/// Sections and statistics that no answer has, so that this crate does not compute them.
const UNUSED: &[&str] = &[
    "/bootstrap/",
    "/exact_mean_permutation/",
    "/ks_exact_tie_aware_R4.2/",
    "/fligner_killeen_R4.2/",
    "/brunner_munzel/",
    "/cramer_von_mises_2s_asymptotic/",
    "/perm_mean_two_sided_abs_exact/",
    "/ks_exact/",
    "/ks_asymp/",
    "/welch/",
    "/mwu_exact/p",
    "/sem",
    "/cov",
    "/qcd",
    "/gmean",
    "/trim20",
    "/skew_biased",
    "/skew_unbiased",
    "/kurt_excess_unbiased",
    "/gini",
    "/hl_one_sample",
    "/bimodality_coef",
    "/shapiro_W",
    "/shapiro_p",
    "/mean_t_ci95",
    "/ratio_median",
    "/ratio_gmean",
    "/wasserstein1",
    "/energy_distance",
    "/vargha_delaney_A_b_gt_a",
    "/cohen_d",
    "/hedges_g_exactJ",
    "/hedges_g_approxJ",
    "/by",
    "/holm",
    "/bonferroni",
];

/// The reference data, and which of its values were compared.
struct Oracle {
    data: Value,
    visited: BTreeSet<String>,
    faults: Vec<String>,
}

impl Oracle {
    fn value(&self, key: &str) -> &Value {
        let found = self.data.pointer(key);
        found.unwrap_or_else(|| panic!("the reference data have no `{key}`"))
    }

    fn numbers(&mut self, key: &str) -> Vec<f64> {
        self.visited.insert(key.to_owned());
        let values = self.value(key).as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    }

    /// Compares to twelve digits, to which the reference data are printed.
    #[track_caller]
    fn check(&mut self, key: &str, ours: Option<f64>) {
        self.near(key, ours, 0.0);
    }

    /// The same with a tolerance beside that.
    #[track_caller]
    fn near(&mut self, key: &str, ours: Option<f64>, tolerance: f64) {
        self.visited.insert(key.to_owned());
        let reference = self.value(key).as_f64();
        self.faults.extend(fault(key, ours, reference, tolerance));
    }

    #[track_caller]
    fn list(&mut self, key: &str, ours: &[Option<f64>], tolerance: f64) {
        let references = self.numbers(key);
        assert_eq!(ours.len(), references.len(), "{key}");
        for (&ours, reference) in ours.iter().zip(references) {
            let fault = fault(key, ours, Some(reference), tolerance);
            self.faults.extend(fault);
        }
    }
}

/// What differs, in one line.
fn fault(key: &str, ours: Option<f64>, reference: Option<f64>, tolerance: f64) -> Option<String> {
    let is_met = match (ours, reference) {
        (Some(ours), Some(reference)) => {
            // One unit of the last printed digit; of the twelfth decimal where 0 is printed.
            let printed = reference.abs() * 1e-11 + f64::from(u8::from(reference == 0.0)) * 1e-12;
            (ours - reference).abs() <= printed + tolerance
        }
        (ours, reference) => ours == reference,
    };
    (!is_met).then(|| format!("{key}: {ours:?}, reference {reference:?}"))
}

#[test]
fn every_value_of_the_reference_data_is_met() {
    let Some(data) = super::reference::oracle() else {
        return;
    };
    let mut oracle = Oracle {
        data,
        visited: BTreeSet::new(),
        faults: Vec::new(),
    };
    let names: Vec<String> = oracle.data["samples"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(names.len(), 3);
    for name in &names {
        let of = |side: &str| format!("/samples/{name}/{side}");
        let (a, b) = (oracle.numbers(&of("A")), oracle.numbers(&of("B")));
        one_sample(&mut oracle, &of("oneA"), &a);
        one_sample(&mut oracle, &of("oneB"), &b);
        two_samples(&mut oracle, name, &a, &b);
        tests_of_both(&mut oracle, name, &a, &b);
    }
    corrections(&mut oracle);
    assert!(oracle.faults.is_empty(), "{:#?}", oracle.faults);
    let mut values = BTreeSet::new();
    leaves(&oracle.data, String::new(), &mut values);
    values.retain(|key| {
        let is_elsewhere = ELSEWHERE
            .iter()
            .any(|name| key.starts_with(&format!("/{name}/")));
        // Sections end in a slash, names of values are the end of a key.
        let is_unused = UNUSED
            .iter()
            .any(|name| key.ends_with(name) || name.ends_with('/') && key.contains(name));
        // Versions of the other tools.
        !(is_elsewhere || is_unused || key.starts_with("/versions/"))
    });
    let missed: Vec<_> = values.difference(&oracle.visited).collect();
    assert!(missed.is_empty(), "not compared: {missed:#?}");
    assert_eq!(values.len(), COMPARED);
}

/// Keys of the reference data that are compared, lists counting once.
const COMPARED: usize = 177;

/// Keys of all values; a list is one.
fn leaves(value: &Value, key: String, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, format!("{key}/{name}"), found);
            }
        }
        _ => {
            found.insert(key);
        }
    }
}

type OneSample = (&'static str, fn(&Sample) -> Option<f64>);
const ONE_SAMPLE: &[OneSample] = &[
    ("n", |x| Some(x.len() as f64)),
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
    ("dip", |x| Some(dip(x)?.dip)),
    ("median_order_ci/lo", |x| Some(x.median_interval(0.05)?.low)),
    ("median_order_ci/hi", |x| {
        Some(x.median_interval(0.05)?.high)
    }),
    ("median_order_ci/coverage", |x| {
        Some(x.median_interval(0.05)?.coverage)
    }),
];

fn one_sample(oracle: &mut Oracle, at: &str, values: &[f64]) {
    let sample = Sample::new(values.iter().copied());
    for (name, ours) in ONE_SAMPLE {
        oracle.check(&format!("{at}/{name}"), ours(&sample));
    }
    let quantiles = [0.05, 0.25, 0.5, 0.75, 0.95].map(|share| sample.quantile(share));
    oracle.list(&format!("{at}/q05_25_50_75_95_type7"), &quantiles, 0.0);
    let fences = sample.outlier_fences().unwrap();
    let fences = [Some(fences.0), Some(fences.1)];
    oracle.list(&format!("{at}/fences_tukey"), &fences, 0.0);
    // Both p are interpolated in tables of simulated values, so they agree as far as these do. The
    // smallest dip of all, S1's, has p = 1 by definition, where the other table ends at 0.98; and it
    // has no row for 12 values, where it is 0.005 above the simulated value.
    let p = dip(&sample).map(|dip| dip.p);
    let is_least = sample.len() == 7;
    let tolerance = match sample.len() {
        7 => 0.02,
        12 => 0.006,
        _ => 0.004,
    };
    oracle.near(&format!("{at}/dip_p_table"), p, tolerance);
    if is_least != (p == Some(1.0)) {
        oracle.faults.push(format!("{at}: p of the dip {p:?}"));
    }
}

type TwoSamples = (&'static str, fn(&Sample, &Sample) -> Option<f64>);
const TWO_SAMPLES: &[TwoSamples] = &[
    ("diff_median", |a, b| Some(b.median()? - a.median()?)),
    ("diff_mean", |a, b| Some(b.mean()? - a.mean()?)),
    ("hl_shift_b_minus_a", |a, b| {
        Some(hodges_lehmann_shift(a, b, &null(a, b), 0.05)?.value)
    }),
    ("hl_ratio_exp", |a, b| {
        Some(hodges_lehmann_ratio(a, b, &null(a, b), 0.05)?.value)
    }),
    ("mwu_asymptotic_cc/U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_asymptotic_cc/U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("mwu_asymptotic_cc/p", |a, b| Some(normal_p(a, b))),
    ("mwu_asymptotic_nocc/U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_asymptotic_nocc/U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("mwu_asymptotic_nocc/p", |a, b| {
        Some(Pooled::new(a, b).normal_p(a.len(), b.len(), 0.0))
    }),
    ("mwu_exact/U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_exact/U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("cliffs_delta_b_vs_a", cliffs_delta),
];

fn two_samples(oracle: &mut Oracle, name: &str, a: &[f64], b: &[f64]) {
    let at = format!("/samples/{name}/two");
    let [x, y] = [a, b].map(|side| Sample::new(side.iter().copied()));
    for (what, ours) in TWO_SAMPLES {
        oracle.check(&format!("{at}/{what}"), ours(&x, &y));
    }
}

fn tests_of_both(oracle: &mut Oracle, name: &str, a: &[f64], b: &[f64]) {
    let [a, b] = [a, b].map(|side| Sample::new(side.iter().copied()));
    let key = |section: &str, what: &str| format!("/{section}/{name}{what}");
    let test = rank_sum(&a, &b, &null(&a, &b)).unwrap();
    let section = "exact_tie_conditional_rank_sum";
    let total = 2.0 / smallest_p(a.len(), b.len());
    oracle.check(&key(section, "/p"), Some(test.p));
    oracle.check(&key(section, "/total"), Some(total));
    oracle.check(&key(section, "/count"), Some(test.p * total));
    let variance = Some(Pooled::new(&a, &b).variance(a.len(), b.len()));
    oracle.check(&key("tie_corrected_var_U", ""), variance);
    let section = "hodges_lehmann_ci95_order_statistic";
    let shift = hodges_lehmann_shift(&a, &b, &null(&a, &b), 0.05).unwrap();
    let interval = shift.interval.unwrap();
    let rank = null(&a, &b).interval_rank(0.05).0;
    oracle.check(&key(section, "/k"), Some(rank as f64));
    oracle.check(&key(section, "/lo"), Some(interval.low));
    oracle.check(&key(section, "/hi"), Some(interval.high));
    let coverage = ["/coverage", "/coverage_no_ties"].map(|what| key(section, what));
    for key in coverage {
        if oracle.data.pointer(&key).is_some() {
            oracle.check(&key, Some(interval.coverage));
        }
    }
}

fn corrections(oracle: &mut Oracle) {
    let families = oracle.data["multiple_testing"].as_object().unwrap();
    let families: Vec<String> = families.keys().cloned().collect();
    assert_eq!(families.len(), 3);
    for family in families {
        let p = oracle.numbers(&format!("/multiple_testing/{family}/p"));
        // An untestable group among them changes nothing.
        let with_missing: Vec<f64> = p.into_iter().chain([f64::NAN]).collect();
        let mut ours = benjamini_hochberg(&with_missing);
        assert!(ours.pop().unwrap().is_nan());
        let ours: Vec<Option<f64>> = ours.into_iter().map(Some).collect();
        // Printed with twelve decimals.
        oracle.list(&format!("/multiple_testing/{family}/bh"), &ours, 6e-13);
    }
}
