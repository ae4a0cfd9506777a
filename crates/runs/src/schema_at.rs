//! What a tool's schema says of a place of its arguments.

use std::ptr;

use serde_json::Value;

/// Maximum number of schemas of one place that are looked at: a page can write as many as it likes.
const MOST_PARTS: usize = 64;

/// The schemas that may apply to a place. Schemas come from pages, so a circle of them ends.
#[derive(Debug, Clone)]
pub(crate) struct SchemaAt<'s> {
    root: Option<&'s Value>,
    parts: Vec<&'s Value>,
}

impl<'s> SchemaAt<'s> {
    /// Those of the arguments as a whole.
    pub(crate) fn root(schema: Option<&'s Value>) -> Self {
        Self::of(schema, schema)
    }

    /// These schemas, and all that they refer to or are combined of.
    fn of(root: Option<&'s Value>, schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut parts: Vec<&Value> = Vec::new();
        let mut waiting: Vec<&Value> = schemas.into_iter().collect();
        while let Some(schema) = waiting.pop() {
            if parts.len() == MOST_PARTS {
                break;
            }
            if parts.iter().any(|known| ptr::eq(*known, schema)) {
                continue;
            }
            parts.push(schema);
            let says = |name: &str| schema.get(name);
            let path = says("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            waiting.extend(path.and_then(|path| root?.pointer(path)));
            let lists = ["allOf", "anyOf", "oneOf"].map(says).into_iter().flatten();
            waiting.extend(lists.filter_map(Value::as_array).flatten());
            waiting.extend(["if", "then", "else"].map(says).into_iter().flatten());
        }
        Self { root, parts }
    }

    /// Those of the value at a key.
    pub(crate) fn key(&self, key: &str) -> Self {
        let own = |schema: &&'s Value| {
            let property = schema.get("properties").and_then(|properties| properties.get(key));
            property.or_else(|| schema.get("additionalProperties"))
        };
        Self::of(self.root, self.parts.iter().filter_map(own))
    }

    /// Those of an item of an array.
    pub(crate) fn item(&self, number: usize) -> Self {
        let own = |schema: &&'s Value| {
            let slot = schema.get("prefixItems").and_then(|slots| slots.get(number));
            slot.or_else(|| schema.get("items"))
        };
        Self::of(self.root, self.parts.iter().filter_map(own))
    }

    /// Whether the value is said to be secret: a password, or one that is only written.
    pub(crate) fn is_secret(&self) -> bool {
        self.parts.iter().any(|schema| {
            schema.get("format").and_then(Value::as_str) == Some("password")
                || schema.get("writeOnly").and_then(Value::as_bool) == Some(true)
        })
    }

    /// Whether a text is one of those that may stand there.
    pub(crate) fn lists(&self, text: &str) -> bool {
        let is_text = |value: &Value| value.as_str() == Some(text);
        self.parts.iter().any(|schema| {
            schema.get("const").is_some_and(is_text)
                || schema
                    .get("enum")
                    .and_then(Value::as_array)
                    .is_some_and(|values| values.iter().any(is_text))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_are_found_behind_references_and_combinations() {
        let schema = json!({
            "$defs": {"word": {"anyOf": [{"format": "password"}, {"type": "null"}]}},
            "allOf": [{"properties": {"class": {"oneOf": [{"const": "economy"}, {"enum": ["first", 1]}]}}}],
            "properties": {
                "login": {"additionalProperties": {"$ref": "#/$defs/word"}},
                "list": {"prefixItems": [{"writeOnly": true}], "items": {"enum": ["x"]}},
            },
        });
        let root = SchemaAt::root(Some(&schema));
        assert!(root.key("class").lists("economy") && root.key("class").lists("first"));
        assert!(!root.key("class").lists("business") && !root.key("other").lists("x"));
        assert!(root.key("login").key("any").is_secret() && !root.key("login").is_secret());
        let list = root.key("list");
        assert!(list.item(0).is_secret() && !list.item(1).is_secret() && list.item(1).lists("x"));
        assert!(!SchemaAt::root(None).key("x").item(0).is_secret());
    }

    #[test]
    fn circles_and_crowds_of_schemas_end() {
        let circle = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#/anyOf/0"}], "items": {"$ref": "#"}});
        assert!(!SchemaAt::root(Some(&circle)).item(3).item(0).is_secret());
        let crowd = json!({"anyOf": vec![json!({}); 10_000]});
        assert_eq!(SchemaAt::root(Some(&crowd)).parts.len(), MOST_PARTS);
    }
}
