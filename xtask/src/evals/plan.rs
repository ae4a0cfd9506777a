//! The runs of a suite with models: which there are, and making them, several at a time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use jiff::Zoned;
use jiff::civil::Date;
use sidecar_agent::guard::fence::framed;
use sidecar_agent::model_input::prompt;
use sidecar_evals::EvalSuite;
use sidecar_evals::hash::hash;
use sidecar_evals::lead::{LeadStage, LedRun};
use sidecar_evals::offer::{EvalOffer, tools_hash};
use sidecar_evals::page::ListedTool;
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::report::{
    EvalEnvironment, EvalReport, EvalSettings, ModelFacts, PromptFacts, PromptProfile, REPORT_FORMAT,
    REPORT_VERSION, SuiteFacts, summary::ReportSummary,
};

use sidecar_evals::scripted::EvalScript;
use sidecar_evals::tools::SuiteTool;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Cost, Usage};
use sidecar_schema::Validators;

use super::lead::{AskedModel, lead};
use super::live::LivePage;
use super::model::EvalModel;
use super::options::{AnswerMode, Prompt, RunOptions};
use super::output;
use super::service::{EvalService, ms};

/// The origin that tools of a suite are said to have.
const ORIGIN: &str = "https://site.example";

/// How a suite is run.
pub(super) struct RunPlan<'o> {
    options: &'o RunOptions,
    suite: &'o EvalSuite,
    /// Of each case, where they are simulations.
    scripts: &'o [EvalScript],
    stage: Stage,
    models: &'o [EvalModel],
    offers: Vec<EvalOffer>,
    prompt: EvalPrompt,
    facts: PromptFacts,
    date: Date,
    runs: u32,
    language: Language,
}

/// Where the tools are.
pub(super) enum Stage {
    /// In the suite, which answers calls.
    Suite(Vec<SuiteTool>),
    /// In a page.
    Page(LivePage),
    /// Nowhere: the page cannot be used.
    Nowhere(RunReason),
}

/// One run to make.
#[derive(Clone, Copy)]
struct Job {
    case: usize,
    model: usize,
    run: u32,
}

/// What runs share while they are made.
#[derive(Default)]
struct RunProgress {
    records: Vec<RunRecord>,
    costs: Vec<Cost>,
}

impl<'o> RunPlan<'o> {
    pub fn new(
        options: &'o RunOptions,
        (suite, scripts): (&'o EvalSuite, &'o [EvalScript]),
        stage: Stage,
        models: &'o [EvalModel],
        runs: u32,
        language: Language,
    ) -> Self {
        let date = options.date.unwrap_or_else(|| Zoned::now().date());
        let prompt = prompt_of(options.prompt, language, &told_date(date, language));
        let prompt = EvalPrompt { origin: stage.origin().to_owned(), ..prompt };
        let profile = match options.prompt {
            Prompt::Product => PromptProfile::Product,
            Prompt::Bare => PromptProfile::Bare,
        };
        let dateless = prompt_of(options.prompt, language, "").system;
        let facts = PromptFacts { profile, hash: hash(&dateless) };
        let tools = stage.tools();
        let offers = models.iter().map(|model| offer(&tools, model, &prompt)).collect();
        Self { options, suite, scripts, stage, models, offers, prompt, facts, date, runs, language }
    }

    /// Makes all runs. Those of different providers do not wait for each other.
    pub fn perform(&self, cases: &[usize]) -> Vec<RunRecord> {
        let is_static = matches!(self.stage, Stage::Suite(_));
        let mut queues: Vec<(&str, VecDeque<Job>)> = Vec::new();
        for run in 1..=self.runs {
            for (model, named) in self.models.iter().enumerate() {
                // There is one page, which they share.
                let service = if is_static { named.endpoint.base_url.as_str() } else { "" };
                let at = queues.iter().position(|(known, _)| *known == service).unwrap_or_else(|| {
                    queues.push((service, VecDeque::new()));
                    queues.len() - 1
                });
                queues[at].1.extend(cases.iter().map(|case| Job { case: *case, model, run }));
            }
        }
        let all = queues.iter().map(|(_, jobs)| jobs.len()).sum();
        let queues: Vec<_> = queues.into_iter().map(|(_, jobs)| Mutex::new(jobs)).collect();
        let jobs = if is_static { self.options.jobs } else { 1 };
        let learned: Vec<_> = self.models.iter().map(|_| Mutex::new(None)).collect();
        let progress = Mutex::new(RunProgress::default());
        let (service, started) = (EvalService::new(), Instant::now());
        thread::scope(|scope| {
            for queue in &queues {
                for _ in 0..jobs {
                    scope.spawn(|| {
                        let mut validators = Validators::default();
                        while let Some(job) = { locked(queue).pop_front() } {
                            let model = &self.models[job.model];
                            let record = if self.is_spent(&locked(&progress)) {
                                RunRecord::unjudged(RunReason::CostLimit)
                            } else {
                                let made = catch_unwind(AssertUnwindSafe(|| {
                                    self.one(job, model, &service, &learned[job.model], &mut validators)
                                }));
                                let why = || "this program failed".to_owned();
                                made.unwrap_or_else(|_| {
                                    RunRecord::unjudged(RunReason::NotJudged { why: why() })
                                })
                            };
                            let model = model.name.clone();
                            let record = RunRecord { case: job.case, model, run: job.run, ..record };
                            self.done(record, all, started, &mut locked(&progress));
                        }
                    });
                }
            }
        });
        progress.into_inner().unwrap_or_else(PoisonError::into_inner).records
    }

    /// Whether what runs may cost is used up, in any currency. A run of which nobody knows the cost may have used it up.
    fn is_spent(&self, progress: &RunProgress) -> bool {
        let is_unknown = |record: &RunRecord| record.steps > 0 && record.cost.is_none();
        self.options.max_cost.is_some_and(|most| {
            progress.costs.iter().any(|cost| cost.amount >= most) || progress.records.iter().any(is_unknown)
        })
    }

    /// Makes one run.
    fn one(
        &self,
        job: Job,
        model: &EvalModel,
        service: &EvalService,
        learned: &Mutex<Option<Vec<String>>>,
        validators: &mut Validators,
    ) -> RunRecord {
        let case = &self.suite.cases[job.case];
        let started = Instant::now();
        // Asked once for each model, while its other runs wait.
        let leave_out = locked(learned).get_or_insert_with(|| service.leave_out(model)).clone();
        let max_tokens = self.options.max_tokens.or(model.max_tokens);
        let mut asking = AskedModel { model, service, max_tokens, leave_out, first_ms: None };
        let script = self.scripts.get(job.case);
        let stage = match &self.stage {
            Stage::Suite(tools) => LeadStage::Suite(tools),
            Stage::Page(LivePage { allow_consequential, .. }) => {
                LeadStage::Page { script, allow_consequential: *allow_consequential }
            }
            Stage::Nowhere(_) => LeadStage::Page { script, allow_consequential: false },
        };
        let counts = (case, self.suite.verdict_of(case));
        let profile = model.endpoint.schema_profile();
        let mut run = LedRun::new(counts, stage, &self.prompt, profile, self.options.max_steps);
        let record = match &self.stage {
            Stage::Page(page) if run.needs_page() => match page.begin(script) {
                Ok((mut page, limit)) => {
                    lead(&mut run, Some(&mut page), Some(limit), &mut asking, validators)
                }
                Err(reason) => RunRecord::unjudged(reason),
            },
            Stage::Nowhere(reason) if run.needs_page() => RunRecord::unjudged(reason.clone()),
            Stage::Page(_) | Stage::Suite(_) | Stage::Nowhere(_) => {
                lead(&mut run, None, None, &mut asking, validators)
            }
        };
        *locked(learned) = Some(asking.leave_out);
        let cost = |usage: &Usage| Some(Cost::of(usage, model.price.as_ref()?));
        RunRecord {
            cost: record.usage.as_ref().and_then(cost),
            ms: ms(started.elapsed()),
            first_token_ms: asking.first_ms,
            ..record
        }
    }

    /// Keeps a run, and says how far things are.
    fn done(&self, record: RunRecord, all: usize, started: Instant, progress: &mut RunProgress) {
        if let Some(cost) = &record.cost {
            cost.add_to(&mut progress.costs);
        }
        let case = &self.suite.cases[record.case];
        let count = progress.records.len() + 1;
        output::progress(&record, case.name(), count, all, started.elapsed(), self.language);
        progress.records.push(record);
    }

    /// The report of the runs.
    pub fn report(&self, cells: Vec<RunRecord>, suite: SuiteFacts) -> EvalReport {
        let facts = |(model, offer): (&EvalModel, &EvalOffer)| ModelFacts {
            name: model.name.clone(),
            sent: offer.hash(),
            lost: offer.lost.clone(),
        };
        let page = match &self.stage {
            Stage::Page(page) => Some(page.facts.clone()),
            Stage::Suite(_) | Stage::Nowhere(_) => None,
        };
        let tools = self.stage.tools();
        let tools_without_case = match self.options.mode {
            AnswerMode::Static | AnswerMode::Live | AnswerMode::Smoke => {
                self.suite.without_case(tools.iter().map(|tool| tool.name.as_str()))
            }
            // Which tools are called does not count.
            AnswerMode::Simulation => Vec::new(),
        };
        EvalReport {
            format: REPORT_FORMAT.to_owned(),
            version: REPORT_VERSION,
            product: env!("CARGO_PKG_VERSION").to_owned(),
            taken: u64::try_from(Zoned::now().timestamp().as_second()).unwrap_or_default(),
            suite,
            environment: EvalEnvironment {
                mode: self.options.mode.into(),
                page,
                tools_hash: tools_hash(&tools),
                tools_without_case,
                prompt: self.facts.clone(),
                date: self.date.to_string(),
            },
            models: self.models.iter().zip(&self.offers).map(facts).collect(),
            settings: EvalSettings {
                runs: self.runs,
                max_steps: self.options.max_steps,
                max_tokens: self.options.max_tokens,
                tags: self.options.tags.clone(),
            },
            shard: self.options.shard,
            cells,
            summary: ReportSummary::default(),
        }
        .complete()
    }
}

impl Stage {
    /// The tools, as they were at first.
    fn tools(&self) -> Vec<SuiteTool> {
        match self {
            Self::Suite(tools) => tools.clone(),
            Self::Page(page) => page.tools.iter().map(ListedTool::to_suite).collect(),
            Self::Nowhere(_) => Vec::new(),
        }
    }

    /// The origin that the tools are said to have.
    fn origin(&self) -> &str {
        match self {
            Self::Page(page) => &page.facts.origin,
            Self::Suite(_) | Self::Nowhere(_) => ORIGIN,
        }
    }
}

/// Tools as a model is told of them.
fn offer(tools: &[SuiteTool], model: &EvalModel, prompt: &EvalPrompt) -> EvalOffer {
    EvalOffer::new(tools, &model.endpoint.schema_profile(), |text| prompt.framed(text))
}

fn prompt_of(prompt: Prompt, language: Language, today: &str) -> EvalPrompt {
    match prompt {
        Prompt::Bare => EvalPrompt::bare(language, today),
        Prompt::Product => {
            EvalPrompt { system: prompt::beside_tools(language, today), origin: String::new(), frame: framed }
        }
    }
}

/// The day as the chat tells it: `2026-11-21 (Saturday)`.
fn told_date(date: Date, language: Language) -> String {
    match language {
        Language::English => date.strftime("%Y-%m-%d (%A)").to_string(),
        Language::Chinese => {
            let names = ["一", "二", "三", "四", "五", "六", "日"];
            let weekday = date.weekday().to_monday_zero_offset();
            format!("{date}（星期{}）", usize::try_from(weekday).map_or("", |weekday| names[weekday]))
        }
    }
}

/// What a panic left behind is good enough.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
