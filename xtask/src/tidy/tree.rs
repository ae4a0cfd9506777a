//! The project's text files, in memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::run;

/// Texts by their path in the repository.
pub struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Read every text file that git tracks, or would add.
    pub fn read(root: &Path) -> Result<Self> {
        let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
        let files = run::captured(Command::new("git").args(list).current_dir(root))
            .context("the list of the project's files comes from git")?;
        // Listed files may be deleted; binary files are skipped.
        let text = |path: &str| Some((path.to_owned(), std::fs::read_to_string(root.join(path)).ok()?));
        Ok(Self(files.lines().filter_map(text).collect()))
    }

    /// A project made up for a test.
    #[cfg(test)]
    pub fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
    }

    /// A file's text.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// All files, by path.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files below a folder whose names end like this.
    pub fn below<'a>(&'a self, folder: &'a str, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.all().filter(move |(path, _)| path.starts_with(folder) && path.ends_with(ending))
    }
}
