//! A straight line by least squares: the one fit that most laws come down to.

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
