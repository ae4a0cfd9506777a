//! Leads a model through a run of an eval, or makes its calls without one.

use std::cell::Cell;

use futures::future::{Either, select};
use futures::pin_mut;
use serde_json::Value;
use sidecar_agent::answer::{TimedAnswer, answer};
use sidecar_agent::model_input::prompt;
use sidecar_evals::exchange::{AskedPrompt, AskedStage, LeadQuestion, LedInput, LedRecord, LedStep};
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_llm::ChatRequest;
use sidecar_protocol::eval::EvalStage;
use sidecar_webmcp::Address;

use super::super::eval_page::{EvalPage, EvalPageOptions};
use super::{EvalConnection, EvalRuns, unjudged};
use crate::evals::files::EvalFiles as _;
use crate::evals::jobs::EvalJob;
use crate::skill_parts::SkillParts;

/// The longest time that a run may take, in milliseconds.
const LONGEST_RUN_MS: u64 = 5 * 60_000;

/// The origin that tools of a suite are said to have.
const SUITE_ORIGIN: &str = "https://site.example";

/// Digits of a date.
const DATE: usize = "2026-11-26".len();

const NOT_KEPT: &str = "what it came to could not be kept";
const SILENT: &str = "the part of the extension that judges runs does not answer";
const UNREADABLE: &str = "the case or its tools cannot be read";

impl<B: SkillParts> EvalRuns<B> {
    /// Leads a model through a case, or makes its calls without one.
    pub(super) async fn lead(&self, job: EvalJob, model: Option<&EvalConnection<B>>) -> LedRecord {
        let began = self.browser.now();
        let today = self.browser.today(self.plan.language);
        let (stage, origin) = match &self.plan.stage {
            EvalStage::Suite { tools } => {
                (AskedStage::Suite { tools: tools.clone() }, SUITE_ORIGIN.to_owned())
            }
            EvalStage::Page { url, allow_consequential } => {
                let allow_consequential = *allow_consequential;
                (AskedStage::Page { allow_consequential }, Address::of(url).origin())
            }
            EvalStage::Simulation { url, allow_consequential } => {
                let allow_consequential = *allow_consequential;
                (AskedStage::Simulation { allow_consequential }, Address::of(url).origin())
            }
            EvalStage::Smoke { url, allow_consequential } => {
                let allow_consequential = *allow_consequential;
                let today = today.get(..DATE).unwrap_or_default().to_owned();
                (AskedStage::Smoke { allow_consequential, today }, Address::of(url).origin())
            }
            // The user is asked about them one by one.
            EvalStage::Shown { url, .. } => {
                (AskedStage::Page { allow_consequential: true }, Address::of(url).origin())
            }
        };
        let service = model.map(|model| {
            let endpoint = &model.connection.endpoint;
            (endpoint.provider.clone(), endpoint.base_url.clone())
        });
        let mut question = LeadQuestion {
            suite: self.plan.cases[job.case].suite.clone(),
            stage,
            prompt: self.prompt(&today, origin),
            service: service.unwrap_or_default(),
            most_steps: self.plan.max_steps,
            inputs: Vec::new(),
        };
        let first_ms = Cell::new(None);
        let most_ms = self.most_ms(job);
        let mut page = None;
        let in_time = {
            let led = self.steps(job, &mut question, &mut page, model, &first_ms);
            let limit = self.browser.sleep(most_ms);
            pin_mut!(led, limit);
            match select(led, limit).await {
                Either::Left((led, _)) => Some(led),
                Either::Right(_) => None,
            }
        };
        let led = match in_time {
            Some(led) => led,
            None => {
                // What happened until then is kept.
                let reason = RunReason::TimeLimit { seconds: most_ms.div_ceil(1_000) };
                question.inputs.push(LedInput::Failed(reason.clone()));
                match self.browser.eval_step(&question).await {
                    Some(LedStep::Over(led)) => led,
                    _ => unjudged(reason),
                }
            }
        };
        let record = RunRecord {
            ms: self.browser.now().saturating_sub(began),
            first_token_ms: first_ms.get(),
            ..led.record
        };
        let facts = page.as_ref().and_then(EvalPage::facts);
        if page.take().is_some_and(|page| page.is_opened()) {
            self.tabs.borrow_mut().clear();
            self.under_way.keep_tabs(Vec::new()).await;
        }
        LedRecord { record, page: facts, date: today.get(..DATE).map(str::to_owned), ..led }
    }

    /// The longest time that a run may take, in milliseconds: a simulation may say less.
    fn most_ms(&self, job: EvalJob) -> u64 {
        let own = match self.plan.stage {
            EvalStage::Simulation { .. } => {
                let file = serde_json::from_str::<Value>(&self.plan.cases[job.case].suite);
                file.ok().and_then(|file| file[0]["maxDurationMs"].as_u64())
            }
            EvalStage::Suite { .. }
            | EvalStage::Page { .. }
            | EvalStage::Smoke { .. }
            | EvalStage::Shown { .. } => None,
        };
        own.map_or(LONGEST_RUN_MS, |own| own.min(LONGEST_RUN_MS))
    }

    /// The page of a run, opened when it is first needed.
    async fn page<'p>(
        &self,
        page: &'p mut Option<EvalPage<B>>,
        model: Option<&EvalConnection<B>>,
    ) -> Result<&'p EvalPage<B>, RunReason> {
        let opened = match (page.take(), &self.plan.stage) {
            (Some(opened), _) => opened,
            (None, EvalStage::Suite { .. }) => {
                return Err(RunReason::PageGone { why: UNREADABLE.to_owned() });
            }
            (
                None,
                EvalStage::Page { url, allow_consequential }
                | EvalStage::Simulation { url, allow_consequential }
                | EvalStage::Smoke { url, allow_consequential },
            ) => self.open(url, self.options(*allow_consequential, model)).await?,
            (None, EvalStage::Shown { tab, url }) => EvalPage::shown(self.options(false, model), *tab, url),
        };
        Ok(page.insert(opened))
    }

    fn options(&self, is_agreed: bool, model: Option<&EvalConnection<B>>) -> EvalPageOptions<B> {
        EvalPageOptions {
            browser: self.browser.clone(),
            rules: self.rules.clone(),
            keys: model.map(|model| model.keys.clone()).unwrap_or_default(),
            turns: self.turns.clone(),
            disk: self.disk.clone(),
            is_agreed,
            // A model is told as much as in the chat; what is looked at without one is looked at whole.
            is_whole: model.is_none(),
        }
    }

    async fn open(&self, url: &str, options: EvalPageOptions<B>) -> Result<EvalPage<B>, RunReason> {
        let page = EvalPage::open(options, url).await?;
        self.tabs.borrow_mut().push(page.tab());
        let tabs = self.tabs.borrow().clone();
        self.under_way.keep_tabs(tabs).await;
        Ok(page)
    }

    fn prompt(&self, today: &str, origin: String) -> AskedPrompt {
        let language = self.plan.language;
        if self.plan.bare {
            let system = |day: &str| EvalPrompt::bare(language, day).system;
            return AskedPrompt { system: system(today), dateless: system(""), origin: None };
        }
        let system = |day: &str| prompt::beside_tools(language, day);
        AskedPrompt { system: system(today), dateless: system(""), origin: Some(origin) }
    }

    /// Takes the steps of a run.
    async fn steps(
        &self,
        job: EvalJob,
        question: &mut LeadQuestion,
        page: &mut Option<EvalPage<B>>,
        model: Option<&EvalConnection<B>>,
        first_ms: &Cell<Option<u64>>,
    ) -> LedRecord {
        let is_shown = matches!(self.plan.stage, EvalStage::Shown { .. });
        loop {
            let step = self.browser.eval_step(question).await;
            let goes_on = matches!(step, Some(LedStep::List | LedStep::Ask { .. } | LedStep::Call { .. }));
            if is_shown && goes_on && !question.inputs.is_empty() && !self.keep_until_now(job, question).await
            {
                return unjudged(RunReason::NotJudged { why: NOT_KEPT.to_owned() });
            }
            let input = match step {
                None => return unjudged(RunReason::NotJudged { why: SILENT.to_owned() }),
                Some(LedStep::Unknown) => {
                    return unjudged(RunReason::NotJudged { why: UNREADABLE.to_owned() });
                }
                Some(LedStep::Over(led)) => return led,
                Some(LedStep::List) => match self.page(page, model).await {
                    Ok(page) => page.list().await.map_or_else(LedInput::Failed, LedInput::Listed),
                    Err(reason) => LedInput::Failed(reason),
                },
                Some(LedStep::Call { name, arguments, is_repaired }) => match self.page(page, model).await {
                    Ok(page) => page.call(&name, &arguments, is_repaired).await,
                    Err(reason) => LedInput::Failed(reason),
                },
                Some(LedStep::Look(looks)) => match self.page(page, model).await {
                    Ok(page) => page.see(looks).await.map_or_else(LedInput::Failed, LedInput::Seen),
                    Err(reason) => LedInput::Failed(reason),
                },
                Some(LedStep::Ask { messages, tools }) => {
                    let Some(model) = model else {
                        return unjudged(RunReason::NotJudged { why: UNREADABLE.to_owned() });
                    };
                    let request = ChatRequest { messages, tools, ..ChatRequest::default() };
                    let EvalConnection { connection, transport, leave_out, .. } = model;
                    match answer(transport, &self.browser, connection, request, leave_out).await {
                        Ok(TimedAnswer { answer, first_ms: first }) => {
                            first_ms.set(first_ms.get().or(first));
                            LedInput::Answered(Box::new(answer.into()))
                        }
                        Err(error) => {
                            LedInput::Failed(RunReason::Model { class: error.class, message: error.message })
                        }
                    }
                }
            };
            question.inputs.push(input);
        }
    }

    /// Keeps and tells what a run came to until now, as if it were stopped: what acted in the user's tab stays known, and is
    /// not done again. Returns whether that is kept: without it nothing further may act.
    async fn keep_until_now(&self, job: EvalJob, question: &LeadQuestion) -> bool {
        let mut until_now = question.clone();
        until_now.inputs.push(LedInput::Failed(RunReason::Stopped));
        let Some(LedStep::Over(led)) = self.browser.eval_step(&until_now).await else { return false };
        let record = RunRecord {
            case: self.plan.cases[job.case].number,
            model: self.name_of(job),
            run: job.run,
            ms: self.browser.now().saturating_sub(self.since.1),
            ..led.record
        };
        let led = serde_json::to_value(LedRecord { record, ..led }).unwrap_or_default();
        let entry = self.entry.borrow().clone();
        match self.disk.note_eval(&entry, Some((&job.name(), &led))).await {
            Ok(()) => {
                self.tell(Some(led));
                true
            }
            Err(error) => {
                drop(self.trouble.replace(Some(error)));
                false
            }
        }
    }
}
