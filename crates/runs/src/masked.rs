//! Values without what looks secret, by the same signs as in the log of calls: the tool's schema says so, the name of a
//! value does, or a word looks like a key.

use sidecar_form::Json;
use sidecar_protocol::secret::{MASK, is_secret_name, masked_words};

use crate::schema_at::SchemaAt;

/// A text, read if it is JSON, with secrets masked. What seems to be JSON and cannot be read is masked whole if it
/// mentions secrets.
pub(crate) fn masked_text(text: &str, schema: &SchemaAt<'_>) -> Json {
    match Json::read(text) {
        Ok(value) => masked(&value, schema),
        Err(_) if text.trim_start().starts_with(['{', '[']) && is_secret_name(text) => {
            Json::Text(MASK.to_owned())
        }
        Err(_) => Json::Text(masked_words(text).0),
    }
}

/// A value with secrets masked.
fn masked(value: &Json, schema: &SchemaAt<'_>) -> Json {
    if schema.is_secret() {
        return hidden(value);
    }
    match value {
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| {
                let value = if is_secret_name(key) { hidden(value) } else { masked(value, &schema.key(key)) };
                (key.clone(), value)
            };
            Json::Object(members.iter().map(member).collect())
        }
        Json::Array(items) => {
            let item = |(number, item)| masked(item, &schema.item(number));
            Json::Array(items.iter().enumerate().map(item).collect())
        }
        Json::Text(text) => Json::Text(masked_words(text).0),
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
    }
}

/// A value with all its texts and numbers masked.
pub(crate) fn hidden(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), hidden(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(hidden).collect()),
        Json::Text(text) if !text.is_empty() => Json::Text(MASK.to_owned()),
        Json::Number(_) => Json::Text(MASK.to_owned()),
        Json::Null | Json::Bool(_) | Json::Text(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(text: &str) -> String {
        let schema = json!({"properties": {"code": {"format": "password"}}});
        masked_text(text, &SchemaAt::root(Some(&schema))).write().replace(MASK, "*")
    }

    #[test]
    fn what_looks_secret_is_masked_and_all_else_stays_as_typed() {
        assert_eq!(
            written(r#"{"token":{"a":[1,true,null,""]},"x":1e3,"code":"1","in":{"code":"2","pin":3}}"#),
            r#"{"token":{"a":["*",true,null,""]},"x":1e3,"code":"*","in":{"code":"2","pin":"*"}}"#
        );
        assert_eq!(written(r#"["Bearer abc"]"#), r#"["Bearer *"]"#);
        assert_eq!(written("a token ring, Bearer abc"), r#""a token ring, Bearer *""#);
        assert_eq!(written(r#"{"password":"abc"#), r#""*""#);
        assert_eq!(written("{broken"), r#""{broken""#);
    }
}
