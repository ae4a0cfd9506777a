//! Normalises a conversation so that services accept it.
//!
//! They refuse a request with a call that has no result, a result without a call, or an answer with neither
//! text nor calls. A thread in which that happens once could not continue. So each result is matched to its
//! call, a missing result is reported as missing, and orphans are left out. The protocols serialise what
//! remains.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::conversation::image::Image;
use crate::conversation::message::{CallRecord, Message};
use crate::conversation::provider_state::AnswerSource;
use crate::tools::arguments::is_object;
use crate::wire::WireProtocol;

/// The result of a call for which none was recorded.
pub(crate) const NO_RESULT: &str = "No result was recorded for this call. Its effect is unknown.";

/// Maximum length in bytes of a call id that every service accepts; OpenAI cuts longer ones.
const ID_LIMIT: usize = 40;

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConversationStep<'a> {
    System(&'a str),
    /// What the user said and showed: one text, or several parts of which one at least is a picture.
    User(Vec<UserPart<'a>>),
    /// An earlier answer, with the results of its calls.
    Answer(EarlierAnswer<'a>),
}

/// A part of what the user said and showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum UserPart<'a> {
    Text(&'a str),
    Image(&'a Image),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EarlierAnswer<'a> {
    /// Empty for the reasoning of another service, which this one cannot use.
    pub(crate) reasoning: &'a str,
    pub(crate) text: &'a str,
    pub(crate) calls: Vec<AnsweredCall<'a>>,
    /// The provider state of this answer if it came from the requested service, otherwise empty.
    pub(crate) provider_state: &'a [Value],
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnsweredCall<'a> {
    pub(crate) record: &'a CallRecord,
    /// The id as it is sent.
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    /// JSON text of an object.
    pub(crate) arguments: Cow<'a, str>,
    pub(crate) result: &'a str,
    /// The pictures in the result.
    pub(crate) images: Vec<&'a Image>,
}

impl AnsweredCall<'_> {
    /// The arguments as an object.
    pub(crate) fn input(&self) -> Map<String, Value> {
        serde_json::from_str(&self.arguments).unwrap_or_default()
    }

    /// Says whose pictures follow, where a result cannot hold them.
    pub(crate) fn caption(&self) -> String {
        format!("[From the result of `{}`:]", self.name)
    }
}

impl UserPart<'_> {
    fn is_image(&self) -> bool {
        matches!(self, Self::Image(_))
    }
}

/// The steps of a conversation, for a request to this source.
pub(crate) fn read<'a>(messages: &'a [Message], source: &AnswerSource) -> Vec<ConversationStep<'a>> {
    let mut steps = Vec::with_capacity(messages.len());
    let mut calls_so_far = 0;
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match message {
            Message::System { text } => steps.push(ConversationStep::System(text)),
            Message::User { text } => match steps.last_mut() {
                // Only beside pictures: some services take no parts, only one text.
                Some(ConversationStep::User(parts)) if parts.iter().any(UserPart::is_image) => {
                    parts.push(UserPart::Text(text));
                }
                _ => steps.push(ConversationStep::User(vec![UserPart::Text(text)])),
            },
            Message::Image { call_id: None, image } => match steps.last_mut() {
                Some(ConversationStep::User(parts)) => parts.push(UserPart::Image(image)),
                _ => steps.push(ConversationStep::User(vec![UserPart::Image(image)])),
            },
            Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => {}
            Message::Assistant { reasoning, text, calls, provider_state } => {
                let is_ours =
                    provider_state.as_ref().is_some_and(|provider_state| provider_state.source == *source);
                // Nearly all answers without a recorded source are from Chat Completions.
                let is_foreign = provider_state
                    .as_ref()
                    .map_or(source.protocol != WireProtocol::ChatCompletions, |_| !is_ours);
                let (results, after) = split_results(rest);
                rest = after;
                steps.push(ConversationStep::Answer(EarlierAnswer {
                    reasoning: if is_foreign { "" } else { reasoning },
                    text,
                    calls: calls
                        .iter()
                        .map(|record| {
                            calls_so_far += 1;
                            AnsweredCall {
                                record,
                                id: if is_foreign {
                                    portable_id(&record.id, calls_so_far)
                                } else {
                                    Cow::Borrowed(record.id.as_str())
                                },
                                name: portable_name(&record.name),
                                arguments: sound_arguments(&record.arguments),
                                result: result_of(record, results).unwrap_or(NO_RESULT),
                                images: images_of(record, results),
                            }
                        })
                        .collect(),
                    provider_state: provider_state
                        .as_ref()
                        .filter(|_| is_ours)
                        .map_or(&[], |provider_state| provider_state.items.as_slice()),
                }));
            }
            // A result without a call.
            Message::Tool { .. } | Message::Image { call_id: Some(_), .. } => {}
        }
    }
    steps
}

/// The system messages as one text, for protocols with a field of their own for them.
pub(crate) fn instructions(steps: &[ConversationStep<'_>]) -> String {
    let texts: Vec<_> = steps
        .iter()
        .filter_map(|steps| match steps {
            ConversationStep::System(text) => Some(*text),
            ConversationStep::User(_) | ConversationStep::Answer(_) => None,
        })
        .collect();
    texts.join("\n\n")
}

/// Splits off the results at the beginning.
fn split_results(messages: &[Message]) -> (&[Message], &[Message]) {
    let is_result = |message: &&Message| {
        matches!(message, Message::Tool { .. } | Message::Image { call_id: Some(_), .. })
    };
    messages.split_at(messages.iter().take_while(is_result).count())
}

fn result_of<'a>(call: &CallRecord, results: &'a [Message]) -> Option<&'a str> {
    results.iter().find_map(|message| match message {
        Message::Tool { call_id, text, .. } if *call_id == call.id => Some(text.as_str()),
        _ => None,
    })
}

fn images_of<'a>(call: &CallRecord, results: &'a [Message]) -> Vec<&'a Image> {
    let image = |message: &'a Message| match message {
        Message::Image { call_id: Some(id), image } if *id == call.id => Some(image),
        _ => None,
    };
    results.iter().filter_map(image).collect()
}

fn is_portable(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Turns the id of another service into one that every service accepts: Anthropic refuses Kimi's
/// `functions.find:0`. `number` distinguishes ids that would become equal.
fn portable_id(id: &str, number: usize) -> Cow<'_, str> {
    if (1..=ID_LIMIT).contains(&id.len()) && id.chars().all(is_portable) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("call_{number}"))
}

/// Turns a name that the model made up (`functions.search:0`, or an empty one) into one that services
/// accept: they check every name in the history against the pattern of tool names, and would refuse the
/// thread for ever.
fn portable_name(name: &str) -> Cow<'_, str> {
    if (1..=64).contains(&name.len()) && name.chars().all(is_portable) {
        return Cow::Borrowed(name);
    }
    let portable: String = name.chars().take(64).map(|c| if is_portable(c) { c } else { '_' }).collect();
    Cow::Owned(if portable.is_empty() { "unknown".to_owned() } else { portable })
}

/// Arguments are sent back unchanged unless they are not a JSON object; those are wrapped in one. vLLM,
/// SGLang and llama-server parse the arguments of the whole history and refuse the request if any are
/// invalid, so one mistake of the model would end its thread
/// (<https://github.com/vllm-project/vllm/pull/48922>).
fn sound_arguments(arguments: &str) -> Cow<'_, str> {
    if is_object(arguments) {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "invalid_json": arguments }).to_string())
    }
}
