//! Runs the tools of SKILLs: their steps ask the page actions, and act through them.

use serde_json::json;
use sidecar_agent::call::no_provider;
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::skill::SkillTrace;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, CallId, TabId, Timestamp};
use sidecar_skills::SkillDefinition;
use sidecar_skills::definition::{Code, SkillTool, ToolClass};
use sidecar_skills::run::{SkillEnd, kept_from, run};
use sidecar_skills::template::Values;
use sidecar_webmcp::Address;

use super::PageActions;
use super::acted_mark::{self, ActedMark};
use super::code::{self, CodeResult, SkillCode};
use crate::browser::{BrowserPort, StorageArea};
use crate::event::{TurnEvent, WorkEvent};
use crate::skills::{SkillPlace, SkillRun, reading};

mod page;

use page::SkillPage;

/// A call of a SKILL's tool.
pub struct SkillCall<'c, B: BrowserPort> {
    /// The page actions of the turn.
    pub actions: &'c PageActions<B>,
    /// The call.
    pub call: &'c CallId,
    /// The tab in which the tool begins.
    pub tab: TabId,
    /// Where the files of the SKILL are.
    pub place: SkillPlace,
    /// The tool's name.
    pub name: &'c str,
    /// JSON text.
    pub arguments: &'c str,
}

impl<B: BrowserPort> SkillCall<'_, B> {
    /// Runs the tool.
    pub async fn run(self) -> ToolOutcome {
        let Self { actions, call, tab, place, name, arguments } = self;
        let Some(definition) = reading::definition(&actions.browser, &place).await else {
            return no_provider();
        };
        let Some(tool) = definition.tools.iter().find(|tool| tool.name == name) else { return no_provider() };
        actions.run_skill(call, tab, &place, &definition, tool, arguments).await
    }
}

impl<B: BrowserPort> PageActions<B> {
    /// The mark of a call that can act; of one in a private window nothing is kept.
    ///
    /// # Errors
    /// It began in a document that is no longer there, or the mark of an earlier worker cannot be taken away.
    async fn mark(
        &self,
        call: &CallId,
        tool: &SkillTool,
        tab: TabId,
    ) -> Result<Option<ActedMark<B::Storage>>, ActionOutcome> {
        if tool.class == ToolClass::Read || self.browser.is_private() {
            return Ok(None);
        }
        let storage = self.browser.storage(StorageArea::Session);
        let Some(top) = self.attached(tab).await.ok().and_then(|frames| frames.top()) else {
            return acted_mark::forget(&storage, call)
                .await
                .map(|()| None)
                .map_err(|_| ActionOutcome::Blocked);
        };
        let mark = ActedMark::begin(storage, call, &top.document).await;
        mark.map(Some).ok_or(ActionOutcome::Changed)
    }

    /// Runs a tool of a SKILL in a tab.
    async fn run_skill(
        &self,
        call: &CallId,
        tab: TabId,
        place: &SkillPlace,
        definition: &SkillDefinition,
        tool: &SkillTool,
        arguments: &str,
    ) -> ToolOutcome {
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        let input: Values = match serde_json::from_str(arguments) {
            Ok(input) => input,
            Err(error) => {
                return ToolOutcome::Failed { code: ToolFailure::BadArguments, message: error.to_string() };
            }
        };
        let mark = match self.mark(call, tool, tab).await {
            Ok(mark) => mark,
            Err(outcome) => return told(definition, tool, outcome.into()),
        };
        let page = SkillPage::new(self, call, definition, tab, mark);
        let began = self.browser.now();
        let origin =
            Address::of(&self.browser.tab(tab).await.map(|tab| tab.url).unwrap_or_default()).origin();
        let (ended, thrown) = match &tool.code {
            Some(code) => {
                let input = json!(input).to_string();
                page.run_code(place, tool, code, &input).await
            }
            None => (run(&page, definition, tool, input).await, None),
        };
        let document = page.began_in.take();
        drop(page);
        let trace = traced(tool, origin, began, &ended);
        let run = SkillRun {
            id: definition.id.clone(),
            document,
            is_ok: ended.outcome == ActionOutcome::Ok,
            is_changed: ended.outcome == ActionOutcome::Changed,
            trace,
            now: self.browser.now(),
        };
        self.browser.post(TurnEvent::SkillRan { run: Box::new(run) });
        match thrown {
            Some(thrown) => threw(definition, tool, &thrown),
            None => told(definition, tool, ended),
        }
    }
}

/// What the code of a tool threw: its message, which is text of others, and the line in its file.
struct Thrown {
    message: String,
    line: Option<u32>,
}

/// What the model is told of that.
fn threw(definition: &SkillDefinition, tool: &SkillTool, thrown: &Thrown) -> ToolOutcome {
    let file = tool.code.as_ref().map(|code| code.file.as_str()).unwrap_or_default();
    let line = thrown.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let SkillDefinition { id, version, .. } = definition;
    let message = format!("{} [{id} {version}, {}: {file}{line}]", thrown.message, tool.name);
    ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message }
}

/// What a tool did, for its author.
fn traced(tool: &SkillTool, origin: String, began: Timestamp, ended: &SkillEnd) -> SkillTrace {
    let outcome = serde_json::to_value(ended.outcome).unwrap_or_default();
    SkillTrace {
        tool: tool.name.clone(),
        origin,
        began,
        steps: ended.trace.clone(),
        outcome: outcome.as_str().unwrap_or_default().to_owned(),
    }
}

/// What the model is told.
pub(super) fn told(definition: &SkillDefinition, tool: &SkillTool, ended: SkillEnd) -> ToolOutcome {
    let SkillEnd { outcome, value, step, worn, rows_left_out, is_cut, trace: _ } = ended;
    if outcome != ActionOutcome::Ok {
        let said = serde_json::to_value(outcome).unwrap_or_default();
        let word = said.as_str().unwrap_or_default();
        let own = tool.outcomes.get(word).map(|text| format!("{} ", text.text("en"))).unwrap_or_default();
        let step = step.map(|step| format!(", {step}")).unwrap_or_default();
        let SkillDefinition { id, version, .. } = definition;
        let message = format!("{own}[{id} {version}, {}{step}: {word}]", tool.name);
        return ToolOutcome::Failed { code: ToolFailure::Action(outcome), message };
    }
    let mut content = vec![Content::Text(match &value {
        Some(value) => value.to_string(),
        None => "ok".to_owned(),
    })];
    let mut notes = Vec::new();
    if rows_left_out > 0 {
        notes.push(format!("{rows_left_out} rows could not be read and are left out"));
    }
    if is_cut {
        notes.push("there is more than this".to_owned());
    }
    if !worn.is_empty() {
        notes.push(format!("the page has changed a little since the SKILL was made ({})", worn.join(", ")));
    }
    if !notes.is_empty() {
        content.push(Content::Text(format!("[{}.]", notes.join("; "))));
    }
    ToolOutcome::Ok { content, page: PageEffect::Stayed }
}

impl<B: BrowserPort> SkillPage<'_, B> {
    /// Runs a tool that is code, in the document that was looked at.
    async fn run_code(
        &self,
        place: &SkillPlace,
        tool: &SkillTool,
        code: &Code,
        input: &str,
    ) -> (SkillEnd, Option<Thrown>) {
        let browser = &self.actions.browser;
        let only = |outcome: ActionOutcome| (SkillEnd::from(outcome), None);
        if let Some(outcome) = kept_from(self, self.definition, tool).await {
            return only(outcome);
        }
        if self.actions.is_removed.get() {
            return only(ActionOutcome::Blocked);
        }
        let document = self.document.borrow().clone();
        let Some(document) = document else { return only(ActionOutcome::Navigated) };
        if let Err(outcome) = self.note_act().await {
            return only(outcome);
        }
        let Some(text) = reading::code(browser, place, &code.file).await else {
            return only(ActionOutcome::Blocked);
        };
        if !self.is_on_site().await {
            return only(ActionOutcome::Left);
        }
        let (file, world) = (code.file.as_str(), code.world);
        let code = SkillCode { place, file, text: &text, world, input };
        match code::run(browser, self.tab.get(), &document, code).await {
            CodeResult::Value(value) => (SkillEnd { value, ..SkillEnd::from(ActionOutcome::Ok) }, None),
            // What it did before that stays done, as with the tools of pages.
            CodeResult::Threw(message, line) => {
                (ActionOutcome::Interrupted.into(), Some(Thrown { message, line }))
            }
            CodeResult::TooLarge => only(ActionOutcome::TooLarge),
            CodeResult::Timeout => only(ActionOutcome::Timeout),
            CodeResult::Unknown => only(ActionOutcome::Interrupted),
            CodeResult::Gone => only(ActionOutcome::Navigated),
            CodeResult::Off => {
                browser.post(WorkEvent::CodeAccessKnown { access: browser.code_access().await });
                only(ActionOutcome::Blocked)
            }
        }
    }
}
