//! The loop: what comes next, do it, write down what came of it, again.

use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, select};
use futures::{StreamExt, pin_mut};
use sidecar_llm::{Decoder, Endpoint, FinishReason, ModelEvent};
use sidecar_protocol::link::Decision;
use sidecar_protocol::settings::{Language, Limits, Mode};
use sidecar_protocol::thread::{Rest, ToolOutcome};
use sidecar_protocol::{CallId, ErrorClass, ModelError, Timestamp};
use sidecar_webmcp::Offer;

use crate::log::{Call, Ending, Entry, Event, Target};
use crate::ports::{Clock, LlmTransport, Ports, Store, StoreError, ToolHost};
use crate::prompt;
use crate::resume::{Next, resume, unfinished_calls};

/// How often a growing answer is saved, in milliseconds: at most this much of what was shown can be lost.
const DRAFT_INTERVAL_MS: u64 = 300;

/// Longest silence of a service, in milliseconds. Services that queue a request send signs of life meanwhile.
const SILENCE_LIMIT_MS: u64 = 180_000;

/// Largest error body that is read, in bytes.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// What holds while a turn runs: settings, and what the day is.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Where the model is.
    pub endpoint: Endpoint,
    /// Which model.
    pub model: String,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub max_tokens: Option<u32>,
    /// Whether acting tools ask first.
    pub mode: Mode,
    /// The safety valves.
    pub limits: Limits,
    /// Language of the system prompt.
    pub language: Language,
    /// The user's date with its weekday: `2026-11-21 (Saturday)`.
    pub today: String,
}

/// What the user says to a turn that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnCommand {
    /// Stop at once.
    Stop,
    /// A decision about a call.
    Decide(CallId, Decision),
}

/// What a turn tells whoever shows it.
#[derive(Debug)]
pub enum Told<'a> {
    /// An entry was appended to the log.
    Appended(&'a Entry),
    /// The answer to the last [`Event::ModelAsked`] grew.
    Grew {
        /// New thoughts; may be empty.
        reasoning: &'a str,
        /// New words; may be empty.
        text: &'a str,
    },
}

/// Carries a turn on from where its log is until it rests.
///
/// `commands` that do not fit the moment are ignored; when its sender is gone the turn stops.
///
/// # Errors
/// When an entry could not be saved. The log then ends where it was saved last, and nothing further was done.
pub async fn run<T: LlmTransport, H: ToolHost, S: Store, C: Clock>(
    log: &mut Vec<Entry>,
    rules: &Rules,
    ports: &Ports<T, H, S, C>,
    commands: &mut UnboundedReceiver<TurnCommand>,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<(), StoreError> {
    let mut turn = Turn { log, rules, ports, commands, tell };
    loop {
        let flow = match resume(turn.log, rules.mode, rules.limits) {
            Next::AskModel { failures } => turn.ask_model(failures).await?,
            Next::WaitToAsk { until } => turn.wait_to_ask(until).await?,
            Next::AskApproval(call) => {
                let call = call.id.clone();
                turn.append(Event::ApprovalAsked { call }).await?;
                Flow::On
            }
            Next::AwaitApproval(call) => {
                let call = call.id.clone();
                turn.await_approval(call).await?
            }
            Next::RunTool(call) => {
                let call = call.clone();
                turn.run_tool(&call).await?
            }
            Next::Settle(call, outcome) => {
                let call = call.id.clone();
                turn.append(Event::ToolFinished { call, outcome, duration_ms: 0 }).await?;
                Flow::On
            }
            Next::Rest(rest) => {
                turn.append(Event::TurnRested { rest }).await?;
                Flow::On
            }
            Next::Nothing => return Ok(()),
        };
        match flow {
            Flow::On => {}
            Flow::Stop => turn.stop().await?,
        }
    }
}

enum Flow {
    On,
    Stop,
}

struct Turn<'t, T, H, S, C> {
    log: &'t mut Vec<Entry>,
    rules: &'t Rules,
    ports: &'t Ports<T, H, S, C>,
    commands: &'t mut UnboundedReceiver<TurnCommand>,
    tell: &'t mut dyn FnMut(Told<'_>),
}

/// How a request to the model went.
enum Asked {
    Answered(sidecar_llm::Answer, Option<u64>),
    Failed(ModelError, Growing),
    Stopped(Growing),
}

/// An answer that is still coming.
#[derive(Default)]
struct Growing {
    reasoning: String,
    text: String,
    thinking_since: Option<Timestamp>,
    thought_for: Option<u64>,
}

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    async fn append(&mut self, event: Event) -> Result<(), StoreError> {
        let entry = Entry { at: self.ports.clock.now(), event };
        self.ports.store.append(self.log.len(), &entry).await?;
        self.log.push(entry);
        if let Some(entry) = self.log.last() {
            (self.tell)(Told::Appended(entry));
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), StoreError> {
        let open: Vec<CallId> = unfinished_calls(self.log).into_iter().map(|call| call.id.clone()).collect();
        for call in open {
            let event = Event::ToolFinished { call, outcome: ToolOutcome::Cancelled, duration_ms: 0 };
            self.append(event).await?;
        }
        self.append(Event::TurnRested { rest: Rest::Stopped }).await
    }

    async fn wait_to_ask(&mut self, until: Timestamp) -> Result<Flow, StoreError> {
        let wait = until.saturating_sub(self.ports.clock.now());
        match until_stopped(self.commands, self.ports.clock.sleep(wait)).await {
            Some(()) => self.ask_again().await,
            None => Ok(Flow::Stop),
        }
    }

    async fn await_approval(&mut self, call: CallId) -> Result<Flow, StoreError> {
        loop {
            match self.commands.next().await {
                Some(TurnCommand::Decide(about, decision)) if about == call => {
                    self.append(Event::ApprovalGiven { call, decision }).await?;
                    return Ok(Flow::On);
                }
                Some(TurnCommand::Decide(..)) => {}
                Some(TurnCommand::Stop) | None => return Ok(Flow::Stop),
            }
        }
    }

    async fn run_tool(&mut self, call: &Call) -> Result<Flow, StoreError> {
        let Some(target) = &call.target else { return Ok(Flow::On) };
        self.append(Event::ToolStarted { call: call.id.clone() }).await?;
        let (tools, clock) = (&self.ports.tools, &self.ports.clock);
        let began = clock.now();
        let limit_ms = u64::from(self.rules.limits.tool_seconds) * 1000;
        let in_time = async {
            let running = tools.call(&call.id, &target.tool, &call.record.arguments);
            let timer = clock.sleep(limit_ms);
            pin_mut!(running, timer);
            match select(running, timer).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(((), _)) => ToolOutcome::TimedOut { limit_ms },
            }
        };
        let (outcome, flow) = match until_stopped(self.commands, in_time).await {
            Some(outcome) => (outcome, Flow::On),
            None => (ToolOutcome::Cancelled, Flow::Stop),
        };
        let duration_ms = clock.now().saturating_sub(began);
        self.append(Event::ToolFinished { call: call.id.clone(), outcome, duration_ms }).await?;
        Ok(flow)
    }

    async fn ask_again(&mut self) -> Result<Flow, StoreError> {
        let failures = self
            .log
            .iter()
            .rev()
            .take_while(|entry| matches!(entry.event, Event::ModelFailed { .. } | Event::ModelAsked { .. }))
            .filter(|entry| matches!(entry.event, Event::ModelFailed { .. }))
            .count();
        self.ask_model(u32::try_from(failures).unwrap_or(u32::MAX)).await
    }

    async fn ask_model(&mut self, failures: u32) -> Result<Flow, StoreError> {
        let Some(offers) = until_stopped(self.commands, self.ports.tools.offer()).await else {
            return Ok(Flow::Stop);
        };
        let request = prompt::request(self.log, self.rules, &offers);
        self.append(Event::ModelAsked {
            provider: self.rules.endpoint.provider.clone(),
            model: self.rules.model.clone(),
            tools: offers.len(),
        })
        .await?;
        let position = self.log.len();
        match self.stream(&request).await {
            Asked::Answered(answer, reasoning_ms) => {
                let ending = match answer.finish {
                    FinishReason::Length => Ending::Length,
                    FinishReason::Stop
                    | FinishReason::Tools
                    | FinishReason::Filter
                    | FinishReason::Unavailable
                    | FinishReason::Other(_) => Ending::Natural,
                };
                // A model that declines does so in words of their own kind; to the user they are its answer.
                let text = if answer.text.is_empty() { answer.refusal } else { answer.text };
                let calls = answer
                    .calls
                    .into_iter()
                    .enumerate()
                    .map(|(n, record)| Call {
                        id: CallId(format!("{}.{position}.{n}", self.turn_id())),
                        target: target_of(&record.name, &offers),
                        record,
                    })
                    .collect();
                self.append(Event::ModelAnswered {
                    reasoning: answer.reasoning,
                    reasoning_ms,
                    text,
                    calls,
                    usage: answer.usage,
                    ending,
                })
                .await?;
                Ok(Flow::On)
            }
            Asked::Failed(error, growing) => {
                let delay = sidecar_llm::retry_delay_ms(&error, failures + 1, self.ports.clock.jitter());
                let retry_at = delay.map(|delay| self.ports.clock.now() + delay);
                let Growing { reasoning, text, .. } = growing;
                self.append(Event::ModelFailed { error, reasoning, text, retry_at }).await?;
                Ok(Flow::On)
            }
            Asked::Stopped(growing) => {
                let Growing { reasoning, text, thought_for, .. } = growing;
                self.append(Event::ModelAnswered {
                    reasoning,
                    reasoning_ms: thought_for,
                    text,
                    calls: Vec::new(),
                    usage: None,
                    ending: Ending::Stopped,
                })
                .await?;
                Ok(Flow::Stop)
            }
        }
    }

    fn turn_id(&self) -> &str {
        self.log
            .iter()
            .rev()
            .find_map(|entry| match &entry.event {
                Event::TurnStarted { turn, .. } => Some(turn.0.as_str()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// One request and its answer. Nothing of it is in the log yet when this returns.
    async fn stream(&mut self, request: &sidecar_llm::ChatRequest) -> Asked {
        let mut growing = Growing::default();
        let clock = &self.ports.clock;
        let request = match sidecar_llm::build(&self.rules.endpoint, request) {
            Ok(request) => request,
            Err(error) => {
                return Asked::Failed(ModelError::new(ErrorClass::Protocol, error.to_string()), growing);
            }
        };
        let response = match until_stopped(self.commands, self.ports.transport.post(request)).await {
            Some(Ok(response)) => response,
            Some(Err(error)) => return Asked::Failed(error, growing),
            None => return Asked::Stopped(growing),
        };
        let mut body = response.body;
        if !(200..300).contains(&response.status) {
            let reading = read_error_body(&mut body);
            let Some(text) = until_stopped(self.commands, reading).await else {
                return Asked::Stopped(growing);
            };
            let header = |name: &str| {
                response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
            };
            return Asked::Failed(sidecar_llm::classify(response.status, &header, &text), growing);
        }
        let mut decoder = Decoder::new().with_call_prefix(format!("{}_{}_", self.turn_id(), self.log.len()));
        let mut saved_at = clock.now();
        loop {
            let next = async {
                let (chunk, silence) = (body.next(), clock.sleep(SILENCE_LIMIT_MS));
                pin_mut!(chunk, silence);
                match select(chunk, silence).await {
                    Either::Left((chunk, _)) => chunk,
                    Either::Right(((), _)) => Some(Err("no sign of life for three minutes".to_owned())),
                }
            };
            match until_stopped(self.commands, next).await {
                None => return Asked::Stopped(growing),
                Some(Some(Ok(bytes))) => {
                    for event in decoder.feed(&bytes) {
                        growing.take(event, clock.now(), self.tell);
                    }
                    if let Some(error) = decoder.failure() {
                        return Asked::Failed(error.clone(), growing);
                    }
                    if decoder.is_done() {
                        break;
                    }
                    if clock.now().saturating_sub(saved_at) >= DRAFT_INTERVAL_MS {
                        self.ports.store.save_draft(&growing.reasoning, &growing.text).await;
                        saved_at = clock.now();
                    }
                }
                Some(Some(Err(detail))) => {
                    return Asked::Failed(ModelError::new(ErrorClass::StreamCut, detail), growing);
                }
                Some(None) => break,
            }
        }
        growing.stop_thinking(clock.now());
        match decoder.end() {
            Ok(answer) => Asked::Answered(answer, growing.thought_for),
            Err(error) => Asked::Failed(error, growing),
        }
    }
}

impl Growing {
    fn take(&mut self, event: ModelEvent, now: Timestamp, tell: &mut dyn FnMut(Told<'_>)) {
        match event {
            ModelEvent::Reasoning(reasoning) => {
                self.thinking_since.get_or_insert(now);
                self.reasoning.push_str(&reasoning);
                tell(Told::Grew { reasoning: &reasoning, text: "" });
            }
            ModelEvent::Text(text) | ModelEvent::Refusal(text) => {
                self.stop_thinking(now);
                self.text.push_str(&text);
                tell(Told::Grew { reasoning: "", text: &text });
            }
            ModelEvent::CallOpened { .. } => self.stop_thinking(now),
            ModelEvent::CallGrew { .. }
            | ModelEvent::Alive
            | ModelEvent::Usage(_)
            | ModelEvent::Finish(_) => {}
        }
    }

    fn stop_thinking(&mut self, now: Timestamp) {
        if let (Some(since), None) = (self.thinking_since, self.thought_for) {
            self.thought_for = Some(now.saturating_sub(since));
        }
    }
}

fn target_of(model_name: &str, offers: &[Offer]) -> Option<Target> {
    let offer = offers.iter().find(|offer| offer.model_name == model_name)?;
    Some(Target { tool: offer.tool.clone(), site: offer.site.clone(), read_only: offer.read_only })
}

async fn read_error_body<B>(body: &mut B) -> String
where
    B: futures::Stream<Item = Result<Vec<u8>, String>> + Unpin,
{
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ERROR_BODY_LIMIT {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The future's output, or `None` when the user stops first (or nobody is there to say anything any more). The future
/// is dropped with that, which calls its effect off. The user is heard before the future is touched: what was stopped
/// before it began does not begin.
async fn until_stopped<F: Future>(
    commands: &mut UnboundedReceiver<TurnCommand>,
    future: F,
) -> Option<F::Output> {
    pin_mut!(future);
    loop {
        match select(commands.next(), future.as_mut()).await {
            Either::Left((Some(TurnCommand::Decide(..)), _)) => {}
            Either::Left((Some(TurnCommand::Stop) | None, _)) => return None,
            Either::Right((output, _)) => return Some(output),
        }
    }
}

#[cfg(test)]
mod tests;
