//! Questions of the worker, and their answers: JSON texts.

use sidecar_protocol::lint::{ContractNote, ContractWeight, NoteWeight};
pub use sidecar_protocol::lint::{
    ContractQuestion, ContractView, InspectedRun, InspectedTool, LintNote, LintQuestion,
};
use sidecar_protocol::schema::ProfileName;
use sidecar_protocol::settings::Language;

use crate::contract::{self, ChangeClass, ContractChange, ContractSnapshot};
use crate::finding::ToolFinding;
use crate::lint;
use crate::overrides::RuleOverrides;
use crate::page::{LintedPage, LintedTool, ToolFacts};
use crate::ran::findings;
use crate::rule::LintSeverity;
use crate::told;
use crate::wording::shown;

/// Answers a question ([`LintQuestion`] as JSON text) with a list of [`LintNote`]s, the worst first; with an empty one if it
/// is none. What is off by default is left out, or good to know if it is on.
#[must_use]
pub fn answer(question: &str) -> String {
    let notes = serde_json::from_str(question).map(notes).unwrap_or_default();
    serde_json::to_string(&notes).unwrap_or_default()
}

/// Answers a question ([`ContractQuestion`] as JSON text) with a [`ContractView`]; with nothing if it is none.
#[must_use]
pub fn contract_answer(question: &str) -> Option<String> {
    let view = contract_view(serde_json::from_str(question).ok()?);
    serde_json::to_string(&view).ok()
}

fn contract_view(ContractQuestion { language, tools, taken, before }: ContractQuestion) -> ContractView {
    let tools: Vec<_> = tools.into_iter().map(linted).collect();
    let now = ContractSnapshot::of(&tools, &taken);
    let note = |change: &ContractChange| ContractNote {
        weight: match change.kind.class() {
            ChangeClass::Breaking => ContractWeight::Breaking,
            ChangeClass::Safety => ContractWeight::Safety,
            ChangeClass::Behavioural => ContractWeight::Behavioural,
            ChangeClass::Compatible => ContractWeight::Compatible,
        },
        text: change.sentence(language),
    };
    let changes = before.map(|before| match contract::read(before.as_bytes()) {
        Ok(before) => {
            let mut notes: Vec<_> = contract::compare(&before, &now).iter().map(note).collect();
            notes.sort_by_key(|note| note.weight);
            Ok(notes)
        }
        Err(fault) => Err(fault.sentence(language)),
    });
    ContractView { snapshot: now.to_json(), changes }
}

fn linted(InspectedTool { origin, frame, description, differs_on }: InspectedTool) -> LintedTool {
    let facts = ToolFacts { differs_on: differs_on.into_iter().collect(), ..ToolFacts::default() };
    LintedTool { origin, frame, description, facts }
}

fn notes(LintQuestion { language, tools, facts, profile, on, run }: LintQuestion) -> Vec<LintNote> {
    let found = match run {
        Some(run) => findings(run),
        None => {
            let tools = tools.into_iter().map(linted).collect();
            let profile = profile.map(ProfileName::profile);
            let mut page = LintedPage { tools, profile, ..LintedPage::default() };
            facts.iter().for_each(|told| told::add(&mut page, told));
            lint(&page)
        }
    };
    let wanted = RuleOverrides(on.into_iter().map(|rule| (rule, LintSeverity::Info)).collect());
    let found = wanted.applied(found);
    let mut notes: Vec<_> = found.iter().filter_map(|finding| note(finding, language)).collect();
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
    use crate::rule::ToolRule;

    #[test]
    fn contract_is_kept_and_compared_with_an_earlier_one() {
        let tool = |read_only: bool| {
            json!({"origin": "https://shop.example", "frame": 0, "description":
            {"name": "find", "description": "Finds.", "annotations": {"readOnlyHint": read_only}}})
        };
        let ask = |tool: Value, before: Option<&str>| -> ContractView {
            let question =
                json!({"language": "en", "tools": [tool], "taken": "2026-11-26T00:00:00Z", "before": before});
            serde_json::from_str(&contract_answer(&question.to_string()).unwrap()).unwrap()
        };
        let first = ask(tool(true), None);
        assert_eq!(first.changes, None);
        assert_eq!(ask(tool(true), Some(&first.snapshot)).changes, Some(Ok(vec![])));
        let changes = ask(tool(false), Some(&first.snapshot)).changes.unwrap().unwrap();
        assert_eq!(changes.iter().map(|note| note.weight).collect::<Vec<_>>(), [ContractWeight::Safety]);
        assert!(ask(tool(true), Some("no JSON")).changes.unwrap().is_err());
        assert_eq!(contract_answer("no question"), None);
    }

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

    #[test]
    fn inspector_case_60_rule_that_is_off_at_first_is_told_where_it_is_on() {
        let off = ToolRule::ALL.iter().filter(|rule| rule.severity() == LintSeverity::Off);
        assert_eq!(off.map(|rule| rule.id()).collect::<Vec<_>>(), LintNote::OFF_AT_FIRST);
        let tool = json!({"origin": "https://shop.example", "frame": 0, "description": {
            "name": "find", "description": "Finds products of the shop by words.", "inputSchema": "{}",
        }});
        let rules = |on: &[&str]| {
            let notes = told(&json!({"language": "en", "tools": [tool], "on": on}));
            notes.into_iter().map(|note| (note.rule, note.weight)).collect::<Vec<_>>()
        };
        assert_eq!(rules(&[]), []);
        let on = LintNote::OFF_AT_FIRST.map(|rule| (rule.to_owned(), NoteWeight::Info));
        assert_eq!(rules(&LintNote::OFF_AT_FIRST), on);
        assert_eq!(rules(&["annotations-explicit", "of a later version"]), on[2..]);
    }

    #[test]
    fn page_that_defines_a_tool_otherwise_is_told_also_beside_what_its_document_told() {
        let tool = |elsewhere: Option<&str>| {
            json!({"origin": "https://shop.example", "frame": 0, "differsOn": elsewhere, "description": {
                "name": "find", "description": "Finds products of the shop by words.", "inputSchema": "{}",
            }})
        };
        let facts = json!({"tools": [{"name": "find", "at": 5}]}).to_string();
        let facts = json!([{"origin": "https://shop.example", "frame": 0, "text": facts}]);
        let told_of = |elsewhere| {
            let question = json!({"language": "en", "tools": [tool(elsewhere)], "facts": facts});
            told(&question).into_iter().map(|note| (note.rule, note.excerpt)).collect::<Vec<_>>()
        };
        let other = "https://shop.example/basket";
        assert_eq!(told_of(Some(other)), [("cross-page-drift".to_owned(), other.to_owned())]);
        assert_eq!(told_of(None), []);
    }

    #[test]
    fn what_the_model_in_use_does_not_take_is_told_if_there_is_one() {
        let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}}"#;
        let tool = json!({"origin": "https://shop.example", "frame": 0, "description": {
            "name": "look", "description": "Finds products of the shop by words.", "inputSchema": schema,
        }});
        let is_lossy = |profile: Value| {
            let notes = told(&json!({"language": "en", "tools": [tool], "profile": profile}));
            notes.iter().any(|note| note.rule == "schema-lossy")
        };
        assert!(is_lossy(json!("portable")));
        assert!(!is_lossy(json!("full")) && !is_lossy(Value::Null));
    }
}
