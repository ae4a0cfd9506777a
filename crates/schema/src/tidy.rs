//! Reduces schemas to what a model's service accepts.
//!
//! A service refuses the whole request if a schema contains a keyword that it does not accept, whichever
//! tool the model wants. So each such keyword is replaced by an equivalent where there is one, and is
//! otherwise described in the description of its part, where the model still reads it. A reduced schema may
//! accept more than the page's, and may lack an alternative; arguments are checked against the page's own
//! schema. What is required stays required, and nothing else becomes so.

use serde_json::{Map, Value};
use sidecar_protocol::schema::SchemaProfile;

use crate::keyword::{Shape, shape};

mod inline;
mod merge;
mod notes;
#[cfg(test)]
mod tests;
mod words;

use notes::Notes;

/// A schema as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tidied {
    /// An object schema with `properties` that stays within the profile.
    pub schema: Value,
    /// What was moved into descriptions, each with its place: `properties/seats: at least 1`. The first
    /// hundred.
    pub notes: Vec<String>,
}

/// Reduces a page's schema (JSON text; absent if the page gave none) to a profile.
///
/// If the schema does not describe an object, any object is accepted. If it is very large, its last parts
/// are left out. A part that contains itself is included once.
#[must_use]
pub fn tidy(schema: Option<&str>, profile: &SchemaProfile) -> Tidied {
    let mut notes = Notes::default();
    let parsed = schema.and_then(|text| serde_json::from_str::<Value>(text).ok()).filter(Value::is_object);
    let mut whole = parsed.map(|schema| inline::inlined(&schema, &mut notes)).unwrap_or_default();
    let is_for_objects = match whole.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    if !is_for_objects {
        whole = Map::new();
        notes.add("the schema describes no object");
    }
    whole.insert("type".to_owned(), Value::from("object"));
    whole.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let mut fitting = Fitting { profile, notes };
    let whole = fitting.part(Value::Object(whole), Level::Root);
    Tidied { schema: whole, notes: fitting.notes.said }
}

/// The position of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Inner,
}

/// Fits parts without references to a profile.
struct Fitting<'p> {
    profile: &'p SchemaProfile,
    notes: Notes,
}

impl Fitting<'_> {
    fn part(&mut self, part: Value, level: Level) -> Value {
        let mut part = match part {
            Value::Object(part) => part,
            Value::Bool(false) => Map::from_iter([("not".to_owned(), Value::Object(Map::new()))]),
            _ => Map::new(),
        };
        let mut said = Vec::new();
        self.settle(&mut part, level, &mut said);
        self.constants(&mut part, level);
        self.types(&mut part, level, &mut said);
        self.values(&mut part, level, &mut said);
        self.complete(&mut part);
        self.leave_out(&mut part, level, &mut said);
        self.name_type(&mut part, &mut said);
        self.inner_parts(&mut part);
        self.notes.describe(&mut part, &said);
        Value::Object(part)
    }

    fn takes(&self, keyword: &str, level: Level) -> bool {
        let is_choice = matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not" | "enum" | "const");
        self.profile.takes(keyword) && (self.profile.root_choices || level == Level::Inner || !is_choice)
    }

    /// Replaces `allOf`, `anyOf` and `oneOf` where the service does not accept them. Each round removes one
    /// of them and replaces it only by its own contents.
    fn settle(&self, part: &mut Map<String, Value>, level: Level, said: &mut Vec<String>) {
        let choices = ["allOf", "anyOf", "oneOf"];
        while let Some(keyword) =
            choices.iter().find(|keyword| part.contains_key(**keyword) && !self.takes(keyword, level))
        {
            let Some(Value::Array(ways)) = part.remove(*keyword) else { continue };
            if *keyword == "oneOf" && self.takes("anyOf", level) && !part.contains_key("anyOf") {
                part.insert("anyOf".to_owned(), Value::Array(ways));
                said.push("exactly one of these".to_owned());
                continue;
            }
            let can_be_none = ways.iter().all(|way| way == &Value::Bool(false));
            let ways: Vec<_> = ways
                .into_iter()
                .filter_map(|way| match way {
                    Value::Object(way) => Some(way),
                    Value::Bool(true) => Some(Map::new()),
                    _ => None,
                })
                .collect();
            match *keyword {
                "allOf" => join(part, ways, said),
                _ if can_be_none => said.push("must not be given".to_owned()),
                keyword => self.widen(part, keyword, ways, level, said),
            }
        }
    }

    /// Merges alternatives into one part: values into one list, objects into one with all properties, which
    /// requires what all of them require. Otherwise the first is used, unless the part has a type of its
    /// own.
    fn widen(
        &self,
        part: &mut Map<String, Value>,
        keyword: &str,
        mut ways: Vec<Map<String, Value>>,
        level: Level,
        said: &mut Vec<String>,
    ) {
        let before = ways.len();
        ways.retain(|way| !is_null(way));
        if ways.len() < before {
            said.push("may be null".to_owned());
        }
        let kind = part.get("type").and_then(Value::as_str);
        if let Some(mut values) = all_values(&ways)
            && !part.contains_key("const")
        {
            if let Some(Value::Array(ours)) = part.get("enum") {
                values.retain(|value| ours.contains(value));
            }
            said.extend(words::titles(&ways));
            part.insert("enum".to_owned(), Value::Array(values));
            return;
        }
        if ways.len() > 1 {
            said.push(words::alternatives(keyword, &ways));
        }
        let is_object = |way: &Map<String, Value>| match way.get("type") {
            Some(kind) => kind == "object",
            None => way.contains_key("properties") || way.contains_key("required"),
        };
        if kind == Some("object") || kind.is_none() && !ways.is_empty() && ways.iter().all(is_object) {
            for way in &mut ways {
                way.entry("type").or_insert_with(|| Value::from("object"));
                // Nested ones were described with the alternatives.
                self.settle(way, level, &mut Vec::new());
            }
            unite(part, ways);
        } else if !part.contains_key("type")
            && let Some(first) = ways.into_iter().next()
            && let Some(both) = merge::exact(part, &first)
        {
            *part = both;
        }
    }

    /// Replaces a constant by a list of one value.
    fn constants(&self, part: &mut Map<String, Value>, level: Level) {
        if !self.takes("const", level)
            && let Some(value) = part.remove("const")
        {
            part.insert("enum".to_owned(), Value::Array(vec![value]));
        }
    }

    /// Reduces `type` to one type where lists are not accepted. `null` is not accepted by all.
    fn types(&self, part: &mut Map<String, Value>, level: Level, said: &mut Vec<String>) {
        let mut kinds: Vec<Value> = match part.get("type") {
            Some(Value::Array(kinds)) => kinds.clone(),
            Some(kind) => vec![kind.clone()],
            None => return,
        };
        if let [one] = kinds.as_slice() {
            part.insert("type".to_owned(), one.clone());
        }
        if self.profile.type_lists {
            return;
        }
        let before = kinds.len();
        kinds.retain(|kind| kind != "null");
        if kinds.is_empty() {
            part.remove("type");
            said.push("always null".to_owned());
            return;
        }
        if kinds.len() < before {
            said.push("may be null".to_owned());
        }
        if kinds.iter().any(|kind| kind == "number") {
            kinds.retain(|kind| kind != "integer");
        }
        if kinds.len() > 1 && self.takes("anyOf", level) && !part.contains_key("anyOf") {
            part.remove("type");
            let ways = kinds.into_iter().map(|kind| serde_json::json!({ "type": kind }));
            part.insert("anyOf".to_owned(), ways.collect());
            return;
        }
        // The type that the part's other keywords are about, or else the first.
        let spoken_of = kind_of(part).and_then(|kind| kinds.iter().position(|one| one == kind));
        let one = kinds.remove(spoken_of.unwrap_or_default());
        if !kinds.is_empty() {
            let names: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
            said.push(format!("or {}", names.join(", ")));
        }
        part.insert("type".to_owned(), one);
    }

    /// Reduces `enum` to strings where other values are not accepted.
    fn values(&self, part: &mut Map<String, Value>, level: Level, said: &mut Vec<String>) {
        if self.profile.any_enum || !self.takes("enum", level) {
            return;
        }
        let Some(Value::Array(mut values)) = part.remove("enum") else { return };
        let all = words::list(&Value::Array(values.clone()));
        let kind = part.get("type").and_then(Value::as_str).or_else(|| {
            let first = values.iter().find(|value| !value.is_null())?;
            Some(match first {
                Value::Number(_) if values.iter().all(|value| value.is_i64() || value.is_u64()) => "integer",
                Value::Number(_) => "number",
                Value::Bool(_) => "boolean",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
                Value::Null | Value::String(_) => "string",
            })
        });
        let kind = kind.map(str::to_owned);
        let before = values.len();
        values.retain(Value::is_string);
        let is_list = kind.as_deref() == Some("string") && !values.is_empty();
        if !is_list || values.len() < before {
            said.push(format!("one of {all}"));
        }
        if let Some(kind) = kind {
            part.insert("type".to_owned(), Value::from(kind));
        }
        if is_list {
            part.insert("enum".to_owned(), Value::Array(values));
        }
    }

    /// Adds what services require and JSON Schema does not: the items of an array, the properties that an
    /// object requires.
    fn complete(&self, part: &mut Map<String, Value>) {
        let kind = part.get("type").and_then(Value::as_str);
        if kind == Some("array") && !part.contains_key("items") && !part.contains_key("unevaluatedItems") {
            part.insert("items".to_owned(), Value::Object(Map::new()));
            return;
        }
        let is_object = kind.map_or_else(|| kind_of(part) == Some("object"), |kind| kind == "object");
        if !is_object {
            return;
        }
        // Defining a property would change its meaning if the object has patterns or if evaluated
        // properties are tracked.
        let others = part.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
        let is_otherwise_said = others != Value::Bool(true) && part.contains_key("patternProperties")
            || part.contains_key("unevaluatedProperties");
        if is_otherwise_said && self.profile.untyped {
            return;
        }
        let Some(Value::Array(names)) = part.get("required").cloned() else { return };
        let properties = part.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(properties) = properties {
            for name in names.iter().filter_map(Value::as_str) {
                properties.entry(name).or_insert_with(|| others.clone());
            }
        }
    }

    /// Removes keywords and formats that are not accepted.
    fn leave_out(&self, part: &mut Map<String, Value>, level: Level, said: &mut Vec<String>) {
        if !self.profile.takes("title")
            && !part.contains_key("description")
            && let Some(title) = part.remove("title")
        {
            part.insert("description".to_owned(), title);
        }
        let is_taken = |keyword: &str, value: &Value| {
            let is_known_format = || {
                let names = self.profile.formats;
                names.is_none_or(|names| names.iter().any(|name| value == name))
            };
            self.takes(keyword, level) && (keyword != "format" || is_known_format())
        };
        let gone: Vec<_> = part
            .iter()
            .filter(|(keyword, value)| !is_taken(keyword, value))
            .map(|(keyword, _)| keyword.clone())
            .collect();
        for keyword in gone {
            if let Some(value) = part.remove(&keyword) {
                // Keywords that are left out also tell the type.
                if !self.profile.untyped
                    && !part.contains_key("type")
                    && let Some(kind) = kind_of_keyword(&keyword)
                {
                    part.insert("type".to_owned(), Value::from(kind));
                }
                said.extend(words::keyword(&keyword, &value));
            }
        }
    }

    /// Adds a type to a part where one is required.
    fn name_type(&self, part: &mut Map<String, Value>, said: &mut Vec<String>) {
        if self.profile.untyped {
            return;
        }
        let is_choice = ["allOf", "anyOf", "oneOf"].iter().any(|keyword| part.contains_key(*keyword));
        if !part.contains_key("type") && !is_choice {
            let kind = kind_of(part);
            if kind.is_none() && said.is_empty() {
                said.push("any JSON value".to_owned());
            }
            part.insert("type".to_owned(), Value::from(kind.unwrap_or("string")));
        }
        match part.get("type").and_then(Value::as_str) {
            Some("object") => {
                part.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            }
            Some("array") if self.profile.takes("items") => {
                part.entry("items").or_insert_with(|| Value::Object(Map::new()));
            }
            _ => {}
        }
    }

    fn inner_parts(&mut self, part: &mut Map<String, Value>) {
        for (keyword, value) in part {
            self.notes.enter(keyword);
            match (shape(keyword), &mut *value) {
                // Services handle boolean schemas best in this place.
                (Some(Shape::Part), Value::Bool(_)) if keyword != "not" => {}
                (Some(Shape::Part | Shape::Items), value) => *value = self.part(value.take(), Level::Inner),
                (Some(Shape::Parts), Value::Array(parts)) => {
                    for part in parts {
                        *part = self.part(part.take(), Level::Inner);
                    }
                }
                (Some(Shape::Named), Value::Object(named)) => {
                    for (name, part) in named {
                        self.notes.enter(name);
                        *part = self.part(part.take(), Level::Inner);
                        self.notes.leave();
                    }
                }
                _ => {}
            }
            self.notes.leave();
        }
    }
}

/// Merges the parts of an `allOf` where that is equivalent. Of other parts, properties and what is required
/// are used, and the rest is described.
fn join(part: &mut Map<String, Value>, all: Vec<Map<String, Value>>, said: &mut Vec<String>) {
    for mut one in all {
        if let Some(both) = merge::exact(part, &one) {
            *part = both;
            continue;
        }
        said.extend(words::keyword("allOf", &Value::Object(one.clone())));
        if let Some(Value::Object(more)) = one.remove("properties") {
            let properties = part.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(properties) = properties {
                for (name, value) in more {
                    let both = match properties.remove(&name) {
                        Some(ours) => serde_json::json!({ "allOf": [ours, value] }),
                        None => value,
                    };
                    properties.insert(name, both);
                }
            }
        }
        if let Some(Value::Array(names)) = one.remove("required") {
            require(part, names);
        }
        for keyword in ["type", "items"] {
            if let Some(value) = one.remove(keyword) {
                part.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Merges objects that are alternatives: the properties of all, and what all require.
fn unite(part: &mut Map<String, Value>, ways: Vec<Map<String, Value>>) {
    let names = |way: &Map<String, Value>| match way.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let mut required = ways.first().map(names).unwrap_or_default();
    required.retain(|name| ways.iter().all(|way| names(way).contains(name)));
    let mut found: Vec<(String, Vec<Value>)> = Vec::new();
    for mut way in ways {
        let Some(Value::Object(properties)) = way.remove("properties") else { continue };
        for (name, value) in properties.into_iter().filter(|(_, value)| value != &Value::Bool(false)) {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
                None => found.push((name, vec![value])),
            }
        }
    }
    part.entry("type").or_insert_with(|| Value::from("object"));
    let properties = part.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for (name, mut values) in found {
            let value = match values.len() {
                1 => values.remove(0),
                _ => serde_json::json!({ "anyOf": values }),
            };
            properties.entry(name).or_insert(value);
        }
    }
    if !required.is_empty() {
        require(part, required);
    }
}

fn require(part: &mut Map<String, Value>, names: Vec<Value>) {
    let required = part.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(required) = required {
        for name in names {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
}

/// All values of alternatives that are only values, as one list.
fn all_values(ways: &[Map<String, Value>]) -> Option<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    for way in ways {
        let is_plain = way
            .keys()
            .all(|keyword| matches!(keyword.as_str(), "const" | "enum" | "type" | "title" | "description"));
        let values = match (way.get("const"), way.get("enum")) {
            (Some(value), None) => std::slice::from_ref(value),
            (None, Some(Value::Array(values))) => values.as_slice(),
            _ => return None,
        };
        if !is_plain {
            return None;
        }
        all.extend(values.iter().filter(|value| !all.contains(value)).cloned().collect::<Vec<_>>());
    }
    (!all.is_empty()).then_some(all)
}

fn is_null(way: &Map<String, Value>) -> bool {
    way.get("type").is_some_and(|kind| kind == "null")
        || way.get("const").is_some_and(Value::is_null)
        || way.get("enum").is_some_and(|values| values == &Value::Array(vec![Value::Null]))
}

/// The type that a part's keywords are about.
fn kind_of(part: &Map<String, Value>) -> Option<&'static str> {
    part.keys().find_map(|keyword| kind_of_keyword(keyword))
}

fn kind_of_keyword(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => "object",
        "items" | "prefixItems" | "contains" | "minItems" | "maxItems" | "uniqueItems"
        | "unevaluatedItems" => "array",
        "pattern" | "minLength" | "maxLength" | "format" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}
