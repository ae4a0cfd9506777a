//! `cargo xtask evals`: suites of evals, checked, converted, and run with models.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::spoken::Spoken;

mod check;
mod files;
mod lead;
mod live;
mod made_up;
mod model;
mod options;
mod output;
mod page;
mod plan;
mod run;
mod service;
mod small_model;
mod smoke;

/// Run suites of evals with models, check suites, and convert others into the format of webmcp-evals
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct EvalsOptions {
    #[command(subcommand)]
    task: Option<EvalsTask>,
    #[command(flatten)]
    run: options::RunOptions,
    /// Language of what is said, of reports, and of the system prompt
    #[arg(long, global = true, value_enum, default_value = "en")]
    language: Spoken,
}

#[derive(Subcommand)]
enum EvalsTask {
    /// Say how suites are read, and which of their expectations always pass, or never do. Ends with 1 if a verdict would be
    /// wrong, and with 2 if a file cannot be read
    Check {
        /// Suites: JSON files
        #[arg(required = true)]
        suites: Vec<PathBuf>,
        /// The tools of the site, as webmcp-evals keeps them: their names and schemas are looked at as well
        #[arg(long, value_name = "FILE")]
        tools: Option<PathBuf>,
    },
    /// Print a suite as webmcp-evals reads it
    Convert {
        /// The suite
        suite: PathBuf,
    },
    /// Make one report of those of all shards. Ends as a run does
    Merge {
        /// The reports
        #[arg(required = true)]
        reports: Vec<PathBuf>,
        /// Let shards be missing; their cases are left out
        #[arg(long)]
        partial: bool,
        /// The suite, for a report in the form of webmcp-evals
        #[arg(long, value_name = "FILE")]
        suite: Option<PathBuf>,
        #[command(flatten)]
        output: output::OutputOptions,
    },
}

/// Does what was asked for. What cannot be done at all ends with 2, because 1 says what a suite came to.
pub fn run(options: &EvalsOptions) -> ExitCode {
    perform(options).unwrap_or_else(|error| files::unusable(&format!("{error:#}")))
}

fn perform(options: &EvalsOptions) -> Result<ExitCode> {
    let language = options.language.into();
    match &options.task {
        Some(EvalsTask::Check { suites, tools }) => check::check(suites, tools.as_deref(), language),
        Some(EvalsTask::Convert { suite }) => check::convert(suite, language),
        Some(EvalsTask::Merge { reports, partial, suite, output }) => {
            output::merge(reports, suite.as_deref(), *partial, output, language)
        }
        None => run::run(&options.run, language),
    }
}
