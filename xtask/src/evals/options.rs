//! What is said on the command line about a run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::civil::Date;
use sidecar_evals::EvalSuite;
use sidecar_evals::report::{EvalMode, MOST_RUNS};
use sidecar_evals::run::{MOST_STEPS, STEPS};
use sidecar_evals::shard::Shard;

use super::output::OutputOptions;

#[derive(Args)]
pub(super) struct RunOptions {
    /// The suite: a JSON file. Without one, the mode smoke makes up arguments for the page's tools
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// How calls are answered
    #[arg(long, value_enum, default_value = "static")]
    pub mode: AnswerMode,
    /// The tools of the site, as webmcp-evals keeps them; a suite may have them itself
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// A tool that is called with made-up arguments, too, though it may act; several times for several. Without, those are
    /// called that only read
    #[arg(long = "tool", value_name = "NAME", conflicts_with = "suite")]
    pub named: Vec<String>,
    /// The page with the tools, for all modes but static [default: the suite's startUrl]
    #[arg(long)]
    pub url: Option<String>,
    /// Use the browser's own WebMCP, in the modes live and simulation, and not that of the extension
    #[arg(long)]
    pub native: bool,
    /// Let calls of consequential tools reach the page, in all modes but static. Without, the case answers them, which it cannot in the modes simulation and smoke, or is skipped
    #[arg(long)]
    pub allow_consequential: bool,
    /// A model, as PROVIDER:MODEL, or local-small, which runs here; several times for several. Its key is in the environment,
    /// as DEEPSEEK_API_KEY
    #[arg(long = "model", value_name = "MODEL")]
    pub models: Vec<String>,
    /// The address of a provider, as PROVIDER=URL
    #[arg(long = "endpoint", value_name = "ADDRESS")]
    pub endpoints: Vec<String>,
    /// The price of a model per million tokens, as "PROVIDER:MODEL=INPUT/OUTPUT/CACHED CURRENCY"
    #[arg(long = "price", value_name = "PRICE")]
    pub prices: Vec<String>,
    /// Runs of each case with each model [default: 3; 5 with one model]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RUNS)))]
    pub runs: Option<u32>,
    /// Answers that a model has in a run
    #[arg(long, default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_STEPS)))]
    pub max_steps: u32,
    /// Tokens of an answer at most [default: the service's own]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: Option<u32>,
    /// The system prompt
    #[arg(long, value_enum, default_value = "product")]
    pub prompt: Prompt,
    /// The day that models are told, as 2026-11-26 [default: today]
    #[arg(long)]
    pub date: Option<Date>,
    /// Only cases with this tag; several times for several
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// The part of the suite to run, as 2/3; `merge` makes one report of all
    #[arg(long, value_name = "I/N", value_parser = read_shard)]
    pub shard: Option<Shard>,
    /// Runs at a time, for each provider; in a page it is one
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub jobs: u32,
    /// Begin no run when those before have cost more; needs the price of each model
    #[arg(long, value_name = "AMOUNT", value_parser = read_amount)]
    pub max_cost: Option<f64>,
    /// Do not ask before many runs
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub output: OutputOptions,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum AnswerMode {
    /// By what the suite has for them, without a browser
    Static,
    /// By the page, which is loaded anew for each run
    Live,
    /// By the page, which is judged by what it shows in the end; the suite is a simulations.json
    Simulation,
    /// By the page, with native WebMCP and without a model: the expected calls are made
    Smoke,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Prompt {
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

impl From<AnswerMode> for EvalMode {
    fn from(mode: AnswerMode) -> Self {
        match mode {
            AnswerMode::Static => Self::Static,
            AnswerMode::Live => Self::Live,
            AnswerMode::Simulation => Self::Simulation,
            AnswerMode::Smoke => Self::Smoke,
        }
    }
}

impl RunOptions {
    /// The page with the tools; empty if nobody names one.
    pub fn page<'o>(&'o self, suite: &'o EvalSuite) -> &'o str {
        self.url.as_deref().unwrap_or(&suite.start_url)
    }
}
