//! One answer of a model, asked for in no turn: nothing of it is shown while it arrives.

use std::cell::RefCell;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::pin_mut;
use sidecar_llm::{
    ChatRequest, Decoder, Endpoint, HttpRequest, ModelAnswer, ModelEvent, build, refusal, retry_delay_ms,
};
use sidecar_protocol::{ErrorClass, ModelError};

use crate::connection::Connection;
use crate::keys::Keys;
use crate::ports::{Clock, LlmTransport, Response};
use crate::turn::{SILENT_LIMIT_MS, read_error_body};

/// Longest silence of a service, in milliseconds.
const SILENCE_LIMIT_MS: u64 = 60_000;

/// An answer, and when it began.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedAnswer {
    /// The answer, without the user's keys.
    pub answer: ModelAnswer,
    /// How long it took until its first piece came, in milliseconds.
    pub first_ms: Option<u64>,
}

/// Asks a model with the connection's settings. A service that is busy is asked again when it says; a field that it refuses
/// is left out, also the next time: `leave_out` has those that are known.
///
/// # Errors
/// Why there is no answer, without the user's keys.
pub async fn answer<T: LlmTransport, C: Clock>(
    transport: &T,
    clock: &C,
    connection: &Connection,
    request: ChatRequest,
    leave_out: &RefCell<Vec<String>>,
) -> Result<TimedAnswer, ModelError> {
    let Connection { endpoint, model, temperature, max_tokens, effort, window, .. } = connection;
    let keys = transport.keys();
    let mut request = keys.conceal_request(ChatRequest {
        model: model.clone(),
        temperature: *temperature,
        max_tokens: *max_tokens,
        effort: *effort,
        context_window: *window,
        ..request
    });
    let mut attempt = 1;
    loop {
        request.leave_out.clone_from(&leave_out.borrow());
        let error = match within(clock, SILENT_LIMIT_MS, once(transport, clock, endpoint, &request)).await {
            Ok(Ok(timed)) => return Ok(TimedAnswer { answer: concealed(keys, timed.answer), ..timed }),
            Ok(Err(error)) | Err(error) => error,
        };
        // Other requests on their way may have learnt of it meanwhile.
        let new = error.refused_field().filter(|field| !request.leave_out.iter().any(|left| left == field));
        if let Some(field) = new {
            let mut known = leave_out.borrow_mut();
            if !known.iter().any(|known| known == field) {
                known.push(field.to_owned());
            }
        } else if let Some(delay) = retry_delay_ms(&error, attempt, clock.jitter()) {
            attempt += 1;
            clock.sleep(delay).await;
        } else {
            return Err(ModelError { message: keys.conceal(error.message), ..error });
        }
    }
}

/// Sends one request, and reads the answer.
async fn once<T: LlmTransport, C: Clock>(
    transport: &T,
    clock: &C,
    endpoint: &Endpoint,
    request: &ChatRequest,
) -> Result<TimedAnswer, ModelError> {
    let unusable = |error: &dyn ToString| ModelError::new(ErrorClass::Protocol, error.to_string());
    let built = build(endpoint, request).map_err(|error| unusable(&error))?;
    let source = endpoint.source().map_err(|error| unusable(&error))?;
    let began = clock.now();
    let mut body = accepted(transport, clock, endpoint, built).await?.body;
    let mut decoder = Decoder::for_source(source)
        .offering(request.tools.iter().map(|tool| tool.name.clone()))
        .in_form(endpoint.form_of(request));
    let mut first_ms = None;
    let is_answer = |event: &ModelEvent| {
        matches!(event, ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::CallOpened { .. })
    };
    while !decoder.is_done() && decoder.failure().is_none() {
        match in_time(clock, body.next()).await? {
            Some(Ok(bytes)) => {
                if decoder.feed(&bytes).iter().any(is_answer) {
                    first_ms.get_or_insert_with(|| clock.now().saturating_sub(began));
                }
            }
            Some(Err(detail)) => return Err(ModelError::new(ErrorClass::StreamCut, detail)),
            None => break,
        }
    }
    Ok(TimedAnswer { answer: decoder.end()?, first_ms })
}

/// The response to a request, if the service accepts it.
///
/// # Errors
/// Why not.
pub(crate) async fn accepted<T: LlmTransport, C: Clock>(
    transport: &T,
    clock: &C,
    endpoint: &Endpoint,
    request: HttpRequest,
) -> Result<Response<T::Body>, ModelError> {
    let response = in_time(clock, transport.post(request)).await??;
    if (200..300).contains(&response.status) {
        return Ok(response);
    }
    let mut body = response.body;
    let mut text = Vec::new();
    in_time(clock, read_error_body(&mut body, &mut text)).await?;
    let text = String::from_utf8_lossy(&text);
    let header =
        |name: &str| response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    Err(refusal(endpoint, response.status, &header, &text))
}

/// The future's output, or an error when a service is silent for too long.
pub(crate) async fn in_time<C: Clock, F: Future>(clock: &C, future: F) -> Result<F::Output, ModelError> {
    within(clock, SILENCE_LIMIT_MS, future).await
}

async fn within<C: Clock, F: Future>(clock: &C, most_ms: u64, future: F) -> Result<F::Output, ModelError> {
    let timer = clock.sleep(most_ms);
    pin_mut!(future, timer);
    match select(future, timer).await {
        Either::Left((output, _)) => Ok(output),
        Either::Right(((), _)) => {
            let detail = format!("no sign of life for {} s", most_ms / 1000);
            Err(ModelError::new(ErrorClass::Network, detail))
        }
    }
}

fn concealed(keys: &Keys, mut answer: ModelAnswer) -> ModelAnswer {
    answer.reasoning = keys.conceal(answer.reasoning);
    answer.text = keys.conceal(answer.text);
    answer.refusal = keys.conceal(answer.refusal);
    for call in &mut answer.calls {
        call.arguments = keys.conceal(std::mem::take(&mut call.arguments));
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use futures::channel::mpsc::unbounded;
    use futures::executor::block_on;
    use sidecar_llm::{Message, ModelAbilities};

    use super::*;
    use crate::testing::{ScriptedReply, ScriptedService, VirtualClock, keys};

    /// The answer to a request with these replies, how many requests were sent, and what is left out from then on.
    fn asked(replies: Vec<ScriptedReply>) -> (Result<TimedAnswer, ModelError>, usize, Vec<String>) {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let transport = ScriptedService {
            replies: RefCell::new(replies.into()),
            asked: asked.clone(),
            user: unbounded().0,
            abilities: ModelAbilities::default(),
            keys: keys(),
        };
        let endpoint =
            Endpoint { provider: "deepseek".to_owned(), base_url: "https://api.deepseek.com".to_owned() };
        let connection = Connection { endpoint, model: "m".to_owned(), ..Connection::default() };
        let request =
            ChatRequest { messages: vec![Message::User { text: "Go".to_owned() }], ..ChatRequest::default() };
        let clock = VirtualClock(Cell::new(0), "");
        let leave_out = RefCell::new(Vec::new());
        let answered = block_on(answer(&transport, &clock, &connection, request, &leave_out));
        let count = asked.borrow().len();
        (answered, count, leave_out.into_inner())
    }

    fn body(status: u16, body: &str) -> ScriptedReply {
        ScriptedReply::Body(status, Vec::new(), body.to_owned())
    }

    #[test]
    fn answer_is_read_without_keys() {
        let call = ("1", "go", "{\"key\": \"sk-secret\"}");
        let (answered, requests, _) = asked(vec![ScriptedReply::stream("hm", "sk-secret", &[call])]);
        let TimedAnswer { answer, first_ms } = answered.unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_str(), requests), ("…", "hm", 1));
        assert_eq!(answer.calls[0].arguments, "{\"key\": \"…\"}");
        assert!(first_ms.is_some());
    }

    #[test]
    fn busy_service_is_asked_again_and_a_refused_field_is_left_out_from_then_on() {
        let busy = body(429, r#"{"error":{"message":"slow down"}}"#);
        let refused = body(400, r#"{"error":{"message":"Unsupported parameter","param":"temperature"}}"#);
        let (answered, requests, left) = asked(vec![busy, refused, ScriptedReply::stream("", "Done.", &[])]);
        assert_eq!((answered.unwrap().answer.text.as_str(), requests), ("Done.", 3));
        assert_eq!(left, ["temperature"]);
    }

    #[test]
    fn failure_is_told_without_keys() {
        let (answered, requests, _) =
            asked(vec![body(401, r#"{"error":{"message":"Invalid key sk-secret"}}"#)]);
        let error = answered.unwrap_err();
        assert_eq!((error.class, requests), (ErrorClass::Auth, 1));
        assert!(!error.message.contains("sk-secret"), "{error:?}");
    }
}
