//! Fragments of calls.

use serde_json::Value;

/// One piece of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fragment {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Fragment {
    /// A fragment of the call that the service counts as `index`.
    pub(crate) fn indexed(index: u64, id: &str, name: &str, arguments: impl Into<String>) -> Self {
        Self {
            index: Some(index),
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            name: name.to_owned(),
            arguments: arguments.into(),
        }
    }

    /// Reads one element of `tool_calls`.
    pub(crate) fn read(value: &Value) -> Self {
        let function = value.get("function").unwrap_or(value);
        Self {
            // Ollama puts the index beside the name.
            index: value.get("index").or_else(|| function.get("index")).and_then(Value::as_u64),
            id: match value.get("id") {
                Some(Value::String(id)) if !id.trim().is_empty() && id != "null" => Some(id.clone()),
                Some(Value::Number(id)) => Some(id.to_string()),
                _ => None,
            },
            name: function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            arguments: match function.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(value @ (Value::Object(_) | Value::Array(_))) => value.to_string(),
                _ => String::new(),
            },
        }
    }

    /// Size in bytes that it counts towards the answer's limit.
    pub(crate) fn size(&self) -> usize {
        self.id.as_ref().map_or(0, String::len) + self.name.len() + self.arguments.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none() && self.name.is_empty() && self.arguments.is_empty()
    }
}
