//! A snapshot of tools, as a file for a site's repository: `{"format": "webmcp-contract", "version": 1, "taken", "tools"}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sidecar_protocol::settings::Language;

use crate::page::LintedTool;
use crate::wording::{filled, shown, word};

/// The `format` of a file.
const FORMAT: &str = "webmcp-contract";

/// The version of the format.
const VERSION: u64 = 1;

/// Maximum bytes of a file.
const SIZE: usize = 16 * 1024 * 1024;

/// The tools of a site at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractSnapshot {
    /// When it was taken (RFC 3339); empty if the file does not say.
    pub taken: String,
    /// By origin and name, each pair once.
    pub tools: Vec<ContractTool>,
}

/// A tool in a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractTool {
    /// Origin of its document.
    pub origin: String,
    /// Its name.
    pub name: String,
    /// For people; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// For models.
    #[serde(default)]
    pub description: String,
    /// Its schema; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// Its hints; those that are absent are false.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub annotations: Map<String, Value>,
}

/// Why a file is no snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractFault {
    /// It is too large.
    #[error("more than {SIZE} bytes")]
    Size,
    /// It is not JSON, or a member is not of its type.
    #[error("{0}")]
    Json(String),
    /// It has another format, or another version of it.
    #[error("not of this format")]
    Format,
}

impl ContractFault {
    /// Why, in words.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let (word, value) = match self {
            Self::Size => (word::FAULT_SIZE, (SIZE / 1024 / 1024).to_string()),
            Self::Json(why) => (word::FAULT_JSON, shown(why)),
            Self::Format => (word::FAULT_FORMAT, String::new()),
        };
        filled(word, &[("value", value)], language)
    }
}

impl ContractSnapshot {
    /// The snapshot of these tools, taken at this time (RFC 3339). A schema that is not JSON is left out.
    #[must_use]
    pub fn of(tools: &[LintedTool], taken: &str) -> Self {
        let contract = |tool: &LintedTool| {
            let description = &tool.description;
            let schema = description.input_schema.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let hints = description.annotations.map(|hints| json!(hints));
            ContractTool {
                origin: tool.origin.clone(),
                name: description.name.clone(),
                title: description.title.clone(),
                description: description.description.clone(),
                input_schema: schema,
                annotations: hints.and_then(|hints| hints.as_object().cloned()).unwrap_or_default(),
            }
        };
        Self::with(taken.to_owned(), tools.iter().map(contract).collect())
    }

    fn with(taken: String, mut tools: Vec<ContractTool>) -> Self {
        tools.sort_by(|one, other| (&one.origin, &one.name).cmp(&(&other.origin, &other.name)));
        tools.dedup_by(|one, other| (&one.origin, &one.name) == (&other.origin, &other.name));
        Self { taken, tools }
    }

    /// The file: JSON with sorted keys, the same for the same tools.
    #[must_use]
    pub fn to_json(&self) -> String {
        let file = json!({"format": FORMAT, "version": VERSION, "taken": self.taken, "tools": self.tools});
        let mut text = serde_json::to_string_pretty(&sorted(file)).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Reads a file; also one that playwright-webmcp wrote (`{"version": 1, "tools"}`, with null for no schema).
///
/// # Errors
/// If it is too large, not JSON, or of another format or version.
pub fn read(file: &[u8]) -> Result<ContractSnapshot, ContractFault> {
    if file.len() > SIZE {
        return Err(ContractFault::Size);
    }
    let mut json: Value =
        serde_json::from_slice(file).map_err(|error| ContractFault::Json(error.to_string()))?;
    let is_ours = json.get("format").is_none_or(|format| format == FORMAT) && json["version"] == VERSION;
    if !is_ours {
        return Err(ContractFault::Format);
    }
    let taken = json["taken"].as_str().unwrap_or_default().to_owned();
    let tools = serde_json::from_value(json["tools"].take())
        .map_err(|error| ContractFault::Json(error.to_string()))?;
    Ok(ContractSnapshot::with(taken, tools))
}

/// A value with its keys in order, at every level.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}
