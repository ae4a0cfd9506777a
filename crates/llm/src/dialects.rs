//! Dialects: how endpoints differ in what they support. Each difference is data, with its source beside it.
//! The code that builds requests looks at the dialect and never at a provider's name.

use serde_json::{Map, Value};
use sidecar_protocol::settings::Effort;

use sidecar_protocol::schema::ProfileName;

use crate::conversation::provider_state::AnswerSource;
use crate::providers::base_url::BaseUrl;
use crate::wire::WireProtocol;

mod table;

use table::DIALECTS;
pub use table::GENERIC;

/// How one service speaks its protocol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dialect {
    /// Name for logs.
    pub name: &'static str,
    /// The provider that speaks it at any address (also through a proxy or a test server); empty for none.
    pub provider: &'static str,
    /// Hosts that speak it, whichever provider was chosen.
    pub hosts: &'static [&'static str],
    /// Suffix of the path of addresses that speak it; empty for any.
    pub path: &'static str,
    /// The protocol.
    pub protocol: WireProtocol,
    /// How the key is sent.
    pub key_header: KeyHeader,
    /// Whether the model's reasoning is sent back; only for Chat Completions.
    pub reasoning: ReasoningEcho,
    /// The name of the field for the token limit of an answer; Chat Completions has several.
    pub token_limit: &'static str,
    /// Whether usage must be requested with `stream_options`; only for Chat Completions.
    pub stream_usage: bool,
    /// Whether it supports a tool choice of `none`.
    pub none_choice: bool,
    /// Whether it supports forced tool calls.
    pub forced: ForcedChoice,
    /// Whether it has a switch for parallel calls.
    pub parallel_calls: bool,
    /// The highest temperature it accepts.
    pub hottest: f64,
    /// Prefixes of the models that accept no temperature; an empty one matches all.
    pub fixed_sampling: &'static [&'static str],
    /// How reasoning effort is requested from its models. The first entry that fits the model counts.
    pub thinking: &'static [ThinkingFields],
    /// The subset of JSON Schema it accepts for the parameters of a tool.
    pub schema: ProfileName,
    /// Whether any of its models supports tool calls.
    pub takes_tools: bool,
    /// Where a model's capabilities can be queried; absent if nowhere.
    pub facts: Option<FactsSource>,
    /// How to constrain an answer to JSON of a schema; absent if that is impossible, or if all of its
    /// models support tool calls.
    pub constraint: Option<Constraint>,
    /// Fields of every request: JSON text of an object.
    pub always: &'static str,
    /// Whether keys of one of its platforms (regions, plans) are refused by the others with the same
    /// message as invalid ones.
    pub separate_keys: bool,
    /// Whether it refuses requests of web pages and extensions that it is not configured for (CORS).
    pub checks_origin: bool,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyHeader {
    /// `authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`
    XApiKey,
    /// `x-goog-api-key: …`
    XGoogApiKey,
}

impl KeyHeader {
    /// The header's name, in lower case, and its value.
    #[must_use]
    pub fn with(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Bearer => ("authorization", format!("Bearer {key}")),
            Self::XApiKey => ("x-api-key", key.to_owned()),
            Self::XGoogApiKey => ("x-goog-api-key", key.to_owned()),
        }
    }
}

/// Whether earlier answers are sent back with their reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEcho {
    /// Every assistant message has `reasoning_content`, `""` if there was no reasoning.
    Always,
    /// Assistant messages have `reasoning_content` if the model gave reasoning. A model that reasons
    /// between tool calls needs it to continue; a service without reasoning never sees the field.
    WhenGiven,
    /// Assistant messages have the `reasoning_details` that came with the answer, unchanged.
    Details,
    /// Never: the service refuses such a field.
    Never,
}

/// Whether a service supports forced tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedChoice {
    /// A request may force a call at any time.
    Yes,
    /// Only while reasoning is off.
    WithoutThinking,
    /// No: it refuses them, or ignores the setting.
    No,
}

/// Where a server tells a model's capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactsSource {
    /// `GET /props`
    Props,
    /// `POST /api/show`
    Show,
}

/// How a server is told to constrain an answer to JSON of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// `response_format: {"type": "json_schema", "json_schema": {…}}`
    ResponseFormat,
    /// `format: {…}`, the schema itself.
    Format,
}

impl Constraint {
    /// The name of the field.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::ResponseFormat => "response_format",
            Self::Format => "format",
        }
    }
}

/// How reasoning effort is requested from some models, as JSON texts of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThinkingFields {
    /// Prefixes of the models' names; empty for all.
    pub models: &'static [&'static str],
    /// Fields for no reasoning; empty if the model cannot do without.
    pub off: &'static str,
    /// Fields for some reasoning, with `%` for the level; empty if there are none.
    pub on: &'static str,
    /// The values of `%` for low, medium and high.
    pub levels: [&'static str; 3],
}

impl Dialect {
    /// The source of answers from an address.
    pub(crate) fn source(&self, address: &BaseUrl) -> AnswerSource {
        AnswerSource { protocol: self.protocol, origin: address.origin().to_owned() }
    }

    /// Whether a model accepts no temperature.
    #[must_use]
    pub fn has_fixed_sampling(&self, model: &str) -> bool {
        self.fixed_sampling.iter().any(|prefix| begins(model, prefix))
    }

    /// The fields that the dialect adds to a request to a model.
    #[must_use]
    pub fn extra_fields(&self, model: &str, effort: Option<Effort>) -> Map<String, Value> {
        let mut fields = object(self.always);
        if let Some(effort) = effort {
            fields.extend(self.effort_fields(model, effort));
        }
        fields
    }

    /// The reasoning efforts that can be requested from a model.
    #[must_use]
    pub fn efforts(&self, model: &str) -> Vec<Effort> {
        let Some(thinking) = self.thinking_of(model) else { return Vec::new() };
        let off = (!thinking.off.is_empty()).then_some(Effort::Off);
        let mut levels: Vec<(&str, Effort)> =
            thinking.levels.into_iter().zip([Effort::Low, Effort::Medium, Effort::High]).collect();
        // Two levels with the same value are one choice.
        levels.dedup_by_key(|(level, _)| *level);
        let on = if thinking.on.contains('%') { levels } else { Vec::new() };
        off.into_iter().chain(on.into_iter().map(|(_, effort)| effort)).collect()
    }

    fn thinking_of(&self, model: &str) -> Option<&ThinkingFields> {
        self.thinking.iter().find(|thinking| {
            thinking.models.is_empty() || thinking.models.iter().any(|prefix| begins(model, prefix))
        })
    }

    fn effort_fields(&self, model: &str, effort: Effort) -> Map<String, Value> {
        let Some(thinking) = self.thinking_of(model) else { return Map::new() };
        let level = match effort {
            Effort::Off => return object(thinking.off),
            Effort::Low => 0,
            Effort::Medium => 1,
            Effort::High => 2,
        };
        object(&thinking.on.replace('%', thinking.levels[level]))
    }
}

/// Whether a model's name begins with this prefix; a vendor before the name (`vendor/model`) is ignored.
fn begins(model: &str, prefix: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The fields in a JSON text of the table; none for an empty text.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The dialect of an endpoint. An address that ends in `/anthropic` speaks Messages, since every service
/// that offers it beside another protocol names it so. Otherwise the host decides, then the provider.
#[must_use]
pub fn of(provider: &str, address: &BaseUrl) -> &'static Dialect {
    let fits = |dialect: &&Dialect| address.path().ends_with(dialect.path);
    let by_path = DIALECTS.iter().filter(fits).find(|dialect| dialect.is_of_path());
    let by_host = || DIALECTS.iter().filter(fits).find(|dialect| dialect.hosts.contains(&address.host()));
    let by_provider =
        || DIALECTS.iter().filter(fits).find(|dialect| !provider.is_empty() && dialect.provider == provider);
    by_path.or_else(by_host).or_else(by_provider).unwrap_or(&GENERIC)
}

impl Dialect {
    /// Whether the path alone decides that it is spoken.
    fn is_of_path(&self) -> bool {
        self.provider.is_empty() && self.hosts.is_empty() && !self.path.is_empty()
    }
}

#[cfg(test)]
mod tests;
