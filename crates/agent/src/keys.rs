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
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use sidecar_llm::{CallRecord, ProviderState, ToolDefinition};
    use sidecar_protocol::thread::ToolOutcome;
    use sidecar_protocol::{CallId, ErrorClass};

    use super::*;
    use crate::log::Ending;
    use crate::testing::{calling, meant};

    const KEY: &str = "sk-4f9a-Zy\"x\\1234";

    fn keys() -> Keys {
        Keys::new([KEY, "sk-4f9a-Zy", "short", "nvapi-88442211"].map(str::to_owned))
    }

    #[test]
    fn key_is_concealed_wherever_it_stands() {
        let conceal = |text: &str| keys().conceal(text.to_owned());
        for (text, expected) in [
            (KEY.to_owned(), "…"),
            (format!("Your key is {KEY}."), "Your key is …."),
            (format!("{KEY}{KEY}"), "……"),
            ("sk-4f9a-Zyx".to_owned(), "…x"),
            ("a short sk-4f9a-Z".to_owned(), "a short …"),
            ("sk-4f9".to_owned(), "sk-4f9"),
            ("字nvapi-88442211字".to_owned(), "字…字"),
        ] {
            assert_eq!(conceal(&text), expected, "{text}");
        }
    }

    #[test]
    fn plain_word_is_no_secret_key() {
        let kept = |key: &str| Keys::new([key.to_owned()]).conceal(format!("It is {key}.")) != "It is ….";
        assert!(["not-needed", "lm-studio", "password", "anything"].into_iter().all(kept));
        assert!(!["sk-secret", "hunter22", "Anything", "correcthorsebatterystaple"].into_iter().any(kept));
    }

    #[test]
    fn key_in_a_tools_definition_reaches_no_service() {
        let parameters = json!({ "enum": [KEY], "title": format!("Not {KEY}") });
        let tool =
            ToolDefinition { name: "pick".to_owned(), description: format!("Takes {KEY}"), parameters };
        let request = ChatRequest { tools: vec![tool], ..ChatRequest::default() };
        let concealed = keys().conceal_request(request);
        assert_eq!(concealed.tools[0].description, "Takes …");
        assert_eq!(concealed.tools[0].parameters, json!({ "enum": ["…"], "title": "Not …" }));
    }

    #[test]
    fn list_of_models_and_its_refusal_hold_no_key() {
        let model = ModelInfo { id: KEY.to_owned(), name: format!("Not {KEY}"), ..ModelInfo::default() };
        let listed = keys().conceal_models(Ok(vec![model])).unwrap();
        assert_eq!((listed[0].id.as_str(), listed[0].name.as_str()), ("…", "Not …"));
        let refusal = ModelError::new(ErrorClass::Auth, format!("Wrong key: {KEY}"));
        assert_eq!(keys().conceal_models(Err(refusal)).unwrap_err().message, "Wrong key: …");
    }

    #[test]
    fn key_is_concealed_when_escaped_and_json_stays_valid() {
        let keys = || Keys::new([KEY, "nvapi-88442211"].map(str::to_owned));
        for depth in 1..=3 {
            for key in [
                KEY.to_owned(),
                format!("\\{KEY}"),
                format!("\n{KEY}"),
                "\nvapi-88442211 nvapi-88442211".to_owned(),
            ] {
                let unicode = |text: &str| text.replace("sk", "\\u0073\\u006B").replace('-', "\\u002d");
                let (mut plain, mut odd) =
                    (json!({ "a": key }).to_string(), unicode(&json!({ "a": key }).to_string()));
                for _ in 1..depth {
                    (plain, odd) = (json!([plain]).to_string(), json!([odd]).to_string());
                }
                for text in [plain, odd] {
                    let concealed = keys().conceal(text.clone());
                    assert!(serde_json::from_str::<Value>(&concealed).is_ok(), "{text} {concealed}");
                    assert!(
                        concealed.contains('…') && !concealed.contains("1234") && !concealed.contains("8844"),
                        "{concealed}"
                    );
                }
            }
        }
    }

    #[test]
    fn key_is_concealed_in_every_part_of_an_answer() {
        let record = CallRecord {
            id: KEY.to_owned(),
            name: KEY.to_owned(),
            arguments: json!({ KEY: KEY }).to_string(),
        };
        let mut event = calling(vec![meant(CallId::from("c"), record, None)]);
        if let Event::ModelAnswered { text, reasoning, provider_state, notes, ending, .. } = &mut event {
            (*text, *reasoning, *ending) = (KEY.to_owned(), format!("hm {KEY}"), Ending::Length);
            *provider_state =
                Some(ProviderState { items: vec![json!({ "text": KEY })], ..ProviderState::default() });
            notes.push(KEY.to_owned());
        }
        let concealed = serde_json::to_string(&keys().conceal_event(event.clone())).unwrap();
        assert!(!concealed.contains("1234") && concealed.contains("hm …"), "{concealed}");
        assert_eq!(Keys::default().conceal_event(event.clone()), event);
        let result = |text: &str| Event::ToolFinished {
            call: CallId::from("c"),
            outcome: ToolOutcome::ok(text),
            duration_ms: 1,
        };
        assert_eq!(
            keys().conceal_event(result(&format!("{{\"key\":{}}}", json!(KEY)))),
            result("{\"key\":\"…\"}")
        );
    }

    #[test]
    fn key_is_concealed_in_every_message_of_a_request() {
        let request = ChatRequest {
            messages: vec![
                Message::User { text: KEY.to_owned() },
                Message::Assistant {
                    reasoning: KEY.to_owned(),
                    text: KEY.to_owned(),
                    calls: vec![CallRecord {
                        id: "a".to_owned(),
                        name: "b".to_owned(),
                        arguments: json!([KEY]).to_string(),
                    }],
                    provider_state: Some(ProviderState {
                        items: vec![json!(KEY)],
                        ..ProviderState::default()
                    }),
                },
                Message::Tool { call_id: "a".to_owned(), name: "b".to_owned(), text: KEY.to_owned() },
            ],
            ..ChatRequest::default()
        };
        let concealed = keys().conceal_request(request.clone());
        let text = format!("{:?}", concealed.messages);
        assert!(!text.contains("1234") && text.matches('…').count() == 5, "{text}");
    }

    #[test]
    fn key_is_concealed_at_every_cut_of_a_stream() {
        let text = format!("sk- a {KEY}, sk-4f9a-Zy and nvapi-88442211 sk-4f9a");
        let expected = "sk- a …, … and … sk-4f9a";
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut veil = Veil::new(&keys());
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let mut shown: String = pieces.iter().map(|piece| veil.push(piece)).collect();
                shown.push_str(&veil.end());
                assert_eq!(shown, expected, "{pieces:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn veil_gives_the_same_text_at_every_cut(text in "(sk-|sk-4f9a-Zy|\"x|\\\\1234|nvapi|-88442211|\\PC){0,20}", at in 0_usize..60) {
            let mut whole = Veil::new(&keys());
            let expected = whole.push(&text) + &whole.end();
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            let mut veil = Veil::new(&keys());
            let shown = veil.push(&text[..at]) + &veil.push(&text[at..]) + &veil.end();
            prop_assert_eq!(&shown, &expected);
            prop_assert!(keys().0.iter().all(|key| !shown.contains(key.as_str())));
        }

        #[test]
        fn veil_leaves_a_text_without_keys_unchanged(text in "(sk-secr|sk-|s|[a-df-r\\\\ \"{}u0-57-9字-]){0,40}") {
            prop_assert_eq!(Keys::new(["sk-secret-key".to_owned()]).conceal(text.clone()), text);
        }
    }
}
