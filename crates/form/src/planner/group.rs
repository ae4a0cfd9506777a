//! The keys of an object.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::field::{FieldGroup, OtherKeys, PlannedMember, Widget};
use crate::key_pattern;
use crate::reason::RawReason;
use crate::source::{SchemaPlace, child};
use crate::subschema::{Layer, Layers, SubSchema};

/// Plans the keys of an object, so many at most.
pub(super) fn widget(layers: &Layers<'_>, sub: &SubSchema, most: usize) -> Widget {
    let mut required: Vec<&str> = layers
        .each("required")
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_str)
        .chain(sub.needs.iter().map(String::as_str))
        .collect();
    let required_set: HashSet<&str> = required.iter().copied().collect();
    let declared = |layer: &Layer<'_>, key: &str| properties(layer).is_some_and(|map| map.contains_key(key));
    // Parts may have the same keys; that they have very many more is too much all the same.
    let all = layers.all.iter().chain(&layers.maybe).filter_map(properties).map(Map::len);
    if all.sum::<usize>() + required.len() > 4 * most {
        return Widget::Raw(RawReason::TooMany);
    }
    let mut seen = HashSet::new();
    let mut members = Vec::new();
    for layer in &layers.all {
        for name in properties(layer).into_iter().flat_map(Map::keys) {
            if seen.insert(name.clone()) {
                members.push(PlannedMember {
                    key: name.clone(),
                    is_required: required_set.contains(name.as_str()),
                    is_maybe: false,
                    is_undeclared: false,
                    sub: key(layers, name),
                });
            }
        }
    }
    for layer in &layers.maybe {
        for name in properties(layer).into_iter().flat_map(Map::keys) {
            if seen.insert(name.clone()) {
                let mut sub = key(layers, name);
                sub.add(&child(&child(&layer.place, "properties"), name));
                members.push(PlannedMember {
                    key: name.clone(),
                    is_required: required_set.contains(name.as_str()),
                    is_maybe: true,
                    is_undeclared: false,
                    sub,
                });
            }
        }
    }
    required.retain(|name| seen.insert((*name).to_owned()));
    members.extend(required.into_iter().map(|name| PlannedMember {
        key: name.to_owned(),
        is_required: true,
        is_maybe: false,
        is_undeclared: !layers.all.iter().any(|layer| declared(layer, name)),
        sub: key(layers, name),
    }));
    if members.len() > most {
        return Widget::Raw(RawReason::TooMany);
    }
    Widget::Group(FieldGroup { members, others: others(layers) })
}

fn properties<'s>(layer: &Layer<'s>) -> Option<&'s Map<String, Value>> {
    layer.map.get("properties")?.as_object()
}

/// The schema of a key: of each part what it says of it.
pub(super) fn key(layers: &Layers<'_>, key: &str) -> SubSchema {
    SubSchema::at(layers.all.iter().flat_map(|layer| in_layer(layer, key)).collect())
}

/// What a part says of a key: by its name, by its patterns, or as one of the others.
fn in_layer(layer: &Layer<'_>, key: &str) -> Vec<SchemaPlace> {
    let mut places = Vec::new();
    if properties(layer).is_some_and(|declared| declared.contains_key(key)) {
        places.push(child(&child(&layer.place, "properties"), key));
    }
    let patterns = layer.map.get("patternProperties").and_then(Value::as_object);
    let other = layer.map.get("additionalProperties");
    let is_only = patterns.is_some_and(|patterns| patterns.len() == 1) && other == Some(&Value::Bool(false));
    let mut is_unclear = false;
    for pattern in patterns.into_iter().flat_map(Map::keys) {
        match key_pattern::is_match(pattern, key) {
            // A key that the one pattern does not match is refused: the others have the schema of the pattern.
            None if is_only && places.is_empty() => {
                places.push(child(&child(&layer.place, "patternProperties"), pattern));
            }
            Some(true) => places.push(child(&child(&layer.place, "patternProperties"), pattern)),
            Some(false) => {}
            None => is_unclear = true,
        }
    }
    let is_schema = other.is_some_and(|other| other != &Value::Bool(true));
    if places.is_empty() && !is_unclear && is_schema {
        places.push(child(&layer.place, "additionalProperties"));
    }
    places
}

/// Which other keys may be added.
fn others(layers: &Layers<'_>) -> OtherKeys {
    let mut others = OtherKeys::Any;
    for layer in &layers.all {
        let has_patterns =
            layer.map.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        let no_names = layer.map.get("propertyNames") == Some(&Value::Bool(false));
        match layer.map.get("additionalProperties") {
            _ if no_names => return OtherKeys::Refused,
            Some(Value::Bool(false)) if !has_patterns => return OtherKeys::Refused,
            Some(Value::Object(_)) => others = OtherKeys::Mapped,
            _ if has_patterns => others = OtherKeys::Mapped,
            _ => {}
        }
    }
    others
}
