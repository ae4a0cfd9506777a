use serde_json::json;

use super::*;
use crate::decode::decoder::ModelAnswer;
use crate::testing::{Reading, call, cut_everywhere, text, withstand};
use crate::{AnswerSource, ProviderState, Usage, WireProtocol};

#[track_caller]
fn read(stream: &str) -> Reading {
    crate::testing::read(WireProtocol::Messages, stream)
}

fn provider_state(items: Value) -> Option<ProviderState> {
    let source = AnswerSource { protocol: WireProtocol::Messages, origin: "https://llm.example".to_owned() };
    Some(ProviderState { source, items: items.as_array().unwrap().clone() })
}

const START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":20,\"cache_read_input_tokens\":60,\"cache_creation_input_tokens\":10,\"output_tokens\":1}}}\n\n";

const TEXT: &str = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"你好\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";

const END: &str = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":7}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// Reasoning, a part of it encrypted, text, a call whose first piece is empty, and one without arguments.
const CALLS: &str = concat!(
    "event: message_start\n",
    "data: {\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":{\"input_tokens\":90,\"output_tokens\":2}}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Trains \"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"first.\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"aGlk\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"I look. 🚆\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_a\",\"name\":\"find\",\"input\":{}}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"to\\\": \"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"Porto\\\"}\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_b\",\"name\":\"list\",\"input\":{}}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":4}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"input_tokens\":92,\"output_tokens\":30}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
);

#[test]
fn it_thinks_speaks_and_calls() {
    let calls = [call("toolu_a", "find", r#"{"to": "Porto"}"#), call("toolu_b", "list", "{}")];
    let opened = |index: usize, id: &str, name: &str| ModelEvent::CallOpened {
        index,
        id: id.to_owned(),
        name: name.to_owned(),
    };
    let grew = |arguments: &str| ModelEvent::CallGrew { index: 0, arguments: arguments.to_owned() };
    let completed = |index: usize| ModelEvent::CallCompleted { index, call: calls[index].clone() };
    let usage = Usage { input: 92, output: 30, ..Usage::default() };
    let reading = read(CALLS);
    assert_eq!(
        reading.events,
        [
            ModelEvent::Usage(Usage { input: 90, output: 2, ..Usage::default() }),
            ModelEvent::Reasoning("Trains ".to_owned()),
            ModelEvent::Reasoning("first.".to_owned()),
            text("I look. 🚆"),
            opened(0, "toolu_a", "find"),
            grew("{\"to\": "),
            grew("\"Porto\"}"),
            opened(1, "toolu_b", "list"),
            ModelEvent::Usage(usage),
            ModelEvent::Finish(FinishReason::Tools),
            completed(0),
            completed(1),
        ]
    );
    assert_eq!(
        reading.answer(),
        ModelAnswer {
            reasoning: "Trains first.".to_owned(),
            text: "I look. 🚆".to_owned(),
            calls: calls.to_vec(),
            usage: Some(usage),
            finish: FinishReason::Tools,
            provider_state: provider_state(json!([
                {"type": "thinking", "thinking": "Trains first.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "aGlk"},
                {"type": "text", "text": "I look. 🚆"},
                {"type": "tool_use", "id": "toolu_a"},
                {"type": "tool_use", "id": "toolu_b"},
            ])),
            ..ModelAnswer::default()
        }
    );
}

fn hello() -> ModelAnswer {
    ModelAnswer {
        text: "你好".to_owned(),
        usage: Some(Usage { input: 90, cached: 60, output: 7, ..Usage::default() }),
        provider_state: provider_state(json!([{"type": "text", "text": "你好"}])),
        ..ModelAnswer::default()
    }
}

#[test]
fn framing_may_be_loose() {
    let plain = [START, TEXT, END].concat();
    let without_stop = &plain[..plain.find("event: message_stop").unwrap()];
    for (name, loose) in [
        ("plain", plain.clone()),
        ("CRLF", plain.replace('\n', "\r\n")),
        ("no space", plain.replace("data: ", "data:")),
        ("no names", plain.replace("event: ", "id: ")),
        ("no message_stop", without_stop.to_owned()),
        ("no last line feed", plain.trim_end().to_owned()),
        ("[DONE]", format!("{without_stop}data: [DONE]\n\n")),
        ("begun twice", [START, START, TEXT, END].concat()),
        ("another answer after the end", [START, TEXT, END, START, TEXT, END].concat()),
    ] {
        assert_eq!(read(&loose).result, Ok(hello()), "{name}");
    }
}

#[test]
fn one_whole_answer_in_place_of_a_stream_is_read() {
    let body = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "tool_use", "id": "toolu_a", "name": "find", "input": {"to": "Porto"}},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    let answer = read(&body.to_string()).answer();
    assert_eq!(answer.reasoning, "Hm.");
    assert_eq!(answer.calls, [call("toolu_a", "find", r#"{"to":"Porto"}"#)]);
    assert_eq!(answer.finish, FinishReason::Tools);
}

#[test]
fn arguments_that_come_at_once_are_taken() {
    let stream = CALLS.replace("\"name\":\"list\",\"input\":{}", "\"name\":\"list\",\"input\":{\"page\":2}");
    assert_eq!(read(&stream).answer().calls[1], call("toolu_b", "list", r#"{"page":2}"#));
}

#[test]
fn stream_without_an_end_is_cut_and_gives_no_calls() {
    cut_everywhere(WireProtocol::Messages, CALLS, CALLS.find("data: {\"type\":\"message_delta\"").unwrap());
}

#[test]
fn token_limit_drops_what_it_cut() {
    let stream = CALLS
        .replace("\\\"Porto\\\"}", "\\\"Por")
        .replace("\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"max_tokens\"");
    let reading = read(&stream);
    assert!(!reading.events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. })));
    let answer = reading.answer();
    assert_eq!((answer.calls, answer.dropped_calls, answer.finish), (Vec::new(), 2, FinishReason::Length));
    let kinds: Vec<_> =
        answer.provider_state.unwrap().items.iter().map(|item| item["type"].clone()).collect();
    assert_eq!(kinds, ["thinking", "redacted_thinking", "text"], "and from what is sent back");
}

#[test]
fn second_answer_inside_the_first_is_an_error() {
    let error = read(&[START, TEXT, START, TEXT, END].concat()).error();
    assert_eq!(
        error,
        ModelError::new(ErrorClass::Protocol, "a second answer began in the middle of the first")
    );
}

#[test]
fn errors_and_refusals_are_errors() {
    for (chunk, class, message) in [
        (
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
            ErrorClass::Overload,
            "Overloaded",
        ),
        (
            "data: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}\n\n",
            ErrorClass::Rate,
            "slow",
        ),
        (
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}",
            ErrorClass::Context,
            "prompt is too long: 9 tokens > 8 maximum",
        ),
        (
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{\"explanation\":\"Not this.\"}}}\n\n",
            ErrorClass::Filter,
            "Not this.",
        ),
        (
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"}}\n\n",
            ErrorClass::Overload,
            "pause_turn",
        ),
    ] {
        let reading = read(&[START, TEXT, chunk].concat());
        assert_eq!(reading.partial.text, "你好");
        assert_eq!(reading.error(), ModelError::new(class, message), "{chunk}");
    }
}

#[test]
fn another_model_is_told_of() {
    let fallback = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"fallback\",\"from\":{\"model\":\"a\"},\"to\":{\"model\":\"b\"}}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let reading = read(&[START, fallback, &TEXT.replace("\"index\":0", "\"index\":1"), END].concat());
    assert!(reading.events.contains(&ModelEvent::Notice(Notice::OtherModel("b".to_owned()))));
    assert_eq!(reading.result, Ok(hello()));
}

#[test]
fn what_belongs_to_nothing_is_skipped() {
    let stray = "data: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    let answer = read(&[START, stray, TEXT, "data: {]\n\n", END].concat()).answer();
    assert_eq!(answer, ModelAnswer { skipped_chunks: 2, ..hello() });
}

#[test]
fn noise_breaks_nothing() {
    withstand(WireProtocol::Messages, &[CALLS, START, TEXT, END]);
}
