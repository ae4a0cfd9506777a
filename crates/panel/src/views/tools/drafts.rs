//! Arguments that the user has typed for tools, as long as the panel is open: a page that registers a tool anew takes nothing
//! away.

use std::collections::HashMap;

use leptos::prelude::*;
use sidecar_protocol::Source;
use sidecar_protocol::page_view::ToolSummary;

/// What is typed, by tool.
#[derive(Clone, Copy)]
pub struct Drafts(StoredValue<HashMap<String, RunDraft>>);

/// What is typed for a tool.
#[derive(Clone, Default)]
pub struct RunDraft {
    /// JSON text, as it is typed.
    pub arguments: String,
    /// Whether it is shown.
    pub is_open: bool,
    /// Digest of the tool for which it was typed; empty if nothing was.
    pub digest: String,
}

impl Drafts {
    /// Makes them known below.
    pub fn provide() {
        provide_context(Self(StoredValue::new(HashMap::new())));
    }

    /// The name of a tool here, whichever its definition is.
    pub fn key(tool: &ToolSummary) -> String {
        let kind = match &tool.source {
            Source::Native | Source::Polyfill => "",
            Source::Skill { skill } => skill,
            Source::Browser | Source::Mcp { .. } => "browser",
        };
        format!("{} {} {kind} {}", tool.origin, tool.frame, tool.tool.name())
    }

    /// What is typed for a tool.
    pub fn of(self, key: &str) -> RunDraft {
        self.0.with_value(|drafts| drafts.get(key).cloned().unwrap_or_default())
    }

    /// Keeps what is typed for a tool.
    pub fn keep(self, key: &str, draft: RunDraft) {
        self.0.update_value(|drafts| _ = drafts.insert(key.to_owned(), draft));
    }
}
