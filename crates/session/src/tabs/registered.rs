//! The tools of SKILLs that are registered in pages, where other agents find them.

use std::collections::HashMap;

use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::{DocumentId, FrameId, TabId, ToolRef};
use sidecar_webmcp::Place;

use super::{TabPort, Tabs};
use crate::key_value::KeyValue;

/// What the relays of pages were told to register, by tab.
#[derive(Debug, Default)]
pub(super) struct RegisteredSkills(HashMap<TabId, Registered>);

/// What the relay of a top document was told to register.
#[derive(Debug)]
struct Registered {
    document: DocumentId,
    /// `None` if a worker before this one told it.
    tools: Option<Vec<ToolDescription>>,
}

impl RegisteredSkills {
    /// A relay says whether it shows any.
    pub(super) fn told(&mut self, place: &Place, shows: bool) {
        if place.frame != FrameId::TOP {
            return;
        }
        let is_known = self.0.get(&place.tab).is_some_and(|known| known.document == place.document);
        if shows && !is_known {
            let document = place.document.clone();
            self.0.insert(place.tab, Registered { document, tools: None });
        }
    }

    pub(super) fn forget_tab(&mut self, tab: TabId) {
        self.0.remove(&tab);
    }
}

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// Other agents find these tools of SKILLs in a tab's page from now on, and no others; none if the page or the browser
    /// refuses WebMCP there. Returns what the relay of its top document has to be told; nothing if it knows.
    pub fn register_skills(
        &mut self,
        tab: TabId,
        tools: Vec<ToolDescription>,
    ) -> Option<(DocumentId, Vec<ToolDescription>)> {
        let document = self.top_document(tab)?;
        let tools = if self.catalogue.is_blocked(tab) { Vec::new() } else { tools };
        let known = self.registered.0.get(&tab).filter(|known| known.document == document);
        let is_known = match known {
            Some(known) => known.tools.as_ref() == Some(&tools),
            None => tools.is_empty(),
        };
        if is_known {
            return None;
        }
        self.registered.0.insert(tab, Registered { document: document.clone(), tools: Some(tools.clone()) });
        Some((document, tools))
    }

    /// Whether the user has switched a tool off.
    pub fn is_off(&self, tool: &ToolRef) -> bool {
        let tool = self.catalogue.find(tool);
        tool.is_some_and(|tool| self.grants.is_off(tool, &self.page_origin(&tool.id)))
    }
}
