//! Secrets that calls are known to hold. They are masked wherever else they stand, as in the words of a user who typed one.

use std::collections::BTreeSet;

use sidecar_form::Json;
use sidecar_protocol::secret::{MASK, is_secret_name, masked_words};

use crate::own_words::is_sign;
use crate::schema_at::SchemaAt;

/// From this length on, in characters, a secret is masked in other places too: what is shorter stands anywhere.
const LEAST: usize = 3;

/// From this length on, a secret is masked inside a word as well.
const LEAST_IN_WORD: usize = 6;

/// From this length on, a word that was masked for what stands before it is a secret for sure, if it has no digit.
const LEAST_WORD: usize = 16;

/// The secrets of some calls.
#[derive(Debug, Default)]
pub(crate) struct KnownSecrets(BTreeSet<String>);

impl KnownSecrets {
    /// Notes the secrets in a value.
    pub(crate) fn note(&mut self, value: &Json, schema: &SchemaAt<'_>) {
        if schema.is_secret() {
            return self.note_all(value);
        }
        match value {
            Json::Object(members) => {
                for (key, value) in members {
                    match is_secret_name(key) {
                        true => self.note_all(value),
                        false => self.note(value, &schema.key(key)),
                    }
                }
            }
            Json::Array(items) => {
                items.iter().enumerate().for_each(|(number, item)| self.note(item, &schema.item(number)));
            }
            Json::Text(text) => self.note_words(text),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// Notes that a value is secret.
    pub(crate) fn note_all(&mut self, value: &Json) {
        match value {
            Json::Object(members) => members.iter().for_each(|(_, value)| self.note_all(value)),
            Json::Array(items) => items.iter().for_each(|item| self.note_all(item)),
            Json::Text(text) | Json::Number(text) => self.insert(text.trim()),
            Json::Null | Json::Bool(_) => {}
        }
    }

    /// Notes the words of a text that look secret.
    pub(crate) fn note_words(&mut self, text: &str) {
        let (masked, true) = masked_words(text) else { return };
        let mut rest = text;
        let mut between = masked.split(MASK);
        if let Some(begin) = between.next() {
            rest = rest.strip_prefix(begin).unwrap_or_default();
        }
        for next in between {
            let end = if next.is_empty() { rest.len() } else { rest.find(next).unwrap_or(rest.len()) };
            let (secret, behind) = rest.split_at_checked(end).unwrap_or_default();
            if secret.contains(char::is_numeric) || secret.chars().nth(LEAST_WORD - 1).is_some() {
                self.insert(secret);
            }
            rest = behind.strip_prefix(next).unwrap_or_default();
        }
    }

    fn insert(&mut self, secret: &str) {
        if secret.chars().nth(LEAST - 1).is_some() && !secret.contains(MASK) {
            // In a text that is JSON.
            let written = Json::Text(secret.to_owned()).write();
            self.0.extend(written.get(1..written.len() - 1).map(str::to_owned));
            self.0.insert(secret.to_owned());
        }
    }

    /// Whether a text has one of them, or words that look secret.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        text.contains(MASK)
            || masked_words(text).1
            || self.0.iter().any(|secret| place(text, secret).is_some())
    }

    /// A text without them, and without words that look secret.
    pub(crate) fn masked(&self, text: &str) -> String {
        masked_words(&self.replaced(text)).0
    }

    /// A value without them.
    pub(crate) fn hidden(&self, value: Json) -> Json {
        match value {
            Json::Text(text) => Json::Text(self.replaced(&text)),
            Json::Number(number) if self.0.contains(&number) => Json::Text(MASK.to_owned()),
            Json::Array(items) => Json::Array(items.into_iter().map(|item| self.hidden(item)).collect()),
            Json::Object(members) => Json::Object(
                members.into_iter().map(|(key, value)| (self.replaced(&key), self.hidden(value))).collect(),
            ),
            other @ (Json::Null | Json::Bool(_) | Json::Number(_)) => other,
        }
    }

    fn replaced(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // A longer one may hold a shorter one.
        let mut secrets: Vec<&String> =
            self.0.iter().filter(|secret| text.contains(secret.as_str())).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        for secret in secrets {
            let mut masked = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some((before, behind)) = place(rest, secret) {
                masked.push_str(before);
                masked.push_str(MASK);
                rest = behind;
            }
            masked.push_str(rest);
            text = masked;
        }
        text
    }
}

/// What stands before and behind a secret in a text: a short one counts only as words of their own.
fn place<'t>(text: &'t str, secret: &str) -> Option<(&'t str, &'t str)> {
    let is_short = secret.chars().nth(LEAST_IN_WORD - 1).is_none();
    text.match_indices(secret).find_map(|(at, _)| {
        let (before, behind) = (text.get(..at)?, text.get(at + secret.len()..)?);
        let goes_on = before.ends_with(is_of_word) && secret.starts_with(is_of_word)
            || secret.ends_with(is_of_word) && behind.starts_with(is_of_word);
        (!is_short || !goes_on).then_some((before, behind))
    })
}

/// Whether a word can go on with a character.
fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() && !is_sign(char)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(arguments: &str, said: &str) -> KnownSecrets {
        let schema = json!({"properties": {"code": {"format": "password"}}});
        let mut secrets = KnownSecrets::default();
        secrets.note(&Json::read(arguments).unwrap(), &SchemaAt::root(Some(&schema)));
        secrets.note_words(said);
        secrets
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let known = secrets(
            r#"{"password":"hunter2","code":"abc","pin":1234,"q":"x","in":[{"token":"a\"b c"}]}"#,
            "",
        );
        for (text, masked) in [
            ("Sign in with hunter2, code abc", "Sign in with *, code *"),
            (r#"call {"token":"a\"b c","word":"myhunter2s"}"#, r#"call {"token":"*","word":"my*s"}"#),
            ("abcde 1234 12345", "abcde * 12345"),
            ("密码abc吧，x1234", "密码*吧，x1234"),
            ("x", "x"),
        ] {
            assert_eq!(known.masked(text).replace(MASK, "*"), masked);
            assert_eq!(known.are_in(text), text != masked);
        }
        let hidden = known.hidden(Json::read(r#"[1234,12345,{"hunter2":"abc"},true]"#).unwrap());
        assert_eq!(hidden.write().replace(MASK, "*"), r#"["*",12345,{"*":"*"},true]"#);
    }

    #[test]
    fn masked_words_are_known_if_they_are_secret_for_sure() {
        let known =
            secrets("{}", "Use Bearer k4y, basic search, token=open then ?token=s3cret1&x=2 and Bearer z9z");
        assert_eq!(known.0, BTreeSet::from(["k4y", "s3cret1", "z9z"].map(str::to_owned)));
        assert!(secrets("{}", "nothing here").0.is_empty());
        // Where the mask itself was typed, nothing is lost.
        assert!(secrets("{}", &format!("{MASK} Bearer {MASK}")).0.is_empty());
    }
}
