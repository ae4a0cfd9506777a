//! The routes for clients of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{OriginalUri, Query};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::answer::{Play, decide, refusal};
use crate::app::App;
use crate::journal::{AnswerPhase, KeyCheck, Ticket, now_ms};
use crate::pieces::pieces;
use crate::playback::{self, Stream};
use crate::protocol::chat;
use crate::refusal::ServiceRefusal;
use crate::request::ReceivedRequest;
use crate::service::{ErrorShape, KeyPlace, Protocol, Service};
use crate::stamp::{Stamp, hash};
use crate::textual;
use crate::view::ScenarioView;

/// A request for an answer, at one of a service's addresses.
pub(crate) async fn answer(
    service: &'static Service,
    model: String,
    app: Arc<App>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let parsed = serde_json::from_slice::<Value>(&body);
    let recorded = parsed.as_ref().map_or_else(|_| json!(String::from_utf8_lossy(&body)), Value::clone);
    let key = check_key(&app, service, &headers);
    let ticket = app.journal.open(uri.path(), headers_without_key(&headers), key, recorded);
    let answered = match (refuse_key(service, key, &headers), parsed) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(why)) => Err(ServiceRefusal::bad_request(format!("the body is no JSON: {why}"))),
        (None, Ok(body)) => check_headers(service, &headers)
            .and_then(|()| service.protocol.read(service, &model, &body))
            .and_then(|request| play(service, &app, ticket, &request, &body)),
    };
    answered.unwrap_or_else(|refusal| {
        eprintln!("scripted model: request {} refused with {refusal}", ticket.number);
        let response = refusal.response(service.errors);
        app.journal.update(ticket, |entry| {
            entry.status = response.status().as_u16();
            entry.refusal = Some(refusal.message.clone());
            entry.phase = AnswerPhase::Refused;
        });
        response
    })
}

/// A request for the list of models.
pub(crate) async fn models(service: &'static Service, app: Arc<App>, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_key(service, check_key(&app, service, &headers), &headers) {
        eprintln!("scripted model: list of models refused with {refusal}");
        return refusal.response(service.errors);
    }
    Json(service.protocol.models(app.scenarios.names())).into_response()
}

/// A query about llama-server's model.
pub(crate) async fn props(Query(asked): Query<BTreeMap<String, String>>) -> Response {
    let (_, takes_tools) = part(asked.get("model").map_or("", String::as_str));
    let abilities = json!({"supports_tools": takes_tools, "supports_tool_calls": takes_tools});
    let (settings, modalities) = (json!({"n_ctx": 8192}), json!({"vision": true, "audio": false}));
    Json(json!({"default_generation_settings": settings, "total_slots": 1, "chat_template_caps": abilities, "modalities": modalities}))
        .into_response()
}

/// A query about one of Ollama's models.
pub(crate) async fn show(body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(model) = asked["model"].as_str() else {
        return ServiceRefusal::bad_request("model is required").response(ErrorShape::Ollama);
    };
    let (_, takes_tools) = part(model);
    let abilities: &[&str] =
        if takes_tools { &["completion", "tools", "vision"] } else { &["completion", "vision"] };
    Json(json!({"details": {"family": "scripted"}, "model_info": {}, "capabilities": abilities}))
        .into_response()
}

/// The scenario of a model, and whether the model supports tool calls.
fn part(model: &str) -> (&str, bool) {
    // Where users see the name of the model, it says that it is scripted: `scripted-flights`.
    let name = model.strip_prefix("scripted-").unwrap_or(model);
    match textual::plays(name) {
        Some(name) => (name, false),
        None => (name, true),
    }
}

/// Every other address.
pub(crate) async fn nothing_here(method: Method, OriginalUri(uri): OriginalUri) -> Response {
    let message =
        format!("{method} {}: nothing is here; a scripted model answers POST /chat/completions", uri.path());
    eprintln!("scripted model: {message}");
    ServiceRefusal { message, ..ServiceRefusal::of_status(404) }.response(ErrorShape::OpenAi)
}

fn play(
    service: &Service,
    app: &Arc<App>,
    ticket: Ticket,
    request: &ReceivedRequest,
    body: &Value,
) -> Result<Response, ServiceRefusal> {
    let (name, takes_tools) = part(&request.model);
    let scenario = app.scenarios.get(name).ok_or_else(|| {
        let known: Vec<_> = app.scenarios.names().collect();
        ServiceRefusal::bad_request(format!(
            "Model Not Exist: `{}`. This is a scripted server; its models are {}",
            request.model,
            known.join(", ")
        ))
    })?;
    let fault = app.faults().take(name).unwrap_or_default();
    if let Some(refuse) = &fault.refuse {
        return Err(refusal(refuse));
    }
    let understood = if takes_tools { request.clone() } else { textual::read(request)? };
    let conversation = hash(&(service.name, &request.model, said(body)));
    let taken = app.taken(conversation);
    let taken = |step: usize| taken.get(&step).copied().unwrap_or(0);
    let Play { step, refuse, answer, plan } =
        decide(scenario, &ScenarioView::of(&understood), &fault.delivery, taken).map_err(|why| {
            ServiceRefusal {
                message: format!("mistake in scenario `{}`: {why:#}", request.model),
                ..ServiceRefusal::of_status(500)
            }
        })?;
    app.took(conversation, step, scenario.steps[step].times.is_some());
    if let Some(refuse) = refuse {
        return Err(refusal(&refuse));
    }
    let answer = match &request.constraint {
        Some(schema) => textual::constrain(answer, schema)?,
        None if takes_tools => answer,
        None => textual::write(answer),
    };
    let stamp = stamp(ticket, body);
    if !request.stream {
        if service.protocol != Protocol::Chat {
            return Err(ServiceRefusal::bad_request("stream: a scripted model answers with streams alone"));
        }
        app.journal.update(ticket, |entry| {
            entry.status = 200;
            entry.phase = AnswerPhase::Finished;
        });
        return Ok(Json(chat::stream::completion(service, request, &answer, &stamp)).into_response());
    }
    app.journal.update(ticket, |entry| entry.status = 200);
    let stream = Stream {
        events: service.protocol.events(service, request, &answer, &stamp, plan.tokens_per_event),
        keep_alive: service.protocol.keep_alive(),
        error: service.protocol.error_event(service, &ServiceRefusal::of_status(500)),
    };
    let body = playback::body(Arc::clone(app), ticket, stream, plan);
    let headers =
        [(header::CONTENT_TYPE, service.protocol.content_type()), (header::CACHE_CONTROL, "no-cache")];
    Ok((StatusCode::OK, headers, body).into_response())
}

/// The conversation in a request, whatever the protocol's name for it.
fn said(body: &Value) -> String {
    let fields = ["messages", "input", "contents"].iter().filter_map(|field| body.get(field));
    fields.map(Value::to_string).collect()
}

/// Checks the headers that a service requires besides the key.
fn check_headers(service: &Service, headers: &HeaderMap) -> Result<(), ServiceRefusal> {
    match service.protocol {
        Protocol::Messages if !headers.contains_key("anthropic-version") => {
            Err(ServiceRefusal::bad_request("anthropic-version: header is required"))
        }
        Protocol::Chat
        | Protocol::Responses
        | Protocol::Messages
        | Protocol::GenerateContent
        | Protocol::Ollama => Ok(()),
    }
}

fn check_key(app: &App, service: &Service, headers: &HeaderMap) -> KeyCheck {
    match key_in(service, headers) {
        None => KeyCheck::Missing,
        Some(key) if app.accepts(key) => KeyCheck::Right,
        Some(_) => KeyCheck::Wrong,
    }
}

fn key_in<'a>(service: &Service, headers: &'a HeaderMap) -> Option<&'a str> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let key = match service.key {
        KeyPlace::Bearer | KeyPlace::None => header("authorization")?.strip_prefix("Bearer "),
        KeyPlace::XApiKey => header("x-api-key"),
        KeyPlace::XGoogApiKey => header("x-goog-api-key"),
    };
    key.filter(|key| !key.is_empty())
}

fn refuse_key(service: &Service, key: KeyCheck, headers: &HeaderMap) -> Option<ServiceRefusal> {
    match (service.key, key) {
        (KeyPlace::None, _) | (_, KeyCheck::Right) => None,
        (KeyPlace::Bearer, KeyCheck::Missing) => Some(ServiceRefusal::unauthorized(
            "Authentication Fails (auth header format should be Bearer sk-...)",
        )),
        (KeyPlace::XApiKey, KeyCheck::Missing) => {
            Some(ServiceRefusal::unauthorized("x-api-key header is required"))
        }
        (KeyPlace::XGoogApiKey, _) => {
            Some(ServiceRefusal::unauthorized("API key not valid. Please pass a valid API key."))
        }
        (KeyPlace::XApiKey, KeyCheck::Wrong) => Some(ServiceRefusal::unauthorized("invalid x-api-key")),
        (KeyPlace::Bearer, KeyCheck::Wrong) => {
            let key: Vec<char> = key_in(service, headers).unwrap_or_default().chars().collect();
            let end: String = key[key.len().saturating_sub(4)..].iter().collect();
            Some(ServiceRefusal::unauthorized(format!(
                "Authentication Fails, Your api key: ****{end} is invalid"
            )))
        }
    }
}

fn headers_without_key(headers: &HeaderMap) -> BTreeMap<String, String> {
    headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "authorization" | "x-api-key" | "x-goog-api-key"))
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}

fn stamp(ticket: Ticket, body: &Value) -> Stamp {
    let now = now_ms();
    let high = hash(&(now, ticket.number));
    let low = hash(&high);
    Stamp {
        id: format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        ),
        created: now / 1000,
        prompt_tokens: ["messages", "input", "contents", "tools"]
            .iter()
            .filter_map(|field| body.get(field))
            .map(|value| pieces(&value.to_string()).len())
            .sum(),
    }
}
