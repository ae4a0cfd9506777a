//! Tools: references, sources, risks, and callers.

use serde::{Deserialize, Serialize};

use crate::ids::{DocumentId, FrameId, TabId};

/// Identifies a tool. A page's tool is a registration in one document: after a navigation, the same name is
/// another tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StoredToolRef")]
pub enum ToolRef {
    /// A tool that a page registered through WebMCP.
    Page(PageTool),
    /// A tool that a SKILL adds to a tab.
    Skill {
        /// The SKILL's id.
        skill: String,
        /// As the SKILL registered it.
        name: String,
        /// The tab it works in.
        tab: TabId,
    },
    /// An action of the extension itself, on a page or on the browser.
    Browser {
        /// The action.
        name: String,
        /// The tab it works in; absent if it needs none.
        tab: Option<TabId>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server's name in the user's configuration.
        server: String,
        /// As the server lists it.
        name: String,
    },
}

/// A tool that a page registered through WebMCP.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageTool {
    /// The tab.
    pub tab: TabId,
    /// The frame in it.
    pub frame: FrameId,
    /// The document in the frame.
    pub document: DocumentId,
    /// As the page registered it.
    pub name: String,
}

impl ToolRef {
    /// The tool's name, as its source gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Page(PageTool { name, .. })
            | Self::Skill { name, .. }
            | Self::Browser { name, .. }
            | Self::Mcp { name, .. } => name,
        }
    }

    /// The tab it works in, if any.
    #[must_use]
    pub fn tab(&self) -> Option<TabId> {
        match self {
            Self::Page(PageTool { tab, .. }) | Self::Skill { tab, .. } => Some(*tab),
            Self::Browser { tab, .. } => *tab,
            Self::Mcp { .. } => None,
        }
    }

    /// The reference of a page's tool, if it is one.
    #[must_use]
    pub fn page(&self) -> Option<&PageTool> {
        match self {
            Self::Page(tool) => Some(tool),
            Self::Skill { .. } | Self::Browser { .. } | Self::Mcp { .. } => None,
        }
    }

    /// The document that registered it, for a page's tool.
    #[must_use]
    pub fn document(&self) -> Option<&DocumentId> {
        self.page().map(|tool| &tool.document)
    }

    /// Whether its document is in a frame, for a page's tool.
    #[must_use]
    pub fn is_in_frame(&self) -> bool {
        self.page().is_some_and(|tool| tool.frame != FrameId::TOP)
    }
}

/// The stored forms of a reference. Until version 0.1 only pages had tools.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredToolRef {
    PageOnly(PageTool),
    Any(AnyTool),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum AnyTool {
    Page(PageTool),
    Skill { skill: String, name: String, tab: TabId },
    Browser { name: String, tab: Option<TabId> },
    Mcp { server: String, name: String },
}

impl From<StoredToolRef> for ToolRef {
    fn from(stored: StoredToolRef) -> Self {
        match stored {
            StoredToolRef::PageOnly(tool) | StoredToolRef::Any(AnyTool::Page(tool)) => Self::Page(tool),
            StoredToolRef::Any(AnyTool::Skill { skill, name, tab }) => Self::Skill { skill, name, tab },
            StoredToolRef::Any(AnyTool::Browser { name, tab }) => Self::Browser { name, tab },
            StoredToolRef::Any(AnyTool::Mcp { server, name }) => Self::Mcp { server, name },
        }
    }
}

/// Where a tool comes from, by precedence: of two tools with one name in one document, the one whose source
/// comes first is offered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Source {
    /// The page, through the browser's own WebMCP.
    Native,
    /// The page, through the bridge's `document.modelContext`.
    Polyfill,
    /// A SKILL.
    Skill {
        /// Its id.
        skill: String,
    },
    /// The extension's own actions.
    Browser,
    /// An MCP server.
    Mcp {
        /// Its name.
        server: String,
    },
}

/// What a call of a tool may do, from the page's hints and the tool's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Risk {
    /// It changes nothing.
    ReadOnly,
    /// It changes something.
    Acting,
    /// Its effect is serious or hard to undo: it pays, sends, publishes, deletes.
    Consequential,
}

/// Who makes a call. So far only the agent does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Caller {
    /// The model, in a thread.
    Agent,
    /// The user, by hand.
    User,
    /// A script of a page.
    Page {
        /// Origin of the page.
        origin: String,
    },
    /// A run of an eval.
    Eval,
    /// A client of the Model Context Protocol.
    Client {
        /// The name that the client gives itself.
        name: String,
    },
    /// A chat on a web page.
    WebChat {
        /// Origin of the page.
        origin: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_ref_is_read_in_the_format_without_sources() {
        let before = r#"{"tab":7,"frame":4,"document":"D1","name":"search"}"#;
        let now = r#"{"page":{"tab":7,"frame":4,"document":"D1","name":"search"}}"#;
        let read: ToolRef = serde_json::from_str(before).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), now);
        assert_eq!(serde_json::from_str::<ToolRef>(now).unwrap(), read);
    }

    #[test]
    fn tool_ref_of_every_kind_is_read_back_as_written() {
        for tool in [
            ToolRef::Skill { skill: "s".to_owned(), name: "n".to_owned(), tab: TabId(1) },
            ToolRef::Browser { name: "n".to_owned(), tab: None },
            ToolRef::Browser { name: "n".to_owned(), tab: Some(TabId(1)) },
            ToolRef::Mcp { server: "files".to_owned(), name: "n".to_owned() },
        ] {
            let text = serde_json::to_string(&tool).unwrap();
            assert_eq!(serde_json::from_str::<ToolRef>(&text).unwrap(), tool, "{text}");
        }
    }

    #[test]
    fn sources_are_ordered_by_precedence() {
        let skill = || Source::Skill { skill: "s".to_owned() };
        assert!(Source::Native < Source::Polyfill && Source::Polyfill < skill() && skill() < Source::Browser);
    }
}
