//! Every value of the reference data that belongs to this crate's tests, to printed precision.

use super::null;
use crate::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Sections that other tests compare: scaling models, loss of time, change points.
const ELSEWHERE: [&str; 4] = ["scaling", "decomposition", "changepoint", "pmnf"];

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

    #[track_caller]
    fn ends(&mut self, key: &str, ours: Option<Interval>, tolerance: f64) {
        let ends = [ours.map(|ends| ends.low), ours.map(|ends| ends.high)];
        self.list(key, &ends, tolerance);
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
        resampled(&mut oracle, name, &a, &b);
    }
    corrections(&mut oracle);
    assert!(oracle.faults.is_empty(), "{:#?}", oracle.faults);
    let mut values = BTreeSet::new();
    leaves(&oracle.data, String::new(), &mut values);
    values.retain(|key| {
        !ELSEWHERE
            .iter()
            .any(|other| key.starts_with(&format!("/{other}/")))
    });
    // Versions of the other tools, and how often and how far they drew, are no values to meet.
    values.retain(|key| {
        !(key.starts_with("/versions/") || key.ends_with("/resamples") || key.ends_with("/spread"))
    });
    let missed: Vec<_> = values.difference(&oracle.visited).collect();
    assert!(missed.is_empty(), "not compared: {missed:#?}");
    assert_eq!(values.len(), COMPARED);
}

/// Keys of the reference data that are compared, lists counting once.
const COMPARED: usize = 366;

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
    ("sem", Sample::standard_error),
    ("min", Sample::min),
    ("max", Sample::max),
    ("iqr", Sample::interquartile_range),
    ("mad_raw", Sample::median_absolute_deviation),
    ("mad_normal", |x| {
        Some(MAD_TO_SIGMA * x.median_absolute_deviation()?)
    }),
    ("cov", Sample::coefficient_of_variation),
    ("qcd", Sample::quartile_dispersion),
    ("gmean", Sample::geometric_mean),
    ("trim20", Sample::trimmed_mean),
    ("skew_biased", Sample::skewness_biased),
    ("skew_unbiased", Sample::skewness),
    ("kurt_excess_unbiased", Sample::excess_kurtosis),
    ("gini", Sample::gini),
    ("load_balance_avg_over_max", Sample::load_balance),
    ("hl_one_sample", Sample::hodges_lehmann),
    ("bimodality_coef", Sample::bimodality_coefficient),
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
    oracle.ends(
        &format!("{at}/mean_t_ci95"),
        sample.mean_interval(0.05),
        0.0,
    );
    // The other tool's normal quantiles have nine digits.
    let shapiro = sample.shapiro_wilk().unwrap();
    oracle.near(&format!("{at}/shapiro_W"), Some(shapiro.statistic), 1e-9);
    oracle.near(&format!("{at}/shapiro_p"), Some(shapiro.p), 1e-9);
    // Both p are interpolated in tables of simulated values, so they agree as far as these do. The
    // least dip of all, S1's, has p = 1 by definition, where the other table ends at 0.98; and it
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
    ("ratio_median", ratio_of_medians),
    ("ratio_gmean", ratio_of_geometric_means),
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
    ("mwu_asymptotic_cc/p", |a, b| {
        rank_sum_p(a, b, RankSumForm::Normal)
    }),
    ("mwu_asymptotic_nocc/U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_asymptotic_nocc/U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("mwu_asymptotic_nocc/p", |a, b| {
        rank_sum_p(a, b, RankSumForm::NormalUncorrected)
    }),
    ("mwu_exact/U_a", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_a)
    }),
    ("mwu_exact/U_b", |a, b| {
        Some(rank_sum(a, b, &null(a, b))?.u_b)
    }),
    ("mwu_exact/p", |a, b| {
        rank_sum_p(a, b, RankSumForm::IgnoringTies)
    }),
    ("ks_exact/D", |a, b| {
        Some(kolmogorov_smirnov(a, b)?.distance)
    }),
    ("ks_exact/p", |a, b| {
        kolmogorov_smirnov(a, b)?.p_ignoring_ties
    }),
    ("ks_asymp/D", |a, b| {
        Some(kolmogorov_smirnov(a, b)?.distance)
    }),
    ("ks_asymp/p", |a, b| {
        Some(kolmogorov_smirnov(a, b)?.p_asymptotic)
    }),
    ("wasserstein1", wasserstein),
    ("energy_distance", energy_distance),
    ("cliffs_delta_b_vs_a", cliffs_delta),
    ("vargha_delaney_A_b_gt_a", vargha_delaney),
    ("cohen_d", |a, b| {
        Some(standardized_difference(a, b)?.cohens_d)
    }),
    ("hedges_g_exactJ", |a, b| {
        Some(standardized_difference(a, b)?.hedges_g)
    }),
    ("hedges_g_approxJ", |a, b| {
        Some(standardized_difference(a, b)?.hedges_g_approximate)
    }),
    ("welch/t", |a, b| Some(welch(a, b, 0.05)?.t)),
    ("welch/df", |a, b| Some(welch(a, b, 0.05)?.freedom)),
    ("welch/p", |a, b| Some(welch(a, b, 0.05)?.p)),
];

fn two_samples(oracle: &mut Oracle, name: &str, a: &[f64], b: &[f64]) {
    let at = format!("/samples/{name}/two");
    let [x, y] = [a, b].map(|side| Sample::new(side.iter().copied()));
    for (what, ours) in TWO_SAMPLES {
        oracle.check(&format!("{at}/{what}"), ours(&x, &y));
    }
    let interval = welch(&x, &y, 0.05).map(|test| test.interval);
    // An end near 0 is a difference of numbers a hundred times as large.
    oracle.ends(&format!("{at}/welch/ci95"), interval, 1e-12);
    let test = permutation(a, b, mean_difference, 0, &mut Random::new(1)).unwrap();
    assert!(test.is_exact);
    for (what, ours) in [("count", test.extreme), ("total", test.total)] {
        let within = format!("{at}/perm_mean_two_sided_abs_exact/{what}");
        // Only two of the three have it there.
        if oracle.data.pointer(&within).is_some() {
            oracle.check(&within, Some(ours as f64));
        }
        let own = format!("/exact_mean_permutation/{name}/{what}");
        oracle.check(&own, Some(ours as f64));
    }
    let within = format!("{at}/perm_mean_two_sided_abs_exact/p");
    if oracle.data.pointer(&within).is_some() {
        oracle.check(&within, Some(test.p));
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn mean_difference(a: &[f64], b: &[f64]) -> f64 {
    mean(b) - mean(a)
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
    let variance = rank_sum_variance(&a, &b);
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
    let exact = kolmogorov_smirnov(&a, &b).unwrap().p;
    oracle.check(&key("ks_exact_tie_aware_R4.2", ""), exact);
    let spread = fligner_killeen(&a, &b).unwrap();
    oracle.check(
        &key("fligner_killeen_R4.2", "/chi2"),
        Some(spread.statistic),
    );
    oracle.check(&key("fligner_killeen_R4.2", "/p"), Some(spread.p));
    let section = "cramer_von_mises_2s_asymptotic";
    let whole = cramer_von_mises(&a, &b).unwrap();
    oracle.check(&key(section, "/stat"), Some(whole.statistic));
    // The other tool ends its series at terms below 10⁻⁷.
    oracle.near(&key(section, "/p"), Some(whole.p), 1e-13);
    let location = brunner_munzel(&a, &b).unwrap();
    if name == "S1_shift" {
        // Completely separated: the other tool says ∞ and NaN, we count.
        assert_eq!(oracle.value(&key("brunner_munzel", "/stat")), "inf");
        assert!(oracle.value(&key("brunner_munzel", "/p")).is_null());
        oracle.visited.insert(key("brunner_munzel", "/stat"));
        oracle.visited.insert(key("brunner_munzel", "/p"));
        assert_eq!(location.statistic, None);
        assert_eq!(fault("p", Some(location.p), Some(2.0 / 3432.0), 0.0), None);
    } else {
        oracle.check(&key("brunner_munzel", "/stat"), location.statistic);
        oracle.check(&key("brunner_munzel", "/p"), Some(location.p));
    }
}

fn median(values: &[f64]) -> f64 {
    Sample::new(values.iter().copied()).median().unwrap()
}

/// A statistic's name, the statistic, and the tolerances of its two intervals.
type Resampled = (&'static str, fn(&[f64]) -> f64, f64, f64);

fn resampled(oracle: &mut Oracle, name: &str, a: &[f64], b: &[f64]) {
    // Tolerances of statistics.md section 5: between seeds; the bias-corrected ones are of one
    // seed of another generator.
    let (means, corrected_means, corrected_medians) = match name {
        "S1_shift" => (1e-9, 0.015, 1e-9),
        "S2_ties" => (0.02, 0.02, 1e-9),
        _ => (0.15, 0.35, 0.06),
    };
    let cases: [Resampled; 2] = [
        ("median_diff", median, 1e-9, corrected_medians),
        ("mean_diff", mean, means, corrected_means),
    ];
    for (what, of, tolerance, corrected) in cases {
        let statistic = |sides: &[&[f64]]| of(sides[1]) - of(sides[0]);
        let mut random = Random::keyed(1, &[name, what]);
        let drawn = bootstrap(&[a, b], statistic, 50_000, &mut random).unwrap();
        assert_eq!(drawn.undefined, 0);
        let key = format!("/bootstrap/{name}/{what}_percentile_ci95/mean_of_5_seeds");
        oracle.ends(&key, drawn.percentile(0.05), tolerance);
        let key = format!("/bootstrap/{name}/{what}_BCa_ci95_seed1_99999");
        oracle.ends(&key, drawn.corrected(0.05), corrected);
    }
}

/// Name of a correction, and ours.
type Correction = (&'static str, fn(&[f64]) -> Vec<f64>);

fn corrections(oracle: &mut Oracle) {
    let families: Vec<String> = oracle.data["multiple_testing"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(families.len(), 3);
    let methods: [Correction; 4] = [
        ("bh", benjamini_hochberg),
        ("by", benjamini_yekutieli),
        ("holm", holm),
        ("bonferroni", bonferroni),
    ];
    for family in families {
        let p = oracle.numbers(&format!("/multiple_testing/{family}/p"));
        for (name, method) in methods {
            // An untestable group among them changes nothing.
            let with_missing: Vec<f64> = p.iter().copied().chain([f64::NAN]).collect();
            let mut ours = method(&with_missing);
            assert!(ours.pop().unwrap().is_nan());
            let ours: Vec<Option<f64>> = ours.into_iter().map(Some).collect();
            // Printed with twelve decimals.
            oracle.list(&format!("/multiple_testing/{family}/{name}"), &ours, 6e-13);
        }
    }
}
