//! The page in front of the user, and the pinned tabs of a thread.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::attachment::{Attachment, Extract, NotRead};
use crate::ids::{CallId, TabId, ThreadId};
use crate::lint::{ContractView, LintNote};
use crate::page_view::{PageView, ToolDetails};
use crate::tool::ToolRef;

/// Commands for the page that the panel's window shows, and other tabs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageCommand {
    /// List the page's tools again, and look whether it is as SKILLs expect.
    Refresh,
    /// Bind a workbench to another tab. A panel stays with its window.
    Bind {
        /// The tab.
        tab_id: TabId,
    },
    /// Send a tool's full definition; answered by [`PageAnswer::Tool`].
    DescribeTool {
        /// As in [`crate::page_view::ToolSummary::tool`].
        tool: ToolRef,
    },
    /// Say what is wrong with a tool's schema; answered by [`PageAnswer::SchemaProblem`], later than its definition.
    CheckSchema {
        /// As in [`crate::page_view::ToolSummary::tool`].
        tool: ToolRef,
    },
    /// Send a tool as the chosen model is offered it; answered by [`PageAnswer::Offered`].
    OfferedTool {
        /// As in [`crate::page_view::ToolSummary::tool`].
        tool: ToolRef,
    },
    /// Say how a tool came to be; answered by [`PageAnswer::ToolFacts`].
    ToolFacts {
        /// As in [`crate::page_view::ToolSummary::tool`].
        tool: ToolRef,
    },
    /// Search the page's tools; answered by [`PageAnswer::FoundTools`].
    FindTools {
        /// Looked for in name, title and description, in any case.
        text: String,
    },
    /// Say what is wrong with the page's tools, for their developer; answered by [`PageAnswer::Linted`].
    Lint,
    /// Switch a rule of lint off for the page's origin, or on again.
    SwitchRule {
        /// The origin, as the user sees it: nothing is switched if the page is of another one by now.
        origin: String,
        /// Its id ([`LintNote::rule`]).
        rule: String,
        /// Whether it is off.
        off: bool,
    },
    /// Take a snapshot of the page's tools, and compare it with an earlier one; answered by [`PageAnswer::Contract`].
    Contract {
        /// The time (RFC 3339).
        taken: String,
        /// Text of the earlier one, at most [`ContractView::MOST_BYTES`].
        before: Option<String>,
    },
    /// Read text of the page; answered by [`PageAnswer::Text`].
    Read {
        /// Which part to read.
        what: Extract,
    },
    /// Send the open tabs that a message may name; answered by [`PageAnswer::Tabs`].
    ListTabs,
    /// Pin a tab to the thread, or unpin it.
    PinTab {
        /// The tab.
        tab_id: TabId,
        /// Whether to pin it.
        pinned: bool,
    },
    /// Bring a tab to the front.
    ShowTab {
        /// The tab.
        tab_id: TabId,
    },
    /// Bring the page of a call to the front.
    ShowCall {
        /// The thread of the call.
        thread_id: ThreadId,
        /// The call.
        call_id: CallId,
    },
}

/// Answers a [`PageCommand`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageAnswer {
    /// A tool's definition.
    Tool {
        /// Absent if the tool is gone.
        details: Option<ToolDetails>,
    },
    /// What is wrong with a tool's schema.
    SchemaProblem {
        /// In English, for its developer; empty if nothing is, absent if the tool is gone.
        problem: Option<String>,
    },
    /// A tool as the chosen model is offered it.
    Offered {
        /// The model's name.
        model: String,
        /// JSON text of its name, description and parameters; absent if the model is not offered the tool.
        definition: Option<String>,
        /// What of its schema the model's service does not accept: it stands in descriptions, each with its place.
        lost: Vec<String>,
    },
    /// How a tool came to be.
    ToolFacts {
        /// JSON text of a [`DocumentFacts`](crate::registration::DocumentFacts) about this tool, which nobody has read yet;
        /// absent if its document does not tell.
        facts: Option<String>,
    },
    /// The tools that match a search.
    FoundTools {
        /// Their digests ([`crate::page_view::ToolSummary::digest`]).
        digests: Vec<String>,
    },
    /// What is wrong with the page's tools.
    Linted {
        /// The worst first; `None` if nobody could look.
        notes: Option<Vec<LintNote>>,
        /// The rules that the user switched off for the page's origin.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        off: Vec<String>,
        /// The rules of [`LintNote::OFF_AT_FIRST`] that the user switched on for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        on: Vec<String>,
    },
    /// The contract of the page's tools.
    Contract {
        /// Their snapshot and its changes; `None` if nobody could look.
        view: Option<ContractView>,
    },
    /// The text that goes with the next message, or why there is none.
    Text {
        /// The text.
        outcome: Result<Attachment, NotRead>,
    },
    /// The open tabs, without those of hidden sites and of the browser's own pages.
    Tabs {
        /// Title and address of each; at most [`MOST_TABS`].
        tabs: Vec<OpenTab>,
    },
}

/// Maximum number of tabs in [`PageAnswer::Tabs`].
pub const MOST_TABS: usize = 200;

/// An open tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTab {
    /// The tab.
    pub tab_id: TabId,
    /// Its title and address, as they go with a message.
    pub address: Attachment,
}

/// The page changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageEvent {
    /// The active tab, its page or tools, or the pinned tabs changed.
    Changed {
        /// The page now.
        page: PageView,
    },
}

impl Domain for PageCommand {
    type Answer = PageAnswer;

    fn command(self) -> Command {
        Command::Page(self)
    }

    fn answer(answer: Answer) -> Option<PageAnswer> {
        if let Answer::Page(answer) = answer { Some(answer) } else { None }
    }
}
