//! Welch's t-test, for comparison with other tools.

use crate::sample::{student_p, student_quantile};
use crate::{Interval, Sample};

/// Outcome of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// Difference of the means, B − A, over its standard error.
    pub t: f64,
    /// Degrees of freedom (Welch & Satterthwaite).
    pub freedom: f64,
    /// Two-sided p; never 0.
    pub p: f64,
    /// Interval of the difference of the means.
    pub interval: Interval,
}

/// Welch's test of the difference of two means, with an interval of error `alpha`.
///
/// Right for normal values only, which timings rarely are: verdicts rest on
/// [`rank_sum`](crate::rank_sum). Absent below two values on a side and where neither side
/// varies, for which other tools print t = ∞ and p = 0.
pub fn welch(a: &Sample, b: &Sample, alpha: f64) -> Option<Welch> {
    let shares = [a.standard_error()?.powi(2), b.standard_error()?.powi(2)];
    let error = (shares[0] + shares[1]).sqrt();
    if error <= 0.0 {
        return None;
    }
    let counts = [a.len() as f64, b.len() as f64];
    let parts = [0, 1].map(|side: usize| shares[side].powi(2) / (counts[side] - 1.0));
    let freedom = (shares[0] + shares[1]).powi(2) / (parts[0] + parts[1]);
    let difference = b.mean()? - a.mean()?;
    let reach = error * student_quantile(freedom, alpha)?;
    Some(Welch {
        t: difference / error,
        freedom,
        p: student_p(difference / error, freedom)?,
        interval: Interval {
            low: difference - reach,
            high: difference + reach,
            coverage: 1.0 - alpha,
        },
    })
}
