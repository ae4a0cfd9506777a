//! What a worker has to know of a SKILL before any of its tools is called: small, and read for each page that fits.

use serde::{Deserialize, Serialize};
use sidecar_protocol::page::{ToolAnnotations, ToolDescription};

use crate::definition::step::StepKind;
use crate::definition::wording::ByLanguage;
use crate::definition::{SkillDefinition, SkillTool, ToolClass, Yields};
use crate::pattern::MatchPattern;
use crate::rights;

/// What is known of every SKILL that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexedSkill {
    /// Its name.
    pub id: String,
    /// SemVer; empty if an Agent Skill has none.
    #[serde(default)]
    pub version: String,
    /// As the user sees it.
    pub title: ByLanguage,
    /// What it is for.
    pub summary: ByLanguage,
    /// Pages on which it is of use: match patterns.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// Pages among them on which it is not.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// −100 to 100; the higher comes first.
    #[serde(default)]
    pub priority: i32,
    /// When its tools give way to the site's own.
    #[serde(default)]
    pub yields: Yields,
    /// When somebody last tried it on the live site: a date; empty if nobody has.
    #[serde(default)]
    pub verified_on: String,
    /// Whether it only has instructions for the model.
    #[serde(default)]
    pub is_instructions: bool,
    /// Whether it has code that is run when a page becomes its own, or ceases to be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_lifecycle: bool,
}

impl IndexedSkill {
    /// Whether its tools are written for a later version of the extension: it is kept, and nothing of it is used. What
    /// has tools that can be read has pages.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        !self.is_instructions && self.matches.is_empty()
    }
}

/// A tool of a SKILL for the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTool {
    /// Pages on which it may begin: match patterns; without any, all pages of the SKILL.
    pub pages: Vec<String>,
    /// As it is offered. Its hints are facts: what it does is known by its steps.
    pub tool: ToolDescription,
    /// As the user sees it.
    #[serde(default)]
    pub title: Option<ByLanguage>,
    /// What it does, for the user.
    pub description: ByLanguage,
    /// Whether it changes something on the page or its site.
    #[serde(default)]
    pub acts: bool,
    /// Whether it is code.
    #[serde(default)]
    pub is_code: bool,
    /// How far pages may call it.
    #[serde(default)]
    pub calls_of_pages: CallsOfPages,
}

/// How far a page's scripts, and other agents in the page, may call a tool: it must do nothing for them that they cannot do
/// themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallsOfPages {
    /// Never: it is code, or reaches other origins, tabs or the user.
    #[default]
    Never,
    /// The user would have to be asked each time: it acts.
    Asked,
    /// As they like: it only reads, in the page and from its origin.
    Free,
}

impl PlacedTool {
    /// Whether it may begin on a page of this address, which is one of the SKILL's.
    #[must_use]
    pub fn begins_on(&self, url: &str) -> bool {
        let fits = |pattern: &String| MatchPattern::read(pattern).is_ok_and(|pattern| pattern.fits(url));
        self.pages.is_empty() || self.pages.iter().any(fits)
    }
}

/// What is known of a SKILL with tools.
#[must_use]
pub fn indexed(definition: &SkillDefinition) -> IndexedSkill {
    let SkillDefinition {
        id, version, title, summary, matches, exclude, priority, yields, verified_on, ..
    } = definition.clone();
    let has_lifecycle = definition.on_activate.is_some() || definition.on_deactivate.is_some();
    let is_instructions = false;
    IndexedSkill {
        id,
        version,
        title,
        summary,
        matches,
        exclude,
        priority,
        yields,
        verified_on,
        is_instructions,
        has_lifecycle,
    }
}

/// The tools of a SKILL for the catalogue.
#[must_use]
pub fn placed(definition: &SkillDefinition) -> Vec<PlacedTool> {
    let of = |tool: &SkillTool| {
        let kinds = tool.pages.iter().filter_map(|name| definition.pages.get(name));
        let pages = kinds.flat_map(|kind| kind.matches.clone()).collect();
        PlacedTool {
            pages,
            tool: described(definition, tool),
            title: tool.title.clone(),
            description: tool.description.clone(),
            acts: rights::class(definition, tool) > ToolClass::Read,
            is_code: tool.code.is_some(),
            calls_of_pages: calls_of_pages(definition, tool),
        }
    };
    definition.tools.iter().map(of).collect()
}

fn calls_of_pages(definition: &SkillDefinition, tool: &SkillTool) -> CallsOfPages {
    let mut reaches_out = tool.code.is_some();
    rights::for_each_step(&tool.steps, &mut |step| {
        reaches_out |= match &step.does {
            StepKind::Navigate { own_tab, .. } => *own_tab,
            StepKind::HandOver { .. } => true,
            StepKind::Fetch { endpoint, .. } => {
                definition.endpoints.get(endpoint).is_none_or(|endpoint| endpoint.origin.is_some())
            }
            _ => false,
        };
    });
    match rights::class(definition, tool) {
        _ if reaches_out => CallsOfPages::Never,
        ToolClass::Read => CallsOfPages::Free,
        ToolClass::Acting | ToolClass::Sensitive => CallsOfPages::Asked,
    }
}

fn described(definition: &SkillDefinition, tool: &SkillTool) -> ToolDescription {
    let class = rights::class(definition, tool);
    let annotations = ToolAnnotations {
        read_only_hint: class == ToolClass::Read,
        // The author acts on a site of others: the user is asked.
        consequential_hint: class > ToolClass::Read,
        untrusted_content_hint: true,
        ..ToolAnnotations::default()
    };
    ToolDescription {
        name: tool.name.clone(),
        title: tool.title.as_ref().map(|title| title.text("en").to_owned()).unwrap_or_default(),
        description: tool.description.text("en").to_owned(),
        input_schema: Some(tool.input_schema.to_string()),
        annotations: Some(annotations),
        form: false,
        definition: what_it_does(definition, tool),
    }
}

/// Digest of all that a call of a tool does: with another one, what the user decided about the tool no longer holds.
fn what_it_does(definition: &SkillDefinition, tool: &SkillTool) -> String {
    let SkillDefinition { matches, exclude, locators, signals, pages, endpoints, .. } = definition;
    let all = (tool, matches, exclude, locators, signals, pages, endpoints);
    // Our own types always serialise, with members in a fixed order.
    sidecar_webmcp::Fingerprint::of_text(&serde_json::to_string(&all).unwrap_or_default()).0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_tool_does_and_where_it_begins_is_found_by_its_definition() {
        let definition: SkillDefinition = serde_json::from_value(json!({
            "id": "shop", "version": "1.0.0", "title": "A", "summary": "a",
            "match": ["https://shop.example/*"], "permissions": {},
            "pages": {"list": {"match": ["https://shop.example/list*"], "probes": []}},
            "tools": [
                {"name": "read", "description": {"zh": "读", "en": "Reads."}, "class": "read", "inputSchema": {"type": "object"},
                    "pages": ["list"], "steps": []},
                {"name": "buy", "description": "Buys.", "class": "read", "inputSchema": {"type": "object"},
                    "steps": [{"do": "click", "at": "x", "then": "none"}]},
            ],
        }))
        .unwrap();
        let tools = placed(&definition);
        let hints: Vec<_> = tools.iter().map(|placed| placed.tool.annotations.unwrap()).collect();
        assert!(hints[0].read_only_hint && !hints[0].consequential_hint);
        assert!(!hints[1].read_only_hint && hints[1].consequential_hint, "whatever it says");
        let begins = |url: &str| tools.iter().map(|placed| placed.begins_on(url)).collect::<Vec<_>>();
        assert_eq!(begins("https://shop.example/list?q=1"), [true, true]);
        assert_eq!(begins("https://shop.example/"), [false, true]);
        assert_eq!(tools[0].tool.description, "Reads.");
        assert_eq!(indexed(&definition).matches, ["https://shop.example/*"]);
        let text = serde_json::to_string(&tools).unwrap();
        assert_eq!(serde_json::from_str::<Vec<PlacedTool>>(&text).unwrap(), tools);
    }

    #[test]
    fn pages_call_what_only_reads_in_their_own_origin() {
        let endpoints =
            json!({"own": {"path": "/a"}, "other": {"path": "/a", "origin": "https://b.example"}});
        let calls = |steps: serde_json::Value| {
            let definition = serde_json::from_value(json!({
                "id": "a", "version": "1.0.0", "title": "A", "summary": "a", "match": ["https://a.example/*"],
                "permissions": {}, "endpoints": endpoints,
                "tools": [{"name": "t", "description": "d", "class": "read", "inputSchema": {}, "steps": steps}],
            }));
            placed(&definition.unwrap())[0].calls_of_pages
        };
        let fetch = |endpoint: &str| json!([{"do": "fetch", "endpoint": endpoint, "read": "json"}]);
        assert_eq!(calls(fetch("own")), CallsOfPages::Free);
        assert_eq!(
            calls(json!([{"do": "navigate", "path": "/b"}])),
            CallsOfPages::Free,
            "refused when it comes to that"
        );
        assert_eq!(calls(json!([{"do": "click", "at": "x", "then": "none"}])), CallsOfPages::Asked);
        let inner = json!([{"do": "either", "branches": [{"steps": fetch("other")}]}]);
        let hand_over = json!([{"do": "handOver", "say": "s", "until": {"url": "https://a.example/*"}}]);
        for steps in [inner, hand_over, json!([{"do": "navigate", "path": "/b", "ownTab": true}])] {
            assert_eq!(calls(steps.clone()), CallsOfPages::Never, "{steps}");
        }
    }
}
