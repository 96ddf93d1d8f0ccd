//! Points that lie on the wrong side of their neighbours.

use super::Series;

/// Which way a series goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trend {
    /// Values grow with p.
    Rising,
    /// Values shrink with p.
    Falling,
}

/// Two neighbours of which the second is on the wrong side of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inversion {
    /// Place of the first of the two; the second is next to it.
    pub place: usize,
    /// Value of the second less that of the first: against the trend.
    pub delta: f64,
    /// Which of the two is farther, by ratio, from the curve through the points around them: 0 or 1.
    /// `None` at an end of the series, where nothing distinguishes them.
    pub suspect: Option<usize>,
}

/// The direction that most pairs of points agree on (Kendall's S); `None` where as many go up as down.
pub fn trend(series: &Series) -> Option<Trend> {
    let points = series.points();
    let mut balance = 0_i64;
    for (place, first) in points.iter().enumerate() {
        for second in &points[place + 1..] {
            balance += i64::from(second.1 > first.1) - i64::from(second.1 < first.1);
        }
    }
    match balance {
        0 => None,
        1.. => Some(Trend::Rising),
        _ => Some(Trend::Falling),
    }
}

/// Neighbours out of order: steps against the trend. Steps against it at the end of the series, two or
/// more in a row, are a turn rather than disorder and left out; the place of the point at which the
/// series turns is the second result.
pub fn out_of_order(series: &Series, trend: Trend) -> (Vec<Inversion>, Option<usize>) {
    let points = series.points();
    let is_against = |place: usize| {
        let delta = points[place + 1].1 - points[place].1;
        match trend {
            Trend::Rising => delta < 0.0,
            Trend::Falling => delta > 0.0,
        }
    };
    let steps = points.len().saturating_sub(1);
    let tail = (0..steps)
        .rev()
        .take_while(|&step| is_against(step))
        .count();
    let turn = (tail >= 2).then(|| steps - tail);
    let found = (0..turn.unwrap_or(steps))
        .filter(|&step| is_against(step))
        .map(|place| Inversion {
            place,
            delta: points[place + 1].1 - points[place].1,
            suspect: suspect(points, place),
        });
    (found.collect(), turn)
}

/// Compares both with the line, in logarithms, between the points before and after them.
fn suspect(points: &[(f64, f64)], place: usize) -> Option<usize> {
    let before = points.get(place.checked_sub(1)?)?;
    let after = points.get(place + 2)?;
    let distance = |&(p, value): &(f64, f64)| {
        let way = (p / before.0).ln() / (after.0 / before.0).ln();
        let expected = before.1.ln() + way * (after.1 / before.1).ln();
        (value.ln() - expected).abs()
    };
    let (first, second) = (distance(&points[place]), distance(&points[place + 1]));
    Some(usize::from(second > first))
}
