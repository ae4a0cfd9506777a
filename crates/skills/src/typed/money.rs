//! Amounts with their currency.

use serde_json::{Value, json};

use super::number::{Points, leading, scaled};

/// A sign or word for a currency.
struct Sign {
    text: &'static str,
    code: &'static str,
    /// What it can stand for too, if another sign beside it says so.
    or: &'static [&'static str],
}

const fn one(text: &'static str, code: &'static str) -> Sign {
    Sign { text, code, or: &[] }
}

const DOLLARS: &[&str] = &["AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD"];

/// A sign that another begins with stands after it.
const SIGNS: &[Sign] = &[
    one("US$", "USD"),
    one("HK$", "HKD"),
    one("NT$", "TWD"),
    one("AU$", "AUD"),
    one("CA$", "CAD"),
    one("NZ$", "NZD"),
    one("SG$", "SGD"),
    one("MX$", "MXN"),
    one("A$", "AUD"),
    one("C$", "CAD"),
    one("S$", "SGD"),
    one("R$", "BRL"),
    Sign { text: "$", code: "USD", or: DOLLARS },
    one("CN¥", "CNY"),
    one("JP¥", "JPY"),
    Sign { text: "¥", code: "CNY", or: &["JPY"] },
    one("€", "EUR"),
    one("£", "GBP"),
    one("₩", "KRW"),
    one("₹", "INR"),
    one("₽", "RUB"),
    one("₺", "TRY"),
    one("₫", "VND"),
    one("฿", "THB"),
    one("₱", "PHP"),
    one("人民币", "CNY"),
    Sign { text: "元", code: "CNY", or: &["HKD", "TWD"] },
    one("円", "JPY"),
    one("美元", "USD"),
    one("港元", "HKD"),
    one("港币", "HKD"),
    one("欧元", "EUR"),
    one("日元", "JPY"),
    one("英镑", "GBP"),
    one("RMB", "CNY"),
    one("CNY", "CNY"),
    one("USD", "USD"),
    one("EUR", "EUR"),
    one("GBP", "GBP"),
    one("JPY", "JPY"),
    one("HKD", "HKD"),
    one("TWD", "TWD"),
    one("KRW", "KRW"),
    one("INR", "INR"),
    one("AUD", "AUD"),
    one("CAD", "CAD"),
    one("SGD", "SGD"),
    one("NZD", "NZD"),
    one("CHF", "CHF"),
    one("SEK", "SEK"),
    one("NOK", "NOK"),
    one("DKK", "DKK"),
    one("PLN", "PLN"),
    one("CZK", "CZK"),
    one("RUB", "RUB"),
    one("TRY", "TRY"),
    one("BRL", "BRL"),
    one("MXN", "MXN"),
    one("THB", "THB"),
    one("VND", "VND"),
    one("MYR", "MYR"),
    one("IDR", "IDR"),
    one("PHP", "PHP"),
    one("ILS", "ILS"),
    one("ZAR", "ZAR"),
    one("AED", "AED"),
    one("SAR", "SAR"),
];

/// A text that is an amount with its currency, and nothing else.
pub(super) fn money(text: &str) -> Option<Value> {
    let mut signs = Vec::new();
    let (is_negative, rest) = minus(text);
    let rest = with_signs(rest.trim_start(), &mut signs);
    let (is_inner, rest) = minus(rest);
    let (mut number, rest) = leading(rest, Points::Either)?;
    number.is_negative = is_negative || is_inner;
    let (number, rest) = scaled(number, rest)?;
    let rest = with_signs(rest.trim_start(), &mut signs);
    if !rest.is_empty() || is_negative && is_inner {
        return None;
    }
    Some(json!({"amount": number.value()?, "currency": currency(&signs)?}))
}

fn minus(text: &str) -> (bool, &str) {
    text.strip_prefix('-').map_or((false, text), |rest| (true, rest))
}

/// What follows the signs that a text begins with.
fn with_signs<'t>(mut text: &'t str, signs: &mut Vec<&'static Sign>) -> &'t str {
    let after = |text: &'t str, sign: &Sign| {
        let rest = text.strip_prefix(sign.text)?;
        let is_cut = sign.text.ends_with(|char: char| char.is_ascii_alphabetic())
            && rest.starts_with(|char: char| char.is_ascii_alphabetic());
        (!is_cut).then(|| rest.trim_start())
    };
    while let Some((sign, rest)) = SIGNS.iter().find_map(|sign| Some((sign, after(text, sign)?))) {
        signs.push(sign);
        text = rest;
    }
    text
}

/// The one currency that all the signs can stand for.
fn currency(signs: &[&Sign]) -> Option<&'static str> {
    let exact = signs.iter().find(|sign| sign.or.is_empty()).or(signs.first())?.code;
    signs.iter().all(|sign| sign.code == exact || sign.or.contains(&exact)).then_some(exact)
}

#[cfg(test)]
mod tests {
    use crate::definition::step::ValueType;
    use crate::typed::typed;

    #[test]
    fn amounts_print_as_they_stood() {
        for (text, amount, currency) in [
            ("¥1,234.50", "1234.5", "CNY"),
            ("￥99", "99", "CNY"),
            ("￥９９．９", "99.9", "CNY"),
            ("¥ 0.10", "0.1", "CNY"),
            ("12.00 元", "12", "CNY"),
            ("12元", "12", "CNY"),
            ("¥1.2万", "12000", "CNY"),
            ("1.2万元", "12000", "CNY"),
            ("¥12元", "12", "CNY"),
            ("人民币 12 元", "12", "CNY"),
            ("CNY 12", "12", "CNY"),
            ("RMB12", "12", "CNY"),
            ("CN¥12", "12", "CNY"),
            ("JP¥1,200", "1200", "JPY"),
            ("¥1,200 JPY", "1200", "JPY"),
            ("1,200円", "1200", "JPY"),
            ("$12", "12", "USD"),
            ("$ 1,234", "1234", "USD"),
            ("US$12", "12", "USD"),
            ("12 USD", "12", "USD"),
            ("$12.00 USD", "12", "USD"),
            ("$12.00 CAD", "12", "CAD"),
            ("USD $12", "12", "USD"),
            ("12美元", "12", "USD"),
            ("$1.5M", "1500000", "USD"),
            ("$1.5 million", "1500000", "USD"),
            ("-$12.30", "-12.3", "USD"),
            ("$-12.30", "-12.3", "USD"),
            ("HK$8", "8", "HKD"),
            ("NT$100 元", "100", "TWD"),
            ("A$5", "5", "AUD"),
            ("€ 9,99", "9.99", "EUR"),
            ("9,99 €", "9.99", "EUR"),
            ("9,9 €", "9.9", "EUR"),
            ("1.234,56 €", "1234.56", "EUR"),
            ("1\u{a0}234,56\u{a0}€", "1234.56", "EUR"),
            ("1.234.567 €", "1234567", "EUR"),
            ("€1,234.56", "1234.56", "EUR"),
            ("€1,234", "1234", "EUR"),
            ("0.123 €", "0.123", "EUR"),
            ("£0.99\n", "0.99", "GBP"),
            ("₹500", "500", "INR"),
            ("CHF 12.05", "12.05", "CHF"),
        ] {
            let money = typed(text, ValueType::Money, 0).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(money["amount"].to_string(), amount, "{text}");
            assert_eq!(money["currency"], currency, "{text}");
            assert_eq!(money.as_object().map(|money| money.len()), Some(2));
        }
    }

    #[test]
    fn what_is_no_plain_amount_is_none() {
        for text in [
            "",
            "12",
            "1,234.50",
            "¥",
            "$",
            "元",
            "Free",
            "免费",
            "1.234 €",
            "€1.234",
            "¥1,23,456",
            "€1,2345",
            "1.23,456 €",
            "1,234,56 €",
            "$12–$15",
            "$12 - 15",
            "¥99起",
            "¥100+",
            "$12/month",
            "12元5角",
            "12元/斤",
            "Price: $12",
            "¥1\n234",
            "$12 EUR",
            "$12元",
            "HK$8 USD",
            "¥12 KRW",
            "€12 $",
            "12 dollars",
            "12 kr",
            "USDT 12",
            "XUSD 12",
            "12 usd",
            "--$5",
            "-$-5",
            "$ .5",
            "$.5",
            "$1.5m",
            "$3B",
            "三元",
            "¥½",
            "¥1½",
            "0,123 €",
            "$1 2",
            "$12 $13",
            "¥123456789012345678.9",
        ] {
            assert_eq!(typed(text, ValueType::Money, 0), None, "{text}");
        }
    }
}
