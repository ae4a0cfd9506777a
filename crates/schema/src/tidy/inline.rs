//! Inlines references: each is replaced by its target. Also rewrites what older drafts spelt differently as
//! in draft 2020-12.

use serde_json::{Map, Value};

use super::merge;
use super::notes::{Notes, shortened};
use crate::keyword::{ANNOTATIONS, Shape, is_type, shape};
use crate::pointer;

/// Maximum bytes of the inlined schema.
const ROOM: usize = 96 * 1024;

/// Minimum bytes that a part counts, even if it is cut.
const PART: usize = 64;

/// Describes a part that was cut.
const CUT: &str = "left out: the schema is too large";

/// Maximum nesting of parts.
const DEPTH_LIMIT: usize = 32;

/// Maximum characters of a part's description.
const DESCRIPTION_LIMIT: usize = 2_000;

/// The schema without references. Unknown keywords and those with invalid values are left out. A part that
/// contains itself, or exceeds the maximum size, is cut, and its description says so.
pub(super) fn inlined(schema: &Value, notes: &mut Notes) -> Map<String, Value> {
    let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let mut inliner = Inliner {
        schema,
        references_stand_alone: draft.contains("/draft-0"),
        inside: vec!["#".to_owned()],
        room: ROOM,
        notes,
    };
    match inliner.part(schema, DEPTH_LIMIT) {
        Value::Object(whole) => whole,
        _ => Map::new(),
    }
}

struct Inliner<'s> {
    schema: &'s Value,
    /// Before draft 2019-09, keywords beside a reference are ignored.
    references_stand_alone: bool,
    /// References that lead to the current part.
    inside: Vec<String>,
    room: usize,
    notes: &'s mut Notes,
}

impl Inliner<'_> {
    fn part(&mut self, part: &Value, depth: usize) -> Value {
        let Value::Object(members) = part else { return Value::Bool(part != &Value::Bool(false)) };
        let depth = depth.saturating_sub(1);
        if depth == 0 || !self.take(members) {
            return self.cut(members);
        }
        let mut own = Map::new();
        for (keyword, value) in members {
            let Some(shape) = shape(keyword) else { continue };
            if shape.fits(value) {
                self.notes.enter(keyword);
                own.insert(keyword.clone(), self.value(shape, value, depth));
                self.notes.leave();
            } else {
                self.notes.add(&format!("{keyword} is not valid and is left out"));
            }
        }
        as_written_now(&mut own);
        let references = ["$ref", "$dynamicRef", "$recursiveRef"];
        match references.iter().find_map(|keyword| members.get(*keyword)?.as_str()) {
            Some(to) => self.with_target(own, to, depth),
            None => Value::Object(own),
        }
    }

    /// A keyword's value with its references inlined.
    fn value(&mut self, shape: Shape, value: &Value, depth: usize) -> Value {
        match (shape, value) {
            (Shape::Part | Shape::Items, Value::Object(_) | Value::Bool(_)) => self.part(value, depth),
            (Shape::Parts | Shape::Items, Value::Array(parts)) => {
                parts.iter().map(|part| self.part(part, depth)).collect()
            }
            (Shape::Named | Shape::Dependencies, Value::Object(named)) => named
                .iter()
                .map(|(name, value)| {
                    self.notes.enter(name);
                    // A dependency may be a list of names.
                    let value = if value.is_array() { value.clone() } else { self.part(value, depth) };
                    self.notes.leave();
                    (name.clone(), value)
                })
                .collect(),
            (Shape::Names, Value::Array(names)) => {
                let is_first = |(at, name): &(usize, &Value)| !names[..*at].contains(name);
                names.iter().enumerate().filter(is_first).map(|(_, name)| name.clone()).collect()
            }
            (Shape::Text, Value::String(text)) => Value::from(shortened(text, DESCRIPTION_LIMIT)),
            _ => value.clone(),
        }
    }

    /// A part that has a reference, merged with the target.
    fn with_target(&mut self, mut own: Map<String, Value>, to: &str, depth: usize) -> Value {
        if self.references_stand_alone {
            own.retain(|keyword, _| ANNOTATIONS.contains(&keyword.as_str()));
        }
        let Some(target) = pointer::target(self.schema, to) else {
            self.notes.describe(&mut own, &[format!("as in {}, which is not there", shortened(to, 100))]);
            return Value::Object(own);
        };
        if self.inside.iter().any(|reference| reference == to) {
            if let Some(kind) = target.get("type").filter(|kind| is_type(kind)) {
                own.entry("type").or_insert_with(|| kind.clone());
            }
            let name = match to.rsplit('/').next() {
                Some(name) if to.contains('/') => shortened(name, 100),
                _ => "the whole".to_owned(),
            };
            self.notes.describe(&mut own, &[format!("the same again as {name} around it")]);
            return Value::Object(own);
        }
        self.inside.push(to.to_owned());
        let target = self.part(target, depth);
        self.inside.pop();
        let Value::Object(mut target) = target else {
            // Nothing matches `false`.
            if target == Value::Bool(false) {
                own.insert("not".to_owned(), Value::Object(Map::new()));
            }
            return Value::Object(own);
        };
        // Annotations beside the reference override those of the target.
        target.retain(|keyword, _| !(ANNOTATIONS.contains(&keyword.as_str()) && own.contains_key(keyword)));
        if own.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) {
            target.extend(own);
            return Value::Object(target);
        }
        Value::Object(match merge::exact(&own, &target) {
            Some(both) => both,
            None => merge::side_by_side(own, target),
        })
    }

    /// The remainder of a part that was cut.
    fn cut(&mut self, members: &Map<String, Value>) -> Value {
        let mut rest = Map::new();
        if let Some(kind) = members.get("type").filter(|kind| is_type(kind)) {
            rest.insert("type".to_owned(), kind.clone());
        }
        self.notes.describe(&mut rest, &[CUT.to_owned()]);
        Value::Object(rest)
    }

    /// Counts the size of a part without its subschemas.
    fn take(&mut self, members: &Map<String, Value>) -> bool {
        let mut room = Some(self.room);
        for (keyword, value) in members {
            let Some(shape) = shape(keyword) else { continue };
            room = room.and_then(|room| room.checked_sub(keyword.len() + 5));
            room = match (shape, value) {
                (Shape::Part, _) | (Shape::Items, Value::Object(_) | Value::Bool(_)) => {
                    room.and_then(|room| room.checked_sub(PART))
                }
                (Shape::Parts | Shape::Items, Value::Array(parts)) => {
                    room.and_then(|room| room.checked_sub(PART.saturating_mul(parts.len())))
                }
                (Shape::Named, Value::Object(named)) => named
                    .keys()
                    .try_fold(room, |room, name| Some(room?.checked_sub(name.len() + PART)))
                    .flatten(),
                _ => room.and_then(|room| without(room, value)),
            };
        }
        self.room = room.unwrap_or_default();
        room.is_some()
    }
}

/// The room that remains after a value.
fn without(room: usize, value: &Value) -> Option<usize> {
    let room = room.checked_sub(4)?;
    match value {
        Value::String(text) => room.checked_sub(text.len()),
        Value::Array(values) => values.iter().try_fold(room, without),
        Value::Object(members) => {
            members.iter().try_fold(room, |room, (name, value)| without(room.checked_sub(name.len())?, value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(room),
    }
}

/// Rewrites a list in `items` (until 2019-09) and `dependencies` (until 07) as in draft 2020-12.
fn as_written_now(part: &mut Map<String, Value>) {
    let rest = part.remove("additionalItems");
    if part.get("items").is_some_and(Value::is_array)
        && let Some(first) = part.remove("items")
    {
        if first != Value::Array(Vec::new()) {
            part.insert("prefixItems".to_owned(), first);
        }
        if let Some(rest) = rest {
            part.insert("items".to_owned(), rest);
        }
    }
    if let Some(Value::Object(dependencies)) = part.remove("dependencies") {
        for (name, value) in dependencies {
            let keyword = if value.is_array() { "dependentRequired" } else { "dependentSchemas" };
            let all = part.entry(keyword).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(all) = all {
                all.insert(name, value);
            }
        }
    }
}
