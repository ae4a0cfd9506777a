//! `cargo xtask skills`: what authors of SKILLs need.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use sidecar_protocol::settings::Language;
use sidecar_skills::package::zip;
use sidecar_skills::{CheckedPackage, PackageProblem, SkillPackage, check};

/// Make, check and pack SKILLs
#[derive(Args)]
pub struct SkillsOptions {
    #[command(subcommand)]
    task: SkillsTask,
    /// Language of what is said
    #[arg(long, global = true, value_enum, default_value = "en")]
    language: Spoken,
}

#[derive(Clone, Copy, ValueEnum)]
enum Spoken {
    En,
    Zh,
}

impl From<Spoken> for Language {
    fn from(spoken: Spoken) -> Self {
        match spoken {
            Spoken::En => Self::English,
            Spoken::Zh => Self::Chinese,
        }
    }
}

#[derive(Subcommand)]
enum SkillsTask {
    /// Make a folder with a SKILL that passes the check, to begin with
    New {
        /// The folder to make; its name is that of the SKILL
        folder: PathBuf,
    },
    /// Say what is wrong with SKILLs, where, and what to do about it
    Check {
        /// Folders, or zip files
        #[arg(required = true)]
        packages: Vec<PathBuf>,
    },
    /// Pack a SKILL as it can be handed on: the same files make the same zip
    Pack {
        /// Its folder
        folder: PathBuf,
        /// The zip; NAME-VERSION.zip here without it
        #[arg(long)]
        to: Option<PathBuf>,
    },
}

/// Does what was asked for.
pub fn run(options: &SkillsOptions) -> Result<()> {
    let language = options.language.into();
    match &options.task {
        SkillsTask::New { folder } => {
            make(folder)?;
            checked(folder, language)?;
        }
        SkillsTask::Check { packages } => {
            let failed = packages.iter().filter(|package| checked(package, language).is_err()).count();
            if failed > 0 {
                bail!("{failed} of {} cannot be installed", packages.len());
            }
        }
        SkillsTask::Pack { folder, to } => {
            let (package, found) = checked(folder, language)?;
            let version =
                found.definition.map(|it| it.version).or(found.text.metadata.get("version").cloned());
            let name = [Some(found.text.name), version].into_iter().flatten().collect::<Vec<_>>().join("-");
            let file = to.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.zip")));
            let bytes = zip::pack(&package);
            fs::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
            println!("  {}: {} bytes", file.display(), bytes.len());
        }
    }
    Ok(())
}

/// Checks a package and tells what was found.
fn checked(place: &Path, language: Language) -> Result<(SkillPackage, CheckedPackage)> {
    let tell = |problems: &[PackageProblem]| {
        problems.iter().for_each(|problem| println!("    {}", problem.sentence(language)));
    };
    let name = name_of(place)?;
    let refused = |problems: &[PackageProblem]| {
        println!("  ✗ {}", place.display());
        tell(problems);
        anyhow::anyhow!("{} cannot be installed", place.display())
    };
    let (package, mut told) = read(place)?.map_err(|problem| refused(&[problem]))?;
    let folder = place.is_dir().then_some(name.as_str());
    let found = check(&package, folder).map_err(|problems| refused(&problems))?;
    told.extend(found.told.iter().cloned());
    let tools = found.definition.as_ref().map_or(0, |definition| definition.tools.len());
    println!("  ✓ {}: {} tools, {}", place.display(), tools, package.digest());
    tell(&told);
    Ok((package, found))
}

/// A package, and what was left out of it; or why nothing was taken.
type Taken = Result<(SkillPackage, Vec<PackageProblem>), PackageProblem>;

/// The files of a folder.
pub fn folder(place: &Path) -> Result<Taken> {
    let mut files = Vec::new();
    collect(place, place, &mut files)?;
    Ok(SkillPackage::of(files))
}

/// The files of a folder, or of a zip with one SKILL.
fn read(place: &Path) -> Result<Taken> {
    if place.is_dir() {
        return folder(place);
    }
    let bytes = fs::read(place).with_context(|| format!("cannot read {}", place.display()))?;
    let unpacked = zip::Zip::read(&bytes).and_then(|archive| {
        let folders = sidecar_skills::package::folders(archive.paths())?;
        Ok((folders, archive))
    });
    let (folders, archive) = match unpacked {
        Ok(unpacked) => unpacked,
        Err(problem) => return Ok(Err(problem)),
    };
    let [folder] = folders.as_slice() else {
        bail!("{} holds {} SKILLs; unpack it and check them one by one", place.display(), folders.len());
    };
    Ok(archive.unpack(folder))
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
            continue;
        }
        let parts = path.strip_prefix(root)?.iter().map(|part| part.to_string_lossy());
        let name = parts.collect::<Vec<_>>().join("/");
        files.push((name, fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?));
    }
    Ok(())
}

fn name_of(place: &Path) -> Result<String> {
    let whole = std::path::absolute(place)?;
    let name = whole.file_name().context("a path to a folder is needed")?;
    Ok(name.to_string_lossy().into_owned())
}

/// Makes a folder with a SKILL to begin with.
fn make(folder: &Path) -> Result<()> {
    let name = name_of(folder)?;
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !name.split('-').all(is_part) || name.len() > 64 {
        bail!("{name} is not a name for a SKILL: use lower-case letters, digits and single hyphens");
    }
    if folder.exists() {
        bail!("{} is there already", folder.display());
    }
    for (path, text) in [("SKILL.md", TEXT), ("webmcp/skill.json", TOOLS)] {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        let words = name.replace('-', "_");
        fs::write(&file, text.replace("NAME", &name).replace("WORDS", &words))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

const TEXT: &str = r#"---
name: NAME
description: Reads the page of example.com. Use it when the user asks what stands there.
license: MIT
metadata:
  version: "0.1.0"
  webmcp-sidecar: "webmcp/skill.json"
---

Call `WORDS_read` on a page of example.com.
"#;

const TOOLS: &str = r#"{
  "format": 1,
  "id": "NAME",
  "version": "0.1.0",
  "title": { "en": "Example", "zh": "示例" },
  "summary": { "en": "Reads the page of example.com.", "zh": "读取 example.com 的页面。" },
  "match": ["https://example.com/*"],
  "verifiedOn": "",
  "permissions": { "sites": ["https://example.com/*"] },
  "locators": {
    "heading": { "any": [{ "css": "h1" }, { "role": "heading" }] }
  },
  "pages": {
    "start": {
      "match": ["https://example.com/"],
      "probes": [{ "at": "heading", "is": "visible" }]
    }
  },
  "tools": [
    {
      "name": "WORDS_read",
      "title": { "en": "Read the heading", "zh": "读取标题" },
      "description": "Returns the heading of the page.",
      "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
      "annotations": { "readOnlyHint": true, "untrustedContentHint": true },
      "pages": ["start"],
      "class": "read",
      "steps": [
        { "do": "read", "at": "heading", "what": "text", "as": "heading" },
        { "do": "return", "value": { "heading": "{{heading}}" } }
      ]
    }
  ]
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_skill_passes_and_its_zip_is_the_same_package() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("my-skill");
        make(&folder).unwrap();
        let (package, found) = checked(&folder, Language::English).unwrap();
        assert_eq!(
            (found.told, found.definition.unwrap().tools[0].name.as_str()),
            (Vec::new(), "my_skill_read")
        );
        let file = place.path().join("a.zip");
        let options = |task| SkillsOptions { task, language: Spoken::En };
        run(&options(SkillsTask::Pack { folder: folder.clone(), to: Some(file.clone()) })).unwrap();
        let (again, _) = checked(&file, Language::Chinese).unwrap();
        assert_eq!(again.digest(), package.digest());
        assert!(make(&folder).is_err(), "nothing is written over");
        assert!(make(&place.path().join("Bad Name")).is_err());
    }

    #[test]
    fn what_cannot_be_installed_fails() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("broken");
        make(&folder).unwrap();
        fs::write(folder.join("webmcp/skill.json"), "{}").unwrap();
        let options =
            SkillsOptions { task: SkillsTask::Check { packages: vec![folder] }, language: Spoken::Zh };
        assert!(run(&options).is_err());
    }
}
