//! What is known of the SKILLs on a tab's page, and which of their tools are offered there.

use std::collections::{HashMap, HashSet};

use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::{DocumentId, TabId};
use sidecar_skills::definition::{Yields, YieldsWord};
use sidecar_skills::offer::CallsOfPages;
use sidecar_skills::run::health::{HealthState, PageHealth};

use super::{KnownSkill, SkillPlace, Skills};
use crate::key_value::KeyValue;

/// What is known of the SKILLs on a tab's page.
#[derive(Debug)]
pub struct SkillsOnPage {
    document: DocumentId,
    url: String,
    /// Number of the last look; answers of earlier ones do not count.
    number: u64,
    is_looking: bool,
    /// What was found on this document, by SKILL. It holds until the next look ends.
    found: HashMap<String, PageHealth>,
}

/// How long a page that has loaded may take to become what SKILLs expect before it is told that it is not, in
/// milliseconds.
pub const FIRST_MS: u64 = 700;
/// The same when a turn or the user has it looked at again.
pub const AGAIN_MS: u64 = 0;

/// A page to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillLook {
    /// The tab.
    pub tab: TabId,
    /// Its top document.
    pub document: DocumentId,
    /// Its address.
    pub url: String,
    /// How long it may take before it is told that it is not as expected, in milliseconds.
    pub patience_ms: u64,
    /// Number of the look.
    pub number: u64,
    /// The SKILLs that fit it.
    pub skills: Vec<(String, SkillPlace)>,
}

/// The tools of SKILLs on a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SkillTools {
    /// Those that are offered, by SKILL.
    pub offered: Vec<(String, Vec<ToolDescription>)>,
    /// Those that another SKILL offers: SKILL, tool, and the other one.
    pub shadowed: Vec<(String, String, String)>,
}

impl<K: KeyValue> Skills<K> {
    /// A tab's page is to be looked at, unless it is being looked at, or was. `again` looks in any case.
    pub fn look(
        &mut self,
        tab: TabId,
        document: &DocumentId,
        url: &str,
        again: bool,
        patience_ms: u64,
    ) -> Option<SkillLook> {
        let fitting = self.fitting(url).into_iter();
        let skills: Vec<_> = fitting.map(|skill| (skill.id().to_owned(), skill.place.clone())).collect();
        if skills.is_empty() {
            self.pages.remove(&tab);
            return None;
        }
        let before = self.pages.remove(&tab).filter(|page| page.document == *document);
        let found = match before {
            Some(before) => {
                let is_known = |(id, _): &(String, SkillPlace)| before.found.contains_key(id);
                if before.url == url && !again && (before.is_looking || skills.iter().all(is_known)) {
                    self.pages.insert(tab, before);
                    return None;
                }
                before.found
            }
            None => HashMap::new(),
        };
        self.looks += 1;
        let (document, number) = (document.clone(), self.looks);
        let page =
            SkillsOnPage { document: document.clone(), url: url.to_owned(), number, is_looking: true, found };
        self.pages.insert(tab, page);
        Some(SkillLook { tab, document, url: url.to_owned(), patience_ms, number, skills })
    }

    /// A page was looked at; it goes on being looked at unless `is_over`. Returns whether that is still of interest.
    pub fn looked(&mut self, look: &SkillLook, found: Vec<(String, PageHealth)>, is_over: bool) -> bool {
        let Some(page) = self.pages.get_mut(&look.tab) else { return false };
        if page.document != look.document || page.number != look.number {
            return false;
        }
        page.is_looking &= !is_over;
        // What could not be looked at is known to be unknown: nobody looks again and again.
        let unknown = || PageHealth { state: HealthState::Unknown, detail: String::new(), ready: Vec::new() };
        page.found = look.skills.iter().map(|(id, _)| (id.clone(), unknown())).chain(found).collect();
        true
    }

    /// Whether a tab's page is being looked at for the first time.
    pub fn is_unknown(&self, tab: TabId) -> bool {
        self.pages.get(&tab).is_some_and(|page| page.is_looking && page.found.is_empty())
    }

    /// Whether a SKILL on a tab's page was found unfit, so that another look may help.
    pub fn has_unfit(&self, tab: TabId) -> bool {
        let is_unfit = |health: &PageHealth| {
            health.ready.is_empty() || matches!(health.state, HealthState::Changed | HealthState::SignedOut)
        };
        self.pages.get(&tab).is_some_and(|page| !page.is_looking && page.found.values().any(is_unfit))
    }

    /// Another version of a SKILL is there, or it is gone: what was found of it says nothing any more.
    pub fn forget_health(&mut self, id: &str) {
        self.past.change(|past| past.forget_fields(id));
        for page in self.pages.values_mut() {
            page.found.remove(id);
            // A look that is under way looks by the version before.
            page.is_looking = false;
            page.number = 0;
        }
    }

    /// The tab was closed.
    pub fn forget_tab(&mut self, tab: TabId) {
        self.pages.remove(&tab);
        self.codes.forget_tab(tab);
    }

    /// How a SKILL fares on a tab's page; `None` while that is not known.
    pub fn health(&self, tab: TabId, id: &str) -> Option<&PageHealth> {
        self.pages.get(&tab)?.found.get(id)
    }

    /// The tools on a tab's page of this address, which itself has tools with these names.
    pub fn tools_on(&self, tab: TabId, url: &str, own: &HashSet<String>) -> SkillTools {
        let mut tools = SkillTools::default();
        let mut taken: HashMap<String, String> = HashMap::new();
        let Some(known) = self.known() else { return tools };
        for skill in self.fitting(url) {
            let Some(health) = self.health(tab, skill.id()) else { continue };
            if yields(skill, own) || health.state == HealthState::Challenge {
                continue;
            }
            let decided = known.decided(skill.id());
            let mut offered = Vec::new();
            for placed in self.tools(&skill.place) {
                if placed.is_code && !self.runs_code(skill) {
                    continue;
                }
                let name = &placed.tool.name;
                let is_ready = health.ready.contains(name) && placed.begins_on(url);
                if !is_ready || !decided.is_tool_on(skill.level, name, placed.acts) {
                    continue;
                }
                match taken.get(name) {
                    Some(other) => {
                        tools.shadowed.push((skill.id().to_owned(), name.clone(), other.clone()));
                    }
                    None => {
                        taken.insert(name.clone(), skill.id().to_owned());
                        offered.push(placed.tool.clone());
                    }
                }
            }
            tools.offered.push((skill.id().to_owned(), offered));
        }
        tools
    }
}

impl<K: KeyValue> Skills<K> {
    /// Of the tools that are offered on a page, those that other agents find there, with their SKILLs. The page itself has
    /// tools with these names.
    pub fn for_page(
        &self,
        offered: &[(String, Vec<ToolDescription>)],
        own: &HashSet<String>,
    ) -> Vec<(String, ToolDescription)> {
        let Some(known) = self.known() else { return Vec::new() };
        let of_skill = |(id, tools): &(String, Vec<ToolDescription>)| {
            let skill = known.named(id)?;
            let is_registered = known.decided(id).is_registered(skill.level);
            let tools = tools.iter().filter(|tool| {
                is_registered
                    && !own.contains(&tool.name)
                    && self.calls_of_pages(skill, &tool.name) != CallsOfPages::Never
            });
            // What it does is known by its digest, which is nobody's business.
            let told = |tool: &ToolDescription| {
                (id.clone(), ToolDescription { definition: String::new(), ..tool.clone() })
            };
            Some(tools.map(told).collect::<Vec<_>>())
        };
        offered.iter().filter_map(of_skill).flatten().collect()
    }

    /// How far pages may call a tool of a SKILL.
    pub fn calls_of_pages(&self, skill: &KnownSkill, name: &str) -> CallsOfPages {
        let placed = self.tools(&skill.place).iter().find(|placed| placed.tool.name == name);
        placed.map(|placed| placed.calls_of_pages).unwrap_or_default()
    }
}

/// Whether all tools of a SKILL give way to those of the page. Tools of one name always do.
fn yields(skill: &KnownSkill, own: &HashSet<String>) -> bool {
    match &skill.indexed.yields {
        Yields::Word(YieldsWord::SameName) => false,
        Yields::Word(YieldsWord::AnyNative) => !own.is_empty(),
        Yields::To(names) => names.iter().any(|name| own.contains(name)),
    }
}
