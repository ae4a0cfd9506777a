//! Checks a file against a schema of our own, and tells each deviation in parts, for words in several languages.

use jsonschema::ValidationError;
use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// Maximum number of deviations that are told.
const TOLD: usize = 50;

/// A schema of our own.
#[derive(Debug)]
pub struct FileSchema {
    value: Value,
    validator: Validator,
}

/// A place in a file that is not as its schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// A JSON Pointer (RFC 6901) to the value.
    pub pointer: String,
    /// What is wrong with it.
    pub kind: DeviationKind,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviationKind {
    /// It has a key that is not known here. Known are these.
    Unknown {
        /// The key.
        key: String,
        /// The keys that are known.
        known: Vec<String>,
    },
    /// It lacks a key.
    Missing(String),
    /// It has another type. Expected is one of these (`string`, `array`).
    Type(Vec<String>),
    /// It is none of these values, in JSON.
    NotOneOf(Vec<String>),
    /// It is less than this, or has fewer characters, items or keys.
    TooLittle(String),
    /// It is more than this, or has more characters, items or keys.
    TooMuch(String),
    /// It does not match this regular expression.
    Pattern(String),
    /// A key in it has not the form of a name.
    Name(String),
    /// Something else, in the library's words.
    Other(String),
}

impl FileSchema {
    /// Compiles a schema (JSON text).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let validator = jsonschema::options()
            .should_validate_formats(false)
            .offline()
            .build(&value)
            .map_err(|error| error.to_string())?;
        Ok(Self { value, validator })
    }

    /// Where a file deviates, the first fifty places.
    #[must_use]
    pub fn deviations(&self, file: &Value) -> Vec<Deviation> {
        let mut deviations = Vec::new();
        for error in self.validator.iter_errors(file) {
            for kind in self.kinds(&error) {
                let deviation = Deviation { pointer: error.instance_path().to_string(), kind };
                if !deviations.contains(&deviation) {
                    deviations.push(deviation);
                }
                if deviations.len() == TOLD {
                    return deviations;
                }
            }
        }
        deviations
    }

    fn kinds(&self, error: &ValidationError<'_>) -> Vec<DeviationKind> {
        use ValidationErrorKind as Kind;
        vec![match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let known = self.known(error);
                let fault = |key: &String| DeviationKind::Unknown { key: key.clone(), known: known.clone() };
                return unexpected.iter().map(fault).collect();
            }
            Kind::Required { property } => {
                DeviationKind::Missing(property.as_str().map_or_else(|| property.to_string(), str::to_owned))
            }
            Kind::Type { kind: TypeKind::Single(kind) } => DeviationKind::Type(vec![kind.to_string()]),
            Kind::Type { kind: TypeKind::Multiple(kinds) } => {
                DeviationKind::Type(kinds.iter().map(|kind| kind.to_string()).collect())
            }
            Kind::Enum { options } => {
                let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
                DeviationKind::NotOneOf(options.iter().map(ToString::to_string).collect())
            }
            Kind::Constant { expected_value } => DeviationKind::NotOneOf(vec![expected_value.to_string()]),
            Kind::Minimum { limit } => DeviationKind::TooLittle(limit.to_string()),
            Kind::Maximum { limit } => DeviationKind::TooMuch(limit.to_string()),
            Kind::MinLength { limit } | Kind::MinItems { limit } | Kind::MinProperties { limit } => {
                DeviationKind::TooLittle(limit.to_string())
            }
            Kind::MaxLength { limit } | Kind::MaxItems { limit } | Kind::MaxProperties { limit } => {
                DeviationKind::TooMuch(limit.to_string())
            }
            Kind::Pattern { pattern } => DeviationKind::Pattern(pattern.clone()),
            Kind::PropertyNames { error } => {
                DeviationKind::Name(error.instance().as_str().unwrap_or_default().to_owned())
            }
            _ => DeviationKind::Other(error.masked_with("the value").to_string()),
        }]
    }

    /// The keys that the schema around `additionalProperties` knows.
    fn known(&self, error: &ValidationError<'_>) -> Vec<String> {
        let path = error.schema_path().to_string();
        let around = path.strip_suffix("/additionalProperties").unwrap_or(&path);
        let properties = self.value.pointer(around).and_then(|schema| schema["properties"].as_object());
        let mut known: Vec<_> =
            properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect();
        known.sort();
        known
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deviations(schema: Value, file: Value) -> Vec<(String, DeviationKind)> {
        let schema = FileSchema::new(&schema.to_string()).unwrap();
        schema.deviations(&file).into_iter().map(|deviation| (deviation.pointer, deviation.kind)).collect()
    }

    #[test]
    fn each_deviation_names_its_place_and_its_parts() {
        let schema = json!({
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 3, "pattern": "^a"}, "kind": {"enum": ["x", 1]},
                "list": {"type": "array", "items": {"$ref": "#/$defs/item"}, "maxItems": 2}, "format": {"const": 1}},
            "patternProperties": {"^x-": {}},
            "required": ["name"],
            "additionalProperties": false,
            "$defs": {"item": {"type": "object", "properties": {"n": {"minimum": 1}}, "additionalProperties": false}},
        });
        let text = |text: &str| text.to_owned();
        assert_eq!(deviations(schema.clone(), json!({"name": "abc", "x-note": {}})), []);
        let mut found = deviations(schema.clone(), json!({"nam": 1, "format": 2}));
        found.extend(deviations(
            schema,
            json!({"name": "bcde", "kind": "y", "list": [{"m": 1}, {"n": 0}, {}]}),
        ));
        assert_eq!(found.len(), 9, "{found:#?}");
        for expected in [
            (text("/format"), DeviationKind::NotOneOf(vec![text("1")])),
            (text(""), DeviationKind::Missing(text("name"))),
            (
                text(""),
                DeviationKind::Unknown {
                    key: text("nam"),
                    known: ["format", "kind", "list", "name"].map(text).to_vec(),
                },
            ),
            (text("/name"), DeviationKind::TooMuch(text("3"))),
            (text("/name"), DeviationKind::Pattern(text("^a"))),
            (text("/kind"), DeviationKind::NotOneOf(vec![text("\"x\""), text("1")])),
            (text("/list"), DeviationKind::TooMuch(text("2"))),
            (text("/list/0"), DeviationKind::Unknown { key: text("m"), known: vec![text("n")] }),
            (text("/list/1/n"), DeviationKind::TooLittle(text("1"))),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:#?}");
        }
    }

    #[test]
    fn a_branch_tells_what_is_wrong_in_it() {
        let schema = json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "array"}});
        assert_eq!(
            deviations(schema.clone(), json!("")),
            [(String::new(), DeviationKind::TooLittle("1".to_owned()))]
        );
        assert_eq!(
            deviations(schema, json!(3)),
            [(String::new(), DeviationKind::Type(vec!["array".to_owned()]))]
        );
    }
}
