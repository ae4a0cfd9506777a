//! What a form gives: the JSON text of the arguments, or what stands in its way.

use std::collections::HashSet;

use sidecar_protocol::settings::Language;

use crate::field::{FieldChoice, FieldItems, FormField, Widget};
use crate::json::Json;
use crate::source::push_key;
use crate::wording::{say, word};

use super::{FieldId, FieldValue, FormMember, FormNode, FormState, MemberOrigin};

/// Something that stands in the way of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormBlock {
    /// The field.
    pub id: FieldId,
    /// Its JSON pointer in the arguments.
    pub pointer: String,
    /// Why.
    pub reason: BlockReason,
}

/// Why a form cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    /// It is required and not set. The user may send the rest anyway.
    Missing,
    /// What was typed is no number yet.
    NoNumber,
    /// What was typed is no JSON yet.
    NoJson {
        /// Where reading stopped, in characters from 1.
        at: usize,
    },
    /// A row or a slot before others is empty.
    Gap,
    /// Two members have this key.
    DoubleKey(String),
    /// The arguments are no object.
    NoObject,
}

impl BlockReason {
    /// The reason as a sentence, with what to do.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        match self {
            Self::Missing => say(language, word::BLOCK_MISSING, &[]),
            Self::NoNumber => say(language, word::BLOCK_NO_NUMBER, &[]),
            Self::NoJson { at } => say(language, word::BLOCK_NO_JSON, &[("at", &at.to_string())]),
            Self::Gap => say(language, word::BLOCK_GAP, &[]),
            Self::DoubleKey(key) => say(language, word::BLOCK_DOUBLE_KEY, &[("key", key)]),
            Self::NoObject => say(language, word::BLOCK_NO_OBJECT, &[]),
        }
    }
}

/// A number that the page will round, as it is beyond 2^53 - 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormWarning {
    /// The field.
    pub id: FieldId,
    /// Its JSON pointer in the arguments.
    pub pointer: String,
}

impl FormWarning {
    /// The warning as a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        say(language, word::WARNING_ROUNDED, &[])
    }
}

impl FormState {
    /// The arguments as JSON text on one line, with numbers as they were typed.
    ///
    /// # Errors
    /// If something is missing, or what was typed is no value yet.
    pub fn emit(&self) -> Result<String, Vec<FormBlock>> {
        self.emitted(|_| true)
    }

    /// The same, whatever is missing.
    ///
    /// # Errors
    /// If what was typed is no value yet: a draft is never sent.
    pub fn emit_anyway(&self) -> Result<String, Vec<FormBlock>> {
        self.emitted(|block| block.reason != BlockReason::Missing)
    }

    fn emitted(&self, counts: impl Fn(&FormBlock) -> bool) -> Result<String, Vec<FormBlock>> {
        let mut emitter = Emitter::default();
        let json = emitter.node(&self.root, false).unwrap_or(Json::Object(Vec::new()));
        if emitter.blocks.is_empty() && !matches!(json, Json::Object(_)) {
            emitter.block(&self.root, BlockReason::NoObject);
        }
        emitter.blocks.retain(counts);
        if emitter.blocks.is_empty() { Ok(json.write()) } else { Err(emitter.blocks) }
    }

    /// Numbers that the page will round.
    #[must_use]
    pub fn warnings(&self) -> Vec<FormWarning> {
        let mut emitter = Emitter::default();
        emitter.node(&self.root, false);
        emitter.warnings
    }
}

/// The value of a field, without what is no value yet.
pub(super) fn json(node: &FormNode) -> Option<Json> {
    Emitter::default().node(node, false)
}

/// The value that a field of this kind holds.
pub(super) fn value_json(value: &FieldValue, field: &FormField) -> Option<Json> {
    Emitter::default().value(value, field)
}

/// The value of a form with its drafts in their places. Not always JSON.
pub(super) fn draft(root: &FormNode) -> Json {
    Emitter { keeps_drafts: true, ..Emitter::default() }.node(root, false).unwrap_or(Json::Object(Vec::new()))
}

/// Makes JSON of fields, and notes what is in the way.
#[derive(Debug, Default)]
struct Emitter {
    keeps_drafts: bool,
    pointer: String,
    blocks: Vec<FormBlock>,
    warnings: Vec<FormWarning>,
    /// What the field at hand is to be blocked for.
    found: Vec<BlockReason>,
}

impl Emitter {
    fn block(&mut self, node: &FormNode, reason: BlockReason) {
        self.blocks.push(FormBlock { id: node.id, pointer: self.pointer.clone(), reason });
    }

    fn within<T>(&mut self, key: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let end = self.pointer.len();
        push_key(&mut self.pointer, key);
        let result = look(self);
        self.pointer.truncate(end);
        result
    }

    fn node(&mut self, node: &FormNode, is_required: bool) -> Option<Json> {
        if !node.is_filled() {
            if is_required && !node.field.is_read_only {
                self.block(node, BlockReason::Missing);
            }
            return None;
        }
        let json = self.value(&node.value, &node.field);
        for reason in std::mem::take(&mut self.found) {
            self.block(node, reason);
        }
        if let FieldValue::Written(_) = &node.value
            && json.as_ref().is_some_and(Json::is_rounded)
        {
            self.warnings.push(FormWarning { id: node.id, pointer: self.pointer.clone() });
        }
        json
    }

    fn value(&mut self, value: &FieldValue, field: &FormField) -> Option<Json> {
        match value {
            FieldValue::Absent => None,
            FieldValue::Null => Some(Json::Null),
            FieldValue::Text(text) => Some(Json::Text(text.clone())),
            FieldValue::Switch(is) => Some(Json::Bool(*is)),
            FieldValue::Written(text) => self.written(text, field),
            FieldValue::Chosen(place) => chosen(&field.widget, *place),
            FieldValue::Checked(places) => {
                let Widget::List(FieldItems { checks: Some(checks), .. }) = &field.widget else {
                    return None;
                };
                let value =
                    |place: &usize| checks.get(*place).map(|choice: &FieldChoice| choice.value.clone());
                Some(Json::Array(places.iter().filter_map(value).collect()))
            }
            FieldValue::Object { members, .. } => Some(self.object(members)),
            FieldValue::Array { rows, .. } => Some(self.array(rows, field)),
        }
    }

    fn written(&mut self, text: &str, field: &FormField) -> Option<Json> {
        match Json::read(text) {
            Ok(json) => Some(json),
            Err(_) if self.keeps_drafts => Some(Json::Number(text.to_owned())),
            Err(fault) => {
                let is_number = matches!(field.widget, Widget::Number { .. });
                self.found.push(if is_number {
                    BlockReason::NoNumber
                } else {
                    BlockReason::NoJson { at: fault.at }
                });
                None
            }
        }
    }

    fn object(&mut self, members: &[FormMember]) -> Json {
        let mut keys = HashSet::new();
        let mut values = Vec::new();
        for member in members.iter().filter(|member| member.origin != MemberOrigin::Inactive) {
            let json = self.within(&member.key, |emitter| {
                if member.node.is_filled() && !keys.insert(member.key.as_str()) {
                    emitter.block(&member.node, BlockReason::DoubleKey(member.key.clone()));
                }
                emitter.node(&member.node, member.is_required)
            });
            values.extend(json.map(|json| (member.key.clone(), json)));
        }
        Json::Object(values)
    }

    fn array(&mut self, rows: &[FormNode], field: &FormField) -> Json {
        let slots = match &field.widget {
            Widget::List(items) => items.slots.len(),
            Widget::Text(_)
            | Widget::Number { .. }
            | Widget::Boolean
            | Widget::Choice(_)
            | Widget::Fixed(_)
            | Widget::Group(_)
            | Widget::Unpicked
            | Widget::Raw(_)
            | Widget::Never => 0,
        };
        // Slots at the end that are empty are left out; no other row may be.
        let last = rows.iter().rposition(FormNode::is_filled).map_or(0, |place| place + 1);
        let end = if rows.len() > slots { rows.len() } else { last };
        let mut values = Vec::new();
        for (place, row) in rows.iter().take(end).enumerate() {
            let json = self.within(&place.to_string(), |emitter| {
                if !row.is_filled() {
                    emitter.block(row, BlockReason::Gap);
                }
                emitter.node(row, false)
            });
            values.extend(json.or_else(|| self.keeps_drafts.then(|| Json::Number(String::new()))));
        }
        Json::Array(values)
    }
}

fn chosen(widget: &Widget, place: usize) -> Option<Json> {
    match widget {
        Widget::Choice(choices) => choices.get(place).map(|choice| choice.value.clone()),
        Widget::Fixed(value) => Some(value.clone()),
        Widget::Text(_)
        | Widget::Number { .. }
        | Widget::Boolean
        | Widget::Group(_)
        | Widget::List(_)
        | Widget::Unpicked
        | Widget::Raw(_)
        | Widget::Never => None,
    }
}
