//! What a file is, by its content: names may say anything, and pasted text has none.

use serde_json::Value;

use crate::package::MOST_FILE_BYTES;
use crate::problem::{Reason, ReasonCode};
use crate::word;

/// What a file is.
pub(super) enum FileKind {
    /// A zip.
    Zip,
    /// SKILL.md.
    SkillText,
    /// skill.json.
    Tools,
    /// A recording of the browser's developer tools: JSON.
    Recording(Value),
    /// A JavaScript module that exports `skill`.
    Module(String),
    /// Something else.
    Refused(Reason),
}

/// How a zip begins; the second is an empty one.
const ZIP_MARKS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// How many lines of a script are looked through for its header.
const HEADER_LINES: usize = 400;
/// Maximum number of lines of a user script's rights that are named.
const MOST_GRANTS: usize = 12;

/// Says what a file is.
pub(super) fn kind(path: &str, bytes: &[u8]) -> FileKind {
    if ZIP_MARKS.iter().any(|mark| bytes.starts_with(mark)) {
        return FileKind::Zip;
    }
    let is_markdown = path.to_ascii_lowercase().ends_with(".md");
    if bytes.len() > MOST_FILE_BYTES {
        let most = format!("{} KiB", MOST_FILE_BYTES / 1024);
        let (why, way_out) = (word::FILE_TOO_LARGE, word::FILE_TOO_LARGE_WAY);
        return FileKind::Refused(Reason::new(ReasonCode::TooLarge, why, way_out, &[("most", &most)]));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        // What a mistaken SKILL.md lacks is told by its reader.
        return if is_markdown {
            FileKind::SkillText
        } else {
            other(word::FORM_UNKNOWN, word::FORM_UNKNOWN_WAY)
        };
    };
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with("---") {
        return FileKind::SkillText;
    }
    if text.trim_start().starts_with('{') {
        return json(text);
    }
    if let Some(reason) = header(text) {
        return FileKind::Refused(reason);
    }
    if is_module(text) {
        return FileKind::Module(text.to_owned());
    }
    if is_markdown { FileKind::SkillText } else { other(word::FORM_UNKNOWN, word::FORM_UNKNOWN_WAY) }
}

fn other(why: sidecar_locales::Word, way_out: sidecar_locales::Word) -> FileKind {
    FileKind::Refused(Reason::new(ReasonCode::NotASkill, why, way_out, &[]))
}

fn json(text: &str) -> FileKind {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        // Its reader names the line.
        Err(_) => return FileKind::Tools,
    };
    let has = |key: &str| value.get(key).is_some();
    if has("urlPatterns") && !has("format") {
        return other(word::FORM_REQUESTS, word::FORM_REQUESTS_WAY);
    }
    if has("drawflow") || has("includedWorkflows") {
        return other(word::FORM_AUTOMA, word::FORM_AUTOMA_WAY);
    }
    if value["steps"].is_array() && value["title"].is_string() {
        return FileKind::Recording(value);
    }
    if has("format") || has("tools") {
        return FileKind::Tools;
    }
    other(word::FORM_UNKNOWN, word::FORM_UNKNOWN_WAY)
}

/// Why a script with the header of another program cannot come in.
fn header(text: &str) -> Option<Reason> {
    let lines =
        || text.lines().take(HEADER_LINES).map(|line| line.trim().trim_start_matches('/').trim_start());
    if lines().any(|line| line.starts_with("==WebMCP==")) {
        let (why, way_out) = (word::FORM_HEADER, word::FORM_HEADER_WAY);
        return Some(Reason::new(ReasonCode::NotASkill, why, way_out, &[]));
    }
    if !lines().any(|line| line.starts_with("==UserScript==")) {
        return None;
    }
    let mut grants: Vec<&str> = lines()
        .filter_map(|line| Some(line.strip_prefix("@grant")?.trim()))
        .filter(|one| !one.is_empty())
        .collect();
    grants.truncate(MOST_GRANTS);
    let grants = if grants.is_empty() { "none".to_owned() } else { grants.join(", ") };
    let (why, way_out) = (word::FORM_USER_SCRIPT, word::FORM_USER_SCRIPT_WAY);
    Some(Reason::new(ReasonCode::NotASkill, why, way_out, &[("grants", &grants)]))
}

/// Whether it looks like a module that exports a SKILL. Whether it is one, its reader finds out.
fn is_module(text: &str) -> bool {
    let mut words = text.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '$'));
    let mut before = "";
    words.any(|word| {
        let is_export = match word {
            "const" | "let" | "var" | "default" => before == "export",
            _ => false,
        };
        if !word.is_empty() {
            before = word;
        }
        is_export
    })
}
