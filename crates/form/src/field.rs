//! A field of a form, as its schema plans it.

use std::sync::Arc;

use sidecar_protocol::settings::Language;

use crate::condition::ValueCondition;
use crate::fact::FieldFact;
use crate::json::Json;
use crate::json_type::JsonType;
use crate::reason::RawReason;
use crate::source::SchemaPlace;
use crate::subschema::SubSchema;
use crate::wording::{say, word};

/// A field: what is shown of it, and what it takes. One field serves all rows of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct FormField {
    /// The page's title; text, never HTML.
    pub title: Option<String>,
    /// The page's description; text, never HTML.
    pub description: Option<String>,
    /// The types that it takes; empty for any.
    pub types: Vec<JsonType>,
    /// What is asked of a value, to be shown at the field.
    pub facts: Vec<FieldFact>,
    /// The schema's default.
    pub default: Option<Json>,
    /// Whether `null` is allowed, beside what the widget takes.
    pub is_nullable: bool,
    /// Whether the page alone sets it.
    pub is_read_only: bool,
    /// Whether it should no longer be used.
    pub is_deprecated: bool,
    /// What it is edited with.
    pub widget: Widget,
    /// Unions of which a branch is to be picked, the outermost first.
    pub pickers: Vec<UnionPicker>,
    /// What else is to be said.
    pub notes: Vec<FieldNote>,
    pub(crate) samples: Vec<Json>,
    pub(crate) conditions: Vec<ValueCondition>,
    /// The places that give it its structure: a field within a field of the same is recursive.
    pub(crate) core: Vec<SchemaPlace>,
}

impl FormField {
    /// What it takes, in a few words. Empty if that is anything.
    #[must_use]
    pub fn type_text(&self, language: Language) -> String {
        self.types.iter().map(|known| known.text(language)).collect::<Vec<_>>().join(" / ")
    }

    /// How many parts it has.
    pub(crate) fn weight(&self) -> usize {
        let branches = self.pickers.iter().map(|picker| picker.branches.len()).sum::<usize>();
        branches
            + match &self.widget {
                Widget::Choice(choices) => choices.len(),
                Widget::Group(group) => group.members.len(),
                Widget::List(items) => items.slots.len() + items.checks.as_ref().map_or(0, Vec::len),
                Widget::Text(_)
                | Widget::Number { .. }
                | Widget::Boolean
                | Widget::Fixed(_)
                | Widget::Unpicked
                | Widget::Raw(_)
                | Widget::Never => 1,
            }
    }

    /// Whether it has the structure of a field in which it lies. Such a field is opened by the user alone.
    pub(crate) fn is_recursive(&self, above: &[Arc<Self>]) -> bool {
        !self.core.is_empty() && above.iter().any(|above| above.core == self.core)
    }
}

/// What a field is edited with.
#[derive(Debug, Clone, PartialEq)]
pub enum Widget {
    /// A text.
    Text(TextKind),
    /// A number, kept as it is typed.
    Number {
        /// Whether it has no fraction.
        is_whole: bool,
    },
    /// Not set, true, false.
    Boolean,
    /// One of these, by its place in the list: values may be equal.
    Choice(Vec<FieldChoice>),
    /// This value or none.
    Fixed(Json),
    /// Fields by key.
    Group(FieldGroup),
    /// Rows.
    List(FieldItems),
    /// A union, of which no branch is picked yet.
    Unpicked,
    /// JSON as text.
    Raw(RawReason),
    /// It cannot be set.
    Never,
}

/// How a text is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// In a line that grows.
    Line,
    /// In many lines.
    Lines,
    /// `2026-11-22`
    Date,
    /// `10:00:00Z`
    Time,
    /// `2026-11-22T10:00:00+08:00`
    DateTime,
    /// Hidden, until the user reveals it.
    Secret,
    /// A file as base64, or its text.
    File,
}

/// One of the values that a field can have.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChoice {
    /// The value.
    pub value: Json,
    /// The page's title of it.
    pub title: Option<String>,
    /// The page's description of it.
    pub description: Option<String>,
}

impl FieldChoice {
    /// What it is called: its title, or else its value.
    #[must_use]
    pub fn label(&self) -> String {
        match (&self.title, &self.value) {
            (Some(title), _) => title.clone(),
            (None, Json::Text(text)) => text.clone(),
            (None, value) => value.write(),
        }
    }
}

/// How so many choices are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceLook {
    /// All at once.
    Radio,
    /// In a list that opens.
    Select,
    /// In a list that is searched.
    Search,
}

impl ChoiceLook {
    /// How a number of choices is offered.
    #[must_use]
    pub fn of(count: usize) -> Self {
        match count {
            0..=7 => Self::Radio,
            8..=30 => Self::Select,
            _ => Self::Search,
        }
    }
}

/// The keys of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldGroup {
    /// The keys that the schema names, in its order.
    pub members: Vec<PlannedMember>,
    /// Which others may be added.
    pub others: OtherKeys,
}

/// A key that a schema names.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedMember {
    /// The key, exactly.
    pub key: String,
    /// Whether it has to be there.
    pub is_required: bool,
    /// Whether nobody can say here if it belongs to the value.
    pub is_maybe: bool,
    /// Whether it is required, and described nowhere.
    pub is_undeclared: bool,
    /// Its schema.
    pub sub: SubSchema,
}

/// Which keys beside the named ones an object may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherKeys {
    /// None.
    Refused,
    /// Any, with any JSON.
    Any,
    /// Those that have a schema: rows of key and value.
    Mapped,
}

/// The items of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldItems {
    /// The schemas of the first items, each at its position.
    pub slots: Vec<SubSchema>,
    /// The schema of all others; `None` if there may be none.
    pub rest: Option<SubSchema>,
    /// Where each of these is an item or not: a list to check.
    pub checks: Option<Vec<FieldChoice>>,
    /// How many items there are at least.
    pub least: usize,
}

/// A union of which one branch is picked.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionPicker {
    /// Where the union is: it names the picker.
    pub at: SchemaPlace,
    /// Its branches, in the order of the schema.
    pub branches: Vec<UnionBranch>,
}

/// A branch of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionBranch {
    /// What it is called.
    pub label: BranchLabel,
    /// The page's description.
    pub description: Option<String>,
    pub(crate) adds: BranchAdds,
}

/// What a branch is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchLabel {
    /// Its title, or the constants that tell it from others.
    Text(String),
    /// The keys that it has.
    Keys(Vec<String>),
    /// Its type.
    Type(JsonType),
    /// Its number, from 1.
    Number(usize),
}

impl BranchLabel {
    /// The name in a language.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Keys(keys) => keys.join(", "),
            Self::Type(known) => known.text(language).to_owned(),
            Self::Number(number) => say(language, word::BRANCH_NUMBER, &[("number", &number.to_string())]),
        }
    }
}

/// What applies as well when a branch is picked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BranchAdds {
    /// A part of the schema.
    Part(SchemaPlace),
    /// One type of several.
    Type(JsonType),
}

/// Something to be said about a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldNote {
    /// The tool takes no arguments.
    NoArguments,
    /// One of these sets of keys has to be there.
    OneOfKeys(Vec<Vec<String>>),
    /// `nullable` stands in the schema, which other programs ignore.
    NullableKeyword,
    /// The page sets it, and what is set here may be refused.
    ReadOnly,
    /// It should no longer be used.
    Deprecated,
    /// No value is allowed.
    Never,
    /// Whether it belongs to the value depends on something that nobody can judge here.
    Maybe,
    /// It is required, and described nowhere.
    Undeclared,
    /// The schema had it before it changed.
    Gone,
}

impl FieldNote {
    /// The note as a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        match self {
            Self::NoArguments => say(language, word::NOTE_NO_ARGUMENTS, &[]),
            Self::OneOfKeys(sets) => {
                let sets: Vec<_> = sets.iter().map(|keys| keys.join(" + ")).collect();
                say(language, word::NOTE_ONE_OF_KEYS, &[("keys", &sets.join(" | "))])
            }
            Self::NullableKeyword => say(language, word::NOTE_NULLABLE, &[]),
            Self::ReadOnly => say(language, word::NOTE_READ_ONLY, &[]),
            Self::Deprecated => say(language, word::NOTE_DEPRECATED, &[]),
            Self::Never => say(language, word::NOTE_NEVER, &[]),
            Self::Maybe => say(language, word::NOTE_MAYBE, &[]),
            Self::Undeclared => say(language, word::NOTE_UNDECLARED, &[]),
            Self::Gone => say(language, word::NOTE_GONE, &[]),
        }
    }
}
