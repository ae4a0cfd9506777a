//! Compares two snapshots.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sidecar_protocol::guard::SignalKind;
use sidecar_schema::constraints;

use crate::contract::change::{ContractChange, ContractChangeKind as Kind};
use crate::contract::schema;
use crate::contract::snapshot::{ContractSnapshot, ContractTool};
use crate::signs::{each_text, orders};
use crate::similar::WordVector;
use crate::wording::hidden;

/// How alike descriptions are of which one is of the other's tool under a new name.
const ALIKE: f64 = 0.8;

/// Maximum number of tools, gone and added, among which renamed ones are looked for.
const MOST: usize = 100;

/// What changed between two snapshots, the worst first. The order of keys means nothing, nor does that of `required` and
/// `enum`.
#[must_use]
pub fn compare(before: &ContractSnapshot, after: &ContractSnapshot) -> Vec<ContractChange> {
    let by_key = |snapshot: &'_ ContractSnapshot| -> BTreeMap<(String, String), ContractTool> {
        let keyed = |tool: &ContractTool| ((tool.origin.clone(), tool.name.clone()), tool.clone());
        snapshot.tools.iter().map(keyed).collect()
    };
    let (old, new) = (by_key(before), by_key(after));
    let mut changes = Vec::new();
    for (key, tool) in &old {
        if let Some(now) = new.get(key) {
            of_tool(tool, now, &mut changes);
        }
    }
    let gone: Vec<_> = old.iter().filter(|(key, _)| !new.contains_key(*key)).map(|(_, tool)| tool).collect();
    let mut added: Vec<_> =
        new.iter().filter(|(key, _)| !old.contains_key(*key)).map(|(_, tool)| tool).collect();
    let is_bounded = gone.len() <= MOST && added.len() <= MOST;
    for tool in gone {
        let Some(at) = successor(tool, &added, is_bounded) else {
            changes.push(ContractChange::new(Kind::ToolGone, &tool.origin, &tool.name));
            continue;
        };
        let now = added.swap_remove(at);
        let kind = match now.name == tool.name {
            true => Kind::OriginMoved { to: now.origin.clone() },
            false => Kind::ToolRenamed { to: now.name.clone() },
        };
        changes.push(ContractChange::new(kind, &tool.origin, &tool.name));
        of_tool(tool, now, &mut changes);
    }
    added.sort_by(|one, other| (&one.origin, &one.name).cmp(&(&other.origin, &other.name)));
    for tool in added {
        changes.push(ContractChange::new(Kind::ToolAdded, &tool.origin, &tool.name));
        signs(&ContractTool::default(), tool, tool, &mut changes);
    }
    changes.sort_by_key(|change| change.kind.class());
    changes
}

/// Which of the added tools a tool became: the same name on another origin, or on its own origin the same parameters or
/// nearly the same description.
fn successor(tool: &ContractTool, added: &[&ContractTool], is_bounded: bool) -> Option<usize> {
    if let Some(at) = added.iter().position(|other| other.name == tool.name) {
        return Some(at);
    }
    if !is_bounded {
        return None;
    }
    let words = WordVector::of(&tool.description);
    let likeness = |other: &ContractTool| {
        let alike = words.likeness(&WordVector::of(&other.description));
        let same = form(tool).is_some() && form(tool) == form(other);
        // Of several with the same parameters the one that says the same.
        if same { 1.0 + alike } else { alike }
    };
    let own = added.iter().enumerate().filter(|(_, other)| other.origin == tool.origin);
    let rated = own.map(|(at, other)| (at, likeness(other))).filter(|(_, alike)| *alike >= ALIKE);
    rated.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at)
}

/// The parameters of a tool, without texts; `None` if it has none.
fn form(tool: &ContractTool) -> Option<Value> {
    let schema = tool.input_schema.as_ref()?;
    let has_some = schema.get("properties")?.as_object().is_some_and(|all| !all.is_empty());
    has_some.then(|| constraints(schema))
}

fn of_tool(before: &ContractTool, after: &ContractTool, changes: &mut Vec<ContractChange>) {
    let change = |kind| ContractChange::new(kind, &before.origin, &before.name);
    if before.title != after.title {
        changes.push(change(Kind::TitleChanged).at("/title").texts(&before.title, &after.title));
    }
    if before.description != after.description {
        let change = change(Kind::DescriptionChanged).at("/description");
        changes.push(change.texts(&before.description, &after.description));
    }
    let hints: BTreeSet<_> = before.annotations.keys().chain(after.annotations.keys()).collect();
    for hint in hints {
        let [was, is] =
            [before, after].map(|tool| tool.annotations.get(hint).filter(|value| **value != false));
        if was != is {
            let [was, is] = [was, is].map(|value| value.unwrap_or(&Value::Bool(false)).to_string());
            let place = crate::look::below("/annotations", hint);
            changes.push(change(Kind::HintChanged).at(place).texts(&was, &is));
        }
    }
    signs(before, after, before, changes);
    let [old, new] = [before, after].map(|tool| tool.input_schema.clone().unwrap_or_else(|| json!({})));
    schema::compare(&old, &new, &mut |kind, place, texts: [&str; 2]| {
        changes.push(change(kind).at(crate::look::in_schema(place)).texts(texts[0], texts[1]));
    });
}

/// Orders to the model, and invisible characters, that no text had before.
fn signs(
    before: &ContractTool,
    after: &ContractTool,
    named: &ContractTool,
    changes: &mut Vec<ContractChange>,
) {
    let known = found(before);
    let mut told = BTreeSet::new();
    for (kind, place, text) in found(after) {
        if known.iter().all(|(other, _, _)| *other != kind) && told.insert(kind) {
            let change = ContractChange::new(Kind::SignAdded, &named.origin, &named.name).at(place);
            changes.push(change.texts("", &text));
        }
    }
}

/// The signs in all texts of a tool, with place and excerpt.
fn found(tool: &ContractTool) -> Vec<(SignalKind, String, String)> {
    let mut found = Vec::new();
    each_text(
        [&tool.name, &tool.title, &tool.description],
        tool.input_schema.as_ref(),
        &mut |place, text| {
            let orders = orders(text).into_iter().map(|one| (one.kind, place.to_owned(), one.excerpt));
            found.extend(orders);
            found.extend(hidden(text).map(|excerpt| (SignalKind::Hidden, place.to_owned(), excerpt)));
        },
    );
    found
}
