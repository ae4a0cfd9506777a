//! Dates and times as schemas want them, for pickers: what is not picked stays as it was written.

/// A date with a time, as in RFC 3339: `2026-11-22T10:00:00+05:30`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MomentText {
    /// `2026-11-22`
    pub date: String,
    /// `10:00:00`, with fractions of a second if they were written.
    pub time: String,
    /// `Z`, or hours and minutes from UTC as `+05:30`. It is shown, and no time is moved to another.
    pub offset: String,
}

impl MomentText {
    /// Reads a text; `None` if it is something else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (date, rest) = text.split_once(['T', 't', ' '])?;
        let (time, offset) = split_offset(rest);
        (is_date(date) && time_text(time).is_some_and(|full| full == time) && is_offset(offset))
            .then(|| Self { date: date.to_owned(), time: time.to_owned(), offset: offset.to_owned() })
    }

    /// Its text.
    #[must_use]
    pub fn write(&self) -> String {
        format!("{}T{}{}", self.date, self.time, self.offset)
    }
}

/// A picked time with seconds, which pickers leave out: `10:00` becomes `10:00:00`. `None` if it is no time.
#[must_use]
pub fn time_text(picked: &str) -> Option<String> {
    let (clock, fraction) =
        picked.split_once('.').map_or((picked, None), |(clock, rest)| (clock, Some(rest)));
    let is_fraction = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<_> = clock.split(':').collect();
    let seconds = match parts.as_slice() {
        [_, _] if fraction.is_none() => "00",
        [_, _, seconds] => seconds,
        _ => return None,
    };
    // A leap second is one, too.
    let is_clock = number(parts[0], 23) && number(parts[1], 59) && number(seconds, 60);
    let end = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
    (is_clock && fraction.is_none_or(is_fraction))
        .then(|| format!("{}:{}:{seconds}{end}", parts[0], parts[1]))
}

/// A time and its offset, which may be empty.
#[must_use]
pub fn split_offset(text: &str) -> (&str, &str) {
    let at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    text.split_at(at)
}

fn is_offset(text: &str) -> bool {
    let clock = text.strip_prefix(['+', '-']).and_then(|clock| clock.split_once(':'));
    matches!(text, "Z" | "z")
        || clock.is_some_and(|(hours, minutes)| number(hours, 23) && number(minutes, 59))
}

/// Whether a text is a day of the calendar.
#[must_use]
pub fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Ok(of_year), Ok(of_month)) = (year.parse::<u32>(), month.parse::<u32>()) else { return false };
    let is_leap = of_year % 4 == 0 && (of_year % 100 != 0 || of_year % 400 == 0);
    let days = match of_month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    is_year && number(month, 12) && of_month > 0 && number(day, days) && *day != "00"
}

/// The day after a day of the calendar.
#[must_use]
pub fn day_after(date: &str) -> Option<String> {
    let numbers: Vec<u32> = date.split('-').map_while(|part| part.parse().ok()).collect();
    let (true, [year, month, day]) = (is_date(date), numbers.as_slice()) else { return None };
    let [year, month, day] = [*year, *month, *day];
    let later = [(year, month, day + 1), (year, month + 1, 1), (year + 1, 1, 1)];
    let texts = later.map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"));
    texts.into_iter().find(|text| is_date(text))
}

/// Whether a text is two digits, up to a number.
fn number(text: &str, most: u32) -> bool {
    text.len() == 2
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u32>().is_ok_and(|value| value <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inspector_case_43_an_offset_and_its_day_stay() {
        let text = "2026-11-22T00:15:00.5+05:30";
        let mut moment = MomentText::read(text).unwrap();
        assert_eq!(moment.write(), text);
        moment.time = time_text("23:45").unwrap();
        assert_eq!(moment.write(), "2026-11-22T23:45:00+05:30", "the date does not shift");
        assert_eq!(MomentText::read("2026-02-28T10:00:60Z").unwrap().offset, "Z");
        for other in [
            "2026-11-22",
            "2026-11-22T10:00Z",
            "2026-11-22T10:00:00",
            "2026-11-22T24:00:00Z",
            "2026-02-29T10:00:00Z",
            "T",
        ] {
            assert_eq!(MomentText::read(other), None, "{other}");
        }
    }

    #[test]
    fn picked_times_get_seconds_and_dates_are_days() {
        assert_eq!(time_text("10:00").as_deref(), Some("10:00:00"));
        assert_eq!(time_text("10:00:07.25").as_deref(), Some("10:00:07.25"));
        assert_eq!(
            (time_text("1:00"), time_text("10"), time_text("10:00:00."), time_text("é:00")),
            (None, None, None, None)
        );
        assert_eq!(split_offset("10:00:00Z"), ("10:00:00", "Z"));
        assert!(
            is_date("2024-02-29")
                && !is_date("2023-02-29")
                && !is_date("2026-13-01")
                && !is_date("2026-00-10")
        );
        assert!(!is_date("2026-1-01") && !is_date("+026-01-01") && !is_date("2026-01-00"));
    }

    #[test]
    fn days_follow_each_other_over_months_and_years() {
        for (day, next) in [
            ("2026-11-27", Some("2026-11-28")),
            ("2026-11-30", Some("2026-12-01")),
            ("2028-02-28", Some("2028-02-29")),
            ("2027-02-28", Some("2027-03-01")),
            ("2026-12-31", Some("2027-01-01")),
            ("2026-02-30", None),
            ("tomorrow", None),
        ] {
            assert_eq!(day_after(day).as_deref(), next, "{day}");
        }
    }
}
