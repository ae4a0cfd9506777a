//! Expressions and templates of scenario files: MiniJinja, with a few functions of our own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use serde::Deserialize;

use crate::calls::find_calls;
use crate::pieces::pieces;
use crate::trip::{city_names, find_trip};

/// A MiniJinja expression, checked when the file is read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Expression(String);

/// A MiniJinja template, checked when the file is read. Line breaks at the beginning and end of its text
/// are removed, so that a file can put it on lines of its own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(String);

impl Expression {
    /// The value in a context.
    ///
    /// # Errors
    /// If the expression uses a missing value, or uses one wrongly.
    pub fn value(&self, context: &Value) -> Result<Value, Error> {
        ENGINE.compile_expression(&self.0)?.eval(context.clone())
    }

    /// Whether the value in a context counts as true.
    ///
    /// # Errors
    /// See [`Expression::value`].
    pub fn holds(&self, context: &Value) -> Result<bool, Error> {
        Ok(self.value(context)?.is_true())
    }
}

impl Template {
    /// The text in a context.
    ///
    /// # Errors
    /// If the template uses a missing value, or uses one wrongly.
    pub fn text(&self, context: &Value) -> Result<String, Error> {
        Ok(ENGINE.render_str(&self.0, context.clone())?.trim_matches('\n').to_owned())
    }
}

impl TryFrom<String> for Expression {
    type Error = Error;

    fn try_from(source: String) -> Result<Self, Error> {
        ENGINE.compile_expression(&source)?;
        Ok(Self(source))
    }
}

impl TryFrom<String> for Template {
    type Error = Error;

    fn try_from(source: String) -> Result<Self, Error> {
        ENGINE.template_from_str(&source)?;
        Ok(Self(source))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One engine for all files: it has functions and no state. A missing value is an error, never an empty
/// text, so that a scenario written for another page fails.
static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    engine.set_syntax(syntax.expect("the usual delimiters do not collide"));
    engine.add_function("find_trip", |texts: Vec<String>, today: &str| -> Result<Value, Error> {
        let today = today
            .parse()
            .map_err(|why| Error::new(ErrorKind::InvalidOperation, format!("today is no date: {why}")))?;
        Ok(Value::from(Serde(find_trip(&texts, today))))
    });
    engine.add_function("city_names", |language: &str| Value::from(Serde(city_names(language))));
    engine.add_function("find_calls", |text: &str| Value::from(Serde(find_calls(text))));
    engine.add_function("number_before", number_before);
    engine.add_filter("given", given);
    engine.add_filter("money", money);
    engine.add_filter("speaks_of_refusal", speaks_of_refusal);
    engine.add_filter("tokens", |text: &str, count: usize| {
        pieces(text).into_iter().take(count).collect::<String>()
    });
    engine
});

/// The number before a word: `number_before("long 500 tokens", "tokens", default=2000)` is 500.
fn number_before(text: &str, word: &str, options: Kwargs) -> Result<Value, Error> {
    let default: u64 = options.get("default")?;
    options.assert_all_used()?;
    let number = text.match_indices(word).find_map(|(at, _)| {
        let before = text[..at].trim_end();
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        before[before.len() - digits..].parse::<u64>().ok()
    });
    Ok(Value::from(number.unwrap_or(default)))
}

/// A map without the entries that are `none`: arguments that were not requested.
fn given(map: &Value) -> Result<Value, Error> {
    let mut kept = BTreeMap::new();
    for key in map.try_iter()? {
        let value = map.get_item(&key)?;
        if !value.is_none() {
            kept.insert(key, value);
        }
    }
    Ok(Value::from_object(kept))
}

/// Whether a tool result says that the user declined the call: a model does not repeat such a call.
fn speaks_of_refusal(text: &str) -> bool {
    let text = text.to_lowercase();
    ["user declined", "用户拒绝"].iter().any(|word| text.contains(word))
}

/// A price with thousands separators: 1480 is `1,480`.
fn money(amount: f64) -> String {
    let digits = format!("{:.0}", amount.abs());
    let mut text = String::from(if amount < 0.0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    fn render(source: &str) -> String {
        Template::try_from(source.to_owned()).unwrap().text(&context! { a => 1 }).unwrap()
    }

    #[test]
    fn helpers() {
        assert_eq!(
            render("{{ 1480 | money }} {{ 999.6 | money }} {{ 1234567 | money }}"),
            "1,480 1,000 1,234,567"
        );
        assert_eq!(render("{{ {'b': none, 'a': 1} | given | tojson }}"), r#"{"a": 1}"#);
        assert_eq!(render("{{ number_before('go 500 ms', 'ms', default=3) }}"), "500");
        assert_eq!(render("{{ number_before('items', 'ms', default=3) }}"), "3");
        assert_eq!(render("{% filter tokens(2) %}one two three{% endfilter %}"), "one two");
    }

    #[test]
    fn value_that_is_not_there_is_an_error() {
        let template = Template::try_from("{{ nothing }}".to_owned()).unwrap();
        assert!(template.text(&context! {}).is_err());
        assert!(Template::try_from("{{ open".to_owned()).is_err());
        assert!(Expression::try_from("1 +".to_owned()).is_err());
    }
}
