//! What an upload is: a zip or a folder with one SKILL or several, one of its files alone, or another form of which a
//! SKILL is made.

use sidecar_protocol::skill::ForeignForm;

use super::draft::Draft;
use super::kinds::{FileKind, kind};
use super::{recording, script};
use crate::package::zip::Zip;
use crate::package::{self, SkillPackage, TOOLS_FILE, inside};
use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::{shape, word};

/// What was uploaded.
pub(super) enum Upload {
    /// One SKILL.
    Package(UncheckedPackage),
    /// Several: their folders.
    Several(Vec<String>),
}

/// A package that was not checked yet.
#[derive(Default)]
pub(super) struct UncheckedPackage {
    /// Its files.
    pub package: SkillPackage,
    /// The name of its folder, if it is known.
    pub folder: Option<String>,
    /// The form of which it was made.
    pub made_of: Option<ForeignForm>,
    /// What was left out or mended so far.
    pub told: Vec<PackageProblem>,
}

/// Says what files are. `chosen` is the folder of the one to take, if they hold several SKILLs.
pub(super) fn open(
    mut files: Vec<(String, Vec<u8>)>,
    chosen: Option<&str>,
) -> Result<Upload, Vec<PackageProblem>> {
    if files.len() == 1
        && let Some((path, bytes)) = files.pop()
    {
        return single(&path, bytes, chosen);
    }
    let folders = package::folders(files.iter().map(|(path, _)| path.as_str())).map_err(alone)?;
    let folder = match one_of(folders, chosen).map_err(alone)? {
        Ok(folder) => folder,
        Err(several) => return Ok(Upload::Several(several)),
    };
    let files = files.into_iter().filter_map(|(path, bytes)| {
        let inner = inside(&path, &folder)?.to_owned();
        Some((inner, bytes))
    });
    let (package, told) = SkillPackage::of(files).map_err(alone)?;
    Ok(Upload::Package(UncheckedPackage { package, folder: last_name(&folder), made_of: None, told }))
}

fn alone(problem: PackageProblem) -> Vec<PackageProblem> {
    vec![problem]
}

/// The folder to take, or all of them if none was chosen yet.
fn one_of(folders: Vec<String>, chosen: Option<&str>) -> Result<Result<String, Vec<String>>, PackageProblem> {
    match (folders.as_slice(), chosen) {
        (_, Some(chosen)) => match folders.iter().any(|folder| folder == chosen) {
            true => Ok(Ok(chosen.to_owned())),
            false => {
                let (why, way_out) = (word::SKILL_MISSING, word::SKILL_MISSING_WAY);
                Err(PackageProblem::error(chosen, Reason::new(ReasonCode::NotASkill, why, way_out, &[])))
            }
        },
        ([folder], None) => Ok(Ok(folder.clone())),
        (_, None) => Ok(Err(folders)),
    }
}

/// The name of a folder; none at the root of a zip, which has one of its own.
fn last_name(folder: &str) -> Option<String> {
    folder.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn single(path: &str, bytes: Vec<u8>, chosen: Option<&str>) -> Result<Upload, Vec<PackageProblem>> {
    let made = |made_of: Option<ForeignForm>, draft: Draft| {
        let (package, told) = draft.package().map_err(alone)?;
        Ok(Upload::Package(UncheckedPackage { package, folder: None, made_of, told }))
    };
    match kind(path, &bytes) {
        FileKind::Zip => unzipped(&bytes, chosen),
        FileKind::SkillText => {
            let (package, told) = SkillPackage::of([("SKILL.md".to_owned(), bytes)]).map_err(alone)?;
            Ok(Upload::Package(UncheckedPackage { package, told, ..UncheckedPackage::default() }))
        }
        FileKind::Tools => {
            // What is wrong with it is told better than by a text made of it.
            let definition = shape::read(&bytes)?;
            let text = super::draft::text_of(&definition);
            let files = [("SKILL.md".to_owned(), text.into_bytes()), (TOOLS_FILE.to_owned(), bytes)];
            let (package, told) = SkillPackage::of(files).map_err(alone)?;
            Ok(Upload::Package(UncheckedPackage { package, told, ..UncheckedPackage::default() }))
        }
        FileKind::Recording(value) => {
            made(Some(ForeignForm::Recording), recording::draft(&value).map_err(alone)?)
        }
        FileKind::Module(text) => made(Some(ForeignForm::Module), script::draft(&text).map_err(alone)?),
        FileKind::Refused(reason) => Err(vec![PackageProblem::error(path, reason)]),
    }
}

fn unzipped(bytes: &[u8], chosen: Option<&str>) -> Result<Upload, Vec<PackageProblem>> {
    let zip = Zip::read(bytes).map_err(alone)?;
    let folders = package::folders(zip.paths()).map_err(alone)?;
    let folder = match one_of(folders, chosen).map_err(alone)? {
        Ok(folder) => folder,
        Err(several) => return Ok(Upload::Several(several)),
    };
    let (package, told) = zip.unpack(&folder).map_err(alone)?;
    Ok(Upload::Package(UncheckedPackage { package, folder: last_name(&folder), made_of: None, told }))
}

/// A package as it is kept: a zip with one SKILL at its root.
pub(super) fn packed(bytes: &[u8]) -> Result<UncheckedPackage, Vec<PackageProblem>> {
    let (package, told) = Zip::read(bytes).and_then(|zip| zip.unpack("")).map_err(alone)?;
    Ok(UncheckedPackage { package, told, ..UncheckedPackage::default() })
}
