//! The values of a form while it is edited.

mod adopt;
mod build;
mod edit;
mod emit;
mod rows;

use std::sync::Arc;

use sidecar_protocol::secret::is_secret_name;

use crate::field::{FieldChoice, FieldNote, FormField, TextKind, Widget};
use crate::growth::UnionPick;
use crate::json::Json;
use crate::plan::FormPlan;
use crate::planner::{FIELDS, FieldPlanner};
use crate::source::push_key;
use crate::subschema::SubSchema;

use build::FormBuilder;
pub use emit::{BlockReason, FormBlock, FormWarning};

/// Names a field of a form as long as it exists, wherever it is moved. Never used twice in one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(u32);

impl FieldId {
    /// Its number in the form.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A form that is filled in.
#[derive(Debug, Clone)]
pub struct FormState {
    planner: FieldPlanner,
    schema: SubSchema,
    root: FormNode,
    next: u32,
    /// The text that it was read from, until something is changed.
    text: Option<String>,
}

/// A field with its value and its place in the form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormNode {
    /// Its name.
    pub id: FieldId,
    /// What is shown of it.
    pub field: Arc<FormField>,
    /// What it holds.
    pub value: FieldValue,
    /// The branches that are picked.
    pub picks: Vec<UnionPick>,
    /// Its schema as its parent plans it, and with all that applies.
    sub: SubSchema,
    grown: SubSchema,
}

/// What a field holds. Which of these it can be follows from its widget; [`Written`](Self::Written) can be at any field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// Nothing: it is not sent. A group that is absent is closed.
    Absent,
    /// `null`.
    Null,
    /// A string.
    Text(String),
    /// JSON as it was typed: numbers, raw fields, and at other fields a value that is not of their kind. What is no JSON yet
    /// is a draft, and blocks.
    Written(String),
    /// True or false.
    Switch(bool),
    /// One of the choices, by position; 0 for a fixed value.
    Chosen(usize),
    /// Several of the choices, in the order in which they were checked.
    Checked(Vec<usize>),
    /// Fields by key.
    Object {
        /// Whether it is sent even if no member is.
        is_set: bool,
        /// In the order in which they are sent.
        members: Vec<FormMember>,
    },
    /// Rows, the slots first.
    Array {
        /// Whether it is sent even if it has no rows.
        is_set: bool,
        /// In their order.
        rows: Vec<FormNode>,
    },
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct FormMember {
    /// Its key, exactly.
    pub key: String,
    /// Where it comes from.
    pub origin: MemberOrigin,
    /// Whether it has to be set.
    pub is_required: bool,
    /// The field.
    pub node: FormNode,
}

/// Where a key of an object comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberOrigin {
    /// The schema names it.
    Declared {
        /// Its position in the schema.
        rank: usize,
        /// Whether it may not belong to the value: nobody can say here.
        is_maybe: bool,
    },
    /// The schema names it, and by the other values it does not apply: it is kept and not sent.
    Inactive,
    /// It was added, or came with a value that was loaded.
    Extra,
    /// The schema named it before it changed.
    Gone,
}

impl FormState {
    /// An empty form: what is required has its default.
    #[must_use]
    pub fn new(plan: &FormPlan) -> Self {
        let mut form = Self::bare(plan);
        form.root = form.build(FIELDS, |builder, schema| builder.fresh(schema, true, &mut Vec::new()));
        form.settle();
        form
    }

    /// A form with the values of a JSON text. All of the text is kept: unknown keys, values of other types, and a text that is
    /// no JSON.
    #[must_use]
    pub fn load(plan: &FormPlan, text: &str) -> Self {
        let mut form = Self::bare(plan);
        form.read(text);
        form
    }

    fn bare(plan: &FormPlan) -> Self {
        let mut planner = FieldPlanner::new(plan.source.clone());
        let root = FormNode {
            id: FieldId(0),
            field: planner.open(&plan.root),
            value: FieldValue::Absent,
            picks: Vec::new(),
            sub: plan.root.clone(),
            grown: plan.root.clone(),
        };
        Self { planner, schema: plan.root.clone(), root, next: 1, text: None }
    }

    fn read(&mut self, text: &str) {
        match Json::read(text) {
            Ok(json @ Json::Object(_)) => {
                self.root =
                    self.build(FIELDS, |builder, schema| builder.loaded(schema, json, &mut Vec::new()));
                self.settle();
            }
            Ok(_) | Err(_) => self.root.value = FieldValue::Written(text.to_owned()),
        }
        self.text = Some(text.to_owned());
    }

    /// Takes the text of the raw view. Nothing changes if it is the text that the view was given; a text that is no object is
    /// kept as it is.
    pub fn set_raw(&mut self, text: &str) {
        if text != self.raw() {
            self.read(text);
        }
    }

    /// The form as text, for the raw view: as it was read, or else on many lines, with drafts as they were typed.
    #[must_use]
    pub fn raw(&self) -> String {
        match (&self.text, &self.root.value) {
            (Some(text), _) | (None, FieldValue::Written(text)) => text.clone(),
            (None, _) => emit::draft(&self.root).write_lines(),
        }
    }

    /// The arguments as a whole.
    #[must_use]
    pub fn root(&self) -> &FormNode {
        &self.root
    }

    /// A field.
    #[must_use]
    pub fn get(&self, id: FieldId) -> Option<&FormNode> {
        self.path(id).map(|path| path.iter().fold(&self.root, |node, place| node.children()[*place].1))
    }

    /// The JSON pointer of a field in the arguments.
    #[must_use]
    pub fn pointer(&self, id: FieldId) -> Option<String> {
        let mut pointer = String::new();
        let mut node = &self.root;
        for place in self.path(id)? {
            let (key, child) = &node.children()[place];
            push_key(&mut pointer, key);
            node = child;
        }
        Some(pointer)
    }

    /// The field at a JSON pointer, or the nearest one above it.
    #[must_use]
    pub fn at(&self, pointer: &str) -> FieldId {
        let mut node = &self.root;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            match node.children().into_iter().find(|(key, _)| **key == *token) {
                Some((_, child)) => node = child,
                None => break,
            }
        }
        node.id
    }

    /// Takes a schema that changed. Values stay; keys that are gone from it stay as marked extra keys.
    pub fn reconcile(&mut self, plan: &FormPlan) {
        self.planner = FieldPlanner::new(plan.source.clone());
        self.schema = plan.root.clone();
        let text = self.text.take();
        self.adopt_root(MemberOrigin::Gone);
        self.settle();
        self.text = text;
    }

    /// The positions that lead from the root to a field.
    fn path(&self, id: FieldId) -> Option<Vec<usize>> {
        fn find(node: &FormNode, id: FieldId, path: &mut Vec<usize>) -> bool {
            node.id == id
                || node.children().into_iter().enumerate().any(|(place, (_, child))| {
                    path.push(place);
                    let is_found = find(child, id, path);
                    if !is_found {
                        path.pop();
                    }
                    is_found
                })
        }
        let mut path = Vec::new();
        find(&self.root, id, &mut path).then_some(path)
    }

    /// How many fields may still be added.
    fn left(&self) -> usize {
        FIELDS.saturating_sub(self.root.count())
    }

    fn build<T>(&mut self, left: usize, make: impl FnOnce(&mut FormBuilder<'_>, &SubSchema) -> T) -> T {
        let schema = self.schema.clone();
        make(&mut FormBuilder::new(&mut self.planner, &mut self.next, left), &schema)
    }

    fn adopt_root(&mut self, vanished: MemberOrigin) -> bool {
        let mut root = self.root.clone();
        let has_changed = self.build(self.left(), |builder, schema| {
            builder.adopt(&mut root, schema, &mut Vec::new(), vanished);
            builder.has_changed
        });
        self.root = root;
        has_changed
    }

    /// Plans again what depends on values.
    fn settle(&mut self) {
        for _ in 0..4 {
            if !self.adopt_root(MemberOrigin::Inactive) {
                break;
            }
        }
    }
}

impl FormMember {
    /// Whether what is typed is hidden, until the user reveals it: by its format or by its key.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        match self.node.field.widget {
            Widget::Text(TextKind::Secret) => true,
            Widget::Text(_) | Widget::Number { .. } | Widget::Raw(_) => is_secret_name(&self.key),
            Widget::Boolean
            | Widget::Choice(_)
            | Widget::Fixed(_)
            | Widget::Group(_)
            | Widget::List(_)
            | Widget::Unpicked
            | Widget::Never => false,
        }
    }

    /// Whether its object is sent because of it. What has one value anyway is sent with others only.
    fn is_telling(&self) -> bool {
        let is_fixed = self.is_required && matches!(self.node.field.widget, Widget::Fixed(_));
        self.origin != MemberOrigin::Inactive && !is_fixed
    }
}

impl FormNode {
    /// Its members or rows, each with the last part of its pointer.
    #[must_use]
    pub fn children(&self) -> Vec<(std::borrow::Cow<'_, str>, &FormNode)> {
        match &self.value {
            FieldValue::Object { members, .. } => {
                members.iter().map(|member| (member.key.as_str().into(), &member.node)).collect()
            }
            FieldValue::Array { rows, .. } => {
                rows.iter().enumerate().map(|(place, row)| (place.to_string().into(), row)).collect()
            }
            FieldValue::Absent
            | FieldValue::Null
            | FieldValue::Text(_)
            | FieldValue::Written(_)
            | FieldValue::Switch(_)
            | FieldValue::Chosen(_)
            | FieldValue::Checked(_) => Vec::new(),
        }
    }

    fn child_mut(&mut self, place: usize) -> Option<&mut Self> {
        match &mut self.value {
            FieldValue::Object { members, .. } => members.get_mut(place).map(|member| &mut member.node),
            FieldValue::Array { rows, .. } => rows.get_mut(place),
            FieldValue::Absent
            | FieldValue::Null
            | FieldValue::Text(_)
            | FieldValue::Written(_)
            | FieldValue::Switch(_)
            | FieldValue::Chosen(_)
            | FieldValue::Checked(_) => None,
        }
    }

    /// Its members as they are shown: those of the schema in its order, then the others. None for other fields.
    #[must_use]
    pub fn shown_members(&self) -> Vec<&FormMember> {
        let FieldValue::Object { members, .. } = &self.value else { return Vec::new() };
        let mut shown: Vec<_> =
            members.iter().filter(|member| member.origin != MemberOrigin::Inactive).collect();
        shown.sort_by_key(|member| match member.origin {
            MemberOrigin::Declared { rank, .. } => rank,
            MemberOrigin::Inactive | MemberOrigin::Extra | MemberOrigin::Gone => usize::MAX,
        });
        shown
    }

    /// What is to be said of one of its members.
    #[must_use]
    pub fn member_notes(&self, member: &FormMember) -> Vec<FieldNote> {
        let mut notes = member.node.field.notes.clone();
        match (member.origin, &self.field.widget) {
            (MemberOrigin::Declared { rank, is_maybe }, Widget::Group(group)) => {
                let is_undeclared = group.members.get(rank).is_some_and(|planned| planned.is_undeclared);
                notes.extend(is_maybe.then_some(FieldNote::Maybe));
                notes.extend(is_undeclared.then_some(FieldNote::Undeclared));
            }
            (MemberOrigin::Gone, _) => notes.push(FieldNote::Gone),
            (MemberOrigin::Declared { .. } | MemberOrigin::Inactive | MemberOrigin::Extra, _) => {}
        }
        notes
    }

    /// Whether it holds something: a value or a draft.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        match &self.value {
            FieldValue::Absent => false,
            FieldValue::Written(text) => !text.trim().is_empty(),
            FieldValue::Null
            | FieldValue::Text(_)
            | FieldValue::Switch(_)
            | FieldValue::Chosen(_)
            | FieldValue::Checked(_) => true,
            FieldValue::Object { is_set, members } => {
                *is_set || members.iter().any(|member| member.is_telling() && member.node.is_filled())
            }
            FieldValue::Array { is_set, rows } => *is_set || rows.iter().any(Self::is_filled),
        }
    }

    /// Whether its JSON is edited as text: it is a raw field, or holds a value that is not of its kind.
    #[must_use]
    pub fn is_raw(&self) -> bool {
        match (&self.field.widget, &self.value) {
            (Widget::Raw(_), _) => true,
            (Widget::Number { .. }, FieldValue::Written(text)) => {
                Json::read(text).is_ok_and(|json| !matches!(json, Json::Number(_)))
            }
            (_, FieldValue::Written(_)) => true,
            _ => false,
        }
    }

    /// What it holds, in a few words and without secrets: for the heads of folded cards. Empty if it holds nothing.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts: Vec<_> = match &self.value {
            FieldValue::Object { .. } => {
                let members = self.shown_members();
                members
                    .into_iter()
                    .filter(|member| !member.is_secret())
                    .map(|member| member.node.summary())
                    .filter(|text| !text.is_empty())
                    .take(3)
                    .collect()
            }
            FieldValue::Text(text) | FieldValue::Written(text) => vec![text.clone()],
            FieldValue::Array { rows, .. } => {
                rows.iter().map(Self::summary).filter(|text| !text.is_empty()).take(3).collect()
            }
            FieldValue::Switch(is) => vec![is.to_string()],
            FieldValue::Chosen(choice) => {
                let Widget::Choice(choices) = &self.field.widget else { return String::new() };
                choices.get(*choice).map(FieldChoice::label).into_iter().collect()
            }
            FieldValue::Absent | FieldValue::Null | FieldValue::Checked(_) => Vec::new(),
        };
        sidecar_locales::quoted(&parts.join(", "), 80)
    }

    fn count(&self) -> usize {
        1 + self.children().into_iter().map(|(_, child)| child.count()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
