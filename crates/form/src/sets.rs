//! Sets of arguments that try a tool: what it has to take, and what it has to refuse.

use serde_json::Value;
use sidecar_protocol::settings::Language;

use crate::example::{Fill, filled};
use crate::fact::{FactKind, FieldFact};
use crate::field::{FormField, OtherKeys, Widget};
use crate::fits::{Fit, SchemaFits};
use crate::json::Json;
use crate::plan::{FormPlan, plan};
use crate::source::push_key;
use crate::wording::{say, word};

/// Maximum number of sets at a boundary.
const BOUNDARIES: usize = 8;

/// Maximum number of sets that a tool has to refuse.
const INVALID: usize = 6;

/// How many changes are looked at for either.
const TRIED: usize = 100;

/// The longest text or list that is made, in characters or items.
const LONGEST: usize = 2_000;

/// Arguments to try a tool with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentSet {
    /// What it tries.
    pub aim: SetAim,
    /// The JSON pointer of the field that it is about; empty for all.
    pub pointer: String,
    /// The arguments, as JSON text on one line.
    pub text: String,
}

/// What a set of arguments tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetAim {
    /// What is required, and no more.
    Required,
    /// All fields.
    All,
    /// A value that is just allowed.
    Boundary(FieldFact),
    /// The last of the choices.
    LastChoice,
    /// Something required is not there.
    Missing,
    /// A value of another type.
    WrongType,
    /// A value that is just not allowed.
    Beyond(FieldFact),
    /// None of the choices.
    NoChoice,
    /// A key that is refused.
    OtherKey,
}

impl SetAim {
    /// Whether the tool has to refuse it.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        match self {
            Self::Required | Self::All | Self::Boundary(_) | Self::LastChoice => false,
            Self::Missing | Self::WrongType | Self::Beyond(_) | Self::NoChoice | Self::OtherKey => true,
        }
    }
}

impl ArgumentSet {
    /// What it tries, in a few words.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let place = ("place", self.pointer.as_str());
        match &self.aim {
            SetAim::Required => say(language, word::SET_REQUIRED, &[]),
            SetAim::All => say(language, word::SET_ALL, &[]),
            SetAim::Boundary(fact) => {
                say(language, word::SET_BOUNDARY, &[place, ("fact", &fact.text(language))])
            }
            SetAim::LastChoice => say(language, word::SET_LAST_CHOICE, &[place]),
            SetAim::Missing => say(language, word::SET_MISSING, &[place]),
            SetAim::WrongType => say(language, word::SET_WRONG_TYPE, &[place]),
            SetAim::Beyond(fact) => say(language, word::SET_BEYOND, &[place, ("fact", &fact.text(language))]),
            SetAim::NoChoice => say(language, word::SET_NO_CHOICE, &[place]),
            SetAim::OtherKey => say(language, word::SET_OTHER_KEY, &[place]),
        }
    }
}

/// Sets of arguments for a schema: required, all, at most 8 at a boundary and 6 that have to be refused. Of the latter only
/// those of which it is sure that the schema refuses them.
#[must_use]
pub fn sets(schema: &Value) -> Vec<ArgumentSet> {
    let plan = plan(schema);
    let (required, _) = filled(&plan, Fill::Required);
    let (all, _) = filled(&plan, Fill::All);
    let whole = |aim, json: &Json| ArgumentSet { aim, pointer: String::new(), text: json.write() };
    let mut sets = vec![whole(SetAim::Required, &required)];
    if all != required {
        sets.push(whole(SetAim::All, &all));
    }
    let changes = changes(&plan, &required, &all);
    for (is_invalid, most) in [(false, BOUNDARIES), (true, INVALID)] {
        let wanted = changes.iter().filter(|(aim, ..)| aim.is_invalid() == is_invalid).take(TRIED);
        let judged = wanted.filter(|(.., json)| {
            let is_refused = SchemaFits::new(&plan.source).all(&plan.root.places, json) == Fit::No;
            is_refused == is_invalid
        });
        sets.extend(judged.take(most).map(|(aim, key, json)| {
            let mut pointer = String::new();
            push_key(&mut pointer, key);
            ArgumentSet { aim: aim.clone(), pointer, text: json.write() }
        }));
    }
    sets
}

/// Arguments that differ from an example in one key.
fn changes(plan: &FormPlan, required: &Json, all: &Json) -> Vec<(SetAim, String, Json)> {
    let Some(group) = plan.group() else { return Vec::new() };
    let mut changes = Vec::new();
    let missing =
        group.members.iter().find(|member| member.is_required && required.get(&member.key).is_some());
    if let Some(member) = missing {
        changes.push((SetAim::Missing, member.key.clone(), with(required, &member.key, None)));
    }
    let mut is_type_tried = false;
    for member in &group.members {
        let field = plan.open(&member.sub);
        let value = required.get(&member.key).or(all.get(&member.key));
        for (aim, value) in of_field(&field, value) {
            let is_second = aim == SetAim::WrongType && std::mem::replace(&mut is_type_tried, true);
            if !is_second {
                changes.push((aim, member.key.clone(), with(required, &member.key, Some(value))));
            }
        }
    }
    if group.others == OtherKeys::Refused {
        let key = "other-key".to_owned();
        changes.push((SetAim::OtherKey, key.clone(), with(required, &key, Some(Json::Bool(true)))));
    }
    changes
}

/// Values of a field that are just allowed, or not.
fn of_field(field: &FormField, value: Option<&Json>) -> Vec<(SetAim, Json)> {
    let mut values = Vec::new();
    let number = |text: String| Json::Number(text);
    for fact in &field.facts {
        let pair = match (fact.kind, value) {
            (FactKind::AtLeast | FactKind::Above, _) => {
                let below = moved(&fact.value, -1).map(number);
                let at = Json::Number(fact.value.clone());
                if fact.kind == FactKind::AtLeast {
                    (Some(at), below)
                } else {
                    (moved(&fact.value, 1).map(number), Some(at))
                }
            }
            (FactKind::AtMost | FactKind::Below, _) => {
                let above = moved(&fact.value, 1).map(number);
                let at = Json::Number(fact.value.clone());
                if fact.kind == FactKind::AtMost {
                    (Some(at), above)
                } else {
                    (moved(&fact.value, -1).map(number), Some(at))
                }
            }
            (FactKind::LeastLength, _) => (length(fact, 0, text), length(fact, -1, text)),
            (FactKind::MostLength, _) => (length(fact, 0, text), length(fact, 1, text)),
            (FactKind::LeastItems, Some(Json::Array(items))) => {
                let list = |count| list(items, count);
                (length(fact, 0, list), length(fact, -1, list))
            }
            (FactKind::MostItems, Some(Json::Array(items))) => {
                let list = |count| list(items, count);
                (length(fact, 0, list), length(fact, 1, list))
            }
            _ => (None, None),
        };
        values.extend(pair.0.map(|json| (SetAim::Boundary(fact.clone()), json)));
        values.extend(pair.1.map(|json| (SetAim::Beyond(fact.clone()), json)));
    }
    let other = match &field.widget {
        Widget::Choice(choices) => {
            values.extend(choices.last().map(|choice| (SetAim::LastChoice, choice.value.clone())));
            values.push((SetAim::NoChoice, Json::Text("none-of-these".to_owned())));
            None
        }
        Widget::Text(_) => Some(Json::Number("1".to_owned())),
        Widget::Number { .. } | Widget::Boolean | Widget::Group(_) | Widget::List(_) => {
            Some(Json::Text("wrong".to_owned()))
        }
        Widget::Fixed(_) | Widget::Unpicked | Widget::Raw(_) | Widget::Never => None,
    };
    values.extend(other.map(|json| (SetAim::WrongType, json)));
    values
}

/// A whole number and one that is next to it.
fn moved(text: &str, by: i64) -> Option<String> {
    Some(text.parse::<i64>().ok()?.checked_add(by)?.to_string())
}

fn length(fact: &FieldFact, by: isize, make: impl Fn(usize) -> Option<Json>) -> Option<Json> {
    let length = fact.value.parse::<usize>().ok()?.checked_add_signed(by)?;
    (length <= LONGEST).then(|| make(length)).flatten()
}

fn text(length: usize) -> Option<Json> {
    Some(Json::Text("a".repeat(length)))
}

fn list(items: &[Json], length: usize) -> Option<Json> {
    match items.first() {
        Some(first) => Some(Json::Array(vec![first.clone(); length])),
        None => (length == 0).then(|| Json::Array(Vec::new())),
    }
}

/// Arguments with another value at a key, or without it.
fn with(json: &Json, key: &str, value: Option<Json>) -> Json {
    let Json::Object(members) = json else { return json.clone() };
    let mut members = members.clone();
    let place = members.iter().position(|(known, _)| known == key);
    match (place, value) {
        (Some(place), Some(value)) => members[place].1 = value,
        (Some(place), None) => {
            members.remove(place);
        }
        (None, Some(value)) => members.push((key.to_owned(), value)),
        (None, None) => {}
    }
    Json::Object(members)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sets_try_boundaries_and_what_is_refused() {
        let schema = json!({"type": "object", "required": ["city"], "additionalProperties": false, "properties": {
            "city": {"type": "string", "minLength": 2, "maxLength": 5},
            "seats": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
            "class": {"enum": ["economy", "business"]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        }});
        let made: Vec<_> = sets(&schema)
            .into_iter()
            .map(|set| {
                for language in [Language::English, Language::Chinese] {
                    assert!(set.sentence(language).contains(&set.pointer));
                }
                (set.aim.is_invalid(), set.pointer, set.text)
            })
            .collect();
        let valid = |text: &str, pointer: &str| (false, pointer.to_owned(), text.to_owned());
        let invalid = |text: &str, pointer: &str| (true, pointer.to_owned(), text.to_owned());
        assert_eq!(
            made,
            [
                valid(r#"{"city":"examp"}"#, ""),
                valid(r#"{"city":"examp","seats":1,"class":"economy","tags":["example"]}"#, ""),
                valid(r#"{"city":"aa"}"#, "/city"),
                valid(r#"{"city":"aaaaa"}"#, "/city"),
                valid(r#"{"city":"examp","seats":1}"#, "/seats"),
                valid(r#"{"city":"examp","seats":9}"#, "/seats"),
                valid(r#"{"city":"examp","class":"business"}"#, "/class"),
                valid(r#"{"city":"examp","tags":["example","example"]}"#, "/tags"),
                invalid("{}", "/city"),
                invalid(r#"{"city":"a"}"#, "/city"),
                invalid(r#"{"city":"aaaaaa"}"#, "/city"),
                invalid(r#"{"city":1}"#, "/city"),
                invalid(r#"{"city":"examp","seats":0}"#, "/seats"),
                invalid(r#"{"city":"examp","seats":10}"#, "/seats"),
            ]
        );
    }

    #[test]
    fn schema_without_limits_has_one_set() {
        assert_eq!(sets(&Value::Null).len(), 1);
        assert_eq!(sets(&json!({"$ref": "https://x.example"}))[0].text, "{}");
    }
}
