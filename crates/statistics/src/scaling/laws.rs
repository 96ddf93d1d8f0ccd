//! Laws with one or two parameters: Amdahl's, Gustafson's, logarithmic and power growth; and least squares of
//! a line.

use super::Series;

/// Amdahl's law T = a + b / p (Amdahl 1967).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amdahl {
    /// a: time that more workers do not shorten.
    pub serial: f64,
    /// b: time that is divided among workers.
    pub parallel: f64,
    /// Whether the best fit had a negative part, which is set to 0: superlinear speedup where it was a,
    /// no speedup at all where it was b.
    pub is_clamped: bool,
    /// Sum of squares of residuals.
    pub rss: f64,
    /// Share of the variance that it explains; absent below three points, which two always fit. High even
    /// for programs that get slower, because the times of few workers outweigh the others.
    pub r_squared: Option<f64>,
}

impl Amdahl {
    /// The least squares of T over 1/p; `None` below two points.
    pub fn fit(series: &Series) -> Option<Self> {
        let points = series.points();
        if points.len() < 2 {
            return None;
        }
        let free = Line::fit(points.iter().map(|&(p, time)| (1.0 / p, time)))?;
        let (mut serial, mut parallel) = (free.intercept, free.slope);
        let is_clamped = serial < 0.0 || parallel < 0.0;
        if serial < 0.0 {
            let (xx, xy) = points.iter().fold((0.0, 0.0), |(xx, xy), &(p, time)| {
                (xx + 1.0 / (p * p), xy + time / p)
            });
            (serial, parallel) = (0.0, xy / xx);
        } else if parallel < 0.0 {
            let sum: f64 = points.iter().map(|&(_, time)| time).sum();
            (serial, parallel) = (sum / points.len() as f64, 0.0);
        }
        let fitted = points
            .iter()
            .map(|&(p, time)| (time, serial + parallel / p));
        let rss = residual_squares(fitted);
        let total = total_squares(points.iter().map(|point| point.1));
        let is_judged = points.len() >= 3 && total > 0.0;
        Some(Self {
            serial,
            parallel,
            is_clamped,
            rss,
            r_squared: is_judged.then(|| 1.0 - rss / total),
        })
    }

    /// a / (a + b).
    pub fn serial_fraction(&self) -> f64 {
        self.serial / (self.serial + self.parallel)
    }

    /// The speedup that no number of workers exceeds, (a + b) / a; `None` without a serial part.
    pub fn limit(&self) -> Option<f64> {
        (self.serial > 0.0).then(|| (self.serial + self.parallel) / self.serial)
    }

    /// T of p workers.
    pub fn at(&self, p: f64) -> f64 {
        self.serial + self.parallel / p
    }
}

/// T = constant + slope · log₂ p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogLaw {
    /// T of one worker.
    pub constant: f64,
    /// What each doubling adds.
    pub slope: f64,
    /// Sum of squares of residuals.
    pub rss: f64,
}

impl LogLaw {
    /// By least squares; `None` below two points.
    pub fn fit(series: &Series) -> Option<Self> {
        let points = series.points();
        if points.len() < 2 {
            return None;
        }
        let line = Line::fit(points.iter().map(|&(p, time)| (p.log2(), time)))?;
        let fitted = points.iter().map(|&(p, time)| (time, line.at(p.log2())));
        Some(Self {
            constant: line.intercept,
            slope: line.slope,
            rss: residual_squares(fitted),
        })
    }

    /// T of p workers.
    pub fn at(&self, p: f64) -> f64 {
        self.constant + self.slope * p.log2()
    }
}

/// T = coefficient · p^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    /// T of one worker.
    pub coefficient: f64,
    /// Growth: 0 constant, 1 proportional, −1 as ideal strong scaling.
    pub exponent: f64,
    /// Sum of squares of residuals of T.
    pub rss: f64,
}

impl PowerLaw {
    /// By least squares of the logarithms; `None` below two points.
    pub fn fit(series: &Series) -> Option<Self> {
        let points = series.points();
        if points.len() < 2 {
            return None;
        }
        let line = Line::fit(points.iter().map(|&(p, time)| (p.ln(), time.ln())))?;
        let law = Self {
            coefficient: line.intercept.exp(),
            exponent: line.slope,
            rss: 0.0,
        };
        let rss = residual_squares(points.iter().map(|&(p, time)| (time, law.at(p))));
        Some(Self { rss, ..law })
    }

    /// T of p workers.
    pub fn at(&self, p: f64) -> f64 {
        self.coefficient * p.powf(self.exponent)
    }
}

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

/// y = intercept + slope · x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// Change of y per x.
    pub slope: f64,
}

impl Line {
    /// The line with the least squares of residuals; level where all x are equal, `None` without
    /// points. Around the means, so that large x cost no digits.
    #[inline]
    pub fn fit(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Self> {
        let count = points.clone().count();
        if count == 0 {
            return None;
        }
        let count = count as f64;
        let mean_x = points.clone().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.clone().map(|(_, y)| y).sum::<f64>() / count;
        let (mut xx, mut xy) = (0.0, 0.0);
        for (x, y) in points {
            xx += (x - mean_x) * (x - mean_x);
            xy += (x - mean_x) * (y - mean_y);
        }
        let slope = if xx > 0.0 { xy / xx } else { 0.0 };
        Some(Self {
            intercept: mean_y - slope * mean_x,
            slope,
        })
    }

    /// y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// Sum of squares of residuals of pairs of measured and predicted.
pub(super) fn residual_squares(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    pairs.map(|(y, fitted)| (y - fitted) * (y - fitted)).sum()
}

/// Sum of squares around the mean.
pub(super) fn total_squares(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    values.map(|value| (value - mean) * (value - mean)).sum()
}
