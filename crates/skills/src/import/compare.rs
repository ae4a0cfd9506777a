//! What a package changes of the one that is installed, in the order in which it matters: rights, tools, texts that the
//! model sees, files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sidecar_locales::fill;
use sidecar_protocol::settings::Language;
use sidecar_protocol::skill::{SkillUpdate, TextChange, ToolChange, ToolChangeKind};

use super::{files, kept, lines, sentences};
use crate::check::check;
use crate::definition::{CodeWorld, FetchRight, Permissions, SkillDefinition, SkillTool, ToolClass};
use crate::package::{SkillPackage, TOOLS_FILE};
use crate::pattern::MatchPattern;
use crate::problem::PackageProblem;
use crate::{rights, word};

/// A package whose rights are known. The empty one can nothing.
#[derive(Default)]
pub(super) struct KnownPackage {
    package: SkillPackage,
    version: String,
    /// What SKILL.md says to the model.
    text: String,
    definition: Option<SkillDefinition>,
    rights: Permissions,
}

/// Reads a package that is a zip.
pub(super) fn read(bytes: &[u8]) -> Result<KnownPackage, Vec<PackageProblem>> {
    let opened = files::packed(bytes)?;
    let package = &opened.package;
    let checked = check(package, None).or_else(|problems| kept::newer(package, None, problems))?;
    let version = checked.definition.as_ref().map(|it| it.version.clone());
    Ok(KnownPackage {
        package: opened.package,
        version: version.or(checked.text.metadata.get("version").cloned()).unwrap_or_default(),
        text: format!("{}\n\n{}", checked.text.description, checked.text.body),
        definition: checked.definition,
        rights: checked.rights,
    })
}

/// What changes from one package to the other.
pub(super) fn update(before: &KnownPackage, after: &KnownPackage, language: Language) -> SkillUpdate {
    let gained = more(&after.rights, &before.rights);
    let lost = more(&before.rights, &after.rights);
    let mut gains = sentences::rights(&gained, &after.rights.sites, language);
    let mut loses = sentences::rights(&lost, &before.rights.sites, language);
    let (kept_out, kept_out_now) = (left_out(before), left_out(after));
    let opened = uncovered(&kept_out, &kept_out_now);
    let closed = uncovered(&kept_out_now, &kept_out);
    for (pages, sentences) in [(&opened, &mut gains), (&closed, &mut loses)] {
        if !pages.is_empty() {
            let sites = sentences::sites(pages, language);
            sentences.push(fill(word::CAN_READ.text(language), &[("sites", &sites)]));
        }
    }
    let known_code = code_tools(before);
    let new_code = code_tools(after).into_iter().filter(|name| !known_code.contains(name));
    let new_code: Vec<String> = new_code.map(str::to_owned).collect();
    if !new_code.is_empty() {
        let names = sentences::names(&new_code, language);
        gains.push(fill(word::GAIN_CODE.text(language), &[("tools", &names)]));
    }
    let is_wider = !(gained.sites.is_empty()
        && gained.acts.is_empty()
        && gained.fetch.is_empty()
        && gained.code == CodeWorld::None
        && new_code.is_empty()
        && opened.is_empty())
        || gained.navigate
        || gained.own_tab;
    SkillUpdate {
        from: before.version.clone(),
        is_same: before.package.digest() == after.package.digest(),
        is_wider,
        gains,
        loses,
        tools: tools(before, after),
        texts: texts(before, after),
        files: other_files(before, after),
    }
}

/// The rights in one that are not in the other.
fn more(one: &Permissions, other: &Permissions) -> Permissions {
    let missing = |right: &FetchRight| {
        let known = other.fetch.iter().filter(|known| known.origin == right.origin);
        let known: Vec<&String> = known.flat_map(|known| &known.methods).collect();
        let methods: Vec<String> = right.methods.iter().filter(|one| !known.contains(one)).cloned().collect();
        (!methods.is_empty()).then(|| FetchRight { origin: right.origin.clone(), methods })
    };
    Permissions {
        sites: uncovered(&one.sites, &other.sites),
        acts: one.acts.iter().filter(|name| !other.acts.contains(name)).cloned().collect(),
        fetch: one.fetch.iter().filter_map(missing).collect(),
        navigate: one.navigate && !other.navigate,
        own_tab: one.own_tab && !other.own_tab,
        hand_over: one.hand_over && !other.hand_over,
        code: if one.code > other.code { one.code } else { CodeWorld::None },
    }
}

/// The patterns that no pattern of the others covers.
fn uncovered(patterns: &[String], others: &[String]) -> Vec<String> {
    let others: Vec<_> = others.iter().filter_map(|other| MatchPattern::read(other).ok()).collect();
    let is_covered = |text: &String| {
        MatchPattern::read(text).is_ok_and(|pattern| others.iter().any(|other| other.covers(&pattern)))
    };
    patterns.iter().filter(|text| !is_covered(text)).cloned().collect()
}

/// The pages on which a SKILL is of no use though they are its site's.
fn left_out(package: &KnownPackage) -> Vec<String> {
    package.definition.as_ref().map(|it| it.exclude.clone()).unwrap_or_default()
}

fn code_tools(package: &KnownPackage) -> BTreeSet<&str> {
    let tools = package.definition.iter().flat_map(|definition| &definition.tools);
    tools.filter(|tool| tool.code.is_some()).map(|tool| tool.name.as_str()).collect()
}

fn by_name(package: &KnownPackage) -> BTreeMap<&str, (&SkillDefinition, &SkillTool)> {
    let definition = package.definition.iter();
    definition.flat_map(|it| it.tools.iter().map(move |tool| (tool.name.as_str(), (it, tool)))).collect()
}

fn tools(before: &KnownPackage, after: &KnownPackage) -> Vec<ToolChange> {
    let (old, new) = (by_name(before), by_name(after));
    let change = |name: &str, kind, acts| ToolChange { name: name.to_owned(), kind, acts };
    let mut changes = Vec::new();
    for (name, (definition, tool)) in &new {
        let acts = rights::class(definition, tool) > ToolClass::Read;
        let kind = match old.get(name) {
            None => ToolChangeKind::Added,
            Some((old_definition, old_tool)) => {
                let is_same = what_it_does(&before.package, old_definition, old_tool)
                    == what_it_does(&after.package, definition, tool);
                if is_same {
                    continue;
                }
                ToolChangeKind::Changed
            }
        };
        changes.push(change(name, kind, acts));
    }
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    changes.extend(gone.map(|name| change(name, ToolChangeKind::Removed, false)));
    changes
}

/// All by which a tool does what it does: itself without its words, and what it names.
fn what_it_does(package: &SkillPackage, definition: &SkillDefinition, tool: &SkillTool) -> Value {
    let mut own = json!(tool);
    for words in ["title", "description", "outcomes"] {
        own[words] = Value::Null;
    }
    let whole = json!(definition);
    let mut named = BTreeSet::new();
    names_in(&own, &mut named);
    // A kind of page or a locator may name further locators.
    loop {
        let before = named.len();
        for part in ["locators", "pages", "endpoints"] {
            for name in named.clone() {
                if let Some(found) = whole[part].get(&name) {
                    names_in(found, &mut named);
                }
            }
        }
        names_in(&whole["signals"], &mut named);
        if named.len() == before {
            break;
        }
    }
    let parts = ["locators", "pages", "endpoints"].map(|part| {
        let used = named.iter().filter_map(|name| Some((name.clone(), whole[part].get(name)?.clone())));
        Value::Object(used.collect())
    });
    let code = tool.code.as_ref().and_then(|code| package.file(&code.file)).map(String::from_utf8_lossy);
    json!([own, parts, whole["signals"], code])
}

/// All texts in a value: any of them may be a name.
fn names_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => _ = found.insert(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| names_in(value, found)),
        Value::Object(map) => map.values().for_each(|value| names_in(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The texts that the model sees, as lines.
fn texts(before: &KnownPackage, after: &KnownPackage) -> Vec<TextChange> {
    let (old, new) = (by_name(before), by_name(after));
    let said = |tool: Option<&(&SkillDefinition, &SkillTool)>| {
        tool.map(|(_, tool)| to_model(tool)).unwrap_or_default()
    };
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let mut pairs = vec![("SKILL.md", before.text.clone(), after.text.clone())];
    pairs.extend(names.into_iter().map(|name| (name, said(old.get(name)), said(new.get(name)))));
    let changed = pairs.into_iter().filter(|(_, old, new)| old != new);
    changed
        .map(|(of, old, new)| TextChange { of: of.to_owned(), lines: lines::changed(&old, &new) })
        .collect()
}

/// What the model is told of a tool: its description, those of its inputs, and of its outcomes.
fn to_model(tool: &SkillTool) -> String {
    let mut lines = vec![tool.description.text("en").to_owned()];
    described(&tool.input_schema, "", &mut lines);
    lines.extend(tool.outcomes.iter().map(|(outcome, words)| format!("{outcome}: {}", words.text("en"))));
    lines.join("\n")
}

fn described(schema: &Value, name: &str, lines: &mut Vec<String>) {
    if let Some(text) = schema["description"].as_str() {
        lines.push(format!("{name}: {text}"));
    }
    for (inner, schema) in schema["properties"].as_object().into_iter().flatten() {
        described(schema, &format!("{name}.{inner}"), lines);
    }
    if let Some(items) = schema.get("items") {
        described(items, &format!("{name}[]"), lines);
    }
}

/// The files that differ, beside those whose content is shown otherwise.
fn other_files(before: &KnownPackage, after: &KnownPackage) -> Vec<String> {
    let paths: BTreeSet<&str> =
        [before, after].iter().flat_map(|package| package.package.files().map(|(path, _)| path)).collect();
    let is_shown = |path: &str| path == TOOLS_FILE || path.eq_ignore_ascii_case("SKILL.md");
    let differs = |path: &&str| !is_shown(path) && before.package.file(path) != after.package.file(path);
    paths.into_iter().filter(differs).map(str::to_owned).collect()
}
