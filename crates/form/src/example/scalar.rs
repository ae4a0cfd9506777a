//! Values of single fields, the likeliest first.

use crate::decimal;
use crate::fact::FactKind;
use crate::field::{FormField, TextKind};
use crate::json::Json;
use crate::witness::witness;

/// Maximum characters of a text that is drawn out to its least length.
const LENGTH: usize = 2_000;

/// A text where nothing is said of it.
const PLAIN: &str = "example";

/// Texts of formats.
const FORMATS: [(&str, &str); 18] = [
    ("date", "2026-11-22"),
    ("time", "10:00:00Z"),
    ("date-time", "2026-11-22T10:00:00Z"),
    ("duration", "P1D"),
    ("email", "ann@example.com"),
    ("idn-email", "ann@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("url", "https://example.com/"),
    ("iri", "https://example.com/"),
    ("uri-reference", "/path"),
    ("uuid", "123e4567-e89b-42d3-a456-426614174000"),
    ("json-pointer", "/path"),
    ("regex", "^a$"),
    ("byte", "YQ=="),
];

/// Texts for a field, and which of them match which of its patterns.
pub(super) fn texts(field: &FormField, kind: TextKind) -> (Vec<Json>, Vec<(String, String)>) {
    let numbers = |kind: FactKind| {
        let facts = field.facts.iter().filter(move |fact| fact.kind == kind);
        facts.filter_map(|fact| fact.value.parse::<usize>().ok())
    };
    let least = numbers(FactKind::LeastLength).max().unwrap_or_default();
    let most = numbers(FactKind::MostLength).min().unwrap_or(usize::MAX);
    let facts = |kind: FactKind| field.facts.iter().filter(move |fact| fact.kind == kind);
    let format =
        facts(FactKind::Format).find_map(|fact| FORMATS.iter().find(|(name, _)| *name == fact.value));
    let mut texts: Vec<String> = format.map(|(_, text)| (*text).to_owned()).into_iter().collect();
    let mut known = Vec::new();
    for fact in facts(FactKind::Pattern) {
        if let Some(text) = witness(&fact.value, least, most) {
            known.push((fact.value.clone(), text.clone()));
            texts.insert(0, text);
        }
    }
    if kind == TextKind::File {
        texts.push("YQ==".to_owned());
    }
    let mut plain: String = PLAIN.chars().take(most).collect();
    let missing = least.min(LENGTH).saturating_sub(plain.chars().count());
    plain.extend(std::iter::repeat_n('e', missing));
    texts.push(plain);
    (texts.into_iter().map(Json::Text).collect(), known)
}

/// Numbers for a field.
pub(super) fn numbers(field: &FormField) -> Vec<Json> {
    let mut texts = vec!["1".to_owned(), "0".to_owned()];
    let (mut low, mut high, mut step) = (f64::NEG_INFINITY, f64::INFINITY, None);
    for fact in &field.facts {
        let Ok(value) = fact.value.parse::<f64>() else { continue };
        match fact.kind {
            FactKind::AtLeast | FactKind::Above => low = low.max(value),
            FactKind::AtMost | FactKind::Below => high = high.min(value),
            FactKind::MultipleOf => step = Some(value),
            FactKind::LeastLength
            | FactKind::MostLength
            | FactKind::Pattern
            | FactKind::Format
            | FactKind::LeastItems
            | FactKind::MostItems
            | FactKind::Unique
            | FactKind::LeastKeys
            | FactKind::MostKeys
            | FactKind::KeyPattern => continue,
        }
        texts.push(fact.value.clone());
    }
    let mut add = |value: f64| {
        let text = value.to_string();
        if value.is_finite() && decimal::is_number(&text) {
            texts.push(text);
        }
    };
    if let Some(step) = step {
        [step, (low / step).ceil() * step, ((low / step).floor() + 1.0) * step]
            .into_iter()
            .for_each(&mut add);
        [(high / step).floor() * step, ((high / step).ceil() - 1.0) * step].into_iter().for_each(&mut add);
    }
    [low.ceil(), low.floor() + 1.0, high.floor(), high.ceil() - 1.0, f64::midpoint(low, high)]
        .into_iter()
        .for_each(&mut add);
    texts.into_iter().map(Json::Number).collect()
}

/// Values for a field that says nothing of itself.
pub(super) fn anything() -> Vec<Json> {
    vec![
        Json::Text(PLAIN.to_owned()),
        Json::Number("1".to_owned()),
        Json::Object(Vec::new()),
        Json::Array(Vec::new()),
        Json::Bool(true),
        Json::Null,
    ]
}

/// Another value, for a list in which none stands twice.
pub(super) fn varied(json: &Json, number: usize) -> Json {
    match json {
        Json::Text(text) => Json::Text(format!("{text}{number}")),
        Json::Bool(is) => Json::Bool(!is),
        Json::Number(text) => match (text.parse::<i64>(), i64::try_from(number)) {
            (Ok(value), Ok(number)) => Json::Number(value.saturating_add(number).to_string()),
            _ => json.clone(),
        },
        Json::Null | Json::Array(_) | Json::Object(_) => json.clone(),
    }
}
