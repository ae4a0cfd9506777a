//! The Gregorian calendar.

/// A day: how many after the first of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day(pub(super) i64);

/// Days of 400 years.
const ERA: i64 = 146_097;

/// Days from the first of March of year 0 to the first of 1970.
const TO_1970: i64 = 719_468;

impl Day {
    /// The day of a date. `None` if the calendar has no such date.
    pub(super) fn of(year: u32, month: u32, date: u32) -> Option<Self> {
        let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
        let days = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let exists = (1..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&date);
        exists.then_some(())?;
        // Years begin in March here, so that a leap day is the last of one.
        let year = i64::from(year) - i64::from(month < 3);
        let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(date) - 1;
        Some(Self(365 * year + year / 4 - year / 100 + year / 400 + of_year - TO_1970))
    }

    /// Year, month and day. `None` outside of the years 1 to 9999.
    fn date(self) -> Option<[i64; 3]> {
        let (first, last) = (-719_162, 2_932_896);
        (first..=last).contains(&self.0).then_some(())?;
        let days = self.0 + TO_1970;
        let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let date = of_year - (153 * month + 2) / 5 + 1;
        let month = (month + 2) % 12 + 1;
        Some([era * 400 + year + i64::from(month < 3), month, date])
    }

    /// 0 is Sunday.
    pub(super) fn weekday(self) -> usize {
        usize::try_from((self.0 + 4).rem_euclid(7)).unwrap_or_default()
    }
}

/// A day, perhaps with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateTime {
    day: Day,
    time: Option<Time>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time {
    /// Of the day.
    seconds: i64,
    /// Whether it is in UTC. Otherwise its zone is not known.
    is_utc: bool,
}

impl DateTime {
    pub(super) fn of_day(day: Day) -> Self {
        Self { day, time: None }
    }

    /// Seconds since 1970.
    pub(super) fn of_seconds(seconds: i64) -> Self {
        let time = Time { seconds: seconds.rem_euclid(86_400), is_utc: true };
        Self { day: Day(seconds.div_euclid(86_400)), time: Some(time) }
    }

    /// Hour, minute and second of a day, so many minutes east of Greenwich.
    pub(super) fn of_time(day: Day, time: [u32; 3], offset: Option<i32>) -> Self {
        let [hour, minute, second] = time.map(i64::from);
        let seconds = hour * 3_600 + minute * 60 + second;
        match offset {
            Some(offset) => Self::of_seconds(day.0 * 86_400 + seconds - i64::from(offset) * 60),
            None => Self { day, time: Some(Time { seconds, is_utc: false }) },
        }
    }

    /// In ISO 8601.
    pub(super) fn written(self) -> Option<String> {
        let [year, month, date] = self.day.date()?;
        let day = format!("{year:04}-{month:02}-{date:02}");
        let Some(Time { seconds, is_utc }) = self.time else { return Some(day) };
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        Some(format!("{day}T{hour:02}:{minute:02}:{second:02}{}", if is_utc { "Z" } else { "" }))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::Date;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn days_are_those_of_the_calendar(year in 0u32..10_001, month in 0u32..14, date in 0u32..33) {
            let signed = |number: u32| i8::try_from(number).unwrap();
            let known = Date::new(i16::try_from(year).unwrap(), signed(month), signed(date)).ok().filter(|_| year > 0);
            let day = Day::of(year, month, date);
            prop_assert_eq!(day.is_some(), known.is_some());
            if let (Some(day), Some(known)) = (day, known) {
                prop_assert_eq!(DateTime::of_day(day).written(), Some(known.to_string()));
                prop_assert_eq!(day.weekday(), usize::try_from(known.weekday().to_sunday_zero_offset()).unwrap());
            }
        }

        #[test]
        fn seconds_are_those_of_the_calendar(seconds in -62_135_596_800i64..=253_402_207_200) {
            let known = Timestamp::from_second(seconds).unwrap().to_string();
            prop_assert_eq!(DateTime::of_seconds(seconds).written(), Some(known));
        }
    }

    #[test]
    fn there_are_the_years_1_to_9999() {
        assert_eq!(Day::of(1970, 1, 1), Some(Day(0)));
        assert_eq!(DateTime::of_day(Day(-719_162)).written().as_deref(), Some("0001-01-01"));
        assert_eq!(DateTime::of_day(Day(2_932_896)).written().as_deref(), Some("9999-12-31"));
        for outside in [-719_163, 2_932_897, i64::MAX, i64::MIN] {
            assert_eq!(DateTime::of_day(Day(outside)).written(), None);
        }
    }
}
