//! `cargo xtask`: set-up, build, tests and checks of WebMCP Sidecar.
#![allow(clippy::print_stdout)] // a program that talks to a terminal

mod bundle;
mod matrix;
mod paths;
mod run;
mod say;
mod setup;
mod toolchain;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::bundle::Kind;

/// Set-up, build, tests and checks of WebMCP Sidecar.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring what is missing on this machine: WebAssembly target, npm packages, browser, fonts
    Setup,
    /// Build the unpacked extension into dist/extension/
    Build {
        /// As it ships: optimised and minified
        #[arg(long)]
        release: bool,
    },
}

fn main() -> ExitCode {
    match perform(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<()> {
    match task {
        Task::Setup => setup::everything(),
        Task::Build { release } => bundle::build(if release { Kind::Release } else { Kind::Dev }),
    }
}
