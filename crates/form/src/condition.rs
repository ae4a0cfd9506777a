//! Parts of a schema that apply by the value that is there.

use serde_json::Value;

use crate::fits::{Fit, SchemaFits};
use crate::json::Json;
use crate::source::{SchemaPlace, child};
use crate::subschema::{Layer, SubSchema};

/// When what applies as well.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueCondition {
    /// `if`, `then`, `else`.
    If { test: SchemaPlace, then: Option<SchemaPlace>, otherwise: Option<SchemaPlace> },
    /// A key brings a schema with it.
    KeyBrings { key: String, part: SchemaPlace },
    /// A key needs others.
    KeyNeeds { key: String, keys: Vec<String> },
}

impl ValueCondition {
    /// The conditions of a part.
    pub(crate) fn all(layer: &Layer<'_>) -> Vec<Self> {
        let mut found = Vec::new();
        let part = |key: &str| layer.map.contains_key(key).then(|| child(&layer.place, key));
        let (then, otherwise) = (part("then"), part("else"));
        if let (Some(test), true) = (part("if"), then.is_some() || otherwise.is_some()) {
            found.push(Self::If { test, then, otherwise });
        }
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let members = layer.map.get(keyword).and_then(Value::as_object).into_iter().flatten();
            for (key, value) in members {
                if let Value::Array(keys) = value {
                    let keys = keys.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    found.push(Self::KeyNeeds { key: key.clone(), keys });
                } else if keyword != "dependentRequired" {
                    let part = child(&child(&layer.place, keyword), key);
                    found.push(Self::KeyBrings { key: key.clone(), part });
                }
            }
        }
        found
    }

    /// Adds to a schema what applies to a value.
    pub(crate) fn apply(&self, fits: &SchemaFits<'_>, value: &Json, sub: &mut SubSchema) {
        match self {
            Self::If { test, then, otherwise } => {
                let (then, otherwise) = (then.as_ref(), otherwise.as_ref());
                match fits.at(test, value) {
                    Fit::Yes => then.into_iter().for_each(|place| sub.add(place)),
                    Fit::No => otherwise.into_iter().for_each(|place| sub.add(place)),
                    Fit::Unknown => then.into_iter().chain(otherwise).for_each(|place| sub.add_maybe(place)),
                }
            }
            Self::KeyBrings { key, part } => {
                if value.get(key).is_some() {
                    sub.add(part);
                }
            }
            Self::KeyNeeds { key, keys } => {
                if value.get(key).is_some() {
                    keys.iter().for_each(|key| sub.need(key));
                }
            }
        }
    }
}
