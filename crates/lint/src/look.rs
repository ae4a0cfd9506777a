//! A tool while rules look at it: its schema is read and taken apart once.

use serde_json::Value;
use sidecar_protocol::page::ToolDescription;
use sidecar_schema::{SchemaFaults, SchemaPart, parts};

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
    /// What is wrong with the schema by itself.
    pub(crate) faults: SchemaFaults,
}

impl<'t> ToolLook<'t> {
    pub(crate) fn new(tool: &'t LintedTool, schema: Option<&'t Value>, faults: SchemaFaults) -> Self {
        let parts = schema.map(parts).unwrap_or_default();
        Self { tool: &tool.description, origin: &tool.origin, facts: &tool.facts, schema, parts, faults }
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

/// A pointer with a name behind it.
pub(crate) fn below(place: &str, name: &str) -> String {
    let mut place = place.to_owned();
    push(&mut place, name);
    place
}

/// Appends a name to a pointer.
pub(crate) fn push(place: &mut String, name: &str) {
    place.push('/');
    for c in name.chars() {
        match c {
            '~' => place.push_str("~0"),
            '/' => place.push_str("~1"),
            c => place.push(c),
        }
    }
}
