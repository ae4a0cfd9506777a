//! Runs the steps of a tool.
//!
//! The runner thinks and the page does: it asks through a [`StepPort`], whose page side knows nothing of SKILLs but how to
//! find, read and request. Plain `async fn`, no `Send`; dropping the future stops it. Nothing of it has to be kept: a
//! worker that comes after one that died begins a tool that only reads anew, and the call of one that may act is
//! interrupted.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde::Serialize;
use serde_json::Value;
use sidecar_protocol::ActionOutcome;
use sidecar_protocol::skill::TracedStep;
use sidecar_protocol::thread::ToolStep;

use crate::definition::condition::One;
use crate::definition::step::SkillStep;
use crate::definition::wording::ByLanguage;
use crate::definition::{SkillDefinition, SkillTool};
use crate::template::Values;

mod act;
mod conditions;
mod elements;
pub mod health;
mod pages;
mod read;
mod request;
mod steps;

/// What is noted in a trace as done by a field that rows need not have, below the step that reads the rows.
pub const FIELD: &str = "field";

/// Through what a page is asked.
pub trait AskPort {
    /// Asks the page actions in the tab's top document; see docs/protocol.md for the requests.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn ask(&self, request: Value) -> Result<Value, NoAnswer>;
}

/// The place of a tool's outermost steps.
const TOP_STEPS: &str = "steps";

/// Through what the steps of a tool reach a page, the user and the clock.
pub trait StepPort: AskPort {
    /// Does something with an element, after all checks of the page actions.
    ///
    /// # Errors
    /// Why it was not done, or what is not known.
    async fn act(&self, action: StepAction<'_>) -> Result<(), ActionOutcome>;

    /// Leads the tab, or one of the tool's own behind it, to an address, and waits until it is there, at most so many
    /// milliseconds.
    ///
    /// # Errors
    /// Why it is not there.
    async fn go(&self, url: &str, own_tab: bool, limit_ms: u64) -> Result<(), ActionOutcome>;

    /// Waits until a document that an action led to is there. Returns at once if the tab loads nothing.
    async fn loaded(&self);

    /// Which document is in the tab's top frame; `None` while there is none.
    async fn document(&self) -> Option<String>;

    /// Requests an address of another origin, without cookies.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn fetch(&self, request: CrossRequest) -> Result<CrossAnswer, RequestFault>;

    /// Asks the user to do something in the page, and waits for a word or for so many milliseconds.
    async fn user_does(&self, what: &ByLanguage, milliseconds: u64) -> UserStep;

    /// The user has done it, or will not.
    async fn user_has_done(&self);

    /// One of the tool's outermost steps begins. Does nothing unless implemented.
    fn begins_step(&self, _step: ToolStep) {}

    /// Waits.
    async fn sleep(&self, milliseconds: u64);

    /// Milliseconds since 1970.
    fn now(&self) -> i64;
}

/// Why a page does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// Its document went away.
    Left,
    /// It is silent, or may not be asked.
    Silent,
    /// The answer would be too long.
    TooLarge,
    /// The page is not one of the SKILL's.
    Elsewhere,
}

/// Something to be done with an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepAction<'a> {
    /// The element's ref; empty for the one with the focus.
    pub target: &'a str,
    /// What is done.
    pub kind: ActionKind<'a>,
    /// How long the element may take until it can be done, in milliseconds.
    pub limit_ms: u64,
}

/// What is done with an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ActionKind<'a> {
    /// A click, or two.
    Click {
        /// 1 or 2.
        count: u32,
    },
    /// A text replaces what is in a field.
    Fill(&'a str),
    /// An option is chosen.
    Choose(&'a str),
    /// A box is ticked or cleared.
    Check(bool),
    /// It is pointed at.
    Hover,
    /// A key is pressed.
    Press(&'a str),
}

/// A request to another origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossRequest {
    /// HTTP method.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<String>,
}

/// An answer of another origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossAnswer {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub text: String,
}

/// Why a request has no answer that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFault {
    /// Nothing was reached, or it is not allowed.
    Network,
    /// It leads elsewhere.
    Redirect,
    /// It is not what the step reads.
    Form,
    /// It is too large.
    TooLarge,
    /// It takes too long.
    Timeout,
}

/// What the user says to a step that is theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserStep {
    /// Nothing yet.
    Waiting,
    /// It is done.
    Done,
    /// They will not do it.
    Declined,
}

/// What came of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillEnd {
    /// The outcome.
    pub outcome: ActionOutcome,
    /// The value, if the outcome is `ok` and the tool returns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The step with which it ended, as `steps[2]`, if it did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Locators whose later alternatives were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worn: Vec<String>,
    /// How many rows could not be read and were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub rows_left_out: usize,
    /// Whether there is more than was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// What its steps did, in their order.
    #[serde(skip)]
    pub trace: Vec<TracedStep>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Runs a tool that has steps, in a page where it may begin.
pub async fn run<P: StepPort>(
    port: &P,
    definition: &SkillDefinition,
    tool: &SkillTool,
    input: Values,
) -> SkillEnd {
    let mut runner = Runner::new(port, definition, input);
    let ended = match runner.may_begin(tool).await {
        Ok(()) => runner.steps(&tool.steps, TOP_STEPS).await,
        Err(stop) => Err((stop, String::new())),
    };
    let (outcome, value, step) = match ended {
        Ok(()) => (ActionOutcome::Ok, None, None),
        Err((Stop::Returned(value), _)) => (ActionOutcome::Ok, Some(value), None),
        Err((Stop::Failed(outcome), place)) => {
            (runner.really(outcome).await, None, Some(place).filter(|place| !place.is_empty()))
        }
    };
    let Runner { worn, rows_left_out, is_cut, trace, .. } = runner;
    SkillEnd { outcome, value, step, worn, rows_left_out, is_cut, trace }
}

/// Looks whether a tool without steps may begin, in the same way. `None` if it may; else what comes of it.
pub async fn kept_from<P: StepPort>(
    port: &P,
    definition: &SkillDefinition,
    tool: &SkillTool,
) -> Option<ActionOutcome> {
    let mut runner = Runner::new(port, definition, Values::new());
    match runner.may_begin(tool).await {
        Err(Stop::Failed(outcome)) => Some(runner.really(outcome).await),
        Ok(()) | Err(Stop::Returned(_)) => None,
    }
}

/// What is known of the page.
#[derive(Debug, Clone, Default)]
struct PageFacts {
    url: String,
    language: String,
}

/// Why the steps do not go on.
#[derive(Debug, Clone, PartialEq)]
enum Stop {
    /// The tool has its value.
    Returned(Value),
    /// It ends with this outcome.
    Failed(ActionOutcome),
}

impl From<ActionOutcome> for SkillEnd {
    fn from(outcome: ActionOutcome) -> Self {
        let (worn, trace) = (Vec::new(), Vec::new());
        Self { outcome, value: None, step: None, worn, rows_left_out: 0, is_cut: false, trace }
    }
}

impl From<ActionOutcome> for Stop {
    fn from(outcome: ActionOutcome) -> Self {
        Self::Failed(outcome)
    }
}

impl From<NoAnswer> for Stop {
    fn from(none: NoAnswer) -> Self {
        Self::Failed(match none {
            NoAnswer::Left => ActionOutcome::Navigated,
            NoAnswer::Silent => ActionOutcome::Blocked,
            NoAnswer::TooLarge => ActionOutcome::TooLarge,
            NoAnswer::Elsewhere => ActionOutcome::Left,
        })
    }
}

/// A tool that runs.
struct Runner<'r, P> {
    port: &'r P,
    definition: &'r SkillDefinition,
    /// Inputs and results.
    values: Values,
    page: PageFacts,
    worn: Vec<String>,
    rows_left_out: usize,
    is_cut: bool,
    trace: Vec<TracedStep>,
    /// The locator that was looked for last, and the number of the alternative that found something.
    found_last: Option<(String, usize)>,
}

impl<'r, P: AskPort> Runner<'r, P> {
    fn new(port: &'r P, definition: &'r SkillDefinition, values: Values) -> Self {
        Self {
            port,
            definition,
            values,
            page: PageFacts::default(),
            worn: Vec::new(),
            rows_left_out: 0,
            is_cut: false,
            trace: Vec::new(),
            found_last: None,
        }
    }

    /// Where the page is, and in which language.
    async fn look(&mut self) -> Result<(), Stop> {
        self.conditions(&[]).await.map(drop)
    }

    /// Whether one of these holds; one that cannot be looked at does not.
    async fn any_holds(&mut self, conditions: &[One]) -> bool {
        for condition in conditions {
            if self.one_holds(condition).await == Ok(true) {
                return true;
            }
        }
        false
    }
}

impl<P: StepPort> Runner<'_, P> {
    /// Whether the page is of a kind on which the tool may begin, and as its author knew it: all that is looked for on
    /// such a page is there, or the page says that there is nothing.
    async fn may_begin(&mut self, tool: &SkillTool) -> Result<(), Stop> {
        self.look().await?;
        if !self.is_within(&self.page.url) {
            return Err(ActionOutcome::Left.into());
        }
        if tool.pages.is_empty() {
            return Ok(());
        }
        let (definition, url) = (self.definition, self.page.url.clone());
        for kind in definition.kinds(tool, &url) {
            let probes = self.conditions(&kind.probes).await?;
            if probes.iter().all(|holds| *holds) || self.conditions(&kind.empty).await?.contains(&true) {
                return Ok(());
            }
        }
        Err(ActionOutcome::Changed.into())
    }

    /// Whether an address is one on which the SKILL is of use.
    fn is_within(&self, url: &str) -> bool {
        self.definition.is_for(url)
    }

    /// The outcome, or what the page shows that explains it: it wants the user to sign in, or proof of a person.
    async fn really(&mut self, outcome: ActionOutcome) -> ActionOutcome {
        if !matches!(outcome, ActionOutcome::Changed | ActionOutcome::NotFound | ActionOutcome::Timeout) {
            return outcome;
        }
        let signals = &self.definition.signals;
        for (conditions, meant) in
            [(&signals.challenge, ActionOutcome::Challenge), (&signals.signed_out, ActionOutcome::SignIn)]
        {
            if self.any_holds(conditions).await {
                return meant;
            }
        }
        outcome
    }
}

/// The outcome of a step that does not hold: what its author says, or what it is.
fn otherwise(step: &SkillStep, outcome: ActionOutcome) -> ActionOutcome {
    let does_not_hold =
        matches!(outcome, ActionOutcome::Changed | ActionOutcome::NotFound | ActionOutcome::Timeout);
    step.otherwise.filter(|_| does_not_hold).unwrap_or(outcome)
}

#[cfg(test)]
mod tests;
