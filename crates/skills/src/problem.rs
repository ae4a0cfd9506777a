//! What is wrong with a package: where, why, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::settings::Language;

use crate::word;

/// What a problem means for the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemLevel {
    /// It cannot be installed.
    Error,
    /// It can, but something is not as it should be.
    Warning,
    /// It was read in spite of a mistake, and so.
    Repair,
}

/// Why, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasonCode {
    /// There is no SKILL.md, or the file is of another kind.
    NotASkill,
    /// SKILL.md does not begin with front matter.
    NoFrontMatter,
    /// The front matter is not the YAML that is read.
    BadYaml,
    /// The front matter has no description.
    NoDescription,
    /// A field of the front matter is not as Agent Skills want it.
    BadField,
    /// A path could lead out of the folder, or cannot be kept.
    BadPath,
    /// The archive is broken, or hides something.
    BadArchive,
    /// Something is larger than what is read.
    TooLarge,
    /// There is more of something than what is read.
    TooMany,
    /// The package is written for a later version.
    NewerFormat,
    /// A key that means nothing here.
    UnknownKey,
    /// skill.json has not the shape that it should have, or its parts do not fit together.
    BadSchema,
    /// A tool does more than the package says.
    UnderDeclared,
    /// The package says that it does more than its tools do.
    OverDeclared,
    /// It would be of use on everybody's pages.
    TooWide,
    /// A locator will not last, or may find the wrong element.
    BadLocator,
    /// Something is left out.
    Ignored,
    /// It is on the list of SKILLs that may no longer run.
    Revoked,
}

/// Why, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// For programs.
    pub code: ReasonCode,
    why: Word,
    way_out: Word,
    values: Vec<(&'static str, String)>,
}

impl Reason {
    /// A reason in words with `{placeholders}`, which `values` fill.
    pub(crate) fn new(code: ReasonCode, why: Word, way_out: Word, values: &[(&'static str, &str)]) -> Self {
        let values = values.iter().map(|(name, value)| (*name, quoted(value, QUOTED))).collect();
        Self { code, why, way_out, values }
    }

    /// The same with a text of ours for a placeholder, which is told whole.
    pub(crate) fn telling(mut self, name: &'static str, text: &str) -> Self {
        self.values.push((name, text.to_owned()));
        self
    }

    /// What is wrong: a sentence.
    #[must_use]
    pub fn why(&self, language: Language) -> String {
        self.filled(self.why, language)
    }

    /// What to do about it: a sentence.
    #[must_use]
    pub fn way_out(&self, language: Language) -> String {
        self.filled(self.way_out, language)
    }

    fn filled(&self, word: Word, language: Language) -> String {
        let values: Vec<_> = self.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fill(word.text(language), &values)
    }
}

/// Maximum characters of a package's own text in a sentence.
const QUOTED: usize = 120;

/// Names in a sentence: as many whole ones as have room.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    let mut list = String::new();
    for (number, name) in names.iter().enumerate() {
        let separator = if number == 0 { "" } else { ", " };
        if list.chars().count() + separator.len() + name.as_ref().chars().count() + ", …".len() > QUOTED {
            return format!("{list}{separator}…");
        }
        list.push_str(separator);
        list.push_str(name.as_ref());
    }
    list
}

/// A problem of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageProblem {
    /// What it means for the package.
    pub level: ProblemLevel,
    /// The file's path in the package; empty for the package as a whole.
    pub file: String,
    /// The line in it, from 1, if it is about one.
    pub line: Option<usize>,
    /// The place in the file's data, as `tools[0].steps[2].at`; empty if it is about the whole.
    pub place: String,
    /// Why, and what to do about it.
    pub reason: Reason,
}

impl PackageProblem {
    /// A problem because of which the package cannot be installed.
    pub(crate) fn error(file: &str, reason: Reason) -> Self {
        Self { level: ProblemLevel::Error, file: file.to_owned(), line: None, place: String::new(), reason }
    }

    /// One that is told, and no more.
    pub(crate) fn warning(file: &str, reason: Reason) -> Self {
        Self { level: ProblemLevel::Warning, ..Self::error(file, reason) }
    }

    /// One that was mended while reading.
    pub(crate) fn repair(file: &str, reason: Reason) -> Self {
        Self { level: ProblemLevel::Repair, ..Self::error(file, reason) }
    }

    /// The same, at a line.
    pub(crate) fn at_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// `webmcp/skill.json:12, tools[0].name: why. What to do.`
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let mut place = self.file.clone();
        if let Some(line) = self.line {
            place = format!("{place}:{line}");
        }
        if !self.place.is_empty() {
            place = format!("{place}, {}", self.place);
        }
        let (why, way_out) = (self.reason.why(language), self.reason.way_out(language));
        match place.is_empty() {
            true => fill(word::PROBLEM_WHOLE.text(language), &[("why", &why), ("way", &way_out)]),
            false => fill(
                word::PROBLEM_PLACED.text(language),
                &[("place", &place), ("why", &why), ("way", &way_out)],
            ),
        }
    }
}

impl fmt::Display for PackageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(Language::English))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_names_place_reason_and_way_out_in_both_languages() {
        let reason = Reason::new(
            ReasonCode::UnknownKey,
            word::KEY_UNKNOWN,
            word::KEY_UNKNOWN_WAY,
            &[("key", "colour"), ("known", "name, title")],
        );
        let problem = PackageProblem {
            place: "tools[0]".to_owned(),
            ..PackageProblem::error("webmcp/skill.json", reason).at_line(7)
        };
        assert_eq!(
            problem.sentence(Language::English),
            "webmcp/skill.json:7, tools[0]: colour is not known here. Remove it, or write x-colour to keep a note. \
             Known are: name, title."
        );
        assert_eq!(
            problem.sentence(Language::Chinese),
            "webmcp/skill.json:7, tools[0]：这里没有 colour 这个键。请删去，或写成 x-colour 留作备注。可用的键：name, title。"
        );
    }

    #[test]
    fn text_of_a_package_is_quoted_in_one_line_and_shortened() {
        let long = format!("a\nb{}", "x".repeat(500));
        let reason =
            Reason::new(ReasonCode::UnknownKey, word::KEY_UNKNOWN, word::KEY_UNKNOWN_WAY, &[("key", &long)]);
        let why = reason.why(Language::English);
        assert!(why.starts_with("a bxx") && why.contains('…') && why.chars().count() < 200, "{why}");
    }

    #[test]
    fn long_list_ends_between_two_names() {
        let long = listed(&["permission"; 20]);
        assert!(long.ends_with("permission, …") && quoted(&long, QUOTED) == long, "{long}");
        assert_eq!(listed(&["name", "title"]), "name, title");
    }
}
