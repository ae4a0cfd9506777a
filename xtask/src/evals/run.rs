//! Runs a suite with models, several runs at a time.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use jiff::Zoned;
use jiff::civil::Date;
use sidecar_agent::guard::fence::framed;
use sidecar_agent::model_input::prompt;
use sidecar_evals::hash::hash;
use sidecar_evals::judged::RunOutcome;
use sidecar_evals::offer::{EvalOffer, tools_hash};
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::report::{
    EvalEnvironment, EvalMode, EvalReport, EvalSettings, MOST_CELLS, MOST_MODELS, MOST_RUNS, ModelFacts,
    PromptFacts, PromptProfile, REPORT_FORMAT, REPORT_VERSION, SuiteFacts, summary::ReportSummary,
};
use sidecar_evals::run::{MOST_STEPS, STEPS, StaticRun};
use sidecar_evals::shard::Shard;
use sidecar_evals::smoke;
use sidecar_evals::tools::SuiteTool;
use sidecar_evals::{EvalSuite, Expectation, suite, tools};
use sidecar_llm::ChatRequest;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{Cost, Usage};
use sidecar_schema::Validators;

use super::files::{read, refused, unusable};
use super::model::{EvalModel, LOCAL_SMALL};
use super::output::{self, OutputOptions};
use super::service::EvalService;
use super::small_model::SmallModel;

/// So many runs are made without a question.
const UNASKED: usize = 200;

/// Runs of each case, with several models and with one.
const RUNS: (u32, u32) = (3, 5);

/// The origin that tools of a suite are said to have.
const ORIGIN: &str = "https://site.example";

#[derive(Args)]
pub(super) struct RunOptions {
    /// The suite: a JSON file
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// How calls are answered
    #[arg(long, value_enum, default_value = "static")]
    mode: AnswerMode,
    /// The tools of the site, as webmcp-evals keeps them; a suite may have them itself
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The page with the tools, for --mode smoke
    #[arg(long)]
    url: Option<String>,
    /// A model, as PROVIDER:MODEL, or local-small, which runs here; several times for several. Its key is in the environment,
    /// as DEEPSEEK_API_KEY
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<String>,
    /// The address of a provider, as PROVIDER=URL
    #[arg(long = "endpoint", value_name = "ADDRESS")]
    endpoints: Vec<String>,
    /// The price of a model per million tokens, as "PROVIDER:MODEL=INPUT/OUTPUT/CACHED CURRENCY"
    #[arg(long = "price", value_name = "PRICE")]
    prices: Vec<String>,
    /// Runs of each case with each model [default: 3; 5 with one model]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RUNS)))]
    runs: Option<u32>,
    /// Answers that a model has in a run
    #[arg(long, default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_STEPS)))]
    max_steps: u32,
    /// Tokens of an answer at most [default: the service's own]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// The system prompt
    #[arg(long, value_enum, default_value = "product")]
    prompt: Prompt,
    /// The day that models are told, as 2026-11-26 [default: today]
    #[arg(long)]
    date: Option<Date>,
    /// Only cases with this tag; several times for several
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// The part of the suite to run, as 2/3; `merge` makes one report of all
    #[arg(long, value_name = "I/N", value_parser = read_shard)]
    shard: Option<Shard>,
    /// Runs at a time, for each provider
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=16))]
    jobs: u32,
    /// Begin no run when those before have cost more; needs the price of each model
    #[arg(long, value_name = "AMOUNT", value_parser = read_amount)]
    max_cost: Option<f64>,
    /// Do not ask before many runs
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum AnswerMode {
    /// By what the suite has for them, without a browser
    Static,
    /// By the page at --url, with native WebMCP and without a model: the expected calls are made
    Smoke,
}

#[derive(Clone, Copy, ValueEnum)]
enum Prompt {
    /// That of the product's chat
    Product,
    /// A short one
    Bare,
}

fn read_amount(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| "an amount is a number from 0 on".to_owned())
}

fn read_shard(text: &str) -> Result<Shard, String> {
    Shard::read(text).ok_or_else(|| "write I/N, as 2/3, with I from 1 to N".to_owned())
}

/// Runs a suite, and says what came of it.
pub(super) fn run(options: &RunOptions, language: Language) -> Result<ExitCode> {
    let Some(file) = &options.suite else {
        return Ok(unusable("give a suite with --suite FILE; --help tells the rest"));
    };
    let suite = match suite::read(&read(file)?) {
        Ok(suite) => suite,
        Err(fault) => return Ok(refused(file, &fault.sentence(language))),
    };
    suite.notes.iter().for_each(|note| eprintln!("  · {}", note.sentence(language)));
    let file_name = file.file_stem().unwrap_or_default().to_string_lossy();
    match options.mode {
        AnswerMode::Static => {}
        AnswerMode::Smoke => return try_out(options, &suite, &file_name, language),
    }
    let tools = match (&options.tools, &suite.tools) {
        (Some(file), _) => match tools::read(&read(file)?) {
            Ok(tools) => tools,
            Err(fault) => return Ok(refused(file, &fault.sentence(language))),
        },
        (None, Some(tools)) => tools.clone(),
        (None, None) => return Ok(unusable("the suite has no tools; give them with --tools FILE")),
    };
    let baseline = match options.output.baseline(language)? {
        Ok(baseline) => baseline,
        Err(code) => return Ok(code),
    };
    let cases = picked(&suite, options);
    if cases.is_empty() && options.shard.is_none() {
        return Ok(unusable("no case is left to run; is the tag right?"));
    }
    options.output.prepare()?;
    let small = options.models.iter().any(|name| name == LOCAL_SMALL).then(SmallModel::start).transpose()?;
    let models = match models(options, small.as_ref()) {
        Ok(models) => models,
        Err(error) => return Ok(unusable(&format!("{error:#}"))),
    };
    let runs = options.runs.unwrap_or(if models.len() == 1 { RUNS.1 } else { RUNS.0 });
    let count = cases.len() * models.len() * runs as usize;
    if count > MOST_CELLS {
        return Ok(unusable(&format!(
            "these are {count} runs; {MOST_CELLS} are allowed. Take fewer models, runs or cases, or shards"
        )));
    }
    if count > UNASKED && !options.yes && !is_wanted(count)? {
        return Ok(unusable(&format!("these are {count} runs; say --yes to make them")));
    }
    let plan = RunPlan::new(options, &suite, &tools, &models, runs, language);
    let cells = plan.perform(&cases, &models);
    let report = plan.report(cells, SuiteFacts::of(&suite, &file_name), &models, &tools);
    drop(small);
    output::finish(&report, Some(&suite), baseline.as_ref(), &options.output, language)
}

/// Makes the expected calls of a suite in a page.
fn try_out(options: &RunOptions, suite: &EvalSuite, file_name: &str, language: Language) -> Result<ExitCode> {
    let Some(url) = &options.url else {
        return Ok(unusable("--mode smoke needs the page; give it with --url"));
    };
    let baseline = match options.output.baseline(language)? {
        Ok(baseline) => baseline,
        Err(code) => return Ok(code),
    };
    let date = options.date.unwrap_or_else(|| Zoned::now().date());
    let mut cases = match smoke::plan(suite, &date.tomorrow()?.to_string()) {
        Ok(cases) => cases,
        Err(fault) => return Ok(unusable(&fault.sentence(language))),
    };
    let picked = picked(suite, options);
    cases.retain(|case| picked.contains(&case.case));
    if cases.is_empty() && options.shard.is_none() {
        return Ok(unusable("no case is left to run; is the tag right?"));
    }
    options.output.prepare()?;
    let cells = super::smoke::perform(suite, &cases, url, language)?;
    let model = ModelFacts { name: smoke::MODEL.to_owned(), sent: String::new(), lost: Vec::new() };
    let environment = EvalEnvironment { mode: EvalMode::Smoke, ..EvalEnvironment::default() };
    let settings = EvalSettings { runs: 1, tags: options.tags.clone(), ..EvalSettings::default() };
    let report = EvalReport {
        format: REPORT_FORMAT.to_owned(),
        version: REPORT_VERSION,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        taken: u64::try_from(Zoned::now().timestamp().as_second()).unwrap_or_default(),
        suite: SuiteFacts::of(suite, file_name),
        environment: EvalEnvironment { date: date.to_string(), ..environment },
        models: vec![model],
        settings,
        shard: options.shard,
        cells,
        summary: ReportSummary::default(),
    };
    output::finish(&report.complete(), Some(suite), baseline.as_ref(), &options.output, language)
}

/// The numbers of the cases to run.
fn picked(suite: &EvalSuite, options: &RunOptions) -> Vec<usize> {
    let cases = options.shard.map_or_else(|| (0..suite.cases.len()).collect(), |shard| shard.cases(suite));
    let has_tag = |case: &usize| {
        options.tags.is_empty() || options.tags.iter().any(|tag| suite.cases[*case].extras.tags.contains(tag))
    };
    cases.into_iter().filter(has_tag).collect()
}

fn models(options: &RunOptions, small: Option<&SmallModel>) -> Result<Vec<EvalModel>> {
    let model = |name: &String| match small.filter(|_| name == LOCAL_SMALL) {
        Some(small) => Ok(small.model.clone()),
        None => EvalModel::named(name, &options.endpoints, &options.prices),
    };
    let models = options.models.iter().map(model).collect::<Result<Vec<_>>>()?;
    let twice = |(at, model): (usize, &EvalModel)| models[..at].iter().any(|known| known.name == model.name);
    anyhow::ensure!(!models.is_empty(), "give a model with --model PROVIDER:MODEL");
    anyhow::ensure!(models.len() <= MOST_MODELS, "at most {MOST_MODELS} models are run together");
    anyhow::ensure!(!models.iter().enumerate().any(twice), "a model is named twice");
    if options.max_cost.is_some() {
        let unknown = models.iter().find(|model| model.price.is_none());
        anyhow::ensure!(
            unknown.is_none(),
            "--max-cost needs the price of {}; give it with --price",
            unknown.map_or("", |model| &model.name)
        );
    }
    Ok(models)
}

/// Asks whether so many runs are wanted. Without a terminal there is nobody to ask.
fn is_wanted(count: usize) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    eprint!("  These are {count} runs. Make them? [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("y"))
}

/// How a suite is run.
struct RunPlan<'o> {
    options: &'o RunOptions,
    suite: &'o EvalSuite,
    prompt: EvalPrompt,
    facts: PromptFacts,
    date: Date,
    offers: Vec<EvalOffer>,
    runs: u32,
    language: Language,
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
    fn new(
        options: &'o RunOptions,
        suite: &'o EvalSuite,
        tools: &[SuiteTool],
        models: &[EvalModel],
        runs: u32,
        language: Language,
    ) -> Self {
        let date = options.date.unwrap_or_else(|| Zoned::now().date());
        let prompt = prompt_of(options.prompt, language, &told_date(date, language));
        let profile = match options.prompt {
            Prompt::Product => PromptProfile::Product,
            Prompt::Bare => PromptProfile::Bare,
        };
        let dateless = prompt_of(options.prompt, language, "").system;
        let facts = PromptFacts { profile, hash: hash(&dateless) };
        let offer = |model: &EvalModel| EvalOffer::new(tools, &model.endpoint.schema_profile(), prompt.frame);
        let offers = models.iter().map(offer).collect();
        Self { options, suite, prompt, facts, date, offers, runs, language }
    }

    /// Makes all runs. Those of different providers do not wait for each other.
    fn perform(&self, cases: &[usize], models: &[EvalModel]) -> Vec<RunRecord> {
        let mut queues: Vec<(&str, VecDeque<Job>)> = Vec::new();
        for run in 1..=self.runs {
            for (model, named) in models.iter().enumerate() {
                let service = named.endpoint.base_url.as_str();
                let at = queues.iter().position(|(known, _)| *known == service).unwrap_or_else(|| {
                    queues.push((service, VecDeque::new()));
                    queues.len() - 1
                });
                queues[at].1.extend(cases.iter().map(|case| Job { case: *case, model, run }));
            }
        }
        let all = queues.iter().map(|(_, jobs)| jobs.len()).sum();
        let queues: Vec<_> = queues.into_iter().map(|(_, jobs)| Mutex::new(jobs)).collect();
        let learned: Vec<_> = models.iter().map(|_| Mutex::new(None)).collect();
        let progress = Mutex::new(RunProgress::default());
        let (service, started) = (EvalService::new(), Instant::now());
        thread::scope(|scope| {
            for queue in &queues {
                for _ in 0..self.options.jobs {
                    scope.spawn(|| {
                        let mut validators = Validators::default();
                        while let Some(job) = { locked(queue).pop_front() } {
                            let model = &models[job.model];
                            let record = if self.is_spent(&locked(&progress)) {
                                self.unmade(job, model)
                            } else {
                                let made = catch_unwind(AssertUnwindSafe(|| {
                                    self.one(job, model, &service, &learned[job.model], &mut validators)
                                }));
                                made.unwrap_or_else(|_| self.failed(job, model))
                            };
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

    fn unmade(&self, job: Job, model: &EvalModel) -> RunRecord {
        let reasons = vec![RunReason::CostLimit];
        RunRecord { case: job.case, model: model.name.clone(), run: job.run, reasons, ..RunRecord::default() }
    }

    /// What is kept of a run in which this program failed.
    fn failed(&self, job: Job, model: &EvalModel) -> RunRecord {
        let reasons = vec![RunReason::NotJudged { why: "this program failed".to_owned() }];
        RunRecord { outcome: RunOutcome::Error, reasons, ..self.unmade(job, model) }
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
        let counts = self.suite.verdict_of(case);
        let mut run = StaticRun::new(case, &self.offers[job.model], &self.prompt, self.options.max_steps);
        let started = Instant::now();
        let (mut first_token_ms, mut failure) = (None, None);
        // Asked once for each model, while its other runs wait.
        let mut leave_out = locked(learned).get_or_insert_with(|| service.leave_out(model)).clone();
        let mut check = |tool: &SuiteTool, arguments: &serde_json::Value| {
            let mistake = validators.mistake(&tool.input_schema.to_string(), &arguments.to_string())?;
            Some(mistake.text)
        };
        while !run.is_over() && case.expected != Expectation::Incomplete {
            let max_tokens = self.options.max_tokens.or(model.max_tokens);
            let request = ChatRequest { max_tokens, ..run.request(&model.model) };
            match service.ask(model, request, &mut leave_out) {
                Ok(timed) => {
                    let ms =
                        timed.first_token.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
                    first_token_ms = first_token_ms.or(ms);
                    run.answered(timed.answer, &mut check);
                }
                Err(error) => {
                    failure = Some(RunReason::Model { class: error.class, message: error.message });
                    break;
                }
            }
        }
        *locked(learned) = Some(leave_out);
        let mut record = run.end(counts);
        if let Some(reason) = failure {
            (record.outcome, record.exact, record.lenient) = (RunOutcome::Error, None, None);
            (record.reasons, record.rows) = (vec![reason], Vec::new());
        }
        let cost = |usage: &Usage| Some(Cost::of(usage, model.price.as_ref()?));
        record.cost = record.usage.as_ref().and_then(cost);
        record.ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        RunRecord { case: job.case, model: model.name.clone(), run: job.run, first_token_ms, ..record }
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

    fn report(
        &self,
        cells: Vec<RunRecord>,
        suite: SuiteFacts,
        models: &[EvalModel],
        tools: &[SuiteTool],
    ) -> EvalReport {
        let facts = |(model, offer): (&EvalModel, &EvalOffer)| ModelFacts {
            name: model.name.clone(),
            sent: offer.hash(),
            lost: offer.lost.clone(),
        };
        EvalReport {
            format: REPORT_FORMAT.to_owned(),
            version: REPORT_VERSION,
            product: env!("CARGO_PKG_VERSION").to_owned(),
            taken: u64::try_from(Zoned::now().timestamp().as_second()).unwrap_or_default(),
            suite,
            environment: EvalEnvironment {
                mode: EvalMode::Static,
                tools_hash: tools_hash(tools),
                prompt: self.facts.clone(),
                date: self.date.to_string(),
            },
            models: models.iter().zip(&self.offers).map(facts).collect(),
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

fn prompt_of(prompt: Prompt, language: Language, today: &str) -> EvalPrompt {
    match prompt {
        Prompt::Bare => EvalPrompt::bare(language, today),
        Prompt::Product => {
            EvalPrompt { system: prompt::beside_tools(language, today), frame: |text| framed(ORIGIN, text) }
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
