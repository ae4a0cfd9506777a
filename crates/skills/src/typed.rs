//! What a text of a page is, as a value of a type.
//!
//! A text that is not plainly of the type gives nothing, never a guess: what can be read in two ways is not read.

use serde_json::Value;

use crate::definition::step::ValueType;

mod date;
mod money;
mod number;

/// Milliseconds since 1970 in UTC.
pub type UnixMs = i64;

/// What a text is as a value of a type; `None` if it is not plainly one.
///
/// - A text: with one space for each white space.
/// - A whole number, or a number: the only one in the text, with words around it. `3,456`, `3 456`, `1.2万`, `3亿`,
///   `1.2k`, `3M`, `1.5 million`. A dot is the decimal point, so `3.456` is no whole number; a comma only groups. `%` is
///   a word. What stands for about so many is none: `99+`, `> 5`, `100多`.
/// - Yes or no: `yes`, `true`, `是`, `有`, and their contraries.
/// - A date: year, month and day as a date; with a time and its zone in UTC; with a time whose zone is not known as it
///   stands, without `Z`. Ten digits are seconds since 1970. `3 小时前`, `yesterday` are counted from `now`, days in UTC;
///   months and years ago are not exact, and `03/04/2026` could be two days.
/// - An address: http or https, absolute, without a user's name.
/// - An amount: `{"amount": 12.5, "currency": "CNY"}`. `$` is USD, `¥` and `元` are CNY unless the text has a code that
///   says otherwise. Of `9,99` and `1.234,56` the comma is the decimal one; `1.234` could be both.
#[must_use]
pub fn typed(text: &str, as_: ValueType, now: UnixMs) -> Option<Value> {
    match as_ {
        ValueType::String => Some(collapsed(text)).filter(|text| !text.is_empty()).map(Value::String),
        ValueType::Integer => number::only(&narrow(text))?.whole().map(Value::from),
        ValueType::Number => number::only(&narrow(text))?.value().map(Value::Number),
        ValueType::Boolean => boolean(&narrow(text)).map(Value::Bool),
        ValueType::Date => date::date(&collapsed(&narrow(text)).to_ascii_lowercase(), now).map(Value::String),
        ValueType::Url => url(text.trim()).map(Value::from),
        ValueType::Money => money::money(narrow(text).trim()),
    }
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Full-width letters, digits and signs as ASCII ones, but for the comma, which ends parts of a sentence. One sign for
/// minus, and one for yen and yuan.
fn narrow(text: &str) -> String {
    let narrow = |char| match char {
        '，' => '，',
        '！'..='～' => u32::from(char).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(char),
        '\u{2212}' => '-',
        '￥' => '¥',
        other => other,
    };
    text.chars().map(narrow).collect()
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" | "是" | "有" => Some(true),
        "no" | "false" | "否" | "无" => Some(false),
        _ => None,
    }
}

/// The text, if it is an address that a page can have. Not a URL parser: the browser has already normalised it.
fn url(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let is_strange =
        |char: char| char.is_whitespace() || char.is_control() || matches!(char, '\\' | '<' | '>' | '"');
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_host = match host.strip_prefix('[') {
        Some(six) => six.strip_suffix(']')?.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let is_label = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
            host.starts_with(char::is_alphanumeric) && host.chars().all(is_label) && !host.contains("..")
        }
    };
    let is_port = port.is_none_or(|port| !port.starts_with('+') && port.parse::<u16>().is_ok());
    (is_web && is_host && is_port && !text.contains(is_strange)).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn text_has_single_spaces() {
        for (text, expected) in [
            ("  a \n\t b\u{a0}\u{3000}c ", Some("a b c")),
            ("３，中", Some("３，中")),
            ("", None),
            (" \n\u{a0}", None),
        ] {
            assert_eq!(typed(text, ValueType::String, 0), expected.map(Value::from), "{text:?}");
        }
    }

    #[test]
    fn yes_and_no_are_a_closed_list() {
        for (texts, expected) in [
            (["Yes", " true\n", "TRUE", "是", "有", "ｙｅｓ"], Some(true)),
            (["no", "False", "否", " 无 ", "NO", "false"], Some(false)),
            (["", "y", "1", "on", "是的", "yes no"], None),
            (["0", "maybe", "没有", "不是", "true!", "null"], None),
        ] {
            for text in texts {
                assert_eq!(typed(text, ValueType::Boolean, 0), expected.map(Value::from), "{text}");
            }
        }
    }

    #[test]
    fn addresses_are_absolute_and_of_the_web() {
        for good in [
            "https://a.example",
            "http://a.example/",
            "HTTPS://A.example/x?y=z|{}#t",
            "https://a.example:8443/@user",
            "https://a.example?q=me@a.example",
            "http://[::1]:80/",
            "http://127.0.0.1/x",
            "https://中文.example/中",
            "http://localhost:3000",
        ] {
            assert_eq!(typed(&format!(" {good}\n"), ValueType::Url, 0), Some(json!(good)), "{good}");
        }
        for bad in [
            "",
            "/x",
            "//a.example/x",
            "a.example",
            "https:/a.example",
            "https://",
            "https:///x",
            "https://user@a.example/",
            "https://user:word@a.example/",
            "https://a.example:80@b.example/",
            "https://a.example:x/",
            "https://a.example:/",
            "https://a.example:99999/",
            "https://a.example:+80/",
            "https://a b.example/",
            "https://a.example/x y",
            "https://a.example\\@b.example/",
            "https://a..example/",
            "https://.example/",
            "https://[::1/",
            "https://%61.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.example/",
            "mailto:a@a.example",
            "blob:https://a.example/1",
            "see https://a.example/",
        ] {
            assert_eq!(typed(bad, ValueType::Url, 0), None, "{bad}");
        }
    }

    const TYPES: [ValueType; 7] = [
        ValueType::String,
        ValueType::Integer,
        ValueType::Number,
        ValueType::Boolean,
        ValueType::Date,
        ValueType::Url,
        ValueType::Money,
    ];

    /// A whole number as pages print it.
    fn grouped(number: i64, separator: &str) -> String {
        let digits = number.unsigned_abs().to_string();
        let groups: Vec<_> =
            digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group)).collect();
        format!("{}{}", if number < 0 { "-" } else { "" }, groups.join(separator))
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text: String, now: i64) {
            for as_ in TYPES {
                let _ = typed(&text, as_, now);
            }
        }

        #[test]
        fn no_text_of_such_parts_breaks_it(
            parts in prop::collection::vec(prop::sample::select(vec![
                "1", "23", "456", "2026", "00", "1700000000", ",", ".", " ", "\u{a0}", "-", "/", ":", "+", "年", "月", "日", "万",
                "亿", "千", "k", "M", "¥", "$", "€", "CNY", "元", "%", "t", "z", "nov", " ago", "前", "hours", "小时", "昨天", "24",
                "https://", "[", "]", "@", "½", "，", "９", "999999999999999999",
            ]), 0..9),
            now: i64,
        ) {
            for as_ in TYPES {
                let _ = typed(&parts.concat(), as_, now);
            }
        }

        #[test]
        fn printed_whole_number_is_that_number(
            number in -999_999_999_999_999_999i64..=999_999_999_999_999_999,
            small in -99_999i64..=99_999,
            separator in prop::sample::select(vec!["", ",", " ", "\u{a0}", "\u{202f}", "\u{2009}"]),
            around in prop::sample::select(vec![("", ""), ("共 ", " 个"), ("", " comments"), ("\n ", "\n"), ("(", ")")]),
        ) {
            for number in [number, small] {
                let text = format!("{}{}{}", around.0, grouped(number, separator), around.1);
                prop_assert_eq!(typed(&text, ValueType::Integer, 0), Some(json!(number)), "{:?}", text);
                prop_assert_eq!(typed(&text, ValueType::Number, 0), Some(json!(number)), "{:?}", text);
            }
        }

        #[test]
        fn amount_prints_as_it_stood(whole in 0i64..9_999_999_999, cents in 0i64..100) {
            let cents = format!("{whole}.{cents:02}");
            let shortest = cents.trim_end_matches('0').trim_end_matches('.');
            let money = typed(&format!("¥{cents}"), ValueType::Money, 0).unwrap();
            prop_assert_eq!(money["amount"].to_string(), shortest);
            let money = typed(&format!("{} €", cents.replace('.', ",")), ValueType::Money, 0).unwrap();
            prop_assert_eq!(money["amount"].to_string(), shortest);
        }
    }
}
