//! What endpoints understand, where they differ. Each difference is data with its evidence beside it; the code that
//! builds requests asks the dialect and never a provider's name.

use serde_json::{Map, Value};
use sidecar_protocol::settings::Effort;

use sidecar_protocol::schema::SchemaProfile;

use crate::conversation::provider_state::AnswerSource;
use crate::providers::base_url::BaseUrl;
use crate::wire::WireProtocol;

mod table;

use table::DIALECTS;
pub use table::GENERIC;

/// How one service speaks its protocol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dialect {
    /// For logs.
    pub name: &'static str,
    /// The provider that speaks it at any address (a proxy, a test server); empty for none.
    pub provider: &'static str,
    /// Hosts that speak it whatever provider was chosen.
    pub hosts: &'static [&'static str],
    /// How the path of an address ends that speaks it; empty for any.
    pub path: &'static str,
    /// The protocol.
    pub protocol: WireProtocol,
    /// How the key is sent.
    pub key_header: KeyHeader,
    /// Whether the model's thoughts go back to it; Chat Completions alone asks that.
    pub reasoning: ReasoningEcho,
    /// The field for the most tokens of an answer; Chat Completions alone has several names for it.
    pub token_limit: &'static str,
    /// Whether usage must be asked for, by `stream_options`; Chat Completions alone has that.
    pub stream_usage: bool,
    /// Whether it can be told to call no tool.
    pub none_choice: bool,
    /// Whether it can be told to call a tool.
    pub forced: ForcedChoice,
    /// Whether it knows a switch for several calls in one answer.
    pub parallel_calls: bool,
    /// The highest temperature it takes.
    pub hottest: f64,
    /// How the names of models begin that take no temperature; an empty one stands for all.
    pub fixed_sampling: &'static [&'static str],
    /// How its models are told how much to think. The first that fits the model counts.
    pub thinking: &'static [ThinkingFields],
    /// What it takes of JSON Schema in the parameters of a tool.
    pub schema: SchemaProfile,
    /// Whether any of its models takes tools.
    pub takes_tools: bool,
    /// Who answers there what a model can do; absent where nobody does.
    pub facts: Option<FactsSource>,
    /// How it is told to let a model write nothing but JSON of a schema; absent where it cannot be, or where all of its
    /// models take tools.
    pub constraint: Option<Constraint>,
    /// Fields that each request has: JSON text of an object.
    pub always: &'static str,
    /// Keys of one of its platforms (regions, plans) are refused by the others, in the same words as wrong ones.
    pub separate_keys: bool,
    /// It refuses pages and extensions that it was not told of.
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

/// Whether earlier answers carry their thoughts when they are sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEcho {
    /// Every assistant message has `reasoning_content`, `""` where there were no thoughts.
    Always,
    /// `reasoning_content` is there when the model gave thoughts. A model that thinks between tool calls needs them to
    /// go on where it was; a service that knows nothing of thoughts gives none, and so never sees the field.
    WhenGiven,
    /// `reasoning_details` is there as it came, where it came.
    Details,
    /// The service refuses requests that have such a field.
    Never,
}

/// Whether a service can be told to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedChoice {
    /// It can.
    Yes,
    /// Only while the model does not think.
    WithoutThinking,
    /// It refuses that, or takes no notice.
    No,
}

/// Where a server says what a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactsSource {
    /// `GET /props`
    Props,
    /// `POST /api/show`
    Show,
}

/// How a server is told to let a model write nothing but JSON of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// `response_format: {"type": "json_schema", "json_schema": {…}}`
    ResponseFormat,
    /// `format: {…}`, the schema itself.
    Format,
}

impl Constraint {
    /// The field that says it.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::ResponseFormat => "response_format",
            Self::Format => "format",
        }
    }
}

/// How models are told how much to think: JSON texts of the fields that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThinkingFields {
    /// How the names of the models begin; none for all.
    pub models: &'static [&'static str],
    /// Not at all; empty where the model cannot do without.
    pub off: &'static str,
    /// With effort, for which `%` stands; empty where that cannot be said.
    pub on: &'static str,
    /// What `%` is for a little, more, and much.
    pub levels: [&'static str; 3],
}

impl Dialect {
    /// Who answers at an address.
    pub(crate) fn source(&self, address: &BaseUrl) -> AnswerSource {
        AnswerSource { protocol: self.protocol, origin: address.origin().to_owned() }
    }

    /// Whether a model takes no temperature.
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

    /// How a model can be told to think.
    #[must_use]
    pub fn efforts(&self, model: &str) -> Vec<Effort> {
        let Some(thinking) = self.thinking_of(model) else { return Vec::new() };
        let off = (!thinking.off.is_empty()).then_some(Effort::Off);
        let mut levels: Vec<(&str, Effort)> =
            thinking.levels.into_iter().zip([Effort::Low, Effort::Medium, Effort::High]).collect();
        // Where two levels are one there is nothing to choose.
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

/// Whether a model is one of those whose names begin so; a vendor before the name (`vendor/model`) does not count.
fn begins(model: &str, prefix: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The fields that a JSON text of the table holds; none for an empty one.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The dialect of an endpoint. An address that ends in `/anthropic` speaks Messages, since that is how all who offer it
/// beside another protocol name it; else the host knows best what it speaks, then the provider.
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
    /// Whether it is spoken wherever the path says so.
    fn is_of_path(&self) -> bool {
        self.provider.is_empty() && self.hosts.is_empty() && !self.path.is_empty()
    }
}

#[cfg(test)]
mod tests;
