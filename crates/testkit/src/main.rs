//! `scripted-model`: the scripted model server as a program, for the demo and for tests that are not in Rust.
#![allow(clippy::print_stdout)] // its one line on stdout is how the caller learns the address

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::thread;

use anyhow::Context;
use clap::Parser;
use sidecar_testkit::{DEFAULT_KEY, Scenarios, ScriptedModel, ServerOptions};

/// A scripted model server for demo and tests: it speaks as the models' services do, but its answers come from
/// scenario files and no model is behind it.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Folder with the scenario files; a file `NAME.toml` is the model `NAME`.
    #[arg(long, value_name = "DIR")]
    scenarios: PathBuf,
    /// Port on 127.0.0.1; 0 for any that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The key that clients have to send.
    #[arg(long, default_value = DEFAULT_KEY)]
    key: String,
    /// Go on when standard input closes; without it the server ends together with the program that started it.
    #[arg(long)]
    stay: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let scenarios = Scenarios::load(&arguments.scenarios)?;
    let names: Vec<String> = scenarios.names().map(str::to_owned).collect();
    let model = ScriptedModel::start(ServerOptions { scenarios, port: arguments.port, key: arguments.key })
        .with_context(|| format!("cannot listen on 127.0.0.1:{}", arguments.port))?;
    eprintln!(
        "scripted model at {} (scripted answers, no real model behind it): {}",
        model.url(),
        names.join(", ")
    );
    println!("{}", serde_json::json!({"url": model.url()}));
    io::stdout().flush()?;
    if arguments.stay {
        loop {
            thread::park();
        }
    }
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
