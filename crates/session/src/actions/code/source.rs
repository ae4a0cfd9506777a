//! The sources that run a file of a SKILL: one that hears what is wrong with it, the file as the body of a function, and
//! one that calls it. They stand in one world with the file, which can do to them whatever it likes: what comes back is
//! text of others.

use serde::Deserialize;
use serde_json::Value;

const BEFORE: &str = include_str!("before.js");
const AFTER: &str = include_str!("after.js");

/// Maximum characters of a result as JSON.
pub(super) const MOST: usize = 256 * 1024;
/// Maximum characters of a message of an error.
const MOST_OF_MESSAGE: usize = 500;

/// In a world of its own nothing of the extension is left: the browser puts the extension's id there.
const ALONE: &str = "delete globalThis.chrome; delete globalThis.browser;";

/// A file that is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeSource<'s> {
    /// Its path in the package.
    pub file: &'s str,
    /// Its text.
    pub text: &'s str,
    /// The input: JSON text.
    pub input: &'s str,
    /// A text that nobody can guess.
    pub nonce: &'s str,
    /// Whether it runs in a world of its own.
    pub is_alone: bool,
}

impl CodeSource<'_> {
    /// The sources, in their order.
    pub(super) fn sources(self) -> Vec<String> {
        let Self { file, text, input, nonce, is_alone } = self;
        let (key, file) = (quoted(&key(nonce)), plain(file));
        let before = format!("const KEY = {key};\n{BEFORE}");
        // Constants of one source are those of the next ones, too: each stands in a block.
        let before = format!("{{\n{}\n{before}}}\n", if is_alone { ALONE } else { "" });
        // The line numbers of errors are those of the file.
        let body =
            format!("globalThis[{key}].body = async (input, signal) => {{{text}\n}};\n//# sourceURL={file}");
        let after = AFTER
            .replace("globalThis[KEY]", &format!("globalThis[{key}]"))
            .replace("(STOP,", &format!("({},", quoted(&stop_event(nonce))))
            .replace("${FILE}", &file)
            .replace("> MOST", &format!("> {MOST}"));
        // Last, so that nothing in it is replaced.
        let after = after.replacen("(INPUT)", &format!("({})", quoted(input)), 1);
        vec![before, body, after]
    }

    /// What tells a file that runs to stop.
    pub(super) fn stopping(nonce: &str) -> Vec<String> {
        vec![format!("document.dispatchEvent(new Event({}));", quoted(&stop_event(nonce)))]
    }
}

fn key(nonce: &str) -> String {
    format!("sidecar{nonce}")
}

fn stop_event(nonce: &str) -> String {
    format!("sidecar-stop{nonce}")
}

/// As a text of JavaScript.
fn quoted(text: &str) -> String {
    // JSON may hold these two, which were ends of lines in JavaScript once.
    Value::from(text).to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A path as it may stand in a comment.
fn plain(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    path.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// What came of a file that ran.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CodeEnd {
    /// Its value, if it has one.
    Value(Option<Value>),
    /// It threw or rejected, or cannot be read.
    Threw {
        /// The message: text of others.
        message: String,
        /// The line in the file, from 1.
        line: Option<u32>,
    },
    /// Its value is too large.
    TooLarge,
    /// It was told to stop.
    Stopped,
    /// It told nothing that makes sense.
    Nothing,
}

/// What the last source tells.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Told {
    #[serde(default)]
    value: Option<Value>,
    #[serde(default)]
    threw: Option<ThrownText>,
    #[serde(default)]
    too_large: bool,
    #[serde(default)]
    stopped: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThrownText {
    message: String,
    #[serde(default)]
    line: Option<u32>,
}

impl CodeEnd {
    /// Reads what the last source told.
    pub(super) fn read(text: Option<&str>) -> Self {
        let Some(text) = text else { return Self::Nothing };
        if text.len() > 4 * MOST {
            return Self::TooLarge;
        }
        // A list would be read as an object, too.
        if !text.starts_with('{') {
            return Self::Nothing;
        }
        match serde_json::from_str(text) {
            Ok(Told { threw: Some(ThrownText { message, line }), .. }) => {
                Self::Threw { message: message.chars().take(MOST_OF_MESSAGE).collect(), line }
            }
            Ok(Told { too_large: true, .. }) => Self::TooLarge,
            Ok(Told { stopped: true, .. }) => Self::Stopped,
            Ok(Told { value, .. }) => Self::Value(value.filter(|value| !value.is_null())),
            Err(_) => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source<'s>(text: &'s str, input: &'s str) -> CodeSource<'s> {
        CodeSource { file: "webmcp/a b.js", text, input, nonce: ".n", is_alone: true }
    }

    #[test]
    fn input_is_one_text_whatever_is_in_it() {
        let input = json!({"q": "\"); alert(1); (INPUT) ${FILE} KEY \u{2028} \\"}).to_string();
        let [before, body, after] =
            <[String; 3]>::try_from(source("return input;", &input).sources()).unwrap();
        assert!(before.contains("delete globalThis.chrome") && before.contains(r#"const KEY = "sidecar.n""#));
        assert_eq!(
            body,
            "globalThis[\"sidecar.n\"].body = async (input, signal) => {return input;\n};\n//# sourceURL=webmcp/a_b.js"
        );
        let text = after.split("JSON.parse(").nth(1).unwrap();
        let text = &text[..text.find("), stop.signal").unwrap()];
        assert_eq!(serde_json::from_str::<String>(text).unwrap(), input);
        assert!(!text.contains('\u{2028}'));
        for left in ["KEY", "STOP", "MOST"] {
            assert!(!after.replace(text, "").contains(left), "{left}");
        }
    }

    #[test]
    fn what_code_tells_is_read_strictly() {
        let value = |value: Value| CodeEnd::Value(Some(value));
        let threw = |message: &str, line| CodeEnd::Threw { message: message.to_owned(), line };
        for (text, end) in [
            (r#"{"value":{"a":1}}"#, value(json!({"a": 1}))),
            ("{}", CodeEnd::Value(None)),
            (r#"{"threw":{"message":"no","line":3}}"#, threw("no", Some(3))),
            (r#"{"threw":{"message":"no"}}"#, threw("no", None)),
            (r#"{"threw":{"message":5}}"#, CodeEnd::Nothing),
            (r#"{"tooLarge":true}"#, CodeEnd::TooLarge),
            (r#"{"stopped":true}"#, CodeEnd::Stopped),
            (r#"{"value":1,"outcome":"ok"}"#, CodeEnd::Nothing),
            ("[1]", CodeEnd::Nothing),
            ("", CodeEnd::Nothing),
        ] {
            assert_eq!(CodeEnd::read(Some(text)), end, "{text}");
        }
        assert_eq!(CodeEnd::read(None), CodeEnd::Nothing);
        let long = format!(r#"{{"threw":{{"message":"{}"}}}}"#, "é".repeat(600));
        assert_eq!(CodeEnd::read(Some(&long)), threw(&"é".repeat(500), None));
        assert_eq!(CodeEnd::read(Some(&" ".repeat(4 * MOST + 1))), CodeEnd::TooLarge);
        assert_eq!(CodeEnd::read(Some(&"[".repeat(10_000))), CodeEnd::Nothing, "it is not read without end");
    }
}
