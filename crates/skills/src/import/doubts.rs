//! What should make one hesitate before a package is installed. No doubt is no proof: what a SKILL can do is limited by
//! its rights, not by its words.

use serde_json::Value;
use sidecar_locales::{fill, quoted};
use sidecar_protocol::settings::Language;
use sidecar_webmcp::visible;

use super::files::UncheckedPackage;
use super::sentences;
use crate::check::CheckedPackage;
use crate::definition::step::StepKind;
use crate::definition::{CodeWorld, SkillDefinition};
use crate::problem::{ProblemLevel, ReasonCode};
use crate::{rights, word};

mod phrases;

/// The number of sites from which on a SKILL is for many.
const MANY_SITES: usize = 6;
/// Maximum characters of a package's text in a sentence.
const QUOTED: usize = 160;

/// Sentences about a package, the heaviest first.
pub(super) fn doubts(opened: &UncheckedPackage, checked: &CheckedPackage, language: Language) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |word: sidecar_locales::Word, values: &[(&str, &str)]| {
        said.push(fill(word.text(language), values));
    };
    match checked.rights.code {
        CodeWorld::None => {}
        CodeWorld::Isolated | CodeWorld::Main => say(word::DOUBT_CODE, &[]),
    }
    if checked.rights.code == CodeWorld::Main {
        say(word::DOUBT_CODE_MAIN, &[]);
    }
    for (what, text) in texts(checked) {
        if let Some(shown) = hidden(&text) {
            say(word::DOUBT_HIDDEN, &[("what", &what), ("shown", &shown)]);
        }
        if let Some(found) = phrases::find(&text) {
            say(word::DOUBT_SPEAKS, &[("what", &what), ("said", &quoted(&visible(&found), QUOTED))]);
        }
    }
    for problem in &checked.told {
        if problem.reason.code == ReasonCode::TooWide && problem.level == ProblemLevel::Warning {
            say(word::DOUBT_WIDE, &[("why", &problem.reason.why(language))]);
        }
    }
    let sites = &checked.rights.sites;
    if sites.len() >= MANY_SITES {
        let shown = sentences::sites(sites, language);
        say(word::DOUBT_MANY, &[("number", &sites.len().to_string()), ("sites", &shown)]);
    }
    if let Some(tools) = &checked.text.allowed_tools {
        say(word::DOUBT_ALLOWED, &[("tools", &quoted(tools, QUOTED))]);
    }
    if opened.package.files().any(|(path, _)| path.starts_with("scripts/")) {
        say(word::DOUBT_SCRIPTS, &[]);
    }
    if opened.made_of.is_some() {
        say(word::DOUBT_DRAFT, &[]);
    } else if checked.definition.as_ref().is_some_and(|definition| definition.verified_on.is_empty()) {
        say(word::DOUBT_UNTRIED, &[]);
    }
    said
}

/// The texts that a model or a user is told, with the names by which a sentence calls them.
fn texts(checked: &CheckedPackage) -> Vec<(String, String)> {
    let text = &checked.text;
    let mut found = vec![
        ("name".to_owned(), text.name.clone()),
        ("description".to_owned(), text.description.clone()),
        ("SKILL.md".to_owned(), text.body.clone()),
    ];
    if let Some(definition) = &checked.definition {
        found.extend(of_definition(definition));
    }
    found
}

fn of_definition(definition: &SkillDefinition) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (what, words) in [("title", &definition.title), ("summary", &definition.summary)] {
        found.extend(words.texts().map(|text| (what.to_owned(), text.to_owned())));
    }
    for tool in &definition.tools {
        let words = tool.title.iter().chain([&tool.description]).chain(tool.outcomes.values());
        let mut all: Vec<String> = words.flat_map(|words| words.texts()).map(str::to_owned).collect();
        in_json(&tool.input_schema, &mut all);
        if let Some(schema) = &tool.output_schema {
            in_json(schema, &mut all);
        }
        rights::for_each_step(&tool.steps, &mut |step| {
            if let StepKind::HandOver { say, .. } = &step.does {
                all.extend(say.texts().map(str::to_owned));
            }
        });
        // One text, so that a tool is named once, and what is spread over its parts is found.
        found.push((tool.name.clone(), all.join("\n")));
    }
    found
}

/// All texts in a value, with the names of its maps.
fn in_json(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| in_json(value, found)),
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            found.push(name.clone());
            in_json(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The line with characters that cannot be seen, written out; `None` if there are none.
fn hidden(text: &str) -> Option<String> {
    let line = text.lines().find(|line| visible(line) != *line)?;
    let shown = visible(line);
    // From a little before the first of them.
    let at = shown.find("⟨U+").unwrap_or(0);
    let before = shown[..at].char_indices().rev().nth(30).map_or(0, |(start, _)| start);
    Some(quoted(&shown[before..], QUOTED))
}
