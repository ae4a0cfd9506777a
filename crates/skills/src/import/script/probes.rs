//! A module's `healthCheck` as conditions on a page, where it does nothing but look for elements.

use serde_json::{Value, json};

use super::literal::{JsSource, past_bracket};
use super::tokens::{ScriptToken, ScriptTokenKind};
use crate::check::lasts;

/// Maximum number of conditions.
const MOST_PROBES: usize = 10;

/// Maximum number of tokens of a check.
const MOST_TOKENS: usize = 500;

/// What has to hold on a page: a selector, and whether something has to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HealthProbe {
    /// A selector.
    pub css: String,
    /// Whether an element has to be there, or must not.
    pub is_present: bool,
}

impl HealthProbe {
    /// The condition, with the name of a locator.
    pub(super) fn condition(&self, locator: &str) -> Value {
        json!({"at": locator, "is": if self.is_present { "present" } else { "absent" }})
    }
}

/// The conditions of a check. `None` if it does anything else, or looks for elements in a way that does not last.
pub(super) fn probes(check: &JsSource<'_>) -> Option<Vec<HealthProbe>> {
    if check.tokens.len() > MOST_TOKENS {
        return None;
    }
    let expression = without_brackets(returned(&check.tokens)?);
    let ors = split(expression, "|")?;
    let probes = match ors.as_slice() {
        [one] => split(one, "&")?.into_iter().map(probe).collect::<Option<Vec<_>>>()?,
        // One of several elements: one selector finds them all.
        several => {
            let each = several.iter().map(|part| probe(part)).collect::<Option<Vec<_>>>()?;
            let is_plain = each.iter().all(|probe| probe.is_present && !probe.css.contains(">>"));
            let css = each.iter().map(|probe| probe.css.as_str()).collect::<Vec<_>>().join(", ");
            is_plain.then(|| vec![HealthProbe { css, is_present: true }])?
        }
    };
    let is_good =
        |probe: &HealthProbe| probe.css.len() <= 500 && !probe.css.contains("{{") && lasts(&probe.css);
    (probes.len() <= MOST_PROBES && probes.iter().all(is_good)).then_some(probes)
}

/// What a function without parameters gives back, if that is all that it does.
fn returned<'t, 's>(tokens: &'t [ScriptToken<'s>]) -> Option<&'t [ScriptToken<'s>]> {
    let open = tokens.iter().position(|token| token.is("("))?;
    let is_plain = tokens[..open].iter().all(|token| token.kind == ScriptTokenKind::Name);
    let mut rest = tokens.get(open..).filter(|_| is_plain)?;
    rest = match rest {
        [_, close, rest @ ..] if close.is(")") => rest,
        _ => return None,
    };
    // `: boolean`
    if let [colon, _, after @ ..] = rest
        && colon.is(":")
    {
        rest = after;
    }
    if let [arrow, after @ ..] = rest
        && arrow.is("=>")
    {
        rest = after;
    }
    match rest {
        [brace, word, inner @ .., close] if brace.is("{") && word.is_word("return") && close.is("}") => Some(
            inner
                .strip_suffix(&inner[inner.len().saturating_sub(1)..])
                .filter(|_| inner.last().is_some_and(|last| last.is(";")))
                .unwrap_or(inner),
        ),
        [brace, ..] if brace.is("{") => None,
        expression => Some(expression),
    }
}

/// Without brackets around the whole.
fn without_brackets<'t, 's>(mut tokens: &'t [ScriptToken<'s>]) -> &'t [ScriptToken<'s>] {
    while let [open, inner @ .., _] = tokens
        && open.is("(")
        && past_bracket(tokens, 0) == Some(tokens.len())
    {
        tokens = inner;
    }
    tokens
}

/// The parts between `&&` or `||`, outside of brackets. `None` if the sign stands alone.
fn split<'t, 's>(tokens: &'t [ScriptToken<'s>], sign: &str) -> Option<Vec<&'t [ScriptToken<'s>]>> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < tokens.len() {
        if tokens[at].is("(") {
            at = past_bracket(tokens, at)?;
        } else if tokens[at].is(sign) {
            tokens.get(at + 1).filter(|next| next.is(sign))?;
            parts.push(&tokens[begin..at]);
            at += 2;
            begin = at;
        } else {
            at += 1;
        }
    }
    parts.push(&tokens[begin..]);
    Some(parts)
}

/// `!!document.querySelector("…")`, `document.getElementById("…") !== null`, and the like.
fn probe(tokens: &[ScriptToken<'_>]) -> Option<HealthProbe> {
    let mut tokens = without_brackets(tokens);
    let mut is_present = true;
    while let [not, rest @ ..] = tokens
        && not.is("!")
    {
        is_present = !is_present;
        tokens = without_brackets(rest);
    }
    if let [boolean, rest @ ..] = tokens
        && boolean.is_word("Boolean")
    {
        tokens = without_brackets(rest);
    }
    let [document, dot, method, open, text, close, rest @ ..] = tokens else { return None };
    let is_call = document.is_word("document") && dot.is(".") && open.is("(") && close.is(")");
    if !is_call || text.kind != ScriptTokenKind::Text {
        return None;
    }
    let (super::literal::JsValue::Text(text), _) = super::literal::read(&[*text], 0).ok()? else {
        return None;
    };
    let css = match method.text {
        "querySelector" => text,
        "getElementById" => {
            let is_name = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
            let is_id = text.starts_with(char::is_alphabetic) && text.chars().all(is_name);
            is_id.then(|| format!("#{text}"))?
        }
        _ => return None,
    };
    let is_null = |token: &ScriptToken<'_>| token.is_word("null") || token.is_word("undefined");
    match rest {
        [] => {}
        [not, equals, null] if not.is("!") && equals.is("=") && is_null(null) => {}
        [not, equals, again, null] if not.is("!") && equals.is("=") && again.is("=") && is_null(null) => {}
        _ => return None,
    }
    Some(HealthProbe { css, is_present })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::script::literal::{self, JsValue};
    use crate::import::script::tokens::tokens;

    fn found(source: &str) -> Option<Vec<(String, bool)>> {
        let tokens = tokens(source).unwrap();
        let (JsValue::Source(part), _) = literal::read(&tokens, 0).unwrap() else { panic!("{source}") };
        Some(probes(&part)?.into_iter().map(|probe| (probe.css, probe.is_present)).collect())
    }

    #[test]
    fn looking_for_elements_becomes_conditions() {
        let one = |css: &str| Some(vec![(css.to_owned(), true)]);
        for (source, probes) in [
            ("() => !!document.querySelector('#q')", one("#q")),
            ("() => { return document.querySelector(\"#q\") !== null; }", one("#q")),
            ("function () { return (document.getElementById('q') != null) }", one("#q")),
            ("(): boolean => Boolean(document.querySelector('#q'))", one("#q")),
            ("() => !!document.querySelector('#q') || !!document.querySelector('#s')", one("#q, #s")),
            (
                "() => !!document.querySelector('#q') && !document.querySelector('.login')",
                Some(vec![("#q".to_owned(), true), (".login".to_owned(), false)]),
            ),
        ] {
            assert_eq!(found(source), probes, "{source}");
        }
    }

    #[test]
    fn a_check_that_does_anything_else_is_none() {
        for source in [
            "() => true",
            "() => { log(); return !!document.querySelector('#q') }",
            "() => document.querySelectorAll('a').length > 3",
            "() => !!document.querySelector(selector)",
            "() => !!document.querySelector('#q') & 1",
            "() => document.querySelector('#q') === null",
            "() => !!document.querySelector('#q') || !document.querySelector('.login')",
            "() => !!document.querySelector('#q') && (a || b)",
            "() => !!document.querySelector('div > div > div')",
            "(a) => !!document.querySelector('#q')",
            "() => {}",
            "check",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
    }
}
