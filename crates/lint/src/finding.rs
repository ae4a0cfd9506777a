//! A finding: what is wrong, where, and what to do about it.

use sidecar_locales::{Word, fill};
use sidecar_protocol::FrameId;
use sidecar_protocol::settings::Language;

use crate::page::LintedTool;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::{self, filled, shown, word};

/// The tool that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoundTool {
    /// Origin of its document.
    pub origin: String,
    /// Frame of its document.
    pub frame: FrameId,
    /// As the page registered it; it may have invisible characters.
    pub name: String,
}

impl From<&LintedTool> for FoundTool {
    fn from(tool: &LintedTool) -> Self {
        let name = tool.description.name.clone();
        Self { origin: tool.origin.clone(), frame: tool.frame, name }
    }
}

/// Something of a site's tools that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFinding {
    /// The rule.
    pub rule: ToolRule,
    /// What it means.
    pub severity: LintSeverity,
    /// The tool; absent if it is about the page.
    pub tool: Option<FoundTool>,
    /// JSON Pointer (RFC 6901) into the tool as `{name, title, description, inputSchema, annotations, exposedTo, form,
    /// result}`; empty for the whole.
    pub pointer: String,
    /// The page's text that it is about, if any: at most 121 characters, invisible ones written out.
    pub excerpt: String,
    why: Word,
    way_out: Word,
    values: Vec<(&'static str, String)>,
}

impl ToolFinding {
    /// A finding of a rule, with its usual severity and words.
    pub(crate) fn of(rule: ToolRule) -> Self {
        let (why, way_out) = rule.words();
        Self {
            rule,
            severity: rule.severity(),
            tool: None,
            pointer: String::new(),
            excerpt: String::new(),
            why,
            way_out,
            values: Vec::new(),
        }
    }

    pub(crate) fn about(mut self, tool: impl Into<FoundTool>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    pub(crate) fn excerpt(mut self, text: &str) -> Self {
        self.excerpt = wording::excerpt(text);
        self
    }

    /// Fills in a value of its words.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, shown(&value.to_string())));
        self
    }

    pub(crate) fn severe(mut self, severity: LintSeverity) -> Self {
        self.severity = severity;
        self
    }

    /// Says it in other words than is usual for its rule.
    pub(crate) fn worded(mut self, why: Word, way_out: Word) -> Self {
        self.why = why;
        self.way_out = way_out;
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self, language: Language) -> String {
        filled(self.why, &self.values, language)
    }

    /// What to do about it.
    #[must_use]
    pub fn way_out(&self, language: Language) -> String {
        filled(self.way_out, &self.values, language)
    }

    /// Where, what is wrong there, and what to do about it, on one line.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let tool = self
            .tool
            .as_ref()
            .map_or_else(|| word::PLACE_PAGE.text(language).to_owned(), |tool| shown(&tool.name));
        let (place, why, way) = (shown(&self.pointer), self.message(language), self.way_out(language));
        let values = [
            ("tool", tool.as_str()),
            ("place", &place),
            ("rule", self.rule.id()),
            ("why", &why),
            ("way", &way),
        ];
        fill(word::FINDING_PLACED.text(language), &values)
    }
}
