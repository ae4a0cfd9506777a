//! A schema as it came: where its parts are, and what its references lead to.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::reason::RawReason;

/// Where a part of a schema is: a JSON pointer from its root.
pub type SchemaPlace = Arc<str>;

/// Maximum bytes of a schema that is planned.
const SIZE_LIMIT: usize = 256 * 1024 - 1;

/// How deep schemas may be nested in schemas.
const DEPTH: usize = 100;

/// Keywords with one schema, with a list of them, with a map of them.
const SINGLE: [&str; 11] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// A schema and an index of its names.
#[derive(Debug)]
pub(crate) struct SchemaSource {
    root: Value,
    /// Parts with an `$id`, by place.
    resources: HashMap<SchemaPlace, String>,
    /// Anchors, by the place of their resource and their name.
    anchors: HashMap<(SchemaPlace, String), SchemaPlace>,
}

impl SchemaSource {
    /// Indexes a schema.
    pub(crate) fn new(schema: &Value) -> Result<Self, RawReason> {
        if serde_json::to_writer(Bounded(SIZE_LIMIT), schema).is_err() {
            return Err(RawReason::TooLarge);
        }
        let mut source = Self { root: schema.clone(), resources: HashMap::new(), anchors: HashMap::new() };
        let root: SchemaPlace = "".into();
        source.index(schema, &root, &root, DEPTH);
        Ok(source)
    }

    /// A schema that says nothing.
    pub(crate) fn empty() -> Self {
        Self { root: Value::Bool(true), resources: HashMap::new(), anchors: HashMap::new() }
    }

    fn index(&mut self, schema: &Value, place: &SchemaPlace, resource: &SchemaPlace, depth: usize) {
        let (Some(map), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return };
        let mut resource = resource;
        for id in ["$id", "id"].into_iter().filter_map(|key| map.get(key)?.as_str()) {
            if let Some(anchor) = id.strip_prefix('#') {
                self.anchors.insert((resource.clone(), anchor.to_owned()), place.clone());
            } else if map.get("$id").is_some() {
                self.resources.insert(place.clone(), id.trim_end_matches('#').to_owned());
                resource = place;
            }
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = map.get(key).and_then(Value::as_str) {
                self.anchors.insert((resource.clone(), anchor.to_owned()), place.clone());
            }
        }
        for (key, value) in map {
            let at = child(place, key);
            if SINGLE.contains(&key.as_str()) && value.is_object() {
                self.index(value, &at, resource, depth);
            } else if let (true, Value::Array(items)) = (LISTS.contains(&key.as_str()), value) {
                for (number, item) in items.iter().enumerate() {
                    self.index(item, &child(&at, &number.to_string()), resource, depth);
                }
            } else if let (true, Value::Object(members)) = (MAPS.contains(&key.as_str()), value) {
                for (name, member) in members {
                    self.index(member, &child(&at, name), resource, depth);
                }
            }
        }
    }

    /// What is at a place.
    pub(crate) fn get(&self, place: &str) -> Option<&Value> {
        self.root.pointer(place)
    }

    /// The keywords at a place; `None` for `true`, `false`, and what is no schema.
    pub(crate) fn map(&self, place: &str) -> Option<&Map<String, Value>> {
        self.get(place)?.as_object()
    }

    /// What a reference leads to that stands at a place.
    pub(crate) fn resolve(&self, from: &str, reference: &str) -> Result<SchemaPlace, RawReason> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base: SchemaPlace = if document.is_empty() {
            self.resource_of(from)
        } else {
            let named = self.resources.iter().filter(|(_, id)| *id == document).map(|(place, _)| place);
            named.min().cloned().ok_or_else(|| RawReason::Remote(reference.to_owned()))?
        };
        let dangling = || RawReason::Dangling(reference.to_owned());
        let fragment = unescaped(fragment).ok_or_else(dangling)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let place: SchemaPlace = format!("{base}{fragment}").into();
            match self.get(&place) {
                Some(Value::Object(_) | Value::Bool(_)) => Ok(place),
                Some(_) | None => Err(dangling()),
            }
        } else {
            self.anchors.get(&(base, fragment)).cloned().ok_or_else(dangling)
        }
    }

    /// The part with an `$id` in which a place lies.
    fn resource_of(&self, place: &str) -> SchemaPlace {
        let mut at = place;
        loop {
            if let Some((known, _)) = self.resources.get_key_value(at) {
                return known.clone();
            }
            match at.rsplit_once('/') {
                Some((above, _)) => at = above,
                None => return "".into(),
            }
        }
    }
}

/// A place below another one.
pub(crate) fn child(place: &str, key: &str) -> SchemaPlace {
    let mut path = String::with_capacity(place.len() + key.len() + 1);
    path.push_str(place);
    push_key(&mut path, key);
    path.into()
}

/// Adds a key to a JSON pointer.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

/// A fragment without percent signs.
fn unescaped(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Takes so many bytes and no more.
struct Bounded(usize);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::WriteZero)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn local_references_lead_to_their_places() {
        let source = SchemaSource::new(&json!({
            "$id": "https://a.example/root.json",
            "$defs": {
                "a/b": {}, "50%": {"$anchor": "half"},
                "part": {"$id": "part.json", "definitions": {"in": {"$id": "#old"}}, "$anchor": "here"},
            },
            "enum": [{"$anchor": "no"}],
        }))
        .unwrap();
        for (from, reference, place) in [
            ("", "#", ""),
            ("", "#/$defs/a~1b", "/$defs/a~1b"),
            ("", "#/%24defs/50%25", "/$defs/50%"),
            ("", "#half", "/$defs/50%"),
            ("", "part.json", "/$defs/part"),
            ("", "part.json#/definitions/in", "/$defs/part/definitions/in"),
            ("/$defs/part", "#here", "/$defs/part"),
            ("/$defs/part/definitions/in", "#/definitions/in", "/$defs/part/definitions/in"),
            ("/$defs/part/definitions/in", "#old", "/$defs/part/definitions/in"),
            ("/$defs/part", "https://a.example/root.json#half", "/$defs/50%"),
        ] {
            assert_eq!(source.resolve(from, reference).as_deref(), Ok(place), "{reference}");
        }
        for reference in ["#no", "#/$defs/none", "#/$id", "#%zz", "#/%ff", "#here"] {
            assert_eq!(source.resolve("", reference), Err(RawReason::Dangling(reference.to_owned())));
        }
    }

    #[test]
    fn inspector_case_45_another_document_is_never_looked_for() {
        let source = SchemaSource::new(&json!({})).unwrap();
        for reference in ["https://x.example/a.json#/b", "file:///etc/passwd", "other.json"] {
            assert_eq!(source.resolve("", reference), Err(RawReason::Remote(reference.to_owned())));
        }
    }

    #[test]
    fn inspector_case_48_a_schema_of_256_kib_is_refused() {
        let schema = |size: usize| json!({"description": "x".repeat(size - r#"{"description":""}"#.len())});
        assert!(SchemaSource::new(&schema(256 * 1024 - 1)).is_ok());
        assert_eq!(SchemaSource::new(&schema(256 * 1024)).err(), Some(RawReason::TooLarge));
    }
}
