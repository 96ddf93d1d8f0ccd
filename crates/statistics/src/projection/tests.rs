//! Projections of three clouds beside those of other tools, and what must hold of any.
//!
//! Reference values: numpy 2.4.6 (`linalg.eigh` of the centred squares; `trace(HGH)/trace(G)` with
//! `linalg.pinv`) and `permanova` of scikit-bio 0.7.4.

use proptest::prelude::*;

use super::*;
use crate::Distances;

/// Points in three clouds, point by point.
pub(crate) fn clouds(count: u32) -> Vec<f64> {
    let part = |number: u32, of: u32| f64::from(number % of) / f64::from(of);
    let point = |i: u32| {
        [
            f64::from(i % 3) * 4.0 + part(i * 7, 11),
            f64::from(u8::from(i % 3 == 1)) * 3.0 + part(i * 5, 13),
            part(i * 3, 7),
        ]
    };
    (0..count).flat_map(point).collect()
}

/// Sums of differences, which no places have as straight distances.
pub(crate) fn city_block(points: &[f64]) -> Distances {
    let point = |at: usize| &points[3 * at..3 * at + 3];
    Distances::of_pairs(points.len() / 3, |i, j| {
        let pairs = point(i).iter().zip(point(j));
        pairs.map(|(a, b)| (a - b).abs()).sum()
    })
}

fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() < 1e-8 * b.abs().max(1.0),
            "{found:?} instead of {expected:?}"
        );
    }
}

#[test]
fn scaling_is_that_of_numpy() {
    let straight = Distances::of_points(&clouds(20), 3);
    let found = classical_scaling(&straight, 2);
    near(&found.eigenvalues, &[198.027_281_166, 41.081_552_945_2]);
    near(
        &found.coordinates[..6],
        &[
            -4.275_201_48,
            -1.413_830_78,
            0.431_210_2,
            1.871_952_92,
            4.008_910_64,
            -0.819_361_866,
        ],
    );
    near(
        &[found.fit.unwrap(), found.stress.unwrap()],
        &[0.999_930_207_632, 0.024_537_134_715_8],
    );
    let found = classical_scaling(&city_block(&clouds(20)), 2);
    near(&found.eigenvalues, &[231.451_826_808, 152.845_130_073]);
    near(
        &found.coordinates[..6],
        &[
            -4.832_448_68,
            -2.632_271_35,
            0.748_757_04,
            3.580_751_96,
            4.378_808_7,
            -1.832_496_36,
        ],
    );
    near(
        &[found.fit.unwrap(), found.stress.unwrap()],
        &[0.987_501_688_752, 0.051_993_471_877_9],
    );
    // Two of more dimensions are those two, but for the last bits.
    let more = classical_scaling(&city_block(&clouds(20)), 5).first(2, &city_block(&clouds(20)));
    near(&more.coordinates, &found.coordinates);
    near(
        &[more.fit.unwrap(), more.stress.unwrap()],
        &[0.987_501_688_752, 0.051_993_471_877_9],
    );
}

#[test]
fn little_is_projected_too() {
    let scaling = |len, distance| classical_scaling(&Distances::of_pairs(len, |_, _| distance), 2);
    for nothing in [scaling(0, 1.0), scaling(1, 1.0), scaling(5, 0.0)] {
        assert_eq!(nothing.dimensions, 0);
        assert_eq!((nothing.fit, nothing.stress), (None, None));
        assert_eq!(nothing.at(0, 0).to_bits(), 0.0_f64.to_bits());
    }
    let pair = scaling(2, 3.0);
    near(&pair.coordinates, &[1.5, -1.5]);
    // A triangle has two equal eigenvalues; both are found.
    near(&scaling(3, 1.0).eigenvalues, &[0.5, 0.5]);
    near(&[scaling(3, 1.0).stress.unwrap()], &[0.0]);
    assert!(Distances::of_points(&[], 0).is_empty());
}

#[test]
fn many_things_are_projected_as_few_are() {
    // More things than steps of Lanczos, in three places: two dimensions hold them exactly.
    let places = [[0.0, 0.0], [30.0, 0.0], [0.0, 20.0]];
    let points: Vec<f64> = (0..700).flat_map(|at| places[at % 3]).collect();
    let distances = Distances::of_points(&points, 2);
    let found = classical_scaling(&distances, 4);
    assert_eq!(found.dimensions, 2);
    assert!(found.stress.unwrap() < 1e-9, "{:?}", found.stress);
}

#[test]
fn shares_are_those_of_other_tools() {
    let distances = city_block(&clouds(20));
    let column = |of: &dyn Fn(u32) -> f64| (0..20).map(of).collect::<Vec<f64>>();
    let is_value =
        |what: fn(u32) -> u32, value| column(&move |i| f64::from(u8::from(what(i) == value)));
    let number = column(&|i| f64::from(i).powf(1.5));
    let thirds: Vec<Vec<f64>> = (0..3).map(|value| is_value(|i| i % 3, value)).collect();
    let squares: Vec<Vec<f64>> = (0..2).map(|value| is_value(|i| i * i % 4, value)).collect();
    let check = |columns: &[Vec<f64>], degrees, r_squared, adjusted| {
        let found = explained(&distances, columns, 0, 0).unwrap();
        assert_eq!((found.degrees, found.p), (degrees, None));
        near(
            &[found.r_squared, found.adjusted.unwrap()],
            &[r_squared, adjusted],
        );
    };
    check(&[number], 1, -0.007_593_544_319_12, -0.063_570_963_448);
    check(&thirds, 2, 0.969_106_529_843, 0.965_472_003_943);
    check(&squares, 1, 0.004_040_675_930_79, -0.051_290_397_628_6);
    // scikit-bio finds 0.001 of 999 and 0.9203 of 9,999 permutations, of its own generator.
    let p = |columns, permutations| {
        explained(&distances, columns, permutations, 1)
            .unwrap()
            .p
            .unwrap()
    };
    near(&[p(&thirds, 999)], &[0.001]);
    let found = p(&squares, 9_999);
    assert!((found - 0.9203).abs() < 0.012, "{found}");
}

#[test]
fn what_does_not_vary_explains_nothing() {
    let distances = city_block(&clouds(6));
    let same = Distances::of_pairs(6, |_, _| 0.0);
    let number: Vec<f64> = (0..6).map(f64::from).collect();
    assert_eq!(explained(&distances, &[vec![7.0; 6]], 9, 0), None);
    assert_eq!(explained(&distances, &[], 9, 0), None);
    assert_eq!(explained(&same, &[number], 9, 0), None);
    // A value for each thing explains all, and cannot be told from chance.
    let alone = |at| (0..6).map(|i| f64::from(u8::from(i == at))).collect();
    let columns: Vec<Vec<f64>> = (0..6).map(alone).collect();
    let found = explained(&distances, &columns, 99, 0).unwrap();
    near(&[found.r_squared, found.p.unwrap()], &[1.0, 1.0]);
    assert_eq!((found.adjusted, found.degrees), (None, 5));
}

/// Points of a plane, no two of whose coordinates are alike.
fn plane() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-9.0..9.0, -3.0..3.0), 3..20).prop_map(|places| {
        let point = |(at, (x, y)): (usize, (f64, f64))| [x + at as f64 * at as f64, y];
        places.into_iter().enumerate().flat_map(point).collect()
    })
}

proptest! {
    #[test]
    fn places_of_a_plane_are_found(points in plane(), turn in 0.0..6.2) {
        let distances = Distances::of_points(&points, 2);
        let found = classical_scaling(&distances, 2);
        prop_assert!(found.stress.unwrap() < 1e-7, "{:?}", found.stress);
        // Turned and mirrored points have the same distances, so the same picture.
        let (sine, cosine) = f64::sin_cos(turn);
        let turned: Vec<f64> = points
            .chunks(2)
            .flat_map(|at| [cosine * at[0] - sine * at[1], -sine * at[0] - cosine * at[1]])
            .collect();
        let again = classical_scaling(&Distances::of_points(&turned, 2), 2);
        prop_assert_eq!(found.dimensions, again.dimensions);
        let size = found.eigenvalues[0].sqrt();
        let gap = found.eigenvalues.get(1).map_or(1.0, |it| (1.0 - it / found.eigenvalues[0]).min(it / found.eigenvalues[0]));
        for (a, b) in found.coordinates.iter().zip(&again.coordinates) {
            prop_assert!((a - b).abs() * gap < 1e-5 * size, "{a} {b}");
        }
    }

    #[test]
    fn another_order_is_the_same_picture(points in plane(), by in 1_usize..20) {
        let found = classical_scaling(&Distances::of_points(&points, 2), 2);
        let by = by % (points.len() / 2);
        let mut turned = points.clone();
        turned.rotate_left(2 * by);
        let mut again = classical_scaling(&Distances::of_points(&turned, 2), 2).coordinates;
        again.rotate_right(found.dimensions * by);
        let size = found.eigenvalues[0].sqrt();
        let gap = found.eigenvalues.get(1).map_or(1.0, |it| (1.0 - it / found.eigenvalues[0]).min(it / found.eigenvalues[0]));
        for (a, b) in found.coordinates.iter().zip(&again) {
            prop_assert!((a - b).abs() * gap < 1e-5 * size, "{a} {b}");
        }
    }
}
