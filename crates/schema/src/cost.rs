//! The maximum cost of a check: each value in the schema may meet each value of the arguments, and each
//! pattern each byte.

use serde_json::Value;

use crate::limit::{DEPTH_LIMIT, SET_BRANCHES_LIMIT, SET_VALUES_LIMIT, WORK_LIMIT};
use crate::pointer;
use crate::problem::Problem;

/// The cost of a schema with its references inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckCost {
    values: usize,
    patterns: usize,
    branches: usize,
}

impl CheckCost {
    /// The cost of a schema.
    ///
    /// # Errors
    ///
    /// The problem of a schema whose checks could be endless, or cost more than any check may.
    pub(crate) fn of(schema: &Value) -> Result<Self, Problem> {
        let mut walk =
            Walk { schema, cost: Self { values: 0, patterns: 0, branches: 0 }, inside: vec!["#".to_owned()] };
        walk.on(schema, &mut String::new(), DEPTH_LIMIT)?;
        Ok(walk.cost)
    }

    /// Whether sets of values may be computed: each branch may meet each other one, again and again.
    pub(crate) fn allows_sets(self) -> bool {
        self.values <= SET_VALUES_LIMIT && self.branches <= SET_BRANCHES_LIMIT
    }

    /// Whether arguments of this many values and bytes may be checked.
    pub(crate) fn allows(self, values: usize, bytes: usize) -> bool {
        let work = self.values.saturating_mul(values).saturating_add(self.patterns.saturating_mul(bytes));
        work <= WORK_LIMIT
    }
}

struct Walk<'s> {
    schema: &'s Value,
    cost: CheckCost,
    /// References that lead to the current part.
    inside: Vec<String>,
}

impl Walk<'_> {
    fn on(&mut self, part: &Value, place: &mut String, depth: usize) -> Result<(), Problem> {
        let depth = depth.checked_sub(1).ok_or(Problem::TooMuch)?;
        self.cost.values += 1;
        if self.cost.values > WORK_LIMIT {
            return Err(Problem::TooMuch);
        }
        match part {
            Value::Object(members) => {
                for (name, value) in members {
                    let length = place.len();
                    pointer::push(place, name);
                    self.on_member(name, value, place, depth)?;
                    place.truncate(length);
                }
                Ok(())
            }
            Value::Array(values) => values.iter().enumerate().try_for_each(|(at, value)| {
                let length = place.len();
                place.push_str(&format!("/{at}"));
                self.on(value, place, depth)?;
                place.truncate(length);
                Ok(())
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn on_member(
        &mut self,
        name: &str,
        value: &Value,
        place: &mut String,
        depth: usize,
    ) -> Result<(), Problem> {
        match (name, value) {
            ("$ref", Value::String(to)) => {
                let of_reference =
                    || (place.strip_suffix("/$ref").unwrap_or_default().to_owned(), to.clone());
                let Some(target) = pointer::target(self.schema, to) else {
                    let (place, to) = of_reference();
                    return Err(Problem::LostReference { place, to });
                };
                if self.inside.contains(to) {
                    let (place, to) = of_reference();
                    return Err(Problem::Recursive { place, to });
                }
                self.inside.push(to.clone());
                self.on(target, &mut to.trim_start_matches('#').to_owned(), depth)?;
                self.inside.pop();
                Ok(())
            }
            // Only the validator knows where these lead, or what `$ref` means below them.
            ("$dynamicRef" | "$recursiveRef" | "$id", Value::String(_)) => {
                Err(Problem::Unchecked { place: place.clone() })
            }
            ("$schema", Value::String(_)) if place != "/$schema" => {
                Err(Problem::Unchecked { place: place.clone() })
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(ways)) => {
                self.cost.branches += ways.len();
                self.on(value, place, depth)
            }
            ("not" | "if" | "contains" | "propertyNames", _) => {
                self.cost.branches += 1;
                self.on(value, place, depth)
            }
            ("pattern", Value::String(_)) => {
                self.cost.patterns += 1;
                self.on(value, place, depth)
            }
            ("patternProperties", Value::Object(patterns)) => {
                self.cost.patterns += patterns.len();
                self.cost.branches += patterns.len();
                self.on(value, place, depth)
            }
            _ => self.on(value, place, depth),
        }
    }
}

/// Number of values in arguments, the outermost one included.
pub(crate) fn values(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(self::values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(self::values).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}
