//! Streams cut anywhere, and noise.

use proptest::prelude::*;

use super::*;

/// Pieces of streams, valid and invalid, so that random input is more than noise.
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

        // The events add up to the answer, except for an unfinished last line.
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

/// Reasoning, a call in pieces, the finish reason, and the usage after it.
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
