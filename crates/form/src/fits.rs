//! Whether a value fits a schema, as far as that can be said without an engine for expressions. It picks branches and
//! conditions; the judge of arguments is the worker.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::json::Json;
use crate::json_type;
use crate::key_pattern;
use crate::source::{SchemaPlace, SchemaSource, child};

/// How deep schemas are followed.
const DEPTH: usize = 48;

/// How many parts of schemas are looked at for all answers of one [`SchemaFits`]; what comes then is unknown.
pub(crate) const STEPS: usize = 50_000;

/// Whether a value fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    Yes,
    No,
    Unknown,
}

impl Fit {
    fn of(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    /// Whether all hold.
    fn all(fits: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::Yes;
        for fit in fits {
            match fit {
                Self::Yes => {}
                Self::No => return Self::No,
                Self::Unknown => all = Self::Unknown,
            }
        }
        all
    }

    /// Whether so many hold.
    fn count(fits: impl IntoIterator<Item = Self>, least: usize, most: usize) -> Self {
        let (mut sure, mut open) = (0, 0);
        for fit in fits {
            match fit {
                Self::Yes => sure += 1,
                Self::No => {}
                Self::Unknown => open += 1,
            }
        }
        if sure > most || sure + open < least {
            Self::No
        } else if sure >= least && sure + open <= most {
            Self::Yes
        } else {
            Self::Unknown
        }
    }
}

/// Compares values with a schema.
#[derive(Debug)]
pub(crate) struct SchemaFits<'s> {
    source: &'s SchemaSource,
    /// Patterns with texts of which it is known that they match.
    known: &'s [(String, String)],
    steps: Cell<usize>,
}

impl<'s> SchemaFits<'s> {
    pub(crate) fn new(source: &'s SchemaSource) -> Self {
        Self::knowing(source, &[], STEPS)
    }

    /// With patterns and texts that are known to match, and so many steps.
    pub(crate) fn knowing(source: &'s SchemaSource, known: &'s [(String, String)], steps: usize) -> Self {
        Self { source, known, steps: Cell::new(steps) }
    }

    /// How many steps are left.
    pub(crate) fn left(&self) -> usize {
        self.steps.get()
    }

    /// Whether a value fits what is at a place.
    pub(crate) fn at(&self, place: &SchemaPlace, json: &Json) -> Fit {
        self.part(place, json, DEPTH)
    }

    /// Whether a value fits all of these places.
    pub(crate) fn all(&self, places: &[SchemaPlace], json: &Json) -> Fit {
        Fit::all(places.iter().map(|place| self.at(place, json)))
    }

    /// Takes so many steps, if they are left.
    fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or_default());
        left.is_some()
    }

    fn part(&self, place: &str, json: &Json, depth: usize) -> Fit {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.spend(1)) else { return Fit::Unknown };
        match self.source.get(place) {
            Some(Value::Object(map)) => Fit::all(map.iter().map(|(key, value)| {
                let here = PartCheck { fits: self, place, map, json, depth };
                here.keyword(key, value)
            })),
            Some(Value::Bool(is)) => Fit::of(*is),
            Some(Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => Fit::Unknown,
        }
    }

    /// How many properties of a branch are constants that a value has.
    pub(crate) fn constants(&self, place: &SchemaPlace, json: &Json) -> usize {
        let properties = |place: &str| self.source.map(place)?.get("properties")?.as_object();
        let target = self.source.map(place).and_then(|map| map.get("$ref")?.as_str());
        let target = target.and_then(|reference| self.source.resolve(place, reference).ok());
        let all = [Some(place.clone()), target].into_iter().flatten();
        all.filter_map(|place| properties(&place))
            .flatten()
            .filter(|(key, schema)| {
                let Some(value) = json.get(key) else { return false };
                let is = |wanted: &Value| value.is_value(wanted);
                let list = schema.get("enum").and_then(Value::as_array);
                schema.get("const").is_some_and(is) || list.is_some_and(|list| list.iter().any(is))
            })
            .count()
    }
}

/// One value and one part of a schema.
struct PartCheck<'c> {
    fits: &'c SchemaFits<'c>,
    place: &'c str,
    map: &'c Map<String, Value>,
    json: &'c Json,
    depth: usize,
}

impl PartCheck<'_> {
    /// Whether the value fits the part at a key.
    fn below(&self, path: &[&str], json: &Json) -> Fit {
        let place = path.iter().fold(SchemaPlace::from(self.place), |place, key| child(&place, key));
        self.fits.part(&place, json, self.depth)
    }

    fn keyword(&self, key: &str, value: &Value) -> Fit {
        let json = self.json;
        match key {
            "type" => json_type::declared(self.map)
                .map_or(Fit::Unknown, |types| Fit::of(types.iter().any(|known| known.has(json)))),
            "const" | "enum" if !self.fits.spend(weight(value)) => Fit::Unknown,
            "const" => Fit::of(json.is_value(value)),
            "enum" => value
                .as_array()
                .map_or(Fit::Unknown, |values| Fit::of(values.iter().any(|known| json.is_value(known)))),
            "$ref" => match value.as_str().map(|reference| self.fits.source.resolve(self.place, reference)) {
                Some(Ok(target)) => self.fits.part(&target, json, self.depth),
                Some(Err(_)) | None => Fit::Unknown,
            },
            "allOf" => Fit::all(self.branches(key, value)),
            "anyOf" => Fit::count(self.branches(key, value), 1, usize::MAX),
            "oneOf" => Fit::count(self.branches(key, value), 1, 1),
            "not" => self.below(&[key], json).not(),
            "if" => {
                let then = || self.map.get("then").map_or(Fit::Yes, |_| self.below(&["then"], json));
                let other = || self.map.get("else").map_or(Fit::Yes, |_| self.below(&["else"], json));
                match self.below(&[key], json) {
                    Fit::Yes => then(),
                    Fit::No => other(),
                    Fit::Unknown if then() == Fit::Yes && other() == Fit::Yes => Fit::Yes,
                    Fit::Unknown => Fit::Unknown,
                }
            }
            "unevaluatedProperties" | "unevaluatedItems" if value == &Value::Bool(true) => Fit::Yes,
            "unevaluatedProperties" if matches!(json, Json::Object(_)) => Fit::Unknown,
            "unevaluatedItems" if matches!(json, Json::Array(_)) => Fit::Unknown,
            "$dynamicRef" | "$recursiveRef" => Fit::Unknown,
            _ => match json {
                Json::Number(text) => number(key, value, text),
                Json::Text(text) => self.text(key, value, text),
                Json::Array(items) => self.items(key, value, items),
                Json::Object(members) => self.members(key, value, members),
                Json::Null | Json::Bool(_) => Fit::Yes,
            },
        }
    }

    fn branches(&self, key: &str, value: &Value) -> Vec<Fit> {
        let count = value.as_array().map_or(0, Vec::len);
        (0..count).map(|number| self.below(&[key, &number.to_string()], self.json)).collect()
    }

    fn text(&self, key: &str, value: &Value, text: &str) -> Fit {
        let Some(limit) = limit(value) else {
            return match (key, value.as_str()) {
                ("pattern", Some(pattern)) => self.pattern(pattern, text),
                _ => Fit::Yes,
            };
        };
        match key {
            "minLength" => Fit::of(text.chars().count() >= limit),
            "maxLength" => Fit::of(text.chars().count() <= limit),
            _ => Fit::Yes,
        }
    }

    fn pattern(&self, pattern: &str, text: &str) -> Fit {
        let is_known = self.fits.known.iter().any(|(known, match_)| known == pattern && match_ == text);
        match key_pattern::is_match(pattern, text) {
            _ if is_known => Fit::Yes,
            Some(is) => Fit::of(is),
            None => Fit::Unknown,
        }
    }

    fn items(&self, key: &str, value: &Value, items: &[Json]) -> Fit {
        let each =
            |path: &[&str], from: usize| Fit::all(items.iter().skip(from).map(|item| self.below(path, item)));
        let slots = |key: &str| self.map.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        match key {
            "minItems" => limit(value).map_or(Fit::Unknown, |limit| Fit::of(items.len() >= limit)),
            "maxItems" => limit(value).map_or(Fit::Unknown, |limit| Fit::of(items.len() <= limit)),
            "uniqueItems" if value == &Value::Bool(true) => self.unique(items),
            "prefixItems" | "items" if value.is_array() => {
                let slots = items.iter().take(slots(key)).enumerate();
                Fit::all(slots.map(|(place, item)| self.below(&[key, &place.to_string()], item)))
            }
            "items" => each(&[key], slots("prefixItems")),
            "additionalItems" if slots("items") > 0 => each(&[key], slots("items")),
            "contains" => {
                let limit = |key: &str, none| self.map.get(key).and_then(limit).unwrap_or(none);
                let (least, most) = (limit("minContains", 1), limit("maxContains", usize::MAX));
                Fit::count(items.iter().map(|item| self.below(&[key], item)), least, most)
            }
            _ => Fit::Yes,
        }
    }

    fn unique(&self, items: &[Json]) -> Fit {
        if items.len() > 200 {
            return Fit::Unknown;
        }
        let double = |(place, item): (usize, &Json)| items[..place].iter().any(|other| other.is_same(item));
        Fit::of(!items.iter().enumerate().any(double))
    }

    fn members(&self, key: &str, value: &Value, members: &[(String, Json)]) -> Fit {
        let has = |wanted: &str| members.iter().any(|(known, _)| known == wanted);
        let has_all = |keys: &[Value]| Fit::of(keys.iter().filter_map(Value::as_str).all(has));
        match (key, value) {
            ("required", Value::Array(keys)) => has_all(keys),
            ("minProperties", value) => {
                limit(value).map_or(Fit::Unknown, |limit| Fit::of(members.len() >= limit))
            }
            ("maxProperties", value) => {
                limit(value).map_or(Fit::Unknown, |limit| Fit::of(members.len() <= limit))
            }
            ("properties", Value::Object(declared)) => Fit::all(
                members
                    .iter()
                    .filter(|(name, _)| declared.contains_key(name))
                    .map(|(name, member)| self.below(&[key, name], member)),
            ),
            ("patternProperties", Value::Object(patterns)) => Fit::all(
                patterns.keys().flat_map(|pattern| members.iter().map(move |member| (pattern, member))).map(
                    |(pattern, (name, member))| match self.pattern(pattern, name) {
                        Fit::Yes => self.below(&[key, pattern], member),
                        Fit::No => Fit::Yes,
                        Fit::Unknown if self.below(&[key, pattern], member) == Fit::Yes => Fit::Yes,
                        Fit::Unknown => Fit::Unknown,
                    },
                ),
            ),
            ("additionalProperties", _) => {
                Fit::all(members.iter().map(|(name, member)| match self.is_declared(name) {
                    Fit::Yes => Fit::Yes,
                    Fit::No => self.below(&[key], member),
                    Fit::Unknown if self.below(&[key], member) == Fit::Yes => Fit::Yes,
                    Fit::Unknown => Fit::Unknown,
                }))
            }
            ("propertyNames", _) => {
                Fit::all(members.iter().map(|(name, _)| self.below(&[key], &Json::Text(name.clone()))))
            }
            ("dependentRequired" | "dependentSchemas" | "dependencies", Value::Object(by)) => {
                Fit::all(by.iter().filter(|(name, _)| has(name)).map(|(name, needed)| match needed {
                    Value::Array(keys) => has_all(keys),
                    Value::Object(_) | Value::Bool(_) => self.below(&[key, name], self.json),
                    Value::Null | Value::Number(_) | Value::String(_) => Fit::Unknown,
                }))
            }
            _ => Fit::Yes,
        }
    }

    /// Whether `properties` or `patternProperties` have a key.
    fn is_declared(&self, name: &str) -> Fit {
        if self.map.get("properties").is_some_and(|declared| declared.get(name).is_some()) {
            return Fit::Yes;
        }
        let patterns = self.map.get("patternProperties").and_then(Value::as_object);
        Fit::count(
            patterns.into_iter().flat_map(Map::keys).map(|pattern| self.pattern(pattern, name)),
            1,
            usize::MAX,
        )
    }
}

/// How many values a value has.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(weight).sum::<usize>(),
    }
}

/// A limit of a length or a count.
fn limit(value: &Value) -> Option<usize> {
    let number = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as u64)
    });
    usize::try_from(number?).ok()
}

fn number(key: &str, value: &Value, text: &str) -> Fit {
    let (Some(limit), Ok(number)) = (value.as_f64(), text.parse::<f64>()) else { return Fit::Yes };
    match key {
        "minimum" => Fit::of(number >= limit),
        "maximum" => Fit::of(number <= limit),
        "exclusiveMinimum" => Fit::of(number > limit),
        "exclusiveMaximum" => Fit::of(number < limit),
        "multipleOf" if number == limit || number == 0.0 => Fit::Yes,
        "multipleOf" if limit.fract() == 0.0 && number.fract() == 0.0 => Fit::of(number % limit == 0.0),
        "multipleOf" => Fit::Unknown,
        _ => Fit::Yes,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fit(schema: Value, value: Value) -> Fit {
        let source = SchemaSource::new(&schema).unwrap();
        SchemaFits::new(&source).at(&"".into(), &Json::of(&value))
    }

    #[test]
    fn each_keyword_holds_or_does_not() {
        for (schema, good, bad) in [
            (json!({"type": ["string", "integer"]}), json!(2.0), json!(2.5)),
            (json!({"const": {"a": 1, "b": 2}}), json!({"b": 2.0, "a": 1}), json!({"a": 1})),
            (json!({"enum": [1, null]}), json!(null), json!("1")),
            (json!({"$defs": {"a": {"minLength": 2}}, "$ref": "#/$defs/a"}), json!("éé"), json!("é")),
            (json!({"allOf": [{"minimum": 1}, {"exclusiveMaximum": 2}]}), json!(1), json!(2)),
            (json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}), json!(1), json!(2)),
            (json!({"anyOf": [{"minimum": 1}, {"type": "string"}]}), json!("a"), json!(0)),
            (json!({"not": {"required": ["a"]}}), json!({}), json!({"a": 1})),
            (
                json!({"if": {"type": "string"}, "then": {"maxLength": 1}, "else": false}),
                json!("a"),
                json!(1),
            ),
            (json!({"multipleOf": 3}), json!(9), json!(10)),
            (json!({"pattern": "^a"}), json!("ab"), json!("ba")),
            (json!({"maxItems": 1, "minItems": 1}), json!([1]), json!([])),
            (json!({"uniqueItems": true}), json!([1, "1"]), json!([1, 1.0])),
            (json!({"prefixItems": [true], "items": {"type": "null"}}), json!([1, null]), json!([null, 1])),
            (json!({"items": [true], "additionalItems": false}), json!([1]), json!([1, 2])),
            (json!({"contains": {"const": 1}, "maxContains": 1}), json!([1, 2]), json!([1, 1])),
            (json!({"required": ["a"], "maxProperties": 1}), json!({"a": 1}), json!({"b": 1})),
            (json!({"properties": {"a": false}}), json!({"b": 1}), json!({"a": 1})),
            (
                json!({"patternProperties": {"^x": {"type": "null"}}}),
                json!({"x": null, "y": 1}),
                json!({"x": 1}),
            ),
            (
                json!({"properties": {"a": true}, "patternProperties": {"^x": true}, "additionalProperties": false}),
                json!({"a": 1, "xy": 1}),
                json!({"b": 1}),
            ),
            (json!({"propertyNames": {"maxLength": 1}}), json!({"a": 1}), json!({"ab": 1})),
            (json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1, "b": 1}), json!({"a": 1})),
            (json!({"dependencies": {"a": {"minProperties": 2}}}), json!({"b": 1}), json!({"a": 1})),
        ] {
            assert_eq!(
                (fit(schema.clone(), good), fit(schema.clone(), bad)),
                (Fit::Yes, Fit::No),
                "{schema}"
            );
        }
    }

    #[test]
    fn what_cannot_be_said_is_unknown_and_recursion_ends() {
        assert_eq!(fit(json!({"pattern": "^[a-z]$"}), json!("a")), Fit::Unknown);
        assert_eq!(fit(json!({"not": {"pattern": "[a]"}}), json!("a")), Fit::Unknown);
        assert_eq!(fit(json!({"$ref": "https://x.example"}), json!(1)), Fit::Unknown);
        assert_eq!(fit(json!({"$ref": "#"}), json!(1)), Fit::Unknown);
        let wide: Vec<_> = (0..8).map(|_| json!({"$ref": "#"})).collect();
        assert_eq!(fit(json!({"anyOf": wide}), json!(1)), Fit::Unknown);
        assert_eq!(fit(json!({"pattern": "[", "type": "string"}), json!(1)), Fit::No);
    }
}
