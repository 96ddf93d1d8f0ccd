//! Sums with a single rounding.

/// Values above this are scaled down before they are added, so that no partial sum overflows.
const GREAT: f64 = 1e290;
/// The scale: 2⁶⁴ values of any size can be added.
const DOWN: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// The sum of finite values, rounded once to nearest. It does not depend on the order of the values, and negating
/// all values negates it. Infinite if it exceeds the largest float. Linear, times the number of floats that hold
/// the exact sum, mostly two (Shewchuk 1997, "Adaptive precision floating-point arithmetic", section 2).
///
/// ```
/// use sheaf_statistics::exact_sum;
/// assert_eq!(exact_sum(&[1e100, 1.0, -1e100]), 1.0);
/// assert_eq!(exact_sum(&[]), 0.0);
/// ```
pub fn exact_sum(values: &[f64]) -> f64 {
    if values.iter().any(|value| value.abs() > GREAT) {
        let scaled: Vec<f64> = values.iter().map(|value| value * DOWN).collect();
        return sum(&scaled) / DOWN;
    }
    sum(values)
}

fn sum(values: &[f64]) -> f64 {
    // Of ascending size, each too small to change the next.
    let mut parts: Vec<f64> = Vec::new();
    for &value in values {
        let mut carried = value;
        let mut kept = 0;
        for at in 0..parts.len() {
            let (high, low) = two_sum(carried, parts[at]);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            carried = high;
        }
        parts.truncate(kept);
        parts.push(carried);
    }
    let mut sum = 0.0;
    while let Some(part) = parts.pop() {
        let (high, low) = two_sum(sum, part);
        sum = high;
        if low != 0.0 {
            // Halfway between two floats, what is below decides.
            let below = parts.last().copied().unwrap_or(0.0);
            let twice = 2.0 * low;
            let is_tie = ((sum + twice) - sum).to_bits() == twice.to_bits();
            if is_tie && below != 0.0 && below.is_sign_negative() == low.is_sign_negative() {
                sum += twice;
            }
            break;
        }
    }
    // No sum is −0.
    sum + 0.0
}

/// The rounded sum of two floats, and its rounding error.
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let (greater, less) = if x.abs() < y.abs() { (y, x) } else { (x, y) };
    let sum = greater + less;
    (sum, less - (sum - greater))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::float_cmp, reason = "sums are rounded once")]

    use proptest::prelude::*;

    use super::exact_sum;

    /// Any finite float of moderate size, as an integer times 2⁻⁶⁰.
    fn part() -> impl Strategy<Value = (i64, u32)> {
        (-(1_i64 << 50)..1 << 50, 0..70_u32)
    }

    fn float((digits, exponent): (i64, u32)) -> f64 {
        digits as f64 * 2.0_f64.powi(i32::try_from(exponent).unwrap() - 60)
    }

    #[test]
    fn what_plain_sums_lose_is_kept() {
        assert_eq!(exact_sum(&[0.1; 10]), 1.0);
        assert_eq!(exact_sum(&[1e16, 1.0, 1e-16]), 1e16 + 2.0);
        assert_eq!(exact_sum(&[1e16, 1.0]), 1e16);
        assert_eq!(exact_sum(&[-1e16, -1.0, -1e-16]), -1e16 - 2.0);
        assert_eq!(exact_sum(&[1e308, 1e308, -1e308, 1.0]), 1e308);
        assert_eq!(exact_sum(&[1e308; 2]), f64::INFINITY);
        assert_eq!(exact_sum(&[-1e308; 2]), f64::NEG_INFINITY);
        assert!(exact_sum(&[-0.0]).is_sign_positive());
    }

    proptest! {
        #[test]
        fn sums_are_those_of_integers_rounded_once(parts in prop::collection::vec(part(), 0..30)) {
            let exact: i128 = parts.iter().map(|&(digits, exponent)| i128::from(digits) << exponent).sum();
            let values: Vec<f64> = parts.iter().copied().map(float).collect();
            // An integer becomes a float with one rounding, to nearest.
            prop_assert_eq!(exact_sum(&values), exact as f64 * 2.0_f64.powi(-60));
        }

        #[test]
        fn neither_order_nor_sign_matters(
            mut values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 0..30),
        ) {
            let sum = exact_sum(&values);
            values.reverse();
            prop_assert_eq!(exact_sum(&values), sum);
            values.sort_by(f64::total_cmp);
            prop_assert_eq!(exact_sum(&values), sum);
            for value in &mut values {
                *value = -*value;
            }
            prop_assert_eq!(exact_sum(&values), -sum);
        }
    }
}
