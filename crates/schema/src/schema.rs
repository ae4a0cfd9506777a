//! A schema for checking arguments.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Regex, ValidationError, Validator};
use serde_json::Value;
use sidecar_protocol::tool_run::PlacedMistake;

use crate::cost::{self, CheckCost};
use crate::explain::{self, Mistake};
use crate::keyword;
use crate::limit::{PATTERN_LIMIT, SCHEMA_LIMIT};
use crate::problem::Problem;

/// Maximum characters of a foreign message in a problem.
const SAID_LIMIT: usize = 300;

/// A schema, compiled.
#[derive(Debug)]
pub(crate) struct Schema {
    value: Value,
    validator: Validator,
    cost: CheckCost,
    /// What is not checked, if anything.
    problem: Option<Problem>,
}

impl Schema {
    /// Reads a page's schema (JSON text).
    ///
    /// # Errors
    /// The problem because of which nothing can be checked.
    pub(crate) fn read(text: &str) -> Result<Self, Problem> {
        if text.len() > SCHEMA_LIMIT {
            return Err(Problem::TooLarge);
        }
        let mut value = serde_json::from_str(text).map_err(|error| Problem::NotJson(error.to_string()))?;
        let problem = close(&mut value)?;
        let cost = CheckCost::of(&value)?;
        let validator = compiled(&value, None)?;
        Ok(Self { value, validator, cost, problem })
    }

    /// What is wrong with arguments (JSON text), in words for a model. `None` if they fit, if they are not
    /// JSON, or if the check would cost too much.
    pub(crate) fn mistake(&self, arguments: &str) -> Option<Mistake> {
        let instance = serde_json::from_str(arguments).ok()?;
        if !self.cost.allows(cost::values(&instance), arguments.len()) {
            return None;
        }
        explain::mistakes(self.validator.iter_errors(&instance), &self.value)
    }

    /// What is wrong with arguments (JSON text), each mistake at its place. Empty if they fit, if they are not JSON, or if
    /// the check would cost too much.
    pub(crate) fn mistakes(&self, arguments: &str) -> Vec<PlacedMistake> {
        match serde_json::from_str(arguments) {
            Ok(instance) if self.cost.allows(cost::values(&instance), arguments.len()) => {
                explain::placed(self.validator.iter_errors(&instance), &self.value)
            }
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

/// What is wrong with a schema (JSON text); `None` if arguments are checked against all of it. Takes
/// some milliseconds at most, whatever the schema is.
#[must_use]
pub fn problem(schema: &str) -> Option<Problem> {
    match Schema::read(schema) {
        Ok(schema) => schema.problem,
        Err(problem) => Some(problem),
    }
}

/// A validator for a schema, of this draft or the one that it names.
///
/// # Errors
/// The keyword because of which there is none.
pub(crate) fn compiled(schema: &Value, draft: Option<Draft>) -> Result<Validator, Problem> {
    let mut options =
        jsonschema::options().with_pattern_options(pattern_options()).should_validate_formats(false);
    if let Some(draft) = draft {
        options = options.with_draft(draft);
    }
    options.offline().build(schema).map_err(|error| keyword_problem(&error))
}

/// The library's error about a schema, as a problem.
pub(crate) fn keyword_problem(error: &ValidationError<'_>) -> Problem {
    let said = match error.kind() {
        // The library would also report how a list of types is written.
        ValidationErrorKind::AnyOf { .. } if error.instance_path().as_str().ends_with("/type") => {
            format!("{} is not a type", error.instance())
        }
        _ => error.to_string(),
    };
    Problem::Keyword { place: error.instance_path().to_string(), said: shortened(&said) }
}

/// Patterns take time in proportion to a text, and have a limited size.
pub(crate) fn pattern_options() -> PatternOptions<Regex> {
    PatternOptions::regex().size_limit(PATTERN_LIMIT).dfa_size_limit(PATTERN_LIMIT)
}

/// Drops references to other documents. Returns the first of them as a problem.
///
/// # Errors
/// The problem because of which nothing can be checked.
pub(crate) fn close(schema: &mut Value) -> Result<Option<Problem>, Problem> {
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
    // Without it, references to the schema's own address count as references to other documents.
    members.remove("$id");
    let mut problem = None;
    drop_references_to_elsewhere(schema, &mut problem);
    Ok(problem)
}

/// Values of `$schema` for the drafts that are supported. Draft 4 has other keywords for identifying parts.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(schema: &str) -> String {
        problem(schema).map(|problem| problem.to_string()).unwrap_or_default()
    }

    /// A schema with `steps` parts, each of which refers to the next one twice.
    fn ladder(steps: usize) -> Value {
        let step = |n: usize| {
            let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
            (n.to_string(), json!({"allOf": [next.clone(), next]}))
        };
        let mut steps_down: serde_json::Map<_, _> = (0..steps).map(step).collect();
        steps_down.insert(steps.to_string(), json!({"required": ["a"]}));
        json!({"$ref": "#/$defs/0", "$defs": steps_down})
    }

    #[test]
    fn sound_schemas_have_no_problem() {
        for schema in [
            json!({}),
            json!({"type": ["object", "null"], "unknown": 1}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{}]}}}),
            json!({"$id": "https://own.example", "properties": {"a": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": {}}}),
            ladder(3),
        ] {
            assert_eq!(words(&schema.to_string()), "", "{schema}");
        }
    }

    #[test]
    fn problem_says_what_and_where() {
        assert_eq!(words("{"), "it cannot be read as JSON: EOF while parsing an object at line 1 column 1");
        assert!(
            words(&"[".repeat(10_000)).starts_with("it cannot be read as JSON: recursion limit exceeded")
        );
        let large = json!({"description": "x".repeat(SCHEMA_LIMIT)});
        assert_eq!(words(&large.to_string()), "it is longer than 64 KiB, so arguments are not checked");
        let defs = |part: Value| json!({"properties": {"b": part}, "$defs": {"a": {}}});
        let too_much = "with its references written out it has more than 200000 parts or is nested too deeply, so \
                        arguments are not checked";
        for (schema, expected) in [
            (json!("text"), "it is not a JSON object"),
            (json!([]), "it is not a JSON object"),
            (json!({"type": "string"}), "its type must be \"object\", as arguments always are one"),
            (json!({"type": ["string", "null"]}), "its type must be \"object\", as arguments always are one"),
            (
                json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
                "arguments are not checked against http://json-schema.org/draft-04/schema#; drafts 06 to 2020-12 are",
            ),
            (
                json!({"$schema": "https://other.example/draft"}),
                "arguments are not checked against https://other.example/draft; drafts 06 to 2020-12 are",
            ),
            (
                json!({"properties": {"a": {"required": "b"}}}),
                "/properties/a/required: \"b\" is not of type \"array\"",
            ),
            (defs(json!({"type": "dict"})), "/properties/b/type: \"dict\" is not a type"),
            (json!({"type": "nothing"}), "/type: \"nothing\" is not a type"),
            (defs(json!({"$ref": "#/$defs/c"})), "/properties/b: there is no #/$defs/c"),
            (defs(json!({"$ref": "#c"})), "/properties/b: there is no #c"),
            (json!({"$ref": "#"}), "the schema: # contains itself, so arguments are not checked"),
            (
                json!({"properties": {"b": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}),
                "/$defs/a: #/$defs/a contains itself, so arguments are not checked",
            ),
            (
                defs(json!({"$id": "b", "$ref": "#/required"})),
                "/properties/b/$id: arguments are not checked where a schema uses this keyword",
            ),
            (
                json!({"properties": {"b": {"$dynamicRef": "#b"}}}),
                "/properties/b/$dynamicRef: arguments are not checked where a schema uses this keyword",
            ),
            (
                json!({"properties": {"b": {"$ref": "https://other.example/s.json"}}}),
                "the reference to https://other.example/s.json says nothing, as no other document is fetched",
            ),
            (ladder(40), too_much),
        ] {
            assert_eq!(words(&schema.to_string()), expected, "{schema}");
        }
        for broken in [
            json!({"properties": {"a": {"pattern": "["}}}),
            json!({"properties": {"a": {"pattern": "(?=a)b"}}}),
            json!({"properties": {"a": {"pattern": "((x{99}){99}){99}"}}}),
        ] {
            let problem = problem(&broken.to_string());
            assert!(matches!(problem, Some(Problem::Keyword { .. })), "{broken}: {problem:?}");
        }
    }
}
