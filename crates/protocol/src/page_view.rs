//! The page in front of the user, as panels show it: its tab, its status, its tools.

use serde::{Deserialize, Serialize};

use crate::action::PageAccess;
use crate::attachment::Attachment;
use crate::ids::TabId;
use crate::page::ToolAnnotations;
use crate::policy::PolicyKey;
use crate::tool::{Risk, Source, ToolRef};

/// The active tab as the panel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    /// Absent if the window has no tab that the extension may see.
    pub tab_id: Option<TabId>,
    /// Host and port (`flights.example`), or the scheme for pages without one (`chrome`).
    pub site: String,
    /// Its origin; empty if that is opaque.
    #[serde(default)]
    pub origin: String,
    /// Origin or whole address, for a tooltip.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// Its title, origin and path as they go with a message; absent where the agent may not know the page, or if they
    /// seem to instruct the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Box<Attachment>>,
    /// What is possible on this page.
    pub status: PageStatus,
    /// How far the agent may use the site's pages in every chat; absent if it may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<PageAccess>,
    /// Whether the agent can be let use this page: not the browser's own pages, files and hidden sites.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_usable: bool,
    /// Its tools, by frame and name.
    pub tools: Vec<ToolSummary>,
    /// Number of tools, if the page has more than are listed.
    pub total_tools: usize,
    /// The pinned tabs, in the order in which they were pinned. The active tab may be among them.
    pub pinned: Vec<PinnedTab>,
}

/// A tab that is pinned to a thread: its tools are offered whichever tab is in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedTab {
    /// The tab.
    pub tab_id: TabId,
    /// Host and port, as in [`PageView`].
    pub site: String,
    /// The page's title.
    pub title: String,
    /// How many tools its page has.
    pub tools: usize,
}

impl Default for PageView {
    fn default() -> Self {
        Self {
            tab_id: None,
            site: String::new(),
            origin: String::new(),
            url: String::new(),
            title: String::new(),
            address: None,
            status: PageStatus::Loading,
            access: None,
            is_usable: false,
            tools: Vec::new(),
            total_tools: 0,
            pinned: Vec::new(),
        }
    }
}

/// What is possible on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageStatus {
    /// Tools can be used here (there may be none).
    Ready,
    /// The tab is loading, or has not answered yet.
    Loading,
    /// Extensions may not run here: the browser's own pages, the web store.
    Restricted,
    /// An insecure address: WebMCP is for secure contexts only.
    Insecure,
    /// The page itself forbids tools (permissions policy).
    Blocked,
}

/// A tool in the panel's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSummary {
    /// The tool.
    pub tool: ToolRef,
    /// Changes when anything changes that the page says of the tool.
    pub digest: String,
    /// For people; may be empty.
    pub title: String,
    /// The first line of its description, at most [`ToolSummary::MOST_CHARACTERS`] characters.
    pub beginning: String,
    /// What a call may do.
    pub risk: Risk,
    /// Where it comes from.
    pub source: Source,
    /// Whether a form of the page is the tool.
    pub form: bool,
    /// Host of its frame; empty in the top frame.
    pub frame: String,
    /// Origin of its document.
    pub origin: String,
    /// The key under which a policy for it is kept; absent if none can be kept.
    pub key: Option<PolicyKey>,
}

impl ToolSummary {
    /// Maximum characters of title and beginning, before the mark that something was cut.
    pub const MOST_CHARACTERS: usize = 200;
}

/// A tool's full definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetails {
    /// As the page gave it, whole; empty if it gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// With invisible characters written out, to be shown.
    pub description: String,
    /// The description exactly as the page gave it, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_description: Option<String>,
    /// JSON text with invisible characters written out, to be shown; empty if there is none.
    pub input_schema: String,
    /// The schema exactly as the page gave it, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_schema: Option<String>,
    /// Its hints; absent when the page gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
}

impl ToolDetails {
    /// The description exactly as the page gave it.
    #[must_use]
    pub fn description(&self) -> &str {
        self.own_description.as_deref().unwrap_or(&self.description)
    }

    /// The schema exactly as the page gave it: JSON text; empty if there is none.
    #[must_use]
    pub fn schema(&self) -> &str {
        self.own_schema.as_deref().unwrap_or(&self.input_schema)
    }
}
