//! The connection test: one small request that finds the first thing that does not work.

use futures::future::{Either, select};
use futures::{StreamExt, pin_mut};
use sidecar_llm::prompted;
use sidecar_llm::{ChatRequest, Decoder, Endpoint, Message, ModelAnswer, ToolDefinition, ToolForm};
use sidecar_protocol::connection_test::{ConnectionCheck, ConnectionTest};
use sidecar_protocol::{Cause, ErrorClass, ModelError};

use crate::answer::{accepted, in_time};
use crate::connection::Connection;
use crate::ports::{Clock, LlmTransport, Response};
use crate::turn::SILENT_LIMIT_MS;

/// The tool that the model is asked to call.
const TOOL: &str = "ping";

/// A failed check, with its error if there was one.
type FailedCheck = (ConnectionCheck, Option<ModelError>);

/// Tests a connection with everything a turn needs: a key, streaming, a tool call. If the model calls no
/// tool, the test is repeated with prompted tool calling.
pub async fn try_connection<T: LlmTransport, C: Clock>(
    transport: &T,
    clock: &C,
    connection: &Connection,
) -> ConnectionTest {
    let began = clock.now();
    let request = request(connection);
    let found = {
        let tried = run(transport, clock, &connection.endpoint, request);
        let timer = clock.sleep(SILENT_LIMIT_MS);
        pin_mut!(tried, timer);
        match select(tried, timer).await {
            Either::Left((found, _)) => found,
            Either::Right(_) => {
                let detail = format!("no answer for {} s", SILENT_LIMIT_MS / 1000);
                Err(failed(ModelError::new(ErrorClass::StreamCut, detail)))
            }
        }
    };
    let (failed, error, prompted) = match found {
        Ok(form) => (None, None, form != ToolForm::Native),
        Err((check, error)) => (Some(check), error, false),
    };
    let error = error.map(|error| ModelError { message: transport.keys().conceal(error.message), ..error });
    ConnectionTest { failed, error, prompted, duration_ms: clock.now().saturating_sub(began) }
}

fn request(connection: &Connection) -> ChatRequest {
    ChatRequest {
        model: connection.model.clone(),
        messages: vec![
            Message::System { text: "This is a test of a connection.".to_owned() },
            Message::User { text: format!("Call the tool `{TOOL}` once, without arguments.") },
        ],
        tools: vec![ToolDefinition {
            name: TOOL.to_owned(),
            description: "Answers at once. Shows that tools can be called.".to_owned(),
            parameters: serde_json::json!({"type": "object", "properties": {}}),
        }],
        effort: connection.effort,
        leave_out: connection.leave_out.clone(),
        ..ChatRequest::default()
    }
}

async fn run<T: LlmTransport, C: Clock>(
    transport: &T,
    clock: &C,
    endpoint: &Endpoint,
    mut request: ChatRequest,
) -> Result<ToolForm, FailedCheck> {
    loop {
        let built = sidecar_llm::build(endpoint, &request).map_err(|error| {
            let check = match &error {
                sidecar_llm::RequestError::BaseUrl(_) => ConnectionCheck::Reach,
                _ => ConnectionCheck::Model,
            };
            (check, Some(ModelError::new(ErrorClass::Protocol, error.to_string())))
        })?;
        let error = match accepted(transport, clock, endpoint, built).await {
            Ok(response) => {
                let form = endpoint.form_of(&request);
                match read(clock, endpoint, form, response).await {
                    // A model that calls no tools may do so when they are described in the prompt.
                    Err((ConnectionCheck::Tools, None)) if form == ToolForm::Native => {
                        request.leave_out.push(prompted::TOOLS.to_owned());
                        continue;
                    }
                    Err(found) => return Err(found),
                    Ok(()) => return Ok(form),
                }
            }
            Err(error) => error,
        };
        match error.refused_field() {
            // As in a turn: a refused field is left out, once.
            Some(field) if !request.leave_out.iter().any(|left| left == field) => {
                request.leave_out.push(field.to_owned());
            }
            Some(_) | None => return Err(failed(error)),
        }
    }
}

/// Reads an answer to its end.
async fn read<B, C: Clock>(
    clock: &C,
    endpoint: &Endpoint,
    form: ToolForm,
    response: Response<B>,
) -> Result<(), FailedCheck>
where
    B: futures::Stream<Item = Result<Vec<u8>, String>> + Unpin,
{
    let kind =
        response.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    let is_whole = kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
    let mut decoder =
        Decoder::for_source(endpoint.source().unwrap_or_default()).offering([TOOL.to_owned()]).in_form(form);
    let mut body = response.body;
    loop {
        match in_time(clock, body.next()).await.map_err(|error| (ConnectionCheck::Streaming, Some(error)))? {
            Some(Ok(bytes)) => {
                decoder.feed(&bytes);
                if decoder.failure().is_some() || decoder.is_done() {
                    break;
                }
            }
            Some(Err(detail)) => {
                return Err((
                    ConnectionCheck::Streaming,
                    Some(ModelError::new(ErrorClass::StreamCut, detail)),
                ));
            }
            None => break,
        }
    }
    let answer = decoder.end().map_err(failed)?;
    if is_whole {
        return Err((ConnectionCheck::Streaming, None));
    }
    if calls_the_tool(&answer) { Ok(()) } else { Err((ConnectionCheck::Tools, None)) }
}

fn calls_the_tool(answer: &ModelAnswer) -> bool {
    answer.calls.iter().any(|call| call.name == TOOL)
}

/// The check that an error fails.
fn failed(error: ModelError) -> FailedCheck {
    let check = match (&error.cause, error.class) {
        (Some(Cause::Model), _) => ConnectionCheck::Model,
        (Some(Cause::NoTools), _) => ConnectionCheck::Tools,
        (Some(Cause::Origin), _) | (_, ErrorClass::Network) => ConnectionCheck::Reach,
        (_, ErrorClass::NoKey | ErrorClass::Auth | ErrorClass::Money) => ConnectionCheck::Key,
        (_, ErrorClass::StreamCut) => ConnectionCheck::Streaming,
        // Not an error of the service itself: the address is wrong.
        (_, ErrorClass::Protocol) if matches!(error.status, Some(404 | 405)) => ConnectionCheck::Reach,
        (_, ErrorClass::Rate | ErrorClass::Overload | ErrorClass::Context | ErrorClass::Filter)
        | (_, ErrorClass::Protocol) => ConnectionCheck::Model,
    };
    (check, Some(error))
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use futures::channel::mpsc::unbounded;
    use futures::executor::block_on;
    use sidecar_llm::ModelAbilities;
    use sidecar_protocol::settings::Effort;

    use super::*;
    use crate::testing::{ScriptedReply, ScriptedService, VirtualClock, keys};

    fn tried(replies: Vec<ScriptedReply>) -> (Option<ConnectionCheck>, Option<&'static str>, usize) {
        let (trial, requests) = trial(replies);
        (trial.failed, trial.error.as_ref().map(ModelError::code), requests)
    }

    /// The result of a connection test with these replies, and how many requests it sent.
    fn trial(replies: Vec<ScriptedReply>) -> (ConnectionTest, usize) {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let transport = ScriptedService {
            replies: RefCell::new(replies.into()),
            asked: asked.clone(),
            user: unbounded().0,
            abilities: ModelAbilities::default(),
            keys: keys(),
        };
        let endpoint =
            Endpoint { provider: "kimi".to_owned(), base_url: "https://api.moonshot.ai/v1".to_owned() };
        let clock = VirtualClock(Cell::new(0), "");
        let connection = Connection {
            endpoint,
            model: "kimi-k3".to_owned(),
            effort: Some(Effort::Low),
            ..Connection::default()
        };
        let trial = block_on(try_connection(&transport, &clock, &connection));
        assert!(trial.duration_ms > 0);
        assert!(!trial.error.as_ref().is_some_and(|error| error.message.contains("sk-secret")));
        let requests = asked.borrow().len();
        (trial, requests)
    }

    fn body(status: u16, body: &str) -> ScriptedReply {
        ScriptedReply::Body(status, Vec::new(), body.to_owned())
    }

    #[test]
    fn connection_test_passes_every_check_when_all_works() {
        assert_eq!(tried(vec![ScriptedReply::stream("hm", "", &[("a", TOOL, "{}")])]), (None, None, 1));
        let unwanted = r#"{"error":{"message":"unknown field","param":"reasoning_effort"}}"#;
        let unwanted = body(400, &unwanted.replace("unknown field", "Unsupported parameter"));
        assert_eq!(
            tried(vec![unwanted, ScriptedReply::stream("", "", &[("a", TOOL, "{}")])]),
            (None, None, 2)
        );
    }

    #[test]
    fn connection_test_uses_prompted_tools_when_the_model_has_no_tool_calling() {
        let refused = || body(400, r#"{"error":{"message":"registry/x does not support tools"}}"#);
        let prompted_call = "```json\n{\"name\": \"ping\", \"arguments\": {}}\n```";
        let (trial, requests) = trial(vec![refused(), ScriptedReply::stream("", prompted_call, &[])]);
        assert_eq!((trial.failed, trial.prompted, requests), (None, true, 2));
        assert_eq!(tried(vec![refused(), refused()]), (Some(ConnectionCheck::Tools), Some("no_tools"), 2));
    }

    #[test]
    fn connection_test_uses_prompted_tools_when_the_model_calls_nothing() {
        let silent = || ScriptedReply::stream("", "I cannot call tools.", &[]);
        let prompted_call = "```json\n{\"name\": \"ping\", \"arguments\": {}}\n```";
        let (found, requests) = trial(vec![silent(), ScriptedReply::stream("", prompted_call, &[])]);
        assert_eq!((found.failed, found.prompted, requests), (None, true, 2));
        assert_eq!(tried(vec![silent(), silent()]), (Some(ConnectionCheck::Tools), None, 2));
        let (found, _) = trial(vec![ScriptedReply::stream("", "", &[("a", TOOL, "{}")])]);
        assert!(!found.prompted);
    }

    #[test]
    fn connection_test_names_the_first_failed_check() {
        let network = ModelError::new(ErrorClass::Network, "sk-secret is not for you");
        let whole = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
        for (reply, check, code) in [
            (ScriptedReply::Refused(network), ConnectionCheck::Reach, Some("network")),
            (
                ScriptedReply::Refused(ModelError::new(ErrorClass::NoKey, "")),
                ConnectionCheck::Key,
                Some("no_key"),
            ),
            (body(404, "<title>Not Found</title>"), ConnectionCheck::Reach, Some("protocol")),
            (
                body(401, r#"{"error":{"message":"Invalid key"}}"#),
                ConnectionCheck::Key,
                Some("other_platform"),
            ),
            (
                body(402, r#"{"error":{"message":"Insufficient balance"}}"#),
                ConnectionCheck::Key,
                Some("money"),
            ),
            (
                body(404, r#"{"error":{"message":"model `kimi-k3` not found"}}"#),
                ConnectionCheck::Model,
                Some("model"),
            ),
            (body(429, r#"{"error":{"message":"slow down"}}"#), ConnectionCheck::Model, Some("rate")),
            (
                ScriptedReply::Silence(
                    200,
                    "data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n".to_owned(),
                ),
                ConnectionCheck::Streaming,
                Some("network"),
            ),
            (
                body(200, "data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n"),
                ConnectionCheck::Streaming,
                Some("stream_cut"),
            ),
            (
                ScriptedReply::Body(200, vec![("content-type", "application/json")], whole.to_owned()),
                ConnectionCheck::Streaming,
                None,
            ),
        ] {
            let (failed, error, _) = tried(vec![reply]);
            assert_eq!((failed, error), (Some(check), code));
        }
    }
}
