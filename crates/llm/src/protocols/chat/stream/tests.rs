//! Streams as services write them.

use crate::decode::answer_builder::ANSWER_LIMIT;
use crate::decode::chunks::LINE_LIMIT;
use crate::decode::decoder::{Decoder, ModelAnswer, Partial};
use crate::decode::event::{FinishReason, ModelEvent};
use crate::testing::{Reading, call, read_with, text};
use crate::{Cause, ErrorClass, ModelError, Usage, WireProtocol, testing};

mod endings;
mod noise;

#[track_caller]
fn read(stream: &str) -> Reading {
    read_with(Decoder::new, stream)
}

fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    testing::read_pieces(Decoder::new(), pieces)
}

/// Frames chunks the way most services do.
fn stream(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

const HELLO: &str = r#"{"choices":[{"index":0,"delta":{"content":"Hello"}}]}"#;

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

const DONE: &str = "[DONE]";

fn hello() -> ModelAnswer {
    ModelAnswer { text: "Hello".to_owned(), ..ModelAnswer::default() }
}

#[test]
fn deepseek_thinks_speaks_and_calls() {
    let stream = format!(
        ": keep-alive\n\n{}",
        stream(&[
            r#"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"The user "},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"wants 里斯本."},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":"I will look. ✈️","reasoning_content":null},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_00_a","type":"function","function":{"name":"searchFlights","arguments":""}}]},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\": \"Li"}}]},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"sbon\"}"}}]},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_01_b","type":"function","function":{"name":"listFlights","arguments":""}}]},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c1","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":90,"completion_tokens":30,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":11},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":26}}"#,
            DONE,
        ])
    );
    let usage = Usage { input: 90, cached: 64, output: 30, reasoning: 11 };
    let reading = read(&stream);
    assert_eq!(
        reading.events,
        [
            ModelEvent::Alive,
            ModelEvent::Reasoning("The user ".to_owned()),
            ModelEvent::Reasoning("wants 里斯本.".to_owned()),
            text("I will look. ✈️"),
            ModelEvent::CallOpened { index: 0, id: "call_00_a".to_owned(), name: "searchFlights".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "{\"to\": \"Li".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "sbon\"}".to_owned() },
            ModelEvent::CallOpened { index: 1, id: "call_01_b".to_owned(), name: "listFlights".to_owned() },
            ModelEvent::Finish(FinishReason::Tools),
            ModelEvent::Usage(usage),
            ModelEvent::CallCompleted {
                index: 0,
                call: call("call_00_a", "searchFlights", r#"{"to": "Lisbon"}"#)
            },
            ModelEvent::CallCompleted { index: 1, call: call("call_01_b", "listFlights", "{}") },
        ]
    );
    assert_eq!(
        reading.answer(),
        ModelAnswer {
            reasoning: "The user wants 里斯本.".to_owned(),
            text: "I will look. ✈️".to_owned(),
            calls: vec![
                call("call_00_a", "searchFlights", r#"{"to": "Lisbon"}"#),
                call("call_01_b", "listFlights", "{}"),
            ],
            usage: Some(usage),
            finish: FinishReason::Tools,
            ..ModelAnswer::default()
        }
    );
}

#[test]
fn framing_may_be_loose() {
    let plain = stream(&[HELLO, STOP, DONE]);
    for (name, loose) in [
        ("CRLF", plain.replace('\n', "\r\n")),
        ("CR", plain.replace('\n', "\r")),
        ("no space", plain.replace("data: ", "data:")),
        ("byte order mark", format!("\u{feff}{plain}")),
        ("names and ids", plain.replace("data: {", "event: chunk\nid: 3\ndata: {")),
        ("no [DONE]", stream(&[HELLO, STOP])),
        ("no finish reason", stream(&[HELLO, DONE])),
        ("no last line feed", plain.trim_end().to_owned()),
        ("no end at all", stream(&[HELLO, STOP]).trim_end().to_owned()),
        ("no empty lines", plain.replace("\n\n", "\n")),
        ("two chunks glued", format!("data: {HELLO}{STOP}\n\n")),
        ("lines in a chunk", stream(&[HELLO, STOP]).replace("\"delta\"", "\ndata: \"delta\"")),
        ("bare objects", format!("{HELLO}\n{STOP}\n")),
        ("after the end", format!("{plain}data: {HELLO}\n\ndata: {{\"error\":\"late\"}}\n\n")),
    ] {
        assert_eq!(read(&loose).result, Ok(hello()), "{name}");
    }
}

#[test]
fn comments_and_empty_lines_are_signs_of_life() {
    let stream = format!(": OPENROUTER PROCESSING\n\n\n\n{}", stream(&["", HELLO, STOP, DONE]));
    let reading = read(&stream);
    assert_eq!(
        reading.events,
        [ModelEvent::Alive, ModelEvent::Alive, text("Hello"), ModelEvent::Finish(FinishReason::Stop)]
    );
    assert_eq!(reading.answer(), hello());
}

#[test]
fn last_chunk_without_an_end_is_in_the_answer() {
    let reading = read(&format!("data: {HELLO}\n\ndata: {STOP}"));
    assert_eq!(reading.events, [text("Hello")]);
    assert_eq!(reading.answer(), hello());
}

#[test]
fn what_is_no_json_is_skipped_and_counted() {
    let stream = stream(&[HELLO, "{\"choices\":[{]", "ping", "7", STOP, DONE]);
    assert_eq!(read(&stream).result, Ok(ModelAnswer { skipped_chunks: 3, ..hello() }));
}

#[test]
fn only_the_first_choice_counts_and_anything_may_be_missing() {
    let stream = stream(&[
        r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"No"}},{"index":0,"delta":{"content":"Hel"}}]}"#,
        r#"{"choices":[{"delta":{"content":"lo","tool_calls":null,"refusal":null}}],"error":null}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"No"},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"index":0}]}"#,
        r#"{"choices":[{"index":0,"delta":null,"finish_reason":""}],"error":""}"#,
        r#"{"choices":[{"index":0,"delta":{"content":7,"tool_calls":"x"},"finish_reason":"stop"}],"usage":null}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        DONE,
    ]);
    let usage = Usage { input: 3, output: 2, ..Usage::default() };
    assert_eq!(read(&stream).answer(), ModelAnswer { usage: Some(usage), ..hello() });
}

#[test]
fn thoughts_have_several_names_and_are_never_doubled() {
    for (delta, expected) in [
        (r#"{"reasoning_content":"Hm."}"#, "Hm."),
        (r#"{"reasoning":"Hm."}"#, "Hm."),
        (r#"{"reasoning_content":"Hm.","reasoning":"Hm."}"#, "Hm."),
        (r#"{"reasoning_content":"","reasoning":"Hm."}"#, "Hm."),
        (r#"{"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}"#, "Hm."),
        (r#"{"reasoning_details":[{"text":"H"},{"summary":"m."},{"data":"x"}]}"#, "Hm."),
        (r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}"#, "Hm."),
        (r#"{"reasoning":{"effort":"high"}}"#, ""),
    ] {
        let stream = stream(&[&format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#), HELLO, STOP, DONE]);
        assert_eq!(
            read(&stream).answer(),
            ModelAnswer { reasoning: expected.to_owned(), ..hello() },
            "{delta}"
        );
    }
}

#[test]
fn content_may_be_parts() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Hel"},"lo",{"type":"reference"}]}}]}"#,
        STOP,
        DONE,
    ]);
    assert_eq!(read(&stream).answer(), hello());
}

#[test]
fn refusal_is_told_apart() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"refusal":""}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#,
        r#"{"choices":[{"delta":{"refusal":" help."}}]}"#,
        STOP,
        DONE,
    ]);
    let reading = read(&stream);
    assert_eq!(reading.partial.text, "I cannot help.");
    assert_eq!(
        reading.answer(),
        ModelAnswer { refusal: "I cannot help.".to_owned(), ..ModelAnswer::default() }
    );
}

#[test]
fn one_whole_answer_in_place_of_a_stream_is_read() {
    let body = r#"
{
  "id": "c1",
  "object": "chat.completion",
  "choices": [{
    "index": 0,
    "message": {"role": "assistant", "content": "Hello", "reasoning_content": "Hm.",
      "tool_calls": [{"id": "a", "type": "function", "function": {"name": "find", "arguments": "{\"x\":\"}\"}"}}]},
    "finish_reason": "tool_calls"
  }],
  "usage": {"prompt_tokens": 1, "completion_tokens": 2}
}
"#;
    let usage = Usage { input: 1, output: 2, ..Usage::default() };
    let expected = ModelAnswer {
        reasoning: "Hm.".to_owned(),
        calls: vec![call("a", "find", r#"{"x":"}"}"#)],
        usage: Some(usage),
        finish: FinishReason::Tools,
        ..hello()
    };
    let reading = read(body);
    assert_eq!(
        reading.events.len(),
        8,
        "the empty line, thoughts, text, call, arguments, finish, usage, call"
    );
    assert_eq!(reading.result, Ok(expected.clone()));
    assert_eq!(read(&body.replace('\n', "")).result, Ok(expected));
}

#[test]
fn whole_message_after_its_deltas_is_not_read_twice() {
    let message = r#"{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    assert_eq!(read(&stream(&[HELLO, message])).answer(), hello());
}

#[test]
fn reading_goes_on_after_the_finish_reason() {
    let stream = stream(&[STOP, HELLO, r#"{"choices":[],"usage":{"prompt_tokens":3}}"#, DONE]);
    let usage = Usage { input: 3, ..Usage::default() };
    assert_eq!(read(&stream).answer(), ModelAnswer { usage: Some(usage), ..hello() });
}

#[test]
fn decoder_says_when_it_has_heard_enough() {
    let mut decoder = Decoder::new();
    decoder.feed(stream(&[HELLO, STOP]).as_bytes());
    assert!(!decoder.is_done());
    decoder.feed(b"data: [DONE]\n");
    assert!(decoder.is_done());
}

#[test]
fn usage_can_be_had_as_it_came() {
    let mut decoder = Decoder::new();
    decoder.feed(stream(&[r#"{"choices":[],"usage":{"prompt_tokens":3,"cost":0.1}}"#]).as_bytes());
    assert_eq!(decoder.raw_usage(), Some(&serde_json::json!({"prompt_tokens":3,"cost":0.1})));
}

#[test]
fn ids_that_are_missing_are_minted() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"find","arguments":"{}"}}]},"finish_reason":"stop"}]}"#,
    ]);
    let mut decoder = Decoder::new().with_call_prefix("t7_");
    decoder.feed(stream.as_bytes());
    assert_eq!(decoder.end().unwrap().calls, [call("t7_call_0", "find", "{}")]);
}
