//! The page in front of the user, as panels show it: its tab, what can be done there, its tools.

use serde::{Deserialize, Serialize};

use crate::ids::TabId;
use crate::policy::PolicyKey;
use crate::tool::{Risk, Source, ToolRef};

/// The active tab as the panel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    /// Absent when the window has no tab we may look at.
    pub tab_id: Option<TabId>,
    /// Host and port (`flights.example`), or the scheme for pages without one (`chrome`).
    pub site: String,
    /// Its origin; empty where it has none that something could be kept for.
    #[serde(default)]
    pub origin: String,
    /// Origin or whole address, for a tooltip.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// What can be done here.
    pub status: PageStatus,
    /// Its tools, by frame and name.
    pub tools: Vec<ToolSummary>,
    /// How many the page has, when more than are listed.
    pub total_tools: usize,
    /// The tabs that stay with the thread, in the order in which they were pinned. The active one may be among them.
    pub pinned: Vec<PinnedTab>,
}

/// A tab that stays with a thread: its tools are offered whichever tab is in front.
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
            status: PageStatus::Loading,
            tools: Vec::new(),
            total_tools: 0,
            pinned: Vec::new(),
        }
    }
}

/// What can be done on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageStatus {
    /// Tools work here (there may be none).
    Ready,
    /// The tab is loading, or has not answered yet.
    Loading,
    /// Extensions may not run here: the browser's own pages, the web store.
    Restricted,
    /// An insecure address: WebMCP is for secure contexts only.
    Insecure,
    /// The page itself forbids tools.
    Blocked,
}

/// A tool as it stands in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSummary {
    /// Refers to it, and says its name.
    pub tool: ToolRef,
    /// Another one when anything is that its page says of it.
    pub digest: String,
    /// For people; may be empty.
    pub title: String,
    /// How its description begins: a line of at most [`ToolSummary::MOST_CHARACTERS`].
    pub beginning: String,
    /// What a call may do.
    pub risk: Risk,
    /// Where it comes from.
    pub source: Source,
    /// Whether a form of the page is the tool.
    pub form: bool,
    /// Host of its frame, when it is not in the top frame; else empty.
    pub frame: String,
    /// Origin of its document.
    pub origin: String,
    /// What the user's word for it is kept under; absent where nothing can be kept.
    pub key: Option<PolicyKey>,
}

impl ToolSummary {
    /// Most characters of title and beginning, before a sign that something was cut.
    pub const MOST_CHARACTERS: usize = 200;
}

/// What its page says of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetails {
    /// As the page gave it.
    pub description: String,
    /// JSON text; empty when there is none.
    pub input_schema: String,
    /// What is wrong with it, in English for its developer; empty when nothing is.
    pub schema_problem: String,
}
