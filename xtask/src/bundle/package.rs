//! The files of the extension in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Files by their path with forward slashes, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package(BTreeMap<String, Vec<u8>>);

impl Package {
    /// Read a folder with everything in it.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut package = Self::default();
        package.read_into("", folder)?;
        Ok(package)
    }

    fn read_into(&mut self, prefix: &str, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            let path = joined(prefix, &entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.read_into(&path, &entry.path())?;
            } else {
                self.0.insert(path, fs::read(entry.path())?);
            }
        }
        Ok(())
    }

    /// Make a folder hold these files and nothing else, touching only what differs. Returns how many files changed.
    pub fn write_to(&self, folder: &Path) -> Result<usize> {
        fs::create_dir_all(folder)?;
        let old = Self::read(folder)?;
        let mut changed = 0;
        for path in old.0.keys().filter(|path| !self.0.contains_key(*path)) {
            fs::remove_file(folder.join(path))?;
            changed += 1;
        }
        for (path, bytes) in &self.0 {
            if old.0.get(path) == Some(bytes) {
                continue;
            }
            let file = folder.join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
            changed += 1;
        }
        Ok(changed)
    }

    /// Put another package's files into a folder of this one.
    pub fn add_all(&mut self, folder: &str, other: Self) {
        self.0.extend(other.0.into_iter().map(|(path, bytes)| (joined(folder, &path), bytes)));
    }

    /// Add a file, or replace it.
    pub fn insert(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.insert(path.to_owned(), bytes);
    }

    /// A file's content.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// Keep only files whose path passes.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|path, _| keep(path));
    }

    /// Paths and contents, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// How many files.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_made_equal_and_only_differences_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut package = Package::default();
        package.insert("a.js", b"a".to_vec());
        package.insert("wasm/b.wasm", b"b".to_vec());
        assert_eq!(package.write_to(folder.path()).unwrap(), 2);
        assert_eq!(package.write_to(folder.path()).unwrap(), 0);
        assert_eq!(Package::read(folder.path()).unwrap(), package);

        package.retain(|path| path != "wasm/b.wasm");
        package.insert("a.js", b"changed".to_vec());
        assert_eq!(package.write_to(folder.path()).unwrap(), 2);
        assert_eq!(Package::read(folder.path()).unwrap(), package);
    }

    #[test]
    fn packages_are_put_together_by_folder() {
        let (mut all, mut part) = (Package::default(), Package::default());
        part.insert("x.js", b"x".to_vec());
        all.add_all("wasm", part.clone());
        all.add_all("", part);
        assert_eq!(all.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["wasm/x.js", "x.js"]);
    }
}
