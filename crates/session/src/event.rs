//! Events for the actor.

use futures::channel::oneshot;
use serde_json::Value;
use sidecar_agent::settled::Seen;
use sidecar_agent::{Connection, CurrentTool, HiddenSites, Interaction, StoreError};
use sidecar_llm::{Endpoint, ModelAbilities};
use sidecar_protocol::ToolRef;
use sidecar_protocol::eval::{EvalEntry, EvalId};
use sidecar_protocol::link::{Refusal, Reply, Request, RequestId};
use sidecar_protocol::page::Backend;
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{ThreadSummary, ToolStep};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{CallId, DocumentId, PageAccess, TabId, ThreadId, Timestamp, WindowId};
use sidecar_skills::exchange::UploadedFile;
use sidecar_skills::offer::PlacedTool;
use sidecar_skills::run::health::PageHealth;
use sidecar_webmcp::{Offer, Place};

use crate::attention::Asking;
use crate::panels::{LinkId, PanelPort};
use crate::settings::Access;
use crate::skills::code::CodeAccess;
use crate::skills::on_page::SkillLook;
use crate::skills::packages::OpenedPackage;
use crate::skills::texts::SkillTexts;
use crate::skills::{SkillPlace, SkillRun};
use crate::tabs::{PageCall, TabInfo};

/// The sender of a request, for the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    /// The panel's link.
    pub link: LinkId,
    /// The request's id.
    pub request: RequestId,
}

/// What a turn knows of the tabs that it may use, apart from those that are pinned to its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnTabs {
    /// Its thread.
    pub thread: ThreadId,
    /// The tab to which it is bound, if any.
    pub own: Option<TabId>,
    /// Tabs that it opened.
    pub opened: Vec<TabId>,
}

/// An event for the actor.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum SessionEvent {
    /// A panel opened its port.
    PanelConnected { link: LinkId, port: Box<dyn PanelPort> },
    /// A request of a panel.
    PanelAsked {
        link: LinkId,
        request: Request,
        /// Whether the running turn has already received it.
        is_told: bool,
    },
    /// A panel sent a message that this version cannot read.
    PanelMisread { link: LinkId },
    /// A panel closed.
    PanelGone { link: LinkId },
    /// An event of the browser.
    Browser(BrowserEvent),
    /// An event of a task that works for the actor.
    Work(WorkEvent),
    /// An event of a task that a panel's request started.
    Requested(RequestEvent),
    /// An event of a turn.
    Turn(TurnEvent),
}

/// What the browser says, and what is found out about its tabs.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum BrowserEvent {
    /// The extension was installed or updated, or the browser started.
    Installed,
    /// The alarm for unfinished turns went off.
    Woken,
    /// A message from a relay. `done` is sent when it has been handled.
    RelaySaid {
        text: String,
        /// The relay's document.
        place: Place,
        /// Whether the document is active: not prerendered, and not in the back/forward cache.
        is_active: bool,
        done: oneshot::Sender<()>,
    },
    /// The user clicked a notification; `tab` is the call's.
    NotificationClicked { tab: TabId },
    /// Another tab is shown in a window.
    TabActivated { tab: TabId, window: WindowId },
    /// A tab's address, title or state changed.
    TabUpdated { tab: TabInfo },
    /// A tab was closed.
    TabRemoved { tab: TabId },
    /// A tab is gone, or its page cannot have tools or lets no extension in.
    TabUnreachable { tab: TabId },
    /// A document no longer answers, so its tools are gone.
    DocumentLost { tab: TabId, document: DocumentId },
}

/// What the tasks that work for the actor come to.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum WorkEvent {
    /// The log of calls changed.
    CallsChanged,
    /// Work that no panel requested failed. Only one panel is told, or all.
    Trouble { link: Option<LinkId>, why: Refusal },
    /// What is known of all SKILLs was read, or cannot be.
    SkillsKnown { texts: SkillTexts },
    /// The tools of a SKILL were read; none if they cannot be.
    SkillRead { place: SkillPlace, tools: Vec<PlacedTool> },
    /// A page was looked at for the SKILLs that fit it, and is no longer if this is over.
    SkillsLooked { look: SkillLook, found: Vec<(String, PageHealth)>, is_over: bool },
    /// Whether the user allows code of SKILLs was found out.
    CodeAccessKnown { access: CodeAccess },
}

/// What becomes of panels' requests, and of threads on disk. Most workers deal with none of it, so its code is a part that is
/// loaded when it is needed.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum RequestEvent {
    /// A task replies to a panel's request.
    Answered { link: LinkId, reply: Box<Reply> },
    /// Threads on disk changed.
    ThreadsChanged { change: ThreadsChange },
    /// The list of threads was read for all panels. The list with the highest number is the newest.
    ThreadsListed { number: u32, threads: Vec<ThreadSummary> },
    /// Work for a panel with packages of SKILLs came to something.
    Package(PackageEvent),
    /// It is time to purge deleted threads.
    PurgeDue,
    /// These threads are gone for good.
    Purged { gone: Vec<ThreadId> },
}

/// What work with packages of SKILLs comes to.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum PackageEvent {
    /// Files of a panel were read that may be a SKILL.
    Opened { link: LinkId, opened: Box<OpenedPackage> },
    /// A file was fetched from an address that a panel named.
    Fetched { asker: Asker, file: UploadedFile, address: String },
    /// A removed SKILL can no longer be restored.
    Gone { id: String, removed: Timestamp },
}

/// What turns ask of the actor and tell it, and what services report of models.
#[allow(missing_docs, reason = "what a variant holds is what its sentence speaks of")]
#[derive(Debug)]
pub enum TurnEvent {
    /// A turn waits until the tools of its tabs are known. `tab` is the tab to which the turn is bound.
    TabsAwaited { thread: ThreadId, tab: Option<TabId>, reply: oneshot::Sender<()> },
    /// A turn requests the tools that its tabs offer now.
    ToolsWanted { tabs: TurnTabs, reply: oneshot::Sender<Vec<Offer>> },
    /// A call names another tab for one of the browser's own tools. The reply is the tool as it is there, or why it
    /// cannot be used there, in words for the model.
    InTabWanted { tabs: TurnTabs, tab: TabId, name: String, reply: oneshot::Sender<Result<Offer, String>> },
    /// A turn asks which tabs it may use.
    TurnTabsWanted { tabs: TurnTabs, reply: oneshot::Sender<Vec<TabId>> },
    /// A turn requests the current state of a tab's page.
    SeenWanted { tab: TabId, reply: oneshot::Sender<Seen> },
    /// A call requests the current state of its tool.
    CurrentToolWanted { thread: ThreadId, tool: ToolRef, reply: oneshot::Sender<Option<CurrentTool>> },
    /// A running call asks whether the user has switched its tool off.
    IsOffWanted { tool: ToolRef, origin: String, reply: oneshot::Sender<bool> },
    /// A turn asks how far it may use the pages of these origins; nothing for hidden ones.
    AccessWanted { thread: ThreadId, origins: Vec<String>, reply: oneshot::Sender<Vec<Option<PageAccess>>> },
    /// A tool of a SKILL begins or ends to wait for the user.
    SkillWaits { interaction: Interaction },
    /// A tool of a SKILL begins a step.
    SkillSteps { call: CallId, step: ToolStep },
    /// A turn requests where the files of a SKILL are; nothing if it is not there.
    SkillPlaceWanted { id: String, reply: oneshot::Sender<Option<SkillPlace>> },
    /// A turn requests the digest of a SKILL, as the model names it, to read its instructions; nothing if it is not there
    /// or may not be used.
    InstructionsWanted { skill: String, reply: oneshot::Sender<Option<String>> },
    /// A tool of a SKILL ended.
    SkillRan { run: Box<SkillRun> },
    /// A turn requests the hidden sites.
    HiddenSitesWanted { reply: oneshot::Sender<HiddenSites> },
    /// A turn wrote entries, or its live state changed.
    ThreadGrew { thread: ThreadId },
    /// A server, a test of the connection or a turn found out whether a model takes tools.
    ToolsKnown { endpoint: Endpoint, model: String, takes_tools: bool },
    /// A service reported the size of a model's context window, in tokens.
    WindowKnown { endpoint: Endpoint, model: String, window: u32 },
    /// A service reported whether a model sees pictures.
    SightKnown { endpoint: Endpoint, model: String, sees: bool },
    /// A call of no turn asks the user, perhaps for another reason than before.
    CallAsks { asking: Box<Asking> },
    /// A call of no turn asks no more.
    CallAsksNoMore { call: CallId },
    /// The user stopped a call of no turn in its page.
    CallStopped { call: CallId },
    /// A call of no turn has asked for as long as it may.
    CallUnanswered { call: CallId },
    /// A call of a page is over; `declined` by the user, or not.
    PageCallOver { call: Box<PageCall>, declined: bool },
    /// A run by hand is over.
    HandRunOver { run: Box<ToolRun> },
    /// A run of an eval requests the tools that the document in a tab registered, and how they are reached.
    PageToolsWanted { tab: TabId, reply: oneshot::Sender<(Vec<Offer>, Option<Backend>)> },
    /// An eval requests the user's settings for a model.
    ConnectionWanted { choice: ModelChoice, reply: oneshot::Sender<Box<(Connection, Access)>> },
    /// An eval began, or made a run.
    EvalGrew { entry: Box<EvalEntry>, record: Option<Value> },
    /// An eval was forgotten, because there are newer ones of its suite.
    EvalForgotten { id: EvalId },
    /// An eval is over, or could not be run.
    EvalOver { id: EvalId, entry: Option<Box<EvalEntry>> },
    /// The user stopped a turn in its page.
    TurnStopped { thread: ThreadId },
    /// A turn's task ended.
    TurnEnded { thread: ThreadId, result: Result<(), StoreError> },
}

impl TurnEvent {
    /// What was learnt of a model, an event for each ability.
    pub fn learnt(
        endpoint: &Endpoint,
        model: &str,
        ModelAbilities { takes_tools, sees }: ModelAbilities,
    ) -> impl Iterator<Item = Self> {
        let of = || (endpoint.clone(), model.to_owned());
        let tools = takes_tools.map(|takes_tools| {
            let (endpoint, model) = of();
            Self::ToolsKnown { endpoint, model, takes_tools }
        });
        let sight = sees.map(|sees| {
            let (endpoint, model) = of();
            Self::SightKnown { endpoint, model, sees }
        });
        tools.into_iter().chain(sight)
    }
}

impl From<BrowserEvent> for SessionEvent {
    fn from(event: BrowserEvent) -> Self {
        Self::Browser(event)
    }
}

impl From<WorkEvent> for SessionEvent {
    fn from(event: WorkEvent) -> Self {
        Self::Work(event)
    }
}

impl From<RequestEvent> for SessionEvent {
    fn from(event: RequestEvent) -> Self {
        Self::Requested(event)
    }
}

impl From<TurnEvent> for SessionEvent {
    fn from(event: TurnEvent) -> Self {
        Self::Turn(event)
    }
}

/// A change of threads on disk.
#[derive(Debug)]
pub enum ThreadsChange {
    /// Threads were added.
    Added,
    /// A thread's line in the list changed.
    Summary(ThreadSummary),
    /// A thread was deleted.
    Deleted(ThreadId),
}
