//! The highest price that a text allows.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::pattern;

/// A number with digits ("1,500", "2k", "2千", "1.5万") or in Chinese ("两千", "一千五").
const AMOUNT: &str = r"(\d[\d,，]*(?:\.\d+)?\s*(?:k\b|千|万)?|[一二两三四五六七八九][千百万](?:[一二两三四五六七八九][千百十]?)*)";
/// What may stand between a word and the amount.
const CURRENCY: &str = r"(?:cny|rmb|usd|yuan|¥|￥|\$|人民币)?";
/// What may stand after an amount.
const UNIT: &str = r"(?:元|块钱|块|圆|人民币|yuan|rmb|cny)?";

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"\bunder|\bbelow|\bless than|\bcheaper than|\bat most|\bup to|\b(?:no|not) more than|\bwithin|\bmax(?:imum)?(?: of)?|\bbudget(?: of| is)?|不超过|不高于|不多于|低于|少于|小于|最多|最高|预算|控制在";
    pattern(&format!(r"(?:{words})\s*[:：]?\s*{CURRENCY}\s*{AMOUNT}"))
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"以下|以内|之内|以里|之下|内|封顶|or less|or below|or under|or cheaper|max\b|at most|tops\b";
    pattern(&format!(r"{AMOUNT}\s*{UNIT}\s*(?:{words})"))
});

/// The maximum price in a text, in any wording of "at most".
pub(super) fn find_limit(text: &str) -> Option<u32> {
    let text = text.to_lowercase();
    [&BEFORE, &AFTER].into_iter().find_map(|pattern| {
        let found = pattern.captures(&text)?;
        amount(found.get(1)?.as_str())
    })
}

fn amount(text: &str) -> Option<u32> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let plain: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        let factor = match text.chars().last() {
            Some('k' | '千') => 1_000.0,
            Some('万') => 10_000.0,
            _ => 1.0,
        };
        let value = plain.parse::<f64>().ok()? * factor;
        // Fractions do not matter to a price limit.
        (0.0..=f64::from(u32::MAX)).contains(&value).then_some(value as u32)
    } else {
        chinese_amount(text)
    }
}

/// "两千" is 2000, "一千五" 1500 (a last digit without a unit counts in the unit below), "三百五十" 350.
fn chinese_amount(text: &str) -> Option<u32> {
    let mut sum = 0;
    let mut digit = 0;
    let mut unit = 1;
    for c in text.chars() {
        if let Some(value) =
            "一二三四五六七八九".chars().position(|one| one == c).or((c == '两').then_some(1))
        {
            digit = u32::try_from(value + 1).ok()?;
            continue;
        }
        unit = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1_000,
            '万' => 10_000,
            _ => return None,
        };
        sum += digit * unit;
        digit = 0;
    }
    Some(sum + digit * unit / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        for (text, expected) in [
            ("2000 以下", 2000),
            ("2000元以内", 2000),
            ("1,500 块钱以内", 1500),
            ("不超过 1500", 1500),
            ("预算￥800", 800),
            ("2 千以下", 2000),
            ("2千块以内", 2000),
            ("两千以下", 2000),
            ("一千五以内", 1500),
            ("三百五十以下", 350),
            ("1.5万以下", 15_000),
            ("under 2000", 2000),
            ("Below CNY 1,500", 1500),
            ("at most $900", 900),
            ("no more than 2k", 2000),
            ("1200 yuan or less", 1200),
            ("maximum 700", 700),
        ] {
            assert_eq!(find_limit(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn no_limit() {
        for text in ["11月25日北京到上海", "2026-12-01", "in 3 days", "3 天之后", "MU5101"] {
            assert_eq!(find_limit(text), None, "{text}");
        }
    }
}
