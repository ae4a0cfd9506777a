//! Whether a package can be installed, what its tools may do, and what its author should mend.

use serde_json::Value;
use sidecar_locales::Word;

use crate::definition::{Permissions, SkillDefinition};
use crate::package::{SkillPackage, TOOLS_FILE};
use crate::problem::{PackageProblem, ProblemLevel, Reason, ReasonCode};
use crate::skill_text::SkillText;
use crate::{rights, shape, skill_text, word};

mod code;
mod declared;
mod inputs;
mod locators;
mod references;
mod steps;
mod suffixes;
mod walk;

pub(crate) use locators::lasts;

/// The field in the metadata of SKILL.md that names the file with the tools.
const TOOLS_FIELD: &str = "webmcp-sidecar";

/// A package that can be installed.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPackage {
    /// SKILL.md.
    pub text: SkillText,
    /// Its tools; `None` if it only has instructions.
    pub definition: Option<SkillDefinition>,
    /// What it needs for what its tools do.
    pub rights: Permissions,
    /// What was mended, and what is not as it should be.
    pub told: Vec<PackageProblem>,
}

/// Checks a package. `folder` is the name of its folder, if that is known.
///
/// # Errors
/// All that is wrong with it, if it cannot be installed.
pub fn check(package: &SkillPackage, folder: Option<&str>) -> Result<CheckedPackage, Vec<PackageProblem>> {
    let Some((file, bytes)) = package.text_file() else {
        let reason = Reason::new(ReasonCode::NotASkill, word::SKILL_MISSING, word::SKILL_MISSING_WAY, &[]);
        return Err(vec![PackageProblem::error("", reason)]);
    };
    let (text, mut told) = skill_text::read(file, bytes, folder).map_err(|problem| vec![problem])?;
    let named = text.metadata.get(TOOLS_FIELD);
    let Some(tools) = package.file(TOOLS_FILE) else {
        if named.is_some() {
            let reason =
                Reason::new(ReasonCode::NotASkill, word::TOOLS_MISSING, word::TOOLS_MISSING_WAY, &[]);
            told.push(PackageProblem::error(file, reason));
            return Err(told);
        }
        return Ok(CheckedPackage { text, definition: None, rights: Permissions::default(), told });
    };
    if named.is_some_and(|named| named != TOOLS_FILE) {
        let reason = Reason::new(ReasonCode::BadField, word::TOOLS_ELSEWHERE, word::TOOLS_ELSEWHERE_WAY, &[]);
        told.push(PackageProblem::error(file, reason));
    }
    let definition = match shape::read(tools) {
        Ok(definition) => definition,
        Err(problems) => {
            told.extend(problems);
            return Err(told);
        }
    };
    let rights = rights::needed(&definition);
    let mut findings = Findings { source: std::str::from_utf8(tools).unwrap_or_default(), told };
    same_as_text(&text, &definition, &mut findings);
    declared::check(&definition, &rights, &mut findings);
    references::check(&definition, &mut findings);
    locators::check(&definition, &mut findings);
    for (number, tool) in definition.tools.iter().enumerate() {
        let place = format!("/tools/{number}");
        inputs::check(tool, &place, &mut findings);
        steps::check(&definition, tool, &place, &mut findings);
    }
    code::check(&definition, package, &mut findings);
    let told = findings.told;
    if told.iter().any(|problem| problem.level == ProblemLevel::Error) {
        return Err(told);
    }
    Ok(CheckedPackage { text, definition: Some(definition), rights, told })
}

/// Name and version stand in both files.
fn same_as_text(text: &SkillText, definition: &SkillDefinition, findings: &mut Findings<'_>) {
    if text.name != definition.id {
        findings.schema(
            "/id",
            word::ID_DIFFERS,
            word::ID_DIFFERS_WAY,
            &[("id", &definition.id), ("name", &text.name)],
        );
    }
    match text.metadata.get("version") {
        Some(version) if *version == definition.version => {}
        Some(version) => {
            findings.schema(
                "/version",
                word::VERSION_DIFFERS,
                word::VERSION_DIFFERS_WAY,
                &[("version", version)],
            );
        }
        None => findings.warn(
            "/version",
            ReasonCode::BadField,
            word::VERSION_MISSING,
            word::VERSION_MISSING_WAY,
            &[],
        ),
    }
}

/// What was found in skill.json.
pub(crate) struct Findings<'s> {
    /// Its text.
    source: &'s str,
    told: Vec<PackageProblem>,
}

impl Findings<'_> {
    /// Something because of which the package cannot be installed. `pointer` is a JSON Pointer into skill.json.
    fn refuse(
        &mut self,
        pointer: &str,
        code: ReasonCode,
        why: Word,
        way: Word,
        values: &[(&'static str, &str)],
    ) {
        self.told.push(shape::placed(self.source, pointer, Reason::new(code, why, way, values)));
    }

    /// Something that does not fit together.
    fn schema(&mut self, pointer: &str, why: Word, way: Word, values: &[(&'static str, &str)]) {
        self.refuse(pointer, ReasonCode::BadSchema, why, way, values);
    }

    /// Something that is told, and no more.
    fn warn(
        &mut self,
        pointer: &str,
        code: ReasonCode,
        why: Word,
        way: Word,
        values: &[(&'static str, &str)],
    ) {
        let problem = shape::placed(self.source, pointer, Reason::new(code, why, way, values));
        self.told.push(PackageProblem { level: ProblemLevel::Warning, ..problem });
    }
}

/// A key as a part of a JSON Pointer (RFC 6901, section 3).
fn key(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Depth of lists and maps in a value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod guide_test;
#[cfg(test)]
mod tests;
