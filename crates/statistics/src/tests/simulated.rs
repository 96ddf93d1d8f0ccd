//! Simulated studies with fixed seeds: power, false alarms, what chance finds.

use crate::*;

/// Log-normal, deviating by 5 %, every tenth run half as slow again.
const OUTLIERS: Noise = Noise::LogNormal {
    deviation: 0.05,
    outliers: 0.1,
    factor: 1.5,
};

#[test]
fn power_is_that_of_the_table() {
    // Noise, runs per side, and the shares of statistics.md section 2 for shifts of 0, 3 and 10 %.
    let table = [
        (Noise::Normal(0.02), 5, [0.03, 0.43, 1.0]),
        (Noise::Normal(0.02), 10, [0.04, 0.84, 1.0]),
        (Noise::Normal(0.05), 5, [0.03, 0.09, 0.64]),
        (Noise::Normal(0.05), 10, [0.03, 0.23, 0.97]),
        (Noise::Normal(0.05), 20, [0.04, 0.44, 1.0]),
        (OUTLIERS, 5, [0.03, 0.07, 0.40]),
        (OUTLIERS, 10, [0.04, 0.16, 0.76]),
        (OUTLIERS, 20, [0.05, 0.29, 0.98]),
    ];
    for (noise, runs, shares) in table {
        for (shift, share) in [0.0, 0.03, 0.1].into_iter().zip(shares) {
            let key = format!("{noise:?} {runs} {shift}");
            let mut random = Random::keyed(1, &[&key]);
            let ours = power(runs, shift, noise, 0.05, 1500, &mut random);
            // Three standard errors of the difference of two studies of 1,500 trials, and the
            // table's rounding.
            let spread = 3.0 * (2.0 * share * (1.0 - share) / 1500.0_f64).sqrt() + 0.005;
            assert!(
                (ours - share).abs() <= spread,
                "{key}: {ours}, table {share}"
            );
        }
    }
}

#[test]
fn false_alarms_stay_below_their_share() {
    for runs in [4, 5, 8, 12] {
        let mut random = Random::keyed(2, &["false alarms", &runs.to_string()]);
        let alarms = power(runs, 0.0, OUTLIERS, 0.05, 10_000, &mut random);
        // The test itself reaches at most 5 %; three standard errors of 10,000 trials.
        assert!(alarms <= 0.05 + 0.0066, "{runs}: {alarms}");
    }
}

#[test]
fn chance_finds_nothing_when_all_are_counted() {
    let mut random = Random::new(3);
    let mut p: Vec<f64> = (0..1000).map(|_| random.unit()).collect();
    p.sort_by(f64::total_cmp);
    let found = |q: Vec<f64>| q.into_iter().filter(|&q| q <= 0.05).count();
    assert_eq!(found(benjamini_hochberg(&p)), 0);
    // The trap: only those that look good were kept.
    assert!(found(benjamini_hochberg(&p[..50])) > 20);
}

#[test]
fn random_runs_rarely_look_like_two_modes() {
    for runs in [8, 10, 20, 50] {
        let mut random = Random::keyed(1, &["modes", &runs.to_string()]);
        let is_split = |random: &mut Random| {
            let values: Vec<f64> = (0..runs).map(|_| 100.0 + 5.0 * random.normal()).collect();
            Sample::new(values).modes(0.01).is_some()
        };
        let split = (0..1000).filter(|_| is_split(&mut random)).count();
        assert!(split <= 50, "{split} of 1,000 samples of {runs}");
    }
}

#[test]
fn the_dip_has_its_level_and_finds_two_modes() {
    let mut random = Random::new(5);
    let mut p = |one: fn(&mut Random) -> f64, count: usize| {
        let values: Vec<f64> = (0..count).map(|_| one(&mut random)).collect();
        dip(&Sample::new(values)).unwrap().p
    };
    let uniform = (0..1000).filter(|_| p(Random::unit, 37) <= 0.05).count();
    assert!((30..=70).contains(&uniform), "{uniform} of 1,000");
    let normal = (0..200).filter(|_| p(Random::normal, 200) <= 0.05).count();
    assert!(normal <= 10, "{normal} of 200");
    let two = |random: &mut Random| random.normal() + if random.unit() < 0.3 { 6.0 } else { 0.0 };
    assert!(p(two, 500) <= 0.001);
}
