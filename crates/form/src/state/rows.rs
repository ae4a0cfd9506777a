//! Rows of arrays: added, removed, moved. A row keeps its name, and so its drafts, wherever it goes.

use crate::field::{FieldItems, Widget};
use crate::json::Json;

use super::build::FormBuilder;
use super::{FieldId, FieldValue, FormNode, FormState, MemberOrigin};

impl FormState {
    /// Adds an empty row to an array.
    pub fn add_row(&mut self, id: FieldId) -> Option<FieldId> {
        self.edit(id, |builder, node, trail| {
            let field = node.field.clone();
            let (items, rows) = rows(node)?;
            let rest = items.rest.as_ref().filter(|_| builder.left > 0)?;
            trail.push(field);
            // Slots that a closed array does not have yet come first.
            for slot in items.slots.iter().skip(rows.len()) {
                rows.push(builder.fresh(slot, false, trail));
            }
            rows.push(builder.fresh(rest, true, trail));
            rows.last().map(|row| row.id)
        })
    }

    /// Adds a row for each line of a text that is not empty. Says how many were added.
    pub fn paste_lines(&mut self, id: FieldId, text: &str) -> usize {
        let done = self.edit(id, |builder, node, trail| {
            let field = node.field.clone();
            let (items, rows) = rows(node)?;
            let rest = items.rest.as_ref().filter(|_| rows.len() >= items.slots.len())?;
            trail.push(field);
            let before = rows.len();
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                if builder.left == 0 {
                    break;
                }
                let mut row = builder.fresh(rest, true, trail);
                let json = Json::read(line);
                row.value = match &row.field.widget {
                    Widget::Text(_) => FieldValue::Text(line.to_owned()),
                    Widget::Number { .. } => FieldValue::Written(line.trim().to_owned()),
                    Widget::Boolean
                    | Widget::Choice(_)
                    | Widget::Fixed(_)
                    | Widget::Group(_)
                    | Widget::List(_)
                    | Widget::Unpicked
                    | Widget::Raw(_)
                    | Widget::Never => {
                        let grown = row.as_grown();
                        let text = builder.value(&grown, Json::Text(line.trim().to_owned()), trail);
                        match (text, json) {
                            (FieldValue::Written(_), Ok(json)) => builder.value(&grown, json, trail),
                            (text, _) => text,
                        }
                    }
                };
                rows.push(row);
            }
            Some(rows.len() - before)
        });
        done.unwrap_or_default()
    }

    /// Removes a row, or a member that the schema does not name.
    pub fn remove(&mut self, id: FieldId) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        let done = self.edit(parent, |_, node, _| {
            if let FieldValue::Object { members, .. } = &mut node.value {
                let is_own = |origin| matches!(origin, MemberOrigin::Declared { .. });
                let place = members.iter().position(|one| one.node.id == id && !is_own(one.origin))?;
                members.remove(place);
                return Some(());
            }
            let (place, rows, _) = place(node, id)?;
            rows.remove(place);
            Some(())
        });
        done.is_some()
    }

    /// Moves a row to a position, counted from 0 with the slots.
    pub fn move_row(&mut self, id: FieldId, to: usize) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        let done = self.edit(parent, |_, node, _| {
            let (from, rows, slots) = place(node, id)?;
            if to < slots || to >= rows.len() {
                return None;
            }
            let row = rows.remove(from);
            rows.insert(to, row);
            Some(())
        });
        done.is_some()
    }

    /// Adds a copy of a row behind it, drafts included.
    pub fn duplicate_row(&mut self, id: FieldId) -> Option<FieldId> {
        let parent = self.parent(id)?;
        self.edit(parent, |builder, node, _| {
            let (from, rows, _) = place(node, id)?;
            let mut copy = rows[from].clone();
            if copy.count() > builder.left {
                return None;
            }
            rename(&mut copy, builder);
            let id = copy.id;
            rows.insert(from + 1, copy);
            Some(id)
        })
    }
}

/// The rows of an array; it is set from now on.
fn rows(node: &mut FormNode) -> Option<(FieldItems, &mut Vec<FormNode>)> {
    let Widget::List(items) = &node.field.widget else { return None };
    if items.checks.is_some() {
        return None;
    }
    if matches!(node.value, FieldValue::Absent | FieldValue::Null) {
        node.value = FieldValue::Array { is_set: true, rows: Vec::new() };
    }
    match &mut node.value {
        FieldValue::Array { is_set, rows } => {
            *is_set = true;
            Some((items.clone(), rows))
        }
        FieldValue::Absent
        | FieldValue::Null
        | FieldValue::Text(_)
        | FieldValue::Written(_)
        | FieldValue::Switch(_)
        | FieldValue::Chosen(_)
        | FieldValue::Checked(_)
        | FieldValue::Object { .. } => None,
    }
}

/// Where a row is that is no slot, among which, and how many slots there are.
fn place(node: &mut FormNode, id: FieldId) -> Option<(usize, &mut Vec<FormNode>, usize)> {
    let (items, rows) = rows(node)?;
    let place = rows.iter().position(|row| row.id == id)?;
    (place >= items.slots.len()).then_some((place, rows, items.slots.len()))
}

/// Gives a field and all below it names of their own.
fn rename(node: &mut FormNode, builder: &mut FormBuilder<'_>) {
    node.id = builder.id();
    match &mut node.value {
        FieldValue::Object { members, .. } => {
            members.iter_mut().for_each(|member| rename(&mut member.node, builder));
        }
        FieldValue::Array { rows, .. } => rows.iter_mut().for_each(|row| rename(row, builder)),
        FieldValue::Absent
        | FieldValue::Null
        | FieldValue::Text(_)
        | FieldValue::Written(_)
        | FieldValue::Switch(_)
        | FieldValue::Chosen(_)
        | FieldValue::Checked(_) => {}
    }
}
