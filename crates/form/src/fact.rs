//! What a schema asks of a value, to be shown at its field.

use serde_json::Value;
use sidecar_protocol::settings::Language;

use crate::subschema::Layers;
use crate::wording::{say, word};

/// Maximum number of facts at a field.
const MOST: usize = 24;

/// Something that a value has to be, as the schema says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFact {
    /// Which keyword says so.
    pub kind: FactKind,
    /// The keyword's value: a number, a pattern, a name.
    pub value: String,
}

/// The kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactKind {
    /// `minimum`
    AtLeast,
    /// `exclusiveMinimum`
    Above,
    /// `maximum`
    AtMost,
    /// `exclusiveMaximum`
    Below,
    /// `multipleOf`
    MultipleOf,
    /// `minLength`, in characters
    LeastLength,
    /// `maxLength`, in characters
    MostLength,
    /// `pattern`
    Pattern,
    /// `format`
    Format,
    /// `minItems`
    LeastItems,
    /// `maxItems`
    MostItems,
    /// `uniqueItems`
    Unique,
    /// `minProperties`
    LeastKeys,
    /// `maxProperties`
    MostKeys,
    /// `pattern` of `propertyNames`, or a key of `patternProperties`
    KeyPattern,
}

/// Keywords whose value is shown.
const KEYWORDS: [(&str, FactKind); 14] = [
    ("minimum", FactKind::AtLeast),
    ("exclusiveMinimum", FactKind::Above),
    ("maximum", FactKind::AtMost),
    ("exclusiveMaximum", FactKind::Below),
    ("multipleOf", FactKind::MultipleOf),
    ("minLength", FactKind::LeastLength),
    ("maxLength", FactKind::MostLength),
    ("pattern", FactKind::Pattern),
    ("format", FactKind::Format),
    ("minItems", FactKind::LeastItems),
    ("maxItems", FactKind::MostItems),
    ("uniqueItems", FactKind::Unique),
    ("minProperties", FactKind::LeastKeys),
    ("maxProperties", FactKind::MostKeys),
];

impl FieldFact {
    /// The facts about a value, each once.
    pub(crate) fn all(layers: &Layers<'_>) -> Vec<Self> {
        let mut facts: Vec<Self> = Vec::new();
        let mut add = |kind, value: String| {
            let fact = Self { kind, value };
            if facts.len() < MOST && !facts.contains(&fact) {
                facts.push(fact);
            }
        };
        for (keyword, kind) in KEYWORDS {
            for value in layers.each(keyword) {
                match value {
                    Value::Number(number) => add(kind, number.to_string()),
                    Value::String(text) => add(kind, text.clone()),
                    Value::Bool(true) => add(kind, String::new()),
                    Value::Bool(false) | Value::Null | Value::Array(_) | Value::Object(_) => {}
                }
            }
        }
        for names in layers.each("propertyNames") {
            if let Some(pattern) = names.get("pattern").and_then(Value::as_str) {
                add(FactKind::KeyPattern, pattern.to_owned());
            }
        }
        for patterns in layers.each("patternProperties").filter_map(Value::as_object) {
            for pattern in patterns.keys() {
                add(FactKind::KeyPattern, pattern.clone());
            }
        }
        facts
    }

    /// The fact in a few words.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let word = match self.kind {
            FactKind::AtLeast => word::FACT_AT_LEAST,
            FactKind::Above => word::FACT_ABOVE,
            FactKind::AtMost => word::FACT_AT_MOST,
            FactKind::Below => word::FACT_BELOW,
            FactKind::MultipleOf => word::FACT_MULTIPLE_OF,
            FactKind::LeastLength => word::FACT_LEAST_LENGTH,
            FactKind::MostLength => word::FACT_MOST_LENGTH,
            FactKind::Pattern => word::FACT_PATTERN,
            FactKind::Format => word::FACT_FORMAT,
            FactKind::LeastItems => word::FACT_LEAST_ITEMS,
            FactKind::MostItems => word::FACT_MOST_ITEMS,
            FactKind::Unique => word::FACT_UNIQUE,
            FactKind::LeastKeys => word::FACT_LEAST_KEYS,
            FactKind::MostKeys => word::FACT_MOST_KEYS,
            FactKind::KeyPattern => word::FACT_KEY_PATTERN,
        };
        say(language, word, &[("value", &self.value)])
    }
}
