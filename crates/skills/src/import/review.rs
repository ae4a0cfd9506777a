//! What the user has to know of a package before it is installed.

use serde_json::Value;
use sidecar_protocol::settings::Language;
use sidecar_protocol::skill::{SkillFile, SkillProblem, SkillReview, SkillToolSummary};

use super::files::UncheckedPackage;
use super::{doubts, sentences};
use crate::check::CheckedPackage;
use crate::definition::{SkillDefinition, SkillTool, ToolClass};
use crate::problem::{PackageProblem, ProblemLevel};
use crate::{rights, word};

/// Maximum number of problems that are told: a zip may have thousands of hidden files.
const MOST_TOLD: usize = 100;

/// A package, as it is shown before it is installed.
pub(super) fn review(opened: &UncheckedPackage, checked: &CheckedPackage, language: Language) -> SkillReview {
    let text = &checked.text;
    let tag = tag(language);
    let definition = checked.definition.as_ref();
    let mut can = sentences::rights(&checked.rights, &checked.rights.sites, language);
    if can.is_empty() {
        can.push(word::CAN_INSTRUCT.text(language).to_owned());
    }
    let problems = opened.told.iter().chain(&checked.told).cloned().collect::<Vec<_>>();
    let files = opened.package.files();
    SkillReview {
        id: definition.map_or(&text.name, |it| &it.id).clone(),
        title: definition.map_or(text.name.as_str(), |it| it.title.text(tag)).to_owned(),
        summary: definition.map_or(text.description.as_str(), |it| it.summary.text(tag)).to_owned(),
        version: definition
            .map(|it| &it.version)
            .or(text.metadata.get("version"))
            .cloned()
            .unwrap_or_default(),
        digest: opened.package.digest(),
        license: text.license.clone().unwrap_or_default(),
        sites: definition.map(|it| it.matches.clone()).unwrap_or_default(),
        can,
        warnings: doubts::doubts(opened, checked, language),
        tools: definition.map(|it| tools(it, tag)).unwrap_or_default(),
        files: files
            .map(|(path, bytes)| SkillFile { path: path.to_owned(), size: bytes.len() as u64 })
            .collect(),
        told: told(&problems, language),
        verified_on: definition.map(|it| it.verified_on.clone()).unwrap_or_default(),
        made_of: opened.made_of,
        update: None,
    }
}

/// The tag of a language in a package's texts.
pub(super) fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Chinese => "zh-CN",
    }
}

fn tools(definition: &SkillDefinition, tag: &str) -> Vec<SkillToolSummary> {
    let of = |tool: &SkillTool| {
        let acts = rights::class(definition, tool) > ToolClass::Read;
        SkillToolSummary {
            name: tool.name.clone(),
            title: tool.title.as_ref().map(|title| title.text(tag).to_owned()).unwrap_or_default(),
            description: tool.description.text(tag).to_owned(),
            acts,
            is_code: tool.code.is_some(),
            // As they are at first if it comes from others.
            is_on: !acts,
            shadowed_by: String::new(),
        }
    };
    definition.tools.iter().map(of).collect()
}

/// Problems in words. Errors come first.
pub(super) fn told(problems: &[PackageProblem], language: Language) -> Vec<SkillProblem> {
    let mut sorted: Vec<&PackageProblem> = problems.iter().collect();
    sorted.sort_by_key(|problem| problem.level);
    sorted.into_iter().take(MOST_TOLD).map(|problem| in_words(problem, language)).collect()
}

fn in_words(problem: &PackageProblem, language: Language) -> SkillProblem {
    let code = serde_json::to_value(problem.reason.code);
    SkillProblem {
        is_error: problem.level == ProblemLevel::Error,
        code: code.ok().as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        file: problem.file.clone(),
        line: problem.line.and_then(|line| u32::try_from(line).ok()),
        place: problem.place.clone(),
        why: problem.reason.why(language),
        way_out: problem.reason.way_out(language),
    }
}
