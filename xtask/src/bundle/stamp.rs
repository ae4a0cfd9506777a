//! Records when the extension in `dist/` was built, so that a single test file does not rebuild it if
//! nothing changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::paths;

/// Sources of the extension, from the repository's root.
const SOURCES: [&str; 8] = [
    "crates",
    "extension",
    "xtask/src/bundle",
    "xtask/tools/package-lock.json",
    ".cargo/config.toml",
    "wasm-pack.toml",
    "Cargo.toml",
    "Cargo.lock",
];

/// Crates that do not ship.
const TEST_CRATES: [&str; 2] = ["crates/testkit", "crates/bench"];

/// Whether the sources of the extension in `dist/` are unchanged since its build began.
pub fn is_fresh() -> Result<bool> {
    let Ok(built) = fs::metadata(file()).and_then(|stamp| stamp.modified()) else { return Ok(false) };
    let root = paths::root();
    let skipped = TEST_CRATES.map(|name| root.join(name));
    for source in SOURCES {
        if is_newer(&root.join(source), &skipped, built)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Record a successful build by its start: changes made during it may not be included.
pub fn set(begun: SystemTime) -> Result<()> {
    let file = file();
    File::create(&file)
        .and_then(|stamp| stamp.set_modified(begun))
        .with_context(|| format!("cannot write {}", file.display()))
}

fn file() -> PathBuf {
    paths::dist().join(".built")
}

/// Whether a file, or anything in a folder, is newer. A folder is newer if a file in it was added or
/// removed.
fn is_newer(path: &Path, skipped: &[PathBuf], than: SystemTime) -> Result<bool> {
    if skipped.iter().any(|one| one == path) {
        return Ok(false);
    }
    let facts = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if facts.modified()? >= than {
        return Ok(true);
    }
    if facts.is_dir() {
        for entry in fs::read_dir(path)? {
            if is_newer(&entry?.path(), skipped, than)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn folder_is_newer_when_a_file_in_it_changed_came_or_went() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a"), "a").unwrap();
        let hour = Duration::from_secs(3600);
        let (past, future) = (SystemTime::now() - hour, SystemTime::now() + hour);
        let newer = |skipped: &[PathBuf], than| is_newer(folder.path(), skipped, than).unwrap();
        assert!(newer(&[], past));
        assert!(!newer(&[], future));

        for path in [inner.join("a"), inner.clone(), folder.path().to_path_buf()] {
            File::open(path).unwrap().set_modified(past - hour).unwrap();
        }
        assert!(!newer(&[], past), "all of it is old");
        fs::write(inner.join("a"), "b").unwrap();
        assert!(newer(&[], past), "a file changed");
        assert!(!newer(std::slice::from_ref(&inner), past), "what does not ship does not count");
        File::open(inner.join("a")).unwrap().set_modified(past - hour).unwrap();
        fs::remove_file(inner.join("a")).unwrap();
        assert!(newer(&[], past), "a file went");
    }
}
