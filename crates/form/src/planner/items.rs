//! The items of an array.

use serde_json::{Map, Value};

use crate::field::{FieldChoice, FieldItems, Widget};
use crate::json::Json;
use crate::reason::RawReason;
use crate::source::{SchemaPlace, SchemaSource, child};
use crate::subschema::{Layer, Layers, SubSchema};

use super::{FIELDS, Unions};

/// Maximum number of items with a schema of their own.
const SLOTS: usize = 100;

/// Plans the items of an array.
pub(super) fn widget(source: &SchemaSource, layers: &Layers<'_>) -> Widget {
    let count = layers.all.iter().map(|layer| slots(layer).1).max().unwrap_or_default();
    if count > SLOTS {
        return Widget::Raw(RawReason::TooMany);
    }
    let at = |place: usize| SubSchema::at(layers.all.iter().filter_map(|layer| item(layer, place)).collect());
    let rest = Some(at(usize::MAX)).filter(|rest| !Layers::of(source, rest).is_never);
    // Behind a slot that can take nothing, there is none.
    let slots: Vec<_> = (0..count).map(at).take_while(|slot| !Layers::of(source, slot).is_never).collect();
    let rest = rest.filter(|_| slots.len() == count);
    let is_unique = layers.each("uniqueItems").any(|value| value == &Value::Bool(true));
    let checks =
        rest.as_ref().filter(|_| is_unique && slots.is_empty()).and_then(|rest| choices(source, rest));
    let least = layers.each("minItems").filter_map(Value::as_u64).max().unwrap_or_default();
    let least = usize::try_from(least).unwrap_or(FIELDS).min(FIELDS);
    Widget::List(FieldItems { slots, rest, checks, least })
}

/// The keyword of the schemas of first items, and how many they are.
fn slots(layer: &Layer<'_>) -> (&'static str, usize) {
    let count = |key: &str| layer.map.get(key).and_then(Value::as_array).map(Vec::len);
    match count("prefixItems") {
        Some(count) => ("prefixItems", count),
        None => ("items", count("items").unwrap_or_default()),
    }
}

/// What a part says of an item at a position.
fn item(layer: &Layer<'_>, place: usize) -> Option<SchemaPlace> {
    let (key, count) = slots(layer);
    if place < count {
        return Some(child(&child(&layer.place, key), &place.to_string()));
    }
    let rest = if count > 0 && key == "items" { "additionalItems" } else { "items" };
    let is_schema =
        layer.map.get(rest).is_some_and(|schema| schema.is_object() || schema == &Value::Bool(false));
    is_schema.then(|| child(&layer.place, rest))
}

/// The values that items have, if they are a list to choose from, each different.
fn choices(source: &SchemaSource, sub: &SubSchema) -> Option<Vec<FieldChoice>> {
    let layers = Layers::of(source, sub);
    let choices = Unions::read(source, &layers, sub).choices?;
    let is_plain = |map: &Map<String, Value>| !map.contains_key("if");
    let is_double = |(place, one): (usize, &FieldChoice)| {
        choices[..place].iter().any(|other: &FieldChoice| other.value.is_same(&one.value))
    };
    let is_list = choices.len() > 1 && choices.len() <= 200;
    let is_scalar = |choice: &FieldChoice| !matches!(choice.value, Json::Object(_) | Json::Array(_));
    (is_list
        && layers.all.iter().all(|layer| is_plain(layer.map))
        && choices.iter().all(is_scalar)
        && !choices.iter().enumerate().any(is_double))
    .then_some(choices)
}
