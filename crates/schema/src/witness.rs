//! Looks for a value that one schema accepts and another refuses.

use serde_json::{Map, Value, json};

use crate::cost::{self, CheckCost};
use crate::misfits::validators;

/// Maximum number of values that are tried.
const TRIED: usize = 64;

/// How deep values are looked for in arrays and alternatives.
const DEPTH: usize = 4;

/// A value that the part at this place accepts in the schema `before`, and refuses in `after`. `lost` describes such
/// values, if that is known.
pub(crate) fn between(before: &Value, after: &Value, pointer: &str, lost: Option<&Value>) -> Option<Value> {
    let mut tried = Vec::new();
    lost.into_iter().for_each(|lost| suggest(lost, DEPTH, &mut tried));
    suggest(before.pointer(pointer)?, DEPTH, &mut tried);
    // What is refused most often lies beside a bound of the new version.
    suggest(after.pointer(pointer)?, DEPTH, &mut tried);
    let costs = [CheckCost::of(before).ok()?, CheckCost::of(after).ok()?];
    let (before, after) = (validators(before)?, validators(after)?);
    let key = format!("#{pointer}");
    let (before, after) = (before.get(&key)?, after.get(&key)?);
    let is_cheap =
        |value: &Value| costs.iter().all(|cost| cost.allows(cost::values(value), value.to_string().len()));
    tried.into_iter().find(|value| is_cheap(value) && before.is_valid(value) && !after.is_valid(value))
}

fn suggest(schema: &Value, depth: usize, tried: &mut Vec<Value>) {
    let (Value::Object(part), Some(deeper)) = (schema, depth.checked_sub(1)) else { return };
    let mut add = |value: Value| {
        if tried.len() < TRIED && !tried.contains(&value) {
            tried.push(value);
        }
    };
    for keyword in ["enum", "examples"] {
        part.get(keyword).and_then(Value::as_array).into_iter().flatten().cloned().for_each(&mut add);
    }
    for keyword in ["const", "default", "minimum", "maximum"] {
        part.get(keyword).cloned().into_iter().for_each(&mut add);
    }
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        let Some(bound) = part.get(keyword) else { continue };
        let near =
            bound.as_i64().map(|bound| [json!(bound.saturating_sub(1)), json!(bound.saturating_add(1))]);
        let near = near.or_else(|| bound.as_f64().map(|bound| [json!(bound - 0.5), json!(bound + 0.5)]));
        near.into_iter().flatten().for_each(&mut add);
    }
    for keyword in ["minLength", "maxLength"] {
        // A longer text is as good as any.
        let Some(length) = part.get(keyword).and_then(Value::as_u64).filter(|length| *length < 10_000) else {
            continue;
        };
        let length = usize::try_from(length).unwrap_or_default();
        [length, length + 1].map(|length| json!("a".repeat(length))).into_iter().for_each(&mut add);
    }
    let mut inside = Vec::new();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let ways = part.get(keyword).and_then(Value::as_array);
        ways.into_iter().flatten().for_each(|way| suggest(way, deeper, &mut inside));
    }
    inside.drain(..).for_each(&mut add);
    for keyword in ["items", "contains"] {
        part.get(keyword).into_iter().for_each(|items| suggest(items, deeper, &mut inside));
    }
    inside.drain(..).for_each(|item| add(json!([item])));
    if let Some(Value::Object(properties)) = part.get("properties") {
        for (name, property) in properties {
            suggest(property, deeper, &mut inside);
            inside.drain(..).for_each(|value| add(Value::Object(Map::from_iter([(name.clone(), value)]))));
        }
    }
    for plain in [
        json!("a"),
        json!(""),
        json!(1),
        json!(0.5),
        json!(-1),
        json!(true),
        json!(null),
        json!([]),
        json!({}),
    ] {
        add(plain);
    }
}
