//! Edge cases; reference values are in [`reference`].
#![expect(clippy::float_cmp, reason = "these values are exact")]

mod change_points;
mod detectable;
mod oracle;
mod reference;
mod scaling;
mod simulated;

use super::*;

const S1: (&[f64], &[f64]) = (
    &[10.1, 10.4, 9.9, 10.2, 10.0, 10.3, 9.8],
    &[11.0, 11.3, 10.9, 11.4, 11.2, 10.8, 11.1],
);
const S2: (&[f64], &[f64]) = (
    &[1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0],
    &[2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0],
);
const S3: (&[f64], &[f64]) = (
    &[
        100.0, 101.0, 99.0, 100.5, 150.0, 151.0, 149.0, 100.2, 102.0, 98.0,
    ],
    &[
        100.1, 150.5, 151.5, 149.5, 152.0, 148.0, 101.5, 150.2, 150.7, 99.5, 149.8, 150.9,
    ],
);

fn null(a: &Sample, b: &Sample) -> RankSumNull {
    RankSumNull::new(a.len(), b.len())
}

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.iter().copied())
}

/// p of the normal approximation, which large samples have, for samples of any size.
fn normal_p(a: &Sample, b: &Sample) -> f64 {
    rank_sum::Pooled::new(a, b).normal_p(a.len(), b.len(), 0.5)
}

/// Compares to the precision at which the reference was printed.
#[track_caller]
fn check(what: &str, ours: Option<f64>, reference: f64, digits: i32) {
    let ours = ours.unwrap_or(f64::NAN);
    let tolerance = reference.abs().max(1e-6) * 10.0_f64.powi(1 - digits);
    assert!(
        (ours - reference).abs() <= tolerance,
        "{what}: {ours}, reference {reference}"
    );
}

#[test]
fn few_values_have_no_spread_and_no_interval() {
    let none = Sample::new([]);
    assert_eq!(none.mean(), None);
    assert_eq!(none.median(), None);
    assert_eq!(none.median_interval(0.05), None);
    let one = Sample::new([4.0]);
    assert_eq!((one.mean(), one.median()), (Some(4.0), Some(4.0)));
    assert_eq!(one.standard_deviation(), None);
    assert_eq!(one.median_interval(0.05), None);
    assert_eq!(
        sample(&[1.0, 2.0, 3.0, 4.0, 5.0]).median_interval(0.05),
        None
    );
    assert_eq!(rank_sum(&none, &one, &RankSumNull::new(0, 1)), None);
    let single = rank_sum(&one, &Sample::new([5.0]), &RankSumNull::new(1, 1)).unwrap();
    assert_eq!(single.p, 1.0);
    // Three against three have an interval of 90 % only.
    let (a, b) = (sample(&[1.0, 2.0, 3.0]), sample(&[4.0, 5.0, 6.0]));
    let shift = hodges_lehmann_shift(&a, &b, &null(&a, &b), 0.05).unwrap();
    assert_eq!((shift.value, shift.interval), (3.0, None));
    assert!((rank_sum(&a, &b, &null(&a, &b)).unwrap().p - 0.1).abs() < 1e-15);
}

#[test]
fn constant_values_are_told_apart_exactly() {
    let (fives, sixes) = (sample(&[5.0; 6]), sample(&[6.0; 6]));
    let test = rank_sum(&fives, &sixes, &null(&fives, &sixes)).unwrap();
    check("p", Some(test.p), 2.0 / 924.0, 13);
    assert_eq!(cliffs_delta(&fives, &sixes), Some(1.0));
    assert_eq!(cliffs_delta(&sixes, &fives), Some(-1.0));
    let same = rank_sum(&fives, &fives, &null(&fives, &fives)).unwrap();
    assert_eq!(same.p, 1.0);
    assert_eq!(cliffs_delta(&fives, &fives), Some(0.0));
    let ratio = hodges_lehmann_ratio(&fives, &fives, &null(&fives, &fives), 0.05).unwrap();
    assert_eq!(ratio.value, 1.0);
    assert_eq!(
        ratio.interval.map(|ends| (ends.low, ends.high)),
        Some((1.0, 1.0))
    );
    let large = sample(&[7.0; 300]);
    assert_eq!(
        rank_sum(&large, &large, &null(&large, &large)).unwrap().p,
        1.0
    );
}

#[test]
fn values_that_are_not_finite_are_counted_and_left_out() {
    let odd = Sample::new([f64::NAN, 1.0, f64::INFINITY, -0.0, f64::NEG_INFINITY]);
    assert_eq!((odd.len(), odd.rejected()), (2, 3));
    assert_eq!(odd.quantile(f64::NAN), None);
    let (zeros, ones) = (sample(&[0.0, 1.0]), sample(&[1.0, 1.0]));
    assert!(hodges_lehmann_ratio(&zeros, &ones, &null(&zeros, &ones), 0.05).is_none());
    assert_eq!(sample(&[0.0, 0.0]).load_balance(), Some(1.0));
}

#[test]
fn exact_and_normal_agree_where_they_meet() {
    let a = Sample::new((0..26).map(f64::from));
    let b = Sample::new((0..26).map(|index| f64::from(index) + 4.5));
    let test = rank_sum(&a, &b, &null(&a, &b)).unwrap();
    assert_eq!(test.method, Method::Exact);
    let (exact, normal) = (test.p, normal_p(&a, &b));
    assert!((exact - normal).abs() < 0.002, "{exact} {normal}");
    let c = Sample::new((0..27).map(|index| f64::from(index) + 4.5));
    let a = Sample::new((0..27).map(f64::from));
    let test = rank_sum(&a, &c, &null(&a, &c)).unwrap();
    assert_eq!(test.method, Method::Normal);
    let shift = hodges_lehmann_shift(&a, &c, &null(&a, &c), 0.05).unwrap();
    assert!((shift.interval.unwrap().coverage - 0.95).abs() < 0.01);
}

#[test]
fn sides_are_interchangeable() {
    for (a, b) in [S1, S2, S3] {
        let (a, b) = (sample(a), sample(b));
        let (there, back) = (
            rank_sum(&a, &b, &null(&a, &b)).unwrap(),
            rank_sum(&b, &a, &null(&a, &b)).unwrap(),
        );
        assert_eq!((there.p.to_bits(), there.u_a), (back.p.to_bits(), back.u_b));
        let delta = cliffs_delta(&a, &b).unwrap();
        assert_eq!(cliffs_delta(&b, &a), Some(-delta));
        let there = hodges_lehmann_ratio(&a, &b, &null(&a, &b), 0.05).unwrap();
        let back = hodges_lehmann_ratio(&b, &a, &null(&b, &a), 0.05).unwrap();
        check("ratio", Some(1.0 / there.value), back.value, 14);
        let ends = (there.interval.unwrap(), back.interval.unwrap());
        check("interval", Some(1.0 / ends.0.low), ends.1.high, 14);
    }
}

#[test]
fn statistics_that_are_not_defined_are_absent() {
    let fives = sample(&[5.0; 6]);
    assert_eq!(dip(&fives), None);
    assert_eq!(dip(&sample(&[1.0, 2.0, 3.0])), None);
    assert_eq!(fives.modes(0.01), None);
    assert_eq!(Sample::new([]).box_plot(0.01), None);
    assert_eq!(benjamini_hochberg(&[]), Vec::<f64>::new());
    assert_eq!(runs_needed_among(1000, 0.05), Some(9));
    assert_eq!(runs_needed_among(0, 0.05), None);
}

#[test]
fn quantiles_are_of_type_seven() {
    let five = sample(&[1.0, 2.0, 3.0, 4.0, 10.0]);
    assert_eq!(five.quantile(0.25), Some(2.0));
    assert_eq!(five.quantile(0.75), Some(4.0));
}

#[test]
fn large_samples_have_approximate_distributions() {
    let many = |count: i32, shift: f64| Sample::new((0..count).map(|at| f64::from(at) + shift));
    let (a, b) = (many(6000, 0.0), many(6000, 200.0));
    let ranks = rank_sum(&a, &b, &null(&a, &b)).unwrap();
    assert_eq!(ranks.method, Method::Normal);
}

#[test]
fn equal_values_close_the_fences_but_make_no_outliers() {
    let steady = sample(&[100.0, 100.0, 100.0, 100.0, 100.1, 100.0, 100.0, 130.0]);
    let plot = steady.box_plot(0.01).unwrap();
    assert!(plot.is_outlier(130.0) && !plot.is_outlier(100.1));
    assert_eq!((plot.whiskers, plot.outliers), ([100.0, 100.1], [0, 1]));
    let three = sample(&[1.0, 2.0, 300.0]).box_plot(0.01).unwrap();
    assert_eq!((three.fences, three.outliers), (None, [0, 0]));
}

#[test]
fn two_means_are_exact() {
    let split = sample(S3.0).modes(0.01).unwrap();
    let low = [98.0, 99.0, 100.0, 100.2, 100.5, 101.0, 102.0];
    assert_eq!(split.low.values(), low);
    assert_eq!(split.high.values(), [149.0, 150.0, 151.0]);
    // The share of slow runs rises from 3 in 10 on side A to 9 in 12 on side B.
    let other = sample(S3.1).modes(0.01).unwrap();
    assert_eq!((other.low.len(), other.high.len()), (3, 9));
    assert_eq!(sample(S1.0).modes(0.01), None);
    // Clock readings that differ by one tick are no modes.
    let ticks = Sample::new([0.0, 0.0, 0.0, 0.0, 512.0, 512.0, 512.0, 512.0].map(|t| 1.7e18 + t));
    assert_eq!(ticks.two_means_at(), Some(4));
    assert_eq!(ticks.modes(0.01), None);
}

#[test]
fn what_is_as_great_as_floats_are_has_a_mean() {
    let values = [1.0e308, 1.2e308, 1.4e308];
    let sample = Sample::new(values);
    let close = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
    };
    close(sample.mean(), 1.2e308);
    close(mean(values), 1.2e308);
    close(sample.standard_deviation(), 2e307);
    close(Sample::new([-1e308, -1e308, 1e308]).mean(), -1e308 / 3.0);
}
