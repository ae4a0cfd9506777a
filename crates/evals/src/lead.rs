//! Leads a model through a case, step by step: whom to ask next. Who takes the steps, over which network and in which
//! browser, is the caller's.

use std::collections::VecDeque;

use serde_json::Value;
use sidecar_llm::{ChatRequest, ModelAnswer};
use sidecar_protocol::schema::SchemaProfile;

use crate::consent::HeldCalls;
use crate::expected::Expectation;
use crate::extras::VerdictKind;
use crate::mocks::Mocks;
use crate::offer::{EvalOffer, tools_hash};
use crate::page::{FORM_WAITS, ListedTool, PageResult};
use crate::prompt::EvalPrompt;
use crate::reason::RunReason;
use crate::record::{RunRecord, kept_text};
use crate::run::{ArgumentCheck, EvalRun};
use crate::scripted::{ElementLook, EvalScript, SeenElement};
use crate::simulation::SetupCall;
use crate::suite::EvalCase;
use crate::tools::SuiteTool;

/// How often a tool that changes is judged anew before its call is given up.
pub(crate) const LISTINGS: u32 = 3;

/// What a model is told of such a tool.
pub(crate) const CHANGES: &str = "The call was not made: the page keeps changing the tool.";

/// What has to be done next in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum LeadStep {
    /// List the page's tools; [`LeadInput::Listed`].
    List,
    /// Ask the model; [`LeadInput::Answered`]. The model's name and its limits are the caller's.
    Ask(ChatRequest),
    /// Make a call in the page, of the tool as it was last listed; [`LeadInput::Returned`] or [`LeadInput::Changed`].
    Call {
        /// Name of the tool.
        name: String,
        /// Its arguments: an object.
        arguments: Value,
        /// Whether the model wrote something else, which was taken for this.
        is_repaired: bool,
    },
    /// Look at elements of the page; [`LeadInput::Seen`].
    Look(Vec<ElementLook>),
    /// It is over.
    Over(Box<RunRecord>),
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum LeadInput {
    /// The page's tools.
    Listed(Vec<ListedTool>),
    /// The model's answer.
    Answered(Box<ModelAnswer>),
    /// What came of a call.
    Returned(PageResult),
    /// The call was not made: the tool is not what was listed.
    Changed,
    /// The elements.
    Seen(Vec<SeenElement>),
    /// The step failed: nobody can judge the run.
    Failed(RunReason),
}

/// Who has the tools of a run.
#[derive(Debug)]
pub enum LeadStage<'s> {
    /// The suite, which answers their calls.
    Suite(&'s [SuiteTool]),
    /// A page, which was loaded for the run.
    Page {
        /// What is done there before the model begins, and how the page is judged.
        script: Option<&'s EvalScript>,
        /// Whether calls of consequential tools reach it.
        allow_consequential: bool,
    },
}

/// A run that is led.
pub struct LedRun<'s> {
    counts: VerdictKind,
    prompt: &'s EvalPrompt,
    profile: SchemaProfile,
    /// `None` when it is over.
    run: Option<EvalRun<'s>>,
    /// The answers of the suite, if it has the tools.
    mocks: Option<Mocks<'s>>,
    /// The calls that do not reach the page, unless all may.
    held: Option<HeldCalls<'s>>,
    script: Option<&'s EvalScript>,
    /// Calls that are made before the model begins.
    setup: VecDeque<&'s SetupCall>,
    /// Why it is not begun.
    refused: Option<RunReason>,
    offer: Option<EvalOffer>,
    /// SHA-256 of the tools as they were first listed.
    tools: String,
    /// How often the call that is to be made was judged anew.
    tries: u32,
}

impl std::fmt::Debug for LedRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LedRun").field("run", &self.run).finish_non_exhaustive()
    }
}

impl<'s> LedRun<'s> {
    /// A run of a case, with the verdict that counts for it, of a model whose service accepts this much of JSON Schema.
    #[must_use]
    pub fn new(
        (case, counts): (&'s EvalCase, VerdictKind),
        stage: LeadStage<'s>,
        prompt: &'s EvalPrompt,
        profile: SchemaProfile,
        most_steps: u32,
    ) -> Self {
        let mut led = Self {
            counts,
            prompt,
            profile,
            run: Some(EvalRun::new(case, prompt, most_steps)),
            mocks: None,
            held: None,
            script: None,
            setup: VecDeque::new(),
            refused: None,
            offer: None,
            tools: String::new(),
            tries: 0,
        };
        let setup = match &case.extras.setup {
            // It is over before it begins.
            _ if case.expected == Expectation::Incomplete => &[],
            Ok(setup) => setup.as_slice(),
            Err(fault) => {
                led.refused = Some(RunReason::NotJudged { why: fault.to_string() });
                &[]
            }
        };
        match stage {
            // Its answers are not those of a page that was prepared.
            LeadStage::Suite(_) if !setup.is_empty() => led.refused = Some(RunReason::NeedsPage),
            LeadStage::Suite(tools) => {
                led.mocks = Some(Mocks::of(&case.expected));
                led.offers(tools);
            }
            LeadStage::Page { script, allow_consequential } => {
                let held = || script.map_or_else(|| HeldCalls::of(case), |_| HeldCalls::without_answers());
                led.held = (!allow_consequential).then(held);
                led.script = script;
                led.setup = script.map_or(setup, EvalScript::setup).iter().collect();
            }
        }
        led
    }

    /// Whether a page has the tools: it is opened before the first step, if there is one to take.
    #[must_use]
    pub fn needs_page(&self) -> bool {
        let is_run = self.refused.is_none() && self.run.as_ref().is_some_and(|run| !run.is_over());
        self.mocks.is_none() && is_run
    }

    /// What the model is told of the tools, as far as they are known.
    #[must_use]
    pub fn offer(&self) -> Option<&EvalOffer> {
        self.offer.as_ref()
    }

    /// SHA-256 of the tools as they were first listed; empty if they are not known.
    #[must_use]
    pub fn tools(&self) -> &str {
        &self.tools
    }

    /// The first step.
    pub fn begin(&mut self) -> LeadStep {
        match self.refused.take() {
            Some(reason) => self.stop(reason),
            None => self.next_step(),
        }
    }

    /// Takes what came of a step, and says what comes next.
    pub fn next(&mut self, input: LeadInput, check: &mut ArgumentCheck<'_>) -> LeadStep {
        match input {
            LeadInput::Failed(reason) => self.stop(reason),
            LeadInput::Listed(tools) => self.listed(&tools),
            LeadInput::Answered(answer) => {
                if let (Some(run), Some(offer)) = (&mut self.run, &self.offer) {
                    run.answered(*answer, offer, check);
                }
                self.next_call()
            }
            LeadInput::Returned(result) => self.returned(result),
            LeadInput::Changed if self.tries < LISTINGS => LeadStep::List,
            LeadInput::Changed => self.returned(PageResult::Failed(CHANGES.to_owned())),
            LeadInput::Seen(seen) => match self.script.map(|script| script.judge(&seen)) {
                Some(Ok(unlike)) => self.over(|run| run.end_seen(unlike)),
                Some(Err(reason)) => self.stop(reason),
                None => self.end(),
            },
        }
    }

    fn listed(&mut self, tools: &[ListedTool]) -> LeadStep {
        // Tools may go in a run; without any at its beginning there is nothing to try.
        if tools.is_empty() && self.offer.is_none() {
            return self.stop(RunReason::NoTools);
        }
        if let Some(Err(reason)) = self.held.as_mut().map(|held| held.listed(tools)) {
            return self.stop(reason);
        }
        let tools: Vec<_> = tools.iter().map(ListedTool::to_suite).collect();
        self.offers(&tools);
        if self.tries > 0 { self.next_call() } else { self.next_step() }
    }

    fn offers(&mut self, tools: &[SuiteTool]) {
        if self.tools.is_empty() {
            self.tools = tools_hash(tools);
        }
        self.offer = Some(EvalOffer::new(tools, &self.profile, |text| self.prompt.framed(text)));
    }

    /// What comes when no call waits for its result.
    fn next_step(&mut self) -> LeadStep {
        let Some(run) = &self.run else { return LeadStep::Over(Box::default()) };
        match &self.offer {
            _ if run.is_over() => self.finish(),
            None => LeadStep::List,
            Some(_) if !self.setup.is_empty() => self.next_call(),
            // The list is read again for each answer.
            Some(offer) => LeadStep::Ask(run.request(offer)),
        }
    }

    /// The call that has to be made next, of the set-up or of the model's answer. What the page is not asked is answered.
    fn next_call(&mut self) -> LeadStep {
        loop {
            let wanted = match self.setup.front() {
                Some(SetupCall { name, arguments }) => Some((name.clone(), arguments.clone(), false)),
                None => {
                    let wanted = self.run.as_mut().and_then(EvalRun::wanted);
                    wanted.map(|call| (call.name.clone(), call.arguments.clone(), call.is_repaired))
                }
            };
            let Some((name, arguments, is_repaired)) = wanted else { return self.after_calls() };
            let answer = match (&mut self.mocks, &mut self.held) {
                (Some(mocks), _) => Ok(Some(PageResult::Answered(mocks.answer(&name)))),
                // No answer of the case prepares the page.
                (None, Some(held)) if !self.setup.is_empty() && held.holds(&name) => {
                    Err(RunReason::Consequential { tool: name.clone() })
                }
                (None, Some(held)) => held.answer(&name),
                (None, None) => Ok(None),
            };
            match answer {
                Ok(None) => {
                    self.tries += 1;
                    return LeadStep::Call { name, arguments, is_repaired };
                }
                Ok(Some(result)) => {
                    if let Some(step) = self.take(result) {
                        return step;
                    }
                }
                Err(reason) => return self.stop(reason),
            }
        }
    }

    fn returned(&mut self, result: PageResult) -> LeadStep {
        match self.take(result) {
            Some(step) => step,
            None => self.next_call(),
        }
    }

    /// Takes the result of a call. Returns a step if the run is over because of it.
    fn take(&mut self, result: PageResult) -> Option<LeadStep> {
        self.tries = 0;
        let Some(call) = self.setup.pop_front() else {
            if let Some(run) = &mut self.run {
                run.returned(result);
            }
            return None;
        };
        let tool = call.name.clone();
        match result {
            // What it was to prepare is not there.
            result if result.is_waiting() => {
                Some(self.stop(RunReason::ToolError { tool, text: FORM_WAITS.to_owned() }))
            }
            PageResult::Answered(_) => None,
            PageResult::Missing => Some(self.stop(RunReason::UnknownTool { tool })),
            PageResult::Failed(text) => {
                Some(self.stop(RunReason::ToolError { tool, text: kept_text(&text) }))
            }
        }
    }

    /// What comes after the last call of an answer.
    fn after_calls(&mut self) -> LeadStep {
        let is_over = self.run.as_ref().is_none_or(EvalRun::is_over);
        match self.mocks {
            _ if is_over => self.finish(),
            Some(_) => self.next_step(),
            None => LeadStep::List,
        }
    }

    fn finish(&mut self) -> LeadStep {
        match self.script {
            Some(script) => LeadStep::Look(script.looks()),
            None => self.end(),
        }
    }

    fn end(&mut self) -> LeadStep {
        let counts = self.counts;
        self.over(|run| run.end(counts))
    }

    fn stop(&mut self, reason: RunReason) -> LeadStep {
        self.over(|run| run.stop(reason))
    }

    fn over(&mut self, end: impl FnOnce(EvalRun<'s>) -> RunRecord) -> LeadStep {
        LeadStep::Over(Box::new(self.run.take().map(end).unwrap_or_default()))
    }
}
