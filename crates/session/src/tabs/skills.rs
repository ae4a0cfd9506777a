//! The tools of SKILLs beside those of the pages.

use sidecar_protocol::page::ToolDescription;
use std::collections::HashSet;

use sidecar_protocol::{DocumentId, Source, TabId};
use sidecar_webmcp::{Address, Change, ToolList};

use super::{TabPort, Tabs};
use crate::key_value::KeyValue;

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// The address of a tab's page on which SKILLs may be of use; `None` for pages that did not report, for hidden sites
    /// and for pages of the browser.
    pub fn skill_page(&self, tab: TabId) -> Option<String> {
        let url = &self.known.get(&tab)?.url;
        let origin = Address::of(url).origin();
        let is_there = self.catalogue.place(tab).is_some_and(|place| place.origin == origin);
        (is_there && self.is_usable(url)).then(|| url.clone())
    }

    /// A tab's top document, once it has reported.
    pub fn top_document(&self, tab: TabId) -> Option<DocumentId> {
        self.catalogue.place(tab).map(|place| place.document)
    }

    /// The names of the tools of a tab's page itself.
    pub fn own_tools(&self, tab: TabId) -> HashSet<String> {
        let tools = self.catalogue.tools(tab);
        let own = tools.filter(|tool| tool.id.page().is_some());
        own.map(|tool| tool.id.name().to_owned()).collect()
    }

    /// Whether a tab's page is being looked at for SKILLs: turns wait for that.
    pub fn set_looking(&mut self, tab: TabId, looking: bool) {
        if looking {
            self.looking.insert(tab);
        } else if self.looking.remove(&tab) {
            self.answer_if_known(tab);
        }
    }

    /// The tabs whose pages have reported.
    pub fn with_pages(&self) -> Vec<TabId> {
        let mut tabs: Vec<_> = self.catalogue.tabs().collect();
        tabs.dedup();
        tabs
    }

    /// The tools of the SKILLs that are of use on a tab's page, by SKILL; others are withdrawn. Returns whether this
    /// changes anything.
    pub fn set_skills(&mut self, tab: TabId, lists: Vec<(String, Vec<ToolDescription>)>) -> bool {
        let Some(place) = self.catalogue.place(tab) else { return false };
        let blocked = self.catalogue.is_blocked(tab);
        let known = self.catalogue.skills(tab).into_iter();
        let gone =
            known.filter(|skill| lists.iter().all(|(id, _)| id != skill)).map(|skill| (skill, Vec::new()));
        let gone: Vec<_> = gone.collect();
        let mut is_changed = false;
        for (skill, tools) in lists.into_iter().chain(gone) {
            let (source, total) = (Source::Skill { skill }, tools.len());
            let change = self.catalogue.update(&place, ToolList { source, tools, total, blocked });
            is_changed |= change != Change::None;
        }
        if is_changed {
            self.changed(tab);
        }
        is_changed
    }
}
