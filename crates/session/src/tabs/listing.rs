//! The tools of tabs, for those who want all of them: turns, the checks of a site's tools, recordings, evals.

use std::collections::BTreeMap;

use sidecar_protocol::lint::InspectedTool;
use sidecar_protocol::page::Backend;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::recording::RecordedTool;
use sidecar_protocol::{FrameId, Risk, Source, TabId, ToolRef};
use sidecar_webmcp::{Address, Offer, OfferedTab, Place, Tool, offer};

use super::{TabPort, Tabs};
use crate::key_value::KeyValue;
use crate::page_definitions::DefiningPage;

impl<K: KeyValue + Clone, P: TabPort> Tabs<K, P> {
    /// The tools that the pages of a tab registered themselves, to be looked at.
    pub fn inspected(&self, tab: TabId) -> Vec<InspectedTool> {
        let inspected = |tool: &Tool| InspectedTool {
            origin: tool.origin.clone(),
            frame: tool.frame,
            description: tool.description.clone(),
            differs_on: None,
        };
        self.page_tools(tab).map(inspected).collect()
    }

    /// How a tab's top document defines the tools that it registered itself. `None` if it has no address of its origin.
    pub fn definitions(&self, tab: TabId) -> Option<DefiningPage> {
        let url = &self.known.get(&tab)?.url;
        let origin = Address::of(url).origin();
        if origin.is_empty() || self.catalogue.origin(tab)? != origin {
            return None;
        }
        let path = url.splitn(4, '/').nth(3).unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        let mut tools = BTreeMap::new();
        let own = self.page_tools(tab).filter(|tool| tool.frame == FrameId::TOP);
        for tool in own.take(DefiningPage::MOST_TOOLS) {
            tools.insert(tool.id.name().to_owned(), tool.fingerprint().0.clone());
        }
        Some(DefiningPage { address: format!("{origin}/{path}"), tools })
    }

    fn page_tools(&self, tab: TabId) -> impl Iterator<Item = &Tool> {
        self.catalogue.tools(tab).filter(|tool| match &tool.source {
            Source::Native | Source::Polyfill => true,
            Source::Skill { .. } | Source::Browser | Source::Mcp { .. } => false,
        })
    }

    /// The documents of a tab, to be asked about their tools.
    pub fn places(&self, tab: TabId) -> Vec<Place> {
        self.catalogue.places(tab).collect()
    }

    /// The document that registered a tool.
    pub fn place_of(&self, tool: &ToolRef) -> Option<Place> {
        self.catalogue.places(tool.tab()?).find(|place| Some(&place.document) == tool.document())
    }

    /// The digests of the tools of a tab that match a text.
    pub fn digests_with(&self, tab: TabId, text: &str) -> Vec<String> {
        self.catalogue.digests_with(tab, text)
    }

    /// The tools of these tabs that are offered to a model: all that are not off. The names do not depend on
    /// which are off.
    pub fn offers(&self, tabs: &[TabId]) -> Vec<Offer> {
        let site = |id: &TabId| {
            self.known.get(id).map(|tab| Address::of(&tab.url).site().to_owned()).unwrap_or_default()
        };
        let tabs: Vec<_> = tabs.iter().map(|id| OfferedTab { id: *id, site: site(id) }).collect();
        offer(&self.catalogue, &tabs, |tool| self.grants.is_off(tool, &self.page_origin(&tool.id)))
    }

    /// The tools of an origin in a tab that are offered to a model, for a case of an eval.
    pub fn recorded(&self, tab: TabId, origin: &str) -> Vec<RecordedTool> {
        let offers = self.offers(&[tab]).into_iter().filter(|offer| offer.origin == origin);
        let recorded = |offer: Offer| RecordedTool {
            name: offer.tool.name().to_owned(),
            description: offer.description,
            schema: offer.schema,
        };
        offers.map(recorded).collect()
    }

    /// Origin of the address of a tab; empty if it has none.
    pub fn origin_of(&self, tab: TabId) -> String {
        self.known.get(&tab).map(|tab| Address::of(&tab.url).origin()).unwrap_or_default()
    }

    /// The tools on offer that the document in a tab registered, and how they are reached.
    pub fn registered_in(&self, tab: TabId) -> (Vec<Offer>, Option<Backend>) {
        let mut offers = self.offers(&[tab]);
        offers.retain(|offer| offer.tool.page().is_some() && !offer.tool.is_in_frame());
        for offer in &mut offers {
            // The user wants to be asked about it, whatever it does.
            if self.current_tool(&offer.tool).is_some_and(|tool| tool.policy == Some(Policy::Ask)) {
                offer.risk = Risk::Consequential;
            }
        }
        let backend = self.catalogue.tools(tab).find_map(|tool| match tool.source {
            Source::Native => Some(Backend::Native),
            Source::Polyfill => Some(Backend::Polyfill),
            Source::Skill { .. } | Source::Browser | Source::Mcp { .. } => None,
        });
        (offers, backend)
    }
}
