//! The routes that a client of the model calls.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::answer::{Decision, decide, refusal};
use crate::journal::{KeyCheck, Phase, Ticket, now_ms};
use crate::pieces::pieces;
use crate::playback;
use crate::refusal::Refusal;
use crate::request::ChatRequest;
use crate::server::App;
use crate::view::View;
use crate::wire::{self, Stamp};

/// `POST /chat/completions`
pub(crate) async fn complete(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let parsed = serde_json::from_slice::<Value>(&body);
    let recorded = parsed.as_ref().map_or_else(|_| json!(String::from_utf8_lossy(&body)), Value::clone);
    let key = check_key(&app, &headers);
    let ticket = app.journal.open(uri.path(), headers_without_key(&headers), key, recorded);
    let answered = match (refuse_key(key, &headers), parsed) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(why)) => Err(Refusal::bad_request(format!("the body is no JSON: {why}"))),
        (None, Ok(body)) => answer(&app, ticket, &body),
    };
    answered.unwrap_or_else(|refusal| {
        eprintln!("scripted model: request {} refused with {refusal}", ticket.number);
        app.journal.update(ticket, |entry| {
            entry.status = refusal.status;
            entry.refusal = Some(refusal.message.clone());
            entry.phase = Phase::Refused;
        });
        refusal.into_response()
    })
}

/// `GET /models`
pub(crate) async fn models(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    if let Some(refusal) = refuse_key(check_key(&app, &headers), &headers) {
        eprintln!("scripted model: list of models refused with {refusal}");
        return refusal.into_response();
    }
    let models: Vec<Value> = app
        .scenarios
        .names()
        .map(|name| json!({"id": name, "object": "model", "owned_by": "scripted"}))
        .collect();
    Json(json!({"object": "list", "data": models})).into_response()
}

/// Every other address.
pub(crate) async fn nothing_here(method: Method, OriginalUri(uri): OriginalUri) -> Refusal {
    let message =
        format!("{method} {}: nothing is here; a scripted model answers POST /chat/completions", uri.path());
    eprintln!("scripted model: {message}");
    Refusal { message, ..Refusal::of_status(404) }
}

fn answer(app: &Arc<App>, ticket: Ticket, body: &Value) -> Result<Response, Refusal> {
    let request = ChatRequest::read(body)?;
    // Where a user sees the name of the model, it says what it is: `scripted-flights`.
    let name = request.model.strip_prefix("scripted-").unwrap_or(&request.model);
    let scenario = app.scenarios.get(name).ok_or_else(|| {
        let known: Vec<_> = app.scenarios.names().collect();
        Refusal::bad_request(format!(
            "Model Not Exist: `{}`. This is a scripted server; its models are {}",
            request.model,
            known.join(", ")
        ))
    })?;
    let fault = app.faults().take(name).unwrap_or_default();
    if let Some(refuse) = &fault.refuse {
        return Err(refusal(refuse));
    }
    let conversation = hash(&(&request.model, body["messages"].to_string()));
    let taken = app.taken(conversation);
    let taken = |step: usize| taken.get(&step).copied().unwrap_or(0);
    let Decision { step, refuse, answer, plan } =
        decide(scenario, &View::of(&request), &fault.delivery, taken).map_err(|why| Refusal {
            message: format!("mistake in scenario `{}`: {why:#}", request.model),
            ..Refusal::of_status(500)
        })?;
    app.took(conversation, step, scenario.steps[step].times.is_some());
    if let Some(refuse) = refuse {
        return Err(refusal(&refuse));
    }
    let stamp = stamp(ticket, body);
    app.journal.update(ticket, |entry| entry.status = 200);
    if !request.stream {
        app.journal.update(ticket, |entry| entry.phase = Phase::Finished);
        return Ok(Json(wire::completion(&request, &answer, &stamp)).into_response());
    }
    let events = wire::events(&request, &answer, &stamp, plan.tokens_per_event);
    let body = playback::body(Arc::clone(app), ticket, events, plan);
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((StatusCode::OK, headers, body).into_response())
}

fn check_key(app: &App, headers: &HeaderMap) -> KeyCheck {
    match bearer(headers) {
        None => KeyCheck::Missing,
        Some(key) if app.accepts(key) => KeyCheck::Right,
        Some(_) => KeyCheck::Wrong,
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ").filter(|key| !key.is_empty())
}

fn refuse_key(key: KeyCheck, headers: &HeaderMap) -> Option<Refusal> {
    match key {
        KeyCheck::Right => None,
        KeyCheck::Missing => {
            Some(Refusal::unauthorized("Authentication Fails (auth header format should be Bearer sk-...)"))
        }
        KeyCheck::Wrong => {
            let key: Vec<char> = bearer(headers).unwrap_or_default().chars().collect();
            let end: String = key[key.len().saturating_sub(4)..].iter().collect();
            Some(Refusal::unauthorized(format!("Authentication Fails, Your api key: ****{end} is invalid")))
        }
    }
}

fn headers_without_key(headers: &HeaderMap) -> BTreeMap<String, String> {
    headers
        .iter()
        .filter(|(name, _)| *name != header::AUTHORIZATION)
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
        prompt_tokens: ["messages", "tools"]
            .iter()
            .filter_map(|field| body.get(field))
            .map(|value| pieces(&value.to_string()).len())
            .sum(),
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
