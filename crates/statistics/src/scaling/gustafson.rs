//! Gustafson's law of problems that grow with the workers.

use super::Series;

/// Scaled speedup S = p − s · (p − 1) (Gustafson 1988).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gustafson {
    /// s: serial part of the time of the parallel run; negative where the problem gains from more workers.
    pub serial: f64,
    /// Sum of squares of the residuals of the scaled speedup.
    pub rss: f64,
}

impl Gustafson {
    /// By least squares of the scaled speedup; `None` unless the first point is one worker and there is
    /// another.
    pub fn fit(series: &Series) -> Option<Self> {
        if !series.starts_at_one() || series.len() < 2 {
            return None;
        }
        let scaled = series.scaled();
        let (mut xx, mut xy) = (0.0, 0.0);
        for point in &scaled {
            let beyond = point.p - 1.0;
            xx += beyond * beyond;
            xy += (point.p - point.scaled_speedup) * beyond;
        }
        let serial = xy / xx;
        let residual = |point: &super::Scaled| {
            let fitted = point.p - serial * (point.p - 1.0);
            (point.scaled_speedup - fitted) * (point.scaled_speedup - fitted)
        };
        Some(Self {
            serial,
            rss: scaled.iter().map(residual).sum(),
        })
    }

    /// T of p workers in units of T(1): p / S.
    pub fn relative_time(&self, p: f64) -> f64 {
        p / (p - self.serial * (p - 1.0))
    }
}
