//! The calls of a recorded turn: which of them a case can expect.

use serde_json::Value;
use sidecar_form::Json;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::recording::{RecordedToolCall, RecordedTurn};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

use crate::masked::hidden;
use crate::schema_at::SchemaAt;
use crate::secrets::KnownSecrets;

/// A call that counts.
#[derive(Debug)]
pub(crate) struct CountedCall<'t> {
    pub(crate) call: &'t RecordedToolCall,
    /// Its arguments; what the tool's schema said to be secret is masked.
    pub(crate) arguments: Json,
    /// Its arguments as they were.
    pub(crate) made: Value,
}

/// The calls of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnCalls<'t> {
    /// Those that count, by the answer that made them.
    pub(crate) answers: Vec<Vec<CountedCall<'t>>>,
    /// Names of tools of which a call failed and was tried again.
    pub(crate) retried: Vec<&'t str>,
    /// Names of tools of which a call was not carried out.
    pub(crate) not_run: Vec<&'t str>,
}

impl<'t> TurnCalls<'t> {
    /// Sorts the calls of a turn, and notes the secrets in them.
    pub(crate) fn of(
        turn: &'t RecordedTurn,
        schema: impl Fn(&str) -> Option<&'t Value>,
        secrets: &mut KnownSecrets,
    ) -> Self {
        let mut calls = Self::default();
        for (number, answer) in turn.answers.iter().enumerate() {
            let mut counted = Vec::new();
            for call in &answer.calls {
                let comes_again = || {
                    turn.answers
                        .iter()
                        .skip(number + 1)
                        .flat_map(|answer| &answer.calls)
                        .any(|later| later.tool == call.tool)
                };
                let read = CountedCall::read(call, schema(&call.tool), secrets);
                match fate(&call.outcome) {
                    CallFate::Failed { .. } if comes_again() => note(&mut calls.retried, &call.tool),
                    CallFate::Ok | CallFate::Failed { ran: true } if read.is_some() => counted.extend(read),
                    CallFate::Ok | CallFate::Failed { .. } | CallFate::NotRun => {
                        note(&mut calls.not_run, &call.tool);
                    }
                }
            }
            calls.answers.push(counted);
        }
        calls
    }
}

fn note<'t>(names: &mut Vec<&'t str>, name: &'t str) {
    if !names.contains(&name) {
        names.push(name);
    }
}

impl<'t> CountedCall<'t> {
    /// `None` if the arguments are no object.
    fn read(call: &'t RecordedToolCall, schema: Option<&Value>, secrets: &mut KnownSecrets) -> Option<Self> {
        let text = match call.arguments.trim() {
            "" => "{}",
            text => text,
        };
        if let Some(result) = call.outcome.text() {
            match Json::read(&result) {
                Ok(result) => secrets.note(&result, &SchemaAt::root(None)),
                Err(_) => secrets.note_words(&result),
            }
        }
        let (Ok(mut arguments @ Json::Object(_)), Ok(made)) = (Json::read(text), serde_json::from_str(text))
        else {
            secrets.note_words(text);
            return None;
        };
        for pointer in &call.secrets {
            if let Some(place) = place(&mut arguments, pointer) {
                secrets.note_all(place);
                *place = hidden(place);
            }
        }
        secrets.note(&arguments, &SchemaAt::root(schema));
        Some(Self { call, arguments, made })
    }
}

/// The value at a JSON Pointer.
fn place<'v>(mut value: &'v mut Json, pointer: &str) -> Option<&'v mut Json> {
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        value = match value {
            Json::Object(members) => &mut members.iter_mut().find(|(key, _)| *key == step)?.1,
            Json::Array(items) => items.get_mut(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => return None,
        };
    }
    Some(value)
}

/// How a call ended, as far as a case is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallFate {
    Ok,
    Failed {
        ran: bool,
    },
    /// Somebody decided that it does not run, or stopped it.
    NotRun,
}

fn fate(outcome: &ToolOutcome) -> CallFate {
    match outcome {
        ToolOutcome::Ok { .. } => CallFate::Ok,
        ToolOutcome::Failed { code, .. } => CallFate::Failed {
            ran: match code {
                ToolFailure::Page(FailureCode::Threw | FailureCode::TooLarge | FailureCode::Navigated)
                | ToolFailure::Action(_) => true,
                ToolFailure::Page(
                    FailureCode::NotFound
                    | FailureCode::BadArguments
                    | FailureCode::Cancelled
                    | FailureCode::Blocked,
                )
                | ToolFailure::UnknownTool
                | ToolFailure::BadArguments
                | ToolFailure::Changed
                | ToolFailure::Off
                | ToolFailure::Unreachable => false,
            },
        },
        ToolOutcome::TimedOut { .. } | ToolOutcome::Interrupted => CallFate::Failed { ran: true },
        ToolOutcome::Declined | ToolOutcome::Cancelled | ToolOutcome::Repeated { .. } => CallFate::NotRun,
    }
}
