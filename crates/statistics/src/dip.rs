//! The dip: how far the distribution of values is from having one mode.

mod table;

use table::{LEVELS, TABLE};

use crate::Sample;

/// A dip and the chance of a larger one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dip {
    /// Largest distance between the distribution function of the values and the closest one with
    /// a single mode, between 1/(2n) and ¼.
    pub dip: f64,
    /// Probability of a dip at least as large for uniform values, the unimodal distribution that is hardest
    /// to distinguish from two modes.
    pub p: f64,
}

/// Hartigan's dip (Hartigan & Hartigan 1985; computed as in P. M. Hartigan's AS 217 with its
/// published corrections) and its p. Absent below four values and when all are equal.
///
/// It has little power for few values, and ties increase it: use it for the grains of a run, not for five runs.
/// Linear.
///
/// ```
/// use sheaf_statistics::{Sample, dip};
/// let even = Sample::new((0..8).map(f64::from));
/// assert_eq!(dip(&even).unwrap().dip, 1.0 / 16.0);
/// ```
pub fn dip(sample: &Sample) -> Option<Dip> {
    let values = sample.values();
    if values.len() < 4 || sample.min() == sample.max() {
        return None;
    }
    let dip = dip_of_sorted(values);
    Some(Dip {
        dip,
        p: dip_p(dip, values.len()),
    })
}

/// The dip of at least two ascending values that are not all equal.
///
/// Distances are counted in steps of the distribution function, 1/n, and doubled.
pub(crate) fn dip_of_sorted(values: &[f64]) -> f64 {
    let last = values.len() - 1;
    let (convex, concave) = (convex_links(values), concave_links(values));
    let (mut low, mut high) = (0, last);
    let mut dip = 1.0_f64;
    let (mut below, mut above) = (Vec::new(), Vec::new());
    loop {
        // Corners of the greatest convex minorant from the upper end down, and of the least
        // concave majorant from the lower end up, between the ends of the mode.
        follow(&convex, high, low, &mut below);
        follow(&concave, low, high, &mut above);
        let widest = widest_gap(values, &below, &above);
        if widest.size < dip {
            break;
        }
        let (lower, upper) = (&below[widest.below..], &above[widest.above..]);
        let left = lower
            .windows(2)
            .map(|ends| rise_above(values, ends[1], ends[0]));
        let right = upper
            .windows(2)
            .map(|ends| fall_below(values, ends[0], ends[1]));
        dip = left.chain(right).fold(dip, f64::max);
        let next = (below[widest.below], above[widest.above]);
        if next == (low, high) {
            break;
        }
        (low, high) = next;
    }
    dip / (2 * values.len()) as f64
}

/// For every place, the corner before it of the greatest convex minorant up to there.
fn convex_links(values: &[f64]) -> Vec<usize> {
    let mut links = vec![0; values.len()];
    for at in 1..values.len() {
        let mut link = at - 1;
        while link != 0 && !is_bent(values, at, link, links[link]) {
            link = links[link];
        }
        links[at] = link;
    }
    links
}

/// For every place, the corner after it of the least concave majorant from there.
fn concave_links(values: &[f64]) -> Vec<usize> {
    let last = values.len() - 1;
    let mut links = vec![last; values.len()];
    for at in (0..last).rev() {
        let mut link = at + 1;
        while link != last && !is_bent(values, at, link, links[link]) {
            link = links[link];
        }
        links[at] = link;
    }
    links
}

/// Whether the function is steeper from `corner` to `at` than from `far` to `corner`.
fn is_bent(values: &[f64], at: usize, corner: usize, far: usize) -> bool {
    let near_run = (values[at] - values[corner]).abs() * corner.abs_diff(far) as f64;
    let far_run = (values[corner] - values[far]).abs() * at.abs_diff(corner) as f64;
    near_run < far_run
}

/// Collects the corners along `links` from one place to another.
fn follow(links: &[usize], from: usize, to: usize, corners: &mut Vec<usize>) {
    corners.clear();
    let mut at = from;
    corners.push(at);
    while at != to {
        at = links[at];
        corners.push(at);
    }
}

/// Where minorant and majorant are farthest apart: the corners at which the mode goes on.
struct Gap {
    size: f64,
    below: usize,
    above: usize,
}

fn widest_gap(values: &[f64], below: &[usize], above: &[usize]) -> Gap {
    let mut gap = Gap {
        size: 0.0,
        below: below.len() - 1,
        above: above.len() - 1,
    };
    if below.len() == 2 && above.len() == 2 {
        gap.size = 1.0;
        return gap;
    }
    // Both are walked upwards, so the minorant's corners from their end.
    let (mut at_below, mut at_above) = (below.len() - 2, 1);
    loop {
        let (corner_below, corner_above) = (below[at_below], above[at_above]);
        if corner_below > corner_above {
            let start = below[at_below + 1];
            let slope = (corner_below - start) as f64 / (values[corner_below] - values[start]);
            let height = (values[corner_above] - values[start]) * slope;
            let size = (corner_above - start + 1) as f64 - height;
            at_above += 1;
            if size >= gap.size {
                gap = Gap {
                    size,
                    below: at_below + 1,
                    above: at_above - 1,
                };
            }
        } else {
            let start = above[at_above - 1];
            let slope = (corner_above - start) as f64 / (values[corner_above] - values[start]);
            let height = (values[corner_below] - values[start]) * slope;
            let size = height - (corner_below as f64 - start as f64 - 1.0);
            let this = at_below;
            at_below = at_below.saturating_sub(1);
            if size >= gap.size {
                gap = Gap {
                    size,
                    below: this,
                    above: at_above,
                };
            }
        }
        at_above = at_above.min(above.len() - 1);
        if below[at_below] == above[at_above] {
            return gap;
        }
    }
}

/// How far the distribution function rises above a chord of the minorant.
fn rise_above(values: &[f64], start: usize, end: usize) -> f64 {
    chord(values, start, end, |steps, height| steps + 1.0 - height)
}

/// How far it falls below a chord of the majorant.
fn fall_below(values: &[f64], start: usize, end: usize) -> f64 {
    chord(values, start, end, |steps, height| height - (steps - 1.0))
}

fn chord(values: &[f64], start: usize, end: usize, distance: impl Fn(f64, f64) -> f64) -> f64 {
    let width = values[end] - values[start];
    if end - start < 2 || width <= 0.0 {
        return 1.0;
    }
    let slope = (end - start) as f64 / width;
    let of =
        |(steps, value): (usize, &f64)| distance(steps as f64, (value - values[start]) * slope);
    values[start..=end]
        .iter()
        .enumerate()
        .map(of)
        .fold(1.0, f64::max)
}

/// Probability that `count` uniform values have a dip of at least `dip`.
///
/// It comes from a table simulated by `cargo run --release -p sheaf-statistics --example dip_table`, with linear
/// interpolation between sizes and levels of √n dip, which hardly depends on the size. Sizes above the largest
/// use the largest. The error is below 0.005; the smallest result is 0.0001.
pub fn dip_p(dip: f64, count: usize) -> f64 {
    let size = count as f64;
    let (Some(first), Some(last)) = (TABLE.first(), TABLE.last()) else {
        return 1.0;
    };
    let above = TABLE
        .partition_point(|row| row.0 < size)
        .min(TABLE.len() - 1);
    let (lower, upper) = (TABLE[above.saturating_sub(1)], TABLE[above]);
    let weight = if size <= first.0 || size >= last.0 {
        1.0
    } else {
        (size - lower.0) / (upper.0 - lower.0)
    };
    let wanted = dip * size.sqrt();
    // The smallest possible dip has probability 1.
    let (mut passed, mut chance) = (0.5 / size.sqrt(), 1.0);
    if wanted <= passed * (1.0 + 1e-9) {
        return 1.0;
    }
    for (column, share) in LEVELS.into_iter().enumerate() {
        let own = |row: (f64, [f64; LEVELS.len()])| row.1[column];
        let quantile = own(lower) + weight * (own(upper) - own(lower));
        if quantile >= wanted {
            let part = (wanted - passed) / (quantile - passed);
            return chance + part * (1.0 - share - chance);
        }
        (passed, chance) = (quantile, 1.0 - share);
    }
    chance
}
