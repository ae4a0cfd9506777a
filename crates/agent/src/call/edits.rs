//! Merges the user's edits into a call's arguments.

use serde_json::{Map, Value};
use sidecar_protocol::page::caps;

/// Merges the user's edits into the arguments (JSON text of an object), coercing them to the types of the
/// tool's schema: a typed `3` may be meant as a number.
///
/// # Errors
/// The unchanged arguments, and what is wrong with the edits, as text for a person.
pub(super) fn edited(before: &str, edits: &str, schema: Option<&str>) -> Result<String, (String, String)> {
    type ChangedMembers = Map<String, Value>;
    let Ok(edits) = serde_json::from_str::<ChangedMembers>(edits) else {
        return Err((before.to_owned(), "The arguments are no JSON object.".to_owned()));
    };
    let mut arguments = serde_json::from_str::<ChangedMembers>(before).unwrap_or_default();
    arguments.extend(edits);
    let text = Value::Object(arguments).to_string();
    let wanted = schema.and_then(|schema| serde_json::from_str(schema).ok()).unwrap_or_default();
    let text = sidecar_llm::arguments::repair(&text, &wanted).map_or(text, |sound| sound.arguments);
    match text.len() > caps::ARGUMENTS {
        true => Err((before.to_owned(), "The arguments are too large.".to_owned())),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Option<&str> =
        Some(r#"{"properties": {"seats": {"type": "integer"}, "to": {"type": "string"}}}"#);

    #[test]
    fn edits_replace_members_by_name_and_take_the_types_of_the_schema() {
        let edited = |edits| edited(r#"{"seats":1,"to":"SHA"}"#, edits, SCHEMA).unwrap();
        assert_eq!(edited(r#"{"seats":"3"}"#), r#"{"seats":3,"to":"SHA"}"#);
        assert_eq!(edited("{}"), r#"{"seats":1,"to":"SHA"}"#);
    }

    #[test]
    fn edits_that_are_no_object_or_too_large_leave_the_arguments_as_they_were() {
        for edits in ["3".to_owned(), format!(r#"{{"to":"{}"}}"#, "x".repeat(caps::ARGUMENTS))] {
            let (arguments, mistake) = edited(r#"{"seats":1}"#, &edits, SCHEMA).unwrap_err();
            assert_eq!(arguments, r#"{"seats":1}"#);
            assert!(mistake.starts_with("The arguments are"), "{mistake}");
        }
    }
}
