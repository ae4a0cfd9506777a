//! A tool with its whole definition, which the worker gives when it is asked.

use serde_json::{Map, Value, json};
use sidecar_protocol::page_view::{ToolDetails, ToolSummary};

use crate::views::marks::source_name;

/// A tool as it is now, with its whole definition.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeTool {
    /// What the list shows of it.
    pub summary: ToolSummary,
    /// The rest.
    pub details: ToolDetails,
}

impl WholeTool {
    /// The definition as JSON text, as the page registered it.
    pub fn definition(&self) -> String {
        serde_json::to_string_pretty(&self.registered()).unwrap_or_default()
    }

    /// What is copied of it: the definition, and where it is registered.
    pub fn copied(&self) -> Value {
        let mut copied = self.registered();
        let ToolSummary { origin, frame, source, .. } = &self.summary;
        for (key, text) in [("origin", origin.as_str()), ("frame", frame), ("source", source_name(source))] {
            if !text.is_empty() {
                copied.insert(key.to_owned(), text.into());
            }
        }
        Value::Object(copied)
    }

    fn registered(&self) -> Map<String, Value> {
        let details = &self.details;
        let mut all = Map::new();
        let mut add = |key: &str, value: Value| all.insert(key.to_owned(), value);
        add("name", self.summary.tool.name().into());
        if !details.title.is_empty() {
            add("title", details.title.as_str().into());
        }
        add("description", details.description().into());
        let schema = details.schema();
        if !schema.is_empty() {
            // What is no JSON stays as it is.
            add("inputSchema", serde_json::from_str(schema).unwrap_or_else(|_| schema.into()));
        }
        if let Some(Value::Object(mut hints)) = details.annotations.map(|hints| json!(hints)) {
            // Those that are absent are false.
            hints.retain(|_, hint| *hint == Value::Bool(true));
            add("annotations", hints.into());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::page::ToolAnnotations;
    use sidecar_protocol::{Risk, Source, ToolRef};

    use super::*;

    fn whole(details: ToolDetails) -> WholeTool {
        let summary = ToolSummary {
            tool: ToolRef::Skill {
                tab: sidecar_protocol::TabId(1),
                skill: "tea".to_owned(),
                name: "buy".to_owned(),
            },
            digest: String::new(),
            title: "Cut…".to_owned(),
            beginning: "Buys.".to_owned(),
            risk: Risk::ReadOnly,
            source: Source::Polyfill,
            form: false,
            frame: String::new(),
            origin: "https://tea.example".to_owned(),
            key: None,
        };
        WholeTool { summary, details }
    }

    fn details(schema: &str) -> ToolDetails {
        ToolDetails {
            title: String::new(),
            description: "Buys.\nOnce.".to_owned(),
            own_description: None,
            input_schema: schema.to_owned(),
            own_schema: None,
            annotations: None,
        }
    }

    #[test]
    fn what_the_page_registered_is_copied_whole() {
        let hints = ToolAnnotations { read_only_hint: true, ..ToolAnnotations::default() };
        let mut tool = whole(ToolDetails {
            title: "A long title".to_owned(),
            own_description: Some("Buys.\u{200b}\nOnce.".to_owned()),
            own_schema: Some(r#"{"type": "object", "title": "\u2066"}"#.to_owned()),
            annotations: Some(hints),
            ..details("{}")
        });
        tool.summary.frame = "ads.example".to_owned();
        let expected = json!({
            "name": "buy",
            "title": "A long title",
            "description": "Buys.\u{200b}\nOnce.",
            "inputSchema": {"type": "object", "title": "\u{2066}"},
            "annotations": {"readOnlyHint": true},
            "origin": "https://tea.example",
            "frame": "ads.example",
            "source": "polyfill",
        });
        assert_eq!(tool.copied(), expected);
    }

    #[test]
    fn what_is_absent_stays_so_and_a_schema_that_is_no_json_is_text() {
        let registered = |schema| Value::Object(whole(details(schema)).registered());
        assert_eq!(registered(""), json!({"name": "buy", "description": "Buys.\nOnce."}));
        assert_eq!(registered("{type:")["inputSchema"], "{type:");
    }
}
