//! The SKILLs that ship: of each its tools, its steps and its package; an index of them all, and the list of those that
//! may not run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sidecar_skills::package::zip;
use sidecar_skills::{SkillDefinition, offer};

use super::Package;
use crate::skills::folder;

/// The files of the extension's folder `skills`. Every SKILL in the source folder has to pass the check, with nothing to
/// be told about it.
pub fn shipped(source: &Path) -> Result<Package> {
    let (mut definitions, mut packed) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(source).with_context(|| format!("cannot read {}", source.display()))?;
    let mut folders: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    for path in folders {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = folder(&path)?.map_err(|problem| anyhow::anyhow!("skills/{name}: {problem}"))?.0;
        let checked = match sidecar_skills::check(&files, Some(&name)) {
            Ok(checked) => checked,
            Err(problems) => bail!("skills/{name}: {}", sentences(&problems)),
        };
        if !checked.told.is_empty() {
            bail!("skills/{name}: {}", sentences(&checked.told));
        }
        packed.push((format!("{name}.zip.txt"), STANDARD.encode(zip::pack(&files))));
        definitions.extend(checked.definition);
    }
    let mut package = files(&definitions.iter().collect::<Vec<_>>())?;
    for (name, text) in packed {
        package.insert(&name, text.into_bytes());
    }
    let revoked = source.join("revoked.json");
    let text = fs::read(&revoked).with_context(|| format!("cannot read {}", revoked.display()))?;
    package.insert("revoked.json", text);
    Ok(package)
}

/// The files of these SKILLs in the extension's folder `skills`.
pub fn files(definitions: &[&SkillDefinition]) -> Result<Package> {
    let mut package = Package::default();
    let mut index = Vec::new();
    for definition in definitions {
        let id = &definition.id;
        index.push(offer::indexed(definition));
        package.insert(&format!("{id}.tools.json"), serde_json::to_vec(&offer::placed(definition))?);
        package.insert(&format!("{id}.json"), serde_json::to_vec(definition)?);
    }
    package.insert("index.json", serde_json::to_vec(&index)?);
    Ok(package)
}

fn sentences(problems: &[sidecar_skills::PackageProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}
