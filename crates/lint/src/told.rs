//! What the relays of a page's documents told of its tools.

use std::collections::HashMap;

use sidecar_protocol::lint::ToldFacts;
use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::registration::{DocumentFacts, ToolRegistration};
use sidecar_webmcp::Address;

use crate::finding::ToolFinding;
use crate::hints;
use crate::page::{LintedPage, LintedTool, MOST_LINTED, ToolFacts};
use crate::registration;
use crate::report::ToolReport;
use crate::rule::ToolRule;

/// Adds what a relay told to the tools of its document. What no tool has the name of was refused, or is gone.
pub(crate) fn add(page: &mut LintedPage, told: &ToldFacts) {
    let Some(DocumentFacts { tools, forms }) = DocumentFacts::read(&told.text) else { return };
    let listed = page.tools.iter().enumerate().filter(|(_, tool)| tool.frame == told.frame);
    let places: HashMap<_, _> = listed.map(|(at, tool)| (tool.description.name.clone(), at)).collect();
    for registered in tools.into_iter().take(MOST_LINTED) {
        let name = registered.name.clone();
        let facts = facts_of(registered);
        match places.get(&name) {
            Some(at) => {
                let known = &mut page.tools[*at].facts;
                *known = ToolFacts { differs_on: std::mem::take(&mut known.differs_on), ..facts };
            }
            None => page.refused.push(refused(told, name, facts)),
        }
    }
    for form in forms.into_iter().take(MOST_LINTED) {
        let tool = places.get(&form.name).map(|at| &mut page.tools[*at]).filter(|tool| tool.description.form);
        match tool {
            Some(tool) if tool.facts.form.is_none() && form.is_described => tool.facts.form = Some(form),
            _ => {
                let name = form.name.clone();
                let facts = ToolFacts { form: Some(form), ..ToolFacts::default() };
                page.refused.push(refused(told, name, facts));
            }
        }
    }
}

/// What is no tool.
fn refused(told: &ToldFacts, name: String, facts: ToolFacts) -> LintedTool {
    let description = ToolDescription {
        name,
        title: String::new(),
        description: String::new(),
        input_schema: None,
        annotations: None,
        form: facts.form.is_some(),
        definition: String::new(),
    };
    LintedTool { origin: told.origin.clone(), frame: told.frame, description, facts }
}

/// Looks at why the browser refused what was to be a tool. What was one, and is gone, says nothing here.
pub(crate) fn check_refused(refused: &[LintedTool], found: &mut Vec<ToolFinding>) {
    for tool in refused.iter().take(MOST_LINTED) {
        let mut own = Vec::new();
        let mut report = ToolReport::new(Some(tool), &mut own);
        hints::exposed(&tool.facts, &mut report);
        if let Some(form) = &tool.facts.form {
            registration::declared(form, &mut report);
        }
        let refuses = [ToolRule::ExposedToSecureOrigins, ToolRule::DeclarativeDescription];
        own.retain(|finding| refuses.contains(&finding.rule));
        found.append(&mut own);
    }
}

fn facts_of(registered: ToolRegistration) -> ToolFacts {
    let ToolRegistration { name: _, at: _, after_load, again, script, line: _, exposed_to } = registered;
    ToolFacts {
        registered_ms: after_load,
        changes: Some(again),
        script_origin: script.as_deref().and_then(origin_of),
        exposed_to,
        ..ToolFacts::default()
    }
}

/// Origin of a script; `None` if it has none that says whose it is.
fn origin_of(script: &str) -> Option<String> {
    // A script that the page made of a text: what follows is the page's origin.
    let address = Address::of(script.strip_prefix("blob:").unwrap_or(script));
    (!address.host.is_empty()).then(|| format!("{}://{}", address.scheme, address.host))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sidecar_protocol::FrameId;

    use super::*;
    use crate::lint;

    fn found(tools: &[(&str, i32)], facts: &serde_json::Value) -> Vec<(String, ToolRule)> {
        let told = ToldFacts {
            origin: "https://tea.example".to_owned(),
            frame: FrameId::TOP,
            text: facts.to_string(),
        };
        let mut page = LintedPage::default();
        for (name, frame) in tools {
            let tool = refused(&told, (*name).to_owned(), ToolFacts::default());
            let mut tool = LintedTool { frame: FrameId(*frame), ..tool };
            tool.description.form = *name == "form";
            page.tools.push(tool);
        }
        add(&mut page, &told);
        let rules = [
            ToolRule::ThirdPartyRegistration,
            ToolRule::ToolsRegisterLate,
            ToolRule::ToolsAfterLoad,
            ToolRule::ToolChurn,
            ToolRule::ExposedToSecureOrigins,
            ToolRule::ExposedToOriginOnly,
            ToolRule::DeclarativeDescription,
            ToolRule::DeclarativeFieldDescription,
            ToolRule::DeclarativeAutosubmitSensitive,
        ];
        let found = lint(&page).into_iter().filter(|finding| rules.contains(&finding.rule));
        found.map(|finding| (finding.tool.map(|tool| tool.name).unwrap_or_default(), finding.rule)).collect()
    }

    fn of(name: &str, rules: &[ToolRule]) -> Vec<(String, ToolRule)> {
        rules.iter().map(|rule| (name.to_owned(), *rule)).collect()
    }

    #[test]
    fn registration_is_that_of_the_tool_in_its_own_frame() {
        let own = json!({"name": "own", "at": 5, "afterLoad": 0, "script": "https://tea.example/app.js", "line": 3});
        let far = json!({
            "name": "far", "at": 9_000, "afterLoad": 8_000, "again": 3, "script": "https://tags.example/t.js",
            "exposedTo": ["https://a.example/path"],
        });
        let facts = json!({"tools": [own, far]});
        let expected = [
            ToolRule::ExposedToOriginOnly,
            ToolRule::ThirdPartyRegistration,
            ToolRule::ToolsRegisterLate,
            ToolRule::ToolChurn,
        ];
        assert_eq!(found(&[("own", 0), ("far", 0)], &facts), of("far", &expected));
        assert_eq!(found(&[("own", 0), ("far", 4)], &facts), []);
        let text_of_the_page =
            json!({"tools": [{"name": "own", "at": 1, "script": "blob:https://tea.example"}]});
        assert_eq!(found(&[("own", 0)], &text_of_the_page), []);
        let extension = json!({"tools": [{"name": "own", "at": 1, "script": "chrome-extension://abc/x.js"}]});
        assert_eq!(found(&[("own", 0)], &extension), of("own", &[ToolRule::ThirdPartyRegistration]));
    }

    #[test]
    fn what_was_refused_says_why_and_what_is_gone_says_nothing() {
        let registered = |exposed: &str| json!({"tools": [{"name": "no", "at": 9_000, "afterLoad": 8_000, "again": 9, "exposedTo": [exposed]}]});
        let why = of("no", &[ToolRule::ExposedToSecureOrigins]);
        assert_eq!(found(&[("own", 0)], &registered("http://a.example")), why);
        assert_eq!(found(&[("own", 0)], &registered("https://a.example/path")), []);
    }

    #[test]
    fn form_is_that_of_its_tool_and_one_without_description_is_none() {
        let field =
            |name: &str, described: bool| json!({"name": name, "kind": "text", "isDescribed": described});
        let form = |name: &str, described: bool| {
            json!({"name": name, "isDescribed": described, "autosubmit": true,
                "fields": [field("city", false), field("password", true)]})
        };
        let facts = json!({"forms": [form("form", true), form("blank", false), form("form", true)]});
        let expected = [ToolRule::DeclarativeFieldDescription, ToolRule::DeclarativeAutosubmitSensitive];
        let all = [of("form", &expected), of("blank", &[ToolRule::DeclarativeDescription])].concat();
        assert_eq!(found(&[("own", 0), ("form", 0)], &facts), all);
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        assert_eq!(found(&[("own", 0)], &json!("no facts")), []);
    }
}
