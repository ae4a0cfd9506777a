//! `cargo xtask`: set-up, build, tests and checks of WebMCP Sidecar.
#![allow(clippy::print_stdout)] // a program that talks to a terminal

mod artifact;
mod bench;
mod budget;
mod bundle;
mod ci;
mod dist;
mod doctor;
mod e2e;
mod evals;
mod fuzz;
mod matrix;
mod paths;
mod replay;
mod run;
mod say;
mod script;
mod setup;
mod skills;
mod spoken;
mod table;
mod test;
mod tidy;
mod toolchain;
mod tools;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::bundle::Kind;

/// Set-up, build, tests and checks of WebMCP Sidecar. Each command does the set-up and the builds that it needs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring what is missing on this machine: WebAssembly target, npm packages, browser, fonts
    Setup,
    /// Show what this machine has and lacks, and how to get it
    Doctor,
    /// Build the unpacked extension into dist/extension/
    Build {
        /// As it ships: optimised and minified
        #[arg(long)]
        release: bool,
    },
    /// Build the zip for the store into dist/
    Dist,
    /// Open a browser with the extension and the demo site, and let the agent search flights; with `--shop`, let it shop
    /// with the tools of a SKILL; with `--inspector`, look at the shop's own tools in the workbench
    Demo(ScriptArguments),
    /// Run all tests: unit tests, then end to end in a browser
    Test(test::TestOptions),
    /// Read a recorded response of a model's service as the extension reads it
    Replay(replay::ReplayOptions),
    /// Feed what reads a model's services with streams that are nearly right, for longer than the tests do
    Fuzz(fuzz::FuzzOptions),
    /// Measure speed and sizes
    Bench(ScriptArguments),
    /// Kill the worker at every point of a conversation, and count what was lost or done twice
    Chaos(ScriptArguments),
    /// Take the pictures of the panel that the READMEs show
    Screenshots(ScriptArguments),
    /// Make, check, test and pack SKILLs
    Skills(skills::SkillsOptions),
    /// Run suites of evals with models, check suites, and convert others into the format of webmcp-evals
    Evals(Box<evals::EvalsOptions>),
    /// Say what is wrong with a site's tools, and what a new version of them breaks
    Tools(tools::ToolsOptions),
    /// Hold the sizes of what ships against their budgets
    Budget,
    /// Check the rules about the project's shape
    Tidy,
    /// Everything that a change must pass: format, tidy, clippy, budgets, tests
    Ci,
}

/// Arguments for a program under tests/, which explains them itself.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct ScriptArguments {
    /// Passed on; --help tells what there is
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

fn main() -> ExitCode {
    perform(CommandLine::parse().task).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn perform(task: Task) -> Result<ExitCode> {
    match task {
        Task::Setup => setup::everything()?,
        Task::Doctor => doctor::report()?,
        Task::Build { release } => bundle::build(if release { Kind::Release } else { Kind::Dev })?,
        Task::Dist => dist::make()?,
        Task::Demo(passed) => {
            let is = |wanted: &str| passed.arguments.iter().any(|argument| argument == wanted);
            let program = match (is("--shop"), is("--inspector")) {
                (true, _) => "demo-shop.mjs",
                (false, true) => "demo-inspector.mjs",
                (false, false) => "demo.mjs",
            };
            return script::run(program, &passed.arguments, || Ok(Vec::new()));
        }
        Task::Test(selection) => test::run(&selection)?,
        Task::Replay(selection) => return replay::run(&selection),
        Task::Fuzz(selection) => fuzz::run(&selection)?,
        Task::Bench(passed) => return bench::run(&passed.arguments),
        Task::Chaos(passed) => return script::run("chaos.mjs", &passed.arguments, || Ok(Vec::new())),
        Task::Screenshots(passed) => {
            return script::run("screenshots.mjs", &passed.arguments, || Ok(Vec::new()));
        }
        Task::Skills(options) => skills::run(&options)?,
        Task::Evals(options) => return Ok(evals::run(&options)),
        Task::Tools(options) => return tools::run(&options),
        Task::Budget => budget::check()?,
        Task::Tidy => tidy::check()?,
        Task::Ci => ci::run()?,
    }
    Ok(ExitCode::SUCCESS)
}
