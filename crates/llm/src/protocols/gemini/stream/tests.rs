use super::*;
use crate::decode::decoder::ModelAnswer;
use crate::decode::event::{FinishReason, ModelEvent};
use crate::testing::{Reading, call, cut_everywhere, text, withstand};
use crate::{AnswerSource, ProviderState, Usage, WireProtocol};

#[track_caller]
fn read(stream: &str) -> Reading {
    crate::testing::read(WireProtocol::GenerateContent, stream)
}

/// Reasoning, text in pieces, a call with an id and one without, and the finish reason in a chunk of its
/// own.
const CALLS: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Trains.\",\"thought\":true}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":50}}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Ich \"},{\"text\":\"suche 🚆\"}]}}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"fc1\",\"name\":\"find\",\"args\":{\"to\":\"Köln\"}},\"thoughtSignature\":\"c2ln\"},{\"functionCall\":{\"name\":\"list\",\"args\":{}}}]}}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":50,\"cachedContentTokenCount\":30,\"candidatesTokenCount\":9,\"thoughtsTokenCount\":4}}\n\n",
);

fn provider_state(items: Value) -> Option<ProviderState> {
    let source =
        AnswerSource { protocol: WireProtocol::GenerateContent, origin: "https://llm.example".to_owned() };
    Some(ProviderState { source, items: items.as_array().unwrap().clone() })
}

fn expected() -> ModelAnswer {
    ModelAnswer {
        reasoning: "Trains.".to_owned(),
        text: "Ich suche 🚆".to_owned(),
        calls: vec![call("fc1", "find", r#"{"to":"Köln"}"#), call("call_1", "list", "{}")],
        usage: Some(Usage { input: 50, cached: 30, output: 13, reasoning: 4 }),
        provider_state: provider_state(json!([
            {"text": "Ich suche 🚆"},
            {"call": "fc1", "hasId": true, "thoughtSignature": "c2ln"},
            {"call": "call_1", "hasId": false},
        ])),
        ..ModelAnswer::default()
    }
}

#[test]
fn it_thinks_speaks_and_calls() {
    let reading = read(CALLS);
    let opened = |index: usize, id: &str, name: &str| ModelEvent::CallOpened {
        index,
        id: id.to_owned(),
        name: name.to_owned(),
    };
    let grew =
        |index: usize, arguments: &str| ModelEvent::CallGrew { index, arguments: arguments.to_owned() };
    assert_eq!(
        reading.events,
        [
            ModelEvent::Reasoning("Trains.".to_owned()),
            ModelEvent::Usage(Usage { input: 50, ..Usage::default() }),
            text("Ich "),
            text("suche 🚆"),
            opened(0, "fc1", "find"),
            grew(0, r#"{"to":"Köln"}"#),
            opened(1, "call_1", "list"),
            grew(1, "{}"),
            ModelEvent::Usage(Usage { input: 50, cached: 30, output: 13, reasoning: 4 }),
            ModelEvent::Finish(FinishReason::Stop),
        ]
    );
    assert_eq!(reading.result, Ok(expected()));
}

#[test]
fn framing_may_be_loose() {
    let objects: Vec<_> = CALLS.split("\n\n").filter_map(|chunk| chunk.strip_prefix("data: ")).collect();
    for (name, loose) in [
        ("CRLF", CALLS.replace('\n', "\r\n")),
        ("no space", CALLS.replace("data: ", "data:")),
        ("no last line feed", CALLS.trim_end().to_owned()),
        ("[DONE]", format!("{CALLS}data: [DONE]\n\n")),
        ("an array", format!("[{}\n]\n", objects.join("\n,\r\n"))),
    ] {
        assert_eq!(read(&loose).result, Ok(expected()), "{name}");
    }
}

#[test]
fn one_whole_answer_in_place_of_a_stream_is_read() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}"#;
    assert_eq!(read(body).answer().text, "Hi");
}

#[test]
fn text_follows_the_first_finish_reason() {
    let more =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"!\"}]},\"finishReason\":\"STOP\"}]}\n\n";
    assert_eq!(read(&format!("{CALLS}{more}")).answer().text, "Ich suche 🚆!");
}

#[test]
fn stream_without_an_end_is_cut_and_gives_no_calls() {
    let end = CALLS.rfind("data: ").unwrap();
    cut_everywhere(WireProtocol::GenerateContent, CALLS, end);
}

#[test]
fn token_limit_keeps_whole_calls() {
    let answer = read(&CALLS.replace("STOP", "MAX_TOKENS")).answer();
    assert_eq!((answer.calls.len(), answer.finish), (2, FinishReason::Length));
}

#[test]
fn arguments_may_come_value_by_value() {
    let chunk = |call: &str, more: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{call}}}]}}{more}}}]}}\n\n"
        )
    };
    let open = chunk(r#"{"name":"find","willContinue":true}"#, "");
    let first = chunk(
        r#"{"partialArgs":[{"jsonPath":"$.to","stringValue":"Kö","willContinue":true}],"willContinue":true}"#,
        "",
    );
    let last = chunk(r#"{"partialArgs":[{"jsonPath":"$.to","stringValue":"ln"}]}"#, "");
    let end = chunk("{}", ",\"finishReason\":\"STOP\"");
    let calls = |chunks: &[&str]| read(&chunks.concat()).answer().calls;
    assert_eq!(calls(&[&open, &first, &last, &end]), [call("call_0", "find", r#"{"to":"Köln"}"#)]);
    assert_eq!(calls(&[&open, &first, &end]), [call("call_0", "find", r#"{"to":"Kö"}"#)]);
    let stop = "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n";
    assert_eq!(calls(&[&open, &first, stop]), [call("call_0", "find", "{")], "no object: nothing to run");
}

#[test]
fn signatures_keep_parts_apart() {
    let parts = |parts: &str| {
        let chunk = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":{parts}}},\"finishReason\":\"STOP\"}}]}}\n\n"
        );
        read(&chunk).answer().provider_state
    };
    assert_eq!(
        parts(
            r#"[{"text":"a"},{"text":"b","thoughtSignature":"x"},{"text":"c"},{"text":"","thoughtSignature":"y"},{"text":"t","thought":true,"thoughtSignature":"z"}]"#
        ),
        provider_state(json!([
            {"text": "a"},
            {"text": "b", "thoughtSignature": "x"},
            {"text": "c"},
            {"text": "", "thoughtSignature": "y"},
            {"text": "t", "thought": true, "thoughtSignature": "z"},
        ]))
    );
}

#[test]
fn errors_and_blocks_are_errors() {
    for (body, class, message) in [
        (
            "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{\"promptTokenCount\":5}}\n\n",
            ErrorClass::Filter,
            "SAFETY",
        ),
        (
            "data: {\"candidates\":[{\"finishReason\":\"PROHIBITED_CONTENT\"}]}\n\n",
            ErrorClass::Filter,
            "PROHIBITED_CONTENT",
        ),
        (
            "data: {\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\",\"finishMessage\":\"bad call\"}]}\n\n",
            ErrorClass::Overload,
            "bad call",
        ),
        (
            "{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}",
            ErrorClass::Overload,
            "busy",
        ),
        (
            "[{\"error\":{\"code\":400,\"message\":\"no key\",\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}]",
            ErrorClass::Auth,
            "no key",
        ),
    ] {
        assert_eq!(read(body).error(), ModelError::new(class, message), "{body}");
    }
}

#[test]
fn noise_breaks_nothing() {
    withstand(WireProtocol::GenerateContent, &[CALLS]);
}
