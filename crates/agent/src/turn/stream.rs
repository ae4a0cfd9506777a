//! One request and its answer as it arrives: bounded, reported at a readable pace, with the user's keys
//! removed.

use futures::future::{Either, Fuse, FusedFuture, select};
use futures::pin_mut;
use futures::{FutureExt, StreamExt};
use sidecar_llm::{Decoder, ModelAnswer, ModelEvent, Partial};
use sidecar_protocol::{ErrorClass, ModelError, Timestamp};

use super::{Turn, TurnUpdate};
use crate::keys::{Keys, Veil};
use crate::model_input::pictures;
use crate::ports::{Clock, LlmTransport, Store, ToolHost};

/// How often the draft of an answer is saved, in milliseconds: at most this much of what was shown can be
/// lost.
const DRAFT_INTERVAL_MS: u64 = 300;

/// How often a growing answer is reported, in milliseconds. A service may send single letters, hundreds of
/// thousands of them; nobody reads faster than this.
const TELL_INTERVAL_MS: u64 = 32;

/// How long bytes may be read without a break, in milliseconds; then the user's commands and other turns
/// are served.
const READING_MS: u64 = 50;

/// Longest silence of a service, in milliseconds. Services that queue a request send keep-alives meanwhile.
const SILENCE_LIMIT_MS: u64 = 180_000;

/// How long a service may send keep-alives and nothing of an answer, in milliseconds. The services' own
/// clients give up after as long; models think for minutes, but most stream some of their reasoning.
pub(crate) const SILENT_LIMIT_MS: u64 = 600_000;

/// Largest error body that is read, in bytes, and longest time for it, in milliseconds; then what has
/// arrived is used.
const ERROR_BODY_LIMIT: usize = 64 * 1024;
const ERROR_BODY_LIMIT_MS: u64 = 10_000;

/// How a request to the model ended.
pub(super) enum RequestEnd {
    /// With the duration of the reasoning in milliseconds.
    Answered(ModelAnswer, Option<u64>),
    /// With what arrived before.
    Failed(ModelError, Partial),
    /// With what arrived before, and the duration of the reasoning.
    Stopped(Partial, Option<u64>),
}

/// Whether an answer is shown and saved as a draft while it grows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Yes,
    No,
}

/// How the body of a response ended.
enum Ended {
    Over,
    Failed(ModelError),
    Stopped,
}

/// The growing answer as it is reported: without keys. The decoder holds the whole.
struct AnswerGrowth {
    /// Reasoning and text that were not reported yet.
    untold: (String, String),
    veils: (Veil, Veil),
    thinking_since: Option<Timestamp>,
    thought_for: Option<u64>,
}

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    /// Sends one request and reads the answer. Nothing of the answer is in the log yet when this returns.
    pub(super) async fn stream(&mut self, request: &sidecar_llm::ChatRequest, shown: Shown) -> RequestEnd {
        let keys = self.ports.transport.keys().clone();
        let mut growth = AnswerGrowth::new(&keys);
        let request = keys.conceal_request(request.clone());
        let is_refused = request.leave_out.iter().any(|field| field == sidecar_llm::PICTURES);
        let sees = if is_refused { Some(false) } else { self.connection.sees };
        let request = &pictures::filled(request, sees, &self.ports.store).await;
        let clock = &self.ports.clock;
        let tools: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let form = self.connection.endpoint.form_of(request);
        let request = match sidecar_llm::build(&self.connection.endpoint, request) {
            Ok(request) => request,
            Err(error) => {
                let error = ModelError::new(ErrorClass::Protocol, error.to_string());
                return RequestEnd::Failed(error, Partial::default());
            }
        };
        let answered = {
            let post = self.ports.transport.post(request);
            let timer = clock.sleep(SILENCE_LIMIT_MS);
            pin_mut!(post, timer);
            let answered = self.user.unless_stopped(select(post, timer)).await;
            answered.map(|first| match first {
                Either::Left((response, _)) => response,
                Either::Right(_) => Err(silent()),
            })
        };
        let response = match answered {
            Some(Ok(response)) => response,
            Some(Err(error)) => return RequestEnd::Failed(error, Partial::default()),
            None => return RequestEnd::Stopped(Partial::default(), None),
        };
        let mut body = response.body;
        if !(200..300).contains(&response.status) {
            let mut text = Vec::new();
            let is_stopped = {
                let reading = read_error_body(&mut body, &mut text);
                let timer = clock.sleep(ERROR_BODY_LIMIT_MS);
                pin_mut!(reading, timer);
                self.user.unless_stopped(select(reading, timer)).await.is_none()
            };
            if is_stopped {
                return RequestEnd::Stopped(Partial::default(), None);
            }
            let text = String::from_utf8_lossy(&text);
            let header = |name: &str| {
                response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
            };
            let endpoint = &self.connection.endpoint;
            let error = sidecar_llm::refusal(endpoint, response.status, &header, &text);
            return RequestEnd::Failed(error, Partial::default());
        }
        let source = self.connection.endpoint.source().unwrap_or_default();
        let mut decoder = Decoder::for_source(source)
            .with_call_prefix(format!("{}_{}_", self.turn_id(), self.log.len()))
            .offering(tools)
            .in_form(form);
        let ended = self.read(&mut body, &mut decoder, &mut growth, shown).await;
        // Close the connection now, not after the last words are written down.
        drop(body);
        growth.end();
        if shown == Shown::Yes {
            growth.tell(self.tell);
        }
        match ended {
            Ended::Stopped => RequestEnd::Stopped(decoder.partial(), growth.thought_for),
            Ended::Failed(error) => RequestEnd::Failed(error, decoder.partial()),
            Ended::Over => {
                growth.stop_thinking(self.ports.clock.now());
                let partial = decoder.partial();
                match decoder.end() {
                    Ok(answer) => RequestEnd::Answered(answer, growth.thought_for),
                    Err(error) => RequestEnd::Failed(error, partial),
                }
            }
        }
    }

    /// Reads a body until it ends, or as long as anything useful may follow.
    async fn read(
        &mut self,
        body: &mut T::Body,
        decoder: &mut Decoder,
        growth: &mut AnswerGrowth,
        shown: Shown,
    ) -> Ended {
        let (clock, keys) = (&self.ports.clock, self.ports.transport.keys());
        let began = clock.now();
        // When bytes last arrived; when the answer last grew; when the user and other tasks were last
        // served.
        let (mut heard_at, mut grew_at, mut read_since) = (began, began, began);
        let mut told_at = None;
        let mut unsaved_since = None;
        // A busy disk delays neither the stream nor the user.
        let store = &self.ports.store;
        let saving = Fuse::terminated();
        pin_mut!(saving);
        loop {
            let now = clock.now();
            let tell_at = match told_at {
                _ if shown == Shown::No || !growth.is_news() => None,
                None => Some(now),
                Some(told_at) => Some(told_at + TELL_INTERVAL_MS),
            };
            if tell_at.is_some_and(|tell_at| tell_at <= now) {
                growth.tell(self.tell);
                told_at = Some(now);
                unsaved_since.get_or_insert(now);
                continue;
            }
            let save_at = unsaved_since.map(|since| since + DRAFT_INTERVAL_MS);
            if save_at.is_some_and(|save_at| save_at <= now) && saving.is_terminated() {
                let Partial { reasoning, text } = decoder.partial();
                let (reasoning, text) = (keys.conceal(reasoning), keys.conceal(text));
                saving.set(async move { store.save_draft(&reasoning, &text).await }.fuse());
                unsaved_since = None;
                continue;
            }
            let save_at = save_at.filter(|_| saving.is_terminated());
            let silent_at = (heard_at + SILENCE_LIMIT_MS).min(grew_at + SILENT_LIMIT_MS);
            if silent_at <= now {
                return Ended::Failed(if grew_at < heard_at { idle() } else { silent() });
            }
            let next = [tell_at, save_at].into_iter().flatten().fold(silent_at, Timestamp::min);
            let timer = clock.sleep(next - now);
            let chunk = body.next();
            pin_mut!(chunk, timer);
            let heard = select(saving.as_mut(), select(chunk, timer));
            let heard = match self.user.unless_stopped(heard).await {
                None => return Ended::Stopped,
                Some(Either::Left(_)) => continue,
                Some(Either::Right((heard, _))) => heard,
            };
            match heard {
                Either::Left((Some(Ok(bytes)), _)) => {
                    heard_at = clock.now();
                    let size = decoder.size();
                    for event in decoder.feed(&bytes) {
                        growth.take(event, heard_at);
                    }
                    if decoder.size() > size {
                        grew_at = heard_at;
                    }
                    if let Some(error) = decoder.failure() {
                        return Ended::Failed(error.clone());
                    }
                    if decoder.is_done() {
                        return Ended::Over;
                    }
                    if heard_at.saturating_sub(read_since) >= READING_MS {
                        clock.sleep(0).await;
                        read_since = clock.now();
                    }
                }
                Either::Left((Some(Err(detail)), _)) => {
                    return Ended::Failed(ModelError::new(ErrorClass::StreamCut, detail));
                }
                Either::Left((None, _)) => return Ended::Over,
                Either::Right(((), _)) => {}
            }
        }
    }
}

impl AnswerGrowth {
    fn new(keys: &Keys) -> Self {
        Self {
            untold: (String::new(), String::new()),
            veils: (Veil::new(keys), Veil::new(keys)),
            thinking_since: None,
            thought_for: None,
        }
    }

    /// Handles one event of the decoder.
    fn take(&mut self, event: ModelEvent, now: Timestamp) {
        match event {
            ModelEvent::Reasoning(reasoning) => {
                self.thinking_since.get_or_insert(now);
                self.untold.0.push_str(&self.veils.0.push(&reasoning));
            }
            ModelEvent::Text(text) | ModelEvent::Refusal(text) => {
                self.stop_thinking(now);
                self.untold.1.push_str(&self.veils.1.push(&text));
            }
            ModelEvent::CallOpened { .. } => self.stop_thinking(now),
            ModelEvent::CallGrew { .. }
            | ModelEvent::CallCompleted { .. }
            | ModelEvent::Notice(_)
            | ModelEvent::Alive
            | ModelEvent::Usage(_)
            | ModelEvent::Finish(_) => {}
        }
    }

    /// The stream has ended.
    fn end(&mut self) {
        self.untold.0.push_str(&self.veils.0.end());
        self.untold.1.push_str(&self.veils.1.end());
    }

    fn is_news(&self) -> bool {
        !self.untold.0.is_empty() || !self.untold.1.is_empty()
    }

    /// Reports what has arrived since the last report.
    fn tell(&mut self, tell: &mut dyn FnMut(TurnUpdate<'_>)) {
        if self.is_news() {
            let (reasoning, text) = std::mem::take(&mut self.untold);
            tell(TurnUpdate::Grew { reasoning: &reasoning, text: &text });
        }
    }

    fn stop_thinking(&mut self, now: Timestamp) {
        if let (Some(since), None) = (self.thinking_since, self.thought_for) {
            self.thought_for = Some(now.saturating_sub(since));
        }
    }
}

/// Reads the body of an error response, up to a size.
pub(crate) async fn read_error_body<B>(body: &mut B, bytes: &mut Vec<u8>)
where
    B: futures::Stream<Item = Result<Vec<u8>, String>> + Unpin,
{
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ERROR_BODY_LIMIT {
            break;
        }
    }
}

/// The error for a service that sends nothing any more.
fn silent() -> ModelError {
    let detail = format!("no sign of life for {} s", SILENCE_LIMIT_MS / 1000);
    ModelError::new(ErrorClass::StreamCut, detail)
}

/// The error for a service that sends only keep-alives.
fn idle() -> ModelError {
    let detail = format!("nothing of an answer for {} s", SILENT_LIMIT_MS / 1000);
    ModelError::new(ErrorClass::StreamCut, detail)
}
