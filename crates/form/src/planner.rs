//! Plans fields of a schema, one level at a time.

mod group;
mod items;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::condition::ValueCondition;
use crate::fact::FieldFact;
use crate::field::{BranchAdds, FieldChoice, FieldNote, FormField, OtherKeys, TextKind, UnionPicker, Widget};
use crate::json::Json;
use crate::json_type::{self, JsonType};
use crate::reason::RawReason;
use crate::source::{SchemaPlace, SchemaSource};
use crate::subschema::{Layers, SubSchema};
use crate::union::{self, FormUnion};

/// Maximum number of fields of a form, and of choices of a field.
pub(crate) const FIELDS: usize = 2_000;

/// How many planned fields are kept.
const KEPT: usize = 4_000;

/// How many members, choices and branches they may have together.
const PARTS: usize = 200_000;

/// A text of which more characters are allowed gets many lines.
const LONG: u64 = 200;

/// Plans fields, and keeps what it planned.
#[derive(Debug, Clone)]
pub(crate) struct FieldPlanner {
    source: Arc<SchemaSource>,
    planned: HashMap<SubSchema, Arc<FormField>>,
    /// How many more parts fields may have.
    left: usize,
}

impl FieldPlanner {
    pub(crate) fn new(source: Arc<SchemaSource>) -> Self {
        Self { source, planned: HashMap::new(), left: PARTS }
    }

    pub(crate) fn source(&self) -> &SchemaSource {
        &self.source
    }

    /// The field of a schema.
    pub(crate) fn open(&mut self, sub: &SubSchema) -> Arc<FormField> {
        if let Some(field) = self.planned.get(sub) {
            return field.clone();
        }
        if self.planned.len() >= KEPT {
            self.planned.clear();
            self.left = PARTS;
        }
        let field = Arc::new(field(&self.source, sub, self.left));
        self.left = self.left.saturating_sub(field.weight());
        self.planned.insert(sub.clone(), field.clone());
        field
    }

    /// The schema of a key that an object's schema does not name.
    pub(crate) fn other_key(&self, object: &SubSchema, key: &str) -> SubSchema {
        group::key(&Layers::of(&self.source, object), key)
    }
}

/// Plans a field with so many parts at most.
fn field(source: &SchemaSource, sub: &SubSchema, most: usize) -> FormField {
    let layers = Layers::of(source, sub);
    let text = |key: &str| layers.first(key).and_then(Value::as_str).map(str::to_owned);
    let is = |key: &str| layers.each(key).any(|value| value == &Value::Bool(true));
    let mut unions = Unions::read(source, &layers, sub);
    unions.is_nullable |= layers.is_nullable;
    let mut field = FormField {
        title: text("title"),
        description: text("description"),
        types: Vec::new(),
        facts: FieldFact::all(&layers),
        default: layers.first("default").map(Json::of),
        is_nullable: unions.is_nullable,
        is_read_only: is("readOnly"),
        is_deprecated: is("deprecated"),
        widget: Widget::Never,
        pickers: unions.pickers,
        notes: unions.notes,
        samples: layers
            .each("examples")
            .filter_map(Value::as_array)
            .flatten()
            .take(3)
            .map(Json::of)
            .collect(),
        conditions: layers.all.iter().flat_map(ValueCondition::all).collect(),
        core: core(&layers),
    };
    let marks = [(field.is_read_only, FieldNote::ReadOnly), (field.is_deprecated, FieldNote::Deprecated)];
    field.notes.extend(marks.into_iter().filter_map(|(is, note)| is.then_some(note)));
    if let Some(reason) = &layers.fault {
        field.widget = Widget::Raw(reason.clone());
        return field;
    }
    if layers.is_never {
        field.notes.push(FieldNote::Never);
        return field;
    }
    let most = most.min(FIELDS);
    if unions.is_too_long || unions.choices.as_ref().is_some_and(|choices| choices.len() > most) {
        field.widget = Widget::Raw(RawReason::TooMany);
        return field;
    }
    let declared = layers.types();
    if declared.as_ref().is_some_and(Vec::is_empty) || unions.choices.as_ref().is_some_and(Vec::is_empty) {
        field.widget = Widget::Raw(RawReason::Conflict);
        return field;
    }
    let mut types = declared.clone().unwrap_or_else(|| JsonType::ALL.to_vec());
    if sub.is_root && !types.contains(&JsonType::Object) {
        field.widget = Widget::Raw(RawReason::NoObject);
        return field;
    }
    if let Some(choices) = unions.choices {
        field.types = declared.unwrap_or_default();
        field.widget = match <[FieldChoice; 1]>::try_from(choices) {
            Ok([only]) => Widget::Fixed(only.value),
            Err(choices) => Widget::Choice(choices),
        };
        return field;
    }
    if declared.is_none() {
        if let Some(known) = union::implied(&layers) {
            types = vec![known];
        }
        for picker in &field.pickers {
            if let Some(of_branches) = union::types(source, picker) {
                types = json_type::common(&types, &of_branches);
            }
        }
    }
    let is_typed = declared.is_some() || types.len() < JsonType::ALL.len();
    if !sub.is_root && is_typed && types.len() > 1 && types.contains(&JsonType::Null) {
        types.retain(|known| *known != JsonType::Null);
        field.is_nullable = true;
    }
    if is("nullable") && !field.is_nullable && !sub.is_root {
        field.is_nullable = true;
        field.notes.push(FieldNote::NullableKeyword);
    }
    if is_typed {
        field.types.clone_from(&types);
    }
    if declared.is_some() && types.len() > 1 && !sub.is_root && field.pickers.is_empty() {
        field.pickers.push(union::of_types(&types));
    }
    if let Some(narrowed) = sub.narrowed {
        types = json_type::common(&types, &[narrowed]);
    }
    let is_picked = |picker: &UnionPicker| {
        picker.branches.iter().any(|branch| match &branch.adds {
            BranchAdds::Part(place) => sub.places.contains(place),
            BranchAdds::Type(known) => sub.narrowed == Some(*known),
        })
    };
    let is_open = !field.pickers.iter().all(is_picked);
    field.widget = match types.as_slice() {
        [JsonType::Object] => group::widget(&layers, sub, most),
        [] => Widget::Raw(RawReason::Conflict),
        _ if is_open => Widget::Unpicked,
        [JsonType::Array] => items::widget(source, &layers),
        [JsonType::Text] => Widget::Text(kind(&layers, &field)),
        [JsonType::Number] => Widget::Number { is_whole: false },
        [JsonType::Integer] => Widget::Number { is_whole: true },
        [JsonType::Boolean] => Widget::Boolean,
        [JsonType::Null] => Widget::Fixed(Json::Null),
        [_, _, ..] => Widget::Raw(RawReason::Anything),
    };
    if let (true, Widget::Group(group)) = (sub.is_root, &field.widget)
        && group.members.is_empty()
        && field.pickers.is_empty()
        && group.others != OtherKeys::Mapped
    {
        field.notes.push(FieldNote::NoArguments);
    }
    field
}

/// What the unions of all parts are together.
struct Unions {
    choices: Option<Vec<FieldChoice>>,
    pickers: Vec<UnionPicker>,
    notes: Vec<FieldNote>,
    is_nullable: bool,
    /// Whether there are more choices than fields can be.
    is_too_long: bool,
}

impl Unions {
    fn read(source: &SchemaSource, layers: &Layers<'_>, sub: &SubSchema) -> Self {
        let mut unions = Self {
            choices: None,
            pickers: Vec::new(),
            notes: Vec::new(),
            is_nullable: false,
            is_too_long: false,
        };
        for layer in &layers.all {
            let plain =
                |value: &Value| FieldChoice { value: Json::of(value), title: None, description: None };
            if let Some(value) = layer.map.get("const") {
                unions.choose(vec![plain(value)]);
            }
            if let Some(values) = layer.map.get("enum").and_then(Value::as_array) {
                if values.len() > FIELDS {
                    unions.is_too_long = true;
                } else {
                    unions.choose(values.iter().map(plain).collect());
                }
            }
            for union in union::all(source, layer) {
                match union {
                    FormUnion::Choices(choices, has_null) => {
                        unions.is_nullable |=
                            has_null && choices.iter().all(|known| known.value != Json::Null);
                        unions.choose(choices);
                    }
                    FormUnion::Checked(keys) if keys.is_empty() => {}
                    FormUnion::Checked(keys) => unions.notes.push(FieldNote::OneOfKeys(keys)),
                    FormUnion::Picker(picker, has_null) => {
                        unions.is_nullable |= has_null && !sub.is_root;
                        unions.pickers.push(picker);
                    }
                }
            }
        }
        unions
    }

    /// Of these values only.
    fn choose(&mut self, choices: Vec<FieldChoice>) {
        self.choices = Some(match self.choices.take() {
            None => choices,
            Some(mut known) => {
                let others: HashMap<_, _> =
                    choices.iter().map(|choice| (choice.value.canonical(), choice)).collect();
                known.retain_mut(|one| {
                    let Some(other) = others.get(&one.value.canonical()) else { return false };
                    if one.title.is_none() {
                        one.title.clone_from(&other.title);
                        one.description.clone_from(&other.description);
                    }
                    true
                });
                known
            }
        });
    }
}

/// The places that give a value its structure.
fn core(layers: &Layers<'_>) -> Vec<SchemaPlace> {
    const STRUCTURE: [&str; 3] = ["properties", "items", "prefixItems"];
    let has = |map: &serde_json::Map<String, Value>| STRUCTURE.iter().any(|key| map.contains_key(*key));
    layers.all.iter().filter(|layer| has(layer.map)).map(|layer| layer.place.clone()).collect()
}

/// How a text is typed.
fn kind(layers: &Layers<'_>, field: &FormField) -> TextKind {
    let is_base64 = layers.each("contentEncoding").any(|value| value == "base64");
    let has_line = |json: &Json| matches!(json, Json::Text(text) if text.contains('\n'));
    let is_long = layers.each("maxLength").filter_map(Value::as_u64).any(|length| length > LONG);
    match layers.first("format").and_then(Value::as_str) {
        Some("date") => TextKind::Date,
        Some("time") => TextKind::Time,
        Some("date-time") => TextKind::DateTime,
        Some("password") => TextKind::Secret,
        Some("byte" | "binary") => TextKind::File,
        _ if is_base64 => TextKind::File,
        _ if is_long || field.samples.iter().chain(&field.default).any(has_line) => TextKind::Lines,
        _ => TextKind::Line,
    }
}
