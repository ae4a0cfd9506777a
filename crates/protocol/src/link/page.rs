//! The page in front of the user, and the tabs that stay with a thread.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::attachment::{Attachment, Extract, NotRead};
use crate::ids::{CallId, TabId, ThreadId};
use crate::page_view::{PageView, ToolDetails};
use crate::tool::ToolRef;

/// About the page that the panel's window shows, and other tabs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageCommand {
    /// Ask the page for its tools again.
    Refresh,
    /// Send all that the page says of a tool; answered by [`PageAnswer::Tool`].
    DescribeTool {
        /// As [`crate::page_view::ToolSummary`] refers to it.
        tool: ToolRef,
    },
    /// Look for tools of the page by a text; answered by [`PageAnswer::FoundTools`].
    FindTools {
        /// It stands in name, title or description, in whatever case.
        text: String,
    },
    /// Read text of the page; answered by [`PageAnswer::Text`].
    Read {
        /// Which part.
        what: Extract,
    },
    /// Have a tab stay with the thread whichever tab is in front, or not any more.
    PinTab {
        /// The tab.
        tab_id: TabId,
        /// Whether it stays.
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
    /// What the page says of a tool.
    Tool {
        /// Absent when it is gone.
        details: Option<ToolDetails>,
    },
    /// The tools in which a text stands.
    FoundTools {
        /// Their digests ([`crate::page_view::ToolSummary::digest`]).
        digests: Vec<String>,
    },
    /// The text, to go with the next message; or why there is none.
    Text {
        /// What was read.
        outcome: Result<Attachment, NotRead>,
    },
}

/// The page changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageEvent {
    /// The active tab, its page or its tools are others now, or the tabs that stay with the thread.
    Changed {
        /// As it is now.
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
