//! Steps that request an endpoint.

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;

use super::elements::filled;
use super::read::{RawRows, picked};
use super::steps::within;
use super::{CrossRequest, RequestFault, Runner, StepPort, Stop};
use crate::definition::SkillEndpoint;
use crate::definition::step::{AnswerForm, StepKind};
use crate::template::{self, Values};

/// How long a request to another origin may take without a limit of its own, in milliseconds: as long as one of the page.
const REQUEST_LIMIT_MS: u64 = 30_000;

/// What the page says of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PageAnswered {
    status: u16,
    part: String,
    /// Where the next part begins, if there is one.
    more: Option<u64>,
    fault: Option<String>,
}

impl<P: StepPort> Runner<'_, P> {
    /// Requests an endpoint, and returns what the step reads of the answer. `limit` is the step's own, in milliseconds.
    pub(super) async fn request(&mut self, kind: &StepKind, limit: Option<u64>) -> Result<Value, Stop> {
        let StepKind::Fetch { endpoint: name, path, query, form, json, read, pick, extract, outcomes } = kind
        else {
            return Ok(Value::Null);
        };
        let endpoint = self.definition.endpoints.get(name).ok_or(Stop::Failed(ActionOutcome::Changed))?;
        let address = address(endpoint, &filled(path, &self.values), &template::query(query, &self.values))
            .ok_or(Stop::Failed(ActionOutcome::BadInput))?;
        let form = form.as_ref().map(|form| texts(form, &self.values));
        let json = json.as_ref().and_then(|json| template::filled(json, &self.values));
        let writes = endpoint.method != "GET";
        // What was sent may have been done, whatever became of the answer.
        let unknown = move |stop: Stop| if writes { ActionOutcome::Interrupted.into() } else { stop };
        let by_status = |status: u16| outcome_of(status, outcomes.get(&status.to_string()).copied());
        if let Some(origin) = &endpoint.origin {
            let request = cross_request(endpoint, format!("{origin}{address}"), form, json);
            let limit = limit.unwrap_or(REQUEST_LIMIT_MS);
            let answer = within(self.port, limit, self.port.fetch(request)).await;
            let answer =
                answer.unwrap_or(Err(RequestFault::Timeout)).map_err(|fault| unknown(failed(fault)))?;
            by_status(answer.status)?;
            if writes && answer.text.trim().is_empty() {
                return Ok(Value::Null);
            }
            let data: Value =
                serde_json::from_str(&answer.text).map_err(|_| unknown(failed(RequestFault::Form)))?;
            return there(picked(&data, pick.as_deref())?);
        }
        let mut request = json!({"do": "request", "method": endpoint.method, "path": address, "headers": endpoint.headers, "read": read});
        if let Some(limit) = limit {
            request["timeout"] = json!(limit);
        }
        if let Some(form) = form {
            request["form"] = json!(form);
        }
        if let Some(json) = json {
            request["json"] = json;
        }
        if let Some(extract) = extract {
            request["rows"] = self.rows_request(extract)?;
        }
        let answer = self.port.ask(request).await.map_err(|none| unknown(none.into()))?;
        let answered = PageAnswered::deserialize(&answer).unwrap_or_default();
        if answered.status != 0 {
            by_status(answered.status)?;
        }
        if let Some(fault) = &answered.fault {
            return Err(match fault.as_str() {
                "path" => ActionOutcome::BadInput.into(),
                fault => unknown(failed(fault_of(fault))),
            });
        }
        match (read, extract) {
            (AnswerForm::Html, Some(extract)) => {
                let raw = RawRows::deserialize(&answer).unwrap_or_default();
                Ok(Value::Array(self.rows(raw, extract, false).await?))
            }
            _ => {
                let text = self.whole(answered).await?;
                if writes && text.is_empty() {
                    return Ok(Value::Null);
                }
                let data: Value =
                    serde_json::from_str(&text).map_err(|_| unknown(failed(RequestFault::Form)))?;
                there(picked(&data, pick.as_deref())?)
            }
        }
    }

    /// The text of an answer, of which the page gives one part after another.
    async fn whole(&mut self, answered: PageAnswered) -> Result<String, Stop> {
        let (mut text, mut more) = (answered.part, answered.more);
        while let Some(from) = more {
            let answer = self.port.ask(json!({"do": "part", "from": from})).await?;
            let next = PageAnswered::deserialize(&answer).unwrap_or_default();
            if next.part.is_empty() {
                return Err(ActionOutcome::Interrupted.into());
            }
            text.push_str(&next.part);
            more = next.more.filter(|more| *more > from);
        }
        Ok(text)
    }
}

/// Path and query of an endpoint: `{name}` in its path is one segment.
fn address(endpoint: &SkillEndpoint, segments: &Values, query: &str) -> Option<String> {
    let path: Vec<_> = endpoint
        .path
        .split('/')
        .map(|segment| match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => format!("{{{{{name}}}}}"),
            None => segment.to_owned(),
        })
        .collect();
    let path = template::path(&path.join("/"), segments)?;
    Some(if query.is_empty() { path } else { format!("{path}?{query}") })
}

fn cross_request(
    endpoint: &SkillEndpoint,
    url: String,
    form: Option<Values>,
    json: Option<Value>,
) -> CrossRequest {
    let mut headers: Vec<_> =
        endpoint.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let kind = match (&form, &json) {
        (Some(_), _) => Some("application/x-www-form-urlencoded"),
        (None, Some(_)) => Some("application/json"),
        (None, None) => None,
    };
    if let Some(kind) = kind {
        headers.push(("content-type".to_owned(), kind.to_owned()));
    }
    let form = form.map(|form| template::query(&form, &Values::new()));
    let body = form.or_else(|| json.map(|json| json.to_string()));
    CrossRequest { method: endpoint.method.clone(), url, headers, body }
}

/// The fields of a form as texts, without those that have no value.
fn texts(form: &Values, values: &Values) -> Values {
    let text = |(name, template): (&String, &Value)| {
        Some((name.clone(), Value::String(template::filled_text(template, values)?)))
    };
    form.iter().filter_map(text).collect()
}

/// What was picked of an answer. Nothing at all is another answer than the author knew; an empty list is one.
fn there(picked: Value) -> Result<Value, Stop> {
    if picked.is_null() { Err(ActionOutcome::Changed.into()) } else { Ok(picked) }
}

/// What an HTTP status means, unless the step says it.
fn outcome_of(status: u16, said: Option<ActionOutcome>) -> Result<(), Stop> {
    let outcome = match (said, status) {
        (Some(said), _) => said,
        (None, 200..=299) => return Ok(()),
        (None, 401 | 403) => ActionOutcome::SignIn,
        (None, 404 | 410) => ActionOutcome::NotFound,
        (None, 429) => ActionOutcome::Challenge,
        (None, _) => ActionOutcome::Changed,
    };
    Err(outcome.into())
}

fn fault_of(word: &str) -> RequestFault {
    match word {
        "redirect" => RequestFault::Redirect,
        "notJson" => RequestFault::Form,
        "tooLarge" => RequestFault::TooLarge,
        "timeout" => RequestFault::Timeout,
        _ => RequestFault::Network,
    }
}

fn failed(fault: RequestFault) -> Stop {
    Stop::Failed(match fault {
        RequestFault::Network => ActionOutcome::Blocked,
        RequestFault::Redirect | RequestFault::Form => ActionOutcome::Changed,
        RequestFault::TooLarge => ActionOutcome::TooLarge,
        RequestFault::Timeout => ActionOutcome::Timeout,
    })
}
