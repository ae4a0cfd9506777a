//! What a page says: which tools it has, and what came of a call.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sidecar_protocol::Risk;
use sidecar_protocol::page::{ToolAnnotations, ToolDescription};
use sidecar_webmcp::risk;

use crate::tools::SuiteTool;

/// A tool as a page lists it (`document.modelContext.getTools`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedTool {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Value,
    #[serde(default)]
    annotations: Option<ToolAnnotations>,
}

/// What a model is told of a form that waits.
pub(crate) const FORM_WAITS: &str = "The form is filled in. It waits for the user to send it.";

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageResult {
    /// The page has no tool of that name.
    Missing,
    /// The tool answered.
    Answered(Value),
    /// It failed, or did not answer in time: the message.
    Failed(String),
}

impl ListedTool {
    /// A tool whose risk is known.
    #[must_use]
    pub fn new(name: &str, description: &str, input_schema: Value, is_consequential: bool) -> Self {
        let hint = ToolAnnotations { consequential_hint: true, ..ToolAnnotations::default() };
        Self {
            name: name.to_owned(),
            title: String::new(),
            description: description.to_owned(),
            input_schema,
            annotations: is_consequential.then_some(hint),
        }
    }

    /// Whether a user would have to be asked before each call, as in the chat.
    #[must_use]
    pub fn is_consequential(&self) -> bool {
        self.risk() == Risk::Consequential
    }

    /// What a call may do, as in the chat.
    #[must_use]
    pub fn risk(&self) -> Risk {
        let description = ToolDescription {
            name: self.name.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            input_schema: None,
            annotations: self.annotations,
            form: false,
            definition: String::new(),
        };
        risk::of(&description)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// JSON Schema of its arguments; `null` if there is none.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// The tool as a suite has it.
    #[must_use]
    pub fn to_suite(&self) -> SuiteTool {
        SuiteTool {
            name: self.name.clone(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
        }
    }
}

impl PageResult {
    /// Reads what `executeTool` gave, as webmcp-evals does: JSON where it is, the text of the first block of content, and
    /// what says that it is an error as one. `None` is that it gave nothing.
    #[must_use]
    pub fn read(text: Option<&str>) -> Self {
        let parsed = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let value = text.map_or(Value::Null, parsed);
        let inner = value["content"][0]["text"].as_str();
        if value["isError"] == true {
            return Self::Failed(inner.map_or_else(|| value.to_string(), str::to_owned));
        }
        Self::Answered(inner.map_or_else(|| value.clone(), parsed))
    }

    /// The call filled in a form that waits for the user.
    #[must_use]
    pub fn waiting() -> Self {
        Self::Answered(json!({ "waiting": FORM_WAITS }))
    }

    /// Whether the call filled in a form that waits for the user.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        *self == Self::waiting()
    }

    /// The call led to another page, at this address.
    #[must_use]
    pub fn left(address: &str) -> Self {
        Self::Answered(json!({ "navigatedTo": address }))
    }

    /// Whether the call led to another page.
    #[must_use]
    pub fn has_left(&self) -> bool {
        matches!(self, Self::Answered(value) if value.get("navigatedTo").is_some())
    }

    /// The result as a model is told of it; `None` if there is no such tool.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        match self {
            Self::Missing => None,
            Self::Answered(value) => Some(value),
            Self::Failed(text) => Some(json!({ "error": text })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_is_read_as_webmcp_evals_reads_it() {
        for (text, result) in [
            (None, PageResult::Answered(Value::Null)),
            (Some("plain"), PageResult::Answered(json!("plain"))),
            (Some("{\"a\": 1}"), PageResult::Answered(json!({"a": 1}))),
            (Some(r#"{"content": [{"type": "text", "text": "[1]"}]}"#), PageResult::Answered(json!([1]))),
            (Some(r#"{"content": []}"#), PageResult::Answered(json!({"content": []}))),
            (
                Some(r#"{"isError": true, "content": [{"type": "text", "text": "sold out"}]}"#),
                PageResult::Failed("sold out".to_owned()),
            ),
            (Some(r#"{"isError":true}"#), PageResult::Failed(r#"{"isError":true}"#.to_owned())),
        ] {
            assert_eq!(PageResult::read(text), result, "{text:?}");
        }
        assert_eq!(PageResult::Failed("no".to_owned()).into_value(), Some(json!({"error": "no"})));
        assert_eq!(PageResult::Missing.into_value(), None);
    }

    #[test]
    fn tool_is_consequential_by_its_hint_or_its_words() {
        let read = |tool: Value| serde_json::from_value::<ListedTool>(tool).unwrap();
        let hinted = read(json!({"name": "go", "annotations": {"consequentialHint": true, "other": 1}}));
        let named = read(json!({"name": "deleteAll", "title": "", "inputSchema": {"type": "object"}}));
        let plain = read(json!({"name": "list", "description": "Lists.", "annotations": null}));
        let are: Vec<_> = [&hinted, &named, &plain].map(ListedTool::is_consequential).into();
        assert_eq!(are, [true, true, false]);
        assert_eq!(named.to_suite().input_schema, json!({"type": "object"}));
    }
}
