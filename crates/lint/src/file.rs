//! Files with the tools of a site: `{"tools": [{"name", "description", "inputSchema"?, "title"?, "annotations"?, "origin"?}]}`,
//! as webmcp-evals keeps them, and snapshots.

use serde_json::Value;
use sidecar_protocol::FrameId;
use sidecar_protocol::page::ToolDescription;

use crate::contract::ContractFault;
use crate::page::{LintedPage, LintedTool, ToolFacts};

/// Reads a file with tools; also an array of them. Nothing is known of them that only a browser knows.
///
/// # Errors
/// If it is not JSON, or has no list of tools with a name each.
pub fn read_tools(file: &[u8]) -> Result<LintedPage, ContractFault> {
    let json: Value = serde_json::from_slice(file).map_err(|error| ContractFault::Json(error.to_string()))?;
    let list = json.as_array().or_else(|| json.get("tools")?.as_array());
    let tools = list.and_then(|list| list.iter().map(tool).collect::<Option<Vec<_>>>());
    tools.map(|tools| LintedPage { tools, ..LintedPage::default() }).ok_or(ContractFault::Format)
}

fn tool(tool: &Value) -> Option<LintedTool> {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = tool.get("inputSchema").filter(|schema| !schema.is_null());
    let hints = tool.get("annotations").cloned().unwrap_or_default();
    let description = ToolDescription {
        name: tool.get("name")?.as_str()?.to_owned(),
        title: text("title"),
        description: text("description"),
        // Older browsers give it as a text.
        input_schema: schema.map(|schema| schema.as_str().map_or_else(|| schema.to_string(), str::to_owned)),
        annotations: serde_json::from_value(hints).unwrap_or_default(),
        form: tool.get("source").is_some_and(|source| source == "declarative"),
        definition: String::new(),
    };
    Some(LintedTool { origin: text("origin"), frame: FrameId::TOP, description, facts: ToolFacts::default() })
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::page::ToolAnnotations;

    use super::*;

    #[test]
    fn tools_are_read_and_each_needs_a_name() {
        let file = r#"{"tools": [
            {"name": "a", "inputSchema": "{}", "annotations": {"readOnlyHint": true, "autosubmit": true}},
            {"name": "b", "inputSchema": null, "origin": "https://a.example", "source": "declarative"}
        ]}"#;
        let tools = read_tools(file.as_bytes()).unwrap().tools;
        let hints = ToolAnnotations { read_only_hint: true, ..ToolAnnotations::default() };
        assert_eq!(tools[0].description.annotations, Some(hints));
        assert_eq!(tools[0].description.input_schema.as_deref(), Some("{}"));
        assert_eq!((tools[1].origin.as_str(), tools[1].description.form), ("https://a.example", true));
        assert_eq!((&tools[1].description.input_schema, tools[1].description.annotations), (&None, None));
        assert_eq!(read_tools(b"{}"), Err(ContractFault::Format));
        assert_eq!(read_tools(br#"[{"description": "x"}]"#), Err(ContractFault::Format));
        assert!(matches!(read_tools(b"{"), Err(ContractFault::Json(_))));
    }
}
