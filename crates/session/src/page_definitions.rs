//! How pages define their tools: another page of an origin may define a tool of the same name otherwise.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::FrameId;
use sidecar_protocol::lint::InspectedTool;

use crate::cache;
use crate::key_value::KeyValue;

const PAGES: &str = "pageDefinitions";

/// Maximum number of pages.
const MOST_PAGES: usize = 50;

/// Longest address of a page, in bytes.
const LONGEST_ADDRESS: usize = 300;

/// The pages that were seen. Each check saves them for the next worker, until the browser is closed.
#[derive(Debug)]
pub struct PageDefinitions<K> {
    /// Absent in a private window.
    store: Option<K>,
    /// Whether those are there that the previous worker saved.
    is_read: bool,
    /// The one that was seen last at the end.
    pages: Vec<DefiningPage>,
    /// Whether they are others than those that are saved.
    is_new: bool,
}

/// A page, and how it defined its tools when they were last seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefiningPage {
    /// Its address, without query and fragment.
    pub address: String,
    /// Digests of definitions by the tools' names.
    pub tools: BTreeMap<String, String>,
}

impl DefiningPage {
    /// Maximum number of its tools.
    pub const MOST_TOOLS: usize = 100;
}

impl<K: KeyValue> PageDefinitions<K> {
    /// Those that the previous worker saved. They are read at the first check.
    pub fn new(store: Option<K>) -> Self {
        Self { store, is_read: false, pages: Vec::new(), is_new: false }
    }

    /// A page was seen. The one that was not seen for longest goes if there are too many.
    pub fn seen(&mut self, page: DefiningPage) {
        if page.address.len() > LONGEST_ADDRESS {
            return;
        }
        let mut known = match self.pages.iter().position(|known| known.address == page.address) {
            Some(at) => self.pages.remove(at),
            None => DefiningPage { address: page.address, tools: BTreeMap::new() },
        };
        for (name, digest) in page.tools.iter().take(DefiningPage::MOST_TOOLS) {
            self.is_new |= known.tools.insert(name.clone(), digest.clone()).as_ref() != Some(digest);
        }
        // Those that it has now stay.
        let mut left_over = known.tools.len().saturating_sub(DefiningPage::MOST_TOOLS);
        known.tools.retain(|name, _| {
            let stays = left_over == 0 || page.tools.contains_key(name);
            left_over -= usize::from(!stays);
            stays
        });
        self.pages.push(known);
        self.pages.drain(..self.pages.len().saturating_sub(MOST_PAGES));
    }

    /// Says of the tools of a page's top document which other page of its origin defines them otherwise: of several, the one
    /// that was seen last.
    pub async fn compare(&mut self, page: &DefiningPage, tools: &mut [InspectedTool]) {
        if let (false, Some(store)) = (std::mem::replace(&mut self.is_read, true), &self.store) {
            let before = cache::read(store, PAGES).await;
            let since = std::mem::replace(&mut self.pages, before);
            since.into_iter().for_each(|page| self.seen(page));
        }
        self.seen(page.clone());
        for tool in tools.iter_mut().filter(|tool| tool.frame == FrameId::TOP) {
            let name = &tool.description.name;
            let differs = |other: &&DefiningPage| {
                let is_near =
                    other.address.strip_prefix(&tool.origin).is_some_and(|path| path.starts_with('/'));
                let digests = (other.tools.get(name), page.tools.get(name));
                is_near
                    && other.address != page.address
                    && matches!(digests, (Some(there), Some(here)) if there != here)
            };
            tool.differs_on = self.pages.iter().rev().find(differs).map(|other| other.address.clone());
        }
        if let (true, Some(store)) = (std::mem::take(&mut self.is_new), &self.store) {
            cache::write(store, PAGES, &self.pages).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use sidecar_protocol::page::ToolDescription;

    use super::*;
    use crate::testing::Memory;

    fn page(address: &str, tools: &[(&str, &str)]) -> DefiningPage {
        let tools = tools.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned()));
        DefiningPage { address: address.to_owned(), tools: tools.collect() }
    }

    fn tool(frame: FrameId) -> InspectedTool {
        let description = ToolDescription {
            name: "find".to_owned(),
            title: String::new(),
            description: String::new(),
            input_schema: None,
            annotations: None,
            form: false,
            definition: String::new(),
        };
        InspectedTool { origin: "https://a.example".to_owned(), frame, description, differs_on: None }
    }

    /// Where `find` of the page differs.
    fn differs(pages: &mut PageDefinitions<Memory>, page: &DefiningPage) -> Option<String> {
        let mut tools = [tool(FrameId::TOP), tool(FrameId(4))];
        block_on(pages.compare(page, &mut tools));
        let [top, in_frame] = tools;
        assert_eq!(in_frame.differs_on, None);
        top.differs_on
    }

    #[test]
    fn tool_differs_on_another_page_of_its_origin_alone() {
        let mut pages = PageDefinitions::new(None::<Memory>);
        let here = page("https://a.example/here", &[("find", "1")]);
        for other in [
            page("https://a.example/same", &[("find", "1"), ("buy", "2")]),
            page("https://a.example.org/", &[("find", "2")]),
            page("https://b.example/", &[("find", "2")]),
            page("https://a.example/without", &[("buy", "1")]),
            page("https://a.example/here", &[("find", "2")]),
        ] {
            pages.seen(other);
        }
        assert_eq!(differs(&mut pages, &here), None, "what the page itself was before does not count");
        for path in ["first", "last"] {
            pages.seen(page(&format!("https://a.example/{path}"), &[("find", "2")]));
        }
        assert_eq!(differs(&mut pages, &here).as_deref(), Some("https://a.example/last"));
        pages.seen(page("https://a.example/last", &[("find", "1")]));
        assert_eq!(differs(&mut pages, &here).as_deref(), Some("https://a.example/first"));
        pages.seen(page("https://a.example/first", &[]));
        assert_eq!(differs(&mut pages, &here).as_deref(), Some("https://a.example/first"), "it was left");
    }

    #[test]
    fn what_was_seen_outlives_the_worker_with_a_check_and_private_windows_save_nothing() {
        let memory = Memory::default();
        let (here, other) = (
            page("https://a.example/here", &[("find", "1")]),
            page("https://a.example/other", &[("find", "2")]),
        );
        let mut pages = PageDefinitions::new(Some(memory.clone()));
        pages.seen(other.clone());
        assert_eq!(memory.names(), [""; 0]);
        assert_eq!(differs(&mut pages, &here), Some(other.address.clone()));
        let mut next = PageDefinitions::new(Some(memory.clone()));
        next.seen(page("https://a.example/third", &[("find", "3")]));
        assert_eq!(differs(&mut next, &here).as_deref(), Some("https://a.example/third"));
        next.seen(page("https://a.example/third", &[("find", "1")]));
        assert_eq!(differs(&mut next, &here), Some(other.address.clone()));
        let saved = memory.text(PAGES);
        let mut private = PageDefinitions::new(None::<Memory>);
        assert_eq!(differs(&mut private, &here), None);
        assert_eq!((memory.text(PAGES), memory.names()), (saved, vec![PAGES.to_owned()]));
    }

    #[test]
    fn page_that_was_not_seen_for_longest_goes_when_there_are_too_many_and_a_long_address_is_not_kept() {
        let mut pages = PageDefinitions::new(None::<Memory>);
        for number in 0..=MOST_PAGES {
            pages.seen(page(&format!("https://a.example/{number}"), &[]));
        }
        assert_eq!((pages.pages.len(), pages.pages[0].address.as_str()), (MOST_PAGES, "https://a.example/1"));
        pages.seen(page(&format!("https://a.example/{}", "x".repeat(LONGEST_ADDRESS)), &[]));
        pages.seen(page("https://a.example/1", &[]));
        assert_eq!(pages.pages[0].address, "https://a.example/2");
        let many: Vec<_> = (0..=DefiningPage::MOST_TOOLS).map(|number| number.to_string()).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), "1")).collect();
        pages.seen(page("https://a.example/many", &many));
        assert_eq!(pages.pages.last().map(|page| page.tools.len()), Some(DefiningPage::MOST_TOOLS));
    }

    #[test]
    fn names_that_are_gone_make_room_for_those_that_are_there() {
        let mut pages = PageDefinitions::new(None::<Memory>);
        let old: Vec<_> = (0..DefiningPage::MOST_TOOLS).map(|number| format!("old{number}")).collect();
        let old: Vec<_> = old.iter().map(|name| (name.as_str(), "1")).collect();
        pages.seen(page("https://a.example/", &old));
        pages.seen(page("https://a.example/", &[("new", "1"), old[0]]));
        let tools = &pages.pages[0].tools;
        assert_eq!(tools.len(), DefiningPage::MOST_TOOLS);
        assert!(tools.contains_key("new") && tools.contains_key("old0") && !tools.contains_key("old1"));
    }
}
