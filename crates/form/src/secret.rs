//! Names of fields whose values nobody should read over a shoulder.

/// Words, or pairs of words written together, that mark a name.
const WORDS: [&str; 36] = [
    "password",
    "passwd",
    "pwd",
    "passcode",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "otp",
    "totp",
    "pin",
    "pincode",
    "cvv",
    "cvc",
    "cvv2",
    "ssn",
    "iban",
    "securitycode",
    "verificationcode",
    "recoverycode",
    "seedphrase",
    "cardnumber",
    "accountnumber",
    "passportnumber",
    "identitynumber",
    "idnumber",
    "nationalid",
    "taxid",
    "socialsecurity",
];

/// The same in Chinese, anywhere in a name.
const CHINESE: [&str; 9] = ["密码", "口令", "密钥", "私钥", "令牌", "验证码", "身份证", "护照号", "卡号"];

/// Whether a key names something secret: a password, a card, an identity number.
pub(crate) fn is_secret(key: &str) -> bool {
    let words = words(key);
    let is_marked = |name: &str| WORDS.contains(&name);
    words.iter().any(|word| is_marked(word))
        || words.windows(2).any(|pair| is_marked(&pair.concat()))
        || CHINESE.iter().any(|word| key.contains(word))
}

/// The words of a name, in small letters: `cardNumber`, `card-number` and `CARD_NUMBER` have two.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in key.chars() {
        if !char.is_alphanumeric() || char.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase() || char.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_found_however_they_are_written() {
        for key in [
            "password",
            "newPassword",
            "CARD_NUMBER",
            "card.number",
            "cvv",
            "api-key",
            "idNumber",
            "支付密码",
        ] {
            assert!(is_secret(key), "{key}");
        }
        for key in ["card", "shipping", "pins", "tokenizer", "number", "", "spin"] {
            assert!(!is_secret(key), "{key}");
        }
    }
}
