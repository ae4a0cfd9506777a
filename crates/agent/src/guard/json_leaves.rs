//! The texts in a JSON value.

use serde_json::Value;

/// Passes every text and number in a value to `take`, with its path. Member names are passed too, if they
/// are more than plain names.
pub(crate) fn leaves(value: &Value, take: &mut dyn FnMut(&str, &str)) {
    within(value, "", take);
}

fn within(value: &Value, at: &str, take: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => take(at, text),
        Value::Number(number) => take(at, &number.to_string()),
        Value::Array(list) => list.iter().for_each(|value| within(value, at, take)),
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            if !is_plain(name) {
                take(at, name);
            }
            let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            within(value, &at, take);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether this looks like a name that a developer chose.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_numbers_and_telling_names_are_taken_with_their_places() {
        let value = json!({"to": ["Anna", 7, null, true], "by": {"anna@mail.example": {"at": "home"}}});
        let mut taken = Vec::new();
        leaves(&value, &mut |at, text| taken.push(format!("{at}: {text}")));
        taken.sort();
        let expected = ["by.anna@mail.example.at: home", "by: anna@mail.example", "to: 7", "to: Anna"];
        assert_eq!(taken, expected);
    }
}
