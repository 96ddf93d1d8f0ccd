//! Bounds of the numbers that questions give.

use crate::error::Error;

/// Checks a share of false alarms: nothing is significant at 0, and everything at 1.
///
/// # Errors
/// If `alpha` is out of range.
pub fn check_alpha(alpha: f64) -> Result<(), Error> {
    if alpha > 0.0 && alpha < 1.0 {
        return Ok(());
    }
    Err(Error::OutOfRange {
        name: "alpha",
        value: alpha.to_string(),
        wanted: "a share of false alarms above 0 and below 1, such as `0.05`",
    })
}

/// Checks a share from 0 to `most`.
///
/// # Errors
/// If `value` is out of range.
pub fn check_share(name: &'static str, value: f64, most: f64) -> Result<(), Error> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange {
        name,
        value: value.to_string(),
        wanted: "a share that is not negative, such as `0.05`",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_named() {
        for alpha in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            let error = check_alpha(alpha).unwrap_err().to_string();
            let start = format!("alpha `{alpha}` is out of range; give a share");
            assert!(error.starts_with(&start), "{error}");
            assert!(error.ends_with("`0.05`"), "{error}");
        }
        assert_eq!(check_alpha(0.05), Ok(()));
        for value in [-0.01, 1.01, f64::NAN] {
            assert!(check_share("min_share", value, 1.0).is_err(), "{value}");
        }
        for value in [0.0, 1.0] {
            assert_eq!(check_share("min_share", value, 1.0), Ok(()));
        }
    }
}
