//! A schema that arguments can be checked against.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::cost::{self, Cost};
use crate::explain::{self, Mistake};
use crate::keyword;
use crate::problem::Problem;

/// Longest schema that arguments are checked against, in bytes.
pub const SCHEMA_LIMIT: usize = 64 * 1024;

/// Largest compiled pattern, in bytes: what a pattern costs for each byte of a text grows with it.
const PATTERN_LIMIT: usize = 16 * 1024;

/// Longest words of others in a problem, in characters.
const SAID_LIMIT: usize = 300;

/// A schema, compiled.
#[derive(Debug)]
pub(crate) struct Schema {
    value: Value,
    validator: Validator,
    cost: Cost,
    /// What is not checked, if anything is not.
    pub(crate) problem: Option<Problem>,
}

impl Schema {
    /// Reads a page's schema (JSON text).
    ///
    /// # Errors
    /// The problem for which nothing can be checked against it.
    pub(crate) fn read(text: &str) -> Result<Self, Problem> {
        if text.len() > SCHEMA_LIMIT {
            return Err(Problem::TooLarge);
        }
        let mut value = serde_json::from_str(text).map_err(|error| Problem::NotJson(error.to_string()))?;
        let problem = close(&mut value)?;
        let cost = Cost::of(&value)?;
        let validator = jsonschema::options()
            .with_pattern_options(
                PatternOptions::regex().size_limit(PATTERN_LIMIT).dfa_size_limit(PATTERN_LIMIT),
            )
            .should_validate_formats(false)
            .offline()
            .build(&value)
            .map_err(|error| Problem::Keyword {
                place: error.instance_path().to_string(),
                said: match error.kind() {
                    // The library would tell how a list of types is written, too.
                    ValidationErrorKind::AnyOf { .. }
                        if error.instance_path().as_str().ends_with("/type") =>
                    {
                        shortened(&format!("{} is not a type", error.instance()))
                    }
                    _ => shortened(&error.to_string()),
                },
            })?;
        Ok(Self { value, validator, cost, problem })
    }

    /// What is wrong with arguments (JSON text), in words for a model. `None` when they fit, when they are no JSON, and
    /// when the check would cost too much.
    pub(crate) fn mistake(&self, arguments: &str) -> Option<Mistake> {
        let instance = serde_json::from_str(arguments).ok()?;
        if !self.cost.allows(cost::values(&instance), arguments.len()) {
            return None;
        }
        explain::mistakes(self.validator.iter_errors(&instance), &self.value)
    }
}

/// Leaves references to nothing but the schema's own parts: those to elsewhere are dropped, as if they were not there.
/// Returns the first of them as a problem.
fn close(schema: &mut Value) -> Result<Option<Problem>, Problem> {
    let members = schema.as_object_mut().ok_or(Problem::NotAnObject)?;
    let is_for_objects = match members.get("type") {
        Some(Value::String(kind)) => kind == "object" || !keyword::TYPES.contains(&kind.as_str()),
        Some(Value::Array(kinds)) => kinds.is_empty() || kinds.iter().any(|kind| kind == "object"),
        _ => true,
    };
    if !is_for_objects {
        return Err(Problem::NotForObjects);
    }
    if let Some(draft) = members.get("$schema").and_then(Value::as_str)
        && !DRAFTS.iter().any(|known| draft.contains(known))
    {
        return Err(Problem::Draft(shortened(draft)));
    }
    // What refers to the schema by its own address refers to elsewhere then.
    members.remove("$id");
    let mut problem = None;
    drop_references_to_elsewhere(schema, &mut problem);
    Ok(problem)
}

/// What stands in the `$schema` of the drafts that are checked. Draft 4 has other words for where its parts are.
const DRAFTS: [&str; 4] =
    ["/draft-06/schema", "/draft-07/schema", "/draft/2019-09/schema", "/draft/2020-12/schema"];

fn drop_references_to_elsewhere(part: &mut Value, problem: &mut Option<Problem>) {
    if let Value::Object(members) = part
        && let Some(Value::String(to)) = members.get("$ref")
        && !to.starts_with('#')
    {
        problem.get_or_insert_with(|| Problem::ReferenceToElsewhere { to: shortened(to) });
        members.remove("$ref");
    }
    for part in keyword::parts_mut(part) {
        drop_references_to_elsewhere(part, problem);
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SAID_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
