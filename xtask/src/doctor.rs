//! Reports what this machine has, what it lacks, and how to get it.

use std::path::Path;

use anyhow::{Result, bail};

use crate::setup::{apt, browser, debian_std, fonts, node, wasm_target};
use crate::toolchain::{Toolchain, WASM, clean};
use crate::{paths, run, table};

const SET_UP: &str = "cargo xtask setup";

/// One thing to look for.
struct HealthCheck {
    what: &'static str,
    state: Health,
}

enum Health {
    /// It was found.
    Found(String),
    /// It is required and missing: how to get it.
    Missing(String),
    /// It is optional and missing: what it is for, and how to get it.
    Optional(String),
}

/// Print the report. An error if something required is missing.
pub fn report() -> Result<()> {
    let entries = [
        HealthCheck { what: "Rust", state: rust() },
        HealthCheck { what: "rustup", state: rustup() },
        HealthCheck { what: WASM, state: wasm() },
        HealthCheck { what: "Debian's Rust with source", state: debian() },
        HealthCheck { what: "Node.js", state: found(node::ensure()) },
        HealthCheck { what: "build tools (npm)", state: packages(&paths::tools()) },
        HealthCheck { what: "libraries that ship (npm)", state: packages(&paths::extension_source()) },
        HealthCheck { what: "test tools (npm)", state: packages(&paths::tests()) },
        HealthCheck { what: "browser", state: browser() },
        HealthCheck { what: "Chinese font", state: font() },
        HealthCheck { what: "cargo-nextest", state: nextest() },
    ];
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let (mark, detail) = match &entry.state {
                Health::Found(detail) => ("✓", detail),
                Health::Missing(detail) => ("✗", detail),
                Health::Optional(detail) => ("·", detail),
            };
            [mark, entry.what, detail].map(str::to_owned)
        })
        .collect();
    table::lines(&rows).iter().for_each(|line| println!("{line}"));
    let missing = entries.iter().filter(|entry| matches!(entry.state, Health::Missing(_))).count();
    match missing {
        0 => Ok(()),
        count => bail!("{count} missing, marked ✗"),
    }
}

fn rust() -> Health {
    match run::captured(Toolchain::Active.rustc().arg("--version")) {
        Ok(version) => Health::Found(version),
        Err(_) => Health::Missing("install it from rustup.rs".to_owned()),
    }
}

fn rustup() -> Health {
    // rustup prints the active rustc to standard error; the first line of its output is its own version.
    match run::captured(clean("rustup").arg("--version")) {
        Ok(version) => Health::Found(version.lines().next().unwrap_or_default().to_owned()),
        Err(_) if wasm_target::find().is_some() => {
            Health::Optional(format!("adds {WASM} elsewhere; rustup.rs"))
        }
        Err(_) => Health::Missing("install it from rustup.rs".to_owned()),
    }
}

fn wasm() -> Health {
    match wasm_target::find() {
        Some(toolchain) => Health::Found(format!("in {toolchain}")),
        None => Health::Missing(format!("{SET_UP} (or: rustup target add {WASM})")),
    }
}

fn debian() -> Health {
    if debian_std::PACKAGES.into_iter().all(apt::installed) {
        return Health::Found(debian_std::PACKAGES.join(", "));
    }
    let purpose = format!("makes {WASM} where rustup cannot download it");
    Health::Optional(if apt::on_debian() {
        format!("{purpose}; {}", apt::command(&debian_std::PACKAGES))
    } else {
        format!("{purpose}; on Debian only")
    })
}

fn packages(folder: &Path) -> Health {
    match node::installed(folder) {
        Ok(true) => Health::Found("installed".to_owned()),
        Ok(false) => Health::Missing(format!("{SET_UP} (or: npm ci in {})", folder.display())),
        Err(error) => Health::Missing(format!("{error:#}")),
    }
}

fn browser() -> Health {
    match browser::find() {
        Ok(Some(browser)) => Health::Found(format!("{} ({})", browser.version, browser.program.display())),
        Ok(None) => {
            Health::Missing(format!("{SET_UP} (or: install Chromium, or name one in {})", browser::VARIABLE))
        }
        Err(error) => Health::Missing(format!("{error:#}")),
    }
}

fn font() -> Health {
    let optional = |state: &str| Health::Optional(format!("{state}; Chinese screenshots need one"));
    match fonts::chinese() {
        Some(true) => Health::Found("installed".to_owned()),
        Some(false) => optional(&format!("missing ({SET_UP}, or: {})", apt::command(&[fonts::PACKAGE]))),
        None => optional("cannot tell without fontconfig"),
    }
}

fn nextest() -> Health {
    match run::captured(clean("cargo").args(["nextest", "--version"])) {
        Ok(version) => Health::Found(version.lines().next().unwrap_or_default().to_owned()),
        Err(_) => {
            Health::Optional("runs the unit tests faster; cargo install cargo-nextest --locked".to_owned())
        }
    }
}

fn found(outcome: Result<String>) -> Health {
    match outcome {
        Ok(detail) => Health::Found(detail),
        Err(error) => Health::Missing(format!("{error:#}")),
    }
}
