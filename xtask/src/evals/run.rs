//! Runs a suite with models.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Result;
use jiff::Zoned;
use sidecar_evals::report::{
    EvalEnvironment, EvalMode, EvalReport, EvalSettings, MOST_CELLS, MOST_MODELS, ModelFacts, REPORT_FORMAT,
    REPORT_VERSION, SuiteFacts, summary::ReportSummary,
};
use sidecar_evals::{EvalSuite, scripted, smoke, suite, tools};
use sidecar_protocol::settings::Language;

use super::files::{read, refused, unusable};
use super::live;
use super::made_up;
use super::model::{EvalModel, LOCAL_SMALL};
use super::options::{AnswerMode, RunOptions};
use super::output;
use super::plan::{RunPlan, Stage};
use super::small_model::SmallModel;

/// So many runs are made without a question.
const UNASKED: usize = 200;

/// Runs of each case, with several models and with one.
const RUNS: (u32, u32) = (3, 5);

/// Runs a suite, and says what came of it.
pub(super) fn run(options: &RunOptions, language: Language) -> Result<ExitCode> {
    let Some(file) = &options.suite else {
        return match options.mode {
            AnswerMode::Smoke => made_up::run(options, language),
            AnswerMode::Static | AnswerMode::Live | AnswerMode::Simulation => {
                Ok(unusable("give a suite with --suite FILE; --help tells the rest"))
            }
        };
    };
    let bytes = read(file)?;
    let read_suite = match options.mode {
        AnswerMode::Simulation => {
            scripted::read(&String::from_utf8_lossy(&bytes)).map_err(|fault| fault.sentence(language))
        }
        AnswerMode::Static | AnswerMode::Live | AnswerMode::Smoke => {
            suite::read(&bytes).map(|suite| (suite, Vec::new())).map_err(|fault| fault.sentence(language))
        }
    };
    let (suite, scripts) = match read_suite {
        Ok(read) => read,
        Err(why) => return Ok(refused(file, &why)),
    };
    suite.notes.iter().for_each(|note| eprintln!("  · {}", note.sentence(language)));
    let file_name = file.file_stem().unwrap_or_default().to_string_lossy();
    let url = options.page(&suite);
    let tools = match (options.mode, &options.tools, &suite.tools) {
        (AnswerMode::Live | AnswerMode::Simulation | AnswerMode::Smoke, ..) if url.is_empty() => {
            return Ok(unusable("this mode needs the page with the tools; give it with --url"));
        }
        (AnswerMode::Smoke, ..) => return try_out(options, &suite, &file_name, language),
        (AnswerMode::Live | AnswerMode::Simulation, ..) => None,
        (AnswerMode::Static, Some(file), _) => match tools::read(&read(file)?) {
            Ok(tools) => Some(tools),
            Err(fault) => return Ok(refused(file, &fault.sentence(language))),
        },
        (AnswerMode::Static, None, Some(tools)) => Some(tools.clone()),
        (AnswerMode::Static, None, None) => {
            return Ok(unusable("the suite has no tools; give them with --tools FILE"));
        }
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
    let stage = match tools {
        Some(tools) => Stage::Suite(tools),
        None => live::open(url, options, &models)?.map_or_else(Stage::Nowhere, Stage::Page),
    };
    let plan = RunPlan::new(options, (&suite, &scripts), stage, &models, runs, language);
    let cells = plan.perform(&cases);
    let report = plan.report(cells, SuiteFacts::of(&suite, &file_name));
    drop((plan, small));
    output::finish(&report, Some(&suite), baseline.as_ref(), &options.output, language)
}

/// Makes the expected calls of a suite in a page.
fn try_out(options: &RunOptions, suite: &EvalSuite, file_name: &str, language: Language) -> Result<ExitCode> {
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
    let (cells, tools) = super::smoke::perform(suite, &cases, options, language)?;
    let model = ModelFacts { name: smoke::MODEL.to_owned(), sent: String::new(), lost: Vec::new() };
    let environment = EvalEnvironment { mode: EvalMode::Smoke, ..EvalEnvironment::default() };
    let settings = EvalSettings { runs: 1, tags: options.tags.clone(), ..EvalSettings::default() };
    let report = EvalReport {
        format: REPORT_FORMAT.to_owned(),
        version: REPORT_VERSION,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        taken: u64::try_from(Zoned::now().timestamp().as_second()).unwrap_or_default(),
        suite: SuiteFacts::of(suite, file_name),
        environment: EvalEnvironment {
            date: date.to_string(),
            tools_without_case: suite.without_case(tools.iter().map(String::as_str)),
            ..environment
        },
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
