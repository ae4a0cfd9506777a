//! `manifest.json`, which differs between source, unpacked extension and store.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

/// Its path in the extension.
pub const FILE: &str = "manifest.json";

/// The manifest of the unpacked extension: that of the source, with the workspace's version.
pub fn with_version(source: &[u8], version: &str) -> Result<Vec<u8>> {
    // Chrome accepts only one to four numbers.
    ensure!(
        version.split('.').all(|part| part.parse::<u16>().is_ok()),
        "version {version} has more than numbers, which a browser refuses"
    );
    let mut manifest = parse(source)?;
    manifest.insert("version".to_owned(), version.into());
    write(&manifest)
}

/// The manifest for the store, without our key: the store assigns one.
pub fn without_key(built: &[u8]) -> Result<Vec<u8>> {
    let mut manifest = parse(built)?;
    manifest.remove("key");
    write(&manifest)
}

fn parse(text: &[u8]) -> Result<Map<String, Value>> {
    serde_json::from_slice(text).context("manifest.json is no JSON object")
}

fn write(manifest: &Map<String, Value>) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(manifest)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_comes_from_the_workspace() {
        let built = with_version(br#"{"name": "x"}"#, "1.2.3").unwrap();
        assert_eq!(parse(&built).unwrap()["version"], "1.2.3");
        assert!(with_version(b"{}", "1.2.3-rc.1").is_err());
    }

    #[test]
    fn store_gets_no_key() {
        let stored = without_key(br#"{"key": "abc", "name": "x"}"#).unwrap();
        assert_eq!(parse(&stored).unwrap().keys().collect::<Vec<_>>(), ["name"]);
    }
}
