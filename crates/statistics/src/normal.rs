//! The normal distribution to full precision; that of `statrs` has eleven digits.

/// Chance of a value up to `z`.
pub(crate) fn cumulative(z: f64) -> f64 {
    tail(-z)
}

/// Chance of a value above `z`, also far out.
pub(crate) fn tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}
