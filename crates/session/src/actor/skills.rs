//! SKILLs on pages: which are of use there, as pages come and go.

use sidecar_protocol::TabId;
use sidecar_skills::offer::{IndexedSkill, PlacedTool};

use super::Actor;
use super::code_parts::CodeParts;
use crate::event::WorkEvent;
use crate::skills::OfUse;

/// The index of the SKILLs that ship.
const INDEX: &str = "index.json";

impl<B: CodeParts> Actor<B> {
    /// A tab's page is another, or at another address: the tools of the SKILLs that fit it join those of the page.
    /// Returns whether they are others now.
    pub(super) fn match_skills(&mut self, tab: TabId) -> bool {
        let Some(url) = self.tabs.skill_page(tab) else { return false };
        let browser = self.browser.clone();
        match self.skills.of_use(&url) {
            OfUse::Known(lists) => return self.tabs.set_skills(tab, lists),
            OfUse::Unknown => {}
            OfUse::ReadIndex => self.browser.spawn(async move {
                let text = browser.skill_file(INDEX).await.unwrap_or_default();
                let index = serde_json::from_str(&text).unwrap_or_default();
                browser.post(WorkEvent::SkillsKnown { index });
            }),
            OfUse::Read(ids) => self.browser.spawn(async move {
                for id in ids {
                    let text = browser.skill_file(&format!("{id}.tools.json")).await.unwrap_or_default();
                    let tools = serde_json::from_str(&text).unwrap_or_default();
                    browser.post(WorkEvent::SkillRead { id, tools });
                }
            }),
        }
        false
    }

    pub(super) fn skills_known(&mut self, index: Vec<IndexedSkill>) {
        self.skills.know(index);
        self.match_all_skills();
    }

    pub(super) fn skill_read(&mut self, id: String, tools: Vec<PlacedTool>) {
        self.skills.know_tools(id, tools);
        self.match_all_skills();
    }

    fn match_all_skills(&mut self) {
        for tab in self.tabs.with_pages() {
            if self.match_skills(tab) {
                self.show_page_of(tab);
            }
        }
    }
}
