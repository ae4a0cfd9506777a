//! What is kept of an installed package.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::check::CheckedPackage;
use crate::definition::Permissions;
use crate::definition::wording::ByLanguage;
use crate::exchange::KeptSkill;
use crate::offer::{self, IndexedSkill};
use crate::package::{SkillPackage, TOOLS_FILE, zip};
use crate::problem::{PackageProblem, ProblemLevel, ReasonCode};
use crate::skill_text::{self, SkillText};

/// What is kept of a package that passed the check.
pub(super) fn kept(package: &SkillPackage, checked: &CheckedPackage) -> KeptSkill {
    let text = &checked.text;
    let indexed = match &checked.definition {
        Some(definition) => offer::indexed(definition),
        None => bare(text, package.file(TOOLS_FILE).is_none()),
    };
    let definition = match &checked.definition {
        Some(definition) => serde_json::to_string(definition).unwrap_or_default(),
        // Written for a later version, which will read it.
        None => package
            .file(TOOLS_FILE)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default(),
    };
    let code = checked.definition.iter().flat_map(|definition| definition.code_files());
    let code = code.filter_map(|path| {
        let text = std::str::from_utf8(package.file(path)?).ok()?;
        Some((path.to_owned(), text.to_owned()))
    });
    KeptSkill {
        indexed,
        tools: checked.definition.as_ref().map(offer::placed).unwrap_or_default(),
        definition,
        instructions: text.body.clone(),
        description: text.description.clone(),
        code: code.collect(),
        package: STANDARD.encode(zip::pack(package)),
    }
}

/// What is known of a SKILL without tools.
fn bare(text: &SkillText, is_instructions: bool) -> IndexedSkill {
    IndexedSkill {
        id: text.name.clone(),
        version: text.metadata.get("version").cloned().unwrap_or_default(),
        title: ByLanguage::One(text.name.clone()),
        summary: ByLanguage::One(text.description.clone()),
        matches: Vec::new(),
        exclude: Vec::new(),
        priority: 0,
        yields: crate::definition::Yields::default(),
        verified_on: String::new(),
        is_instructions,
        has_lifecycle: false,
    }
}

/// A package that is written for a later version of the extension: it is kept, without tools, and says so.
///
/// # Errors
/// Something else is wrong with it.
pub(super) fn newer(
    package: &SkillPackage,
    folder: Option<&str>,
    problems: Vec<PackageProblem>,
) -> Result<CheckedPackage, Vec<PackageProblem>> {
    let is_newer = |problem: &PackageProblem| problem.reason.code == ReasonCode::NewerFormat;
    let is_fine = |problem: &PackageProblem| problem.level != ProblemLevel::Error || is_newer(problem);
    let text = package.text_file().and_then(|(file, bytes)| skill_text::read(file, bytes, folder).ok());
    let Some((text, _)) = text.filter(|_| problems.iter().any(is_newer) && problems.iter().all(is_fine))
    else {
        return Err(problems);
    };
    let told = problems.into_iter().map(|problem| match problem.level {
        ProblemLevel::Error => PackageProblem { level: ProblemLevel::Warning, ..problem },
        ProblemLevel::Warning | ProblemLevel::Repair => problem,
    });
    let told = told.collect();
    Ok(CheckedPackage { text, definition: None, rights: Permissions::default(), told })
}
