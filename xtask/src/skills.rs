//! `cargo xtask skills`: what authors of SKILLs need.

mod template;
mod test;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use sidecar_protocol::settings::Language;
use sidecar_skills::package::zip;
use sidecar_skills::{CheckedPackage, PackageProblem, SkillPackage, check};

use crate::spoken::Spoken;

/// Make, check, test and pack SKILLs
#[derive(Args)]
pub struct SkillsOptions {
    #[command(subcommand)]
    task: SkillsTask,
    /// Language of what is said
    #[arg(long, global = true, value_enum, default_value = "en")]
    language: Spoken,
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
    /// Run the tests of SKILLs in the browser, on their fixtures and on those as a site may change them
    Test {
        /// Folders
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
            template::make(folder)?;
            checked(folder, language)?;
        }
        SkillsTask::Check { packages } => {
            let failed = packages.iter().filter(|package| checked(package, language).is_err()).count();
            if failed > 0 {
                bail!("{failed} of {} cannot be installed", packages.len());
            }
        }
        SkillsTask::Test { packages } => {
            let mut tested = Vec::new();
            for folder in packages {
                let (_, found) = checked(folder, language)?;
                let Some(definition) = found.definition else { bail!("{} has no tools", folder.display()) };
                tested.push((folder.as_path(), definition));
            }
            test::run(&tested)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_skill_passes_and_its_zip_is_the_same_package() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("my-skill");
        template::make(&folder).unwrap();
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
        assert!(template::make(&folder).is_err(), "nothing is written over");
        assert!(template::make(&place.path().join("Bad Name")).is_err());
    }

    #[test]
    fn what_cannot_be_installed_fails() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("broken");
        template::make(&folder).unwrap();
        fs::write(folder.join("webmcp/skill.json"), "{}").unwrap();
        let options =
            SkillsOptions { task: SkillsTask::Check { packages: vec![folder] }, language: Spoken::Zh };
        assert!(run(&options).is_err());
    }
}
