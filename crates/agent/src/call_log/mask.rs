//! Masks secrets in a call's arguments before they are logged.
//!
//! Three signs: the tool's schema says so (`format: "password"`, `writeOnly: true`); the name of a value
//! says so, in English or Chinese; the value itself looks like a key. When in doubt, mask: a value masked
//! by mistake costs a reader little, a secret that is logged costs more.

use serde_json::Value;
use sidecar_protocol::secret::is_secret_name;

pub use sidecar_protocol::secret::{MASK, masked_words as words};

/// Deepest level of a schema or value that is searched.
const DEPTH: usize = 24;

/// Maximum number of schema steps for one call.
const MOST_STEPS: usize = 20_000;

/// The places of secrets in a call's arguments, both as JSON text; none without a schema.
#[must_use]
pub fn secret_places_in(schema: Option<&str>, arguments: &str) -> Vec<String> {
    let schema = schema.and_then(|schema| serde_json::from_str(schema).ok()).unwrap_or_default();
    serde_json::from_str(arguments)
        .map_or_else(|_| Vec::new(), |arguments| secret_places(&schema, &arguments))
}

/// JSON Pointers to the arguments that their schema marks as secret.
#[must_use]
pub fn secret_places(schema: &Value, arguments: &Value) -> Vec<String> {
    let mut search = Search { root: schema, place: String::new(), places: Vec::new(), steps: MOST_STEPS };
    search.look(schema, arguments, DEPTH);
    let Search { mut places, .. } = search;
    places.sort_unstable();
    places.dedup();
    places
}

/// Walks a value and its schema together.
struct Search<'s> {
    root: &'s Value,
    place: String,
    places: Vec<String>,
    /// Remaining steps: a page can write a circular schema.
    steps: usize,
}

impl<'s> Search<'s> {
    fn look(&mut self, schema: &'s Value, value: &Value, depth: usize) {
        let (Some(depth), Some(steps)) = (depth.checked_sub(1), self.steps.checked_sub(1)) else { return };
        self.steps = steps;
        let says = |name: &str| schema.get(name);
        if says("format").and_then(Value::as_str) == Some("password")
            || says("writeOnly").and_then(Value::as_bool) == Some(true)
        {
            self.places.push(self.place.clone());
            return;
        }
        let referred = says("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
        let referred = referred.and_then(|path| self.root.pointer(path));
        let combined =
            ["allOf", "anyOf", "oneOf"].map(says).into_iter().flatten().filter_map(Value::as_array);
        let conditional = ["if", "then", "else"].map(says).into_iter().flatten();
        for schema in referred.into_iter().chain(combined.flatten()).chain(conditional) {
            self.look(schema, value, depth);
        }
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let own = says("properties").and_then(|properties| properties.get(name));
                    let step = name.replace('~', "~0").replace('/', "~1");
                    self.inside(&step, own.or_else(|| says("additionalProperties")), value, depth);
                }
            }
            Value::Array(elements) => {
                for (number, value) in elements.iter().enumerate() {
                    let own = says("prefixItems").and_then(|schemas| schemas.get(number));
                    self.inside(&number.to_string(), own.or_else(|| says("items")), value, depth);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn inside(&mut self, step: &str, schema: Option<&'s Value>, value: &Value, depth: usize) {
        let Some(schema) = schema else { return };
        let length = self.place.len();
        self.place.push('/');
        self.place.push_str(step);
        self.look(schema, value, depth);
        self.place.truncate(length);
    }
}

/// The arguments (JSON text) with secrets masked, at these places and wherever a value looks secret; and
/// whether anything was. Text that is not JSON is masked whole if it mentions secrets.
#[must_use]
pub fn arguments(text: &str, places: &[String]) -> (String, bool) {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return match is_secret_name(text) {
            true => (MASK.to_owned(), true),
            false => words(text),
        };
    };
    let mut is_masked = false;
    for place in places {
        if let Some(value) = value.pointer_mut(place) {
            hide(value, DEPTH, &mut is_masked);
        }
    }
    clean(&mut value, DEPTH, &mut is_masked);
    // Without a mask, the original text is kept as it is.
    if is_masked { (value.to_string(), true) } else { (text.to_owned(), false) }
}

fn clean(value: &mut Value, depth: usize, is_masked: &mut bool) {
    let Some(depth) = depth.checked_sub(1) else { return hide(value, 1, is_masked) };
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match is_secret_name(name) {
                    true => hide(value, depth, is_masked),
                    false => clean(value, depth, is_masked),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|value| clean(value, depth, is_masked)),
        Value::String(text) => {
            let (masked, found) = words(text);
            if found {
                (*text, *is_masked) = (masked, true);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Masks every text and number in a value, and everything below the deepest level.
fn hide(value: &mut Value, depth: usize, is_masked: &mut bool) {
    match value {
        Value::Object(members) if depth > 0 => {
            members.values_mut().for_each(|value| hide(value, depth - 1, is_masked));
        }
        Value::Array(elements) if depth > 0 => {
            elements.iter_mut().for_each(|value| hide(value, depth - 1, is_masked));
        }
        Value::Null | Value::Bool(_) => {}
        Value::String(text) if text.is_empty() => {}
        Value::Object(_) | Value::Array(_) | Value::String(_) | Value::Number(_) => {
            (*value, *is_masked) = (Value::String(MASK.to_owned()), true);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn masked(arguments_: Value) -> Value {
        serde_json::from_str(&arguments(&arguments_.to_string(), &[]).0).unwrap()
    }

    #[test]
    fn mask_hides_values_with_secret_names() {
        for name in [
            "password",
            "newPassword",
            "user_pwd",
            "API-Key",
            "apiKey",
            "APIKey",
            "accessToken",
            "client_secret",
            "Authorization",
            "cardNumber",
            "card_numbers",
            "cvc",
            "pin",
            "oneTimePass.word",
            "sessionId",
            "登录密码",
            "短信验证码",
            "银行卡号",
            "私钥",
        ] {
            assert_eq!(masked(json!({name: "abc"})), json!({name: MASK}), "{name}");
            assert_eq!(masked(json!({name: 1234})), json!({name: MASK}), "{name}");
        }
    }

    #[test]
    fn mask_leaves_values_with_similar_names() {
        for name in [
            "author",
            "maxTokens",
            "secretary",
            "key",
            "sortKey",
            "spinner",
            "passenger",
            "keyboard",
            "编号",
            "密度",
        ] {
            assert_eq!(masked(json!({name: "abc"})), json!({name: "abc"}), "{name}");
        }
        assert_eq!(masked(json!({"pin": true, "token": null})), json!({"pin": true, "token": null}));
    }

    #[test]
    fn mask_hides_everything_below_a_secret_name() {
        let credentials = json!({"credentials": {"user": "ann", "tries": [1, {"code": "x"}], "keep": true}});
        let expected = json!({"credentials": {"user": MASK, "tries": [MASK, {"code": MASK}], "keep": true}});
        assert_eq!(masked(credentials), expected);
    }

    #[test]
    fn mask_hides_values_that_look_like_keys_anywhere() {
        let prefixed = format!("sk-{}", "a1".repeat(12));
        let mixed = "Zm9vYmFyMTIzQmF6UXV4OTg3NjU0MzIx";
        for (value, expected) in [
            (prefixed.clone(), MASK.to_owned()),
            (format!("use {prefixed}, please"), format!("use {MASK}, please")),
            (mixed.to_owned(), MASK.to_owned()),
            (format!("eyJhbGciOiJIUzI1NiJ9.{mixed}.{mixed}"), MASK.to_owned()),
            ("0123456789abcdef".repeat(3), MASK.to_owned()),
            ("Bearer abc".to_owned(), format!("Bearer {MASK}")),
            (
                "https://a.example/?q=1&token=abc&x=2".to_owned(),
                format!("https://a.example/?q=1&token={MASK}&x=2"),
            ),
            ("https://ann:abc@a.example/x".to_owned(), format!("https://ann:{MASK}@a.example/x")),
            ("-----BEGIN PRIVATE KEY-----\nabc".to_owned(), MASK.to_owned()),
            (format!("密钥是{prefixed}。"), format!("密钥是{prefixed}。")),
            (format!("密钥：{prefixed}。"), format!("密钥：{MASK}。")),
        ] {
            assert_eq!(masked(json!([value])), json!([expected]), "{value}");
        }
    }

    #[test]
    fn mask_leaves_ordinary_values_unchanged() {
        for text in [
            r#"{ "from": "PEK",  "date": "2026-11-22", "seats": 2 }"#,
            r#"{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#,
            r#"{"url":"https://a.example/Some/Long/Path/With/Numbers/123456/and/Words"}"#,
            r#"{"text":"Please meet ann@a.example at 12:30, token ring network"}"#,
            r#"{"text":"一段很长的普通文字，没有任何需要隐藏的内容"}"#,
            "{broken",
        ] {
            assert_eq!(arguments(text, &[]), (text.to_owned(), false));
        }
    }

    #[test]
    fn mask_hides_invalid_json_that_mentions_secrets() {
        assert_eq!(arguments(r#"{"password": "abc"#, &[]), (MASK.to_owned(), true));
    }

    #[test]
    fn secret_places_are_read_from_the_schema() {
        let schema = json!({
            "$defs": {"hidden": {"type": "string", "format": "password"}},
            "properties": {
                "code": {"type": "string", "writeOnly": true},
                "login": {"allOf": [{"properties": {"word": {"$ref": "#/$defs/hidden"}}}]},
                "list": {"items": {"anyOf": [{"format": "password"}, {"type": "null"}]}},
                "a/b": {"format": "password"},
                "open": {"type": "string"},
            },
            "additionalProperties": {"format": "password"},
        });
        let arguments_ = json!({
            "code": "1", "login": {"word": "2", "name": "ann"}, "list": ["3", "4"], "a/b": "5", "open": "6", "more": "7",
        });
        let places = secret_places(&schema, &arguments_);
        assert_eq!(places, ["/a~1b", "/code", "/list/0", "/list/1", "/login/word", "/more"]);
        let (text, is_masked) = arguments(&arguments_.to_string(), &places);
        let expected = json!({
            "code": MASK, "login": {"word": MASK, "name": "ann"}, "list": [MASK, MASK], "a/b": MASK, "open": "6",
            "more": MASK,
        });
        assert_eq!((serde_json::from_str::<Value>(&text).unwrap(), is_masked), (expected, true));
    }

    #[test]
    fn secret_places_end_when_the_schema_is_circular() {
        let schema =
            json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#/anyOf/0"}], "items": {"$ref": "#"}});
        assert_eq!(secret_places(&schema, &json!([[[]]])), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn mask_is_idempotent(text in ".{0,200}") {
            let (once, _) = arguments(&text, &[]);
            prop_assert_eq!(&arguments(&once, &[]).0, &once);
        }

        #[test]
        fn mask_hides_generated_keys(before in "[a-z ]{0,20}", key in "[a-zA-Z0-9]{20,60}", after in "[ ,;][a-z ]{0,20}") {
            let text = json!({"note": format!("{before} sk-{key}{after}")}).to_string();
            let (kept, is_masked) = arguments(&text, &[]);
            prop_assert!(is_masked && !kept.contains(&key), "{}", kept);
        }
    }
}
