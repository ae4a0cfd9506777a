//! Node.js and npm packages.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::run;

/// The oldest Node.js whose test runner has the features that the suite uses.
const OLDEST: u32 = 20;

const INSTALL_LIMIT: Duration = Duration::from_secs(10 * 60);

/// Check that Node.js is installed and not too old. It is not installed here: every system has its own way.
pub fn ensure() -> Result<String> {
    let version = version().with_context(|| {
        format!(
            "Node.js is not installed. Install Node.js {OLDEST} or newer with npm (nodejs.org, or your system's packages), \
             then run this again"
        )
    })?;
    if major(&version).is_none_or(|major| major < OLDEST) {
        bail!(
            "Node.js {version} is too old: {OLDEST} or newer is needed. Install a newer one, then run this again"
        );
    }
    Ok(version)
}

/// The version as Node.js prints it, like `v20.20.2`.
pub fn version() -> Result<String> {
    run::captured(Command::new("node").arg("--version"))
}

/// Install a folder's npm packages, exactly as its lock file has them.
pub fn ensure_packages(folder: &Path) -> Result<String> {
    if installed(folder)? {
        return Ok("there already".to_owned());
    }
    ensure()?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    run::quietly(
        &format!("npm ci in {name}"),
        Command::new(npm()).arg("ci").current_dir(folder),
        INSTALL_LIMIT,
    )?;
    Ok("installed by npm".to_owned())
}

/// Whether a folder's npm packages are installed and no older than its lock file.
pub fn installed(folder: &Path) -> Result<bool> {
    let lock = folder.join("package-lock.json");
    let wanted = fs::metadata(&lock).with_context(|| format!("{} is missing", lock.display()))?.modified()?;
    // npm writes this list when it is done.
    let Ok(list) = fs::metadata(folder.join("node_modules/.package-lock.json")) else { return Ok(false) };
    Ok(list.modified()? >= wanted)
}

/// A program from one of a folder's npm packages.
pub fn tool(folder: &Path, name: &str) -> Command {
    let file = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
    Command::new(folder.join("node_modules/.bin").join(file))
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_version_is_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("weird"), None);
    }

    #[test]
    fn packages_count_as_installed_only_when_no_older_than_the_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(installed(folder.path()).is_err(), "no lock file");
        fs::write(folder.path().join("package-lock.json"), "{}").unwrap();
        assert!(!installed(folder.path()).unwrap(), "nothing installed");
        fs::create_dir(folder.path().join("node_modules")).unwrap();
        fs::write(folder.path().join("node_modules/.package-lock.json"), "{}").unwrap();
        assert!(installed(folder.path()).unwrap());
        let lock = fs::File::options().append(true).open(folder.path().join("package-lock.json")).unwrap();
        lock.set_modified(std::time::SystemTime::now() + Duration::from_secs(60)).unwrap();
        assert!(!installed(folder.path()).unwrap(), "the lock file is newer");
    }
}
