//! Whether a `pattern` is a regular expression of JavaScript, and one that texts are checked against.

use jsonschema::PatternOptions;
use serde_json::json;

use crate::schema::pattern_options;

/// What a pattern is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternUse {
    /// Texts are checked against it.
    Checked,
    /// It is an expression, but too large to be checked, or with parts (as `(?=…)`) whose checks may take forever.
    Unchecked,
    /// It is no expression.
    Wrong,
}

/// What a pattern is worth.
#[must_use]
pub fn pattern_use(pattern: &str) -> PatternUse {
    let schema = json!({ "pattern": pattern });
    if jsonschema::options().with_pattern_options(pattern_options()).offline().build(&schema).is_ok() {
        return PatternUse::Checked;
    }
    let all = PatternOptions::fancy_regex();
    let is_expression = jsonschema::options().with_pattern_options(all).offline().build(&schema).is_ok();
    // The size of an expression is known only once it is built.
    let is_plain = || {
        jsonschema::options().with_pattern_options(PatternOptions::regex()).offline().build(&schema).is_ok()
    };
    if is_expression || is_plain() { PatternUse::Unchecked } else { PatternUse::Wrong }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_told_apart() {
        for (pattern, expected) in [
            ("^[A-Z]{3}$", PatternUse::Checked),
            (r"^\d+$", PatternUse::Checked),
            ("^(?=a)b", PatternUse::Unchecked),
            ("((x{99}){99}){9}", PatternUse::Unchecked),
            ("[", PatternUse::Wrong),
            ("(", PatternUse::Wrong),
        ] {
            assert_eq!(pattern_use(pattern), expected, "{pattern}");
        }
    }
}
