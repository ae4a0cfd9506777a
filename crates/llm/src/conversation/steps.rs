//! A conversation as services accept it.
//!
//! They refuse one in which a call has no result, a result no call, or an answer neither words nor calls; a thread in
//! which that once happened would be lost. So results are put to their calls, a missing one is said to be missing,
//! and what belongs to nothing is left out. The protocols lay out what is left.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::conversation::message::{CallRecord, Message};
use crate::conversation::provider_state::AnswerSource;
use crate::tools::arguments::is_object;
use crate::wire::WireProtocol;

/// What is said of a call whose result was never recorded.
pub(crate) const NO_RESULT: &str = "No result was recorded for this call. Its effect is unknown.";

/// Longest id of a call that every service takes, in bytes; OpenAI cuts longer ones off.
const ID_LIMIT: usize = 40;

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConversationStep<'a> {
    System(&'a str),
    User(&'a str),
    /// An earlier answer with the results of its calls.
    Answer(EarlierAnswer<'a>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EarlierAnswer<'a> {
    /// Empty for the thoughts of another service, which are of no use to this one.
    pub(crate) reasoning: &'a str,
    pub(crate) text: &'a str,
    pub(crate) calls: Vec<AnsweredCall<'a>>,
    /// What the service that is asked gave with this answer; empty where it was another.
    pub(crate) provider_state: &'a [Value],
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnsweredCall<'a> {
    pub(crate) record: &'a CallRecord,
    /// The id on the wire.
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    /// JSON text of an object.
    pub(crate) arguments: Cow<'a, str>,
    pub(crate) result: &'a str,
}

impl AnsweredCall<'_> {
    /// The arguments as an object.
    pub(crate) fn input(&self) -> Map<String, Value> {
        serde_json::from_str(&self.arguments).unwrap_or_default()
    }
}

/// The steps of a conversation, in the form for this source.
pub(crate) fn read<'a>(messages: &'a [Message], source: &AnswerSource) -> Vec<ConversationStep<'a>> {
    let mut steps = Vec::with_capacity(messages.len());
    let mut calls_so_far = 0;
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match message {
            Message::System { text } => steps.push(ConversationStep::System(text)),
            Message::User { text } => steps.push(ConversationStep::User(text)),
            Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => {}
            Message::Assistant { reasoning, text, calls, provider_state } => {
                let is_ours =
                    provider_state.as_ref().is_some_and(|provider_state| provider_state.source == *source);
                // Of answers that are older than this distinction, nearly all are from Chat Completions.
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
                            }
                        })
                        .collect(),
                    provider_state: provider_state
                        .as_ref()
                        .filter(|_| is_ours)
                        .map_or(&[], |provider_state| provider_state.items.as_slice()),
                }));
            }
            // A result that follows no call.
            Message::Tool { .. } => {}
        }
    }
    steps
}

/// The agent's instructions, for protocols that have a field of their own for them.
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

/// The results that stand at the beginning, and what follows them.
fn split_results(messages: &[Message]) -> (&[Message], &[Message]) {
    let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
    messages.split_at(messages.iter().take_while(is_result).count())
}

fn result_of<'a>(call: &CallRecord, results: &'a [Message]) -> Option<&'a str> {
    results.iter().find_map(|message| match message {
        Message::Tool { call_id, text, .. } if *call_id == call.id => Some(text.as_str()),
        Message::Tool { .. } | Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => {
            None
        }
    })
}

fn is_portable(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// An id that another service made becomes one that every service takes: Anthropic refuses Kimi's `functions.find:0`.
/// `number` tells those apart that would look the same.
fn portable_id(id: &str, number: usize) -> Cow<'_, str> {
    if (1..=ID_LIMIT).contains(&id.len()) && id.chars().all(is_portable) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("call_{number}"))
}

/// A name that a model made up (`functions.search:0`, or none at all) goes back as one that services accept: they check
/// the names of the whole history against the pattern of tool names and would refuse the thread for ever.
fn portable_name(name: &str) -> Cow<'_, str> {
    if (1..=64).contains(&name.len()) && name.chars().all(is_portable) {
        return Cow::Borrowed(name);
    }
    let portable: String = name.chars().take(64).map(|c| if is_portable(c) { c } else { '_' }).collect();
    Cow::Owned(if portable.is_empty() { "unknown".to_owned() } else { portable })
}

/// Arguments go back as they came. Only those that are no JSON object are put into one: vLLM, SGLang and llama-server
/// parse the arguments of the whole history and refuse the request when one does not parse, so that a single slip of
/// the model would be the end of its thread (<https://github.com/vllm-project/vllm/pull/48922>).
fn sound_arguments(arguments: &str) -> Cow<'_, str> {
    if is_object(arguments) {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "invalid_json": arguments }).to_string())
    }
}
