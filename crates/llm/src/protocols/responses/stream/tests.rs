use super::*;
use crate::decode::answer_builder::ANSWER_LIMIT;
use crate::decode::decoder::ModelAnswer;
use crate::testing::{Reading, call, cut_everywhere, read_pieces, text, withstand};
use crate::{AnswerSource, ProviderState, Usage, WireProtocol};

#[track_caller]
fn read(stream: &str) -> Reading {
    crate::testing::read(WireProtocol::Responses, stream)
}

/// Frames events like the service.
fn stream(events: &[&str]) -> String {
    let chunk = |event: &&str| {
        let value: Value = serde_json::from_str(event).unwrap();
        format!("event: {}\ndata: {event}\n\n", value["type"].as_str().unwrap())
    };
    events.iter().map(chunk).collect()
}

const CREATED: &str = r#"{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[]}}"#;
const REASONING: &str = r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Trains"}],"encrypted_content":"Z2g"}"#;
const MESSAGE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"好 🚆","annotations":[]}]}"#;
const CALL: &str = r#"{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"find","arguments":"{\"to\":\"Porto\"}"}"#;

/// Reasoning, text and a call; the ids of items change from event to event.
fn whole() -> String {
    let done = |index: usize, item: &str| {
        format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#)
    };
    let completed = format!(
        r#"{{"type":"response.completed","response":{{"object":"response","status":"completed","error":null,"output":[{REASONING},{MESSAGE},{CALL}],"usage":{{"input_tokens":50,"input_tokens_details":{{"cached_tokens":40}},"output_tokens":20,"output_tokens_details":{{"reasoning_tokens":5}}}}}}}}"#
    );
    stream(&[
        CREATED,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_x","type":"reasoning","summary":[]}}"#,
        r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}"#,
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_y","output_index":0,"delta":"Tra"}"#,
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_z","output_index":0,"delta":"ins"}"#,
        &done(0, REASONING),
        r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_x","type":"message","content":[]}}"#,
        r#"{"type":"response.output_text.delta","item_id":"msg_y","output_index":1,"delta":"好 🚆"}"#,
        r#"{"type":"response.output_text.done","item_id":"msg_z","output_index":1,"text":"好 🚆"}"#,
        &done(1, MESSAGE),
        r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_x","type":"function_call","call_id":"call_a","name":"find","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_y","output_index":2,"delta":"{\"to\":"}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_z","output_index":2,"delta":"\"Porto\"}"}"#,
        r#"{"type":"response.function_call_arguments.done","item_id":"fc_w","output_index":2,"arguments":"{\"to\":\"Porto\"}"}"#,
        &done(2, CALL),
        &completed,
    ])
}

fn provider_state(items: &[&str]) -> Option<ProviderState> {
    let source = AnswerSource { protocol: WireProtocol::Responses, origin: "https://llm.example".to_owned() };
    Some(ProviderState {
        source,
        items: items.iter().map(|item| serde_json::from_str(item).unwrap()).collect(),
    })
}

fn expected() -> ModelAnswer {
    ModelAnswer {
        reasoning: "Trains".to_owned(),
        text: "好 🚆".to_owned(),
        calls: vec![call("call_a", "find", r#"{"to":"Porto"}"#)],
        usage: Some(Usage { input: 50, cached: 40, output: 20, reasoning: 5 }),
        provider_state: provider_state(&[REASONING, MESSAGE, CALL]),
        ..ModelAnswer::default()
    }
}

#[test]
fn it_thinks_speaks_and_calls() {
    let reading = read(&whole());
    assert_eq!(
        reading.events,
        [
            ModelEvent::Reasoning("Tra".to_owned()),
            ModelEvent::Reasoning("ins".to_owned()),
            text("好 🚆"),
            ModelEvent::CallOpened { index: 0, id: "call_a".to_owned(), name: "find".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "{\"to\":".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "\"Porto\"}".to_owned() },
            ModelEvent::Usage(Usage { input: 50, cached: 40, output: 20, reasoning: 5 }),
            ModelEvent::Finish(FinishReason::Stop),
            ModelEvent::CallCompleted { index: 0, call: call("call_a", "find", r#"{"to":"Porto"}"#) },
        ]
    );
    assert_eq!(reading.raw_finish, "completed");
    assert_eq!(reading.result, Ok(expected()));
}

#[test]
fn framing_may_be_loose() {
    let plain = whole();
    for (name, loose) in [
        ("CRLF", plain.replace('\n', "\r\n")),
        ("no space", plain.replace("data: ", "data:")),
        ("no names", plain.replace("event: ", "id: ")),
        ("no last line feed", plain.trim_end().to_owned()),
        ("comments", format!(": hi\n\n{plain}data: [DONE]\n\n")),
    ] {
        assert_eq!(read(&loose).result, Ok(expected()), "{name}");
    }
}

#[test]
fn last_event_alone_is_enough() {
    let stream = whole();
    let last = &stream[stream.find("event: response.completed").unwrap()..];
    assert_eq!(read(last).result, Ok(expected()));
    let response = &last[last.find("\"response\":").unwrap() + "\"response\":".len()..].trim_end();
    assert_eq!(read(&response[..response.len() - 1]).result, Ok(expected()), "nor need it be an event");
}

#[test]
fn places_in_the_last_event_may_be_others() {
    let stream = whole().replace("\"output_index\":2", "\"output_index\":5");
    assert_eq!(read(&stream).result, Ok(expected()));
}

#[test]
fn stream_without_an_end_is_cut_and_gives_no_calls() {
    let stream = whole();
    let end = stream.find("event: response.completed").unwrap();
    cut_everywhere(WireProtocol::Responses, &stream, end);
    let done = format!("{}data: [DONE]\n\n", &stream[..end]);
    assert_eq!(read(&done).error().class, ErrorClass::StreamCut);
}

#[test]
fn token_limit_drops_what_it_cut() {
    let stream = stream(&[
        CREATED,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning"}}"#,
        &format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{REASONING}}}"#),
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"call_a","name":"find","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"to\":"}"#,
        r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}"#,
    ]);
    let reading = read(&stream);
    assert_eq!(reading.raw_finish, "max_output_tokens");
    let answer = reading.answer();
    assert_eq!((answer.calls, answer.dropped_calls, answer.finish), (Vec::new(), 1, FinishReason::Length));
    assert_eq!(answer.provider_state, provider_state(&[]), "reasoning that led to nothing is refused");
}

#[test]
fn thoughts_are_told_once_and_in_paragraphs() {
    let end = r#"{"type":"response.completed","response":{"status":"completed"}}"#;
    let summary = |text: &str| {
        format!(r#"{{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"{text}"}}"#)
    };
    let next = r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#;
    let thought = r#"{"type":"response.reasoning_text.delta","output_index":0,"delta":"C"}"#;
    let reasoning = |events: &[&str]| read(&stream(events)).answer().reasoning;
    assert_eq!(reasoning(&[&summary("A"), next, &summary("B"), thought, end]), "A\n\nB");
    assert_eq!(reasoning(&[thought, &summary("A"), end]), "C");
}

#[test]
fn errors_are_errors() {
    for (event, class, message) in [
        (
            r#"{"type":"error","code":"server_error","message":"gone","param":null}"#,
            ErrorClass::Overload,
            "gone",
        ),
        (
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}}"#,
            ErrorClass::Rate,
            "slow",
        ),
        (
            r#"{"type":"response.failed","response":{"status":"failed","error":null}}"#,
            ErrorClass::Overload,
            "the service ended the answer as failed",
        ),
        (
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#,
            ErrorClass::Filter,
            "content_filter",
        ),
    ] {
        assert_eq!(read(&stream(&[CREATED, event])).error(), ModelError::new(class, message), "{event}");
    }
    let refused = r#"{"error":{"message":"Unsupported parameter: 'x'","type":"invalid_request_error"}}"#;
    assert_eq!(read(refused).error().message, "Unsupported parameter: 'x'");
}

#[test]
fn refusal_is_told_apart() {
    let end = r#"{"type":"response.completed","response":{"status":"completed"}}"#;
    let delta = r#"{"type":"response.refusal.delta","output_index":0,"delta":"No."}"#;
    assert_eq!(read(&stream(&[delta, end])).answer().refusal, "No.");
}

#[test]
fn wrapper_that_the_model_made_up_is_unwrapped() {
    let wrapper = r#"{"type":"function_call","call_id":"call_w","name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.find\",\"parameters\":{\"to\":\"Porto\"}},{\"recipient_name\":\"list\",\"parameters\":{}}]}"}"#;
    let end = format!(
        r#"{{"type":"response.completed","response":{{"status":"completed","output":[{wrapper}]}}}}"#
    );
    let answer = read(&stream(&[&end])).answer();
    let calls = [call("call_w_0", "find", r#"{"to":"Porto"}"#), call("call_w_1", "list", "{}")];
    assert_eq!((&answer.calls[..], answer.dropped_calls), (&calls[..], 0));
    assert_eq!(answer.provider_state.unwrap().items, calls.map(|call| function_call(&call)));
}

#[test]
fn items_have_a_limit() {
    let mut decoder = crate::testing::decoder(WireProtocol::Responses);
    for index in 0..5_000 {
        let event = format!(r#"{{"type":"response.output_text.delta","output_index":{index},"delta":""}}"#);
        decoder.feed(stream(&[&event]).as_bytes());
    }
    assert_eq!(decoder.failure().unwrap().class, ErrorClass::StreamCut);
}

#[test]
fn noise_breaks_nothing() {
    let whole: &'static str = Box::leak(whole().into_boxed_str());
    let end = whole.find("event: response.completed").unwrap();
    withstand(WireProtocol::Responses, Box::leak(Box::new([whole, &whole[end..]])));
    assert!(read_pieces(crate::testing::decoder(WireProtocol::Responses), [&b"{}"[..]]).result.is_err());
}

#[test]
fn arguments_that_are_told_again_whole_count_once() {
    let arguments = serde_json::json!({ "text": "a".repeat(ANSWER_LIMIT / 2) }).to_string();
    let item = serde_json::json!({ "type": "function_call", "call_id": "call_a", "name": "find", "arguments": arguments });
    let events = [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"call_a","name":"find","arguments":""}}"#.to_owned(),
        serde_json::json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": arguments }).to_string(),
        serde_json::json!({ "type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments }).to_string(),
        serde_json::json!({ "type": "response.output_item.done", "output_index": 0, "item": item }).to_string(),
        r#"{"type":"response.completed","response":{"object":"response","status":"completed","error":null,"output":[]}}"#.to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let stream = stream(&events);
    let read = read_pieces(crate::testing::decoder(WireProtocol::Responses), [stream.as_bytes()]);
    assert_eq!(read.answer().calls[0].arguments, arguments);
}
