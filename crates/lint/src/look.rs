//! A tool while rules look at it: its schema is read and taken apart once.

use serde_json::Value;
use sidecar_protocol::page::ToolDescription;
use sidecar_schema::{SchemaPart, parts};

use crate::page::{LintedTool, ToolFacts};

/// A tool and the parts of its schema.
pub(crate) struct ToolLook<'t> {
    /// As it was registered.
    pub(crate) tool: &'t ToolDescription,
    /// Origin of its document.
    pub(crate) origin: &'t str,
    /// What only a browser knows.
    pub(crate) facts: &'t ToolFacts,
    /// Its schema, if it can be read.
    pub(crate) schema: Option<&'t Value>,
    /// The parts of the schema.
    pub(crate) parts: Vec<SchemaPart<'t>>,
}

impl<'t> ToolLook<'t> {
    pub(crate) fn new(tool: &'t LintedTool, schema: Option<&'t Value>) -> Self {
        let parts = schema.map(parts).unwrap_or_default();
        Self { tool: &tool.description, origin: &tool.origin, facts: &tool.facts, schema, parts }
    }

    /// Whether the browser made its schema of a form.
    pub(crate) fn is_form(&self) -> bool {
        self.tool.form || self.facts.form.is_some()
    }
}

/// The pointer to a place in a tool's schema.
pub(crate) fn in_schema(place: &str) -> String {
    format!("/inputSchema{place}")
}

/// Appends a name to a pointer.
pub(crate) fn below(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}
