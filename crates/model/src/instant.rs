//! Points in time as people and files write them, and back.
//!
//! A point in time is nanoseconds since 1970-01-01 UTC; calendar dates are Gregorian.

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat};

const NANOS: i64 = 1_000_000_000;

/// Reads a date, or a date and a time of day: `2026-01-31`, `2026-01-31T12:00:00.5+01:00`,
/// `2026-01-31 12:00`, `20260131T120000Z`, `20260131-120000`, `2026-01-31_12-00-00`. Without an
/// offset it is UTC. `None` for anything else, and beyond the years 1678 to 2261.
///
/// ```
/// use sheaf_model::instant;
/// assert_eq!(instant::parse("1970-01-02T00:00:01Z"), Some(86_401_000_000_000));
/// assert_eq!(instant::parse("1970-01-01T01:00+01:00"), Some(0));
/// assert_eq!(instant::parse("1970-13-01"), None);
/// ```
pub fn parse(text: &str) -> Option<i64> {
    let mut cursor = Cursor(text.as_bytes());
    let year = cursor.number(4)?;
    let has_dashes = cursor.take(b"-").is_some();
    let month = cursor.number(2)?;
    if has_dashes {
        cursor.take(b"-")?;
    }
    let day = cursor.number(2)?;
    let [year, month, day] = [year, month, day].map(|it| u32::try_from(it).unwrap_or(0));
    let date = NaiveDate::from_ymd_opt(year.cast_signed(), month, day).filter(|_| year >= 1)?;
    let mut nanos = 0;
    let mut seconds = date.and_time(NaiveTime::MIN).and_utc().timestamp();
    if !cursor.0.is_empty() {
        if cursor.take(b"Tt _-").is_none() && has_dashes {
            return None;
        }
        let (of_day, fraction) = time_of_day(&mut cursor)?;
        seconds += of_day - offset(&mut cursor)?;
        nanos = fraction;
    }
    if !cursor.0.is_empty() {
        return None;
    }
    // The first second that fits begins before the first nanosecond that does.
    i64::try_from(i128::from(seconds) * i128::from(NANOS) + i128::from(nanos)).ok()
}

/// A point in time as `2026-01-31T12:00:00.000000000Z`.
pub fn rfc3339(nanos: i64) -> String {
    DateTime::from_timestamp_nanos(nanos).to_rfc3339_opts(SecondsFormat::Nanos, true)
}

/// A point in time without fractions of its second: `2026-01-31T12:00:00Z`.
pub fn rfc3339_seconds(nanos: i64) -> String {
    DateTime::from_timestamp_nanos(nanos).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// What is left of a text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// One of `bytes`, when it is next.
    fn take(&mut self, bytes: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        bytes.contains(&first).then(|| {
            self.0 = rest;
            first
        })
    }

    /// A number of exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (head, rest) = self.0.split_at_checked(digits)?;
        let digit = |number: i64, byte: &u8| {
            byte.is_ascii_digit()
                .then(|| number * 10 + i64::from(byte - b'0'))
        };
        let number = head.iter().try_fold(0, digit)?;
        self.0 = rest;
        Some(number)
    }
}

/// Seconds since midnight, and nanoseconds. Seconds may be left out; a leap second is the one
/// after.
fn time_of_day(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    let hour = cursor.number(2)?;
    let separator = cursor.take(b":-");
    let minute = cursor.number(2)?;
    let has_seconds = match separator {
        Some(separator) => cursor.take(&[separator]).is_some(),
        None => cursor.0.first().is_some_and(u8::is_ascii_digit),
    };
    let second = if has_seconds { cursor.number(2)? } else { 0 };
    let mut nanos = 0;
    if has_seconds && cursor.take(b".,").is_some() {
        let mut unit = NANOS / 10;
        nanos = cursor.number(1)? * unit;
        while let Some(digit) = cursor.number(1) {
            unit /= 10;
            nanos += digit * unit;
        }
    }
    let is_time = hour <= 23 && minute <= 59 && second <= 60;
    is_time.then_some((hour * 3_600 + minute * 60 + second, nanos))
}

/// Offset from UTC in seconds; 0 if it is missing.
fn offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    if cursor.0.is_empty() || cursor.take(b"Zz").is_some() {
        return Some(0);
    }
    let sign = if cursor.take(b"+-")? == b'-' { -1 } else { 1 };
    let hours = cursor.number(2)?;
    cursor.take(b":");
    let minutes = if cursor.0.is_empty() {
        0
    } else {
        cursor.number(2)?
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(
            rfc3339(951_782_400_000_000_001),
            "2000-02-29T00:00:00.000000001Z"
        );
        assert_eq!(rfc3339_seconds(-1), "1969-12-31T23:59:59Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(
            rfc3339(1_795_219_199_000_000_000),
            "2026-11-20T23:59:59.000000000Z"
        );
    }

    #[test]
    fn forms_of_one_second_are_equal() {
        let expected = Some(1_706_702_400_000_000_000);
        for text in [
            "2024-01-31T12:00:00Z",
            "2024-01-31t12:00:00z",
            "2024-01-31 12:00",
            "2024-01-31T13:00:00+01:00",
            "2024-01-31T06:30-0530",
            "2024-01-31T12:00:00.000",
            "20240131T120000Z",
            "20240131120000",
            "20240131-120000",
            "20240131_1200",
            "2024-01-31_12-00-00",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("2024-01-31"), Some(1_706_659_200_000_000_000));
        assert_eq!(
            parse("2024-01-31T00:00:00.5"),
            Some(1_706_659_200_500_000_000)
        );
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "2024",
            "2024-02-30",
            "2023-02-29",
            "2024-00-01",
            "0000-01-01",
            "2024-1-01",
            "2024-01-01T24:00",
            "2024-01-01T12:60",
            "2024-01-01T",
            "2024-01-01T12",
            "2024-01-01T12:00:00.",
            "2024-01-01T12:00+",
            "2024-01-01X",
            "2024-01-0112:00",
            "9999-01-01",
            "2024-01-01T12:00Zx",
            "2024-01-01T12:00:00+99:00",
            "２０２４-01-01",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(nanos: i64) {
            prop_assert_eq!(parse(&rfc3339(nanos)), Some(nanos));
            prop_assert_eq!(parse(&rfc3339(i64::MIN)), Some(i64::MIN));
            prop_assert_eq!(parse(&rfc3339(i64::MAX)), Some(i64::MAX));
        }

        #[test]
        fn nothing_makes_it_panic(text in ".{0,40}") {
            let _ = parse(&text);
        }
    }
}
