//! `wasm-pack.toml`: what is built, where it lands, how large it may be.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer};

/// The whole file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// How the two kinds of build are made.
    pub profile: Profiles,
    /// The crates that become WASM, in the order in which they are built.
    #[serde(rename = "crate")]
    pub crates: Vec<WasmCrate>,
    /// How large what ships may be.
    pub budget: Budget,
}

/// The two kinds of build.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// For daily work.
    pub dev: Profile,
    /// What ships.
    pub release: Profile,
}

/// The settings of one kind of build.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// The cargo profile.
    pub cargo: String,
    /// Whether JavaScript and styles are minified.
    #[serde(default)]
    pub minify: bool,
    /// Arguments of wasm-opt; without any it is not run.
    #[serde(default)]
    pub wasm_opt: Vec<String>,
}

/// A crate that becomes a WASM module with its JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WasmCrate {
    /// The cargo package.
    pub name: String,
    /// Its folder in the repository.
    pub path: String,
    /// The folder inside the extension.
    pub out_dir: String,
    /// `worker` gives `worker.js` and `worker_bg.wasm`.
    pub out_name: String,
    /// Whether the JavaScript can drop an instance that trapped and make a new one (`__wbg_reset_state`).
    #[serde(default)]
    pub reset_state: bool,
    /// Whether its functions marked `wasm_split`, with what only they need, become files of their own.
    #[serde(default)]
    pub has_parts: bool,
}

/// How large what ships may be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The zip for the store.
    pub package: ByteSize,
    /// Files of the unpacked extension, by their path in it.
    pub files: BTreeMap<String, ByteSize>,
}

/// A number of bytes, written like `32 KiB` or `0.8 MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

impl Matrix {
    /// Read the file.
    pub fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not as expected", file.display()))
    }
}

const UNITS: [(&str, f64); 3] = [(" MiB", 1024.0 * 1024.0), (" KiB", 1024.0), (" B", 1.0)];

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = UNITS
            .iter()
            .find_map(|(unit, bytes)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * bytes))
            .filter(|bytes| *bytes >= 0.0);
        let expected =
            || serde::de::Error::custom(format!("{text:?} is no size like \"32 KiB\" or \"0.8 MiB\""));
        // Whole bytes, at most some MiB: nothing is lost.
        bytes.map(|bytes| Self(bytes as u64)).ok_or_else(expected)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
            Some((name, unit)) if *unit > 1.0 => write!(f, "{:.2}{name}", bytes / unit),
            Some(_) | None => write!(f, "{} B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths;

    #[test]
    fn matrix_of_the_project_is_valid_and_its_crates_exist() {
        let matrix = Matrix::read(&paths::matrix()).unwrap();
        assert_eq!(matrix.profile.release.cargo, "release");
        for one in &matrix.crates {
            let manifest = fs::read_to_string(paths::root().join(&one.path).join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&format!("name = \"{}\"", one.name)), "{}", one.path);
        }
    }

    #[test]
    fn sizes_are_read_and_shown_in_binary_units() {
        #[derive(Deserialize)]
        struct Sizes {
            sizes: Vec<ByteSize>,
        }
        let read: Sizes = toml::from_str(r#"sizes = ["0.8 MiB", "32 KiB", "7 B"]"#).unwrap();
        assert_eq!(read.sizes, [ByteSize(838_860), ByteSize(32_768), ByteSize(7)]);
        assert_eq!(
            read.sizes.iter().map(ByteSize::to_string).collect::<Vec<_>>(),
            ["819.20 KiB", "32.00 KiB", "7 B"]
        );
        assert!(toml::from_str::<Sizes>(r#"sizes = ["32 kB"]"#).is_err());
    }
}
