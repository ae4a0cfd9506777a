//! The environment of the programs under `tests/`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::bundle::{self, Kind, stamp};
use crate::setup::{browser, node};
use crate::toolchain::Toolchain;
use crate::{artifact, paths, say, setup};

/// Everything that tests in a browser need: set-up, extension, scripted model server.
pub struct SuiteSetup {
    browser: PathBuf,
    scripted_model: PathBuf,
}

impl SuiteSetup {
    /// Install and build what is missing.
    pub fn ready() -> Result<Self> {
        setup::everything()?;
        bundle::build(Kind::Release)?;
        Self::here()
    }

    /// The same for a single file, as fast as possible: uses the last build of either kind unless its
    /// sources are newer, in which case it is built for daily work.
    pub fn quick() -> Result<Self> {
        if browser::find()?.is_none() || !node::installed(&paths::tests())? {
            setup::everything()?;
        }
        if !stamp::is_fresh()? {
            bundle::build(Kind::Dev)?;
        }
        Self::here()
    }

    /// The same without any set-up or build: what is there is used, and what is missing is an error.
    pub fn built() -> Result<Self> {
        if !node::installed(&paths::tests())? {
            bail!("the npm packages of the tests are missing; run `cargo xtask setup`");
        }
        if !paths::extension().join("manifest.json").exists() {
            bail!("the extension is not built; run `cargo xtask build`");
        }
        Ok(Self { browser: browser::require()?.program, scripted_model: PathBuf::new() })
    }

    /// A browser and the npm packages, for programs that need no extension.
    pub fn without_extension() -> Result<Self> {
        if browser::find()?.is_none() || !node::installed(&paths::tests())? {
            setup::everything()?;
        }
        Ok(Self { browser: browser::require()?.program, scripted_model: PathBuf::new() })
    }

    fn here() -> Result<Self> {
        let scripted_model = say::stage("scripted model server", || {
            let mut cargo = Toolchain::Active.cargo();
            cargo.args(["build", "--package", "sidecar-testkit", "--bin", "scripted-model"]);
            artifact::build(&mut cargo, |artifact| artifact.executable.map(Into::into))
        })?;
        Ok(Self { browser: browser::require()?.program, scripted_model })
    }

    /// Node.js in `tests/`, with its environment variables.
    pub fn node(&self) -> Command {
        let mut node = Command::new("node");
        node.current_dir(paths::tests())
            .env("SIDECAR_EXTENSION", paths::extension())
            .env("SIDECAR_SCENARIOS", paths::tests().join("scenarios"))
            .env("SIDECAR_SCRIPTED_MODEL", &self.scripted_model)
            .env(browser::VARIABLE, &self.browser);
        if let Ok(this) = std::env::current_exe() {
            // Where tests were built meanwhile, another file has its place, and Linux says so in the name.
            let name = this.to_string_lossy();
            node.env("SIDECAR_XTASK", name.strip_suffix(" (deleted)").unwrap_or(&name));
        }
        node
    }
}
