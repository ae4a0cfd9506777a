//! The SKILLs that are there, and which of them are of use on a page.
//!
//! A short index of all of them is read when the first page reports, the tools of a SKILL when a page fits it, its steps
//! when one is called. Pages that none fits cost the comparison of their address.

use std::collections::HashMap;

use sidecar_protocol::page::ToolDescription;
use sidecar_skills::MatchPattern;
use sidecar_skills::offer::{IndexedSkill, PlacedTool};

/// The SKILLs that are there.
#[derive(Debug, Default)]
pub struct Skills {
    index: Index,
    /// The tools of those that were read; none where that failed.
    read: HashMap<String, Vec<PlacedTool>>,
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
            let tools = self.read.get(id)?.iter().filter(|placed| placed.begins_on(url));
            Some((id.clone(), tools.map(|placed| placed.tool.clone()).collect()))
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

    /// The tools of a SKILL were read; none if they could not be.
    pub fn know_tools(&mut self, id: String, tools: Vec<PlacedTool>) {
        self.read.insert(id, tools);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<PlacedTool> {
        let tool = |name: &str, pages: serde_json::Value| json!({"pages": pages, "tool": {"name": name, "description": "d"}});
        let all = json!([tool("read", json!(["https://shop.example/list*"])), tool("buy", json!([]))]);
        serde_json::from_value(all).unwrap()
    }

    fn indexed() -> IndexedSkill {
        serde_json::from_value(json!({"id": "shop", "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed"]}))
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
        skills.know_tools("shop".to_owned(), tools());
        let names = |skills: &mut Skills, url: &str| match skills.of_use(url) {
            OfUse::Known(known) => {
                known.into_iter().flat_map(|(_, tools)| tools).map(|tool| tool.name).collect()
            }
            _ => Vec::new(),
        };
        assert_eq!(names(&mut skills, url), ["read", "buy"]);
        assert_eq!(names(&mut skills, "https://shop.example/"), ["buy"], "by kind of page");
    }

    #[test]
    fn skill_that_cannot_be_read_is_not_asked_for_again() {
        let mut skills = Skills::default();
        skills.know(vec![indexed()]);
        skills.know_tools("shop".to_owned(), Vec::new());
        assert_eq!(
            skills.of_use("https://shop.example/"),
            OfUse::Known(vec![("shop".to_owned(), Vec::new())])
        );
    }
}
