//! What applies to one value: some places of the schema, all of them at once.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json_type::{self, JsonType};
use crate::reason::RawReason;
use crate::source::{SchemaPlace, SchemaSource, child};

/// Maximum number of parts of a schema that apply to one value.
const LAYERS: usize = 64;

/// What applies to one value. Small: it names places and holds no schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SubSchema {
    pub(crate) places: Vec<SchemaPlace>,
    /// Places that may apply or not: nobody can say here. Their fields are offered, and nothing is asked for.
    pub(crate) maybe: Vec<SchemaPlace>,
    /// Keys that are required as well, because of others.
    pub(crate) needs: Vec<String>,
    /// The one type that was picked of several.
    pub(crate) narrowed: Option<JsonType>,
    /// Whether these are the arguments as a whole.
    pub(crate) is_root: bool,
    /// Why nothing of it is planned.
    pub(crate) raw: Option<RawReason>,
}

impl SubSchema {
    /// The arguments of a tool.
    pub(crate) fn root() -> Self {
        Self { places: vec!["".into()], narrowed: Some(JsonType::Object), is_root: true, ..Self::default() }
    }

    pub(crate) fn at(places: Vec<SchemaPlace>) -> Self {
        Self { places, ..Self::default() }
    }

    /// A field of JSON as text.
    pub(crate) fn raw(reason: RawReason) -> Self {
        Self { raw: Some(reason), ..Self::default() }
    }

    pub(crate) fn add(&mut self, place: &SchemaPlace) {
        if !self.places.contains(place) {
            self.places.push(place.clone());
        }
    }

    pub(crate) fn add_maybe(&mut self, place: &SchemaPlace) {
        if !self.maybe.contains(place) {
            self.maybe.push(place.clone());
        }
    }

    pub(crate) fn need(&mut self, key: &str) {
        if !self.needs.iter().any(|known| known == key) {
            self.needs.push(key.to_owned());
        }
    }
}

/// One part of a schema that applies.
#[derive(Debug, Clone)]
pub(crate) struct Layer<'s> {
    pub place: SchemaPlace,
    pub map: &'s Map<String, Value>,
}

/// The parts that apply to a value: its places, what they refer to, and what stands in `allOf`.
#[derive(Debug, Default)]
pub(crate) struct Layers<'s> {
    pub all: Vec<Layer<'s>>,
    pub maybe: Vec<Layer<'s>>,
    /// Whether no value fits.
    pub is_never: bool,
    /// Whether `null` fits as well, by a union with it.
    pub is_nullable: bool,
    /// Why the parts are not all there.
    pub fault: Option<RawReason>,
}

impl<'s> Layers<'s> {
    pub(crate) fn of(source: &'s SchemaSource, sub: &SubSchema) -> Self {
        let mut layers = Self { fault: sub.raw.clone(), ..Self::default() };
        let mut seen = HashSet::new();
        for place in &sub.places {
            layers.visit(source, place, &mut seen);
        }
        if !sub.maybe.is_empty() {
            let mut maybe = Self::default();
            for place in &sub.maybe {
                maybe.visit(source, place, &mut seen);
            }
            layers.maybe = maybe.all;
        }
        layers
    }

    fn visit(&mut self, source: &'s SchemaSource, place: &SchemaPlace, seen: &mut HashSet<SchemaPlace>) {
        if !seen.insert(place.clone()) {
            return;
        }
        if self.all.len() == LAYERS {
            self.fault = Some(RawReason::TooComplex);
            return;
        }
        let map = match source.get(place) {
            Some(Value::Object(map)) => map,
            Some(Value::Bool(false)) => {
                self.is_never = true;
                return;
            }
            Some(_) | None => return,
        };
        self.all.push(Layer { place: place.clone(), map });
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            match source.resolve(place, reference) {
                Ok(target) => self.visit(source, &target, seen),
                Err(fault) => self.fault = Some(fault),
            }
        }
        for (number, _) in list(map, "allOf").iter().enumerate() {
            self.visit(source, &child(&child(place, "allOf"), &number.to_string()), seen);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some((only, is_nullable)) = only_branch(source, map, &child(place, key), key) {
                self.is_nullable |= is_nullable;
                self.visit(source, &only, seen);
            }
        }
    }

    /// The first value of a keyword.
    pub(crate) fn first(&self, key: &str) -> Option<&'s Value> {
        self.all.iter().find_map(|layer| layer.map.get(key))
    }

    /// Every value of a keyword.
    pub(crate) fn each(&self, key: &str) -> impl Iterator<Item = &'s Value> {
        self.all.iter().filter_map(move |layer| layer.map.get(key))
    }

    /// The types that all parts allow; `None` if none says.
    pub(crate) fn types(&self) -> Option<Vec<JsonType>> {
        let declared = self.all.iter().filter_map(|layer| json_type::declared(layer.map));
        declared.reduce(|one, other| json_type::common(&one, &other))
    }
}

/// A list of schemas, empty if there is none.
pub(crate) fn list<'s>(map: &'s Map<String, Value>, key: &str) -> &'s [Value] {
    map.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The one branch of a union that is not `null`, and whether another one is.
fn only_branch(
    source: &SchemaSource,
    map: &Map<String, Value>,
    place: &str,
    key: &str,
) -> Option<(SchemaPlace, bool)> {
    let branches = list(map, key);
    let mut others =
        (0..branches.len()).map(|at| child(place, &at.to_string())).filter(|at| !is_null(source, at));
    let only = others.next()?;
    others.next().is_none().then_some((only, branches.len() > 1))
}

/// Whether a place allows `null` alone.
pub(crate) fn is_null(source: &SchemaSource, place: &str) -> bool {
    let Some(map) = source.map(place) else { return false };
    let names_null = |types: Vec<JsonType>| types == [JsonType::Null];
    json_type::declared(map).is_some_and(names_null)
        || map.get("const") == Some(&Value::Null)
        || list(map, "enum") == [Value::Null]
}
