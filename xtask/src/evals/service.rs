//! Asks the service of a model over HTTP, as the extension does: the same requests, the same reading of answers.

use std::io::{self, Read};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sidecar_agent::answer::TimedAnswer;
use sidecar_llm::{
    ChatRequest, Decoder, ErrorClass, ModelError, ModelEvent, abilities, build, facts_request, prompted,
    refusal, retry_delay_ms,
};
use ureq::Agent;
use ureq::http::Response;

use super::model::EvalModel;

/// The longest time that an answer may take.
const LONGEST_ANSWER: Duration = Duration::from_secs(300);

/// Maximum bytes of a refusal that are read.
const MOST_REFUSAL: u64 = 64 * 1024;

/// A service that is asked.
pub(super) struct EvalService {
    agent: Agent,
}

impl EvalService {
    pub fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(LONGEST_ANSWER))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        Self { agent: config.into() }
    }

    /// Which fields requests to a model have to leave out from the start: a server may say that it takes no tools.
    pub fn leave_out(&self, model: &EvalModel) -> Vec<String> {
        let Some(request) = facts_request(&model.endpoint, &model.model) else { return Vec::new() };
        let facts = || {
            let response = match &request.body {
                Some(body) => {
                    let post = self.agent.post(&request.url);
                    request
                        .headers
                        .iter()
                        .fold(post, |post, (name, value)| post.header(name, value))
                        .send(body)
                }
                None => self.agent.get(&request.url).call(),
            };
            let mut response = response.ok().filter(|response| response.status().is_success())?;
            response.body_mut().with_config().limit(MOST_REFUSAL).read_to_string().ok()
        };
        let takes_tools = facts().and_then(|body| abilities(&body).takes_tools);
        if takes_tools == Some(false) { vec![prompted::TOOLS.to_owned()] } else { Vec::new() }
    }

    /// Asks a model. A service that is busy is asked again when it says, and a field that it refuses is left out, also the
    /// next time. No answer is waited for longer than `until`.
    pub fn ask(
        &self,
        model: &EvalModel,
        mut request: ChatRequest,
        leave_out: &mut Vec<String>,
        until: Option<Instant>,
    ) -> Result<TimedAnswer, ModelError> {
        let left = || until.map_or(LONGEST_ANSWER, |until| until.saturating_duration_since(Instant::now()));
        let mut attempt = 1;
        loop {
            request.leave_out.clone_from(leave_out);
            let error = match self.attempt(model, &request, left().min(LONGEST_ANSWER)) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if let Some(field) =
                error.refused_field().filter(|field| !leave_out.iter().any(|known| known == field))
            {
                leave_out.push(field.to_owned());
            } else if let Some(delay) =
                retry_delay_ms(&error, attempt, jitter()).filter(|_| !left().is_zero())
            {
                attempt += 1;
                thread::sleep(Duration::from_millis(delay).min(left()));
            } else {
                return Err(ModelError { message: model.masked(&error.message), ..error });
            }
        }
    }

    fn attempt(
        &self,
        model: &EvalModel,
        request: &ChatRequest,
        most: Duration,
    ) -> Result<TimedAnswer, ModelError> {
        let unusable = |error: &dyn ToString| ModelError::new(ErrorClass::Protocol, error.to_string());
        let http = build(&model.endpoint, request).map_err(|error| unusable(&error))?;
        let source = model.endpoint.source().map_err(|error| unusable(&error))?;
        let mut post = self.agent.post(&http.url).config().timeout_global(Some(most)).build();
        for (name, value) in &http.headers {
            post = post.header(name, value);
        }
        if let Some(key) = model.key() {
            let (name, value) = http.key_header.with(key);
            post = post.header(name, value);
        }
        let started = Instant::now();
        let unreachable = |error: ureq::Error| ModelError::new(ErrorClass::Network, error.to_string());
        let response = post.send(&http.body).map_err(unreachable)?;
        if !response.status().is_success() {
            return Err(refused(model, response));
        }
        let mut decoder = Decoder::for_source(source)
            .offering(request.tools.iter().map(|tool| tool.name.clone()))
            .in_form(model.endpoint.form_of(request));
        let mut first_ms = None;
        let mut body = response.into_body().into_reader();
        let mut piece = vec![0; 16 * 1024];
        while !decoder.is_done() && decoder.failure().is_none() {
            let cut = |error: io::Error| ModelError::new(ErrorClass::StreamCut, error.to_string());
            let read = body.read(&mut piece).map_err(cut)?;
            if read == 0 {
                break;
            }
            let is_answer = |event: &ModelEvent| {
                matches!(
                    event,
                    ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::CallOpened { .. }
                )
            };
            if decoder.feed(&piece[..read]).iter().any(is_answer) {
                first_ms.get_or_insert_with(|| ms(started.elapsed()));
            }
        }
        Ok(TimedAnswer { answer: decoder.end()?, first_ms })
    }
}

fn refused(model: &EvalModel, response: Response<ureq::Body>) -> ModelError {
    let (parts, mut body) = response.into_parts();
    let body = body.with_config().limit(MOST_REFUSAL).read_to_string().unwrap_or_default();
    let header = |name: &str| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
    refusal(&model.endpoint, parts.status.as_u16(), &header, &body)
}

/// A time in milliseconds.
pub(super) fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A number from 0 to 1 that differs from one process to the next.
fn jitter() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    f64::from(now.subsec_nanos() % 1_000_000) / 1_000_000.0
}
