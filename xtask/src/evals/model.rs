//! The models that are asked: as they are named on the command line, where their services are, and what they cost.

use std::env;

use anyhow::{Context, Result, bail};
use sidecar_llm::{Endpoint, preset};
use sidecar_protocol::settings::Price;

/// The name of the small model that `cargo xtask` brings itself.
pub(super) const LOCAL_SMALL: &str = "local-small";

/// Maximum tokens of an answer of the small model, which may go on and on.
const SMALL_ANSWER: u32 = 512;

/// A model.
#[derive(Debug, Clone)]
pub(super) struct EvalModel {
    /// As it is named in reports: `provider:model`.
    pub name: String,
    /// Where it is.
    pub endpoint: Endpoint,
    /// The service's name for it.
    pub model: String,
    /// Its price, if known.
    pub price: Option<Price>,
    /// Maximum tokens of an answer where the command line does not say; the service's own without.
    pub max_tokens: Option<u32>,
    /// The key, if the environment has one. It is never printed.
    key: Option<String>,
}

impl EvalModel {
    /// A model as it is named on the command line, with the addresses and prices that stand there.
    pub fn named(name: &str, endpoints: &[String], prices: &[String]) -> Result<Self> {
        let (provider, model) = name.split_once(':').filter(|(provider, model)| {
            !provider.is_empty() && !model.is_empty()
        }).with_context(|| {
            format!("{name:?} names no model; write PROVIDER:MODEL, as deepseek:deepseek-chat, or {LOCAL_SMALL}")
        })?;
        let Some(known) = preset(provider) else {
            bail!(
                "there is no provider {provider:?}; `custom` with --endpoint is any service of the form of OpenAI's"
            );
        };
        let given = endpoints.iter().rev().find_map(|given| given.strip_prefix(provider)?.strip_prefix('='));
        let base_url = given.unwrap_or(known.base_url()).to_owned();
        let endpoint = Endpoint { provider: provider.to_owned(), base_url };
        if let Err(error) = endpoint.source() {
            bail!(
                "{provider} has no address that can be used ({error}); give one with --endpoint {provider}=URL"
            );
        }
        let price = prices.iter().rev().find_map(|given| given.strip_prefix(name)?.strip_prefix('='));
        let variable = key_variable(provider);
        let key = env::var(&variable).ok().filter(|key| !key.is_empty());
        if key.is_none() && !known.key_optional {
            bail!("{provider} needs a key; put it into the environment variable {variable}");
        }
        Ok(Self {
            name: name.to_owned(),
            endpoint,
            model: model.to_owned(),
            price: price.map(read_price).transpose()?,
            max_tokens: None,
            key,
        })
    }

    /// The small model, of a server on this machine.
    pub fn local(name: &str, base_url: &str, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            endpoint: Endpoint { provider: "llama-server".to_owned(), base_url: base_url.to_owned() },
            model: model.to_owned(),
            price: None,
            max_tokens: Some(SMALL_ANSWER),
            key: None,
        }
    }

    /// The environment variable with its key.
    pub fn key_variable(&self) -> String {
        key_variable(&self.endpoint.provider)
    }

    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// A text of the service without the key, if it has it in it.
    pub fn masked(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "•••"),
            None => text.to_owned(),
        }
    }
}

/// The environment variable with a provider's key: `DEEPSEEK_API_KEY`.
fn key_variable(provider: &str) -> String {
    format!("{}_API_KEY", provider.replace('-', "_").to_uppercase())
}

/// Reads `INPUT/OUTPUT`, `INPUT/OUTPUT/CACHED`, with a currency behind it or USD, each per million tokens.
fn read_price(text: &str) -> Result<Price> {
    let (numbers, currency) = text.split_once(' ').unwrap_or((text, "USD"));
    let wrong = || {
        format!(
            "{text:?} is no price; write INPUT/OUTPUT or INPUT/OUTPUT/CACHED per million tokens, as \"2/8/0.5 CNY\""
        )
    };
    let read: Result<Vec<f64>, _> = numbers.split('/').map(str::parse).collect();
    let numbers = read.with_context(wrong)?;
    let is_sound = numbers.iter().all(|number| number.is_finite() && *number >= 0.0)
        && currency.chars().count() <= Price::MOST_CURRENCY;
    let (input, output, cached) = match *numbers {
        [input, output] if is_sound => (input, output, None),
        [input, output, cached] if is_sound => (input, output, Some(cached)),
        _ => bail!(wrong()),
    };
    Ok(Price { currency: currency.to_owned(), input, cached, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_has_the_address_and_the_price_that_were_given() {
        let endpoints = ["ollama=http://127.0.0.1:1/v1", "custom=http://127.0.0.1:2/v1"].map(str::to_owned);
        let prices = ["custom:a:b=2/8/0.5 CNY".to_owned()];
        let model = EvalModel::named("custom:a:b", &endpoints, &prices).unwrap();
        assert_eq!(
            (model.endpoint.base_url.as_str(), model.model.as_str()),
            ("http://127.0.0.1:2/v1", "a:b")
        );
        let price = Price { currency: "CNY".to_owned(), input: 2.0, cached: Some(0.5), output: 8.0 };
        assert_eq!(model.price, Some(price));
        let ollama = EvalModel::named("ollama:qwen3", &[], &prices).unwrap();
        assert!(ollama.endpoint.base_url.contains("11434") && ollama.price.is_none());
    }

    #[test]
    fn inspector_case_72_key_is_masked_in_what_a_service_says() {
        let model = EvalModel::local("a", "http://127.0.0.1:1/v1", "m");
        assert_eq!(model.masked("key sk-1 is wrong"), "key sk-1 is wrong");
        let model = EvalModel { key: Some("sk-1".to_owned()), ..model };
        assert_eq!(model.masked("key sk-1 is wrong: sk-1"), "key ••• is wrong: •••");
    }

    #[test]
    fn what_is_no_model_or_price_is_refused() {
        for (name, why) in [
            ("deepseek", "PROVIDER:MODEL"),
            ("nobody:x", "no provider"),
            ("custom:x", "--endpoint custom=URL"),
        ] {
            let error = EvalModel::named(name, &[], &[]).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        for price in ["", "2", "a/b", "1/2/3/4", "-1/2", "1/2 EUROPEANS", "inf/1"] {
            assert!(read_price(price).is_err(), "{price}");
        }
        assert_eq!(read_price("1/2").unwrap().currency, "USD");
    }
}
