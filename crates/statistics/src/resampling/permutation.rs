//! The permutation test: how often does a relabeling of the values change as much.

use crate::random::Random;

/// Relabelings up to which all are looked at.
pub const MAX_RELABELINGS: u64 = 1_000_000;

/// Outcome of a permutation test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permutation {
    /// The statistic of the sides as they are.
    pub observed: f64,
    /// Relabelings whose statistic is at least as large in size. When they were drawn, the sides
    /// as they are count as one of them.
    pub extreme: u64,
    /// Relabelings looked at.
    pub total: u64,
    /// Two-sided p: `extreme` / `total`; never 0.
    pub p: f64,
    /// Whether all relabelings were looked at; otherwise they were drawn with the seed.
    pub is_exact: bool,
}

/// Tests a `statistic` of two sides, two-sided, by relabeling their values: all C(m + n, m) when
/// these are at most [`MAX_RELABELINGS`], else `draws` random ones, with (1 + k) / (1 + draws) as
/// p. Absent when a side is empty or the observed statistic is not finite.
///
/// Statistics that differ by less than 10⁻¹² of the greatest value count as equal, since sums of
/// the same values in another order are.
///
/// ```
/// use sheaf_statistics::{Random, permutation};
/// let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
/// let test = permutation(
///     &[1.0, 2.0, 3.0],
///     &[4.0, 5.0, 6.0],
///     |a, b| mean(b) - mean(a),
///     999,
///     &mut Random::new(1),
/// );
/// assert_eq!(test.unwrap().p, 2.0 / 20.0);
/// ```
pub fn permutation(
    a: &[f64],
    b: &[f64],
    statistic: impl Fn(&[f64], &[f64]) -> f64,
    draws: u64,
    random: &mut Random,
) -> Option<Permutation> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let observed = Some(statistic(a, b)).filter(|observed| observed.is_finite())?;
    let mut pooled: Vec<f64> = a.iter().chain(b).copied().collect();
    let greatest = pooled
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    let least = observed.abs() - 1e-12 * greatest.max(observed.abs());
    let is_extreme = |size: f64| size.abs() >= least;
    let all = combinations(pooled.len(), a.len());
    let (extreme, total) = if let Some(total) = all {
        let count = |a: &[f64], b: &[f64]| is_extreme(statistic(a, b));
        (count_all(&pooled, a.len(), count), total)
    } else {
        let mut extreme = 1;
        for _ in 0..draws {
            // The first m of a shuffle (Fisher & Yates) are a random side.
            for place in 0..a.len() {
                let other = place + random.below(pooled.len() - place);
                pooled.swap(place, other);
            }
            let (a, b) = pooled.split_at(a.len());
            extreme += u64::from(is_extreme(statistic(a, b)));
        }
        (extreme, draws + 1)
    };
    Some(Permutation {
        observed,
        extreme,
        total,
        p: extreme as f64 / total as f64,
        is_exact: all.is_some(),
    })
}

/// C(`all`, `chosen`) when it is small enough to look at each.
fn combinations(all: usize, chosen: usize) -> Option<u64> {
    let chosen = chosen.min(all - chosen);
    let mut count = 1_u64;
    for index in 1..=chosen {
        // Divides without rest: the product is C(all − chosen + index, index) · index.
        count = count * (all - chosen + index) as u64 / index as u64;
        if count > MAX_RELABELINGS {
            return None;
        }
    }
    Some(count)
}

/// Goes through all choices of `chosen` values in lexicographic order and counts those accepted.
fn count_all(pooled: &[f64], chosen: usize, is_counted: impl Fn(&[f64], &[f64]) -> bool) -> u64 {
    let mut places: Vec<usize> = (0..chosen).collect();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut counted = 0;
    loop {
        a.clear();
        b.clear();
        let mut next = places.iter().copied().peekable();
        for (place, &value) in pooled.iter().enumerate() {
            if next.next_if_eq(&place).is_some() {
                a.push(value);
            } else {
                b.push(value);
            }
        }
        counted += u64::from(is_counted(&a, &b));
        // The last place that can still move on, and those after it right behind it.
        let spare = pooled.len() - chosen;
        let Some(moving) = (0..chosen).rev().find(|&at| places[at] < spare + at) else {
            return counted;
        };
        places[moving] += 1;
        for at in moving + 1..chosen {
            places[at] = places[at - 1] + 1;
        }
    }
}
