//! The day in a text, relative to today.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use regex_lite::{Captures, Regex};

use super::pattern;

/// Reads a match of a [`Pattern`]; `None` if there is no such day ("31 November").
type DateReading = fn(&Captures<'_>, Date) -> Option<Date>;

struct Pattern {
    regex: Regex,
    read: DateReading,
}

/// The day in a text: an exact date, a day of a month, a weekday, or a distance from today. A day and month
/// without a year mean the next such day.
pub(super) fn find_date(text: &str, today: Date) -> Option<Date> {
    let text = text.to_lowercase();
    PATTERNS.iter().find_map(|pattern| {
        pattern.regex.captures_iter(&text).find_map(|found| (pattern.read)(&found, today))
    })
}

/// More exact patterns come first, and longer ones ("day after tomorrow") before those they contain.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let month = MONTHS.join("|");
    let weekday = WEEKDAYS.map(|(name, _)| name).join("|");
    let table: [(String, DateReading); 16] = [
        (r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b".into(), |found, _| exact(found)),
        (r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})".into(), |found, _| exact(found)),
        (r"(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?".into(), |found, today| {
            next_in_year(number(found, 1)?, number(found, 2)?, today)
        }),
        (
            format!(r"\b({month})[a-z]*\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,?\s*(\d{{4}}))?\b"),
            |found, today| month_and_day(&found[1], number(found, 2)?, number(found, 3), today),
        ),
        (
            format!(r"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({month})[a-z]*\.?(?:\s*,?\s*(\d{{4}}))?\b"),
            |found, today| month_and_day(&found[2], number(found, 1)?, number(found, 3), today),
        ),
        (r"大后天".into(), |_, today| in_days(today, 3)),
        (r"后天|day after tomorrow".into(), |_, today| in_days(today, 2)),
        (
            r"(\d+|[一二两三四五六七八九十])\s*天\s*(?:之|以)?后|\bin (\d+|a|one|two|three) days?\b".into(),
            |found, today| in_days(today, count(found.get(1).or(found.get(2))?.as_str())?),
        ),
        (
            r"(?:一|1|两|2)?\s*(?:个?星期|周)(?:之|以)?后|\bin (?:a|one) week\b".into(),
            |found, today| in_days(today, if found[0].contains(['两', '2']) { 14 } else { 7 }),
        ),
        (r"下+\s*个?(?:周|星期|礼拜)\s*([一二三四五六日天])".into(), |found, today| {
            let weeks = i64::try_from(found[0].matches('下').count()).ok()?;
            weekday_in_weeks(chinese_weekday(&found[1])?, weeks, today)
        }),
        (format!(r"\bnext ({weekday})"), |found, today| {
            weekday_in_weeks(english_weekday(&found[1])?, 1, today)
        }),
        (r"(?:周|星期|礼拜)\s*([一二三四五六日天])".into(), |found, today| {
            coming(chinese_weekday(&found[1])?, today)
        }),
        (format!(r"\b({weekday})(?:day|sday|nesday|rsday|urday)?\b"), |found, today| {
            coming(english_weekday(&found[1])?, today)
        }),
        (r"明天|明日|明早|明晚|\btomorrow\b".into(), |_, today| in_days(today, 1)),
        (r"今天|今日|今早|今晚|\btoday\b|\btonight\b".into(), |_, today| Some(today)),
        (r"(?:^|[^\d月])(\d{1,2})\s*[号日]".into(), |found, today| {
            next_in_month(number(found, 1)?, today)
        }),
    ];
    table.into_iter().map(|(source, read)| Pattern { regex: pattern(&source), read }).collect()
});

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

fn exact(found: &Captures<'_>) -> Option<Date> {
    Date::new(number(found, 1)?, number(found, 2)?, number(found, 3)?).ok()
}

fn month_and_day(month: &str, day: i8, year: Option<i16>, today: Date) -> Option<Date> {
    let month =
        MONTHS.iter().position(|name| *name == month).and_then(|index| i8::try_from(index + 1).ok())?;
    match year {
        Some(year) => Date::new(year, month, day).ok(),
        None => next_in_year(month, day, today),
    }
}

fn next_in_year(month: i8, day: i8, today: Date) -> Option<Date> {
    let this_year = Date::new(today.year(), month, day).ok();
    let next_year = || Date::new(today.year() + 1, month, day).ok();
    this_year.filter(|date| *date >= today).or_else(next_year)
}

fn next_in_month(day: i8, today: Date) -> Option<Date> {
    let this_month = Date::new(today.year(), today.month(), day).ok();
    this_month.filter(|date| *date >= today).or_else(|| {
        let next = today.first_of_month().checked_add(1.month()).ok()?;
        Date::new(next.year(), next.month(), day).ok()
    })
}

fn in_days(today: Date, days: i64) -> Option<Date> {
    today.checked_add(days.days()).ok()
}

/// A weekday this many weeks after the current week; weeks begin on Monday.
fn weekday_in_weeks(weekday: Weekday, weeks: i64, today: Date) -> Option<Date> {
    let offset =
        i64::from(weekday.to_monday_zero_offset()) - i64::from(today.weekday().to_monday_zero_offset());
    in_days(today, weeks * 7 + offset)
}

/// The next such weekday, today included.
fn coming(weekday: Weekday, today: Date) -> Option<Date> {
    in_days(today, i64::from(today.weekday().until(weekday)))
}

fn chinese_weekday(name: &str) -> Option<Weekday> {
    let index = "一二三四五六日"
        .chars()
        .position(|c| name.starts_with(c))
        .or_else(|| name.starts_with('天').then_some(6))?;
    WEEKDAYS.get(index).map(|(_, weekday)| *weekday)
}

fn english_weekday(name: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(start, _)| *start == name).map(|(_, weekday)| *weekday)
}

fn count(word: &str) -> Option<i64> {
    Some(match word {
        "a" | "one" | "一" => 1,
        "two" | "二" | "两" => 2,
        "three" | "三" => 3,
        "四" => 4,
        "五" => 5,
        "六" => 6,
        "七" => 7,
        "八" => 8,
        "九" => 9,
        "十" => 10,
        digits => digits.parse().ok()?,
    })
}

fn number<N: std::str::FromStr>(found: &Captures<'_>, group: usize) -> Option<N> {
    found.get(group)?.as_str().parse().ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// A Saturday.
    const TODAY: Date = date(2026, 11, 21);

    #[test]
    fn days_by_name() {
        for (text, expected) in [
            ("今天", TODAY),
            ("tonight", TODAY),
            ("帮我搜明天的航班", date(2026, 11, 22)),
            ("明晚出发", date(2026, 11, 22)),
            ("flights tomorrow under 2000", date(2026, 11, 22)),
            ("后天", date(2026, 11, 23)),
            ("the day after tomorrow", date(2026, 11, 23)),
            ("大后天", date(2026, 11, 24)),
            ("3天后", date(2026, 11, 24)),
            ("十天之后", date(2026, 12, 1)),
            ("in 3 days", date(2026, 11, 24)),
            ("in a week", date(2026, 11, 28)),
            ("一周后", date(2026, 11, 28)),
            ("下周一", date(2026, 11, 23)),
            ("下星期天", date(2026, 11, 29)),
            ("下下周三", date(2026, 12, 2)),
            ("next Monday", date(2026, 11, 23)),
            ("next Friday", date(2026, 11, 27)),
            ("周六", TODAY),
            ("这周日", date(2026, 11, 22)),
            ("on Wednesday", date(2026, 11, 25)),
            ("on thursday, please", date(2026, 11, 26)),
        ] {
            assert_eq!(find_date(text, TODAY), Some(expected), "{text}");
        }
    }

    #[test]
    fn dates() {
        for (text, expected) in [
            ("2026-12-01", date(2026, 12, 1)),
            ("2027/1/5", date(2027, 1, 5)),
            ("2026年12月1日", date(2026, 12, 1)),
            ("11月25日", date(2026, 11, 25)),
            ("1月 3 号", date(2027, 1, 3)),
            ("25号", date(2026, 11, 25)),
            ("3号", date(2026, 12, 3)),
            ("Dec 1", date(2026, 12, 1)),
            ("December 24th, 2027", date(2027, 12, 24)),
            ("1st of December", date(2026, 12, 1)),
            ("5 Jan", date(2027, 1, 5)),
        ] {
            assert_eq!(find_date(text, TODAY), Some(expected), "{text}");
        }
    }

    #[test]
    fn no_day() {
        for text in ["under 2000", "北京到上海", "11月31日", "monkeys on the sunny side", "I may go"] {
            assert_eq!(find_date(text, TODAY), None, "{text}");
        }
    }
}
