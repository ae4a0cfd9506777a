//! What the workbench knows, fed by the worker's events.

use leptos::prelude::*;
use sidecar_link::{Incoming, LinkConnection, PageSight};
use sidecar_protocol::eval::EvalId;
use sidecar_protocol::link::{PageEvent, PanelEvent, PendingApproval, Refusal, SettingsEvent};
use sidecar_protocol::page_view::{PageView, ToolSummary};
use sidecar_protocol::settings::SettingsView;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{PROTOCOL_VERSION, TabId};
use sidecar_ui::dom::theme::set_on_root;

use crate::evals::EvalsStore;
use crate::place::{BenchPlace, BenchView, ToolName, ToolPart};

/// The state. A handle: copies share it.
#[derive(Clone, Copy)]
pub struct Workbench {
    /// The connection to the worker.
    pub connection: LinkConnection,
    /// The tab to which the workbench is bound; [`NO_TAB`] if to none.
    pub tab: RwSignal<TabId>,
    /// Its page.
    pub page: RwSignal<PageView>,
    /// Settings.
    pub settings: RwSignal<SettingsView>,
    /// The calls that wait for a decision.
    pub approvals: RwSignal<Vec<PendingApproval>>,
    /// What is shown.
    pub place: RwSignal<BenchPlace>,
    /// What the worker refused last.
    pub refusal: RwSignal<Option<Refusal>>,
    /// Evals.
    pub evals: EvalsStore,
    /// The eval that was open when the questions were gone to, and the question when they were left.
    left_open: StoredValue<[Option<EvalId>; 2]>,
    /// Whether the developer tools of the browser show the workbench, and so choose the tab.
    pub is_inspecting: bool,
}

/// Why a run has no tool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMissing {
    /// The page does not offer it.
    Gone,
    /// Several frames do.
    Several,
}

/// `chrome.tabs.TAB_ID_NONE`.
pub const NO_TAB: TabId = TabId(-1);

impl Workbench {
    /// Without a page. `inspected` is the tab that the developer tools inspect, if they show the workbench.
    pub fn new(inspected: Option<TabId>, place: BenchPlace) -> Self {
        let tab = RwSignal::new(inspected.or(place.tab).unwrap_or(NO_TAB));
        let (connection, place) = (LinkConnection::new(), RwSignal::new(place));
        let refusal = RwSignal::new(None);
        Self {
            connection,
            tab,
            page: RwSignal::new(PageView::default()),
            settings: RwSignal::new(SettingsView::default()),
            approvals: RwSignal::new(Vec::new()),
            place,
            refusal,
            evals: EvalsStore::new(connection, place, refusal),
            left_open: StoredValue::default(),
            is_inspecting: inspected.is_some(),
        }
    }

    /// Connects to the worker.
    pub fn connect(self) {
        self.connection.open(PageSight::Bound(self.tab), move |incoming| untrack(|| self.hear(incoming)));
    }

    fn hear(self, incoming: Incoming) {
        match incoming {
            Incoming::Lost => self.connection.lose(),
            Incoming::Welcome(welcome) if welcome.version != PROTOCOL_VERSION => self.outdated(),
            Incoming::Welcome(welcome) => {
                self.connection.end_loss();
                self.connection.disconnected.set(false);
                self.connection.count.update(|count| *count += 1);
                self.settings.set(welcome.settings);
                self.show(welcome.page);
                self.connection.welcomed.set(true);
                set_on_root("data-ready", "true");
            }
            Incoming::Refused(Refusal::Version) => self.outdated(),
            Incoming::Refused(why) => self.refusal.set(Some(why)),
            Incoming::Event(event) => self.apply(*event),
        }
    }

    fn outdated(self) {
        self.connection.end_loss();
        self.refusal.set(Some(Refusal::Version));
    }

    fn apply(self, event: PanelEvent) {
        match event {
            PanelEvent::Page(PageEvent::Changed { page }) => self.show(page),
            PanelEvent::Settings(SettingsEvent::Changed { settings }) => self.settings.set(*settings),
            PanelEvent::Approvals(approvals) => self.approvals.set(approvals),
            PanelEvent::Evals(event) => {
                if let Ok(event) = serde_json::from_value(event) {
                    self.evals.hear(event);
                }
            }
            PanelEvent::Trouble(why) => self.refusal.set(Some(why)),
            PanelEvent::Settings(SettingsEvent::Unread { .. })
            | PanelEvent::Chat(_)
            | PanelEvent::Threads(_)
            | PanelEvent::Policies(_)
            | PanelEvent::Calls(_)
            | PanelEvent::Skills(_) => {}
        }
    }

    fn show(self, page: PageView) {
        if self.page.with_untracked(|known| *known != page) {
            self.page.set(page);
        }
    }

    /// Opens a view.
    pub fn open(self, view: BenchView) {
        self.place.update(|place| {
            // An eval is no question: who comes back finds what was open there.
            let (from, to) = (place.view == BenchView::Ask, view == BenchView::Ask);
            if from != to {
                self.left_open.update_value(|left| {
                    left[usize::from(from)] = place.eval.take();
                    place.eval.clone_from(&left[usize::from(to)]);
                });
            }
            place.view = view;
        });
    }

    /// Opens a tool, or closes the one that is open.
    pub fn open_tool(self, tool: Option<ToolName>) {
        self.place.update(|place| {
            place.view = BenchView::Tools;
            place.tool = tool;
        });
    }

    /// Shows a part of the open tool.
    pub fn open_part(self, part: ToolPart) {
        self.place.update(|place| place.part = part);
    }

    /// The tool of a run as the page has it now: the one in the run's own frame. If that frame has none, several others that
    /// fit are none.
    pub fn tool_of(self, run: &ToolRun) -> Result<ToolSummary, ToolMissing> {
        self.page.with(|page| {
            let fits = |tool: &&ToolSummary| tool.tool.name() == run.tool && tool.origin == run.origin;
            let found: Vec<_> = page.tools.iter().filter(fits).collect();
            let is_own = |tool: &&&ToolSummary| tool.tool.page().map(|page| page.frame) == run.frame;
            let own = run.frame.and_then(|_| found.iter().find(is_own));
            match (own, found.as_slice()) {
                (Some(tool), _) | (None, [tool]) => Ok((*tool).clone()),
                (None, []) => Err(ToolMissing::Gone),
                (None, [_, _, ..]) => Err(ToolMissing::Several),
            }
        })
    }

    /// A tool of the page.
    pub fn tool(self, name: &ToolName) -> Option<ToolSummary> {
        self.page.with(|page| page.tools.iter().find(|tool| ToolName::from(*tool) == *name).cloned())
    }
}

/// Whether the page is known to have tools.
pub fn has_tools(bench: Workbench) -> Memo<bool> {
    Memo::new(move |_| bench.page.with(|page| !page.tools.is_empty()))
}

/// What changes when the tools of the page change, or when it is another page.
pub fn tools_as_they_are(bench: Workbench) -> Memo<Vec<String>> {
    Memo::new(move |_| {
        bench.page.with(|page| {
            let tools = page.tools.iter().map(|tool| format!("{} {}", tool.origin, tool.digest));
            tools.chain(page.tab_id.map(|tab| tab.0.to_string())).collect()
        })
    })
}

/// The state, from the context.
pub fn use_workbench() -> Workbench {
    expect_context()
}
