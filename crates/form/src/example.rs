//! Forms that are filled in: the same schema always gives the same example.

mod scalar;

use std::cell::Cell;
use std::sync::Arc;

use serde_json::Value;
use sidecar_protocol::settings::Language;

use crate::fact::FactKind;
use crate::field::{FieldGroup, FieldItems, FieldNote, FormField, OtherKeys, Widget};
use crate::fits::{Fit, STEPS, SchemaFits};
use crate::growth::{Grown, Picking, UnionPick, grow};
use crate::json::Json;
use crate::plan::{FormPlan, LEVELS, plan};
use crate::planner::{FIELDS, FieldPlanner};
use crate::source::push_key;
use crate::subschema::SubSchema;
use crate::wording::{say, word};

/// How many branches of a union are tried.
const BRANCHES: usize = 8;

/// How many values of a field are tried.
const CANDIDATES: usize = 60;

/// How many rows an array begins with at most.
const ROWS: usize = 50;

/// How many parts of schemas are looked at for one example.
const ALL_STEPS: usize = 1_000_000;

/// How often a value may bring in more fields.
const ROUNDS: usize = 8;

/// How much is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// What is required.
    Required,
    /// All fields, without recursion.
    All,
}

/// Arguments that were made up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormExample {
    /// The arguments, as JSON text on one line.
    pub text: String,
    /// Fields of which it is not sure that they fit, or that no value was found for. If there is none, the example fits.
    pub unfilled: Vec<UnfilledField>,
}

/// A field that the user has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfilledField {
    /// Its JSON pointer in the arguments.
    pub pointer: String,
    /// Why.
    pub reason: UnfilledReason,
}

/// Why a field has to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnfilledReason {
    /// No value was found.
    NoValue,
    /// The value that was found does not fit.
    Unfit,
    /// Whether the value fits cannot be said here.
    Unsure,
}

impl UnfilledField {
    /// The reason as a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = match self.reason {
            UnfilledReason::NoValue => word::UNFILLED_NO_VALUE,
            UnfilledReason::Unfit => word::UNFILLED_UNFIT,
            UnfilledReason::Unsure => word::UNFILLED_UNSURE,
        };
        say(language, word, &[("place", &self.pointer)])
    }
}

/// Fills in the form of a schema: with its first example, its default, its constant, its first choice, a sample of its
/// format, a text of its pattern, or else what its bounds and its type allow.
#[must_use]
pub fn example(schema: &Value, fill: Fill) -> FormExample {
    let (json, unfilled) = filled(&plan(schema), fill);
    FormExample { text: json.write(), unfilled }
}

/// The arguments that an example has, and what is to be looked at.
pub(crate) fn filled(plan: &FormPlan, fill: Fill) -> (Json, Vec<UnfilledField>) {
    let mut filler = Filler {
        planner: FieldPlanner::new(plan.source.clone()),
        fill,
        known: Vec::new(),
        unfilled: Vec::new(),
        pointer: String::new(),
        left: 2 * FIELDS,
        steps: Cell::new(ALL_STEPS),
    };
    let json = filler.json(&plan.root, &mut Vec::new());
    let json = json.filter(|json| matches!(json, Json::Object(_)));
    let json = json.unwrap_or_else(|| {
        if filler.unfilled.is_empty() {
            filler.tell(UnfilledReason::NoValue);
        }
        Json::Object(Vec::new())
    });
    (json, filler.unfilled)
}

/// Makes values.
struct Filler {
    planner: FieldPlanner,
    fill: Fill,
    /// Patterns with the texts that were made for them.
    known: Vec<(String, String)>,
    unfilled: Vec<UnfilledField>,
    pointer: String,
    left: usize,
    /// How much may still be looked at.
    steps: Cell<usize>,
}

type FillTrail = Vec<Arc<FormField>>;

impl Filler {
    fn tell(&mut self, reason: UnfilledReason) {
        if self.unfilled.len() < FIELDS {
            self.unfilled.push(UnfilledField { pointer: self.pointer.clone(), reason });
        }
    }

    fn fit(&self, sub: &SubSchema, json: &Json) -> Fit {
        if sub.raw.is_some() {
            return Fit::Unknown;
        }
        let given = self.steps.get().min(STEPS);
        let fits = SchemaFits::knowing(self.planner.source(), &self.known, given);
        let fit = fits.all(&sub.places, json);
        self.steps.set(self.steps.get() - (given - fits.left()));
        fit
    }

    /// A value for a schema.
    fn json(&mut self, sub: &SubSchema, trail: &mut FillTrail) -> Option<Json> {
        let told = self.unfilled.len();
        let base = grow(&mut self.planner, sub, &[], &Json::Object(Vec::new()), Picking::Types);
        let picker = base.field.pickers.first();
        let count = picker.map_or(1, |picker| picker.branches.len().clamp(1, BRANCHES));
        let mut first = None;
        for branch in 0..count {
            let Some(left) = self.left.checked_sub(1).filter(|_| trail.len() <= LEVELS) else { break };
            self.left = left;
            let picks: Vec<_> =
                picker.map(|picker| UnionPick { at: picker.at.clone(), branch }).into_iter().collect();
            let made = self.attempt(sub, &picks, trail);
            let fit = made.as_ref().map_or(Fit::No, |json| self.fit(sub, json));
            if fit != Fit::No {
                if fit == Fit::Unknown && self.unfilled.len() == told {
                    self.tell(UnfilledReason::Unsure);
                }
                return made;
            }
            if first.is_none() {
                first = Some((made, self.unfilled.split_off(told)));
            }
            self.unfilled.truncate(told);
        }
        let (made, unfilled) = first.unwrap_or_default();
        self.unfilled.extend(unfilled);
        if self.unfilled.len() == told {
            self.tell(if made.is_some() { UnfilledReason::Unfit } else { UnfilledReason::NoValue });
        }
        made
    }

    /// A value of one branch; it may not fit.
    fn attempt(&mut self, sub: &SubSchema, picks: &[UnionPick], trail: &mut FillTrail) -> Option<Json> {
        let grown = grow(&mut self.planner, sub, picks, &Json::Object(Vec::new()), Picking::First);
        let field = grown.field.clone();
        let given = field.samples.first().into_iter().chain(&field.default).cloned();
        if let Some(json) = given.into_iter().find(|json| self.fit(sub, json) != Fit::No) {
            return Some(json);
        }
        let candidates = match &field.widget {
            Widget::Group(_) => return self.object(sub, &grown.picks, trail),
            Widget::List(items) => return self.array(&grown, items, trail),
            Widget::Fixed(value) => vec![value.clone()],
            Widget::Choice(choices) => {
                choices.iter().take(CANDIDATES).map(|choice| choice.value.clone()).collect()
            }
            Widget::Text(kind) => {
                let (texts, known) = scalar::texts(&field, *kind);
                self.known.extend(known);
                texts
            }
            Widget::Number { .. } => scalar::numbers(&field),
            Widget::Boolean => vec![Json::Bool(true), Json::Bool(false)],
            Widget::Unpicked | Widget::Raw(_) => scalar::anything(),
            Widget::Never => Vec::new(),
        };
        let mut best = None;
        for json in candidates.into_iter().take(CANDIDATES) {
            match self.fit(sub, &json) {
                Fit::Yes => return Some(json),
                Fit::Unknown if best.as_ref().is_none_or(|(fit, _)| *fit == Fit::No) => {
                    best = Some((Fit::Unknown, json));
                }
                Fit::No if best.is_none() => best = Some((Fit::No, json)),
                Fit::Unknown | Fit::No => {}
            }
        }
        best.map(|(_, json)| json).or_else(|| field.is_nullable.then_some(Json::Null))
    }

    fn within(&mut self, key: &str, sub: &SubSchema, trail: &mut FillTrail) -> Option<Json> {
        let end = self.pointer.len();
        push_key(&mut self.pointer, key);
        let json = self.json(sub, trail);
        self.pointer.truncate(end);
        json
    }

    fn object(&mut self, sub: &SubSchema, picks: &[UnionPick], trail: &mut FillTrail) -> Option<Json> {
        let mut made = Json::Object(Vec::new());
        let mut tried: Vec<String> = Vec::new();
        let mut order: Vec<String> = Vec::new();
        for _ in 0..ROUNDS {
            let grown = grow(&mut self.planner, sub, picks, &made, Picking::First);
            let Widget::Group(group) = &grown.field.widget else { break };
            order = group.members.iter().map(|member| member.key.clone()).collect();
            let count = tried.len();
            trail.push(grown.field.clone());
            self.members(&grown, group, &mut made, &mut tried, trail);
            trail.pop();
            if tried.len() == count {
                break;
            }
        }
        let Json::Object(members) = &mut made else { return None };
        members.sort_by_key(|(key, _)| order.iter().position(|known| known == key).unwrap_or(usize::MAX));
        Some(made)
    }

    /// Fills in the members that are wanted and were not tried yet.
    fn members(
        &mut self,
        grown: &Grown,
        group: &FieldGroup,
        made: &mut Json,
        tried: &mut Vec<String>,
        trail: &mut FillTrail,
    ) {
        let Json::Object(members) = made else { return };
        let needed = needed(&grown.field);
        let least = count_fact(&grown.field, FactKind::LeastKeys);
        for pass in [true, false] {
            for planned in &group.members {
                let is_required = planned.is_required || needed.contains(&planned.key);
                let field = self.planner.open(&planned.sub);
                let is_free = !field.is_recursive(trail)
                    && !planned.is_maybe
                    && !matches!(field.widget, Widget::Never)
                    && !field.is_read_only;
                let is_wanted = self.fill == Fill::All || !pass && members.len() < least;
                if tried.contains(&planned.key) || !(is_required || is_free && is_wanted) || self.left == 0 {
                    continue;
                }
                tried.push(planned.key.clone());
                if let Some(json) = self.within(&planned.key, &planned.sub, trail) {
                    members.push((planned.key.clone(), json));
                }
            }
        }
        let mut number = 0;
        while members.len() < least.min(ROWS) && group.others != OtherKeys::Refused && number < 2 * ROWS {
            number += 1;
            let key = format!("key{number}");
            if tried.contains(&key) || members.iter().any(|(known, _)| *known == key) {
                continue;
            }
            tried.push(key.clone());
            let sub = self.planner.other_key(&grown.sub, &key);
            if let Some(json) = self.within(&key, &sub, trail) {
                members.push((key, json));
            }
        }
    }

    fn array(&mut self, grown: &Grown, items: &FieldItems, trail: &mut FillTrail) -> Option<Json> {
        let is_free = !grown.field.is_recursive(trail);
        let wanted = if self.fill == Fill::All && is_free { items.slots.len().max(1) } else { 0 };
        let most = grown.field.facts.iter().filter(|fact| fact.kind == FactKind::MostItems);
        let most = most.filter_map(|fact| fact.value.parse().ok()).min().unwrap_or(ROWS);
        let count = wanted.min(most).max(items.least);
        if count > ROWS {
            return None;
        }
        if let Some(checks) = &items.checks {
            return Some(Json::Array(checks.iter().take(count).map(|choice| choice.value.clone()).collect()));
        }
        let is_unique = grown.field.facts.iter().any(|fact| fact.kind == FactKind::Unique);
        trail.push(grown.field.clone());
        let mut made: Vec<Json> = Vec::new();
        for place in 0..count {
            let Some(sub) = items.slots.get(place).or(items.rest.as_ref()) else { break };
            let Some(mut json) = self.within(&place.to_string(), sub, trail) else { break };
            if is_unique && made.iter().any(|other| other.is_same(&json)) {
                json = scalar::varied(&json, place);
            }
            made.push(json);
        }
        trail.pop();
        Some(Json::Array(made))
    }
}

/// The keys that a union of sets of keys asks for: its first set.
fn needed(field: &FormField) -> Vec<String> {
    let sets = field.notes.iter().filter_map(|note| match note {
        FieldNote::OneOfKeys(sets) => sets.first(),
        FieldNote::NoArguments
        | FieldNote::NullableKeyword
        | FieldNote::ReadOnly
        | FieldNote::Deprecated
        | FieldNote::Never
        | FieldNote::Maybe
        | FieldNote::Undeclared
        | FieldNote::Gone => None,
    });
    sets.flatten().cloned().collect()
}

fn count_fact(field: &FormField, kind: FactKind) -> usize {
    let facts = field.facts.iter().filter(|fact| fact.kind == kind);
    facts.filter_map(|fact| fact.value.parse().ok()).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
