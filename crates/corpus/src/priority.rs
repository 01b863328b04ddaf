//! Numbers and dates as one order: what "keep the newest" and "keep the best" compare.

use chrono::DateTime;

/// Bytes of a date without a time.
const DATE_BYTES: usize = 10;

/// What a priority must be, for error messages.
pub(crate) const EXPECTED: &str = "a finite number, an RFC 3339 time or a YYYY-MM-DD date";

/// A finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Seconds since 1970-01-01 UTC of a `YYYY-MM-DD` date (midnight UTC) or an RFC 3339 time.
///
/// Microseconds survive for present-day dates. A time without an offset is refused: it would depend on where it is read.
pub fn date(text: &str) -> Option<f64> {
    // The parser takes the minus sign of typography, too, for that of an offset.
    if !text.is_ascii() {
        return None;
    }
    let time = match text.len() {
        DATE_BYTES => DateTime::parse_from_rfc3339(&format!("{text}T00:00:00Z")),
        _ => DateTime::parse_from_rfc3339(text),
    };
    let time = time.ok()?;
    // A leap second counts as second 60: its nanoseconds begin at a thousand million.
    Some(time.timestamp() as f64 + f64::from(time.timestamp_subsec_nanos()) / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_seconds() {
        for (text, seconds) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -86_400.0),
            ("2000-02-29", 951_782_400.0),
            ("2000-03-01", 951_868_800.0),
            ("2026-11-30T21:00:00Z", 1_796_072_400.0),
            ("2026-11-30t21:00:00.25z", 1_796_072_400.25),
            ("2026-11-30 23:30:00+02:30", 1_796_072_400.0),
            ("2026-11-30T19:00:00-02:00", 1_796_072_400.0),
            ("2016-12-31T23:59:60Z", 1_483_228_800.0),
            ("2016-12-31T23:59:60.5Z", 1_483_228_800.5),
            ("1969-12-31T23:59:59.75Z", -0.25),
            ("2026-11-30T21:00:00.0000000000000000000001Z", 1_796_072_400.0),
            ("0000-01-01", -62_167_219_200.0),
            ("9999-12-31T23:59:59-23:59", 253_402_387_139.0),
        ] {
            assert_eq!(date(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-00-01",
            "2026-02-29",
            "1900-02-29",
            "2026-1-01",
            "2026-01-01T",
            "2026-01-01T10:00Z",
            "2026-01-01T10:00:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T10:00:00.Z",
            "2026-01-01T10:00:00+2:00",
            "2026-01-0é",
            "2026-01-01T10:00:00+24:00",
            "2026-01-01T10:00:00Zé",
            "20260101",
            "+026-01-01",
            " 026-01-01",
            "2026-01-01T10:00:00+02",
            "2026-01-01T10:00:00 Z",
            "2026-01-01T10:00:00,5Z",
            "2026-W01-1",
            "2026-01-01X10:00:00Z",
            "2026-01-01T10:00:00é",
            "2026-01-01T10:00:00\u{2212}02:00",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_finite() {
        for (text, value) in [
            ("-1.5e3", Some(-1500.0)),
            ("1e999", None),
            ("NaN", None),
            ("inf", None),
            ("", None),
            ("1 ", None),
        ] {
            assert_eq!(number(text), value, "{text}");
        }
    }
}
