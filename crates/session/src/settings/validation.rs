//! Validation of settings.

use sidecar_llm::check_base_url;
use sidecar_llm::providers::preset;
use sidecar_protocol::settings::{ModelChoice, Price, SavedPrompt, Settings};

use super::facts::MOST_MODELS;

/// Maximum characters of a model's name.
const MODEL_LIMIT: usize = 200;

/// The dotted path of the first invalid field; `None` if all are valid. An empty provider is valid.
pub fn first_bad_field(settings: &Settings) -> Option<String> {
    if !settings.provider.is_empty() && preset(&settings.provider).is_none() {
        return Some("provider".to_owned());
    }
    for (id, set) in &settings.providers {
        if preset(id).is_none() {
            return Some(format!("providers.{id}"));
        }
        if !set.base_url.is_empty() && check_base_url(&set.base_url).is_err() {
            return Some(format!("providers.{id}.baseUrl"));
        }
        if set.model.chars().count() > MODEL_LIMIT {
            return Some(format!("providers.{id}.model"));
        }
        let is_sound =
            |(model, price): (&String, &Price)| model.chars().count() <= MODEL_LIMIT && price.is_valid();
        if set.prices.len() > MOST_MODELS || !set.prices.iter().all(is_sound) {
            return Some(format!("providers.{id}.prices"));
        }
    }
    let limits = &settings.limits;
    let is_known = |choice: &ModelChoice| {
        preset(&choice.provider).is_some() && choice.model.chars().count() <= MODEL_LIMIT
    };
    let checks = [
        ("temperature", settings.temperature.is_none_or(|value| (0.0..=2.0).contains(&value))),
        ("maxTokens", settings.max_tokens.is_none_or(|value| (1..=10_000_000).contains(&value))),
        ("recent", settings.recent.len() <= Settings::MOST_RECENT && settings.recent.iter().all(is_known)),
        (
            "prompts",
            settings.prompts.len() <= SavedPrompt::MOST && settings.prompts.iter().all(SavedPrompt::is_valid),
        ),
        ("limits.toolCalls", (1..=100).contains(&limits.tool_calls)),
        ("limits.toolSeconds", (1..=600).contains(&limits.tool_seconds)),
        ("callsKept", (1..=Settings::MOST_CALLS_KEPT).contains(&settings.calls_kept)),
        ("limits.turnSeconds", (1..=3600).contains(&limits.turn_seconds)),
        ("limits.resultCharacters", (1_000..=200_000).contains(&limits.result_characters)),
    ];
    checks.into_iter().find(|(_, fits)| !fits).map(|(field, _)| field.to_owned())
}
