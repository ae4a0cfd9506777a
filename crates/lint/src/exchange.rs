//! Questions of the worker, and their answers: JSON texts.

use sidecar_protocol::lint::NoteWeight;
pub use sidecar_protocol::lint::{InspectedTool, LintNote, LintQuestion};
use sidecar_protocol::settings::Language;

use crate::finding::ToolFinding;
use crate::lint;
use crate::page::{LintedPage, LintedTool, ToolFacts};
use crate::rule::LintSeverity;
use crate::wording::shown;

/// Answers a question ([`LintQuestion`] as JSON text) with a list of [`LintNote`]s, the worst first; with an empty one if it
/// is none. What is off by default is left out.
#[must_use]
pub fn answer(question: &str) -> String {
    let notes = serde_json::from_str(question).map(notes).unwrap_or_default();
    serde_json::to_string(&notes).unwrap_or_default()
}

fn notes(LintQuestion { language, tools }: LintQuestion) -> Vec<LintNote> {
    let linted = |InspectedTool { origin, frame, description }: InspectedTool| LintedTool {
        origin,
        frame,
        description,
        facts: ToolFacts::default(),
    };
    let page = LintedPage { tools: tools.into_iter().map(linted).collect(), profile: None };
    let mut notes: Vec<_> = lint(&page).iter().filter_map(|finding| note(finding, language)).collect();
    notes.sort_by_key(|note| note.weight);
    notes.truncate(LintNote::MOST);
    notes
}

fn note(finding: &ToolFinding, language: Language) -> Option<LintNote> {
    let weight = match finding.severity {
        LintSeverity::Error => NoteWeight::Error,
        LintSeverity::Warning => NoteWeight::Warning,
        LintSeverity::Info => NoteWeight::Info,
        LintSeverity::Off => return None,
    };
    Some(LintNote {
        rule: finding.rule.id().to_owned(),
        weight,
        tool: finding.tool.as_ref().map(|tool| shown(&tool.name)).unwrap_or_default(),
        pointer: shown(&finding.pointer),
        message: finding.message(language),
        way_out: finding.way_out(language),
        excerpt: finding.excerpt.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(question: &Value) -> Vec<LintNote> {
        serde_json::from_str(&answer(&question.to_string())).unwrap()
    }

    #[test]
    fn worst_comes_first_and_each_note_is_in_the_language_of_the_question() {
        let tool = |name: &str, schema: &str| {
            json!({"origin": "https://shop.example", "frame": 0, "description": {
                "name": name, "description": "Finds products of the shop by words.", "inputSchema": schema,
            }})
        };
        let impossible = r#"{"type":"object","properties":{"a":{"type":"string","minLength":5,"maxLength":2}},"required":["a"]}"#;
        let tools = [tool("find\u{202e}", "{}"), tool("look", impossible)];
        let english = told(&json!({"language": "en", "tools": tools}));
        assert_eq!(english[0].weight, NoteWeight::Error);
        assert!(english.windows(2).all(|pair| pair[0].weight <= pair[1].weight));
        assert!(english.iter().any(|note| note.rule == "schema-impossible" && note.tool == "look"));
        assert!(english.iter().all(|note| !note.tool.contains('\u{202e}')));
        let chinese = told(&json!({"language": "zh-CN", "tools": tools}));
        assert_eq!(english.len(), chinese.len());
        assert!(chinese.iter().all(|note| !note.message.is_ascii()));
        assert_eq!(answer("no question"), "[]");
    }
}
