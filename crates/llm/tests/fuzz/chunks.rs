//! The same chunks in all of their possible encodings.

use proptest::prelude::*;
use serde_json::json;
use sidecar_llm::{AnswerSource, Decoder, WireProtocol};

use crate::decoders::FuzzBody;
use crate::time::spend;

/// How one event is encoded.
#[derive(Debug, Clone)]
struct Style {
    line_end: &'static str,
    space: bool,
    /// What comes before it: comments, unknown fields, empty lines.
    before: &'static str,
    /// Whether it is split into several `data:` lines where the JSON allows it.
    in_lines: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let before = ["", ": hold on\n\n", "\n\n", "id: 7\n", "retry: 10\nfoo\n", "event:\n", ":\r\n\r\n"];
    (
        prop::sample::select(vec!["\n", "\r\n", "\r"]),
        any::<bool>(),
        prop::sample::select(before.to_vec()),
        any::<bool>(),
    )
        .prop_map(|(line_end, space, before, in_lines)| Style { line_end, space, before, in_lines })
}

impl Style {
    fn write(&self, json: &str) -> String {
        let space = if self.space { " " } else { "" };
        let lines: Vec<_> = if self.in_lines { json.split_inclusive("\":").collect() } else { vec![json] };
        let lines: String = lines.iter().map(|line| format!("data:{space}{line}{}", self.line_end)).collect();
        format!("{}{lines}{}", self.before, self.line_end)
    }
}

/// Words without a character at which JSON is split into lines.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-zé北🛫 \\n\\t\\\\{}\\[\\],.]{1,12}",
        any::<char>().prop_map(String::from)
    ]
    .prop_map(|text| text.replace(['"', ':'], "'"))
}

fn read(protocol: WireProtocol, body: &[u8], size: usize) -> (String, bool) {
    let mut decoder =
        Decoder::for_source(AnswerSource { protocol, origin: "https://llm.example".to_owned() });
    for piece in body.chunks(size) {
        decoder.feed(piece);
    }
    match decoder.end() {
        Ok(answer) => (answer.text, answer.skipped_chunks == 0),
        Err(error) => (format!("{error:?}"), false),
    }
}

#[test]
fn server_sent_events() {
    let events = prop::collection::vec((words(), style()), 0..12);
    let cases = (events, style(), any::<bool>(), any::<bool>(), 1..30_usize);
    spend(&cases, |(events, last, has_mark, is_ended, size)| {
        let mut body = if has_mark { "\u{feff}".to_owned() } else { String::new() };
        for (word, style) in &events {
            body += &style.write(&json!({ "choices": [{ "delta": { "content": word } }] }).to_string());
        }
        body += &last.write(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#);
        if !is_ended {
            body.truncate(body.trim_end().len());
        }
        let expected: String = events.into_iter().map(|(word, _)| word).collect();
        let found = read(WireProtocol::ChatCompletions, body.as_bytes(), size);
        prop_assert_eq!(found, (expected, true), "{:?}", FuzzBody(body.into_bytes()));
        Ok(())
    });
}

#[test]
fn objects_one_a_line() {
    let between = prop::sample::select(vec!["\n", "\r\n", "\n\n", " \n", ",\n", "\n  ", "\r"]);
    let objects = prop::collection::vec((words(), any::<bool>(), between), 0..12);
    let cases = (objects, any::<bool>(), 1..30_usize);
    spend(&cases, |(objects, is_array, size)| {
        let mut body = if is_array { "[".to_owned() } else { String::new() };
        for (word, is_pretty, between) in &objects {
            let object =
                json!({ "message": { "content": word, "more": { "a": ["}", "{\""] } }, "done": false });
            body += &if *is_pretty { format!("{object:#}") } else { object.to_string() };
            body += between;
        }
        body += r#"{"done":true,"done_reason":"stop"}"#;
        body += if is_array { "]" } else { "" };
        let expected: String = objects.into_iter().map(|(word, ..)| word).collect();
        let found = read(WireProtocol::OllamaChat, body.as_bytes(), size);
        prop_assert_eq!(found, (expected, true), "{:?}", FuzzBody(body.into_bytes()));
        Ok(())
    });
}
