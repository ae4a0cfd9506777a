//! SKILL.md: what an Agent Skill says of itself, and its instructions.
//!
//! The format is that of agentskills.io: YAML front matter with six fields, then Markdown. Files of others often break
//! it in ways that are easily understood; those are read, and what was mended is told.

use std::collections::BTreeMap;

use sidecar_locales::Word;
use unicode_normalization::{UnicodeNormalization as _, is_nfkc};

use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;
use crate::yaml::{self, Yaml, YamlFault};

/// Maximum bytes of the front matter.
const MOST_FRONT_BYTES: usize = 64 * 1024;
/// Maximum characters of a name.
const MOST_NAME: usize = 64;
/// Maximum characters of a description.
const MOST_DESCRIPTION: usize = 1024;
/// Maximum characters of what a SKILL is compatible with.
const MOST_COMPATIBILITY: usize = 500;

/// A SKILL.md.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillText {
    /// Its name; that of the folder if it has none.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// Its licence.
    pub license: Option<String>,
    /// What it needs.
    pub compatibility: Option<String>,
    /// More, for programs.
    pub metadata: BTreeMap<String, String>,
    /// Tools that it wants to use without being asked, space-separated. Grants nothing here.
    pub allowed_tools: Option<String>,
    /// The instructions: Markdown. Untrusted.
    pub body: String,
}

/// Reads a SKILL.md. `folder` is the name of its folder, if that is known. Returns what was mended as well.
///
/// # Errors
/// Why it cannot be read.
pub fn read(
    file: &str,
    bytes: &[u8],
    folder: Option<&str>,
) -> Result<(SkillText, Vec<PackageProblem>), PackageProblem> {
    let mut reader = TextReader { file, told: Vec::new() };
    let text = reader.decoded(bytes)?;
    let (front, body) = divided(&text).ok_or_else(|| {
        let reason =
            Reason::new(ReasonCode::NoFrontMatter, word::FRONT_MISSING, word::FRONT_MISSING_WAY, &[]);
        PackageProblem::error(file, reason).at_line(1)
    })?;
    let fields = reader.fields(front)?;
    let mut skill = reader.taken(fields);
    skill.body = body.trim_start_matches('\n').to_owned();
    if skill.description.trim().is_empty() {
        let reason = Reason::new(
            ReasonCode::NoDescription,
            word::DESCRIPTION_MISSING,
            word::DESCRIPTION_MISSING_WAY,
            &[],
        );
        return Err(PackageProblem::error(file, reason));
    }
    reader.check(&mut skill, folder);
    Ok((skill, reader.told))
}

/// The front matter and what follows it.
fn divided(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

struct TextReader<'f> {
    file: &'f str,
    told: Vec<PackageProblem>,
}

impl TextReader<'_> {
    fn repaired(&mut self, why: Word, values: &[(&'static str, &str)]) {
        let reason = Reason::new(ReasonCode::BadField, why, word::REPAIR_WAY, values);
        self.told.push(PackageProblem::repair(self.file, reason));
    }

    fn warned(&mut self, why: Word, values: &[(&'static str, &str)]) {
        let reason = Reason::new(ReasonCode::BadField, why, word::FIELD_WAY, values);
        self.told.push(PackageProblem::warning(self.file, reason));
    }

    fn decoded(&mut self, bytes: &[u8]) -> Result<String, PackageProblem> {
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                self.repaired(word::REPAIR_BOM, &[]);
                rest
            }
            None => bytes,
        };
        let text = std::str::from_utf8(bytes).map_err(|_| {
            PackageProblem::error(
                self.file,
                Reason::new(ReasonCode::BadYaml, word::TEXT_UTF8, word::TEXT_UTF8_WAY, &[]),
            )
        })?;
        if text.contains('\r') {
            self.repaired(word::REPAIR_LINES, &[]);
        }
        Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
    }

    fn fields(&mut self, front: &str) -> Result<Vec<(String, Yaml)>, PackageProblem> {
        let refused = |fault: YamlFault| {
            let (why, line, said) = match fault {
                YamlFault::Syntax(line, said) => (word::YAML_SYNTAX, Some(line), said),
                YamlFault::Indirect(line) => (word::YAML_INDIRECT, Some(line), String::new()),
                YamlFault::TooMany => (word::YAML_TOO_MANY, None, String::new()),
                YamlFault::NotAMap => (word::YAML_NOT_A_MAP, None, String::new()),
            };
            let problem = PackageProblem::error(
                self.file,
                Reason::new(ReasonCode::BadYaml, why, word::YAML_WAY, &[("said", &said)]),
            );
            match line {
                Some(line) => problem.at_line(line + 1), // the first line of the file is not in it
                None => problem,
            }
        };
        if front.len() > MOST_FRONT_BYTES {
            return Err(refused(YamlFault::TooMany));
        }
        match yaml::read(front) {
            Ok(fields) => Ok(fields),
            Err(fault @ (YamlFault::Indirect(_) | YamlFault::TooMany)) => Err(refused(fault)),
            Err(fault) => match yaml::read(&quoted(front)) {
                Ok(fields) => {
                    self.repaired(word::REPAIR_QUOTES, &[]);
                    Ok(fields)
                }
                Err(_) => Err(refused(fault)),
            },
        }
    }

    fn taken(&mut self, fields: Vec<(String, Yaml)>) -> SkillText {
        let mut skill = SkillText::default();
        for (key, value) in fields {
            match key.as_str() {
                "name" => skill.name = self.text(&key, value),
                "description" => skill.description = self.text(&key, value),
                "license" => skill.license = Some(self.text(&key, value)),
                "compatibility" => skill.compatibility = Some(self.text(&key, value)),
                "allowed-tools" => skill.allowed_tools = Some(self.tools(value)),
                "metadata" => skill.metadata = self.metadata(value),
                _ => self.warned(word::FIELD_UNKNOWN, &[("field", &key)]),
            }
        }
        skill
    }

    fn text(&mut self, key: &str, value: Yaml) -> String {
        match value {
            Yaml::Text(text) => text.trim().to_owned(),
            Yaml::List(_) | Yaml::Map(_) => {
                self.repaired(word::REPAIR_TEXT, &[("field", key)]);
                flat(&value)
            }
        }
    }

    /// One text with spaces in between, though many write a list or commas.
    fn tools(&mut self, value: Yaml) -> String {
        let text = flat(&value);
        let is_list = matches!(value, Yaml::List(_)) || text.contains(',');
        if is_list {
            self.repaired(word::REPAIR_TOOLS, &[]);
        }
        let mut depth = 0_usize;
        let spaced = text.chars().map(|char| {
            match char {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return ' ',
                _ => {}
            }
            char
        });
        let spaced: String = spaced.collect();
        spaced.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn metadata(&mut self, value: Yaml) -> BTreeMap<String, String> {
        let Yaml::Map(map) = value else {
            self.repaired(word::REPAIR_METADATA, &[]);
            return BTreeMap::new();
        };
        if map.iter().any(|(_, value)| !matches!(value, Yaml::Text(_))) {
            self.repaired(word::REPAIR_METADATA, &[]);
        }
        map.into_iter().map(|(key, value)| (key, flat(&value))).collect()
    }

    fn check(&mut self, skill: &mut SkillText, folder: Option<&str>) {
        if skill.name.is_empty() {
            self.repaired(word::NAME_MISSING, &[]);
            skill.name = folder.unwrap_or_default().to_owned();
        }
        if !is_nfkc(&skill.name) {
            self.repaired(word::REPAIR_NAME, &[]);
            skill.name = skill.name.nfkc().collect();
        }
        if !is_name(&skill.name) {
            self.warned(word::NAME_FORM, &[("name", &skill.name)]);
        }
        if let Some(folder) = folder.filter(|folder| *folder != skill.name) {
            self.warned(word::NAME_FOLDER, &[("name", &skill.name), ("folder", folder)]);
        }
        for (field, text, most) in [
            ("description", Some(&skill.description), MOST_DESCRIPTION),
            ("compatibility", skill.compatibility.as_ref(), MOST_COMPATIBILITY),
        ] {
            if text.is_some_and(|text| text.chars().count() > most) {
                self.warned(word::FIELD_LONG, &[("field", field), ("most", &most.to_string())]);
            }
        }
        if skill.compatibility.as_ref().is_some_and(String::is_empty) {
            self.warned(word::FIELD_EMPTY, &[("field", "compatibility")]);
        }
    }
}

/// 1 to 64 lower-case letters of any script, digits, and single hyphens between them.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() && !char.is_uppercase())
    };
    name.chars().count() <= MOST_NAME && name.split('-').all(is_part)
}

/// A value as one text.
fn flat(value: &Yaml) -> String {
    match value {
        Yaml::Text(text) => text.trim().to_owned(),
        Yaml::List(list) => list.iter().map(flat).collect::<Vec<_>>().join(", "),
        Yaml::Map(map) => {
            map.iter().map(|(key, value)| format!("{key}: {}", flat(value))).collect::<Vec<_>>().join(", ")
        }
    }
}

/// The lines of a map with each plain text in quotes: hundreds of SKILLs have a colon in their description.
fn quoted(front: &str) -> String {
    let mut quoted = String::with_capacity(front.len() + 64);
    for line in front.split_inclusive('\n') {
        let is_key = |key: &str| key.chars().all(|char| char.is_alphanumeric() || "-_ ".contains(char));
        let plain = line.trim_end().split_once(": ").filter(|(key, value)| {
            is_key(key)
                && !key.trim().is_empty()
                && !value.trim_start().starts_with(['"', '\'', '|', '>', '[', '{'])
        });
        match plain {
            Some((key, value)) => {
                let value = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
                quoted.push_str(&format!("{key}: \"{value}\"\n"));
            }
            None => quoted.push_str(line),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemLevel;

    const CLEAN: &str = "---\nname: hn-reader\ndescription: Reads Hacker News. Use it for stories.\nlicense: MIT\n\
                         metadata:\n  version: \"1.2.0\"\n---\n\n# How\n\nRead.\n";

    fn taken(text: &str) -> (SkillText, Vec<PackageProblem>) {
        read("SKILL.md", text.as_bytes(), Some("hn-reader")).unwrap()
    }

    fn refused(text: &str) -> PackageProblem {
        read("SKILL.md", text.as_bytes(), None).unwrap_err()
    }

    fn front(fields: &str) -> String {
        format!("---\n{fields}\n---\nBody")
    }

    #[test]
    fn clean_file_is_read_without_a_word() {
        let (skill, told) = taken(CLEAN);
        assert_eq!(told, []);
        assert_eq!((skill.name.as_str(), skill.license.as_deref()), ("hn-reader", Some("MIT")));
        assert_eq!(skill.description, "Reads Hacker News. Use it for stories.");
        assert_eq!(skill.metadata["version"], "1.2.0");
        assert_eq!(skill.body, "# How\n\nRead.\n");
    }

    #[test]
    fn case_05_broken_forms_give_the_values_of_the_clean_one_and_are_told() {
        let (clean, _) = taken(CLEAN);
        let line = "description: Reads Hacker News. Use it for stories.";
        for (form, levels) in [
            (format!("\u{feff}{CLEAN}"), vec![ProblemLevel::Repair]),
            (CLEAN.replace('\n', "\r\n"), vec![ProblemLevel::Repair]),
            (CLEAN.replace(line, "description: >-\n  Reads Hacker News.\n  Use it for stories."), vec![]),
            (CLEAN.replace("---\n\n", "---  \n\n"), vec![]),
        ] {
            let (skill, told) = taken(&form);
            assert_eq!(skill, clean, "{form:?}");
            assert_eq!(told.iter().map(|problem| problem.level).collect::<Vec<_>>(), levels, "{form:?}");
        }
        let (skill, told) = taken(&CLEAN.replace(line, "description: Use it: reads \"stories\""));
        assert_eq!(skill.description, "Use it: reads \"stories\"");
        assert_eq!((skill.metadata, told.len()), (clean.metadata, 1));
    }

    #[test]
    fn case_04_names_may_be_of_any_script_and_others_warn() {
        for (name, is_good) in [
            ("新闻-阅读", true),
            ("a", true),
            ("a1-b2", true),
            (&"x".repeat(64), true),
            (&"x".repeat(65), false),
            ("HackerNews", false),
            ("a--b", false),
            ("-a", false),
            ("a b", false),
            ("a_b", false),
        ] {
            let text = front(&format!("name: {name}\ndescription: x"));
            let (skill, told) = read("SKILL.md", text.as_bytes(), Some(name)).unwrap();
            assert_eq!((skill.name.as_str(), told.is_empty()), (name, is_good), "{name}: {told:?}");
        }
        let (_, told) = read("SKILL.md", front("name: a\ndescription: x").as_bytes(), Some("b")).unwrap();
        assert_eq!(told.len(), 1, "the folder has another name");
        let (skill, told) = read("SKILL.md", front("description: x").as_bytes(), Some("b")).unwrap();
        assert_eq!((skill.name.as_str(), told.len()), ("b", 1));
    }

    #[test]
    fn case_03_each_field_is_taken_up_to_its_limit() {
        let of = |field: &str, length: usize| {
            let others = [("name", "name: a\n"), ("description", "description: x\n")];
            let others: String =
                others.iter().filter(|(name, _)| *name != field).map(|(_, line)| *line).collect();
            let key = if field == "metadata" { "metadata:\n  a" } else { field };
            front(&format!("{others}{key}: {}", "x".repeat(length)))
        };
        let at = |field: &str, length: usize| {
            let folder = if field == "name" { "x".repeat(length) } else { "a".to_owned() };
            read("SKILL.md", of(field, length).as_bytes(), Some(&folder)).unwrap().1.len()
        };
        for (field, most) in [("name", 64), ("description", 1024), ("compatibility", 500)] {
            assert_eq!((at(field, 1), at(field, most), at(field, most + 1)), (0, 0, 1), "{field}");
        }
        // Agent Skills has no limit for these: the text before the body has one.
        for field in ["license", "allowed-tools", "metadata"] {
            let most = MOST_FRONT_BYTES - divided(&of(field, 0)).unwrap().0.len();
            assert_eq!((at(field, 1), at(field, most)), (0, 0), "{field}");
            assert_eq!(refused(&of(field, most + 1)).reason.code, ReasonCode::BadYaml, "{field}");
        }
        assert_eq!(refused(&front("name: a\ndescription: ''")).reason.code, ReasonCode::NoDescription);
        assert_eq!(refused(&front("name: a")).reason.code, ReasonCode::NoDescription);
    }

    #[test]
    fn what_is_seen_in_the_wild_is_read() {
        let text = front(
            "name: a\ndescription: x\nversion: 2\nallowed-tools: [Read, 'Bash(git:*, ls)']\nmetadata:\n  tags:\n    - b\n    - c",
        );
        let (skill, told) = read("SKILL.md", text.as_bytes(), Some("a")).unwrap();
        assert_eq!(skill.allowed_tools.as_deref(), Some("Read Bash(git:*, ls)"));
        assert_eq!(skill.metadata["tags"], "b, c");
        assert_eq!(told.len(), 3, "an unknown field, a list of tools, nested metadata: {told:?}");
    }

    #[test]
    fn case_06_what_cannot_be_read_names_its_line() {
        assert_eq!(refused("# No front matter").reason.code, ReasonCode::NoFrontMatter);
        assert_eq!(refused("---\nname: a\n").reason.code, ReasonCode::NoFrontMatter);
        let problem = refused(&front("name: a\ndescription: [x"));
        assert_eq!(problem.reason.code, ReasonCode::BadYaml);
        assert!(problem.line.is_some_and(|line| line >= 3), "{problem:?}");
        let aliases = refused(&front("name: &a x\ndescription: *a"));
        assert_eq!((aliases.reason.code, aliases.line), (ReasonCode::BadYaml, Some(2)));
        assert_eq!(
            refused(&front("name: !!python/object:x {}\ndescription: y")).reason.code,
            ReasonCode::BadYaml
        );
        let bomb = format!(
            "a0: x\n{}",
            (1..50).map(|n| format!("a{n}: [{}]\n", "y,".repeat(99))).collect::<String>()
        );
        assert_eq!(refused(&front(&bomb)).reason.code, ReasonCode::BadYaml);
        assert_eq!(
            refused(&front(&format!("name: {}", "x".repeat(70_000)))).reason.code,
            ReasonCode::BadYaml
        );
        let laughs: String =
            (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(9))).collect();
        let laughs = refused(&front(&format!("a0: &a0 ha\n{laughs}description: x")));
        assert_eq!((laughs.reason.code, laughs.line), (ReasonCode::BadYaml, Some(2)));
        let megabyte = front(&format!("description: {}", "x y ".repeat(250_000)));
        assert_eq!(refused(&megabyte).reason.code, ReasonCode::BadYaml);
        let bytes = b"---\nname: \xff\n---\n";
        assert_eq!(read("SKILL.md", bytes, None).unwrap_err().reason.code, ReasonCode::BadYaml);
    }
}
