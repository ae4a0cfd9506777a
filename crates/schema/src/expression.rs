//! Whether a `pattern` is a regular expression of JavaScript, and one that texts are checked against.

use jsonschema_regex::{analyze_pattern, to_rust_regex};
use regex::RegexBuilder;

use crate::limit::PATTERN_LIMIT;

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
    if is_checked(pattern) {
        return PatternUse::Checked;
    }
    // The size of an expression is known only once it is built.
    let is_expression = |pattern: &str| {
        fancy_regex::Regex::new(pattern).is_ok() || RegexBuilder::new(pattern).build().is_ok()
    };
    match to_rust_regex(pattern) {
        Ok(pattern) if is_expression(&pattern) => PatternUse::Unchecked,
        Ok(_) | Err(()) => PatternUse::Wrong,
    }
}

/// Whether `jsonschema` checks texts against a pattern, limited as in [`crate::schema::pattern_options`].
pub(crate) fn is_checked(pattern: &str) -> bool {
    let is_small = |pattern: &str| {
        RegexBuilder::new(pattern).size_limit(PATTERN_LIMIT).dfa_size_limit(PATTERN_LIMIT).build().is_ok()
    };
    analyze_pattern(pattern).is_some() || to_rust_regex(pattern).is_ok_and(|pattern| is_small(&pattern))
}

#[cfg(test)]
mod tests {
    use jsonschema::PatternOptions;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::schema::pattern_options;

    /// What a pattern is worth as the part of a schema.
    fn use_in_schema(pattern: &str) -> PatternUse {
        let schema = json!({ "pattern": pattern });
        let plain =
            |options| jsonschema::options().with_pattern_options(options).offline().build(&schema).is_ok();
        let all = || {
            let all = PatternOptions::fancy_regex();
            jsonschema::options().with_pattern_options(all).offline().build(&schema).is_ok()
        };
        match () {
            () if plain(pattern_options()) => PatternUse::Checked,
            () if all() || plain(PatternOptions::regex()) => PatternUse::Unchecked,
            () => PatternUse::Wrong,
        }
    }

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

    proptest! {
        #[test]
        fn patterns_are_judged_as_schemas_judge_them(
            any in ".{0,8}",
            built in r"(\^|\$|a|[0-9]|[.*+?|()\[\]{}/,&~-]|\\[dwsSbBpPukxc1]|\(\?[=!:<]|\{[0-9],[0-9]{0,4}\}|\[[^a]){0,8}",
        ) {
            for pattern in [any, built] {
                prop_assert_eq!(pattern_use(&pattern), use_in_schema(&pattern), "{}", pattern);
            }
        }
    }
}
