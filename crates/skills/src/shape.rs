//! Whether `webmcp/skill.json` has the shape that `skill.schema.json` describes, and where not.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use sidecar_locales::Word;
use sidecar_schema::{Deviation, DeviationKind, FileSchema};

use crate::definition::{FORMAT, SkillDefinition};
use crate::package::TOOLS_FILE;
use crate::problem::{PackageProblem, Reason, ReasonCode, listed};
use crate::word;

/// The schema of `webmcp/skill.json`: JSON text.
pub const SCHEMA: &str = include_str!("../../../skills/skill.schema.json");

/// Maximum depth of lists and maps.
const MOST_DEPTH: usize = 40;

/// Reads `webmcp/skill.json`.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(bytes: &[u8]) -> Result<SkillDefinition, Vec<PackageProblem>> {
    let alone = |reason: Reason| vec![PackageProblem::error(TOOLS_FILE, reason)];
    let text = std::str::from_utf8(bytes)
        .map_err(|_| alone(Reason::new(ReasonCode::BadSchema, word::TEXT_UTF8, word::TEXT_UTF8_WAY, &[])))?;
    let value = strict(text).map_err(|error| {
        let said = error.to_string();
        let reason =
            Reason::new(ReasonCode::BadSchema, word::JSON_SYNTAX, word::JSON_SYNTAX_WAY, &[("said", &said)]);
        vec![PackageProblem::error(TOOLS_FILE, reason).at_line(error.line())]
    })?;
    let format = value["format"].as_u64();
    if format.is_some_and(|format| format > FORMAT) {
        let (found, known) = (format.unwrap_or_default().to_string(), FORMAT.to_string());
        let values = [("found", found.as_str()), ("known", known.as_str())];
        return Err(alone(Reason::new(
            ReasonCode::NewerFormat,
            word::FORMAT_NEWER,
            word::FORMAT_NEWER_WAY,
            &values,
        )));
    }
    let schema = FileSchema::new(SCHEMA).expect("a test compiles it");
    let deviations = schema.deviations(&value);
    if !deviations.is_empty() {
        return Err(deviations.iter().map(|deviation| problem(text, deviation)).collect());
    }
    serde_json::from_value(value).map_err(|error| {
        let said = error.to_string();
        alone(Reason::new(
            ReasonCode::BadSchema,
            word::JSON_SYNTAX,
            word::JSON_SYNTAX_WAY,
            &[("said", &said)],
        ))
    })
}

fn problem(text: &str, Deviation { pointer, kind }: &Deviation) -> PackageProblem {
    let (code, why, way_out, values): (_, Word, Word, Vec<(&'static str, String)>) = match kind {
        DeviationKind::Unknown { key, known } => (
            ReasonCode::UnknownKey,
            word::KEY_UNKNOWN,
            word::KEY_UNKNOWN_WAY,
            vec![("key", key.clone()), ("known", listed(known))],
        ),
        DeviationKind::Missing(key) => {
            (ReasonCode::BadSchema, word::KEY_MISSING, word::KEY_MISSING_WAY, vec![("key", key.clone())])
        }
        DeviationKind::Type(kinds) => {
            (ReasonCode::BadSchema, word::VALUE_TYPE, word::VALUE_WAY, vec![("expected", kinds.join(", "))])
        }
        DeviationKind::NotOneOf(options) => (
            ReasonCode::BadSchema,
            word::VALUE_OPTION,
            word::VALUE_WAY,
            vec![("expected", options.join(", "))],
        ),
        DeviationKind::TooLittle(limit) => {
            (ReasonCode::BadSchema, word::VALUE_LITTLE, word::VALUE_WAY, vec![("expected", limit.clone())])
        }
        DeviationKind::TooMuch(limit) => {
            (ReasonCode::BadSchema, word::VALUE_MUCH, word::VALUE_WAY, vec![("expected", limit.clone())])
        }
        DeviationKind::Pattern(pattern) => {
            (ReasonCode::BadSchema, word::VALUE_PATTERN, word::VALUE_WAY, vec![("expected", pattern.clone())])
        }
        DeviationKind::Name(name) => {
            (ReasonCode::BadSchema, word::KEY_NAME, word::KEY_NAME_WAY, vec![("key", name.clone())])
        }
        DeviationKind::Other(said) => {
            (ReasonCode::BadSchema, word::VALUE_OTHER, word::VALUE_WAY, vec![("expected", said.clone())])
        }
    };
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    placed(text, pointer, Reason::new(code, why, way_out, &values))
}

/// A problem of skill.json, whose text this is, at the place to which a JSON Pointer leads.
pub(crate) fn placed(text: &str, pointer: &str, reason: Reason) -> PackageProblem {
    PackageProblem {
        place: place(pointer),
        line: line(text, pointer),
        ..PackageProblem::error(TOOLS_FILE, reason)
    }
}

/// `/tools/0/steps/2` as `tools[0].steps[2]`.
fn place(pointer: &str) -> String {
    let mut place = String::new();
    for part in parts(pointer) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() {
            place.push_str(&format!("[{part}]"));
        } else if place.is_empty() {
            place.push_str(&part);
        } else {
            place.push_str(&format!(".{part}"));
        }
    }
    place
}

/// The names and numbers of a JSON Pointer (RFC 6901, section 4).
fn parts(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// The line of the value to which a pointer leads, from 1; of what is around it, if it is missing.
fn line(text: &str, pointer: &str) -> Option<usize> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for part in parts(pointer) {
        let Some(inner) = member(value, &part) else { break };
        value = inner;
    }
    // The parts of a text are slices of it.
    let offset = (value.get().as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(text.get(..offset)?.matches('\n').count() + 1)
}

/// What is in a list or a map under this number or name.
fn member<'t>(value: &'t RawValue, part: &str) -> Option<&'t RawValue> {
    let text = value.get();
    if text.starts_with('[') {
        return serde_json::from_str::<Vec<&RawValue>>(text).ok()?.get(part.parse::<usize>().ok()?).copied();
    }
    let members: std::collections::HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    members.get(part).copied()
}

/// JSON in which no key comes twice.
fn strict(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Once { depth: 0 }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    serde_json::from_str(text)
}

/// A value without a key that comes twice, at a depth.
#[derive(Clone, Copy)]
struct Once {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Once {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(self.deeper()?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom(format!("the key {key:?} comes twice")));
            }
            seen.insert(key);
            map.next_value_seed(self.deeper()?)?;
        }
        Ok(())
    }
}

impl Once {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        match self.depth < MOST_DEPTH {
            true => Ok(Self { depth: self.depth + 1 }),
            false => Err(E::custom("it is nested too deeply")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn minimal() -> Value {
        json!({
            "format": 1, "id": "a", "version": "1.0.0", "title": "A", "summary": {"en": "a", "zh": "甲"},
            "match": ["https://a.example/*"], "permissions": {"sites": ["https://a.example/*"]},
            "locators": {"head": {"any": [{"css": "h1"}, [{"role": "main"}, {"role": "heading", "name": {"en": ["A"]}}]]}},
            "pages": {"list": {"match": ["https://a.example/"], "probes": [{"at": "head", "is": "visible"}]}},
            "endpoints": {"search": {"path": "/api/{word}"}},
            "tools": [{
                "name": "read_head", "description": "Reads the heading.", "class": "read",
                "inputSchema": {"type": "object", "additionalProperties": false},
                "steps": [
                    {"do": "read", "at": "head", "what": "text", "as": "text"},
                    {"do": "return", "value": {"text": "{{text}}"}},
                ],
            }],
        })
    }

    fn problems(value: &Value) -> Vec<PackageProblem> {
        read(serde_json::to_string_pretty(value).unwrap().as_bytes()).unwrap_err()
    }

    #[test]
    fn what_has_the_shape_is_read() {
        let mut value = minimal();
        value["x-note"] = json!({"any": ["thing"]});
        value["tools"][0]["x-author"] = json!(1);
        let definition =
            read(value.to_string().as_bytes()).unwrap_or_else(|problems| panic!("{problems:#?}"));
        assert_eq!((definition.id.as_str(), definition.tools[0].steps.len()), ("a", 2));
        assert_eq!(definition.locators["head"].any.len(), 2);
    }

    #[test]
    fn each_mistake_names_its_place_and_line() {
        let set = |pointer: &str, to: Value| {
            let mut value = minimal();
            *value.pointer_mut(pointer).unwrap() = to;
            problems(&value)
        };
        let add = |pointer: &str, key: &str, to: Value| {
            let mut value = minimal();
            value.pointer_mut(pointer).unwrap()[key] = to;
            problems(&value)
        };
        for (found, place, code) in [
            (add("", "colour", json!(1)), "", ReasonCode::UnknownKey),
            (add("/tools/0", "nam", json!(1)), "tools[0]", ReasonCode::UnknownKey),
            (add("/tools/0/steps/0", "to", json!("x")), "tools[0].steps[0]", ReasonCode::UnknownKey),
            (
                add("/locators/head/any/0", "xpath", json!("//a")),
                "locators.head.any[0]",
                ReasonCode::UnknownKey,
            ),
            (set("/tools/0/steps/0/do", json!("evaluate")), "tools[0].steps[0].do", ReasonCode::BadSchema),
            (set("/tools/0/steps/0/what", json!("html")), "tools[0].steps[0].what", ReasonCode::BadSchema),
            (set("/version", json!("1.0")), "version", ReasonCode::BadSchema),
            (set("/match", json!([])), "match", ReasonCode::BadSchema),
            (set("/title", json!(3)), "title", ReasonCode::BadSchema),
            (
                set("/locators/head/any", json!(vec![json!({"css": "a"}); 7])),
                "locators.head.any",
                ReasonCode::BadSchema,
            ),
            (set("/endpoints/search/path", json!("api")), "endpoints.search.path", ReasonCode::BadSchema),
            (
                set("/tools/0/steps/0/at", json!({"any": []})),
                "tools[0].steps[0].at.any",
                ReasonCode::BadSchema,
            ),
        ] {
            let [problem] = found.as_slice() else { panic!("{place}: {found:#?}") };
            assert_eq!((problem.place.as_str(), problem.reason.code), (place, code), "{problem}");
            assert!(problem.line.is_some(), "{problem}");
        }
        let text =
            serde_json::to_string_pretty(&minimal()).unwrap().replace("\"read_head\"", "\"read head\"");
        let [problem] = &read(text.as_bytes()).unwrap_err()[..] else { panic!() };
        let line = text.lines().position(|line| line.contains("read head")).unwrap() + 1;
        assert_eq!((problem.line, problem.place.as_str()), (Some(line), "tools[0].name"));
    }

    #[test]
    fn what_is_not_strict_json_names_its_line() {
        let line = |text: &str| read(text.as_bytes()).unwrap_err()[0].line;
        assert_eq!(line("{\n\"a\": 1,\n}"), Some(3));
        assert_eq!(line("{\n\"a\": 1,\n\"a\": 2}"), Some(3));
        assert_eq!(line("{} {}"), Some(1));
        assert!(line(&"[".repeat(5000)).is_some());
        assert_eq!(read(b"\xff").unwrap_err()[0].reason.code, ReasonCode::BadSchema);
    }

    #[test]
    fn newer_format_is_told_as_such() {
        let mut value = minimal();
        value["format"] = json!(2);
        value["something"] = json!("new");
        let [problem] = &problems(&value)[..] else { panic!() };
        assert_eq!(problem.reason.code, ReasonCode::NewerFormat);
    }

    #[test]
    fn schema_is_valid_and_knows_no_alternatives() {
        assert!(FileSchema::new(SCHEMA).is_ok());
        assert!(!SCHEMA.contains("anyOf"), "of alternatives nobody can say which one was meant");
        assert_eq!(serde_json::from_value::<SkillDefinition>(minimal()).unwrap().id, "a");
    }
}
