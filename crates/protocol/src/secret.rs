//! What looks secret: names of values, and words that look like keys. What is kept or taken along has them masked.

mod lists;

use lists::{CHINESE, COMPOUNDS, PREFIXES, WORDS};

/// Replaces a secret, whatever its length.
pub const MASK: &str = "••••••";

/// From this length on, a mix of digits and letters in both cases is not a word.
const KEY_LENGTH: usize = 32;

/// From this length on, a run of hexadecimal digits is longer than an id.
const HEX_LENGTH: usize = 40;

/// Whether a name is that of a secret: a password, a key, a card, an identity number. In English or Chinese, and
/// however it is written: `cardNumber`, `card-number` and `CARD_NUMBER` are the same.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = words_of(name);
    let is_compound = |word: &str| {
        let is_listed = |word: &str| COMPOUNDS.contains(&word);
        is_listed(word) || word.strip_suffix('s').is_some_and(is_listed)
    };
    words.iter().any(|word| WORDS.contains(&word.as_str()) || is_compound(word))
        || words.windows(2).any(|pair| is_compound(&pair.concat()))
        || CHINESE.iter().any(|word| name.contains(word))
}

/// The words of a name in lower case, split at changes of case and at characters other than letters and
/// digits.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let ends_capitals =
            char.is_uppercase() && !was_small && chars.peek().is_some_and(|next| next.is_lowercase());
        if !char.is_alphanumeric() || (char.is_uppercase() && was_small) || ends_capitals {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
        was_small = char.is_lowercase() || char.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A text with words masked that look like keys, and whether any were.
#[must_use]
pub fn masked_words(text: &str) -> (String, bool) {
    let mut masked = String::with_capacity(text.len());
    let mut is_masked = text.contains("PRIVATE KEY-----");
    if is_masked {
        return (MASK.to_owned(), true);
    }
    let is_edge = |char: char| char.is_whitespace() || "\"'`,;()<>[]{}?&=|，。；：、（）「」".contains(char);
    let (mut before, mut edge) = ("", None);
    for piece in text.split_inclusive(is_edge) {
        let end = piece.chars().last().filter(|char| is_edge(*char));
        let word = &piece[..piece.len() - end.map_or(0, char::len_utf8)];
        let follows_name = match edge {
            Some('=') => is_secret_name(before),
            Some(' ') => ["bearer", "basic"].iter().any(|scheme| before.eq_ignore_ascii_case(scheme)),
            _ => false,
        };
        let is_secret = (follows_name && !word.is_empty()) || is_key(word);
        match login(word) {
            _ if is_secret => masked.push_str(MASK),
            Some((user, host)) => masked.push_str(&format!("{user}:{MASK}@{host}")),
            None => masked.push_str(word),
        }
        is_masked |= is_secret || login(word).is_some();
        masked.extend(end);
        (before, edge) = (word, end);
    }
    (masked, is_masked)
}

/// The text before and after the password in a URL.
fn login(word: &str) -> Option<(&str, &str)> {
    let scheme = word.find("://")? + 3;
    let at = scheme + word[scheme..].split('/').next()?.rfind('@')?;
    let colon = scheme + word[scheme..at].find(':')?;
    Some((&word[..colon], &word[at + 1..]))
}

/// Whether a word looks like a key.
fn is_key(word: &str) -> bool {
    let is_key_char = |char: char| char.is_ascii_alphanumeric() || "-_.+/=~".contains(char);
    if !word.chars().all(is_key_char) {
        return false;
    }
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let is_path = word.contains('/') || word.contains("..");
    let begins =
        |(prefix, more): &(&str, usize)| word.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *more);
    PREFIXES.iter().any(begins)
        || is_jwt(word)
        || (word.len() >= KEY_LENGTH && is_mixed && !is_path)
        || (word.len() >= HEX_LENGTH && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Three parts in base64url, of which the first is a JSON object.
fn is_jwt(word: &str) -> bool {
    word.starts_with("eyJ") && word.len() >= 30 && word.split('.').count() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_found_however_they_are_written() {
        for name in [
            "password",
            "newPassword",
            "passwords",
            "user_pwd",
            "CARD_NUMBER",
            "card.number",
            "card_numbers",
            "cardnumber",
            "cvv",
            "cvv2",
            "api-key",
            "APIKey",
            "apiKeys",
            "accessToken",
            "client_secret",
            "Authorization",
            "pin",
            "pinCode",
            "oneTimePass.word",
            "sessionId",
            "idNumber",
            "nationalId",
            "iBAN",
            "PINcode",
            "支付密码",
            "短信验证码",
            "银行卡号",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "card",
            "shipping",
            "pins",
            "tokenizer",
            "maxTokens",
            "number",
            "",
            "spin",
            "author",
            "secretary",
            "key",
            "sortKey",
            "passenger",
            "keyboard",
            "pIn",
            "s_id",
            "编号",
            "密度",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn words_that_look_like_keys_are_masked_and_others_are_not() {
        let key = format!("sk-{}", "a1".repeat(12));
        assert_eq!(masked_words(&format!("use {key}, please")), (format!("use {MASK}, please"), true));
        assert_eq!(masked_words("?token=abc&x=2"), (format!("?token={MASK}&x=2"), true));
        assert_eq!(masked_words("token ring at 12:30"), ("token ring at 12:30".to_owned(), false));
    }
}
