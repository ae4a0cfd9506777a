//! Merges a changed value into the JSON on disk, where only the changes are made.

use serde_json::{Map, Value};

use super::reading::Pointer;

/// Applies to `original` the difference between `known`, which was read from it, and `now`. Unreadable parts
/// (`unread`) and unknown members stay where they are. If a whole member was removed, the unreadable parts in
/// it are removed with it, except in lists.
pub fn merge(original: &Value, known: &Value, now: &Value, unread: &[Pointer]) -> Value {
    if known == now {
        return original.clone();
    }
    match (original, known, now) {
        (Value::Object(original), Value::Object(known), Value::Object(now)) => {
            Value::Object(merge_members(original, known, now, unread))
        }
        (Value::Array(original), Value::Array(known), Value::Array(now)) => {
            Value::Array(merge_elements(original, known, now, unread))
        }
        _ => now.clone(),
    }
}

fn merge_members(
    original: &Map<String, Value>,
    known: &Map<String, Value>,
    now: &Map<String, Value>,
    unread: &[Pointer],
) -> Map<String, Value> {
    let mut merged = now.clone();
    for (name, member) in original {
        match (known.get(name), now.get(name)) {
            (Some(known), Some(now)) => {
                merged.insert(name.clone(), merge(member, known, now, &inside(unread, name)));
            }
            (None, None) => {
                merged.insert(name.clone(), member.clone());
            }
            // The unreadable elements of a removed list are kept.
            (Some(known), None) if member.is_array() && unread.iter().any(|place| is_inside(place, name)) => {
                let empty = Value::Array(Vec::new());
                merged.insert(name.clone(), merge(member, known, &empty, &inside(unread, name)));
            }
            // Added or removed.
            (None, Some(_)) | (Some(_), None) => {}
        }
    }
    merged
}

/// A readable element (as it was read, and as it is on disk), and the unreadable ones that follow it.
type Group<'v> = (Option<(&'v Value, &'v Value)>, Vec<&'v Value>);

/// An unreadable element stays behind the readable one that it follows.
fn merge_elements(original: &[Value], known: &[Value], now: &[Value], unread: &[Pointer]) -> Vec<Value> {
    let is_unread = |number: usize| {
        unread.iter().any(|place| matches!(place.as_slice(), [only] if *only == number.to_string()))
    };
    // The first group holds the unreadable elements before any readable one.
    let mut groups: Vec<Group<'_>> = vec![(None, Vec::new())];
    let mut read = known.iter();
    for (number, element) in original.iter().enumerate() {
        match (is_unread(number), groups.last_mut()) {
            (true, Some((_, behind))) => behind.push(element),
            (true, None) => {}
            (false, _) => groups.extend(read.next().map(|known| (Some((known, element)), Vec::new()))),
        }
    }
    // The unreadable elements after a removed element move to the group before it.
    let mut left: Vec<Group<'_>> = Vec::new();
    for (element, behind) in groups {
        match left.last_mut() {
            Some((_, before)) if element.is_some_and(|(known, _)| !now.contains(known)) => {
                before.extend(behind)
            }
            _ => left.push((element, behind)),
        }
    }
    let mut left = left.into_iter();
    let mut merged: Vec<Value> = left.next().into_iter().flat_map(|(_, behind)| behind).cloned().collect();
    let mut left: Vec<_> = left.collect();
    for element in now {
        let same = left.iter().position(|(found, _)| found.is_some_and(|(known, _)| known == element));
        match same.map(|place| left.remove(place)) {
            Some((found, behind)) => {
                merged.extend(found.map(|(_, original)| original.clone()));
                merged.extend(behind.into_iter().cloned());
            }
            None => merged.push(element.clone()),
        }
    }
    // The unreadable elements after a removed duplicate go to the end.
    merged.extend(left.into_iter().flat_map(|(_, behind)| behind).cloned());
    merged
}

fn is_inside(place: &Pointer, name: &str) -> bool {
    place.first().is_some_and(|first| first == name)
}

fn inside(unread: &[Pointer], name: &str) -> Vec<Pointer> {
    unread.iter().filter(|place| is_inside(place, name)).map(|place| place[1..].to_vec()).collect()
}
