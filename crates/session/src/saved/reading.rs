//! Finds as much of a JSON value as a type can read.

use serde_json::{Map, Value};

/// A place in a JSON value: member names and element indexes, from the outside in; empty for the whole.
pub type Pointer = Vec<String>;

/// The value without the parts that do not fit, and the places of those; `None` if nothing fits.
///
/// Objects and lists are rebuilt member by member, starting empty. An object that lacks a required member is
/// therefore left out as a whole, while one with defaults for all members loses only those that do not fit.
pub fn readable(value: &Value, fits: &dyn Fn(&Value) -> bool) -> Option<(Value, Vec<Pointer>)> {
    let mut unread = Vec::new();
    let value = sift(value, &Pointer::new(), fits, &mut unread)?;
    Some((value, unread))
}

fn sift(
    value: &Value,
    place: &Pointer,
    fits: &dyn Fn(&Value) -> bool,
    unread: &mut Vec<Pointer>,
) -> Option<Value> {
    if fits(value) {
        return Some(value.clone());
    }
    match value {
        Value::Object(members) if fits(&Value::Object(Map::new())) => {
            let mut kept = Map::new();
            for (name, member) in members {
                let with = |member: &Value| {
                    let mut object = kept.clone();
                    object.insert(name.clone(), member.clone());
                    Value::Object(object)
                };
                if let Some(member) = sift(member, &below(place, name), &|member| fits(&with(member)), unread)
                {
                    kept.insert(name.clone(), member);
                }
            }
            Some(Value::Object(kept))
        }
        Value::Array(elements) if fits(&Value::Array(Vec::new())) => {
            let mut kept = Vec::new();
            for (number, element) in elements.iter().enumerate() {
                let with = |element: &Value| {
                    let mut list = kept.clone();
                    list.push(element.clone());
                    Value::Array(list)
                };
                let place = below(place, &number.to_string());
                if let Some(element) = sift(element, &place, &|element| fits(&with(element)), unread) {
                    kept.push(element);
                }
            }
            Some(Value::Array(kept))
        }
        _ => {
            unread.push(place.clone());
            None
        }
    }
}

fn below(place: &Pointer, step: &str) -> Pointer {
    place.iter().map(String::as_str).chain([step]).map(str::to_owned).collect()
}
