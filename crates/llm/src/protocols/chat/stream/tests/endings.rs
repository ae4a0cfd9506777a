//! The end of a stream, with and without errors.

use super::*;

#[test]
fn stream_without_an_end_is_cut_and_gives_no_calls() {
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
fn reply_that_is_no_answer_is_shown() {
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
fn error_in_the_stream_is_known_at_once_and_ends_it() {
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
fn bad_end_is_an_error_with_what_is_known_of_it() {
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
fn token_limit_keeps_whole_calls_and_drops_cut_ones() {
    let stream = stream(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\":1}"}},{"index":1,"id":"b","function":{"name":"find","arguments":"{\"x\":"}},{"index":2,"id":"c","function":{"name":"list","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
        // A gateway that adds an end of its own.
        STOP,
        DONE,
    ]);
    assert_eq!(
        read(&stream).answer(),
        ModelAnswer {
            calls: vec![call("a", "find", r#"{"x":1}"#)],
            finish: FinishReason::Length,
            dropped_calls: 2,
            ..ModelAnswer::default()
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
