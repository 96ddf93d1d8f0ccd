//! Buckets of the quantile sketch that [`Totals`](crate::table::Totals) hold.
//!
//! A bucket is at most 1/64 of its values wide, so a quantile read from bucket middles is off by
//! less than 1/128 of its value; values below 128 are exact.

/// Bucket of a value: `64·e + (v >> e)` with `e = ⌊log₂ v⌋ − 6` from 128 on, the value itself
/// below. Values below zero, which no measurement has, count as zero.
///
/// ```
/// use sheaf_model::sketch::{bucket, lower_bound};
/// assert_eq!((bucket(127), bucket(128), bucket(129)), (127, 128, 128));
/// assert_eq!(lower_bound(bucket(1_000_000)), 999_424);
/// ```
pub fn bucket(value: i64) -> i32 {
    let value = value.max(0).cast_unsigned();
    let shift = value.checked_ilog2().unwrap_or(0).saturating_sub(6);
    let bucket = u64::from(64 * shift) + (value >> shift);
    i32::try_from(bucket).unwrap_or(i32::MAX)
}

/// Smallest value of a bucket; the next bucket's is the first value after it.
pub fn lower_bound(bucket: i32) -> i64 {
    if bucket < 128 {
        return i64::from(bucket.max(0));
    }
    let shift = bucket / 64 - 1;
    let value = i64::from(bucket - 64 * shift);
    value
        .checked_mul(1_i64.checked_shl(shift.unsigned_abs()).unwrap_or(i64::MAX))
        .unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_hold_their_bounds() {
        let last = bucket(i64::MAX);
        for number in 0..=last {
            let low = lower_bound(number);
            assert_eq!(bucket(low), number);
            if number > 0 {
                assert_eq!(bucket(low - 1), number - 1);
            }
        }
        assert_eq!(bucket(-5), 0);
    }
}
