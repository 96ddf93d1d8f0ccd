//! The detectable shift agrees with the power table of the reference and with brute force.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::random::Random;
use crate::*;

#[test]
fn too_few_values_detect_nothing() {
    for (m, n) in [(0, 5), (5, 0), (1, 1), (3, 3), (1, 20)] {
        assert_eq!(detectable_shift(m, n, 0.05, 0.8, 0), None, "{m} {n}");
    }
    assert_eq!(detectable_shift(5, 5, 0.0, 0.8, 0), None);
    assert_eq!(detectable_shift(5, 5, 0.05, f64::NAN, 0), None);
}

#[test]
fn the_power_table_is_met() {
    // Normal noise of 2 and 5 %, n per side, shift, share of 1500 trials that detect it: the
    // shift is what is detected with that power.
    let table = [
        (0.02, 5, 0.03, 0.43),
        (0.02, 10, 0.03, 0.84),
        (0.05, 5, 0.10, 0.64),
        (0.05, 10, 0.10, 0.97),
        (0.05, 10, 0.03, 0.23),
        (0.05, 20, 0.03, 0.44),
    ];
    for (noise, n, shift, power) in table {
        // Noise that grows with the level, as ratios of times have it.
        let ours = noise * detectable_shift(n, n, 0.05, power, 3).unwrap();
        assert!(
            (ours / shift - 1.0).abs() < 0.1,
            "{noise} {n} {shift}: {ours}"
        );
    }
}

#[test]
fn the_test_itself_finds_the_shift_as_often_as_said() {
    let (m, n, power) = (6, 9, 0.8);
    let shift = detectable_shift(m, n, 0.05, power, 5).unwrap();
    let null = RankSumNull::new(m, n);
    let (mut random, normal) = (Random::new(8), Normal::standard());
    let mut draw = |count: usize, shift: f64| {
        let value = |_| normal.inverse_cdf(random.unit().max(f64::EPSILON)) + shift;
        Sample::new((0..count).map(value).collect::<Vec<f64>>())
    };
    let trials = 2000;
    let is_found = |_| {
        let (a, b) = (draw(m, 0.0), draw(n, shift));
        rank_sum(&a, &b, &null).unwrap().p <= 0.05
    };
    let found = (0..trials).map(is_found).filter(|&found| found).count();
    let share = found as f64 / f64::from(trials);
    assert!((share - power).abs() < 0.03, "{share}");
}
