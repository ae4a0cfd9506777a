//! Runs a tool of a SKILL that the page itself calls: it reads in the page's document and from its origin, and does nothing
//! else. What a turn does in the page meanwhile goes on.

use std::cell::Cell;
use std::pin::pin;

use futures::future::{Either, select};
use serde_json::Value;
use sidecar_agent::call::no_provider;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, DocumentId, TabId};
use sidecar_skills::SkillDefinition;
use sidecar_skills::definition::wording::ByLanguage;
use sidecar_skills::run::{
    AskPort, CrossAnswer, CrossRequest, NoAnswer, RequestFault, StepAction, StepPort, UserStep, run,
};

use super::health::LookedAt;
use super::skill::told;
use crate::browser::BrowserPort;
use crate::skills::{SkillPlace, reading};

/// How long a call may take, in milliseconds.
const LIMIT_MS: u64 = 60_000;

/// What is said of a tool that would leave the page.
const LEAVES: &str = "This tool would open another page in the tab. Called from within a page, a tool only reads the page that \
                      calls it: open that page first and call the tool there, or have the user's own agent in the side \
                      panel call it.";

/// What is said of a tool that would do more than read.
pub const ACTS: &str = "This tool does more than read this page. Only the user's own agent in the side panel may call it: \
                        ask the user to have it done there.";

/// A call of a SKILL's tool by a page.
#[derive(Debug)]
pub struct PageCallRun<B> {
    /// The browser.
    pub browser: B,
    /// The page's tab.
    pub tab: TabId,
    /// The document that calls, the tab's top one.
    pub document: DocumentId,
    /// Where the files of the SKILL are.
    pub place: SkillPlace,
    /// The tool's name.
    pub name: String,
    /// JSON text.
    pub arguments: String,
}

impl<B: BrowserPort> PageCallRun<B> {
    /// Runs the tool.
    pub async fn run(self) -> ToolOutcome {
        let Self { browser, tab, document, place, name, arguments } = self;
        let Some(definition) = reading::definition(&browser, &place).await else { return no_provider() };
        let Some(tool) = definition.tools.iter().find(|tool| tool.name == name) else { return no_provider() };
        let input = match serde_json::from_str(&arguments) {
            Ok(input) => input,
            Err(error) => {
                return ToolOutcome::Failed { code: ToolFailure::BadArguments, message: error.to_string() };
            }
        };
        let Some(looked_at) = LookedAt::open(browser.clone(), tab, &document).await else {
            return failed(ActionOutcome::Navigated, "The page is gone, or lets no extension in.");
        };
        let page = CallingPage {
            browser: &browser,
            looked_at,
            tab,
            document,
            definition: &definition,
            refused: Cell::default(),
        };
        let (running, timer) = (pin!(run(&page, &definition, tool, input)), pin!(browser.sleep(LIMIT_MS)));
        let ended = match select(running, timer).await {
            Either::Left((ended, _)) => Some(ended),
            Either::Right(_) => None,
        };
        match (page.refused.get(), ended) {
            (Some(why), _) => failed(ActionOutcome::Refused, why),
            (None, Some(ended)) => told(&definition, tool, ended),
            (None, None) => failed(ActionOutcome::Timeout, "The tool took too long."),
        }
    }
}

fn failed(outcome: ActionOutcome, why: &str) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Action(outcome), message: why.to_owned() }
}

/// The page that calls.
struct CallingPage<'c, B: BrowserPort> {
    browser: &'c B,
    looked_at: LookedAt<B>,
    tab: TabId,
    document: DocumentId,
    definition: &'c SkillDefinition,
    /// Why a step was refused, in words for who calls.
    refused: Cell<Option<&'static str>>,
}

impl<B: BrowserPort> CallingPage<'_, B> {
    fn refuse(&self, why: &'static str) -> ActionOutcome {
        self.refused.set(Some(why));
        ActionOutcome::Refused
    }
}

impl<B: BrowserPort> AskPort for CallingPage<'_, B> {
    async fn ask(&self, request: Value) -> Result<Value, NoAnswer> {
        let url = self.browser.tab(self.tab).await.map(|tab| tab.url).unwrap_or_default();
        if !self.definition.is_for(&url) {
            return Err(NoAnswer::Elsewhere);
        }
        self.looked_at.ask_for_call(request).await
    }
}

impl<B: BrowserPort> StepPort for CallingPage<'_, B> {
    async fn act(&self, _action: StepAction<'_>) -> Result<(), ActionOutcome> {
        Err(self.refuse(ACTS))
    }

    async fn go(&self, _url: &str, _own_tab: bool, _limit_ms: u64) -> Result<(), ActionOutcome> {
        Err(self.refuse(LEAVES))
    }

    async fn loaded(&self) {}

    async fn document(&self) -> Option<String> {
        Some(self.document.0.clone())
    }

    async fn fetch(&self, _request: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        self.refuse(ACTS);
        Err(RequestFault::Network)
    }

    async fn user_does(&self, _what: &ByLanguage, _milliseconds: u64) -> UserStep {
        self.refuse(ACTS);
        UserStep::Declined
    }

    async fn user_has_done(&self) {}

    async fn sleep(&self, milliseconds: u64) {
        self.browser.sleep(milliseconds).await;
    }

    fn now(&self) -> i64 {
        i64::try_from(self.browser.now()).unwrap_or(i64::MAX)
    }
}
