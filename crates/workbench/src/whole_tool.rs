//! A tool with its whole definition, which the worker gives when it is asked.

use serde_json::{Value, json};
use sidecar_protocol::page_view::{ToolDetails, ToolSummary};

/// A tool as it is now, with its whole definition.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeTool {
    /// What the list shows of it.
    pub summary: ToolSummary,
    /// The rest.
    pub details: ToolDetails,
}

impl WholeTool {
    /// The definition as JSON, as the page registered it.
    pub fn definition(&self) -> String {
        let schema: Value = serde_json::from_str(self.details.schema()).unwrap_or_default();
        let definition = json!({
            "name": self.summary.tool.name(),
            "title": self.summary.title,
            "description": self.details.description,
            "inputSchema": schema,
        });
        serde_json::to_string_pretty(&definition).unwrap_or_default()
    }
}
