//! A JavaScript module that exports `skill`, as a package. Its object is read, never run: names, texts and schemas are
//! values, and what is a function is kept as the code of a tool.

use serde_json::{Value, json};
use sidecar_locales::Word;

use super::draft::{Draft, identifier, one_line, slug, unlike};
use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;

mod literal;
mod probes;
mod tokens;
mod types;

use literal::{JsValue, past_bracket};
use tokens::{ScriptFault, ScriptToken, ScriptTokenKind};

/// The keys of a module that are read.
const KEYS: [&str; 10] = [
    "name",
    "version",
    "description",
    "title",
    "match",
    "priority",
    "healthCheck",
    "onActivate",
    "onDeactivate",
    "tools",
];
/// The keys of its tools that are read.
const TOOL_KEYS: [&str; 6] = ["name", "title", "description", "inputSchema", "annotations", "handler"];
/// Maximum number of tools that are read: one more than a SKILL may have, so that its check says so.
const MOST_TOOLS: usize = 31;
/// Maximum characters of a text in a definition.
const MOST_TEXT: usize = 1_000;

/// Makes a draft of a module.
///
/// # Errors
/// It cannot be read, exports no such object, or none of its tools can be taken.
pub(super) fn draft(source: &str) -> Result<Draft, PackageProblem> {
    let unread = |fault: ScriptFault| {
        let (why, way_out) = (word::MODULE_UNREAD, word::MODULE_UNREAD_WAY);
        let reason = Reason::new(ReasonCode::NotASkill, why, way_out, &[("said", fault.what)]);
        let at = fault.at.min(source.len());
        PackageProblem::error("", reason)
            .at_line(source.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1)
    };
    let tokens = tokens::tokens(source).map_err(unread)?;
    let refused =
        |why| PackageProblem::error("", Reason::new(ReasonCode::NotASkill, why, word::MODULE_NONE_WAY, &[]));
    let (begin, is_alone) = exported(&tokens).ok_or_else(|| refused(word::MODULE_NONE))?;
    let (skill, _) = literal::read(&tokens, begin).map_err(unread)?;
    if !matches!(skill, JsValue::Object(_)) {
        return Err(refused(word::MODULE_NONE));
    }
    let mut maker = DraftMaker { source, code: Vec::new(), stems: Vec::new(), told: Vec::new() };
    if !is_alone {
        maker.tell("", word::MODULE_REST, word::MODULE_REST_WAY, &[]);
    }
    let tools = maker.tools(&skill);
    if tools.is_empty() {
        let why = Reason::new(ReasonCode::NotASkill, word::MODULE_NO_TOOLS, word::MODULE_NONE_WAY, &[]);
        return Err(PackageProblem::error("", why));
    }
    Ok(maker.draft(&skill, tools))
}

/// Where the exported object begins, and whether the module has no other code.
fn exported(tokens: &[ScriptToken<'_>]) -> Option<(usize, bool)> {
    let mut found = None;
    let mut is_alone = true;
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        if let Some(begin) = found.is_none().then(|| export(tokens, at)).flatten() {
            found = Some(begin);
            at = past_bracket(tokens, begin)?;
            continue;
        }
        let is_code = |token: &ScriptToken<'_>| {
            ["function", "class", "const", "let", "var", "import"].iter().any(|word| token.is_word(word))
        };
        is_alone &= !rest.first().is_some_and(is_code);
        let is_open = ["(", "[", "{"].iter().any(|sign| tokens[at].is(sign));
        at = if is_open { past_bracket(tokens, at)? } else { at + 1 };
    }
    found.map(|begin| (begin, is_alone))
}

/// `export const skill: Type = {`, `export default {`: the place of the bracket.
fn export(tokens: &[ScriptToken<'_>], at: usize) -> Option<usize> {
    let [first, second, third, ..] = &tokens[at..] else { return None };
    if !first.is_word("export") {
        return None;
    }
    if second.is_word("default") {
        return third.is("{").then_some(at + 2);
    }
    let is_variable = ["const", "let", "var"].iter().any(|word| second.is_word(word));
    if !is_variable || !third.is_word("skill") {
        return None;
    }
    let equals = tokens[at..].iter().position(|token| token.is("="))? + at;
    let is_type = |token: &ScriptToken<'_>| {
        token.kind == ScriptTokenKind::Name || [":", ".", "<", ">", ","].iter().any(|sign| token.is(sign))
    };
    let is_plain = tokens[at + 3..equals].iter().all(is_type);
    tokens.get(equals + 1).filter(|brace| is_plain && brace.is("{")).map(|_| equals + 1)
}

struct DraftMaker<'s> {
    source: &'s str,
    code: Vec<(String, String)>,
    /// The names of code files so far.
    stems: Vec<String>,
    told: Vec<PackageProblem>,
}

impl DraftMaker<'_> {
    fn tell(&mut self, place: &str, why: Word, way_out: Word, values: &[(&'static str, &str)]) {
        let problem = PackageProblem::warning("", Reason::new(ReasonCode::Ignored, why, way_out, values));
        self.told.push(PackageProblem { place: place.to_owned(), ..problem });
    }

    fn unknown_keys(&mut self, value: &JsValue<'_>, known: &[&str], place: &str) {
        let JsValue::Object(members) = value else { return };
        for (name, _) in members.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            self.tell(place, word::MODULE_KEY, word::STEP_LEFT_OUT_WAY, &[("key", name)]);
        }
    }

    /// A file with a function body. Returns its path.
    fn file(&mut self, name: &str, body: String) -> String {
        let stem = unlike(identifier(name).unwrap_or_else(|| "code".to_owned()), &self.stems);
        let path = format!("webmcp/{stem}.js");
        self.stems.push(stem);
        self.code.push((path.clone(), body));
        path
    }

    fn tools(&mut self, skill: &JsValue<'_>) -> Vec<Value> {
        let Some(JsValue::List(list)) = skill.get("tools") else { return Vec::new() };
        let mut made: Vec<Value> = Vec::new();
        for (number, tool) in list.iter().take(MOST_TOOLS).enumerate() {
            let place = format!("tools[{number}]");
            let names: Vec<String> =
                made.iter().filter_map(|it| it["name"].as_str().map(str::to_owned)).collect();
            made.extend(self.tool(tool, number, &place, &names));
        }
        made
    }

    fn tool(&mut self, tool: &JsValue<'_>, number: usize, place: &str, others: &[String]) -> Option<Value> {
        let said = text(tool, "name").unwrap_or_default();
        let name: String = said
            .chars()
            .filter(|char| char.is_ascii_alphanumeric() || "_.-".contains(*char))
            .take(64)
            .collect();
        let name = if name.is_empty() { format!("tool_{}", number + 1) } else { name };
        let name = unlike(name, others);
        if name != said {
            self.tell(
                place,
                word::MODULE_RENAMED,
                word::MODULE_RENAMED_WAY,
                &[("name", &said), ("new", &name)],
            );
        }
        let Some(JsValue::Source(handler)) = tool.get("handler") else {
            self.tell(place, word::MODULE_HANDLER, word::STEP_LEFT_OUT_WAY, &[("name", &name)]);
            return None;
        };
        let Some(handler) = types::function(handler, self.source) else {
            self.tell(place, word::MODULE_HANDLER, word::STEP_LEFT_OUT_WAY, &[("name", &name)]);
            return None;
        };
        let schema = match tool.get("inputSchema") {
            None => json!({}),
            Some(schema) => match schema.json().filter(Value::is_object) {
                Some(schema) => schema,
                None => {
                    self.tell(place, word::MODULE_SCHEMA, word::STEP_LEFT_OUT_WAY, &[("name", &name)]);
                    return None;
                }
            },
        };
        let schema = self.closed(schema, place);
        self.unknown_keys(tool, &TOOL_KEYS, place);
        let file = self.file(&name, format!("return (\n{handler}\n)(input);\n"));
        let title = text(tool, "title").or_else(|| (said != name && !said.is_empty()).then_some(said));
        let description = text(tool, "description").unwrap_or_else(|| name.clone());
        let mut made = json!({
            "name": name, "description": description, "class": "acting", "inputSchema": schema,
            "code": {"file": file, "world": "isolated"},
        });
        if let Some(title) = title {
            made["title"] = json!(title);
        }
        let says_reads =
            tool.get("annotations").and_then(|it| it.get("readOnlyHint")) == Some(&JsValue::Bool(true));
        if says_reads {
            self.tell(place, word::MODULE_READS, word::MODULE_READS_WAY, &[]);
        }
        Some(made)
    }

    /// A schema of an object that takes nothing but what it names.
    fn closed(&mut self, mut schema: Value, place: &str) -> Value {
        if schema.get("type").is_none() {
            schema["type"] = json!("object");
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            schema["additionalProperties"] = json!(false);
            self.told.push(PackageProblem {
                place: format!("{place}.inputSchema"),
                ..PackageProblem::repair(
                    "",
                    Reason::new(ReasonCode::Ignored, word::MODULE_CLOSED, word::FILE_IGNORED_WAY, &[]),
                )
            });
        }
        schema
    }

    fn draft(mut self, skill: &JsValue<'_>, mut tools: Vec<Value>) -> Draft {
        self.unknown_keys(skill, &KEYS, "");
        let name = text(skill, "name").unwrap_or_default();
        let id = slug(&name);
        let title = text(skill, "title")
            .or_else(|| (!name.is_empty()).then(|| name.clone()))
            .unwrap_or_else(|| id.clone());
        let summary = text(skill, "description").unwrap_or_else(|| title.clone());
        let version = text(skill, "version").filter(|version| is_version(version));
        if version.is_none() {
            self.tell("version", word::MODULE_VERSION, word::MODULE_VERSION_WAY, &[]);
        }
        let matches = self.matches(skill.get("match"));
        let acts: Vec<Value> = tools.iter().map(|tool| tool["name"].clone()).collect();
        let mut made = json!({
            "format": 1, "id": id, "version": version.unwrap_or_else(|| "0.1.0".to_owned()),
            "title": title, "summary": summary, "match": matches, "verifiedOn": "",
            "permissions": {"sites": matches, "acts": acts, "code": "isolated"},
        });
        if let Some(JsValue::Number(priority)) = skill.get("priority") {
            made["priority"] = json!(priority.as_i64().unwrap_or_default().clamp(-100, 100));
        }
        for key in ["onActivate", "onDeactivate"] {
            let Some(value) = skill.get(key) else { continue };
            let function = match value {
                JsValue::Source(part) => types::function(part, self.source),
                _ => None,
            };
            match function {
                Some(function) => {
                    let name = if key == "onActivate" { "on_activate" } else { "on_deactivate" };
                    made[key] = json!({"file": self.file(name, format!("return (\n{function}\n)();\n"))});
                }
                None => self.tell(key, word::MODULE_KEY, word::STEP_LEFT_OUT_WAY, &[("key", key)]),
            }
        }
        self.health(skill.get("healthCheck"), &mut made, &mut tools);
        made["tools"] = Value::Array(tools);
        Draft { instructions: String::new(), tools: made, code: self.code, told: self.told }
    }

    /// Its pages as match patterns.
    fn matches(&mut self, value: Option<&JsValue<'_>>) -> Vec<String> {
        let said: Vec<&JsValue<'_>> = match value {
            Some(JsValue::List(list)) => list.iter().collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        let mut patterns = Vec::new();
        for (number, value) in said.into_iter().enumerate() {
            match value.text() {
                Some(text) => patterns.push(pattern(text)),
                None => {
                    self.tell(&format!("match[{number}]"), word::MODULE_MATCH, word::STEP_LEFT_OUT_WAY, &[])
                }
            }
        }
        patterns
    }

    /// What its check looks for becomes a kind of page, on which its tools begin.
    fn health(&mut self, check: Option<&JsValue<'_>>, made: &mut Value, tools: &mut [Value]) {
        let Some(check) = check else { return };
        let probes = match check {
            JsValue::Source(part) => probes::probes(part),
            _ => None,
        };
        let Some(probes) = probes else {
            return self.tell("healthCheck", word::MODULE_HEALTH, word::MODULE_HEALTH_WAY, &[]);
        };
        let mut conditions = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut locators = serde_json::Map::new();
        for probe in probes {
            let name = unlike(identifier(&probe.css).unwrap_or_else(|| "element".to_owned()), &names);
            conditions.push(probe.condition(&name));
            locators.insert(name.clone(), json!({"any": [{"css": probe.css}]}));
            names.push(name);
        }
        made["locators"] = Value::Object(locators);
        made["pages"] = json!({"page": {"match": made["match"], "probes": conditions}});
        tools.iter_mut().for_each(|tool| tool["pages"] = json!(["page"]));
    }
}

/// A text of an object, in one line and not too long; `None` if it is empty or none.
fn text(value: &JsValue<'_>, key: &str) -> Option<String> {
    let text: String = one_line(value.get(key)?.text()?).chars().take(MOST_TEXT).collect();
    (!text.is_empty()).then_some(text)
}

/// `*.shop.example` as `*://*.shop.example/*`.
fn pattern(text: &str) -> String {
    let text = text.trim();
    if text == "<all_urls>" {
        return text.to_owned();
    }
    let (scheme, rest) = text.split_once("://").unwrap_or(("*", text));
    let path = if rest.contains('/') { "" } else { "/*" };
    format!("{scheme}://{rest}{path}")
}

/// SemVer, as skill.schema.json wants it.
fn is_version(text: &str) -> bool {
    let (core, build) = text.split_once('+').map_or((text, None), |(core, build)| (core, Some(build)));
    let (core, pre) = core.split_once('-').map_or((core, None), |(core, pre)| (core, Some(pre)));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
    };
    let parts: Vec<&str> = core.split('.').collect();
    text.len() <= 64
        && parts.len() == 3
        && parts.into_iter().all(is_number)
        && [pre, build].into_iter().flatten().all(is_label)
}

#[cfg(test)]
mod tests;
