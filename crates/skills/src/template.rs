//! Templates: `{{name}}` in the texts of steps stands for an input or an earlier result.
//!
//! A text that is one name alone keeps the value's type, and leaves its key out if there is no value. In an address a
//! value is encoded and stays in its place: it can add no `/`, no `..`, no parameter. There are no filters and no maths.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// The values by their names.
pub type Values = BTreeMap<String, Value>;

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'t> {
    /// As it stands.
    Text(&'t str),
    /// The value of this name.
    Name(&'t str),
}

/// The parts of a text. `None` if a `{{` has no end, or what stands in it is no name.
#[must_use]
pub fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, following) = after.split_once("}}")?;
        let name = name.trim();
        if !is_name(name) {
            return None;
        }
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        parts.push(Part::Name(name));
        rest = following;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Some(parts)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Every name in a value: in its texts, and in those of lists and maps.
pub fn names<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => {
            let names = parts(text).unwrap_or_default().into_iter();
            found.extend(names.filter_map(|part| match part {
                Part::Name(name) => Some(name),
                Part::Text(_) => None,
            }));
        }
        Value::Array(list) => list.iter().for_each(|value| names(value, found)),
        Value::Object(map) => map.values().for_each(|value| names(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A value with its names filled in. `None` if it is one name alone that has no value.
#[must_use]
pub fn filled(template: &Value, values: &Values) -> Option<Value> {
    Some(match template {
        Value::String(text) => match parts(text).unwrap_or_default().as_slice() {
            [Part::Name(name)] => values.get(*name).filter(|value| !value.is_null())?.clone(),
            parts => Value::String(joined(parts, values)),
        },
        Value::Array(list) => list.iter().filter_map(|value| filled(value, values)).collect(),
        Value::Object(map) => {
            let filled = map.iter().filter_map(|(key, value)| Some((key.clone(), filled(value, values)?)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    })
}

/// A template as a text; `None` if it is one name alone that has no value.
#[must_use]
pub fn filled_text(template: &Value, values: &Values) -> Option<String> {
    filled(template, values).map(|value| plain(&value))
}

fn joined(parts: &[Part<'_>], values: &Values) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => (*text).to_owned(),
            Part::Name(name) => values.get(*name).map(plain).unwrap_or_default(),
        })
        .collect()
}

/// A value in a text.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A path with its names filled in, each as a part of one segment. `None` if a value is missing, or would be `.` or
/// `..`, or nothing, where a segment has to be.
#[must_use]
pub fn path(template: &str, values: &Values) -> Option<String> {
    let mut path = String::new();
    for (number, segment) in template.split('/').enumerate() {
        if number > 0 {
            path.push('/');
        }
        let parts = parts(segment)?;
        let mut text = String::new();
        for part in &parts {
            match part {
                Part::Text(fixed) => text.push_str(fixed),
                Part::Name(name) => text.push_str(&encoded(&plain(values.get(*name)?))),
            }
        }
        let is_made = parts.iter().any(|part| matches!(part, Part::Name(_)));
        if is_made && (text.is_empty() || is_dots(&text)) {
            return None;
        }
        path.push_str(&text);
    }
    Some(path)
}

/// `.` and `..`, which a browser resolves, encoded too (URL Standard, "double-dot URL path segment").
fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// A query of these parameters. One whose value is missing is left out.
#[must_use]
pub fn query<'q>(parameters: impl IntoIterator<Item = (&'q String, &'q Value)>, values: &Values) -> String {
    let pairs = parameters.into_iter().filter_map(|(key, template)| {
        let value = filled_text(template, values)?;
        Some(format!("{}={}", encoded(key), encoded(&value)))
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// All but the unreserved characters of RFC 3986, section 2.3.
const SPECIAL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, SPECIAL).to_string()
}

/// A text as a quoted string of CSS (CSS Syntax, section 4.3.5): it cannot end the string that it is in.
#[must_use]
pub fn css_quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if char.is_control() => {
                let _ = write!(quoted, "\\{:x} ", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// A CSS selector with its names filled in, each as the whole value of an attribute: `[data-id={{id}}]`. `None` if a
/// name stands elsewhere, or has no value.
#[must_use]
pub fn css(template: &str, value_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut css = String::new();
    let parts = parts(template)?;
    for (number, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => css.push_str(text),
            Part::Name(name) => {
                let following = match parts.get(number + 1)? {
                    Part::Text(text) => text.trim_start(),
                    Part::Name(_) => return None,
                };
                let is_closed = following.trim_start_matches(['i', 's']).trim_start().starts_with(']');
                if !css.trim_end().ends_with('=') || !is_closed {
                    return None;
                }
                css.push_str(&css_quoted(&value_of(name)?));
            }
        }
    }
    Some(css)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values(json: Value) -> Values {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn name_in_a_selector_is_a_whole_value_of_an_attribute() {
        let value = |name: &str| (name == "id").then(|| "a\"] *".to_owned());
        assert_eq!(css("tr[id={{id}}] a", value).as_deref(), Some(r#"tr[id="a\"] *"] a"#));
        assert_eq!(css("[a ^= {{ id }} i]", value).as_deref(), Some(r#"[a ^= "a\"] *" i]"#));
        assert_eq!(css("a > b", value).as_deref(), Some("a > b"));
        for wrong in [
            "{{id}}",
            "#{{id}}",
            "[a='{{id}}']",
            "[{{id}}=a]",
            "[a={{id}}{{id}}]",
            "[a={{id}}",
            "[a={{gone}}]",
            "[a={{id}}x]",
        ] {
            assert_eq!(css(wrong, value), None, "{wrong}");
        }
    }

    #[test]
    fn one_name_alone_keeps_its_type_and_leaves_its_key_out() {
        let known = values(json!({"n": 3, "list": [1, 2], "no": null, "text": "x"}));
        let template = json!({"n": "{{n}}", "list": "{{ list }}", "gone": "{{gone}}", "no": "{{no}}",
            "both": "{{text}}-{{n}}{{gone}}", "deep": ["{{gone}}", {"a": "{{text}}"}], "fixed": 1});
        let expected = json!({"n": 3, "list": [1, 2], "both": "x-3", "deep": [{"a": "x"}], "fixed": 1});
        assert_eq!(filled(&template, &known), Some(expected));
        assert_eq!(filled(&json!("{{gone}}"), &known), None);
        let mut found = Vec::new();
        names(&template, &mut found);
        found.sort_unstable();
        assert_eq!(found, ["gone", "gone", "gone", "list", "n", "n", "no", "text", "text"]);
    }

    #[test]
    fn what_is_no_template_is_known() {
        for bad in ["{{", "{{a", "{{a b}}", "{{}}", "{{a.b}}", "{{a|upper}}", "{{1a}}", "{{{{a}}}}"] {
            assert_eq!(parts(bad), None, "{bad}");
        }
        assert_eq!(parts("a { } }} b").unwrap(), [Part::Text("a { } }} b")]);
    }

    #[test]
    fn value_in_a_value_is_not_a_template() {
        assert_eq!(
            filled_text(&json!("{{a}}!"), &values(json!({"a": "{{b}}", "b": "x"}))),
            Some("{{b}}!".to_owned())
        );
    }

    #[test]
    fn path_and_query_are_encoded() {
        let known = values(json!({"q": "a/b?c=d&e#f 中", "n": 7, "dots": "..", "coded": "%2e%2E", "no": ""}));
        assert_eq!(path("/wiki/{{q}}/{{n}}", &known).unwrap(), "/wiki/a%2Fb%3Fc%3Dd%26e%23f%20%E4%B8%AD/7");
        assert_eq!(path("/a/{{dots}}/b", &known), None);
        assert_eq!(path("/a/.{{no}}", &values(json!({"no": "."}))), None);
        assert_eq!(
            path("/a/{{coded}}", &known).unwrap(),
            "/a/%252e%252E",
            "the percent sign is encoded itself"
        );
        assert_eq!((path("/a/{{no}}", &known), path("/a/{{gone}}", &known)), (None, None));
        let parameters = BTreeMap::from([
            ("p".to_owned(), json!("{{q}}")),
            ("page".to_owned(), json!("{{n}}")),
            ("gone".to_owned(), json!("{{gone}}")),
            ("fixed".to_owned(), json!("x y")),
        ]);
        assert_eq!(query(&parameters, &known), "fixed=x%20y&p=a%2Fb%3Fc%3Dd%26e%23f%20%E4%B8%AD&page=7");
    }

    proptest! {
        #[test]
        fn case_36_value_never_leaves_its_segment(value: String) {
            let known = Values::from([("v".to_owned(), Value::String(value.clone()))]);
            if let Some(path) = path("/a/{{v}}/b", &known) {
                let url = format!("https://shop.example{path}");
                prop_assert_eq!(path.split('/').count(), 4);
                prop_assert!(!path.contains(['?', '#', '\\']) && path.ends_with("/b"), "{}", url);
                prop_assert!(path.split('/').all(|segment| !is_dots(segment)));
            }
        }

        #[test]
        fn case_36_value_adds_no_parameter(value: String, other: String) {
            let known = Values::from([
                ("v".to_owned(), Value::String(value)),
                ("w".to_owned(), Value::String(other)),
            ]);
            let parameters = BTreeMap::from([
                ("a".to_owned(), Value::String("{{v}}".to_owned())),
                ("b".to_owned(), Value::String("{{w}}".to_owned())),
            ]);
            let query = query(&parameters, &known);
            prop_assert_eq!(query.split('&').count(), 2);
            prop_assert!(!query.contains(['#', '?', '/', ' ']));
        }

        #[test]
        fn case_36_quoted_text_stays_in_its_quotes(value: String) {
            let quoted = css_quoted(&value);
            let inner = &quoted[1..quoted.len() - 1];
            let mut escaped = false;
            for char in inner.chars() {
                prop_assert!(escaped || char != '"');
                prop_assert!(!char.is_control());
                escaped = !escaped && char == '\\';
            }
            prop_assert!(!escaped);
        }

        #[test]
        fn case_36_filling_adds_no_key(value: String) {
            let known = Values::from([("v".to_owned(), Value::String(value.clone()))]);
            let filled = filled(&serde_json::json!({"a": "x{{v}}", "b": "{{v}}"}), &known).unwrap();
            let keys: Vec<_> = filled.as_object().unwrap().keys().cloned().collect();
            prop_assert_eq!(keys, ["a", "b"]);
            prop_assert_eq!(filled["b"].as_str(), Some(value.as_str()));
        }
    }
}
