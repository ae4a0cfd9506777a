//! The types of JSON, as schemas name them.

use serde_json::{Map, Value};
use sidecar_locales::Word;
use sidecar_protocol::settings::Language;

use crate::decimal;
use crate::json::Json;
use crate::wording::word;

/// A type that a schema can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonType {
    /// A string.
    Text,
    /// Any number.
    Number,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// An object.
    Object,
    /// An array.
    Array,
    /// `null`.
    Null,
}

impl JsonType {
    /// All but whole numbers, which are numbers.
    pub(crate) const ALL: [Self; 6] =
        [Self::Text, Self::Number, Self::Boolean, Self::Object, Self::Array, Self::Null];

    /// Reads a schema's word.
    pub(crate) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::Text,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "object" => Self::Object,
            "array" => Self::Array,
            "null" => Self::Null,
            _ => return None,
        })
    }

    /// What it is called.
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        let word: Word = match self {
            Self::Text => word::TYPE_TEXT,
            Self::Number => word::TYPE_NUMBER,
            Self::Integer => word::TYPE_INTEGER,
            Self::Boolean => word::TYPE_BOOLEAN,
            Self::Object => word::TYPE_OBJECT,
            Self::Array => word::TYPE_ARRAY,
            Self::Null => word::TYPE_NULL,
        };
        word.text(language)
    }

    /// Whether a value has this type.
    pub(crate) fn has(self, json: &Json) -> bool {
        match json {
            Json::Null => self == Self::Null,
            Json::Bool(_) => self == Self::Boolean,
            Json::Number(text) => self == Self::Number || self == Self::Integer && decimal::is_whole(text),
            Json::Text(_) => self == Self::Text,
            Json::Array(_) => self == Self::Array,
            Json::Object(_) => self == Self::Object,
        }
    }

    /// What has both types.
    pub(crate) fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            _ if self == other => Some(self),
            (Self::Number, Self::Integer) | (Self::Integer, Self::Number) => Some(Self::Integer),
            _ => None,
        }
    }
}

/// The types that a schema's `type` names; `None` if it does not say.
pub(crate) fn declared(schema: &Map<String, Value>) -> Option<Vec<JsonType>> {
    let mut types: Vec<JsonType> = match schema.get("type")? {
        Value::String(name) => vec![JsonType::read(name)?],
        Value::Array(names) => names.iter().filter_map(|name| JsonType::read(name.as_str()?)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    if types.contains(&JsonType::Number) {
        types.retain(|known| *known != JsonType::Integer);
    }
    let mut kept = Vec::new();
    for known in types {
        if !kept.contains(&known) {
            kept.push(known);
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// The types in both lists, in the order of the first.
pub(crate) fn common(one: &[JsonType], other: &[JsonType]) -> Vec<JsonType> {
    one.iter().filter_map(|known| other.iter().find_map(|second| known.and(*second))).collect()
}
