//! The zip for the store.

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::bundle::{self, Kind, Package, manifest};
use crate::matrix::ByteSize;
use crate::{paths, say};

/// Build what ships and pack it.
pub fn make() -> Result<()> {
    bundle::build(Kind::Release)?;
    say::step("package for the store", || {
        let bytes = archive(&Package::read(&paths::extension())?)?;
        let file = file();
        fs::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(format!("{}, {}", file.display(), ByteSize(bytes.len() as u64)))
    })
}

/// The zip of an unpacked extension, without the key that fixes its id. Equal files give equal bytes:
/// entries are sorted and have the oldest time that the format supports.
pub fn archive(package: &Package) -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in package.iter() {
        zip.start_file(path, options)?;
        if path == manifest::FILE {
            zip.write_all(&manifest::without_key(bytes)?)?;
        } else {
            zip.write_all(bytes)?;
        }
    }
    Ok(zip.finish()?.into_inner())
}

fn file() -> PathBuf {
    paths::dist().join(format!("webmcp-sidecar-{}.zip", env!("CARGO_PKG_VERSION")))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::ZipArchive;

    use super::*;

    #[test]
    fn zip_is_the_same_each_time_and_its_manifest_has_no_key() {
        let mut package = Package::default();
        package.insert("wasm/worker.js", b"worker".to_vec());
        package.insert(manifest::FILE, br#"{"key": "abc", "name": "x"}"#.to_vec());
        let bytes = archive(&package).unwrap();
        assert_eq!(archive(&package).unwrap(), bytes);

        let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<_> = zip.file_names().map(str::to_owned).collect();
        assert_eq!(names, ["manifest.json", "wasm/worker.js"]);
        let mut text = String::new();
        zip.by_name(manifest::FILE).unwrap().read_to_string(&mut text).unwrap();
        assert!(!text.contains("key"), "{text}");
    }
}
