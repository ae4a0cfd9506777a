//! What the programs under `tests/` are told about this machine and this build.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::bundle::{self, Kind, stamp};
use crate::setup::{browser, node};
use crate::toolchain::Toolchain;
use crate::{artifact, paths, say, setup};

/// Everything that drives the extension in a browser needs: set-up, what ships, the scripted model server.
pub struct SuiteSetup {
    browser: PathBuf,
    scripted_model: PathBuf,
}

impl SuiteSetup {
    /// Bring and build what is missing.
    pub fn ready() -> Result<Self> {
        setup::everything()?;
        bundle::build(Kind::Release)?;
        Self::here()
    }

    /// The same for one file, as soon as may be: with the extension that was built last, of whichever kind, unless its
    /// sources are newer. Then it is built for daily work.
    pub fn quick() -> Result<Self> {
        if browser::find()?.is_none() || !node::installed(&paths::tests())? {
            setup::everything()?;
        }
        if !stamp::is_fresh()? {
            bundle::build(Kind::Dev)?;
        }
        Self::here()
    }

    fn here() -> Result<Self> {
        let scripted_model = say::stage("scripted model server", || {
            let mut cargo = Toolchain::Active.cargo();
            cargo.args(["build", "--package", "sidecar-testkit", "--bin", "scripted-model"]);
            artifact::build(&mut cargo, |artifact| artifact.executable.map(Into::into))
        })?;
        Ok(Self { browser: browser::require()?.program, scripted_model })
    }

    /// Node.js in `tests/`, told where everything is.
    pub fn node(&self) -> Command {
        let mut node = Command::new("node");
        node.current_dir(paths::tests())
            .env("SIDECAR_EXTENSION", paths::extension())
            .env("SIDECAR_SCENARIOS", paths::tests().join("scenarios"))
            .env("SIDECAR_SCRIPTED_MODEL", &self.scripted_model)
            .env(browser::VARIABLE, &self.browser);
        node
    }
}
