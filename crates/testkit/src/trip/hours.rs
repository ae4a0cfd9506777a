//! The hours of departure in a text.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use super::pattern;

/// Bounds of the departure, as `HH:MM`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hours {
    pub(super) after: Option<String>,
    pub(super) before: Option<String>,
}

/// Parts of the day: words, from, until.
const PARTS: &[(&[&str], Option<&str>, Option<&str>)] = &[
    (&["上午", "早上", "早班", "明早", "今早", "morning"], None, Some("12:00")),
    (&["下午", "afternoon"], Some("12:00"), Some("18:00")),
    (&["晚上", "傍晚", "今晚", "明晚", "evening", "tonight"], Some("18:00"), None),
];

static ENGLISH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(after|before|by) (noon|\d{1,2})(?::(\d{2}))?\s*(am|pm|o'clock|h)?\b"));

static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(上午|早上|下午|晚上)?\s*(\d{1,2})(?:[:：](\d{2})|[点时](半)?)\s*(之后|以后|之前|以前|后|前)")
});

/// The hours in a text: exact ones, otherwise the part of the day.
pub(super) fn find_hours(text: &str) -> Hours {
    let text = text.to_lowercase();
    let english = ENGLISH.captures_iter(&text).find_map(|found| read_english(&found));
    let chinese = CHINESE.captures(&text).and_then(|found| read_chinese(&found));
    english.or(chinese).unwrap_or_else(|| part_of_day(&text))
}

fn part_of_day(text: &str) -> Hours {
    PARTS
        .iter()
        .find(|(words, _, _)| words.iter().any(|word| text.contains(word)))
        .map(|(_, after, before)| Hours {
            after: after.map(str::to_owned),
            before: before.map(str::to_owned),
        })
        .unwrap_or_default()
}

fn read_english(found: &Captures<'_>) -> Option<Hours> {
    let suffix = found.get(4).map_or("", |suffix| suffix.as_str());
    let is_noon = &found[2] == "noon";
    // "after 3" may be a day or a count; only minutes or a suffix make it an hour.
    if !is_noon && suffix.is_empty() && found.get(3).is_none() {
        return None;
    }
    let hour = if is_noon { 12 } else { in_half(found[2].parse().ok()?, suffix == "am", suffix == "pm") };
    let time = clock(hour, found.get(3).map_or("00", |minutes| minutes.as_str()))?;
    Some(bound(time, &found[1] == "after"))
}

fn read_chinese(found: &Captures<'_>) -> Option<Hours> {
    let part = found.get(1).map_or("", |part| part.as_str());
    let hour =
        in_half(found[2].parse().ok()?, matches!(part, "上午" | "早上"), matches!(part, "下午" | "晚上"));
    let half = found.get(4).map(|_| "30");
    let time = clock(hour, found.get(3).map_or(half.unwrap_or("00"), |minutes| minutes.as_str()))?;
    Some(bound(time, found[5].contains('后')))
}

fn bound(time: String, is_after: bool) -> Hours {
    if is_after {
        Hours { after: Some(time), before: None }
    } else {
        Hours { after: None, before: Some(time) }
    }
}

/// An hour in a half of the day, on the 24-hour clock.
fn in_half(hour: u8, is_morning: bool, is_afternoon: bool) -> u8 {
    match hour {
        12 if is_morning => 0,
        1..=11 if is_afternoon => hour + 12,
        _ => hour,
    }
}

fn clock(hour: u8, minutes: &str) -> Option<String> {
    (hour < 24).then(|| format!("{hour:02}:{minutes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours() {
        for (text, after, before) in [
            ("下午出发", Some("12:00"), Some("18:00")),
            ("tomorrow morning", None, Some("12:00")),
            ("明晚", Some("18:00"), None),
            ("after 6 pm", Some("18:00"), None),
            ("before noon", None, Some("12:00")),
            ("before 9:30", None, Some("09:30")),
            ("after 12 am", Some("00:00"), None),
            ("下午3点以后", Some("15:00"), None),
            ("14:30之后", Some("14:30"), None),
            ("早上九点", None, Some("12:00")),
            ("8点半前", None, Some("08:30")),
            ("the day after 3 days", None, None),
            ("明天", None, None),
        ] {
            let expected = Hours { after: after.map(str::to_owned), before: before.map(str::to_owned) };
            assert_eq!(find_hours(text), expected, "{text}");
        }
    }
}
