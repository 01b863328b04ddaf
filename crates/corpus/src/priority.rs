//! Numbers and dates as one order: what "keep the newest" and "keep the best" compare.

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
    let (date, time) = text.split_at_checked(10)?;
    let [year, month, day] = parts(date, b'-', [4, 2, 2])?;
    let days = days_since_1970(year, month, day)? as f64;
    let seconds = if time.is_empty() { 0.0 } else { seconds_of_day(time.strip_prefix(['T', 't', ' '])?)? };
    Some(days * 86_400.0 + seconds)
}

/// `hh:mm:ss`, a fraction, and the offset from UTC, which is subtracted.
fn seconds_of_day(time: &str) -> Option<f64> {
    let (clock, rest) = time.split_at_checked(8)?;
    let [hour, minute, second] = parts(clock, b':', [2, 2, 2])?;
    // Second 60 is a leap second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let digits = rest
        .strip_prefix('.')
        .map_or(0, |fraction| 1 + fraction.bytes().take_while(u8::is_ascii_digit).count());
    if digits == 1 {
        return None;
    }
    let (fraction, zone) = rest.split_at(digits);
    let fraction = if fraction.is_empty() { 0.0 } else { number(fraction)? };
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = match zone.as_bytes().first()? {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let [hours, minutes] = parts(&zone[1..], b':', [2, 2])?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            sign * (hours * 3600 + minutes * 60)
        }
    };
    Some((hour * 3600 + minute * 60 + second - offset) as f64 + fraction)
}

/// Exactly `N` groups of digits of the given widths with a separator between.
fn parts<const N: usize>(text: &str, separator: u8, widths: [usize; N]) -> Option<[i64; N]> {
    let mut bytes = text.as_bytes();
    let mut values = [0; N];
    for (index, (value, width)) in values.iter_mut().zip(widths).enumerate() {
        if index > 0 {
            bytes = bytes.strip_prefix(&[separator])?;
        }
        let (digits, rest) = bytes.split_at_checked(width)?;
        for digit in digits {
            *value = *value * 10 + i64::from((*digit as char).to_digit(10)?);
        }
        bytes = rest;
    }
    bytes.is_empty().then_some(values)
}

fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    const DAYS_BEFORE_MONTH: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let index = usize::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let leap_day = i64::from(leap && month == 2);
    let length = DAYS_BEFORE_MONTH[index] - DAYS_BEFORE_MONTH[index - 1] + leap_day;
    if !(1..=length).contains(&day) {
        return None;
    }
    let days_before_year = |year: i64| {
        let last = year - 1;
        year * 365 + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400)
    };
    let past_leap_day = i64::from(leap && month > 2);
    let days = days_before_year(year) - days_before_year(1970);
    Some(days + DAYS_BEFORE_MONTH[index - 1] + past_leap_day + day - 1)
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
            ("0000-01-01", -62_167_219_200.0),
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
            "2026-01-01X10:00:00Z",
            "2026-01-01T10:00:00é",
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
