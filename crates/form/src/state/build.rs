//! Makes fields, empty or with values.

use std::collections::HashMap;
use std::sync::Arc;

use crate::field::{FieldGroup, FieldItems, FormField, PlannedMember, Widget};
use crate::growth::{Grown, Picking, grow};
use crate::json::Json;
use crate::plan::LEVELS;
use crate::planner::FieldPlanner;
use crate::reason::RawReason;
use crate::subschema::SubSchema;

use super::{FieldId, FieldValue, FormMember, FormNode, MemberOrigin};

/// How many rows a required array begins with at most.
const ROWS: usize = 20;

/// The fields in which a field lies.
pub(super) type Trail = Vec<Arc<FormField>>;

/// Makes fields, as many as are left.
pub(super) struct FormBuilder<'b> {
    pub planner: &'b mut FieldPlanner,
    next: &'b mut u32,
    pub left: usize,
    /// Whether something else applies than before.
    pub has_changed: bool,
    /// Keys whose values did not stay.
    pub dropped: Vec<String>,
}

impl<'b> FormBuilder<'b> {
    pub(super) fn new(planner: &'b mut FieldPlanner, next: &'b mut u32, left: usize) -> Self {
        Self { planner, next, left, has_changed: false, dropped: Vec::new() }
    }

    pub(super) fn id(&mut self) -> FieldId {
        *self.next += 1;
        FieldId(*self.next)
    }

    /// An empty field. If it is seeded, its default is set.
    pub(super) fn fresh(&mut self, sub: &SubSchema, is_seeded: bool, trail: &mut Trail) -> FormNode {
        self.left = self.left.saturating_sub(1);
        let grown = self.grown(sub, &[], &Json::Object(Vec::new()), Picking::Types, (trail, self.left));
        let value = self.fresh_value(&grown, is_seeded, trail);
        self.node(sub, grown, value)
    }

    /// A field with a value, whatever it is.
    pub(super) fn loaded(&mut self, sub: &SubSchema, json: Json, trail: &mut Trail) -> FormNode {
        self.left = self.left.saturating_sub(1);
        let mut grown = self.grown(sub, &[], &json, Picking::Value, (trail, self.left));
        if json.count() > self.left + 1 {
            grown = self.raw(RawReason::TooMany);
        }
        let value = self.value(&grown, json, trail);
        self.node(sub, grown, value)
    }

    fn node(&mut self, sub: &SubSchema, grown: Grown, value: FieldValue) -> FormNode {
        FormNode {
            id: self.id(),
            field: grown.field,
            value,
            picks: grown.picks,
            sub: sub.clone(),
            grown: grown.sub,
        }
    }

    fn raw(&mut self, reason: RawReason) -> Grown {
        let sub = SubSchema::raw(reason);
        Grown { field: self.planner.open(&sub), sub, picks: Vec::new() }
    }

    /// All that applies to a value, or raw JSON where the form has its limits: so deep, and with so many members.
    pub(super) fn grown(
        &mut self,
        sub: &SubSchema,
        picks: &[crate::growth::UnionPick],
        json: &Json,
        picking: Picking,
        (trail, most): (&Trail, usize),
    ) -> Grown {
        if trail.len() > LEVELS {
            return self.raw(RawReason::TooDeep);
        }
        let grown = grow(self.planner, sub, picks, json, picking);
        match &grown.field.widget {
            Widget::Group(group) if group.members.len() > most => self.raw(RawReason::TooMany),
            Widget::Group(_)
            | Widget::Text(_)
            | Widget::Number { .. }
            | Widget::Boolean
            | Widget::Choice(_)
            | Widget::Fixed(_)
            | Widget::List(_)
            | Widget::Unpicked
            | Widget::Raw(_)
            | Widget::Never => grown,
        }
    }

    /// What an empty field holds.
    pub(super) fn fresh_value(&mut self, grown: &Grown, is_seeded: bool, trail: &mut Trail) -> FieldValue {
        let is_seeded = is_seeded && !grown.field.is_read_only;
        if let (true, Some(default)) = (is_seeded, &grown.field.default) {
            return self.value(grown, default.clone(), trail);
        }
        match &grown.field.widget {
            Widget::Fixed(_) if is_seeded => FieldValue::Chosen(0),
            Widget::Group(_) | Widget::List(_) if grown.field.is_recursive(trail) => FieldValue::Absent,
            Widget::Group(group) => self.object(grown, group, is_seeded, trail),
            Widget::List(items) if is_seeded || !items.slots.is_empty() => {
                self.array(grown, items, is_seeded, trail)
            }
            Widget::Fixed(_)
            | Widget::List(_)
            | Widget::Text(_)
            | Widget::Number { .. }
            | Widget::Boolean
            | Widget::Choice(_)
            | Widget::Unpicked
            | Widget::Raw(_)
            | Widget::Never => FieldValue::Absent,
        }
    }

    /// An object of empty fields.
    pub(super) fn object(
        &mut self,
        grown: &Grown,
        group: &FieldGroup,
        is_set: bool,
        trail: &mut Trail,
    ) -> FieldValue {
        trail.push(grown.field.clone());
        self.reserve(group.members.len());
        let members = group.members.iter().enumerate();
        let members = members.map(|(rank, planned)| {
            self.left += 1;
            self.member(planned, rank, is_set, trail)
        });
        let members = members.collect();
        trail.pop();
        FieldValue::Object { is_set, members }
    }

    /// Keeps places for fields that are made next: each gives its own back first. So siblings are not crowded out.
    fn reserve(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
    }

    /// An empty member. One that is required and can have one value only has it.
    pub(super) fn member(
        &mut self,
        planned: &PlannedMember,
        rank: usize,
        is_seeded: bool,
        trail: &mut Trail,
    ) -> FormMember {
        let mut node = self.fresh(&planned.sub, is_seeded && planned.is_required, trail);
        if planned.is_required && is_fixed(&node.field) {
            node.value = FieldValue::Chosen(0);
        }
        FormMember {
            key: planned.key.clone(),
            origin: MemberOrigin::Declared { rank, is_maybe: planned.is_maybe },
            is_required: planned.is_required,
            node,
        }
    }

    /// An array of empty slots, and of as many rows as there have to be.
    pub(super) fn array(
        &mut self,
        grown: &Grown,
        items: &FieldItems,
        is_set: bool,
        trail: &mut Trail,
    ) -> FieldValue {
        if items.checks.is_some() {
            return FieldValue::Checked(Vec::new());
        }
        trail.push(grown.field.clone());
        let least = if is_set { items.least } else { 0 };
        let mut rows: Vec<_> = items
            .slots
            .iter()
            .enumerate()
            .map(|(place, slot)| self.fresh(slot, place < least, trail))
            .collect();
        if let Some(rest) = &items.rest {
            while rows.len() < least.min(ROWS) && self.left > 0 {
                rows.push(self.fresh(rest, true, trail));
            }
        }
        trail.pop();
        FieldValue::Array { is_set, rows }
    }

    /// What a field holds of a value. A value that is not of its kind is kept as it is written.
    pub(super) fn value(&mut self, grown: &Grown, json: Json, trail: &mut Trail) -> FieldValue {
        let position = |choices: &[crate::field::FieldChoice], json: &Json| {
            choices.iter().position(|choice| choice.value == *json)
        };
        if json.count() > self.left + 1 {
            return written(&json);
        }
        match (&grown.field.widget, json) {
            (Widget::Text(_), Json::Text(text)) => FieldValue::Text(text),
            (Widget::Number { .. }, Json::Number(text)) => FieldValue::Written(text),
            (Widget::Boolean, Json::Bool(is)) => FieldValue::Switch(is),
            (Widget::Fixed(fixed), json) if *fixed == json => FieldValue::Chosen(0),
            (Widget::Choice(choices), json) if position(choices, &json).is_some() => {
                position(choices, &json).map_or(FieldValue::Absent, FieldValue::Chosen)
            }
            (_, Json::Null) if grown.field.is_nullable => FieldValue::Null,
            (Widget::Group(group), Json::Object(members)) => self.members(grown, group, members, trail),
            (Widget::List(FieldItems { checks: Some(checks), .. }), Json::Array(items)) => {
                let mut checked = Vec::new();
                for item in &items {
                    match position(checks, item).filter(|place| !checked.contains(place)) {
                        Some(place) => checked.push(place),
                        None => return written(&Json::Array(items)),
                    }
                }
                FieldValue::Checked(checked)
            }
            (Widget::List(planned), Json::Array(items)) => self.items(grown, planned, items, trail),
            (_, json) => written(&json),
        }
    }

    fn members(
        &mut self,
        grown: &Grown,
        group: &FieldGroup,
        values: Vec<(String, Json)>,
        trail: &mut Trail,
    ) -> FieldValue {
        trail.push(grown.field.clone());
        let ranks: HashMap<_, _> =
            group.members.iter().enumerate().map(|(rank, planned)| (planned.key.as_str(), rank)).collect();
        let mut is_there = vec![false; group.members.len()];
        let absent =
            group.members.iter().filter(|planned| !values.iter().any(|(key, _)| *key == planned.key));
        self.reserve(values.len() + absent.count());
        let mut members = Vec::with_capacity(values.len());
        for (key, json) in values {
            self.left += 1;
            let rank = ranks.get(key.as_str()).copied();
            members.push(match rank.map(|rank| (rank, &group.members[rank])) {
                Some((rank, planned)) => {
                    is_there[rank] = true;
                    FormMember {
                        key,
                        origin: MemberOrigin::Declared { rank, is_maybe: planned.is_maybe },
                        is_required: planned.is_required,
                        node: self.loaded(&planned.sub, json, trail),
                    }
                }
                None => {
                    let sub = self.planner.other_key(&grown.sub, &key);
                    let node = self.loaded(&sub, json, trail);
                    FormMember { key, origin: MemberOrigin::Extra, is_required: false, node }
                }
            });
        }
        for (rank, planned) in group.members.iter().enumerate().filter(|(rank, _)| !is_there[*rank]) {
            self.left += 1;
            let mut member = self.member(planned, rank, false, trail);
            if is_fixed(&member.node.field) {
                member.node.value = FieldValue::Absent;
            }
            insert(&mut members, member);
        }
        trail.pop();
        FieldValue::Object { is_set: true, members }
    }

    fn items(
        &mut self,
        grown: &Grown,
        planned: &FieldItems,
        items: Vec<Json>,
        trail: &mut Trail,
    ) -> FieldValue {
        trail.push(grown.field.clone());
        let slots = planned.slots.len();
        self.reserve(slots.max(items.len()));
        let mut rows = Vec::with_capacity(items.len());
        for (place, json) in items.into_iter().enumerate() {
            self.left += 1;
            rows.push(self.loaded(&row(planned, place), json, trail));
        }
        for slot in planned.slots.iter().skip(rows.len()) {
            self.left += 1;
            rows.push(self.fresh(slot, false, trail));
        }
        trail.pop();
        FieldValue::Array { is_set: true, rows }
    }
}

/// The schema of an item.
pub(super) fn row(planned: &FieldItems, place: usize) -> SubSchema {
    let planned = planned.slots.get(place).or(planned.rest.as_ref());
    planned.cloned().unwrap_or_else(|| SubSchema::raw(RawReason::Anything))
}

/// A value as it is written.
pub(super) fn written(json: &Json) -> FieldValue {
    FieldValue::Written(match json {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => json.write(),
        Json::Array(_) | Json::Object(_) => json.write_lines(),
    })
}

/// Puts a member behind the one that the schema has before it.
pub(super) fn insert(members: &mut Vec<FormMember>, member: FormMember) {
    let MemberOrigin::Declared { rank: own, .. } = member.origin else { return members.push(member) };
    let before = members
        .iter()
        .enumerate()
        .filter_map(|(place, other)| match other.origin {
            MemberOrigin::Declared { rank, .. } if rank < own => Some((rank, place)),
            MemberOrigin::Declared { .. }
            | MemberOrigin::Inactive
            | MemberOrigin::Extra
            | MemberOrigin::Gone => None,
        })
        .max();
    members.insert(before.map_or(0, |(_, place)| place + 1), member);
}

/// Whether a field can have one value only, which the form may set.
pub(super) fn is_fixed(field: &FormField) -> bool {
    matches!(field.widget, Widget::Fixed(_)) && !field.is_read_only
}
