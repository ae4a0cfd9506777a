use crate::decode::decoder::ModelAnswer;
use crate::decode::event::{FinishReason, ModelEvent};
use crate::testing::{Reading, call, cut_everywhere, text, withstand};
use crate::{AnswerSource, ErrorClass, ModelError, ProviderState, Usage, WireProtocol};

#[track_caller]
fn read(stream: &str) -> Reading {
    crate::testing::read(WireProtocol::OllamaChat, stream)
}

/// Reasoning, text, and complete calls; the last object says "stop".
const CALLS: &str = concat!(
    r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"Tra"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"ins"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"好 🚆"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"find","arguments":{"to":"Porto"}}}]},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"index":1,"name":"list","arguments":{}}}]},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":7,"prompt_eval_count":50,"eval_count":20}"#,
    "\n",
);

fn expected() -> ModelAnswer {
    let source =
        AnswerSource { protocol: WireProtocol::OllamaChat, origin: "https://llm.example".to_owned() };
    ModelAnswer {
        reasoning: "Trains".to_owned(),
        text: "好 🚆".to_owned(),
        calls: vec![call("call_a", "find", r#"{"to":"Porto"}"#), call("call_1", "list", "{}")],
        usage: Some(Usage { input: 50, output: 20, ..Usage::default() }),
        provider_state: Some(ProviderState { source, items: Vec::new() }),
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
    let completed = |index: usize| ModelEvent::CallCompleted { index, call: expected().calls[index].clone() };
    assert_eq!(
        reading.events,
        [
            ModelEvent::Reasoning("Tra".to_owned()),
            ModelEvent::Reasoning("ins".to_owned()),
            text("好 🚆"),
            opened(0, "call_a", "find"),
            grew(0, r#"{"to":"Porto"}"#),
            opened(1, "call_1", "list"),
            grew(1, "{}"),
            ModelEvent::Usage(Usage { input: 50, output: 20, ..Usage::default() }),
            ModelEvent::Finish(FinishReason::Stop),
            completed(0),
            completed(1),
        ]
    );
    assert_eq!(reading.result, Ok(expected()));
}

#[test]
fn framing_may_be_loose() {
    for (name, loose) in [
        ("CRLF", CALLS.replace('\n', "\r\n")),
        ("empty lines", CALLS.replace('\n', "\n\n")),
        ("no lines", CALLS.replace('\n', "")),
        ("events", CALLS.lines().map(|line| format!("data: {line}\n\n")).collect()),
    ] {
        assert_eq!(read(&loose).result, Ok(expected()), "{name}");
    }
}

#[test]
fn calls_of_older_versions_have_one_index_or_none() {
    for index in ["\"index\":0,", ""] {
        let stream = CALLS.replace("\"index\":0,", index).replace("\"index\":1,", index);
        assert_eq!(read(&stream).result, Ok(expected()), "{index}");
    }
}

#[test]
fn one_whole_answer_in_place_of_a_stream_is_read() {
    let answer = read(r#"{"message":{"role":"assistant","content":"Hi"},"done":true}"#).answer();
    assert_eq!((answer.text.as_str(), answer.finish), ("Hi", FinishReason::Stop));
}

#[test]
fn stream_without_an_end_is_cut_and_gives_no_calls() {
    let end = CALLS.trim_end().rfind('\n').unwrap() + 2;
    cut_everywhere(WireProtocol::OllamaChat, CALLS, end);
}

#[test]
fn token_limit_is_known() {
    let answer = read(&CALLS.replace("\"stop\"", "\"length\"")).answer();
    assert_eq!((answer.calls.len(), answer.finish), (2, FinishReason::Length));
}

#[test]
fn errors_are_errors() {
    let stream = format!(
        "{}\n{{\"error\":\"model runner has unexpectedly stopped\"}}\n",
        CALLS.lines().next().unwrap()
    );
    let expected = ModelError::new(ErrorClass::Protocol, "model runner has unexpectedly stopped");
    assert_eq!(read(&stream).error(), expected);
}

#[test]
fn noise_breaks_nothing() {
    withstand(WireProtocol::OllamaChat, &[CALLS]);
}
