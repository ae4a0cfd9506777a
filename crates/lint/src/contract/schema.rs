//! Compares two versions of a tool's schema.
//!
//! Objects are compared by their properties, because a new parameter is no break though a call might have had a key of
//! that name before. What a single parameter accepts is compared as sets of values ([`sidecar_schema::narrowing`]).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sidecar_schema::{Narrowing, constraints, narrowing, parts};

use crate::contract::change::{ChangeClass, ContractChangeKind as Kind};
use crate::look::below;

/// Keywords of objects that are compared one by one.
const OF_OBJECTS: [&str; 6] =
    ["properties", "required", "additionalProperties", "$defs", "definitions", "$schema"];

/// Tells each change: its kind, its place in the schema, and what is there before and after.
pub(super) fn compare(before: &Value, after: &Value, tell: &mut impl FnMut(Kind, &str, [&str; 2])) {
    texts(before, after, tell);
    let (before, after) = (constraints(before), constraints(after));
    let mut comparison = SchemaComparison { before: &before, after: &after, tell };
    comparison.part(&before, &after, "");
}

/// Texts, defaults and examples of parts that are in both versions.
fn texts(before: &Value, after: &Value, tell: &mut impl FnMut(Kind, &str, [&str; 2])) {
    let old: BTreeMap<_, _> = parts(before).into_iter().map(|part| (part.pointer, part.keywords)).collect();
    for part in parts(after) {
        let Some(keywords) = old.get(&part.pointer) else { continue };
        for (keyword, kind) in [
            ("title", Kind::TitleChanged),
            ("description", Kind::DescriptionChanged),
            ("default", Kind::DefaultChanged),
            ("examples", Kind::ExamplesChanged),
        ] {
            let [was, is] = [keywords, part.keywords].map(|keywords| keywords.get(keyword));
            if was != is {
                let [was, is] = [was, is].map(|value| match value {
                    Some(Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                    None => String::new(),
                });
                tell(kind, &below(&part.pointer, keyword), [&was, &is]);
            }
        }
    }
}

/// Two versions of a schema, without texts.
struct SchemaComparison<'c, T> {
    before: &'c Value,
    after: &'c Value,
    tell: &'c mut T,
}

impl<T: FnMut(Kind, &str, [&str; 2])> SchemaComparison<'_, T> {
    fn tell(&mut self, kind: Kind, place: &str, before: Option<&Value>, after: Option<&Value>) {
        let [before, after] = [before, after].map(|value| value.map(Value::to_string).unwrap_or_default());
        (self.tell)(kind, place, [&before, &after]);
    }

    fn part(&mut self, before: &Value, after: &Value, place: &str) {
        // What references lead to may differ as well.
        let is_same_document = self.definitions_agree();
        if before == after && is_same_document {
            return;
        }
        match (object(before), object(after)) {
            (Some(old), Some(new)) => {
                let is_broken = self.object(old, new, place);
                let others = |part: &Map<String, Value>| -> BTreeMap<String, Value> {
                    // Arguments always are an object, said or not.
                    let is_known = |keyword: &str| {
                        OF_OBJECTS.contains(&keyword) || keyword == "type" && place.is_empty()
                    };
                    part.clone().into_iter().filter(|(keyword, _)| !is_known(keyword)).collect()
                };
                let refers = others(old).contains_key("$ref") && !is_same_document;
                if !is_broken && (others(old) != others(new) || refers) {
                    self.values(before, after, place);
                }
            }
            (None | Some(_), None | Some(_)) => self.values(before, after, place),
        }
    }

    fn definitions_agree(&self) -> bool {
        ["$defs", "definitions"].iter().all(|key| self.before.get(key) == self.after.get(key))
    }

    /// Compares properties. Returns whether a change breaks calls.
    fn object(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &str) -> bool {
        let mut is_broken = false;
        let none = Map::new();
        let [had, has] =
            [old, new].map(|part| part.get("properties").and_then(Value::as_object).unwrap_or(&none));
        let [was_required, is_required] = [old, new].map(required);
        let within = below(place, "properties");
        for name in is_required.difference(&was_required) {
            is_broken = true;
            self.tell(Kind::ParameterRequired, &below(&within, name), had.get(*name), has.get(*name));
        }
        for name in was_required.difference(&is_required).filter(|name| has.contains_key(**name)) {
            self.tell(Kind::ParameterOptional, &below(&within, name), None, None);
        }
        let others = new.get("additionalProperties").unwrap_or(&Value::Bool(true));
        for (name, was) in had {
            let place = below(&within, name);
            match has.get(name) {
                Some(is) => self.part(was, is, &place),
                None => {
                    let kind = match others {
                        Value::Bool(false) => Kind::ParameterRefused,
                        Value::Object(others) if !others.is_empty() => Kind::Unjudged,
                        _ => Kind::ParameterIgnored,
                    };
                    is_broken |= kind.class() == ChangeClass::Breaking;
                    self.tell(kind, &place, Some(was), None);
                }
            }
        }
        for (name, is) in has {
            if !had.contains_key(name) && !is_required.contains(name.as_str()) {
                self.tell(Kind::ParameterAdded, &below(&within, name), None, Some(is));
            }
        }
        self.extra(old, new, &below(place, "additionalProperties"));
        is_broken
    }

    /// What is accepted under other names.
    fn extra(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, place: &str) {
        let [was, is] = [old, new].map(|part| part.get("additionalProperties").unwrap_or(&Value::Bool(true)));
        let kind = match (was, is) {
            _ if was == is => return,
            (_, Value::Bool(true)) | (Value::Bool(false), _) => Kind::ValuesAdded,
            (Value::Bool(true), _) | (_, Value::Bool(false)) => Kind::ValuesRefused(None),
            _ => return self.values(was, is, place),
        };
        self.tell(kind, place, Some(was), Some(is));
    }

    /// Compares what two versions of a part accept.
    fn values(&mut self, was: &Value, is: &Value, place: &str) {
        let kind = match narrowing(self.before, self.after, place) {
            Narrowing::None if narrowing(self.after, self.before, place) == Narrowing::None => return,
            Narrowing::None => Kind::ValuesAdded,
            Narrowing::Some(witness) => Kind::ValuesRefused(witness),
            Narrowing::Unknown => Kind::Unjudged,
        };
        self.tell(kind, place, Some(was), Some(is));
    }
}

/// The keywords of a part, if it is about objects.
fn object(part: &Value) -> Option<&Map<String, Value>> {
    let keywords = part.as_object()?;
    let is_about = match keywords.get("type") {
        Some(kind) => kind == "object",
        None => {
            keywords.is_empty() || keywords.contains_key("properties") || keywords.contains_key("required")
        }
    };
    Some(keywords).filter(|_| is_about)
}

fn required(part: &Map<String, Value>) -> BTreeSet<&str> {
    part.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
