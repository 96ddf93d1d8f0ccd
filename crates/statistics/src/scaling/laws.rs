//! Laws with two parameters: Amdahl's, logarithmic and power growth.

use super::Series;
use super::line::{Line, residual_squares, total_squares};

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
