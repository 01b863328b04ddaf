//! Points in time: how a text is read as one, and how it is written.

use chrono::{DateTime, SecondsFormat, Utc};

/// A point in time, to the nanosecond.
pub type Instant = DateTime<Utc>;

/// Bytes of `2025-01-31`, and of `2025-01-31T10:00`.
const DATE_BYTES: usize = 10;
const MINUTES_BYTES: usize = 16;

/// The longest text that is taken for a time.
const INSTANT_BYTES_MAX: usize = 64;

/// Reads `2025-01-31`, or with `T10:00`, `T10:00:00`, `T10:00:00.5`, and with a zone, `Z` or `+02:00`. Without one it is UTC.
/// A blank or `t` may stand for the `T`, `z` for the `Z`.
pub fn read(text: &str) -> Option<Instant> {
    if !looks_like_a_date(text.as_bytes()) {
        return None;
    }
    let (date, time) = text.split_at_checked(DATE_BYTES)?;
    if time.is_empty() {
        return parsed(&format!("{date}T00:00:00Z"));
    }
    let (minutes, rest) = text.split_at_checked(MINUTES_BYTES)?;
    let seconds = if rest.starts_with(':') { "" } else { ":00" };
    let has_zone = rest.contains(['Z', 'z', '+', '-']);
    let zone = if has_zone { "" } else { "Z" };
    parsed(&format!("{minutes}{seconds}{rest}{zone}"))
}

/// Writes RFC 3339 in UTC, with as many digits as are needed.
pub fn write(instant: Instant) -> String {
    instant.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

fn parsed(text: &str) -> Option<Instant> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}

/// Sorts out most texts without parsing.
fn looks_like_a_date(text: &[u8]) -> bool {
    (DATE_BYTES..=INSTANT_BYTES_MAX).contains(&text.len())
        && text[4] == b'-'
        && text[7] == b'-'
        && text[..4].iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_dates_and_times_are_instants() {
        for (text, instant) in [
            ("2025-01-31", "2025-01-31T00:00:00Z"),
            ("2025-01-31T10:00", "2025-01-31T10:00:00Z"),
            ("2025-01-31T10:00Z", "2025-01-31T10:00:00Z"),
            ("2025-01-31T10:00+02:00", "2025-01-31T08:00:00Z"),
            ("2025-01-31T10:00:05", "2025-01-31T10:00:05Z"),
            ("2025-01-31 10:00:05", "2025-01-31T10:00:05Z"),
            ("2025-01-31t10:00:05z", "2025-01-31T10:00:05Z"),
            ("2025-01-31T10:00:05.25", "2025-01-31T10:00:05.250Z"),
            ("2025-01-31T10:00:05.25-01:30", "2025-01-31T11:30:05.250Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("0001-01-01", "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(read(text).map(write).as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "not a date",
            "2025",
            "2025-01",
            "2025-1-1",
            "20250131",
            "2025-02-29",
            "2025-13-01",
            "2025-01-31T",
            "2025-01-31T10",
            "2025-01-31T24:00",
            "2025-01-31T10:00:00 UTC",
            "2025-01-31 was a Friday",
            "2025-01-31T10:00+2",
            "2025-01-3é",
            "+2025-01-31",
            " 2025-01-31",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
