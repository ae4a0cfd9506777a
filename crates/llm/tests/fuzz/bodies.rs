//! Bodies that are read whole: error responses, and lists of models.

use proptest::prelude::*;
use serde_json::json;
use sidecar_llm::{Endpoint, ErrorClass, classify, providers, read_list, refusal};

use crate::changes::{apply, changes};
use crate::decoders::FuzzBody;
use crate::seeds::error_bodies;
use crate::time::spend;

fn header() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{0,25}",
        "-?[0-9]{0,3}\\.?[0-9e]{0,4}",
        Just("Sun, 22 Nov 2026 08:00:00 GMT".to_owned()),
        Just("Sun, 99 Nov 2026 25:00:00 GMT".to_owned()),
        any::<String>(),
    ]
}

#[test]
fn refusals() {
    let seeds = error_bodies();
    let texts: Vec<_> = seeds.iter().map(|seed| String::from_utf8_lossy(&seed.body).into_owned()).collect();
    let body = (prop::sample::select(seeds), changes(&texts))
        .prop_map(|(seed, changes)| FuzzBody(apply(&seed.body, &changes)));
    let headers = [prop::option::of(header()), prop::option::of(header()), prop::option::of(header())];
    let platforms: Vec<_> = providers()
        .iter()
        .flat_map(|provider| provider.platforms.iter().map(|platform| (provider.id, platform.base_url)))
        .collect();
    let cases = (body, any::<u16>(), headers, prop::sample::select(platforms));
    spend(&cases, |(FuzzBody(body), status, [wait, wait_ms, date], (provider, base_url))| {
        let body = String::from_utf8_lossy(&body);
        let headers = |name: &str| match name {
            "retry-after" => wait.clone(),
            "retry-after-ms" => wait_ms.clone(),
            "date" => date.clone(),
            _ => None,
        };
        let error = classify(status, &headers, &body);
        prop_assert_eq!(error.status, Some(status));
        prop_assert!(error.message.chars().count() <= 2_000);
        let by_us = [ErrorClass::NoKey, ErrorClass::Network, ErrorClass::StreamCut];
        prop_assert!(!by_us.contains(&error.class), "{:?} is not for services to say", error.class);
        if status == 401 && !body.contains("base_resp") {
            prop_assert_eq!(error.class, ErrorClass::Auth);
        }
        let endpoint = Endpoint { provider: provider.to_owned(), base_url: base_url.to_owned() };
        let refused = refusal(&endpoint, status, &headers, &body);
        // A field is reported only if the body names it.
        let named = |field: &str| body.to_lowercase().contains(&field.to_lowercase());
        prop_assert!(refused.refused_field().is_none_or(named), "{:?}", refused);
        Ok(())
    });
}

#[test]
fn lists_of_models() {
    let lists = [
        json!({"object": "list", "data": [{"id": "m-1", "object": "model", "owned_by": "o"}]}),
        json!({"data": [{"id": "v/m", "name": "M", "context_length": 9, "supported_parameters": ["tools"], "top_provider": {"max_completion_tokens": 3}}]}),
        json!({"data": [{"type": "model", "id": "m", "display_name": "M", "max_input_tokens": 9, "max_tokens": 3}], "has_more": false}),
        json!({"models": [{"name": "models/m", "displayName": "M", "inputTokenLimit": 9, "outputTokenLimit": 3, "supportedGenerationMethods": ["generateContent"]}]}),
        json!({"models": [{"name": "m:4b", "model": "m:4b", "details": {"family": "f"}}]}),
        json!([{"id": "m", "max_model_len": 9, "meta": {"n_ctx_train": 9}}]),
        json!({"error": {"message": "no", "code": "invalid_api_key"}}),
    ];
    let texts: Vec<_> = lists.iter().map(ToString::to_string).collect();
    let cases = (prop::sample::select(texts.clone()), changes(&texts));
    spend(&cases, |(list, changes)| {
        let body = apply(list.as_bytes(), &changes);
        let body = String::from_utf8_lossy(&body);
        match read_list(&body) {
            Ok(models) => {
                prop_assert!(models.len() <= 2_000);
                for model in models {
                    prop_assert!((1..=200).contains(&model.id.chars().count()), "{:?}", model);
                    prop_assert!(
                        !model.id.contains(char::is_control) && model.name.chars().count() <= 200,
                        "{:?}",
                        model
                    );
                    prop_assert!(model.window != Some(0) && model.max_output != Some(0), "{:?}", model);
                }
            }
            Err(error) => prop_assert!(error.message.chars().count() <= 2_000),
        }
        Ok(())
    });
}
