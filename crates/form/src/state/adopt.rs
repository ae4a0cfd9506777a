//! Fields under another schema than before: their values stay as far as they can.

use crate::decimal;
use crate::field::{FieldGroup, FieldItems, FormField, Widget};
use crate::growth::{Grown, Picking};
use crate::json::Json;
use crate::reason::RawReason;
use crate::subschema::SubSchema;

use super::build::{FormBuilder, Trail, insert, is_fixed, row, written};
use super::{FieldValue, FormMember, FormNode, MemberOrigin, emit};

impl FormBuilder<'_> {
    /// Plans a field again. Members that the schema no longer has become what `vanished` says.
    pub(super) fn adopt(
        &mut self,
        node: &mut FormNode,
        sub: &SubSchema,
        trail: &mut Trail,
        vanished: MemberOrigin,
    ) {
        // What was too much stays text, so that it does not turn into fields while it is typed.
        if node.grown.raw == Some(RawReason::TooMany) && node.sub == *sub {
            return;
        }
        let is_conditional = |field: &FormField| !field.conditions.is_empty();
        let json = if is_conditional(&node.field) || is_conditional(&self.planner.open(sub)) {
            emit::json(node).unwrap_or(Json::Object(Vec::new()))
        } else {
            Json::Object(Vec::new())
        };
        let most = self.left + node.count() - 1; // what it has already is its own
        let grown = self.grown(sub, &node.picks, &json, Picking::Types, (trail, most));
        self.has_changed |= grown.sub != node.grown;
        let value = std::mem::replace(&mut node.value, FieldValue::Absent);
        node.value = self.adopted(value, &node.field, &grown, trail, vanished);
        node.field = grown.field;
        node.picks = grown.picks;
        node.grown = grown.sub;
        node.sub.clone_from(sub);
    }

    fn adopted(
        &mut self,
        value: FieldValue,
        before: &FormField,
        grown: &Grown,
        trail: &mut Trail,
        vanished: MemberOrigin,
    ) -> FieldValue {
        let is_container = |widget: &Widget| matches!(widget, Widget::Group(_) | Widget::List(_));
        match (value, &grown.field.widget) {
            (FieldValue::Absent, widget) if is_container(widget) && is_container(&before.widget) => {
                FieldValue::Absent
            }
            (FieldValue::Absent, _) => self.fresh_value(grown, false, trail),
            (FieldValue::Object { is_set, members }, Widget::Group(group)) => {
                self.adopt_members((is_set, members), grown, group, trail, vanished)
            }
            (FieldValue::Array { is_set, rows }, Widget::List(items)) if items.checks.is_none() => {
                self.adopt_rows((is_set, rows), grown, items, trail, vanished)
            }
            (FieldValue::Chosen(_), Widget::Fixed(_)) if matches!(before.widget, Widget::Fixed(_)) => {
                FieldValue::Chosen(0)
            }
            (FieldValue::Null, _) => FieldValue::Null,
            (value, widget) if before.widget == *widget => value,
            (value, _) => self.converted(value, before, grown, trail, vanished),
        }
    }

    fn converted(
        &mut self,
        value: FieldValue,
        before: &FormField,
        grown: &Grown,
        trail: &mut Trail,
        vanished: MemberOrigin,
    ) -> FieldValue {
        let json = match (&value, &grown.field.widget) {
            (FieldValue::Written(text), widget) => match Json::read(text) {
                Ok(json) => json,
                // A draft is kept where drafts are typed.
                Err(_) if matches!(widget, Widget::Text(_)) => Json::Text(text.clone()),
                Err(_) => return value,
            },
            (value, _) => match emit::value_json(value, before) {
                Some(json) => json,
                None => return self.fresh_value(grown, false, trail),
            },
        };
        for json in [Some(json.clone()), bent(&json, &grown.field)].into_iter().flatten() {
            let value = self.value(grown, json, trail);
            let is_raw =
                matches!(grown.field.widget, Widget::Raw(_) | Widget::Number { .. } | Widget::Unpicked);
            match &value {
                FieldValue::Written(text) if is_raw && is_of(text, &grown.field) => return value,
                FieldValue::Written(_) => {}
                FieldValue::Absent
                | FieldValue::Null
                | FieldValue::Text(_)
                | FieldValue::Switch(_)
                | FieldValue::Chosen(_)
                | FieldValue::Checked(_)
                | FieldValue::Object { .. }
                | FieldValue::Array { .. } => return value,
            }
        }
        if vanished == MemberOrigin::Gone || matches!(value, FieldValue::Written(_)) {
            return written(&json);
        }
        self.dropped.push(before.title.clone().unwrap_or_else(|| json.write()));
        self.fresh_value(grown, false, trail)
    }

    fn adopt_members(
        &mut self,
        (is_set, old): (bool, Vec<FormMember>),
        grown: &Grown,
        group: &FieldGroup,
        trail: &mut Trail,
        vanished: MemberOrigin,
    ) -> FieldValue {
        trail.push(grown.field.clone());
        let ranks: std::collections::HashMap<_, _> =
            group.members.iter().enumerate().map(|(rank, planned)| (planned.key.clone(), rank)).collect();
        // Of two members with one key, the schema's own has its place.
        let mut owner: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
        for (place, member) in old.iter().enumerate() {
            let Some(rank) = ranks.get(&member.key) else { continue };
            let is_own = matches!(member.origin, MemberOrigin::Declared { .. } | MemberOrigin::Inactive);
            if is_own || !owner.contains_key(rank) {
                owner.insert(*rank, place);
            }
        }
        let mut members = Vec::with_capacity(old.len());
        for (place, mut member) in old.into_iter().enumerate() {
            let rank = ranks.get(&member.key).filter(|rank| owner.get(*rank) == Some(&place));
            if let Some((rank, planned)) = rank.map(|rank| (*rank, &group.members[*rank])) {
                let (was_fixed, dropped) = (is_fixed(&member.node.field), self.dropped.len());
                self.adopt(&mut member.node, &planned.sub, trail, vanished);
                if self.dropped.len() > dropped {
                    self.dropped.truncate(dropped);
                    self.dropped.push(member.key.clone());
                }
                let is_new = !was_fixed && is_fixed(&member.node.field);
                if is_new && planned.is_required && member.node.value == FieldValue::Absent {
                    member.node.value = FieldValue::Chosen(0);
                }
                member.origin = MemberOrigin::Declared { rank, is_maybe: planned.is_maybe };
                member.is_required = planned.is_required;
                members.push(member);
                continue;
            }
            member.is_required = false;
            match member.origin {
                MemberOrigin::Declared { .. } if member.node.is_filled() => {
                    member.origin = vanished;
                    self.dropped.push(member.key.clone());
                    members.push(member);
                }
                MemberOrigin::Declared { .. } => {}
                MemberOrigin::Inactive => members.push(member),
                MemberOrigin::Extra | MemberOrigin::Gone => {
                    let sub = self.planner.other_key(&grown.sub, &member.key);
                    self.adopt(&mut member.node, &sub, trail, vanished);
                    members.push(member);
                }
            }
        }
        for (rank, planned) in group.members.iter().enumerate() {
            if !owner.contains_key(&rank) {
                let member = self.member(planned, rank, is_set, trail);
                insert(&mut members, member);
            }
        }
        trail.pop();
        FieldValue::Object { is_set, members }
    }

    fn adopt_rows(
        &mut self,
        (is_set, mut rows): (bool, Vec<FormNode>),
        grown: &Grown,
        items: &FieldItems,
        trail: &mut Trail,
        vanished: MemberOrigin,
    ) -> FieldValue {
        trail.push(grown.field.clone());
        for (place, node) in rows.iter_mut().enumerate() {
            self.adopt(node, &row(items, place), trail, vanished);
        }
        for slot in items.slots.iter().skip(rows.len()) {
            rows.push(self.fresh(slot, false, trail));
        }
        trail.pop();
        FieldValue::Array { is_set, rows }
    }
}

/// Whether JSON as text is what a field takes.
fn is_of(text: &str, field: &FormField) -> bool {
    !matches!(field.widget, Widget::Number { .. }) || decimal::is_number(text)
}

/// A value bent to what a field takes: a number as text and the other way round, one item in a list or out of it.
fn bent(json: &Json, field: &FormField) -> Option<Json> {
    match (&field.widget, json) {
        (Widget::Text(_), Json::Number(text)) => Some(Json::Text(text.clone())),
        (Widget::Text(_), Json::Bool(is)) => Some(Json::Text(is.to_string())),
        (Widget::Number { .. } | Widget::Boolean | Widget::Choice(_), Json::Text(text)) => {
            Json::read(text).ok()
        }
        (Widget::List(_), json) => Some(Json::Array(vec![json.clone()])),
        (_, Json::Array(items)) if items.len() == 1 => items.first().cloned(),
        _ => None,
    }
}
