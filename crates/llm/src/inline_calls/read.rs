//! What a block of markup says: the calls in it, as far as they are whole.

use serde_json::{Map, Value};

use crate::inline_calls::marks::{MarkMatch, begins, begins_any, find, is_bar};
use crate::inline_calls::table::{MarkupForm, MarkupShape};
use crate::tools::arguments;

/// Most calls of a block that are read.
const CALL_LIMIT: usize = 64;

/// Longest tag with its attributes, in bytes.
const TAG_LIMIT: usize = 1024;

/// Longest name that may still become one, in bytes.
const NAME_LIMIT: usize = 200;

/// White space that may stand between a mark and what it opens, in bytes.
const SPACE_LIMIT: usize = 64;

const INVOKE: &[&str] = &["<|DSML|invoke", "<invoke"];
const INVOKE_END: &[&str] = &["</|DSML|invoke>", "</invoke>"];
const PARAMETER: &[&str] = &["<|DSML|parameter", "<parameter"];
const PARAMETER_END: &[&str] = &["</|DSML|parameter>", "</parameter>"];

/// Members under which a call in JSON has its name, and its arguments.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];
/// What else such an object has.
const OTHERS: [&str; 4] = ["id", "type", "call_id", "tool_calls"];

/// A call that stands in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkupCall {
    pub(super) name: String,
    /// JSON text, perhaps not sound.
    pub(super) arguments: String,
    /// Whether its end was seen; one without must not run when the token limit ended the answer.
    pub(super) is_whole: bool,
}

/// The calls of a block that begins with a mark of `opened` bytes.
pub(super) fn calls(form: &MarkupForm, block: &str, opened: usize) -> Vec<MarkupCall> {
    let inner = &block[opened..];
    let mut calls = match form.shape {
        MarkupShape::Invoke => invokes(block),
        MarkupShape::ToolCall => tool_calls(block),
        MarkupShape::Function => functions(block),
        MarkupShape::Tokens => tokens(block),
        MarkupShape::Mistral => mistral(inner),
        MarkupShape::Json => requests(block, form),
        MarkupShape::Fence => {
            let body = inner.split_once('\n').map_or("", |(_, body)| body);
            let body = body.rsplit_once("```").map_or("", |(body, _)| body);
            exact_calls(body)
        }
        MarkupShape::Bare => exact_calls(block),
    };
    calls.truncate(CALL_LIMIT);
    calls
}

/// Whether what follows the mark that opens a block can still be a call in this form. Of a form that looks like other
/// JSON, `is_offered` says whether a name is one.
pub(super) fn fits(form: &MarkupForm, inner: &str, is_offered: &dyn Fn(&str) -> bool) -> bool {
    let Some(rest) = behind_space(inner) else { return false };
    match form.shape {
        // A name, or another mark. More bars of the first may have come behind it.
        _ if form.is_special => {
            let rest = rest.trim_start_matches(is_bar).trim_ascii_start();
            rest.is_empty() || rest.starts_with(|c| c == '<' || is_of_name(c))
        }
        // Behind a section another mark, behind the mark of a call its name.
        MarkupShape::Invoke | MarkupShape::Tokens => {
            rest.is_empty() || rest.starts_with(['"', '\'']) || begins_any(rest, INVOKE) != MarkMatch::Not
        }
        MarkupShape::ToolCall => match rest.chars().next() {
            None => true,
            Some('{') => json_fits(&rest[1..], &|_| true),
            Some('<') => begins_any(rest, &["<tool_call>", "<function=", "<invoke"]) != MarkMatch::Not,
            Some(_) => {
                name_fits(rest, &|rest| begins_any(rest, &["<arg_key>", "</tool_call>"]) != MarkMatch::Not)
            }
        },
        MarkupShape::Function => name_fits(inner, &|rest| rest.starts_with('>')),
        MarkupShape::Mistral => match rest.chars().next() {
            None => true,
            Some('[') => {
                behind_space(&rest[1..]).is_some_and(|rest| rest.is_empty() || object_fits(rest, &|_| true))
            }
            Some('{') => json_fits(&rest[1..], &|_| true),
            Some(_) => name_fits(rest, &|rest| {
                rest.starts_with('{') || begins_any(rest, &["[ARGS]", "[CALL_ID]"]) != MarkMatch::Not
            }),
        },
        MarkupShape::Json => rest.is_empty() || object_fits(rest, &|_| true),
        MarkupShape::Fence => fence_fits(inner, is_offered),
        MarkupShape::Bare => json_fits(inner, is_offered),
    }
}

/// What comes behind white space, unless there is too much of that.
fn behind_space(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (text.len() - rest.len() <= SPACE_LIMIT).then_some(rest)
}

/// Whether a name begins a text, and then what may follow one.
fn name_fits(text: &str, follows: &dyn Fn(&str) -> bool) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    let length = text.len() - rest.len();
    text.is_empty()
        || (1..=NAME_LIMIT).contains(&length)
            && (rest.is_empty() || behind_space(rest).is_some_and(|rest| rest.is_empty() || follows(rest)))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/')
}

/// Whether a fence can still hold a call: its language is of the kind, and what follows begins as a call does.
fn fence_fits(inner: &str, is_offered: &dyn Fn(&str) -> bool) -> bool {
    const LANGUAGES: [&str; 6] = ["", "json", "tool_call", "tool_code", "tool_use", "tool"];
    match inner.split_once('\n') {
        None => LANGUAGES.iter().any(|language| language.starts_with(&inner.trim_end().to_ascii_lowercase())),
        Some((language, body)) => {
            LANGUAGES.contains(&language.trim().to_ascii_lowercase().as_str())
                && behind_space(body).is_some_and(|body| body.is_empty() || object_fits(body, is_offered))
        }
    }
}

fn object_fits(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    text.strip_prefix('{').is_some_and(|inner| json_fits(inner, is_wanted))
}

/// Whether an object, of which this is what follows its brace, begins as that of a call does: with a member that a call
/// has, and if that is its name, with one that is wanted.
fn json_fits(inner: &str, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    let Some(rest) = behind_space(inner) else { return false };
    let (key, rest) = match quoted(rest) {
        Quoted::Whole(key, rest) => (key, rest),
        Quoted::Open(begun) => {
            return NAMES.iter().chain(&ARGUMENTS).chain(&OTHERS).any(|key| key.starts_with(begun));
        }
        Quoted::Not => return rest.is_empty(),
    };
    if ARGUMENTS.contains(&key) || OTHERS.contains(&key) {
        return true;
    }
    let Some(rest) = behind_space(rest).filter(|_| NAMES.contains(&key)) else { return false };
    let Some(rest) = rest.strip_prefix(':') else { return rest.is_empty() };
    let Some(rest) = behind_space(rest) else { return false };
    match quoted(rest) {
        Quoted::Whole(name, _) => name.len() <= NAME_LIMIT && is_wanted(name),
        Quoted::Open(begun) => begun.len() <= NAME_LIMIT,
        Quoted::Not => rest.is_empty() || (key == "function" && rest.starts_with('{')),
    }
}

enum Quoted<'a> {
    /// What stands in quotes, and what follows.
    Whole(&'a str, &'a str),
    /// What stands behind the first quote, of which there is no second.
    Open(&'a str),
    Not,
}

fn quoted(text: &str) -> Quoted<'_> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return Quoted::Not };
    match text[1..].split_once(quote) {
        Some((inside, rest)) => Quoted::Whole(inside, rest),
        None => Quoted::Open(&text[1..]),
    }
}

/// A tag behind its name: its attributes, and what follows it.
struct Tag<'a> {
    attributes: &'a str,
    is_closed: bool,
    rest: usize,
}

impl<'a> Tag<'a> {
    /// Reads the tag whose name ends at `from`.
    fn read(text: &'a str, from: usize) -> Option<Self> {
        let mut quote = None;
        for (at, c) in text[from..].char_indices().take_while(|(at, _)| *at < TAG_LIMIT) {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if c == open => quote = None,
                (None, '>') => {
                    let inner = &text[from..from + at];
                    let attributes = inner.strip_suffix('/').unwrap_or(inner);
                    let is_closed = attributes.len() < inner.len();
                    return Some(Self { attributes, is_closed, rest: from + at + 1 });
                }
                _ => {}
            }
        }
        None
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_ascii_start();
            let (value, after) = match quoted(after) {
                Quoted::Whole(value, after) => (value, after),
                Quoted::Open(value) => (value, ""),
                Quoted::Not => after.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((after, "")),
            };
            if key.trim() == name {
                return Some(value);
            }
            rest = after;
        }
        None
    }
}

fn invokes(block: &str) -> Vec<MarkupCall> {
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, name_end)) = find(block, from, INVOKE) {
        let Some(tag) = Tag::read(block, name_end) else { break };
        let name = tag.attribute("name").unwrap_or_default().to_owned();
        if tag.is_closed {
            from = tag.rest;
            calls.push(MarkupCall { name, arguments: "{}".to_owned(), is_whole: true });
            continue;
        }
        let end = find(block, tag.rest, &[INVOKE_END, INVOKE].concat());
        let (body_end, is_closed) = match end {
            Some((at, _)) => (at, begins_any(&block[at..], INVOKE_END) != MarkMatch::Not),
            None => (block.len(), false),
        };
        // What follows a call that nobody closed shows that it was whole.
        let is_whole = is_closed || end.is_some();
        if let Some(arguments) = parameters(&block[tag.rest..body_end], is_closed) {
            calls.push(MarkupCall { name, arguments, is_whole });
        }
        from = body_end.max(tag.rest);
        if end.is_none() {
            break;
        }
    }
    calls
}

/// The arguments of an `invoke`; `None` when they break off, or are none.
fn parameters(body: &str, is_closed: bool) -> Option<String> {
    let mut arguments = Map::new();
    let mut from = 0;
    while let Some((_, name_end)) = find(body, from, PARAMETER) {
        let tag = Tag::read(body, name_end)?;
        let name = tag.attribute("name")?.to_owned();
        let (end, after) = match find(body, tag.rest, &[PARAMETER_END, PARAMETER].concat()) {
            Some((at, end)) if begins_any(&body[at..], PARAMETER_END) != MarkMatch::Not => (at, end),
            Some((at, _)) => (at, at),
            None if is_closed => (body.len(), body.len()),
            None => return None,
        };
        let text = &body[tag.rest..end];
        let value = match tag.attribute("string") {
            Some("false") => serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::from(text)),
            Some(_) => Value::from(text),
            None => Value::from(one_line_off(text)),
        };
        arguments.insert(name, value);
        from = after;
    }
    let left = body.trim();
    match (arguments.is_empty(), left.starts_with('{')) {
        (false, _) => Some(Value::Object(arguments).to_string()),
        // JSON in place of parameters, and nothing at all.
        (true, true) => Some(left.to_owned()),
        (true, false) => left.is_empty().then(|| "{}".to_owned()),
    }
}

fn tool_calls(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<tool_call>"];
    const END: &[&str] = &["</tool_call>", "<tool_call>"];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let end = find(block, start, END);
        let body_end = end.map_or(block.len(), |(at, _)| at);
        let body = block[start..body_end].trim();
        let mut found = if body.starts_with('{') {
            json_call(body).into_iter().collect()
        } else if begins_any(body, &["<function="]) != MarkMatch::Not {
            functions(body)
        } else if begins_any(body, INVOKE) != MarkMatch::Not {
            invokes(body)
        } else {
            keys_and_values(body, end.is_some()).into_iter().collect()
        };
        if end.is_some() {
            found.iter_mut().for_each(|call| call.is_whole = true);
        }
        calls.append(&mut found);
        from = body_end;
    }
    calls
}

/// Qwen3-Coder's functions.
fn functions(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<function="];
    const END: &[&str] = &["</function>", "<function="];
    const KEY: &[&str] = &["<parameter="];
    const KEY_END: &[&str] = &["</parameter>", "<parameter="];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let Some((name, rest)) = block[start..].split_once('>') else { break };
        let start = block.len() - rest.len();
        let end = find(block, start, END);
        let body = &block[start..end.map_or(block.len(), |(at, _)| at)];
        let mut arguments = Map::new();
        let mut is_sound = name.len() <= NAME_LIMIT;
        let mut at = 0;
        while let Some((_, key_start)) = find(body, at, KEY) {
            let value_end = find(body, key_start, KEY_END).map(|(at, _)| at);
            let Some((key, value)) =
                body[key_start..value_end.unwrap_or(body.len())].split_once('>').filter(|_| {
                    // A value that nobody closed ends where its function does.
                    value_end.is_some() || end.is_some()
                })
            else {
                is_sound = false;
                break;
            };
            arguments.insert(key.trim().to_owned(), Value::from(one_line_off(value)));
            at = value_end.unwrap_or(body.len());
        }
        if is_sound {
            let arguments = match body.trim() {
                json if arguments.is_empty() && json.starts_with('{') => json.to_owned(),
                _ => Value::Object(arguments).to_string(),
            };
            calls.push(MarkupCall {
                name: name.trim().trim_matches(['"', '\'']).to_owned(),
                arguments,
                is_whole: end.is_some(),
            });
        }
        let Some((end, _)) = end else { break };
        from = end;
    }
    calls
}

/// GLM's keys and values.
fn keys_and_values(body: &str, is_closed: bool) -> Option<MarkupCall> {
    let name_end = body.find(['<', '\n']).unwrap_or(body.len());
    let name = body[..name_end].trim();
    if name.is_empty() || name.len() > NAME_LIMIT || !name.chars().all(is_of_name) {
        return None;
    }
    let mut arguments = Map::new();
    let mut from = name_end;
    while let Some((_, key_start)) = find(body, from, &["<arg_key>"]) {
        let (key_end, after) = find(body, key_start, &["</arg_key>", "<arg_value>"])?;
        // One of the two marks may be missing.
        let (_, value_start) = if begins(&body[key_end..], "<arg_value>") == MarkMatch::Not {
            find(body, after, &["<arg_value>"])?
        } else {
            (key_end, after)
        };
        let (value_end, after) = match find(body, value_start, &["</arg_value>", "<arg_key>"]) {
            Some((at, end)) if begins(&body[at..], "</arg_value>") != MarkMatch::Not => (at, end),
            Some((at, _)) => (at, at),
            None if is_closed => (body.len(), body.len()),
            None => return None,
        };
        let key = body[key_start..key_end].trim().to_owned();
        arguments.insert(key, Value::from(one_line_off(&body[value_start..value_end])));
        from = after;
    }
    Some(MarkupCall {
        name: name.to_owned(),
        arguments: Value::Object(arguments).to_string(),
        is_whole: is_closed,
    })
}

/// Kimi's and DeepSeek's tokens.
fn tokens(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<|tool_call_begin|>"];
    const END: &[&str] =
        &["<|tool_call_end|>", "<|tool_call_begin|>", "<|tool_calls_end|>", "<|tool_calls_section_end|>"];
    const MIDDLE: &[&str] = &["<|tool_call_argument_begin|>", "<|tool_sep|>"];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let end = find(block, start, END);
        let body_end = end.map_or(block.len(), |(at, _)| at);
        let body = &block[start..body_end];
        from = body_end;
        let Some((head_end, tail_start)) = find(body, 0, MIDDLE) else { continue };
        let (head, tail) = (body[..head_end].trim(), &body[tail_start..]);
        let (name, arguments) = match head {
            // R1 says first what it calls, then its name, then the arguments in a fence.
            "function" | "" => tail.trim_start().split_once('\n').unwrap_or((tail, "")),
            _ => (head, tail),
        };
        let arguments = out_of_fence(arguments.trim());
        calls.push(MarkupCall {
            name: name.trim().to_owned(),
            arguments: if arguments.is_empty() { "{}" } else { arguments }.to_owned(),
            is_whole: end.is_some() || is_balanced(arguments),
        });
    }
    calls
}

/// Mistral's calls: a list in JSON, or name and arguments, one behind the other.
fn mistral(inner: &str) -> Vec<MarkupCall> {
    let whole = inner.trim();
    if whole.starts_with(['[', '{']) {
        let mut values = serde_json::Deserializer::from_str(whole).into_iter::<Value>();
        return match values.next() {
            Some(Ok(Value::Array(list))) => list.iter().filter_map(|value| call_of(value, false)).collect(),
            Some(Ok(value)) => call_of(&value, false).into_iter().collect(),
            _ => json_call(whole).into_iter().collect(),
        };
    }
    let parts = whole.split("[TOOL_CALLS]").map(str::trim).filter(|part| !part.is_empty());
    let call = |part: &str| {
        let at = part.find(['[', '{'])?;
        let (name, rest) = (part[..at].trim(), &part[at..]);
        let arguments = rest.split_once("[ARGS]").map_or(rest, |(_, arguments)| arguments).trim();
        Some(MarkupCall {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            is_whole: is_balanced(arguments),
        })
    };
    parts.filter_map(call).collect()
}

/// LM Studio's requests.
fn requests(block: &str, form: &MarkupForm) -> Vec<MarkupCall> {
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, form.opens) {
        from = find(block, start, form.closes).map_or(block.len(), |(at, _)| at);
        calls.extend(json_call(&block[start..from]));
    }
    calls
}

/// A call in JSON that need not be sound.
fn json_call(text: &str) -> Option<MarkupCall> {
    let text = text.trim();
    // What was cut is whole only if nothing had to be mended.
    let is_whole = is_balanced(text);
    Some(MarkupCall { is_whole, ..call_of(&arguments::mended(text)?, false)? })
}

/// The calls in JSON that is sound and holds nothing else; none where anything is wrong with it.
fn exact_calls(text: &str) -> Vec<MarkupCall> {
    let Ok(value) = serde_json::from_str::<Value>(text.trim()) else { return Vec::new() };
    let calls: Option<Vec<MarkupCall>> = match value.get("tool_calls").and_then(Value::as_array) {
        Some(list) if value.as_object().is_some_and(|members| members.len() == 1) => {
            list.iter().map(|value| call_of(value, true)).collect()
        }
        _ => call_of(&value, true).map(|call| vec![call]),
    };
    calls.unwrap_or_default()
}

/// The call that an object is. Where it must be `exact` it has a name, arguments that are an object, and nothing that
/// a call has not.
fn call_of(value: &Value, exact: bool) -> Option<MarkupCall> {
    let members = value.as_object()?;
    // `{"type": "function", "function": {"name": …}}`
    if let Some(function) = members.get("function").filter(|function| function.is_object()) {
        return call_of(function, exact);
    }
    let name = NAMES.iter().find_map(|key| members.get(*key)?.as_str())?;
    let arguments = ARGUMENTS.iter().find_map(|key| members.get(*key));
    if exact {
        let is_known = |key: &String| {
            NAMES.contains(&key.as_str())
                || ARGUMENTS.contains(&key.as_str())
                || OTHERS.contains(&key.as_str())
        };
        if !members.keys().all(is_known) || !arguments.is_some_and(Value::is_object) {
            return None;
        }
    }
    let arguments = match arguments {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    Some(MarkupCall { name: name.to_owned(), arguments, is_whole: true })
}

/// Whether a text is one JSON value that can be read, and nothing more.
fn is_balanced(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}

/// A value without the line feeds that set it off from its tags.
fn one_line_off(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// What stands in a fence of Markdown, where there is one.
fn out_of_fence(text: &str) -> &str {
    let Some((_, inner)) = text.strip_prefix("```").and_then(|text| text.split_once('\n')) else {
        return text;
    };
    inner.rsplit_once("```").map_or(inner, |(inner, _)| inner).trim()
}
