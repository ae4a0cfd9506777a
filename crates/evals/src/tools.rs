//! Files with the tools of a site: `{"tools": [{"name", "description", "inputSchema", "outputSchema"?}]}`.

use serde_json::{Value, json};

use crate::fault::SuiteFault;

/// A tool that a suite may call.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments; `null` if there is none.
    pub input_schema: Value,
}

/// Reads a file with tools; also an array of them.
///
/// # Errors
/// If it is not JSON, or has no list of tools with a name each.
pub fn read(file: &[u8]) -> Result<Vec<SuiteTool>, SuiteFault> {
    list(&serde_json::from_slice(file).map_err(|error| SuiteFault::Json(error.to_string()))?)
}

/// The text of a file with these tools.
#[must_use]
pub fn text(tools: &[SuiteTool]) -> String {
    let tool = |tool: &SuiteTool| json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema});
    json!({ "tools": tools.iter().map(tool).collect::<Value>() }).to_string()
}

/// The tools of a value that is such an object or array.
pub(crate) fn list(json: &Value) -> Result<Vec<SuiteTool>, SuiteFault> {
    let list = json.as_array().or_else(|| json.get("tools")?.as_array());
    let tool = |tool: &Value| {
        Some(SuiteTool {
            name: tool.get("name")?.as_str()?.to_owned(),
            description: tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            input_schema: tool.get("inputSchema").cloned().unwrap_or_default(),
        })
    };
    list.and_then(|list| list.iter().map(tool).collect()).ok_or(SuiteFault::NoTools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_and_each_needs_a_name() {
        let read = |text: &str| read(text.as_bytes());
        let tools =
            read(r#"{"tools": [{"name": "a", "inputSchema": null}, {"name": "b", "description": "B"}]}"#)
                .unwrap();
        let names: Vec<_> = tools.iter().map(|tool| (tool.name.clone(), tool.description.clone())).collect();
        assert_eq!(names, [("a".to_owned(), String::new()), ("b".to_owned(), "B".to_owned())]);
        assert_eq!(super::read(text(&tools).as_bytes()), Ok(tools.clone()));
        assert_eq!(read("{}"), Err(SuiteFault::NoTools));
        assert_eq!(read(r#"{"tools": [{}]}"#), Err(SuiteFault::NoTools));
        assert!(matches!(read("{"), Err(SuiteFault::Json(_))));
    }
}
