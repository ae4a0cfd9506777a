//! The SKILLs that are there, and which of them are of use on a page.
//!
//! A short index of all of them is read when the first page reports, a SKILL itself when a page fits it. Pages that
//! none fits cost the comparison of their address.

use std::collections::HashMap;
use std::rc::Rc;

use serde::Deserialize;
use sidecar_protocol::page::{ToolAnnotations, ToolDescription};
use sidecar_skills::definition::{SkillTool, ToolClass};
use sidecar_skills::{MatchPattern, SkillDefinition, rights};

/// A SKILL in the index, as `skills/index.json` of the extension has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IndexedSkill {
    /// Its name.
    pub id: String,
    /// Pages on which it is of use: match patterns.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// Pages among them on which it is not.
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// The SKILLs that are there.
#[derive(Debug, Default)]
pub struct Skills {
    index: Index,
    /// Those that were read; `None` where that failed.
    read: HashMap<String, Option<Rc<SkillDefinition>>>,
}

#[derive(Debug, Default)]
enum Index {
    #[default]
    Unread,
    Underway,
    Read(Vec<Patterns>),
}

/// The patterns of a SKILL.
#[derive(Debug)]
struct Patterns {
    id: String,
    matches: Vec<MatchPattern>,
    exclude: Vec<MatchPattern>,
}

impl Patterns {
    fn fit(&self, url: &str) -> bool {
        self.matches.iter().any(|pattern| pattern.fits(url))
            && !self.exclude.iter().any(|pattern| pattern.fits(url))
    }
}

/// What is of use on a page.
#[derive(Debug, PartialEq)]
pub enum OfUse {
    /// The index has to be read first. Said once.
    ReadIndex,
    /// These have to be read first.
    Read(Vec<String>),
    /// These, by name.
    Known(Vec<(String, Vec<ToolDescription>)>),
    /// It is not known yet.
    Unknown,
}

impl Skills {
    /// What is of use on a page of this address.
    pub fn of_use(&mut self, url: &str) -> OfUse {
        let index = match &self.index {
            Index::Read(index) => index,
            Index::Underway => return OfUse::Unknown,
            Index::Unread => {
                self.index = Index::Underway;
                return OfUse::ReadIndex;
            }
        };
        let fitting: Vec<_> = index.iter().filter(|skill| skill.fit(url)).map(|skill| &skill.id).collect();
        let unread: Vec<_> =
            fitting.iter().filter(|id| !self.read.contains_key(**id)).map(|id| (*id).clone()).collect();
        if !unread.is_empty() {
            return OfUse::Read(unread);
        }
        let tools = |id: &String| {
            let definition = self.read.get(id)?.as_ref()?;
            Some((id.clone(), definition.tools_on(url).map(|tool| described(definition, tool)).collect()))
        };
        OfUse::Known(fitting.into_iter().filter_map(tools).collect())
    }

    /// The index was read.
    pub fn know(&mut self, index: Vec<IndexedSkill>) {
        let read = |patterns: &[String]| {
            patterns.iter().filter_map(|pattern| MatchPattern::read(pattern).ok()).collect()
        };
        let patterns = index.into_iter().map(|IndexedSkill { id, matches, exclude }| Patterns {
            id,
            matches: read(&matches),
            exclude: read(&exclude),
        });
        self.index = Index::Read(patterns.collect());
    }

    /// A SKILL was read; `None` if it could not be.
    pub fn know_skill(&mut self, id: String, definition: Option<SkillDefinition>) {
        self.read.insert(id, definition.map(Rc::new));
    }

    /// A SKILL that was read.
    pub fn get(&self, id: &str) -> Option<Rc<SkillDefinition>> {
        self.read.get(id)?.clone()
    }
}

/// A tool for the catalogue. What it does is known by its steps, so its hints are facts.
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
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn skill() -> SkillDefinition {
        serde_json::from_value(json!({
            "format": 1, "id": "shop", "version": "1.0.0", "title": "A", "summary": "a",
            "match": ["https://shop.example/*"], "permissions": {},
            "pages": {"list": {"match": ["https://shop.example/list*"], "probes": []}},
            "tools": [
                {"name": "read", "description": "Reads.", "class": "read", "inputSchema": {"type": "object"}, "pages": ["list"], "steps": []},
                {"name": "buy", "description": "Buys.", "class": "read", "inputSchema": {"type": "object"},
                    "steps": [{"do": "click", "at": "x", "then": "none"}]},
            ],
        }))
        .unwrap()
    }

    fn indexed() -> IndexedSkill {
        serde_json::from_value(json!({"id": "shop", "version": "1", "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed"]}))
            .unwrap()
    }

    #[test]
    fn index_is_read_once_and_a_skill_when_a_page_fits_it() {
        let mut skills = Skills::default();
        let url = "https://shop.example/list?q=1";
        assert_eq!(skills.of_use(url), OfUse::ReadIndex);
        assert_eq!(skills.of_use(url), OfUse::Unknown);
        skills.know(vec![indexed()]);
        for other in ["https://other.example/", "https://shop.example/closed", ""] {
            assert_eq!(skills.of_use(other), OfUse::Known(Vec::new()), "{other}");
        }
        assert_eq!(skills.of_use(url), OfUse::Read(vec!["shop".to_owned()]));
        skills.know_skill("shop".to_owned(), Some(skill()));
        let names = |skills: &mut Skills, url: &str| match skills.of_use(url) {
            OfUse::Known(known) => {
                known.into_iter().flat_map(|(_, tools)| tools).map(|tool| tool.name).collect()
            }
            _ => Vec::new(),
        };
        assert_eq!(names(&mut skills, url), ["read", "buy"]);
        assert_eq!(names(&mut skills, "https://shop.example/"), ["buy"], "by kind of page");
        assert!(skills.get("shop").is_some());
    }

    #[test]
    fn skill_that_cannot_be_read_is_not_asked_for_again() {
        let mut skills = Skills::default();
        skills.know(vec![indexed()]);
        skills.know_skill("shop".to_owned(), None);
        assert_eq!(skills.of_use("https://shop.example/"), OfUse::Known(Vec::new()));
    }

    #[test]
    fn what_acts_is_consequential_whatever_it_says() {
        let skill = skill();
        let hints: Vec<_> =
            skill.tools.iter().map(|tool| described(&skill, tool).annotations.unwrap()).collect();
        assert!(hints[0].read_only_hint && !hints[0].consequential_hint);
        assert!(!hints[1].read_only_hint && hints[1].consequential_hint);
    }
}
