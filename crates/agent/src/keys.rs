//! Removes the user's API keys from what services and pages say. A service that repeats its key in an
//! answer must not bring it onto the screen, onto the disk, or to the next service.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;
use sidecar_llm::{ChatRequest, Message};
use sidecar_protocol::ModelError;
use sidecar_protocol::settings::ModelInfo;
use sidecar_protocol::thread::ToolOutcome;

use crate::log::Event;

/// Minimum length of a key in bytes: a shorter one may be part of many words.
const SHORTEST: usize = 8;

/// From this length on, no key is taken for a word.
const LONGEST_WORD: usize = 20;

/// How many levels of JSON escaping are looked through: arguments are JSON in JSON, and may contain JSON
/// themselves.
const ESCAPED: u8 = 3;

/// Replaces a key.
const CONCEALED: &str = "…";

/// All keys that are saved, whichever service is in use.
#[derive(Clone, Default)]
pub struct Keys(Rc<[String]>);

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({})", self.0.len())
    }
}

impl Keys {
    /// The keys to remove. Values that are not secret are ignored: those that are too short, or plain words
    /// like `not-needed`, which local servers accept and which would be cut out of every text. The rest is
    /// visible ASCII.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = String>) -> Self {
        let mut keys: Vec<String> = keys.into_iter().filter(|key| is_secret(key)).collect();
        keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.len()));
        Self(keys.into())
    }

    /// The text without keys, and without most of a key at its end.
    #[must_use]
    pub fn conceal(&self, text: String) -> String {
        self.concealed(&text).unwrap_or(text)
    }

    /// The event with keys removed from all text that comes from others.
    #[must_use]
    pub fn conceal_event(&self, event: Event) -> Event {
        let is_of_others = matches!(
            event,
            Event::ModelAnswered { .. }
                | Event::ModelFailed { .. }
                | Event::Compacted { .. }
                | Event::Suspected { .. }
                | Event::ToolFinished { .. }
                | Event::TurnEnded { .. }
        );
        if self.0.is_empty() || !is_of_others {
            return event;
        }
        let Ok(mut value) = serde_json::to_value(&event) else { return event };
        if !self.conceal_value(&mut value) {
            return event;
        }
        let mut event = serde_json::from_value(value).unwrap_or(event);
        if let Event::ModelAnswered { provider_state: Some(provider_state), .. } = &mut event {
            // It goes back to the service unchanged or not at all.
            provider_state.items.clear();
        }
        event
    }

    /// The outcome with keys removed from the tool's text.
    #[must_use]
    pub fn conceal_outcome(&self, outcome: ToolOutcome) -> ToolOutcome {
        if self.0.is_empty() {
            return outcome;
        }
        let Ok(mut value) = serde_json::to_value(&outcome) else { return outcome };
        match self.conceal_value(&mut value) {
            true => serde_json::from_value(value).unwrap_or(outcome),
            false => outcome,
        }
    }

    /// A service's list of models, or its refusal, with keys removed.
    ///
    /// # Errors
    /// The refusal.
    pub fn conceal_models(
        &self,
        listed: Result<Vec<ModelInfo>, ModelError>,
    ) -> Result<Vec<ModelInfo>, ModelError> {
        let concealed = |model: ModelInfo| ModelInfo {
            id: self.conceal(model.id),
            name: self.conceal(model.name),
            ..model
        };
        match listed {
            Ok(models) => Ok(models.into_iter().map(concealed).collect()),
            Err(error) => Err(ModelError { message: self.conceal(error.message), ..error }),
        }
    }

    /// The request with keys removed from every message, of whatever age and author.
    #[must_use]
    pub fn conceal_request(&self, mut request: ChatRequest) -> ChatRequest {
        if self.0.is_empty() {
            return request;
        }
        let conceal = |text: &mut String| {
            if let Some(other) = self.concealed(text) {
                *text = other;
            }
        };
        for message in &mut request.messages {
            match message {
                Message::System { text } | Message::User { text } => conceal(text),
                Message::Image { .. } => {}
                Message::Tool { call_id, name, text } => [call_id, name, text].into_iter().for_each(conceal),
                Message::Assistant { reasoning, text, calls, provider_state } => {
                    conceal(reasoning);
                    conceal(text);
                    for call in calls {
                        [&mut call.id, &mut call.name, &mut call.arguments].into_iter().for_each(conceal);
                    }
                    if let Some(provider_state) = provider_state
                        && provider_state.items.iter_mut().any(|item| self.conceal_value(item))
                    {
                        provider_state.items.clear();
                    }
                }
            }
        }
        for tool in &mut request.tools {
            conceal(&mut tool.description);
            self.conceal_value(&mut tool.parameters);
        }
        request
    }

    /// Removes keys from every text in a value. Returns whether there were any.
    fn conceal_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.concealed(text) {
                Some(concealed) => {
                    *text = concealed;
                    true
                }
                None => false,
            },
            Value::Array(list) => {
                list.iter_mut().fold(false, |is_changed, member| self.conceal_value(member) | is_changed)
            }
            Value::Object(members) => {
                let mut is_changed = false;
                if members.keys().any(|name| self.concealed(name).is_some()) {
                    let all = std::mem::take(members);
                    *members = all.into_iter().map(|(name, member)| (self.conceal(name), member)).collect();
                    is_changed = true;
                }
                members
                    .values_mut()
                    .fold(is_changed, |is_changed, member| self.conceal_value(member) | is_changed)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// The text without keys; `None` if it contains none.
    fn concealed(&self, text: &str) -> Option<String> {
        let mut concealed = String::new();
        let mut done = 0;
        let mut from = 0;
        while let Some(found) = self.find(text, from) {
            concealed.push_str(text.get(done..found.start.max(done))?);
            concealed.push_str(CONCEALED);
            (done, from) = (found.end, found.end);
        }
        if done == 0 {
            return None;
        }
        concealed.push_str(&text[done..]);
        Some(concealed)
    }

    /// Range of the first key after a position, plain or escaped.
    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            let is_slash = bytes[at] == b'\\';
            if (is_slash || self.begins_with(bytes[at]))
                && let Some(end) = self.end(text, at)
            {
                // Half an escape before the key would make the JSON invalid.
                let slashes = bytes[from..at].iter().rev().take_while(|byte| **byte == b'\\').count();
                return Some(at - slashes % 2..end);
            }
            // A backslash that is itself escaped does not escape what follows.
            at += if is_slash && bytes.get(at + 1) == Some(&b'\\') { 2 } else { 1 };
        }
        None
    }

    /// Where a key ends that starts at this position, or the end of the text if that cuts the key.
    fn end(&self, text: &str, at: usize) -> Option<usize> {
        let is_there = |key: &String| (0..=ESCAPED).find_map(|depth| matched(text, at, key, depth));
        let end = self.0.iter().find_map(is_there);
        end.or_else(|| self.is_most_of_one(&text.as_bytes()[at..]).then_some(text.len()))
    }

    fn begins_with(&self, byte: u8) -> bool {
        self.0.iter().any(|key| key.as_bytes()[0] == byte)
    }

    /// Whether this is the beginning of a key, and at least half of it.
    fn is_most_of_one(&self, rest: &[u8]) -> bool {
        let is = |key: &String| key.as_bytes().starts_with(rest) && 2 * rest.len() >= key.len();
        rest.len() >= SHORTEST && self.0.iter().any(is)
    }
}

/// Whether a key is long enough and not a plain word.
fn is_secret(key: &str) -> bool {
    let is_word = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_punctuation());
    key.bytes().all(|byte| byte.is_ascii_graphic())
        && key.len() >= SHORTEST
        && (!is_word || key.len() >= LONGEST_WORD || key.starts_with("sk-"))
}

/// Where a key ends that stands at this position, with this many levels of escaping.
fn matched(text: &str, at: usize, key: &str, depth: u8) -> Option<usize> {
    if depth == 0 {
        return text.as_bytes()[at..].starts_with(key.as_bytes()).then(|| at + key.len());
    }
    key.chars().try_fold(at, |at, wanted| {
        let (c, end) = character(text, at, depth)?;
        (c == wanted).then_some(end)
    })
}

/// The character at a position with this many levels of escaping, and the position of the next one.
fn character(text: &str, at: usize, depth: u8) -> Option<(char, usize)> {
    let Some(outer) = depth.checked_sub(1) else {
        let c = text.get(at..)?.chars().next()?;
        return Some((c, at + c.len_utf8()));
    };
    let (c, end) = character(text, at, outer)?;
    if c != '\\' {
        return Some((c, end));
    }
    let (c, mut end) = character(text, end, outer)?;
    match c {
        '"' | '\\' | '/' => return Some((c, end)),
        'u' => {}
        // Other escapes stand for characters that no key contains.
        _ => return None,
    }
    let mut code = 0;
    for _ in 0..4 {
        let (digit, after) = character(text, end, outer)?;
        (code, end) = (code * 16 + digit.to_digit(16)?, after);
    }
    Some((char::from_u32(code)?, end))
}

/// Removes keys from a text that arrives in pieces. What may be the beginning of a key is held back until
/// the next piece decides.
#[derive(Debug, Default)]
pub struct Veil {
    keys: Keys,
    held: String,
}

impl Veil {
    /// For the beginning of a text.
    #[must_use]
    pub fn new(keys: &Keys) -> Self {
        Self { keys: keys.clone(), held: String::new() }
    }

    /// Takes the next piece. Returns the part of the text that is certain by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut shown = String::new();
        let mut from = 0;
        let bytes = self.held.as_bytes();
        while let Some(at) = (from..bytes.len()).find(|at| self.keys.begins_with(bytes[*at])) {
            let rest = &bytes[at..];
            shown.push_str(&self.held[from..at]);
            // One key may be a prefix of another.
            if self.keys.0.iter().any(|key| key.len() > rest.len() && key.as_bytes().starts_with(rest)) {
                self.held.drain(..at);
                return shown;
            }
            match self.keys.0.iter().find(|key| rest.starts_with(key.as_bytes())) {
                Some(key) => {
                    shown.push_str(CONCEALED);
                    from = at + key.len();
                }
                None => {
                    shown.push_str(&self.held[at..=at]);
                    from = at + 1;
                }
            }
        }
        shown.push_str(&self.held[from..]);
        self.held.clear();
        shown
    }

    /// Ends the text. Returns what was held back.
    pub fn end(&mut self) -> String {
        self.keys.conceal(std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
mod tests;
