use proptest::prelude::*;
use serde_json::json;
use sidecar_llm::{CallRecord, ProviderState, ToolDefinition};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, ErrorClass};

use super::*;
use crate::log::Ending;
use crate::testing::{calling, meant};

const KEY: &str = "sk-4f9a-Zy\"x\\1234";

fn keys() -> Keys {
    Keys::new([KEY, "sk-4f9a-Zy", "short", "nvapi-88442211"].map(str::to_owned))
}

#[test]
fn key_is_concealed_wherever_it_stands() {
    let conceal = |text: &str| keys().conceal(text.to_owned());
    for (text, expected) in [
        (KEY.to_owned(), "…"),
        (format!("Your key is {KEY}."), "Your key is …."),
        (format!("{KEY}{KEY}"), "……"),
        ("sk-4f9a-Zyx".to_owned(), "…x"),
        ("a short sk-4f9a-Z".to_owned(), "a short …"),
        ("sk-4f9".to_owned(), "sk-4f9"),
        ("字nvapi-88442211字".to_owned(), "字…字"),
    ] {
        assert_eq!(conceal(&text), expected, "{text}");
    }
}

#[test]
fn plain_word_is_no_secret_key() {
    let kept = |key: &str| Keys::new([key.to_owned()]).conceal(format!("It is {key}.")) != "It is ….";
    assert!(["not-needed", "lm-studio", "password", "anything"].into_iter().all(kept));
    assert!(!["sk-secret", "hunter22", "Anything", "correcthorsebatterystaple"].into_iter().any(kept));
}

#[test]
fn key_in_a_tools_definition_reaches_no_service() {
    let parameters = json!({ "enum": [KEY], "title": format!("Not {KEY}") });
    let tool = ToolDefinition { name: "pick".to_owned(), description: format!("Takes {KEY}"), parameters };
    let request = ChatRequest { tools: vec![tool], ..ChatRequest::default() };
    let concealed = keys().conceal_request(request);
    assert_eq!(concealed.tools[0].description, "Takes …");
    assert_eq!(concealed.tools[0].parameters, json!({ "enum": ["…"], "title": "Not …" }));
}

#[test]
fn list_of_models_and_its_refusal_hold_no_key() {
    let model = ModelInfo { id: KEY.to_owned(), name: format!("Not {KEY}"), ..ModelInfo::default() };
    let listed = keys().conceal_models(Ok(vec![model])).unwrap();
    assert_eq!((listed[0].id.as_str(), listed[0].name.as_str()), ("…", "Not …"));
    let refusal = ModelError::new(ErrorClass::Auth, format!("Wrong key: {KEY}"));
    assert_eq!(keys().conceal_models(Err(refusal)).unwrap_err().message, "Wrong key: …");
}

#[test]
fn key_is_concealed_when_escaped_and_json_stays_valid() {
    let keys = || Keys::new([KEY, "nvapi-88442211"].map(str::to_owned));
    for depth in 1..=3 {
        for key in [
            KEY.to_owned(),
            format!("\\{KEY}"),
            format!("\n{KEY}"),
            "\nvapi-88442211 nvapi-88442211".to_owned(),
        ] {
            let unicode = |text: &str| text.replace("sk", "\\u0073\\u006B").replace('-', "\\u002d");
            let (mut plain, mut odd) =
                (json!({ "a": key }).to_string(), unicode(&json!({ "a": key }).to_string()));
            for _ in 1..depth {
                (plain, odd) = (json!([plain]).to_string(), json!([odd]).to_string());
            }
            for text in [plain, odd] {
                let concealed = keys().conceal(text.clone());
                assert!(serde_json::from_str::<Value>(&concealed).is_ok(), "{text} {concealed}");
                assert!(
                    concealed.contains('…') && !concealed.contains("1234") && !concealed.contains("8844"),
                    "{concealed}"
                );
            }
        }
    }
}

#[test]
fn key_is_concealed_in_every_part_of_an_answer() {
    let record =
        CallRecord { id: KEY.to_owned(), name: KEY.to_owned(), arguments: json!({ KEY: KEY }).to_string() };
    let mut event = calling(vec![meant(CallId::from("c"), record, None)]);
    if let Event::ModelAnswered { text, reasoning, provider_state, notes, ending, .. } = &mut event {
        (*text, *reasoning, *ending) = (KEY.to_owned(), format!("hm {KEY}"), Ending::Length);
        *provider_state =
            Some(ProviderState { items: vec![json!({ "text": KEY })], ..ProviderState::default() });
        notes.push(KEY.to_owned());
    }
    let concealed = serde_json::to_string(&keys().conceal_event(event.clone())).unwrap();
    assert!(!concealed.contains("1234") && concealed.contains("hm …"), "{concealed}");
    assert_eq!(Keys::default().conceal_event(event.clone()), event);
    let result = |text: &str| Event::ToolFinished {
        call: CallId::from("c"),
        outcome: ToolOutcome::ok(text),
        duration_ms: 1,
    };
    assert_eq!(
        keys().conceal_event(result(&format!("{{\"key\":{}}}", json!(KEY)))),
        result("{\"key\":\"…\"}")
    );
}

#[test]
fn key_is_concealed_in_every_message_of_a_request() {
    let request = ChatRequest {
        messages: vec![
            Message::User { text: KEY.to_owned() },
            Message::Assistant {
                reasoning: KEY.to_owned(),
                text: KEY.to_owned(),
                calls: vec![CallRecord {
                    id: "a".to_owned(),
                    name: "b".to_owned(),
                    arguments: json!([KEY]).to_string(),
                }],
                provider_state: Some(ProviderState { items: vec![json!(KEY)], ..ProviderState::default() }),
            },
            Message::Tool { call_id: "a".to_owned(), name: "b".to_owned(), text: KEY.to_owned() },
        ],
        ..ChatRequest::default()
    };
    let concealed = keys().conceal_request(request.clone());
    let text = format!("{:?}", concealed.messages);
    assert!(!text.contains("1234") && text.matches('…').count() == 5, "{text}");
}

#[test]
fn key_is_concealed_at_every_cut_of_a_stream() {
    let text = format!("sk- a {KEY}, sk-4f9a-Zy and nvapi-88442211 sk-4f9a");
    let expected = "sk- a …, … and … sk-4f9a";
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let mut veil = Veil::new(&keys());
            let pieces = [&text[..first], &text[first..second], &text[second..]];
            let mut shown: String = pieces.iter().map(|piece| veil.push(piece)).collect();
            shown.push_str(&veil.end());
            assert_eq!(shown, expected, "{pieces:?}");
        }
    }
}

proptest! {
    #[test]
    fn veil_gives_the_same_text_at_every_cut(text in "(sk-|sk-4f9a-Zy|\"x|\\\\1234|nvapi|-88442211|\\PC){0,20}", at in 0_usize..60) {
        let mut whole = Veil::new(&keys());
        let expected = whole.push(&text) + &whole.end();
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let mut veil = Veil::new(&keys());
        let shown = veil.push(&text[..at]) + &veil.push(&text[at..]) + &veil.end();
        prop_assert_eq!(&shown, &expected);
        prop_assert!(keys().0.iter().all(|key| !shown.contains(key.as_str())));
    }

    #[test]
    fn veil_leaves_a_text_without_keys_unchanged(text in "(sk-secr|sk-|s|[a-df-r\\\\ \"{}u0-57-9字-]){0,40}") {
        prop_assert_eq!(Keys::new(["sk-secret-key".to_owned()]).conceal(text.clone()), text);
    }
}
