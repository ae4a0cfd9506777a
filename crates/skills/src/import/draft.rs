//! A package that is made of another form.

use serde_json::Value;

use crate::definition::SkillDefinition;
use crate::package::{SkillPackage, TOOLS_FILE};
use crate::problem::PackageProblem;

/// Maximum characters of a description in SKILL.md.
const MOST_DESCRIPTION: usize = 1024;
/// Maximum characters of a name.
const MOST_NAME: usize = 64;
/// The name of a SKILL whose own name has no letter that a name may have.
const FALLBACK: &str = "skill";

/// A package in the making.
pub(super) struct Draft {
    /// What its SKILL.md says to the model.
    pub instructions: String,
    /// Its skill.json.
    pub tools: Value,
    /// Its code, by path.
    pub code: Vec<(String, String)>,
    /// What was left out, and why.
    pub told: Vec<PackageProblem>,
}

impl Draft {
    /// The package, and what is told of it.
    pub(super) fn package(self) -> Result<(SkillPackage, Vec<PackageProblem>), PackageProblem> {
        let field = |name: &str| self.tools[name].as_str().unwrap_or_default();
        let text = text(field("id"), field("summary"), field("version"), &self.instructions);
        let tools = format!("{:#}\n", self.tools);
        let files = [("SKILL.md".to_owned(), text), (TOOLS_FILE.to_owned(), tools)];
        let files = files.into_iter().chain(self.code).map(|(path, text)| (path, text.into_bytes()));
        let (package, mut told) = SkillPackage::of(files)?;
        told.extend(self.told);
        Ok((package, told))
    }
}

/// The SKILL.md for a skill.json that came alone.
pub(super) fn text_of(definition: &SkillDefinition) -> String {
    text(&definition.id, definition.summary.text("en"), &definition.version, "")
}

fn text(id: &str, description: &str, version: &str, body: &str) -> String {
    // A text of JSON is one of YAML.
    let quoted = |text: &str| Value::String(one_line(text)).to_string();
    let description: String = description.chars().take(MOST_DESCRIPTION).collect();
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    format!(
        "---\nname: {}\ndescription: {}\nmetadata:\n  version: {}\n  webmcp-sidecar: {}\n---\n{body}",
        quoted(id),
        quoted(&description),
        quoted(version),
        quoted(TOOLS_FILE),
    )
}

/// A text without line breaks and control characters, which YAML reads otherwise.
pub(super) fn one_line(text: &str) -> String {
    let is_break = |char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let plain: String = text.chars().map(|char| if is_break(char) { ' ' } else { char }).collect();
    plain.trim().to_owned()
}

/// A name for a folder: lower-case ASCII letters, digits and single hyphens.
pub(super) fn slug(text: &str) -> String {
    parts(text).map_or_else(|| FALLBACK.to_owned(), |parts| cut(&parts.join("-"), '-'))
}

/// A name for an input, a tool or a locator: with underscores, not beginning with a digit. `None` if nothing of the
/// text can be in one.
pub(super) fn identifier(text: &str) -> Option<String> {
    let name = parts(text)?.join("_");
    let name = if name.starts_with(|char: char| char.is_ascii_digit()) { format!("n{name}") } else { name };
    Some(cut(&name, '_'))
}

fn parts(text: &str) -> Option<Vec<String>> {
    let parts = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
    (!parts.is_empty()).then_some(parts)
}

fn cut(name: &str, between: char) -> String {
    name.get(..MOST_NAME).unwrap_or(name).trim_end_matches(between).to_owned()
}

/// A name that none of the others has.
pub(super) fn unlike(name: String, others: &[String]) -> String {
    let is_free = |name: &String| !others.contains(name);
    if is_free(&name) {
        return name;
    }
    let stem = name.get(..MOST_NAME - 4).unwrap_or(&name);
    (2..).map(|number| format!("{stem}_{number}")).find(is_free).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_what_a_name_may_have() {
        for (text, name, input) in [
            ("Search mugs!", "search-mugs", Some("search_mugs")),
            ("搜索 Tea 店", "tea", Some("tea")),
            ("淘宝搜索", "skill", None),
            ("2nd -- shop", "2nd-shop", Some("n2nd_shop")),
            ("", "skill", None),
        ] {
            assert_eq!((slug(text), identifier(text).as_deref()), (name.to_owned(), input), "{text}");
        }
        assert_eq!(slug(&"abc ".repeat(40)).len(), 63);
        assert_eq!(unlike("q".to_owned(), &["q".to_owned(), "q_2".to_owned()]), "q_3");
    }

    #[test]
    fn text_made_of_any_words_is_read_again() {
        for words in
            ["plain", "a: b \"c\" \\ # d", "两行\n\"引号\"", "- x\t\u{85}\u{2028}y", "{a}", "'", "---"]
        {
            let text = text("a-b", words, "1.0.0", "Body.");
            let (read, told) = crate::skill_text::read("SKILL.md", text.as_bytes(), None).unwrap();
            assert_eq!((read.description, read.name.as_str()), (one_line(words), "a-b"));
            assert_eq!(
                (read.metadata["version"].as_str(), read.body.as_str(), told.len()),
                ("1.0.0", "Body.\n", 0)
            );
        }
    }
}
