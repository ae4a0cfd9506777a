//! Sends a request to the model and writes down the answer.

use sidecar_llm::{FinishReason, Partial};
use sidecar_protocol::settings::ToolForm;
use sidecar_protocol::thread::Cost;
use sidecar_protocol::{CallId, ErrorClass, ModelError, Timestamp};
use sidecar_webmcp::Offer;

use super::notes::{lost_calls, notes_on};
use super::stream::{RequestEnd, Shown};
use super::{Turn, TurnFlow};
use crate::log::branch;
use crate::log::{Ending, Entry, Event, Target};
use crate::model_input::{compaction, prompt, summary};
use crate::ports::{Clock, LlmTransport, Store, StoreError, ToolHost};
use crate::tools::resolve;

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    pub(super) async fn ask_model(&mut self, failures: u32) -> Result<TurnFlow, StoreError> {
        if let TurnFlow::Stop = self.settle().await {
            return Ok(TurnFlow::Stop);
        }
        let Some(mut offers) = self.user.unless_stopped(self.ports.tools.offer()).await else {
            return Ok(TurnFlow::Stop);
        };
        self.look_at_attached().await?;
        self.look_at_offer(&offers).await?;
        let request = prompt::request(&self.log, self.connection, self.rules, &offers);
        let room = compaction::plan(&self.log, &mut self.context, self.connection, self.rules, &request);
        if let Some(event) = room {
            self.append(event).await?;
            return Ok(TurnFlow::On);
        }
        self.append(Event::ModelAsked {
            provider: self.connection.endpoint.provider.clone(),
            model: self.connection.model.clone(),
            tools: offers.len(),
            offers: Some(Offer::fingerprint_of(&offers)),
        })
        .await?;
        let position = self.log.len();
        match self.stream(&request, Shown::Yes).await {
            RequestEnd::Answered(answer, reasoning_ms) => {
                let ending = match answer.finish {
                    FinishReason::Length => Ending::Length,
                    FinishReason::Stop
                    | FinishReason::Tools
                    | FinishReason::Filter
                    | FinishReason::Unavailable
                    | FinishReason::Other(_) => Ending::Natural,
                };
                self.find_named(&answer, &mut offers).await;
                let notes = notes_on(&answer);
                // With prompted tool calling, a call in the text is not a mistake.
                let is_prompted = self.connection.endpoint.form_of(&request) != ToolForm::Native;
                let lost = lost_calls(&answer, &offers, is_prompted);
                let is_inline = !is_prompted
                    && answer.inline_calls.as_ref().is_some_and(|inline_calls| inline_calls.taken > 0);
                // A refusal comes in a field of its own; to the user it is the answer.
                let text = if answer.text.is_empty() { answer.refusal } else { answer.text };
                let (turn, nonce) = (self.turn_id().to_owned(), self.ports.clock.nonce());
                let earlier = |name: &str| earlier_target(&self.log, name);
                let mut calls = Vec::with_capacity(answer.calls.len());
                for (n, record) in answer.calls.into_iter().enumerate() {
                    let id = CallId(format!("{turn}.{position}.{n}{nonce}"));
                    let tools = &self.ports.tools;
                    calls.push(resolve::call(id, record, is_inline, &offers, &earlier, tools).await);
                }
                self.append(Event::ModelAnswered {
                    reasoning: answer.reasoning,
                    reasoning_ms,
                    text,
                    calls,
                    usage: answer.usage,
                    cost: answer
                        .usage
                        .zip(self.connection.price.as_ref())
                        .map(|(usage, price)| Cost::of(&usage, price)),
                    ending,
                    notes,
                    lost,
                    provider_state: answer.provider_state,
                })
                .await?;
                Ok(TurnFlow::On)
            }
            RequestEnd::Failed(error, Partial { reasoning, text }) => {
                // A refused field is left out of the next request, once.
                let is_new_field = error
                    .refused_field()
                    .is_some_and(|field| !request.leave_out.iter().any(|left| left == field));
                let delay = match is_new_field || self.can_make_room(&error, &request) {
                    true => Some(0),
                    false => sidecar_llm::retry_delay_ms(&error, failures + 1, self.ports.clock.jitter()),
                };
                let retry_at = delay.map(|delay| self.ports.clock.now() + delay);
                self.append(Event::ModelFailed { error, reasoning, text, retry_at }).await?;
                Ok(TurnFlow::On)
            }
            RequestEnd::Stopped(Partial { reasoning, text }, reasoning_ms) => {
                self.append(Event::ModelAnswered {
                    reasoning,
                    reasoning_ms,
                    text,
                    calls: Vec::new(),
                    usage: None,
                    cost: None,
                    ending: Ending::Stopped,
                    notes: Vec::new(),
                    lost: None,
                    provider_state: None,
                })
                .await?;
                Ok(TurnFlow::Stop)
            }
        }
    }

    /// Whether the request was too long, and the next one can be shorter.
    fn can_make_room(&mut self, error: &ModelError, request: &sidecar_llm::ChatRequest) -> bool {
        error.class == ErrorClass::Context
            && compaction::make_room(&self.log, &mut self.context, self.connection, self.rules, request)
                .is_some()
    }

    /// Has the model summarise everything before an entry. The summary is not shown as it grows: only the
    /// whole counts.
    pub(super) async fn sum(&mut self, until: usize) -> Result<TurnFlow, StoreError> {
        let request = summary::request(&self.log, self.connection, self.rules.language, until);
        match self.stream(&request, Shown::No).await {
            RequestEnd::Answered(answer, _) if !answer.text.trim().is_empty() => {
                let cost = answer.usage.zip(self.connection.price.as_ref());
                self.append(Event::Compacted {
                    until,
                    summary: Some(answer.text.trim().to_owned()),
                    usage: answer.usage,
                    cost: cost.map(|(usage, price)| Cost::of(&usage, price)),
                })
                .await?;
                Ok(TurnFlow::On)
            }
            RequestEnd::Answered(..) => {
                let error = ModelError::new(ErrorClass::Context, "the model gave no summary");
                self.append_failure(error, None).await
            }
            RequestEnd::Failed(error, _) => {
                let delay = sidecar_llm::retry_delay_ms(&error, 1, self.ports.clock.jitter());
                let failed = self.failures(|error| error.class != ErrorClass::Context) > 0;
                let retry_at = delay.filter(|_| !failed).map(|delay| self.ports.clock.now() + delay);
                self.append_failure(error, retry_at).await
            }
            RequestEnd::Stopped(..) => Ok(TurnFlow::Stop),
        }
    }

    async fn append_failure(
        &mut self,
        error: ModelError,
        retry_at: Option<Timestamp>,
    ) -> Result<TurnFlow, StoreError> {
        let (reasoning, text) = (String::new(), String::new());
        self.append(Event::ModelFailed { error, reasoning, text, retry_at }).await?;
        Ok(TurnFlow::On)
    }

    pub(super) fn failures_in_a_row(&self) -> u32 {
        self.failures(|_| true)
    }

    /// How many of these failures came in a row.
    fn failures(&self, counts: impl Fn(&ModelError) -> bool) -> u32 {
        let failures = self
            .log
            .iter()
            .rev()
            .take_while(|entry| {
                use Event::{ModelAsked, ModelFailed, SummaryAsked, TurnRevived};
                matches!(
                    entry.event,
                    ModelFailed { .. } | ModelAsked { .. } | SummaryAsked { .. } | TurnRevived { .. }
                )
            })
            .filter(|entry| matches!(&entry.event, Event::ModelFailed { error, .. } if counts(error)))
            .count();
        u32::try_from(failures).unwrap_or(u32::MAX)
    }
}

/// The tool that a call of this name meant before: the model still reads that it made that call.
pub(super) fn earlier_target<'l>(log: &'l [Entry], name: &str) -> Option<&'l Target> {
    branch::backwards(log).find_map(|position| match &log[position].event {
        Event::ModelAnswered { calls, .. } => {
            calls.iter().rev().find(|call| call.name() == name).and_then(|call| call.target.as_ref())
        }
        _ => None,
    })
}
