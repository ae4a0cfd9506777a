//! What a user does to a field. Each says whether it could be done: an action on a field that is gone, or of another
//! kind, changes nothing.

use crate::field::Widget;
use crate::growth::{Grown, UnionPick};

use super::build::{FormBuilder, Trail, insert};
use super::{FieldId, FieldValue, FormMember, FormNode, FormState, MemberOrigin};

impl FormState {
    /// Does something to a field, then plans again what depends on it.
    pub(super) fn edit<T>(
        &mut self,
        id: FieldId,
        act: impl FnOnce(&mut FormBuilder<'_>, &mut FormNode, &mut Trail) -> Option<T>,
    ) -> Option<T> {
        let path = self.path(id)?;
        let mut root = self.root.clone();
        let done = self.build(self.left(), |builder, _| {
            let mut trail = Trail::new();
            let mut node = &mut root;
            for place in path {
                trail.push(node.field.clone());
                node = node.child_mut(place)?;
            }
            act(builder, node, &mut trail)
        })?;
        self.root = root;
        self.text = None;
        self.settle();
        Some(done)
    }

    fn put(&mut self, id: FieldId, value: impl FnOnce(&FormNode) -> Option<FieldValue>) -> bool {
        self.edit(id, |_, node, _| value(node).map(|value| node.value = value)).is_some()
    }

    /// What was typed into a text, a number, or a field of raw JSON. An empty number is not set; an empty text is.
    pub fn set_text(&mut self, id: FieldId, text: &str) -> bool {
        let done = self.edit(id, |builder, node, trail| {
            let is_text = matches!(node.field.widget, Widget::Text(_));
            let is_typed = matches!(node.field.widget, Widget::Number { .. } | Widget::Raw(_));
            let is_written = matches!(node.value, FieldValue::Written(_));
            node.value = if is_text && !is_written {
                FieldValue::Text(text.to_owned())
            } else if text.trim().is_empty() && (is_typed || is_written) && !node.sub.is_root {
                builder.fresh_value(&node.as_grown(), false, trail)
            } else if is_typed || is_written {
                FieldValue::Written(text.to_owned())
            } else {
                return None;
            };
            Some(())
        });
        done.is_some()
    }

    /// Sets what is true or false.
    pub fn set_switch(&mut self, id: FieldId, is: bool) -> bool {
        self.put(id, |node| (node.field.widget == Widget::Boolean).then_some(FieldValue::Switch(is)))
    }

    /// Chooses by position; 0 for a fixed value.
    pub fn set_choice(&mut self, id: FieldId, place: usize) -> bool {
        self.put(id, |node| {
            let count = match &node.field.widget {
                Widget::Choice(choices) => choices.len(),
                Widget::Fixed(_) => 1,
                Widget::Text(_)
                | Widget::Number { .. }
                | Widget::Boolean
                | Widget::Group(_)
                | Widget::List(_)
                | Widget::Unpicked
                | Widget::Raw(_)
                | Widget::Never => 0,
            };
            (place < count).then_some(FieldValue::Chosen(place))
        })
    }

    /// Checks a choice of a list, or takes the check away.
    pub fn toggle_check(&mut self, id: FieldId, place: usize) -> bool {
        self.put(id, |node| {
            let Widget::List(items) = &node.field.widget else { return None };
            let mut checked = match &node.value {
                FieldValue::Checked(checked) => checked.clone(),
                FieldValue::Absent
                | FieldValue::Null
                | FieldValue::Text(_)
                | FieldValue::Written(_)
                | FieldValue::Switch(_)
                | FieldValue::Chosen(_)
                | FieldValue::Object { .. }
                | FieldValue::Array { .. } => Vec::new(),
            };
            if place >= items.checks.as_ref()?.len() {
                return None;
            }
            match checked.iter().position(|known| *known == place) {
                Some(at) => {
                    checked.remove(at);
                }
                None => checked.push(place),
            }
            Some(FieldValue::Checked(checked))
        })
    }

    /// Sets a field to `null`, whether that is allowed or not. Not the arguments as a whole.
    pub fn set_null(&mut self, id: FieldId) -> bool {
        self.put(id, |node| (!node.sub.is_root).then_some(FieldValue::Null))
    }

    /// Takes a field's value away. A group that lies in its like is closed.
    pub fn unset(&mut self, id: FieldId) -> bool {
        let done = self.edit(id, |builder, node, trail| {
            let is_root = node.sub.is_root;
            let value = builder.fresh_value(&node.as_grown(), false, trail);
            node.value = match value {
                FieldValue::Object { members, .. } => FieldValue::Object { is_set: is_root, members },
                value => value,
            };
            Some(())
        });
        done.is_some()
    }

    /// Sets a field to what is empty of its kind: `""`, `[]`, `{}`. A closed group is opened by it, one level.
    pub fn set_empty(&mut self, id: FieldId) -> bool {
        let done = self.edit(id, |builder, node, trail| {
            let grown = node.as_grown();
            let value = match (&grown.field.widget, &mut node.value) {
                (Widget::Group(_), FieldValue::Object { is_set, .. })
                | (Widget::List(_), FieldValue::Array { is_set, .. }) => {
                    *is_set = true;
                    return Some(());
                }
                (Widget::Group(group), _) => builder.object(&grown, group, true, trail),
                (Widget::List(items), _) => {
                    let mut items = items.clone();
                    items.least = 0;
                    builder.array(&grown, &items, true, trail)
                }
                (Widget::Text(_), _) => FieldValue::Text(String::new()),
                (Widget::Fixed(_), _) => FieldValue::Chosen(0),
                (
                    Widget::Number { .. }
                    | Widget::Boolean
                    | Widget::Choice(_)
                    | Widget::Unpicked
                    | Widget::Raw(_)
                    | Widget::Never,
                    _,
                ) => return None,
            };
            node.value = value;
            Some(())
        });
        done.is_some()
    }

    /// Sets a field to the schema's default.
    pub fn use_default(&mut self, id: FieldId) -> bool {
        let done = self.edit(id, |builder, node, trail| {
            let default = node.field.default.clone()?;
            node.value = builder.value(&node.as_grown(), default, trail);
            Some(())
        });
        done.is_some()
    }

    /// Picks a branch of a union, which its place names ([`UnionPicker::at`](crate::field::UnionPicker)). Values of keys
    /// that both branches have stay. Gives the keys whose values are no longer sent; `None` if there is no such branch.
    pub fn pick(&mut self, id: FieldId, at: &str, branch: usize) -> Option<Vec<String>> {
        self.edit(id, |builder, node, trail| {
            let picker = node.field.pickers.iter().find(|picker| &*picker.at == at)?;
            picker.branches.get(branch)?;
            let pick = UnionPick { at: picker.at.clone(), branch };
            node.picks.retain(|known| known.at != pick.at);
            node.picks.push(pick);
            if let FieldValue::Object { is_set, .. } = &mut node.value {
                *is_set = true;
            }
            let was_absent = node.value == FieldValue::Absent;
            let sub = node.sub.clone();
            builder.adopt(node, &sub, trail, MemberOrigin::Inactive);
            if let (true, FieldValue::Object { .. }) = (was_absent, &node.value) {
                node.value = builder.fresh_value(&node.as_grown(), true, trail);
            }
            Some(std::mem::take(&mut builder.dropped))
        })
    }

    /// Adds a member with a key. Two may have one key: that blocks until one is renamed.
    pub fn add_key(&mut self, id: FieldId, key: &str) -> Option<FieldId> {
        self.edit(id, |builder, node, trail| {
            if !matches!(node.field.widget, Widget::Group(_)) || builder.left == 0 {
                return None;
            }
            if node.value == FieldValue::Absent {
                node.value = FieldValue::Object { is_set: true, members: Vec::new() };
            }
            let FieldValue::Object { members, .. } = &mut node.value else { return None };
            let sub = builder.planner.other_key(&node.grown, key);
            trail.push(node.field.clone());
            let added = builder.fresh(&sub, true, trail);
            let id = added.id;
            let origin = MemberOrigin::Extra;
            insert(members, FormMember { key: key.to_owned(), origin, is_required: false, node: added });
            Some(id)
        })
    }

    /// Gives a member that the schema does not name another key.
    pub fn rename_key(&mut self, id: FieldId, key: &str) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        let done = self.edit(parent, |_, node, _| {
            let FieldValue::Object { members, .. } = &mut node.value else { return None };
            let member = members.iter_mut().find(|member| member.node.id == id)?;
            let is_free = matches!(member.origin, MemberOrigin::Extra | MemberOrigin::Gone);
            is_free.then(|| {
                key.clone_into(&mut member.key);
                member.origin = MemberOrigin::Extra;
            })
        });
        done.is_some()
    }

    /// The field in which a field lies.
    pub(super) fn parent(&self, id: FieldId) -> Option<FieldId> {
        let path = self.path(id)?;
        let (_, above) = path.split_last()?;
        Some(above.iter().fold(&self.root, |node, place| node.children()[*place].1).id)
    }
}

impl FormNode {
    /// The schema that it was planned with.
    pub(super) fn as_grown(&self) -> Grown {
        Grown { sub: self.grown.clone(), field: self.field.clone(), picks: self.picks.clone() }
    }
}
