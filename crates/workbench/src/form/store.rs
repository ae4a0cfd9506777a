//! A form that is filled in, and its fields as they are shown: each changes alone.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use sidecar_form::state::{BlockReason, FormBlock, FormMember, FormState, MemberOrigin};
use sidecar_form::{FieldId, FieldValue, FormField, FormNode, FormPlan, UnionPick};
use sidecar_protocol::settings::Language;
use sidecar_protocol::tool_run::PlacedMistake;

use crate::form::arrival::Arrival;

/// A field as it is shown.
#[derive(Debug, Clone)]
pub struct FieldCell {
    /// The field.
    pub field: Arc<FormField>,
    /// Its key in an object, or its number in an array; empty for the whole.
    pub key: String,
    /// Where it comes from, in an object.
    pub origin: Option<MemberOrigin>,
    /// Whether it has to be set.
    pub is_required: bool,
    /// Whether what is typed is hidden.
    pub is_secret: bool,
    /// Whether its JSON is edited as text.
    pub is_raw: bool,
    /// Whether it holds something.
    pub is_filled: bool,
    /// The branches that are picked.
    pub picks: Vec<UnionPick>,
    /// What it holds.
    pub value: CellValue,
    /// What it holds, in a few words.
    pub summary: String,
    /// Sentences to be said about it.
    pub notes: Vec<String>,
    /// Sentences about what is wrong with it.
    pub faults: Vec<String>,
}

impl PartialEq for FieldCell {
    fn eq(&self, other: &Self) -> bool {
        is_same_field(&self.field, &other.field)
            && (&self.key, self.origin, self.is_required, self.is_secret)
                == (&other.key, other.origin, other.is_required, other.is_secret)
            && (self.is_raw, self.is_filled, &self.picks, &self.value)
                == (other.is_raw, other.is_filled, &other.picks, &other.value)
            && (&self.summary, &self.notes, &self.faults) == (&other.summary, &other.notes, &other.faults)
    }
}

/// Whether two fields look the same: forms are planned again with each change.
pub fn is_same_field(one: &Arc<FormField>, other: &Arc<FormField>) -> bool {
    Arc::ptr_eq(one, other) || one == other
}

/// What a field holds; parts are fields of their own.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// Nothing.
    Absent,
    /// `null`.
    Null,
    /// A text.
    Text(String),
    /// JSON as it was typed.
    Written(String),
    /// True or false.
    Switch(bool),
    /// One of the choices, by its position.
    Chosen(usize),
    /// Several of them.
    Checked(Vec<usize>),
    /// Fields by key, as they are shown.
    Object(Vec<FieldId>),
    /// Rows.
    Array(Vec<FieldId>),
}

/// The form. A handle: copies share it.
#[derive(Clone, Copy)]
pub struct FormStore {
    /// Absent until the schema is known.
    state: StoredValue<Option<FormState>>,
    cells: StoredValue<HashMap<FieldId, ArcRwSignal<FieldCell>>>,
    mistakes: StoredValue<Vec<PlacedMistake>>,
    /// The field of the whole.
    pub root: RwSignal<Option<FieldId>>,
    /// Counts changes of values.
    pub revision: RwSignal<u32>,
    /// Whether the arguments are shown as JSON.
    pub is_raw: RwSignal<bool>,
    /// Whether the user has tried to run it: only then is it said what is missing.
    pub is_tried: RwSignal<bool>,
    /// Counts changes of what is told about the whole.
    pub told: RwSignal<u32>,
    faults: StoredValue<Vec<(String, String)>>,
    /// Keys that are no longer sent because a branch was picked.
    pub dropped: RwSignal<Vec<String>>,
    language: RwSignal<Language>,
    /// How many of its fields are shown by now.
    pub arrival: Arrival,
}

impl FormStore {
    /// Without a schema.
    pub fn new() -> Self {
        Self {
            state: StoredValue::new(None),
            cells: StoredValue::new(HashMap::new()),
            mistakes: StoredValue::new(Vec::new()),
            root: RwSignal::new(None),
            revision: RwSignal::new(0),
            is_raw: RwSignal::new(false),
            is_tried: RwSignal::new(false),
            told: RwSignal::new(0),
            faults: StoredValue::new(Vec::new()),
            dropped: RwSignal::new(Vec::new()),
            language: RwSignal::new(Language::English),
            arrival: Arrival::new(),
        }
    }

    /// Takes the tool's schema, and keeps what was typed.
    pub fn take_plan(self, plan: &FormPlan) {
        self.state.update_value(|state| match state {
            Some(state) => state.reconcile(plan),
            None => *state = Some(FormState::new(plan)),
        });
        self.refresh();
    }

    /// How many fields it has.
    pub fn count(self) -> usize {
        self.cells.with_value(HashMap::len)
    }

    /// Says sentences in another language from now on.
    pub fn speak(self, language: Language) {
        if self.language.get_untracked() != language {
            self.language.set(language);
            self.refresh();
        }
    }

    /// A field, if it exists.
    pub fn cell(self, id: FieldId) -> Option<ArcRwSignal<FieldCell>> {
        self.cells.with_value(|cells| cells.get(&id).cloned())
    }

    /// Changes the form.
    pub fn edit<T>(self, change: impl FnOnce(&mut FormState) -> T) -> Option<T> {
        let done = self.state.try_update_value(|state| state.as_mut().map(change)).flatten();
        // Mistakes of what was there before say nothing of what is there now.
        self.mistakes.update_value(Vec::clear);
        self.dropped.set(Vec::new());
        self.refresh();
        self.revision.update(|revision| *revision += 1);
        done
    }

    /// Takes JSON text in place of all that was typed.
    pub fn load(self, plan: &FormPlan, text: &str) {
        self.state.set_value(Some(FormState::load(plan, text)));
        self.is_tried.set(false);
        self.edit(|_| ());
    }

    /// Takes all that was typed away.
    pub fn start_over(self, plan: &FormPlan) {
        self.state.set_value(Some(FormState::new(plan)));
        self.is_tried.set(false);
        self.edit(|_| ());
    }

    /// Picks a branch of a union.
    pub fn pick(self, id: FieldId, at: &str, branch: usize) {
        let dropped = self.edit(|state| state.pick(id, at, branch)).flatten();
        self.dropped.set(dropped.unwrap_or_default());
    }

    /// The arguments as JSON text for the raw view.
    pub fn raw(self) -> String {
        self.state.with_value(|state| state.as_ref().map(FormState::raw).unwrap_or_default())
    }

    /// What is wrong, by JSON Pointer.
    pub fn faults(self) -> Vec<(String, String)> {
        self.faults.get_value()
    }

    /// The first field with a fault.
    pub fn first_fault(self) -> Option<FieldId> {
        self.state.with_value(|state| {
            let state = state.as_ref()?;
            let (pointer, _) = self.faults.with_value(|faults| faults.first().cloned())?;
            Some(state.at(&pointer))
        })
    }

    /// The arguments, or what stands in the way; `None` without a form. What is typed as JSON is sent byte by byte.
    pub fn emitted(self) -> Option<Result<String, Vec<FormBlock>>> {
        let is_raw = self.is_raw.get_untracked();
        self.state.with_value(|state| {
            let state = state.as_ref()?;
            let is_raw = is_raw || state.root().is_raw();
            Some(state.emit().map(|text| if is_raw { state.raw() } else { text }))
        })
    }

    /// The arguments, whatever is missing; `None` if what was typed is no value yet.
    pub fn emitted_anyway(self) -> Option<String> {
        self.state.with_value(|state| state.as_ref()?.emit_anyway().ok())
    }

    /// Takes what the worker found wrong with the arguments. What is missing is said at its field anyway.
    pub fn take_mistakes(self, mistakes: Vec<PlacedMistake>) {
        self.mistakes.set_value(mistakes);
        self.refresh();
    }

    /// Shows what is missing, from now on, and the field it is missing in.
    pub fn note_try(self) {
        self.is_tried.set(true);
        self.arrival.finish();
        self.refresh();
    }

    /// Brings the fields up to date.
    fn refresh(self) {
        let (language, is_tried) = (self.language.get_untracked(), self.is_tried.get_untracked());
        let Some((root, fresh)) = self.state.with_value(|state| {
            let state = state.as_ref()?;
            let blocks = state.emit().err().unwrap_or_default();
            let says_missing = blocks.iter().any(|block| block.reason == BlockReason::Missing);
            let faults = self.mistakes.with_value(|mistakes| {
                let placed = mistakes.iter().filter(|one| !says_missing || one.keyword != "required");
                placed.map(|one| (state.at(&one.pointer), one.text.clone())).collect::<Vec<_>>()
            });
            let warnings = state.warnings();
            let told = blocks
                .iter()
                .filter(|block| is_tried || block.reason != BlockReason::Missing)
                .map(|block| (block.id, block.reason.sentence(language)))
                .chain(warnings.iter().map(|warning| (warning.id, warning.sentence(language))))
                .chain(faults);
            let mut shown = ShownFields { language, faults: HashMap::new(), cells: Vec::new() };
            let mut placed = Vec::new();
            for (id, sentence) in told {
                placed.push((state.pointer(id).unwrap_or_default(), sentence.clone()));
                shown.faults.entry(id).or_default().push(sentence);
            }
            self.faults.set_value(placed);
            shown.walk(state.root(), FieldSlot::default());
            Some((state.root().id, shown.cells))
        }) else {
            return;
        };
        let mut changed = Vec::new();
        self.cells.update_value(|cells| {
            let mut before = std::mem::take(cells);
            for (id, cell) in fresh {
                let signal = match before.remove(&id) {
                    Some(signal) => {
                        if signal.with_untracked(|known| *known != cell) {
                            changed.push((signal.clone(), cell));
                        }
                        signal
                    }
                    None => ArcRwSignal::new(cell),
                };
                cells.insert(id, signal);
            }
        });
        if self.root.get_untracked() != Some(root) {
            self.root.set(Some(root));
        }
        self.told.update(|told| *told += 1);
        // Only now: what follows a field may ask for its parts.
        for (signal, cell) in changed {
            signal.set(cell);
        }
    }
}

/// Where a field lies.
#[derive(Default)]
struct FieldSlot<'m> {
    key: String,
    member: Option<(&'m FormNode, &'m FormMember)>,
    is_required: bool,
}

/// Collects the fields as they are shown.
struct ShownFields {
    language: Language,
    faults: HashMap<FieldId, Vec<String>>,
    cells: Vec<(FieldId, FieldCell)>,
}

impl ShownFields {
    fn walk(&mut self, node: &FormNode, slot: FieldSlot<'_>) {
        let language = self.language;
        let notes = match slot.member {
            Some((parent, member)) => parent.member_notes(member),
            None => node.field.notes.clone(),
        };
        let value = match &node.value {
            FieldValue::Absent => CellValue::Absent,
            FieldValue::Null => CellValue::Null,
            FieldValue::Text(text) => CellValue::Text(text.clone()),
            FieldValue::Written(text) => CellValue::Written(text.clone()),
            FieldValue::Switch(is) => CellValue::Switch(*is),
            FieldValue::Chosen(place) => CellValue::Chosen(*place),
            FieldValue::Checked(places) => CellValue::Checked(places.clone()),
            FieldValue::Object { .. } => {
                let members = node.shown_members();
                for member in &members {
                    let slot = FieldSlot {
                        key: member.key.clone(),
                        member: Some((node, member)),
                        is_required: member.is_required,
                    };
                    self.walk(&member.node, slot);
                }
                CellValue::Object(members.iter().map(|member| member.node.id).collect())
            }
            FieldValue::Array { rows, .. } => {
                for (place, row) in rows.iter().enumerate() {
                    self.walk(row, FieldSlot { key: (place + 1).to_string(), ..FieldSlot::default() });
                }
                CellValue::Array(rows.iter().map(|row| row.id).collect())
            }
        };
        let cell = FieldCell {
            field: node.field.clone(),
            key: slot.key,
            origin: slot.member.map(|(_, member)| member.origin),
            is_required: slot.is_required,
            is_secret: slot.member.is_some_and(|(_, member)| member.is_secret()),
            is_raw: node.is_raw(),
            is_filled: node.is_filled(),
            picks: node.picks.clone(),
            value,
            summary: node.summary(),
            notes: notes.iter().map(|note| note.sentence(language)).collect(),
            faults: self.faults.remove(&node.id).unwrap_or_default(),
        };
        self.cells.push((node.id, cell));
    }
}
