//! Rules about parameters, and the properties in them.

use serde_json::Value;
use sidecar_schema::{PartRole, SchemaPart};
use sidecar_webmcp::risk::name_parts;

use crate::finding::ToolFinding;
use crate::look::{ToolLook, in_schema};
use crate::report::ToolReport;
use crate::rule::ToolRule;
use crate::text::width;

/// Maximum length of a description, as [`width`], lists of values left aside.
const DESCRIPTION: usize = 150;

/// Maximum length of a list of values in a description that is left aside.
const LIST: usize = 600;

/// Maximum characters of a name.
const NAME: usize = 30;

/// Number of parameters from which there are many.
const MANY: usize = 20;

/// Keywords that say what a value is.
const SAYS_WHAT: [&str; 8] = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not"];

/// Words in names of parameters for secrets, and for numbers of identity.
const SECRET: [&str; 25] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "otp",
    "cvv",
    "cvc",
    "csc",
    "ssn",
    "iban",
    "passport",
    "cardnumber",
    "creditcard",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "credentials",
    "securitycode",
    "socialsecurity",
    "nationalid",
    "idnumber",
    "identitynumber",
];

/// Chinese words for them.
const SECRET_CHINESE: [&str; 8] = ["密码", "口令", "卡号", "验证码", "身份证", "护照号", "密钥", "安全码"];

/// Before `token`: it marks a place in a list, and is no secret.
const PLACES: [&str; 8] = ["page", "next", "previous", "cursor", "continuation", "sync", "start", "paging"];

pub(crate) fn check(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    for part in &look.parts {
        if let PartRole::Property(name) = part.role {
            parameter(name, part, look, report);
        }
    }
    let count =
        look.schema.and_then(|schema| schema.get("properties")?.as_object()).map_or(0, |all| all.len());
    if count > MANY {
        let finding = ToolFinding::of(ToolRule::ParamCount).at(in_schema("/properties"));
        report.add(finding.with("count", count));
    }
}

fn parameter(name: &str, part: &SchemaPart<'_>, look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let finding = |rule| ToolFinding::of(rule).at(in_schema(&part.pointer)).with("name", name);
    let text = |keyword: &str| part.keywords.get(keyword).and_then(Value::as_str).unwrap_or_default();
    if !SAYS_WHAT.iter().any(|keyword| part.keywords.contains_key(*keyword)) {
        report.add(finding(ToolRule::ParamTypeMissing));
    }
    let is_blank = ["description", "title"].iter().all(|keyword| text(keyword).trim().is_empty());
    // A reference may lead to one; a constant needs none; fields of forms have a rule of their own.
    let is_said_elsewhere = part.keywords.contains_key("$ref")
        || part.keywords.contains_key("const")
        || look.facts.form.is_some();
    if is_blank && !is_said_elsewhere {
        report.add(finding(ToolRule::ParamDescriptionMissing));
    }
    let description = text("description");
    let length = prose(description);
    if length > DESCRIPTION {
        let finding = finding(ToolRule::ParamDescriptionLength).excerpt(description);
        report.add(finding.with("count", length));
    }
    let length = name.chars().count();
    if length > NAME {
        report.add(finding(ToolRule::ParamNameLength).excerpt(name).with("count", length));
    }
    if is_opaque(part, description) {
        report.add(finding(ToolRule::EnumOpaque).excerpt(&part.keywords["enum"].to_string()));
    }
    if is_secret(name) || SECRET_CHINESE.iter().any(|word| text("title").contains(word)) {
        report.add(finding(ToolRule::SensitiveParams).excerpt(name));
    }
}

/// Length of a description without a list of values behind a colon: JSON Schema has no other place for what values mean.
fn prose(text: &str) -> usize {
    let whole = width(text);
    let Some((before, list)) = text.split_once([':', '：']) else { return whole };
    let items: Vec<_> = list.split([',', '，', '、', ';', '；', '\n']).collect();
    let is_list = items.len() >= 3 && items.iter().all(|item| width(item.trim()) <= 40);
    if is_list && width(list) <= LIST { width(before) } else { whole }
}

/// Whether most of the values are codes, and the description explains none of them.
fn is_opaque(part: &SchemaPart<'_>, description: &str) -> bool {
    let Some(values) = part.keywords.get("enum").and_then(Value::as_array) else { return false };
    let is_code = |value: &Value| match value {
        Value::Number(_) => true,
        Value::String(text) => {
            let is_short = text.chars().count() <= 3 && text.is_ascii() && !text.is_empty();
            is_short && (text.chars().all(|c| !c.is_ascii_lowercase()) || text.len() == 1)
                || text.chars().any(|c| c.is_ascii_digit())
                    && text.chars().filter(char::is_ascii_lowercase).count() <= 1
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    };
    let codes: Vec<_> = values.iter().filter(|value| is_code(value)).collect();
    let is_explained = codes.iter().any(|code| match code {
        Value::String(text) => description.contains(text.as_str()),
        other => description.contains(&other.to_string()),
    });
    codes.len() >= 2 && codes.len() * 2 > values.len() && !is_explained
}

/// Whether a name is one for a secret: by one of its words, or by two together.
pub(crate) fn is_secret(name: &str) -> bool {
    let words: Vec<String> = name_parts(name).collect();
    let is_known = |word: &str| SECRET.contains(&word);
    let is_token = |at: usize| {
        words[at] == "token"
            && !at.checked_sub(1).is_some_and(|before| PLACES.contains(&words[before].as_str()))
    };
    let is_pair =
        |pair: &[String]| is_known(&pair.concat()) || pair[0] == "card" && pair[1].starts_with("num");
    // As one word among others it is a place on a map.
    name.eq_ignore_ascii_case("pin")
        || words.iter().any(|word| is_known(word))
        || (0..words.len()).any(is_token)
        || words.windows(2).any(is_pair)
        || SECRET_CHINESE.iter().any(|word| name.contains(word))
}
