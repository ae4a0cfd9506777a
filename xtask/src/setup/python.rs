//! Python packages, in a virtual environment of their own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::run;
use crate::setup::apt;

/// The oldest Python that the packages support.
const OLDEST: (u32, u32) = (3, 10);

/// Names on PATH.
const NAMES: [&str; 2] = ["python3", "python"];

/// The Debian package with Python's virtual environments.
const PACKAGES: [&str; 1] = ["python3-venv"];

/// Long enough for a download of several hundred megabytes.
const INSTALL_LIMIT: Duration = Duration::from_secs(30 * 60);

/// A virtual environment in the user's cache.
pub struct Environment {
    folder: PathBuf,
    /// Its packages: names and versions on PyPI.
    packages: &'static [(&'static str, &'static str)],
}

impl Environment {
    /// The environment of this name, with these packages.
    pub fn new(name: &str, packages: &'static [(&'static str, &'static str)]) -> Self {
        Self { folder: cache().join(name), packages }
    }

    /// Its Python.
    pub fn python(&self) -> PathBuf {
        let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.folder.join(program)
    }

    /// Make sure that it exists and has exactly these versions of its packages.
    pub fn ensure(&self) -> Result<String> {
        if self.is_complete() {
            return Ok(format!("there already ({})", self.folder.display()));
        }
        self.make()?;
        let wanted = self.packages.iter().map(|(name, version)| format!("{name}=={version}"));
        run::quietly(
            "installing Python packages",
            Command::new(self.python())
                .args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"])
                .args(wanted),
            INSTALL_LIMIT,
        )
        .with_context(|| {
            format!(
                "PyPI did not give the packages. They are built for Linux, macOS and Windows on common processors; with \
                 the network at hand, run this again, or throw {} away first",
                self.folder.display()
            )
        })?;
        Ok(format!("installed in {}", self.folder.display()))
    }

    fn make(&self) -> Result<()> {
        let python = find()?;
        let folder = self.folder.display();
        run::captured(Command::new(&python).args(["-m", "venv"]).arg(&self.folder)).map(drop).with_context(
            || {
                let hint = if apt::on_debian() {
                    format!("; on Debian, as root: `{}`", apt::command(&PACKAGES))
                } else {
                    String::new()
                };
                format!("{} cannot make a virtual environment in {folder}{hint}", python.display())
            },
        )
    }

    fn is_complete(&self) -> bool {
        let script = "import sys, importlib.metadata as m; [print(m.version(name)) for name in sys.argv[1:]]";
        let names = self.packages.iter().map(|(name, _)| name);
        let versions = run::captured(Command::new(self.python()).args(["-c", script]).args(names));
        let wanted = self.packages.iter().map(|(_, version)| *version);
        versions.is_ok_and(|versions| versions.lines().eq(wanted))
    }
}

/// A Python that is not too old.
fn find() -> Result<PathBuf> {
    let (major, minor) = OLDEST;
    let found: Vec<_> = NAMES
        .iter()
        .filter_map(|name| run::on_path(name))
        .filter_map(|program| Some((version(&program)?, program)))
        .collect();
    let hint = format!("Install Python {major}.{minor} or newer (python.org, or your system's packages)");
    match found.iter().find(|(version, _)| *version >= OLDEST) {
        Some((_, program)) => Ok(program.clone()),
        None if found.is_empty() => bail!("Python is not installed. {hint}, then run this again"),
        None => bail!("The Python that is installed is too old. {hint}, then run this again"),
    }
}

fn version(program: &Path) -> Option<(u32, u32)> {
    read_version(&run::captured(Command::new(program).arg("--version")).ok()?)
}

/// The first two numbers of Python's version, like `Python 3.11.7`.
fn read_version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.strip_prefix("Python ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The project's folder in the user's cache.
fn cache() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("webmcp-sidecar")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read() {
        assert_eq!(read_version("Python 3.11.7"), Some((3, 11)));
        assert_eq!(read_version("Python 2.7.18"), Some((2, 7)));
        assert_eq!(read_version("Python"), None);
        assert!(read_version("Python 3.9.2").is_some_and(|version| version < OLDEST));
    }

    #[test]
    fn environment_that_is_not_there_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        let environment =
            Environment { folder: folder.path().join("none"), packages: &[("xllamacpp", "1.0.0")] };
        assert!(!environment.is_complete());
    }
}
