//! What a check can come to: each value in the schema meets each value of the arguments, each pattern each byte.

use serde_json::Value;

use crate::limit::{DEPTH_LIMIT, WORK_LIMIT};
use crate::pointer;
use crate::problem::Problem;

/// What a schema costs, with its references written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckCost {
    values: usize,
    patterns: usize,
}

impl CheckCost {
    /// # Errors
    /// The problem of a schema that could cost without end, or more than any check may.
    pub(crate) fn of(schema: &Value) -> Result<Self, Problem> {
        let mut walk = Walk { schema, cost: Self { values: 0, patterns: 0 }, inside: vec!["#".to_owned()] };
        walk.on(schema, &mut String::new(), DEPTH_LIMIT)?;
        Ok(walk.cost)
    }

    /// Whether it is not too much to check arguments of so many values and bytes.
    pub(crate) fn allows(self, values: usize, bytes: usize) -> bool {
        let work = self.values.saturating_mul(values).saturating_add(self.patterns.saturating_mul(bytes));
        work <= WORK_LIMIT
    }
}

struct Walk<'s> {
    schema: &'s Value,
    cost: CheckCost,
    /// References that lead to the part we are in.
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
                    place.push('/');
                    place.push_str(&name.replace('~', "~0").replace('/', "~1"));
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
            // Where these lead, or what `$ref` means below them, only the validator knows.
            ("$dynamicRef" | "$recursiveRef" | "$id", Value::String(_)) => {
                Err(Problem::Unchecked { place: place.clone() })
            }
            ("$schema", Value::String(_)) if place != "/$schema" => {
                Err(Problem::Unchecked { place: place.clone() })
            }
            ("pattern", Value::String(_)) => {
                self.cost.patterns += 1;
                self.on(value, place, depth)
            }
            ("patternProperties", Value::Object(patterns)) => {
                self.cost.patterns += patterns.len();
                self.on(value, place, depth)
            }
            _ => self.on(value, place, depth),
        }
    }
}

/// The values of arguments, themselves among them.
pub(crate) fn values(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(self::values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(self::values).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}
