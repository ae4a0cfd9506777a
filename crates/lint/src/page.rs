//! A page's tools as they are looked at.

use serde_json::Value;
use sidecar_protocol::FrameId;
use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::registration::FormFacts;
use sidecar_protocol::schema::SchemaProfile;
use sidecar_schema::SCHEMA_LIMIT;

/// Maximum number of tools that are looked at one by one.
pub const MOST_LINTED: usize = 1_000;

/// The tools of a tab, those of its frames too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LintedPage {
    /// The tools, in the order in which they are offered.
    pub tools: Vec<LintedTool>,
    /// What the page wanted to be tools, and the browser has not as tools: only why it refused them is looked at.
    pub refused: Vec<LintedTool>,
    /// What the service of the model in use accepts; absent if no model is chosen.
    pub profile: Option<SchemaProfile>,
}

/// A tool of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct LintedTool {
    /// Origin of its document.
    pub origin: String,
    /// Frame of its document.
    pub frame: FrameId,
    /// As it was registered. Its `form` says whether a form declares it.
    pub description: ToolDescription,
    /// What only a browser knows.
    pub facts: ToolFacts,
}

/// What only a browser knows of a tool. What is absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFacts {
    /// Milliseconds from the page's load event to its registration, 0 if it was registered before.
    pub registered_ms: Option<u32>,
    /// How often it was removed and registered again, or changed, since the page loaded.
    pub changes: Option<u32>,
    /// Origin of the script that registered it.
    pub script_origin: Option<String>,
    /// The origins to which it is exposed, as the page wrote them.
    pub exposed_to: Option<Vec<String>>,
    /// Addresses of other pages of its origin on which a tool of this name is defined otherwise.
    pub differs_on: Vec<String>,
    /// Its form, if one declares it.
    pub form: Option<FormFacts>,
}

impl LintedTool {
    /// Its schema, if it has one that can be read and is not too large.
    pub(crate) fn schema(&self) -> Option<Value> {
        let text = self.description.input_schema.as_deref().filter(|text| text.len() <= SCHEMA_LIMIT)?;
        serde_json::from_str(text).ok()
    }
}
