//! Dates and times as pages print them.

use calendar::{DateTime, Day};

use super::UnixMs;

mod calendar;

/// No date is longer, in bytes.
const LONGEST: usize = 100;

/// What pages put before a date. Longer ones first.
const PREFIXES: &[&str] = &[
    "发布于",
    "发表于",
    "编辑于",
    "更新于",
    "posted on",
    "posted",
    "published on",
    "published",
    "updated on",
    "updated",
    "on",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// The date that a text is, in ISO 8601. The text is in small letters, with single spaces.
pub(super) fn date(text: &str, now: UnixMs) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let after = |prefix: &&str| {
        let rest = text.strip_prefix(*prefix)?;
        let is_apart = rest.starts_with([' ', ':', '：']) || !prefix.is_ascii();
        is_apart.then(|| rest.trim_start_matches([' ', ':', '：']))
    };
    let text = PREFIXES.iter().find_map(after).unwrap_or(text);
    if text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return DateTime::of_seconds(text.parse().ok()?).written();
    }
    relative(text, now.div_euclid(1_000)).or_else(|| absolute(text))?.written()
}

/// A date counted from now, in seconds since 1970.
fn relative(text: &str, now: i64) -> Option<DateTime> {
    const DAY: i64 = 86_400;
    if matches!(text, "刚刚" | "刚才" | "just now" | "now") {
        return Some(DateTime::of_seconds(now));
    }
    let today = Day(now.div_euclid(DAY));
    let mut reader = DateReader { rest: text };
    for (word, days) in [("今天", 0), ("昨天", 1), ("前天", 2), ("today", 0), ("yesterday", 1)] {
        if reader.takes(word) {
            return reader.time_of(Day(today.0 - days));
        }
    }
    let count = match reader.digits(1, 4) {
        Some(count) => i64::from(count),
        None if reader.takes("an ") || reader.takes("a ") || reader.takes("one ") => 1,
        None => return None,
    };
    let unit = reader.rest.trim_start();
    let unit = unit
        .strip_suffix(" ago")
        .or_else(|| unit.strip_suffix("之前"))
        .or_else(|| unit.strip_suffix('前'))?;
    let seconds = match unit.trim_end() {
        "秒" | "秒钟" | "s" | "sec" | "secs" | "second" | "seconds" => 1,
        "分" | "分钟" | "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "小时" | "个小时" | "h" | "hr" | "hrs" | "hour" | "hours" => 3_600,
        "天" | "日" | "d" | "day" | "days" => return Some(DateTime::of_day(Day(today.0 - count))),
        "周" | "星期" | "个星期" | "w" | "week" | "weeks" => {
            return Some(DateTime::of_day(Day(today.0 - 7 * count)));
        }
        _ => return None,
    };
    Some(DateTime::of_seconds(now - count * seconds))
}

/// A date with its year, perhaps with a time.
fn absolute(text: &str) -> Option<DateTime> {
    let mut reader = DateReader { rest: text };
    let weekday = reader.name(&WEEKDAYS);
    if weekday.is_some() {
        reader.takes(",");
        reader.space();
    }
    let day = [DateReader::year_first, DateReader::month_first, DateReader::day_first].into_iter().find_map(
        |form| {
            let mut ahead = reader;
            let day = form(&mut ahead)?;
            reader = ahead;
            Some(day)
        },
    )?;
    if weekday.is_some_and(|weekday| weekday != day.weekday()) {
        return None;
    }
    reader.time_of(day)
}

/// What of a text is still to be read.
#[derive(Debug, Clone, Copy)]
struct DateReader<'t> {
    rest: &'t str,
}

impl<'t> DateReader<'t> {
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// A number of so many digits, at least and at most.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        let number = (least..=most).contains(&length).then(|| digits.parse().ok())??;
        self.rest = rest;
        Some(number)
    }

    fn word(&mut self) -> &'t str {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    /// Which of these names comes, whole or its first three letters.
    fn name(&mut self, names: &[&str]) -> Option<usize> {
        let mut ahead = *self;
        let word = ahead.word();
        let is_it =
            |name: &&str| word == *name || word == &name[..3] || word == "sept" && *name == "september";
        let number = names.iter().position(is_it)?;
        ahead.takes(".");
        *self = ahead;
        Some(number)
    }

    /// `2026-11-24`, `2026/11/24`, `2026.11.24`, `2026年11月24日`.
    fn year_first(&mut self) -> Option<Day> {
        let year = self.digits(4, 4)?;
        let (first, second) =
            ["-", "/", "."].map(|sign| (sign, sign)).into_iter().chain([("年", "月")]).find(|signs| {
                let mut ahead = *self;
                ahead.space();
                let is_it = ahead.takes(signs.0);
                *self = if is_it { ahead } else { *self };
                is_it
            })?;
        let is_chinese = first != second;
        let month = self.part(is_chinese)?;
        self.takes(second).then_some(())?;
        let date = self.part(is_chinese)?;
        (!is_chinese || self.takes("日") || self.takes("号")).then_some(())?;
        Day::of(year, month, date)
    }

    /// A month or a day of one or two digits; in Chinese, spaces may stand around it.
    fn part(&mut self, is_chinese: bool) -> Option<u32> {
        if is_chinese {
            self.space();
        }
        let number = self.digits(1, 2)?;
        if is_chinese {
            self.space();
        }
        Some(number)
    }

    /// `November 24, 2026`
    fn month_first(&mut self) -> Option<Day> {
        let month = self.month()?;
        self.takes(" ").then_some(())?;
        let date = self.date()?;
        let is_apart = self.takes(", ") || self.takes(",") || self.takes(" ");
        let year = self.digits(4, 4).filter(|_| is_apart)?;
        Day::of(year, month, date)
    }

    /// `24 Nov 2026`, `24th of November, 2026`, `24-Nov-2026`.
    fn day_first(&mut self) -> Option<Day> {
        let date = self.date()?;
        let sign = if self.takes("-") { "-" } else { " " };
        let is_apart = sign == "-" || self.takes(" of ") || self.takes(" ");
        let month = self.month().filter(|_| is_apart)?;
        let is_apart = sign == " " && self.takes(", ") || self.takes(sign);
        let year = self.digits(4, 4).filter(|_| is_apart)?;
        Day::of(year, month, date)
    }

    fn month(&mut self) -> Option<u32> {
        u32::try_from(self.name(&MONTHS)? + 1).ok()
    }

    /// A day of a month, perhaps with its `th`.
    fn date(&mut self) -> Option<u32> {
        let date = self.digits(1, 2)?;
        let _ = ["st", "nd", "rd", "th"].into_iter().any(|ending| self.takes(ending));
        Some(date)
    }

    /// The time that follows a day, up to the end of the text.
    fn time_of(mut self, day: Day) -> Option<DateTime> {
        self.chinese_weekday(day)?;
        if self.rest.is_empty() {
            return Some(DateTime::of_day(day));
        }
        let is_iso = self.takes("t");
        if !is_iso {
            let _ = self.takes(" at ") || self.takes(", ") || self.takes(" ");
        }
        let half = [("上午", false), ("下午", true)]
            .into_iter()
            .find(|(word, _)| self.takes(word))
            .map(|(_, half)| half);
        self.space();
        let mut hour = self.digits(1, 2)?;
        self.takes(":").then_some(())?;
        let minute = self.digits(2, 2)?;
        let second = if self.takes(":") { self.digits(2, 2)? } else { 0 };
        if self.rest.starts_with(['.', ',']) {
            self.rest = &self.rest[1..];
            self.digits(1, 9)?;
        }
        let half = half.or_else(|| {
            let mut ahead = self;
            ahead.space();
            let half = match ahead.word() {
                "am" => Some(false),
                "pm" => Some(true),
                _ => return None,
            };
            self = ahead;
            half
        });
        if let Some(is_afternoon) = half {
            (1..=12).contains(&hour).then_some(())?;
            hour = hour % 12 + if is_afternoon { 12 } else { 0 };
        }
        (hour < 24 && minute < 60 && second < 60).then_some(())?;
        let mut offset = self.offset()?;
        if is_iso && offset.is_none() && self.takes(" ") {
            // Seconds since 1970 after a time: what counts from there wrote the time in UTC.
            self.digits(10, 10)?;
            offset = Some(0);
        }
        self.rest.is_empty().then_some(DateTime::of_time(day, [hour, minute, second], offset))
    }

    /// Passes over `星期二`, `(周二)`. `None` if the day is another one.
    fn chinese_weekday(&mut self, day: Day) -> Option<()> {
        let mut ahead = *self;
        ahead.space();
        let is_bracketed = ahead.takes("(");
        if !(ahead.takes("星期") || ahead.takes("周")) {
            return Some(());
        }
        let names = ["日", "一", "二", "三", "四", "五", "六", "天"];
        let weekday = names.into_iter().position(|name| ahead.takes(name))? % 7;
        *self = ahead;
        (weekday == day.weekday() && (!is_bracketed || self.takes(")"))).then_some(())
    }

    /// Minutes east of Greenwich; no zone is `Some(None)`.
    fn offset(&mut self) -> Option<Option<i32>> {
        let mut ahead = *self;
        ahead.space();
        let is_named = ["utc", "gmt", "ut", "z"].into_iter().any(|name| ahead.takes(name));
        let sign = match ahead.rest.chars().next() {
            Some('+') => 1,
            Some('-') => -1,
            _ => {
                *self = if is_named { ahead } else { *self };
                return Some(is_named.then_some(0));
            }
        };
        ahead.rest = &ahead.rest[1..];
        let (hours, minutes) = match ahead.digits(4, 4) {
            Some(both) => (both / 100, both % 100),
            None => {
                let hours = ahead.digits(if is_named { 1 } else { 2 }, 2)?;
                (hours, if ahead.takes(":") { ahead.digits(2, 2)? } else { 0 })
            }
        };
        *self = ahead;
        (hours <= 14 && minutes < 60).then_some(())?;
        Some(i32::try_from(hours * 60 + minutes).ok().map(|minutes| sign * minutes))
    }
}

#[cfg(test)]
mod tests;
