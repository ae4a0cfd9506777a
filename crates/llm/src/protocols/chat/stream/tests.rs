//! Streams as services write them.

use proptest::prelude::*;

use crate::decode::answer_builder::ANSWER_LIMIT;
use crate::decode::chunks::LINE_LIMIT;
use crate::decode::decoder::{Answer, Decoder, Partial};
use crate::decode::event::{FinishReason, ModelEvent};
use crate::testing::{Reading, call, read_with, text};
use crate::{Cause, ErrorClass, ModelError, Usage, WireProtocol, testing};

#[track_caller]
fn read(stream: &str) -> Reading {
    read_with(Decoder::new, stream)
}

fn read_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    testing::read_pieces(Decoder::new(), pieces)
}

/// Frames chunks as most services do.
fn stream(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

const HELLO: &str = r#"{"choices":[{"index":0,"delta":{"content":"Hello"}}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const DONE: &str = "[DONE]";

fn hello() -> Answer {
    Answer { text: "Hello".to_owned(), ..Answer::default() }
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
        Answer {
            reasoning: "The user wants 里斯本.".to_owned(),
            text: "I will look. ✈️".to_owned(),
            calls: vec![
                call("call_00_a", "searchFlights", r#"{"to": "Lisbon"}"#),
                call("call_01_b", "listFlights", "{}"),
            ],
            usage: Some(usage),
            finish: FinishReason::Tools,
            ..Answer::default()
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
fn the_last_chunk_without_an_end_is_in_the_answer() {
    let reading = read(&format!("data: {HELLO}\n\ndata: {STOP}"));
    assert_eq!(reading.events, [text("Hello")]);
    assert_eq!(reading.answer(), hello());
}

#[test]
fn what_is_no_json_is_skipped_and_counted() {
    let stream = stream(&[HELLO, "{\"choices\":[{]", "ping", "7", STOP, DONE]);
    assert_eq!(read(&stream).result, Ok(Answer { skipped_chunks: 3, ..hello() }));
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
    assert_eq!(read(&stream).answer(), Answer { usage: Some(usage), ..hello() });
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
        assert_eq!(read(&stream).answer(), Answer { reasoning: expected.to_owned(), ..hello() }, "{delta}");
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
fn a_refusal_is_told_apart() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"refusal":""}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#,
        r#"{"choices":[{"delta":{"refusal":" help."}}]}"#,
        STOP,
        DONE,
    ]);
    let reading = read(&stream);
    assert_eq!(reading.partial.text, "I cannot help.");
    assert_eq!(reading.answer(), Answer { refusal: "I cannot help.".to_owned(), ..Answer::default() });
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
    let expected = Answer {
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
fn a_whole_message_after_its_deltas_is_not_read_twice() {
    let message = r#"{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    assert_eq!(read(&stream(&[HELLO, message])).answer(), hello());
}

#[test]
fn a_stream_without_an_end_is_cut_and_gives_no_calls() {
    let opened = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":"{}"}}]}}]}"#;
    for cut in [
        String::new(),
        stream(&[HELLO]),
        stream(&[HELLO, opened]),
        format!("data: {HELLO}\n\ndata: {{\"choices\":[{{\"del"),
        stream(&[r#"{"choices":[],"usage":{"prompt_tokens":3}}"#]),
        ": keep-alive\n\n".to_owned(),
        "{\"choices\":[{\"message\":{\"content\":\"Hel".to_owned(),
    ] {
        let reading = read(&cut);
        let expected = if cut.contains("Hello") { "Hello" } else { "" };
        assert_eq!(reading.partial, Partial { text: expected.to_owned(), ..Partial::default() });
        assert_eq!(reading.error().class, ErrorClass::StreamCut, "{cut}");
    }
}

#[test]
fn a_reply_that_is_no_answer_is_shown() {
    let begins = |reply: &str| format!("the reply is not a model's answer; it begins: {reply}");
    for (reply, message) in [
        ("<!doctype html>\n<title>Sign in</title>\n", begins("<!doctype html>")),
        ("{\"status\":\"ok\"}", begins("{\"status\":\"ok\"}")),
        ("data: {\"detail\":\"Not Found\"}\n\n", begins("{\"detail\":\"Not Found\"}")),
    ] {
        assert_eq!(read(reply).error(), ModelError::new(ErrorClass::Protocol, message));
    }
}

#[test]
fn an_error_in_the_stream_is_known_at_once_and_ends_it() {
    for (chunk, class, message) in [
        ("data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n", ErrorClass::Overload, "busy"),
        ("data: {\"error\":\"busy\",\"choices\":[]}\n\n", ErrorClass::Protocol, "busy"),
        ("{\"error\":{\"message\":\"busy\",\"code\":\"insufficient_quota\"}}", ErrorClass::Money, "busy"),
        (
            "{\n \"error\": {\"message\": \"busy\", \"type\": \"engine_overloaded_error\"}\n}\n",
            ErrorClass::Overload,
            "busy",
        ),
        ("event: error\ndata: {\"code\":\"Throttling\",\"message\":\"busy\"}\n\n", ErrorClass::Rate, "busy"),
        ("event: error\ndata: busy\n\n", ErrorClass::Protocol, "busy"),
        ("data: {\"object\":\"error\",\"message\":\"busy\"}\n\n", ErrorClass::Protocol, "busy"),
        (
            "data: {\"choices\":null,\"base_resp\":{\"status_code\":1002,\"status_msg\":\"busy\"}}\n\n",
            ErrorClass::Rate,
            "busy",
        ),
    ] {
        let expected = ModelError::new(class, message);
        let mut decoder = Decoder::new();
        decoder.feed(stream(&[HELLO]).as_bytes());
        assert_eq!(decoder.failure(), None);
        decoder.feed(chunk.as_bytes());
        assert_eq!(decoder.failure(), Some(&expected), "{chunk}");
        assert!(decoder.feed(stream(&[HELLO, STOP, DONE]).as_bytes()).is_empty());

        let reading = read(&format!("{}{chunk}{}", stream(&[HELLO]), stream(&[HELLO, STOP, DONE])));
        assert_eq!(reading.events, [text("Hello")]);
        assert_eq!(reading.partial.text, "Hello");
        assert_eq!(reading.error(), expected, "{chunk}");
    }
}

#[test]
fn a_bad_end_is_an_error_with_what_is_known_of_it() {
    let end = |chunk: &str| read(&stream(&[HELLO, chunk, STOP, DONE])).error();
    assert_eq!(
        end(r#"{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#),
        ModelError::new(ErrorClass::Overload, "insufficient_system_resource")
    );
    assert_eq!(
        end(
            r#"{"error":{"code":502,"message":"gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}"#
        ),
        ModelError::new(ErrorClass::Overload, "gone")
    );
    assert_eq!(
        end(r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#),
        ModelError::new(ErrorClass::Filter, "content_filter")
    );
    let unexplained = r#"{"error":{"code":429,"message":"slow"},"choices":[{"delta":{"content":"."}}]}"#;
    for end in [&[HELLO, unexplained, DONE][..], &[HELLO, unexplained]] {
        assert_eq!(read(&stream(end)).error(), ModelError::new(ErrorClass::Rate, "slow"));
    }
}

#[test]
fn the_token_limit_keeps_whole_calls_and_drops_cut_ones() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\":1}"}},{"index":1,"id":"b","function":{"name":"find","arguments":"{\"x\":"}},{"index":2,"id":"c","function":{"name":"list","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
        // A gateway that adds its own end.
        STOP,
        DONE,
    ]);
    assert_eq!(
        read(&stream).answer(),
        Answer {
            calls: vec![call("a", "find", r#"{"x":1}"#)],
            finish: FinishReason::Length,
            dropped_calls: 2,
            ..Answer::default()
        }
    );
}

#[test]
fn finish_reasons_of_all_services_are_known() {
    use FinishReason::{Filter, Length, Other, Stop, Tools, Unavailable};
    for (word, reason) in [
        ("stop", Stop),
        ("end_turn", Stop),
        ("STOP", Stop),
        ("length", Length),
        ("MAX_TOKENS", Length),
        ("model_context_window_exceeded", Length),
        ("tool_calls", Tools),
        ("function_call", Tools),
        ("content_filter", Filter),
        ("sensitive", Filter),
        ("network_error", Unavailable),
        ("eos_token", Other("eos_token".to_owned())),
    ] {
        let mut decoder = Decoder::new();
        let chunk = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{word}"}}]}}"#);
        // Repeated, as OpenRouter does.
        let events = decoder.feed(stream(&[&chunk, &chunk]).as_bytes());
        assert_eq!((events, decoder.raw_finish()), (vec![ModelEvent::Finish(reason)], word));
    }
    let native = r#"{"choices":[{"delta":{},"finish_reason":"","native_finish_reason":"length"}]}"#;
    assert_eq!(read(&stream(&[native])).answer().finish, Length);
}

#[test]
fn reading_goes_on_after_the_finish_reason() {
    let stream = stream(&[STOP, HELLO, r#"{"choices":[],"usage":{"prompt_tokens":3}}"#, DONE]);
    let usage = Usage { input: 3, ..Usage::default() };
    assert_eq!(read(&stream).answer(), Answer { usage: Some(usage), ..hello() });
}

#[test]
fn the_decoder_says_when_it_has_heard_enough() {
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

fn too_long(message: &str) -> ModelError {
    ModelError { cause: Some(Cause::TooLong), ..ModelError::new(ErrorClass::StreamCut, message) }
}

#[test]
fn what_is_too_long_is_an_error() {
    let mut decoder = Decoder::new();
    decoder.feed(b"data: ");
    decoder.feed(&vec![b'x'; LINE_LIMIT]);
    let expected = too_long("a line of more than 8 MiB");
    assert_eq!(decoder.failure(), Some(&expected));
    assert_eq!(decoder.end(), Err(expected));

    let text = "x".repeat(ANSWER_LIMIT / 4);
    let chunk = stream(&[&format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#)]);
    let mut decoder = Decoder::new();
    for _ in 0..4 {
        decoder.feed(chunk.as_bytes());
    }
    assert_eq!(decoder.failure(), None);
    decoder.feed(stream(&[HELLO]).as_bytes());
    assert_eq!(decoder.failure(), Some(&too_long("more than 1 MiB of text")));
    assert_eq!(decoder.partial().text.len(), ANSWER_LIMIT);

    let opened = |index: usize| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"function":{{"name":"find"}}}}]}}}}]}}"#
        )
    };
    let chunks: Vec<_> = (0..=crate::decode::calls::CALL_LIMIT).map(opened).collect();
    let mut decoder = Decoder::new();
    decoder.feed(stream(&chunks.iter().map(String::as_str).collect::<Vec<_>>()).as_bytes());
    let expected = ModelError::new(ErrorClass::Protocol, "the answer holds too many tool calls");
    assert_eq!(decoder.end(), Err(expected));
}

#[test]
fn depth_is_no_danger() {
    let deep = format!(r#"{{"choices":[{{"delta":{{"content":{}"#, "[".repeat(100_000));
    assert_eq!(read_pieces([stream(&[&deep, HELLO, STOP, DONE]).as_bytes()]).answer().text, "Hello");
    let deep = format!("{}\n", "{\"a\":".repeat(100_000));
    assert_eq!(read_pieces([deep.as_bytes()]).error().class, ErrorClass::StreamCut);
}

/// Pieces of streams, good and bad, so that chance finds more than noise.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "data: ",
        "data:",
        "event: error\n",
        ": ping\n",
        "\n",
        "\n\n",
        "\r\n\r\n",
        "\r",
        "[DONE]",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ",",
        ":",
        "null",
        "0",
        "\u{feff}",
        "é",
        HELLO,
        STOP,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"g"}}]},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"message":{"content":"x"}}]}"#,
        r#"{"error":{"message":"x"}}"#,
        r#"{"usage":{"prompt_tokens":1}}"#,
    ]);
    let piece = prop_oneof![
        4 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic_and_no_cut_matters(bytes in pieces(), mut cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let whole = read_pieces([bytes.as_slice()]);
        let mut ends: Vec<_> = cuts.drain(..).map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.sort_unstable();
        let mut start = 0;
        let mut cut = Vec::new();
        for end in ends {
            cut.push(&bytes[start..end]);
            start = end;
        }
        cut.push(&bytes[start..]);
        prop_assert_eq!(read_pieces(cut), whole.clone());
        prop_assert_eq!(read_pieces(bytes.chunks(1)), whole.clone());

        // The events are what the answer is made of, but for what the last line without an end adds.
        let told: String = whole
            .events
            .iter()
            .filter_map(|event| match event { ModelEvent::Text(text) => Some(text.as_str()), _ => None })
            .collect();
        if let Ok(answer) = whole.result {
            prop_assert!(answer.text.starts_with(&told));
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(read_pieces(bytes.chunks(1)), read_pieces([bytes.as_slice()]));
    }
}

/// A thought, a call in pieces, the end and the tokens after it.
const CALLS: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning\":\"Ünd\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"Ünd\"}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"find\",\"arguments\":\"{\\\"x\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n",
);

#[test]
fn cut_anywhere_it_gives_no_calls() {
    let end = CALLS.find("data: {\"choices\":[{\"delta\":{},").unwrap();
    testing::cut_everywhere(WireProtocol::ChatCompletions, CALLS, end);
    assert_eq!(
        testing::read(WireProtocol::ChatCompletions, CALLS).answer().calls,
        [call("a", "find", r#"{"x":1}"#)]
    );
}

#[test]
fn noise_in_a_stream_breaks_nothing() {
    testing::withstand(WireProtocol::ChatCompletions, &[CALLS]);
}
