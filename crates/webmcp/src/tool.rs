//! A tool and its place.

use std::cell::OnceCell;

use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::policy::{PolicyKey, is_lasting};
use sidecar_protocol::{DocumentId, FrameId, PageTool, Risk, Source, TabId, ToolRef};

use crate::address::Address;
use crate::fingerprint::Fingerprint;
use crate::risk;

/// Where a message came from, as the browser reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The tab.
    pub tab: TabId,
    /// The frame in it; 0 is the top frame.
    pub frame: FrameId,
    /// The document in the frame.
    pub document: DocumentId,
    /// Origin of the document (`https://flights.example`); `null` for an opaque one, as in a sandboxed frame.
    pub origin: String,
}

impl Place {
    /// The reference to a tool of this place and source.
    fn reference(&self, source: &Source, name: String) -> ToolRef {
        match source {
            Source::Native | Source::Polyfill => ToolRef::Page(PageTool {
                tab: self.tab,
                frame: self.frame,
                document: self.document.clone(),
                name,
            }),
            Source::Skill { skill } => ToolRef::Skill { skill: skill.clone(), name, tab: self.tab },
            Source::Browser => ToolRef::Browser { name, tab: Some(self.tab) },
            Source::Mcp { server } => ToolRef::Mcp { server: server.clone(), name },
        }
    }
}

/// A tool that can be called now.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its reference.
    pub id: ToolRef,
    /// The frame of its document.
    pub frame: FrameId,
    /// Origin of its document.
    pub origin: String,
    /// Where it comes from.
    pub source: Source,
    /// Its definition by its source, within the caps.
    pub description: ToolDescription,
    /// The risk of a call, see [`risk::of`].
    pub risk: Risk,
    pub(crate) fingerprint: OnceCell<Fingerprint>,
}

/// The fingerprint is derived from the other fields.
impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.frame == other.frame
            && self.origin == other.origin
            && self.source == other.source
            && self.description == other.description
            && self.risk == other.risk
    }
}

impl Tool {
    /// A tool of this place, with its definition by its source.
    #[must_use]
    pub fn new(place: &Place, source: Source, description: ToolDescription) -> Self {
        // What a SKILL's tool does was found out by looking at its steps; a page only claims it.
        let risk = match source {
            Source::Skill { .. } => risk::by_hints(&description),
            Source::Native | Source::Polyfill | Source::Browser | Source::Mcp { .. } => {
                risk::of(&description)
            }
        };
        Self {
            id: place.reference(&source, description.name.clone()),
            frame: place.frame,
            origin: place.origin.clone(),
            source,
            risk,
            description,
            fingerprint: OnceCell::new(),
        }
    }

    /// Digest of its definition, computed when first needed.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Fingerprint::of(&self.description))
    }

    /// Whether its document has an opaque origin, as a sandboxed one does.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.origin == OPAQUE
    }

    /// Host (with port) of its page; `sandboxed` for a frame with an opaque origin, which must not pass for
    /// the page around it.
    #[must_use]
    pub fn site(&self) -> &str {
        match Address::of(&self.origin).site() {
            "" => "sandboxed",
            site => site,
        }
    }

    /// The key under which a policy for exactly this tool is kept; `None` if its origin is opaque.
    #[must_use]
    pub fn own_key(&self) -> Option<PolicyKey> {
        let (origin, name) = (self.origin.clone(), self.description.name.clone());
        let key = match &self.source {
            Source::Native | Source::Polyfill | Source::Skill { .. } => PolicyKey::Tool { origin, name },
            Source::Browser => PolicyKey::Action { origin, action: name },
            Source::Mcp { server } => PolicyKey::Server { server: server.clone(), name },
        };
        Some(key).filter(PolicyKey::is_lasting)
    }

    /// Every key whose policy concerns it. `page` is the origin of the page around it, to which an opaque
    /// document belongs.
    #[must_use]
    pub fn keys(&self, page: &str) -> Vec<PolicyKey> {
        let site = if self.is_opaque() { page } else { &self.origin };
        let site = match &self.source {
            Source::Native | Source::Polyfill | Source::Skill { .. } | Source::Browser => {
                is_lasting(site).then(|| PolicyKey::Site { origin: site.to_owned() })
            }
            Source::Mcp { .. } => None,
        };
        let skill = match &self.source {
            Source::Skill { skill } => {
                Some(PolicyKey::Skill { skill: skill.clone(), name: self.description.name.clone() })
            }
            Source::Native | Source::Polyfill | Source::Browser | Source::Mcp { .. } => None,
        };
        [site, self.own_key(), skill].into_iter().flatten().collect()
    }
}

/// How every opaque origin is spelt.
pub(crate) const OPAQUE: &str = "null";

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(origin: &str, source: Source) -> Tool {
        let place = Place {
            tab: TabId(1),
            frame: FrameId::TOP,
            document: DocumentId::from("d"),
            origin: origin.to_owned(),
        };
        let description = ToolDescription {
            name: "order".to_owned(),
            title: String::new(),
            description: "Orders.".to_owned(),
            input_schema: None,
            annotations: None,
            form: false,
            definition: String::new(),
        };
        Tool::new(&place, source, description)
    }

    const SHOP: &str = "https://shop.example";

    fn site(origin: &str) -> PolicyKey {
        PolicyKey::Site { origin: origin.to_owned() }
    }

    fn named() -> PolicyKey {
        PolicyKey::Tool { origin: SHOP.to_owned(), name: "order".to_owned() }
    }

    #[test]
    fn keys_of_a_page_tool_are_the_same_whichever_way_it_is_reached() {
        for source in [Source::Native, Source::Polyfill] {
            assert_eq!(tool(SHOP, source).keys(SHOP), [site(SHOP), named()]);
        }
    }

    #[test]
    fn keys_of_a_skill_tool_are_those_of_the_site_and_those_of_the_skill() {
        let skill = tool(SHOP, Source::Skill { skill: "s".to_owned() });
        let own = PolicyKey::Skill { skill: "s".to_owned(), name: "order".to_owned() };
        assert_eq!(skill.keys(SHOP), [site(SHOP), named(), own]);
    }

    #[test]
    fn keys_of_actions_and_of_servers_say_where_they_act() {
        let action = PolicyKey::Action { origin: SHOP.to_owned(), action: "order".to_owned() };
        assert_eq!(tool(SHOP, Source::Browser).keys(SHOP), [site(SHOP), action]);
        let server = PolicyKey::Server { server: "files".to_owned(), name: "order".to_owned() };
        assert_eq!(tool(SHOP, Source::Mcp { server: "files".to_owned() }).keys(SHOP), [server]);
    }

    #[test]
    fn opaque_document_goes_by_the_page_around_it_alone() {
        let sandboxed = tool(OPAQUE, Source::Polyfill);
        assert_eq!((sandboxed.own_key(), sandboxed.keys(SHOP)), (None, vec![site(SHOP)]));
        assert_eq!(sandboxed.keys(OPAQUE), []);
    }
}
