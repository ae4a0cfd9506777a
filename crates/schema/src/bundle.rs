//! Many schemas as parts of one document: what a document costs by itself is paid once for all of them.

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use crate::keyword::parts_mut;

/// Keywords for what references lead to. The library looks more closely at what lies directly in those of a document.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Numbers of schemas that are looked at together where more cannot be.
const FEWER: [usize; 2] = [32, 8];

/// A schema that can be part of a document with others.
#[derive(Debug)]
pub(crate) struct BundledSchema {
    /// Its name in any document: letters and digits.
    name: String,
    /// It, with references that lead to its place in a document, without definitions.
    schema: Value,
    /// Its definitions: the keyword, the name in a document.
    definitions: Vec<(&'static str, String, Value)>,
    /// Its draft.
    pub(crate) draft: Draft,
}

impl BundledSchema {
    /// Makes a part of a schema that is closed, not recursive, and valid by its draft. `None` if it would mean
    /// something else there.
    pub(crate) fn new(mut schema: Value, name: String, draft: Draft) -> Option<Self> {
        // In values, what is called a reference is none.
        let all = references(&schema);
        let moved = if all == 0 { 0 } else { moved_references(&mut schema, &name) };
        let members = schema.as_object_mut()?;
        members.remove("$schema");
        let mut definitions = Vec::new();
        for keyword in DEFINITIONS {
            let Some(named) = members.remove(keyword) else { continue };
            let Value::Object(named) = named else { return None };
            definitions.extend(named.into_iter().map(|(own, part)| (keyword, format!("{name}.{own}"), part)));
        }
        (moved == all).then_some(Self { name, schema, definitions, draft })
    }

    /// It, changeable where that changes no reference.
    pub(crate) fn schema_mut(&mut self) -> &mut Value {
        &mut self.schema
    }

    /// A schema that refers to the part of it at this JSON Pointer (RFC 6901).
    pub(crate) fn reference(&self, pointer: &str) -> Value {
        json!({"$ref": format!("#{}", fragment(&moved(pointer, &self.name)))})
    }

    /// The name of a property for what belongs to it, in any document.
    pub(crate) fn beside(&self) -> String {
        format!("of {}", self.name)
    }

    /// Its name in any document.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Shows a document with all of these schemas as properties, and other properties.
pub(crate) fn bundled<'b, T>(
    schemas: impl IntoIterator<Item = &'b mut BundledSchema>,
    others: Map<String, Value>,
    look: impl FnOnce(&Value) -> T,
) -> T {
    let mut schemas: Vec<_> = schemas.into_iter().collect();
    let mut document = json!({"type": "object", "properties": others});
    let mut add = |keyword: &str, name: &str, part: &mut Value| document[keyword][name] = part.take();
    for one in &mut schemas {
        add("properties", &one.name, &mut one.schema);
        one.definitions.iter_mut().for_each(|(keyword, name, part)| add(keyword, name, part));
    }
    let seen = look(&document);
    let mut take = |keyword: &str, name: &str| document[keyword][name].take();
    for one in schemas {
        one.schema = take("properties", &one.name);
        one.definitions.iter_mut().for_each(|(keyword, name, part)| *part = take(keyword, name));
    }
    seen
}

/// The name of the schema that a part of a document is in, and the JSON Pointer to the part in that schema.
pub(crate) fn unbundled(pointer: &str) -> Option<(&str, String)> {
    let (keyword, rest) = pointer.strip_prefix('/')?.split_once('/')?;
    if keyword == "properties" {
        let (name, place) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        return Some((name, place.to_owned()));
    }
    let (name, own) = rest.split_once('.')?;
    Some((name, format!("/{keyword}/{own}")))
}

/// Looks at all together; where that fails at a few of them together, and in the end at each alone. Even if it
/// always fails, there are not many more looks than things.
pub(crate) fn gathered<T>(
    all: &mut [T],
    together: &mut impl FnMut(&mut [T]) -> bool,
    alone: &mut impl FnMut(&mut T),
) {
    if let [one] = all {
        alone(one);
    } else if !all.is_empty() && !together(all) {
        match FEWER.into_iter().find(|fewer| *fewer < all.len()) {
            Some(fewer) => all.chunks_mut(fewer).for_each(|few| gathered(few, together, alone)),
            None => all.iter_mut().for_each(alone),
        }
    }
}

/// The JSON Pointer in a document to the part at this one of a schema of this name.
fn moved(pointer: &str, name: &str) -> String {
    let in_definitions = DEFINITIONS.iter().find_map(|keyword| {
        let rest = pointer.strip_prefix('/')?.strip_prefix(keyword)?.strip_prefix('/')?;
        Some(format!("/{keyword}/{name}.{rest}"))
    });
    in_definitions.unwrap_or_else(|| format!("/properties/{name}{pointer}"))
}

/// Whether a reference leads to a part by its place, which is written plainly, and is not special to the library.
fn is_plain(reference: &str) -> bool {
    let Some(pointer) = reference.strip_prefix("#/") else { return false };
    match pointer.split_once('/') {
        Some((first, rest)) if DEFINITIONS.contains(&first) => {
            let is_address = rest.contains(':') || rest.to_ascii_lowercase().contains("%3a");
            !is_address && !rest.is_empty() && !rest.starts_with('/')
        }
        Some((first, _)) => !first.contains('%'),
        None => !pointer.contains('%') && !DEFINITIONS.contains(&pointer),
    }
}

/// Number of what is called a reference.
fn references(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(references).sum(),
        Value::Object(members) => {
            let of_member = |(name, value): (&String, &Value)| {
                usize::from(name == "$ref" && value.is_string()) + references(value)
            };
            members.iter().map(of_member).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Moves the references of a part and those in it; says how many.
fn moved_references(part: &mut Value, name: &str) -> usize {
    let mut moved = 0;
    if let Some(Value::String(to)) = part.get_mut("$ref")
        && is_plain(to)
    {
        *to = format!("#{}", self::moved(&to[1..], name));
        moved += 1;
    }
    moved + parts_mut(part).into_iter().map(|part| moved_references(part, name)).sum::<usize>()
}

/// A pointer as it is written in a reference (RFC 3986, section 3.5).
fn fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'$' => fragment.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => fragment.push(byte.into()),
            _ => fragment.push_str(&format!("%{byte:02X}")),
        }
    }
    fragment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_again_in_their_schemas() {
        for pointer in
            ["", "/properties/a", "/$defs/a", "/$defs/a.b~1c/items", "/definitions/1/x", "/own/$defs/a"]
        {
            assert_eq!(unbundled(&moved(pointer, "12")), Some(("12", pointer.to_owned())), "{pointer}");
        }
        assert_eq!(unbundled(""), None);
    }

    #[test]
    fn schemas_come_back_from_a_document() {
        let part = json!({"$ref": "#/$defs/a/items"});
        let schema = json!({"properties": {"b": part}, "$defs": {"a": {"items": true}}});
        let mut one = BundledSchema::new(schema, "0".to_owned(), Draft::Draft7).unwrap();
        for _ in 0..2 {
            let document = bundled([&mut one], Map::new(), Value::clone);
            let moved = json!({"$ref": "#/$defs/0.a/items"});
            assert_eq!(document["properties"], json!({"0": {"properties": {"b": moved}}}));
            assert_eq!(document["$defs"], json!({"0.a": {"items": true}}));
            assert_eq!(one.reference("/$defs/a/items"), moved);
        }
    }

    #[test]
    fn what_fails_together_is_looked_at_with_fewer() {
        let look = |bad: fn(i32) -> bool, count: i32| {
            let (mut alone, mut rounds) = (Vec::new(), 0);
            let mut together = |numbers: &mut [i32]| {
                rounds += 1;
                !numbers.iter().any(|number| bad(*number))
            };
            let mut numbers: Vec<_> = (0..count).collect();
            gathered(&mut numbers, &mut together, &mut |one| alone.push(*one));
            (alone, rounds)
        };
        assert_eq!(look(|_| false, 100), (vec![], 1));
        assert_eq!(look(|number| number == 41, 100), ((40..48).collect(), 1 + 4 + 4));
        assert_eq!(look(|_| true, 512), ((0..512).collect(), 1 + 16 + 64));
        assert_eq!(look(|_| true, 1), (vec![0], 0));
    }
}
