//! Inline calls and reasoning in the text, in all protocols.

use serde_json::{Value, json};

use super::*;
use crate::ErrorClass;
use crate::decode::answer_builder::ANSWER_LIMIT;
use crate::decode::event::{FinishReason, Notice};
use crate::inline_calls::markup::{InlineCalls, Markup};
use crate::testing::{Reading, call, read_pieces, read_with, text};

const HERMES: &str = r#"<tool_call>{"name": "find", "arguments": {"to": "LIS"}}</tool_call>"#;

/// A Chat Completions stream with these deltas.
fn chat(deltas: &[Value], finish: &str) -> String {
    let mut stream = String::new();
    for delta in deltas {
        let chunk = json!({ "choices": [{ "index": 0, "delta": delta }] });
        stream.push_str(&format!("data: {chunk}\n\n"));
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] });
    format!("{stream}data: {end}\n\ndata: [DONE]\n\n")
}

fn content(text: &str) -> Value {
    json!({ "content": text })
}

fn structured(name: &str, arguments: &str) -> Value {
    json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": name, "arguments": arguments } }] })
}

fn decoder() -> Decoder {
    Decoder::new().with_call_prefix("t1_").offering(["find", "list"].map(str::to_owned))
}

#[track_caller]
fn read(deltas: &[Value], finish: &str) -> Reading {
    read_with(decoder, &chat(deltas, finish))
}

fn inline_calls(taken: usize, left_out: usize) -> InlineCalls {
    InlineCalls { markup: Markup::ToolCall, taken, unknown: Vec::new(), left_out }
}

#[test]
fn inline_call_becomes_a_call() {
    let (head, tail) = HERMES.split_at(20);
    let reading = read(&[content("I will look.\n"), content(head), content(tail)], "stop");
    let arguments = r#"{"to":"LIS"}"#;
    let record = call("t1_call_0", "find", arguments);
    assert_eq!(
        reading.events,
        [
            text("I will look."),
            ModelEvent::Finish(FinishReason::Stop),
            ModelEvent::CallOpened { index: 0, id: "t1_call_0".to_owned(), name: "find".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: arguments.to_owned() },
            ModelEvent::Notice(Notice::InlineCalls(inline_calls(1, 0))),
            ModelEvent::CallCompleted { index: 0, call: record.clone() },
        ]
    );
    assert_eq!(
        reading.answer(),
        ModelAnswer {
            text: "I will look.".to_owned(),
            calls: vec![record],
            inline_calls: Some(inline_calls(1, 0)),
            ..ModelAnswer::default()
        }
    );
}

#[test]
fn text_is_emitted_as_it_arrives_without_offered_tools() {
    let deltas = [content("<think>Hm.</think>"), content(HERMES), content(" \n")];
    let reading = read_with(Decoder::new, &chat(&deltas, "stop"));
    assert_eq!(reading.events[..3], [text("<think>Hm.</think>"), text(HERMES), text(" \n")]);
    assert_eq!(reading.answer().calls, []);

    let reading = read_with(|| Decoder::new().offering([]), &chat(&deltas, "stop"));
    let answer = reading.answer();
    assert_eq!((answer.reasoning.as_str(), answer.text), ("Hm.", format!("{HERMES} \n")));
    assert_eq!((answer.calls, answer.inline_calls), (Vec::new(), None));
}

#[test]
fn inline_calls_are_left_out_when_the_service_sent_calls() {
    for (name, arguments) in [("list", "{}"), ("find", r#"{"to":"OPO"}"#), ("book", "")] {
        let answer = read(&[content(HERMES), structured(name, arguments)], "tool_calls").answer();
        let expected = if arguments.is_empty() { "{}" } else { arguments };
        assert_eq!(answer.calls, [call("a", name, expected)]);
        assert_eq!((answer.text.as_str(), answer.inline_calls), ("", Some(inline_calls(0, 1))));
    }
}

#[test]
fn call_without_arguments_takes_those_of_its_inline_counterpart() {
    for (name, arguments) in [("find", "{}"), ("find", ""), ("functions.find", " null ")] {
        let both = format!(r#"<tool_call>{{"name": "list"}}</tool_call>{HERMES}"#);
        let answer = read(&[structured(name, arguments), content(&both)], "tool_calls").answer();
        assert_eq!(answer.calls, [call("a", name, r#"{"to":"LIS"}"#), call("t1_call_1", "list", "{}")]);
        assert_eq!(answer.inline_calls, Some(inline_calls(2, 0)));
    }
}

#[test]
fn reasoning_never_makes_calls() {
    let thought = format!("Perhaps {HERMES}");
    let answer = read(&[json!({ "reasoning_content": thought }), content("No.")], "stop").answer();
    assert_eq!((answer.reasoning, answer.calls, answer.inline_calls), (thought.clone(), Vec::new(), None));

    let reading =
        read(&[content("<thi"), content(&format!("nk>{thought}</th")), content("ink>\n\nNo.")], "stop");
    let answer = reading.answer();
    assert_eq!((answer.reasoning, answer.text.as_str()), (thought, "No."));
    assert_eq!((answer.calls, answer.inline_calls), (Vec::new(), None));
}

#[test]
fn held_text_is_emitted_at_the_end() {
    let reading = read(&[content("So: ``` "), content("\n{\"name\": \"find\"} <")], "stop");
    assert_eq!(reading.partial.text, "So: ```\u{20}\n{\"name\": \"find\"} <");
    // Without an end of the stream, they are in the answer but not in the events.
    let stream = chat(&[content("So <")], "stop").replace("data: [DONE]\n\n", "");
    let reading = read_with(decoder, &stream);
    assert_eq!(reading.partial.text, "So");
    assert_eq!(reading.answer().text, "So <");
}

#[test]
fn inline_call_is_dropped_when_the_answer_was_cut() {
    let cut = &HERMES[..HERMES.len() - 14];
    let answer = read(&[content(cut)], "length").answer();
    assert_eq!((answer.text.as_str(), answer.calls), ("", Vec::new()));
    assert_eq!(answer.inline_calls, Some(inline_calls(0, 1)));

    let whole = chat(&[content("Look."), content(HERMES)], "stop");
    let end = whole.rfind("data: {").unwrap();
    for at in 0..end {
        let reading = read_pieces(decoder(), [&whole.as_bytes()[..at]]);
        assert!("Look.".starts_with(&reading.partial.text));
        assert!(
            reading.events.iter().all(|event| matches!(event, ModelEvent::Text(_))),
            "{:?}",
            reading.events
        );
        assert_eq!(reading.error().class, ErrorClass::StreamCut);
    }
}

#[test]
fn provider_state_is_dropped_when_inline_calls_were_taken_out() {
    let source = |protocol| AnswerSource { protocol, origin: "https://llm.example".to_owned() };
    let read = |protocol, stream: &str| {
        let decoder = || Decoder::for_source(source(protocol)).offering(["find".to_owned()]);
        read_with(decoder, stream).answer()
    };
    let event = |value: Value| format!("data: {value}\n\n");
    let messages = |text: &str| {
        [
            json!({ "type": "message_start", "message": {} }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": text } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
            json!({ "type": "message_stop" }),
        ]
        .map(event)
        .concat()
    };
    let answer = read(WireProtocol::Messages, &messages(HERMES));
    assert_eq!(answer.calls, [call("call_0", "find", r#"{"to":"LIS"}"#)]);
    assert_eq!(answer.provider_state.unwrap().items, [] as [Value; 0]);
    let answer = read(WireProtocol::Messages, &messages("Hello"));
    assert_eq!(answer.provider_state.unwrap().items, [json!({ "type": "text", "text": "Hello" })]);

    let gemini = event(
        json!({ "candidates": [{ "content": { "parts": [{ "text": HERMES }] }, "finishReason": "STOP" }] }),
    );
    let answer = read(WireProtocol::GenerateContent, &gemini);
    assert_eq!(answer.calls, [call("call_0", "find", r#"{"to":"LIS"}"#)]);
    assert_eq!(answer.provider_state.unwrap().items, [] as [Value; 0]);

    let detail = json!({ "type": "reasoning.text", "text": "Hm." });
    let details = chat(&[json!({ "reasoning_details": [detail] }), content(HERMES)], "stop");
    let answer = read(WireProtocol::ChatCompletions, &details);
    assert_eq!(answer.provider_state.unwrap().items, [json!({ "reasoning_details": [detail] })]);
}

/// The failure of a decoder that is fed this piece repeatedly, and the number of bytes it read before.
fn flooded(beginning: &str, piece: &[u8], most: usize) -> (Option<ModelError>, usize) {
    let mut decoder = decoder();
    decoder.feed(beginning.as_bytes());
    let mut fed = 0;
    while decoder.failure().is_none() && fed < most {
        let told = decoder.feed(piece).len();
        assert!(told <= piece.len() / 16 + 1, "{told} events of {} bytes", piece.len());
        fed += piece.len();
    }
    (decoder.failure().cloned(), fed)
}

#[test]
fn bytes_that_are_nothing_of_an_answer_end_it() {
    let hello = chat(&[content("Hello")], "stop").split_inclusive("\n\n").next().unwrap().to_owned();
    let kept_alive = b": keep-alive\n\n".repeat(10_000);
    for piece in [vec![b'\n'; 1 << 20], b"\r\n".repeat(1 << 19), kept_alive, b"data: {}\n\n".repeat(1 << 16)]
    {
        let (failure, fed) = flooded(&hello, &piece, 4 * IDLE_LIMIT);
        let failure = failure.expect("it is given up");
        assert_eq!((failure.cause, failure.class), (Some(crate::Cause::TooLong), ErrorClass::StreamCut));
        assert!(fed < IDLE_LIMIT + piece.len() + 2 * BLOCK, "after {fed} bytes");
    }
}

#[test]
fn answer_that_grows_may_be_as_long_on_the_wire_as_a_response_can_be() {
    // One letter in as many bytes as a service may use for it.
    let growth = json!({ "choices": [{ "delta": { "content": "x" } }], "filler": "x".repeat(600) });
    let piece = format!("data: {growth}\n\n").repeat(1_000);
    let (failure, fed) = flooded("", piece.as_bytes(), 2 * BODY_LIMIT);
    assert_eq!(failure.unwrap().message, "more than 128 MiB in one response");
    assert!((BODY_LIMIT..BODY_LIMIT + 2 * piece.len()).contains(&fed), "after {fed} bytes");
}

#[test]
fn piece_that_does_not_fit_is_cut_and_what_came_is_kept() {
    for (name, field) in [("text", "content"), ("thoughts", "reasoning_content")] {
        let mut decoder = Decoder::new();
        let long = format!("a{}", "字".repeat(ANSWER_LIMIT / 3 + 1));
        decoder.feed(chat(&[json!({ field: long })], "stop").as_bytes());
        let partial = decoder.partial();
        let kept = partial.reasoning.len() + partial.text.len();
        assert!((ANSWER_LIMIT - 2..=ANSWER_LIMIT).contains(&kept), "{name}: {kept}");
        assert_eq!(decoder.end().unwrap_err().cause, Some(crate::Cause::TooLong), "{name}");
    }
    let (failure, _) = flooded(
        "",
        chat(&[structured("find", &"x".repeat(200_000))], "stop")
            .split_inclusive("\n\n")
            .next()
            .unwrap()
            .as_bytes(),
        1 << 24,
    );
    assert_eq!(failure.unwrap().message, "more than 1 MiB of tool calls");
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(12))]
    #[test]
    fn flood_gives_the_same_failure_at_every_cut(size in 1_usize..300_000, letter in "[\n x:]") {
        let flood = letter.repeat(IDLE_LIMIT + 2 * BLOCK);
        let read = |size: usize| {
            let mut decoder = Decoder::new();
            let events: Vec<_> = flood.as_bytes().chunks(size).flat_map(|piece| decoder.feed(piece)).collect();
            (events, decoder)
        };
        let (whole, pieces) = (read(usize::MAX), read(size));
        proptest::prop_assert!(whole.1.failure().is_some());
        proptest::prop_assert_eq!(whole, pieces);
    }
}
