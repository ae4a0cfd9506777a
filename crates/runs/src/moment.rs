//! Moments as text.

use sidecar_protocol::Timestamp;

const DAY: u64 = 86_400;

/// A moment in ISO 8601, in UTC and with milliseconds: `2026-11-26T00:00:00.123Z`.
pub(crate) fn iso(at: Timestamp) -> String {
    let (seconds, ms) = (at / 1_000, at % 1_000);
    let (days, second) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// The date so many days after the beginning of 1970. Years begin in March, so that a leap day ends one.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // since March 0000
    let (era, day) = (days / 146_097, days % 146_097); // 400 years
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_795_651_200_123, "2026-11-26T00:00:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(at), text);
        }
        assert!(iso(Timestamp::MAX).ends_with('Z'));
    }
}
