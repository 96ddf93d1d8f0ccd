//! Scaling: reference values of other implementations, and edge cases.

mod oracle;

use super::check;
use crate::scaling::*;
use crate::{Random, Sample};
use proptest::prelude::*;

fn series(points: &[(f64, f64)]) -> Series {
    Series::new(points.iter().copied()).unwrap()
}

#[test]
fn series_refuse_what_is_none() {
    let check = |points: &[(f64, f64)], expected: &str| {
        let error = Series::new(points.iter().copied()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(&[], "there are no points");
    check(&[(0.0, 1.0)], "`0` is not a number of workers");
    check(&[(f64::NAN, 1.0)], "`NaN` is not a number of workers");
    check(&[(1.0, 0.0)], "`0` is no positive time");
    check(&[(1.0, f64::INFINITY)], "`inf` is no positive time");
    check(
        &[(2.0, 1.0), (2.0, 3.0)],
        "two points have `2` workers; take their median",
    );
}

#[test]
fn two_points_fit_anything_and_prove_nothing() {
    let amdahl = Amdahl::fit(&series(&[(1.0, 10.0), (2.0, 6.0)])).unwrap();
    assert_eq!((amdahl.serial, amdahl.parallel), (2.0, 8.0));
    assert_eq!(amdahl.r_squared, None);
    let one = series(&[(1.0, 10.0)]);
    assert_eq!(Amdahl::fit(&one), None);
    assert_eq!(LogLaw::fit(&one), None);
    assert_eq!(PowerLaw::fit(&one), None);
    assert_eq!(Gustafson::fit(&one), None);
    assert_eq!(Pmnf::fit(one.points(), true), None);
    let three = series(&[(1.0, 10.0), (2.0, 6.0), (4.0, 4.0)]);
    assert_eq!(Usl::fit(&three, false), None);
}

#[test]
fn negative_parts_are_clamped() {
    // Superlinear: the free fit has a = −1.
    let fast = Amdahl::fit(&series(&[(1.0, 10.0), (2.0, 4.5), (4.0, 1.75)])).unwrap();
    assert!(fast.is_clamped);
    assert_eq!(fast.serial, 0.0);
    assert_eq!(fast.limit(), None);
    // No speedup at all.
    let slow = Amdahl::fit(&series(&[(1.0, 10.0), (2.0, 12.0), (4.0, 14.0)])).unwrap();
    assert!(slow.is_clamped);
    assert_eq!((slow.serial, slow.parallel), (12.0, 0.0));
    assert_eq!(slow.serial_fraction(), 1.0);
}

#[test]
fn without_one_worker_only_relative_measures() {
    let series = series(&[(2.0, 50.0), (4.0, 30.0), (8.0, 20.0), (16.0, 15.0)]);
    let scaled = series.scaled();
    assert_eq!(scaled[1].karp_flatt, None);
    assert_eq!(scaled[1].gustafson, None);
    assert_eq!(scaled[3].efficiency, 50.0 / 15.0 * 2.0 / 16.0);
    assert_eq!(Usl::fit(&series, false), None);
    assert!(Usl::fit(&series, true).is_some());
    assert_eq!(Gustafson::fit(&series), None);
}

#[test]
fn parts_of_an_area_add_up() {
    let spent = Spent {
        workers: 7,
        elapsed: i64::MAX / 2,
        work: 10,
        overhead: None,
        idle: Some(3),
        reference_work: 12,
    };
    let loss = Loss::of(&spent);
    assert_eq!(loss.sum(), loss.area);
    assert_eq!(loss.inflation, -2);
    assert_eq!(loss.unexplained, loss.area - 13);
    assert_eq!(Pop::of(&[0, 0], 5, 1), None);
    assert_eq!(Pop::of(&[], 5, 1), None);
    assert_eq!(Bounds::parallelism(5.0, 0.0), None);
}

fn order(values: &[f64]) -> String {
    let points = (1..).zip(values).map(|(p, &value)| (f64::from(p), value));
    let series = Series::new(points).unwrap();
    let Some(trend) = trend(&series) else {
        return "no trend".to_owned();
    };
    let (found, turn) = out_of_order(&series, trend);
    let texts = found.iter().map(|it| {
        let suspect = it
            .suspect
            .map_or("either".to_owned(), |at| (it.place + at).to_string());
        format!("{}-{} {suspect}", it.place, it.place + 1)
    });
    let texts = texts.collect::<Vec<_>>().join(", ");
    format!("{trend:?} [{texts}] turn {turn:?}")
}

#[test]
fn steps_against_the_trend_are_out_of_order() {
    assert_eq!(order(&[1.0, 2.0, 3.0]), "Rising [] turn None");
    assert_eq!(
        order(&[27.3, 43.6, 50.9, 51.2, 52.6, 51.8, 53.8, 53.5]),
        "Rising [4-5 5, 6-7 either] turn None"
    );
    // A spike and a dip in the middle.
    assert_eq!(
        order(&[10.0, 9.0, 20.0, 7.0, 6.0]),
        "Falling [1-2 2] turn None"
    );
    assert_eq!(
        order(&[10.0, 9.0, 2.0, 7.0, 6.0]),
        "Falling [2-3 2] turn None"
    );
    // Slower from the fourth point on: a turn.
    assert_eq!(
        order(&[10.0, 5.0, 3.0, 2.0, 2.5, 2.9]),
        "Falling [] turn Some(3)"
    );
    assert_eq!(order(&[1.0, 1.0]), "no trend");
    assert_eq!(order(&[1.0]), "no trend");
}

#[test]
fn intervals_of_parameters_depend_on_the_seed_alone() {
    let at = |p: f64| {
        let times = [0.98, 0.99, 1.0, 1.01, 1.02].map(|noise| (5.0 + 95.0 / p) * noise);
        (p, Sample::new(times))
    };
    let points = [1.0, 2.0, 4.0, 8.0, 16.0].map(at);
    let fraction = |series: &Series| Some(Amdahl::fit(series)?.serial_fraction());
    let interval = |seed| {
        let resampling = Resampling::new(&points, Random::new(seed)).unwrap();
        resampling.interval(0.05, RESAMPLES, fraction).unwrap()
    };
    assert_eq!(interval(1), interval(1));
    assert_ne!(interval(1), interval(2));
    let found = interval(7);
    assert!(found.low < 0.05 && found.high > 0.05, "{found:?}");
    assert!(found.high - found.low < 0.02, "{found:?}");
    let single = [(1.0, Sample::new([1.0]))];
    assert!(Resampling::new(&single, Random::new(1)).is_none());
    assert!(Resampling::new(&[], Random::new(1)).is_none());
}

/// Times of an even number of runs at six p, with noise, by a law with contention and coherency.
fn noisy_points(runs: usize, sigma: f64, kappa: f64) -> Vec<(f64, Sample)> {
    let mut random = Random::new(3);
    let at = |p: f64| {
        let time = 1e6 * (1.0 + sigma * (p - 1.0) + kappa * p * (p - 1.0)) / p;
        let times = (0..runs).map(|_| time * (1.0 + 0.03 * random.normal()));
        (p, Sample::new(times.collect::<Vec<_>>()))
    };
    [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].map(at).to_vec()
}

#[test]
fn a_refit_is_the_fit() {
    let of = |law: Usl| [law.lambda, law.sigma, law.kappa];
    let mut at_bounds = 0;
    for (sigma, kappa) in [
        (0.05, 0.001),
        (0.3, 0.02),
        (0.02, 0.0),
        (0.0, 0.003),
        (1.2, 0.0),
    ] {
        let points = noisy_points(12, sigma, kappa);
        let medians = points
            .iter()
            .map(|(p, sample)| (*p, sample.median().unwrap()));
        let whole = Series::new(medians).unwrap();
        for draw in 0..12 {
            let drawn = points.iter().map(|(p, sample)| (*p, sample.values()[draw]));
            let drawn = Series::new(drawn).unwrap();
            for is_free in [false, true] {
                let law = Usl::fit(&whole, is_free).unwrap();
                let (again, fit) = (
                    law.refit(&drawn, is_free).unwrap(),
                    Usl::fit(&drawn, is_free).unwrap(),
                );
                at_bounds += usize::from(fit.kappa == 0.0 || fit.sigma == 0.0);
                for (again, fit) in of(again).into_iter().zip(of(fit)) {
                    assert!((again - fit).abs() < 1e-7, "{sigma} {kappa}: {again} {fit}");
                }
            }
        }
    }
    assert!(at_bounds > 10, "{at_bounds} at their bounds");
}

#[test]
fn capacity_is_greatest_at_one_worker_or_beyond() {
    let peak = |sigma: f64, kappa: f64| {
        let law = Usl {
            lambda: 1.0,
            sigma,
            kappa,
            rss: 0.0,
        };
        // No whole number of workers has a larger capacity than the peak.
        if let Some(peak) = law.peak() {
            assert!((1..1000).all(|p| law.at(f64::from(p)) <= law.at(peak) + 1e-12));
        }
        law.peak()
    };
    assert_eq!(peak(0.0, 0.0), None);
    assert_eq!(peak(0.5, 0.0), None);
    assert_eq!(peak(0.19, 0.01), Some(9.0));
    assert_eq!(peak(0.9, 0.9), Some(1.0));
    assert_eq!(peak(1.0, 0.0), Some(1.0));
    assert_eq!(peak(1.2, 0.0), Some(1.0));
    assert_eq!(peak(1.2, 0.1), Some(1.0));
}

#[test]
fn intervals_of_one_draw_are_those_of_each() {
    let resampling = Resampling::new(&noisy_points(5, 0.05, 0.001), Random::new(9)).unwrap();
    let first = |series: &Series| Some(series.points()[0].1);
    let last = |series: &Series| Some(series.points()[5].1).filter(|it| *it > 0.0);
    let both = resampling.intervals(0.05, 2_000, |series| [first(series), last(series), None]);
    let each = [
        resampling.interval(0.05, 2_000, first),
        resampling.interval(0.05, 2_000, last),
        None,
    ];
    assert_eq!(both, each);
    assert!(both[0].is_some() && both[1].is_some());
}

/// The percentile bootstrap of a difference of medians, against the reference intervals.
#[test]
fn resampled_medians_match_the_reference_intervals() {
    let cases = [
        (super::S1, (0.7, 1.3), 1e-9),
        (super::S2, (0.0, 3.0), 1e-9),
        (super::S3, (0.35, 50.6), 0.15),
    ];
    for ((a, b), (low, high), tolerance) in cases {
        let sides = [(1.0, super::sample(a)), (2.0, super::sample(b))];
        let resampling = Resampling::new(&sides, Random::new(5)).unwrap();
        let difference = |drawn: &Series| Some(drawn.points()[1].1 - drawn.points()[0].1);
        let found = resampling.interval(0.05, RESAMPLES, difference).unwrap();
        assert!((found.low - low).abs() <= tolerance, "{found:?}, {low}");
        assert!((found.high - high).abs() <= tolerance, "{found:?}, {high}");
    }
}

proptest! {
    /// Laws are recovered from what they generate.
    #[test]
    fn laws_are_recovered(
        sigma in 0.0..0.5_f64, kappa in 0.0..0.01_f64, scale in 1e-3..1e9_f64,
        serial in 0.0..1.0_f64,
    ) {
        let workers = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let time = |p: f64| scale * (1.0 + sigma * (p - 1.0) + kappa * p * (p - 1.0)) / p;
        let usl = Usl::fit(&series(&workers.map(|p| (p, time(p)))), false).unwrap();
        prop_assert!((usl.sigma - sigma).abs() < 1e-6, "{usl:?}");
        prop_assert!((usl.kappa - kappa).abs() < 1e-6, "{usl:?}");
        let time = |p: f64| scale * (serial + (1.0 - serial) / p);
        let amdahl = Amdahl::fit(&series(&workers.map(|p| (p, time(p))))).unwrap();
        prop_assert!((amdahl.serial_fraction() - serial).abs() < 1e-9, "{amdahl:?}");
    }

    /// Parts add up to the area, whatever was measured.
    #[test]
    fn areas_are_conserved(
        workers in 1..100_000_i64, elapsed in 0..i64::MAX, work in 0..i64::MAX,
        overhead in proptest::option::of(0..i64::MAX), idle in proptest::option::of(0..i64::MAX),
        reference_work in 0..i64::MAX,
    ) {
        let spent = Spent { workers, elapsed, work, overhead, idle, reference_work };
        let loss = Loss::of(&spent);
        prop_assert_eq!(loss.sum(), i128::from(workers) * i128::from(elapsed));
        prop_assert_eq!(loss.area, loss.sum());
    }

    /// Anything positive has a model, and its figures are numbers.
    #[test]
    fn models_never_fail(values in proptest::collection::vec(1e-9..1e12_f64, 2..9)) {
        let points: Vec<_> = (1..).map(f64::from).zip(values).collect();
        let series = series(&points);
        for allow_negative in [false, true] {
            let model = Pmnf::fit(&points, allow_negative).unwrap();
            prop_assert!(model.smape.is_finite() && model.rss.is_finite());
            prop_assert!(model.smape <= 200.0 + 1e-9);
        }
        prop_assert!(Amdahl::fit(&series).unwrap().rss.is_finite());
        if let Some(usl) = Usl::fit(&series, true) {
            prop_assert!(usl.sigma >= 0.0 && usl.kappa >= 0.0 && usl.rss.is_finite());
        }
    }
}
