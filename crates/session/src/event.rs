//! What reaches the actor.

use futures::channel::oneshot;
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, HiddenSites, StoreError};
use sidecar_llm::Endpoint;
use sidecar_protocol::ToolRef;
use sidecar_protocol::link::{Refusal, Reply, Request, RequestId};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{DocumentId, TabId, ThreadId, WindowId};
use sidecar_webmcp::{Offer, Place};

use crate::panels::{LinkId, PanelPort};
use crate::tabs::TabInfo;

/// Who asked, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// The panel's port.
    pub link: LinkId,
    /// Its request.
    pub request: RequestId,
}

/// One thing that happened.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum SessionEvent {
    /// The extension was installed or updated, or the browser started.
    Installed,
    /// The alarm went off that is set while turns are unfinished.
    Woken,
    /// A relay says something. It is answered once that is dealt with.
    RelaySaid {
        text: String,
        /// The document it is in.
        place: Place,
        /// Whether that is the one that the user sees, not one that is prepared in the background or kept for the way back.
        is_active: bool,
        done: oneshot::Sender<()>,
    },
    /// A panel opened.
    PanelConnected { link: LinkId, port: Box<dyn PanelPort> },
    /// A panel asks for something.
    PanelAsked {
        link: LinkId,
        request: Request,
        /// Whether the turn that it is meant for has it already.
        is_told: bool,
    },
    /// A panel says what this version does not know.
    PanelMisread { link: LinkId },
    /// The list of threads is read for a panel that opens.
    Greeting { asker: Asker, recent: Result<Vec<ThreadSummary>, StoreError> },
    /// A panel closed.
    PanelGone { link: LinkId },
    /// The user clicked the notification of a call that asks; this is its tab.
    NotificationClicked { tab: TabId },
    /// Another tab is shown in a window.
    TabActivated { tab: TabId, window: WindowId },
    /// A tab's address, title or state changed.
    TabUpdated { tab: TabInfo },
    /// A tab was closed.
    TabRemoved { tab: TabId },
    /// A tab has no page that could have tools, or lets no extension in, or is gone.
    TabUnreachable { tab: TabId },
    /// A turn waits until the tools of its tabs are known.
    TabsAwaited { thread: ThreadId, tab: Option<TabId>, reply: oneshot::Sender<()> },
    /// A turn wants to know what tools its tabs have now.
    ToolsWanted { thread: ThreadId, tab: Option<TabId>, reply: oneshot::Sender<Vec<Offer>> },
    /// A turn wants to know what is seen of a tab now.
    SeenWanted { tab: TabId, reply: oneshot::Sender<Seen> },
    /// A call wants a tool as it is now.
    CurrentToolWanted { tool: ToolRef, reply: oneshot::Sender<Option<CurrentTool>> },
    /// A turn wants to know which sites the agent does not see.
    HiddenSitesWanted { reply: oneshot::Sender<HiddenSites> },
    /// A document did not answer any more: its tools are gone.
    DocumentLost { tab: TabId, document: DocumentId },
    /// A turn wrote entries, or what it waits for grew.
    ThreadGrew { thread: ThreadId },
    /// What a panel asked for is there.
    Answered { link: LinkId, reply: Box<Reply> },
    /// Somebody who knows said whether a model takes tools.
    ToolsKnown { endpoint: Endpoint, model: String, takes_tools: bool },
    /// The log of calls is another now.
    CallsChanged,
    /// Threads on disk are others now.
    ThreadsChanged { change: ThreadsChange },
    /// The list of threads was read for all panels; the highest number is the newest list.
    ThreadsListed { number: u32, threads: Vec<ThreadSummary> },
    /// Something on disk that no panel asked for could not be done.
    Trouble { why: Refusal },
    /// Threads that were deleted a while ago are to go for good.
    PurgeDue,
    /// They did.
    Purged { gone: Vec<ThreadId> },
    /// A service said how many tokens a model's window has.
    WindowKnown { endpoint: Endpoint, model: String, window: u32 },
    /// A turn's task ended.
    TurnEnded { thread: ThreadId, result: Result<(), StoreError> },
}

/// How threads on disk changed.
#[derive(Debug)]
pub enum ThreadsChange {
    /// There are more.
    Added,
    /// One has another line in the list.
    Summary(ThreadSummary),
    /// One was deleted.
    Deleted(ThreadId),
}
