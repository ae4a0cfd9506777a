//! How much memory a hostile service can make a decoder hold, with endless streams of pieces that are cheap
//! to send. A test program of its own, because it measures the whole process.

use peak_alloc::PeakAlloc;
use sidecar_llm::{AnswerSource, Decoder, ErrorClass, WireProtocol};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes of each stream.
const LENGTH: usize = 4 * 1024 * 1024;

/// Bytes that arrive at once, as from a network.
const PIECE: usize = 64 * 1024;

/// Maximum bytes that a decoder may hold of such a stream: all of it, in a buffer that is half full.
const MOST: usize = 2 * LENGTH;

/// The memory that a decoder holds at the end, and its result.
fn read(protocol: WireProtocol, beginning: &str, piece: &str) -> (usize, Result<(), ErrorClass>) {
    let before = MEMORY.current_usage();
    let source = AnswerSource { protocol, origin: "https://llm.example".to_owned() };
    let mut decoder = Decoder::for_source(source).offering(["f".to_owned()]);
    decoder.feed(beginning.as_bytes());
    let pieces = piece.repeat(PIECE / piece.len() + 1);
    for _ in 0..LENGTH / pieces.len() {
        if decoder.failure().is_some() || decoder.is_done() {
            break;
        }
        decoder.feed(pieces.as_bytes());
    }
    let held = MEMORY.current_usage().saturating_sub(before + pieces.capacity());
    let result = decoder.end().map(drop).map_err(|error| error.class);
    (held, result)
}

#[test]
fn streams_without_an_end_fill_no_memory() {
    use WireProtocol::{ChatCompletions, GenerateContent, Messages, OllamaChat, Responses};
    let opening = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text"}}"#;
    let item = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message"}}"#;
    let mut wrong = Vec::new();
    for (protocol, beginning, piece) in [
        (ChatCompletions, "", ": \n".to_owned()),
        (ChatCompletions, "", "\n".to_owned()),
        (ChatCompletions, "", "data: x\n\n".to_owned()),
        (ChatCompletions, "", "x\n".to_owned()),
        (ChatCompletions, "", "x".to_owned()),
        (ChatCompletions, "", "data: \n".to_owned()),
        (ChatCompletions, "", "event: x\n".to_owned()),
        (ChatCompletions, "", "{}".to_owned()),
        (ChatCompletions, "", "{".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"content\":\"<\"}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call>f</tool_call>\"}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"content\":\"<|DSML|invoke name=g>\"}}]}\n\n".to_owned()),
        (ChatCompletions, "data: {\"choices\":[{\"delta\":{\"content\":\"[TOOL_CALLS]\"}}]}\n\n", "data: {\"choices\":[{\"delta\":{\"content\":\"f{}\"}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{},{\"index\":1}]}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"a\":[[],[],[],[]]},{\"index\":1}]}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"extra_content\":[0,0,0,0,0,0,0,0]},{\"id\":\"a\",\"extra_content\":[0,0,0,0,0,0,0,0]}]}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n".to_owned()),
        (ChatCompletions, "", "data: {\"choices\":[],\"usage\":{\"a\":[0,0,0,0]}}\n\n".to_owned()),
        (Responses, "", format!("data: {item}\n\n")),
        (Responses, "", "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n".to_owned()),
        (Responses, "", "data: {\"type\":\"response.reasoning_text.delta\",\"delta\":\"x\"}\n\n".to_owned()),
        (Messages, "", format!("data: {opening}\n\n")),
        (Messages, opening, "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n".to_owned()),
        (Messages, "", "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"thinking\"}}\n\n".to_owned()),
        (GenerateContent, "", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\",\"thoughtSignature\":\"x\"}]}}]}\n\n".to_owned()),
        (GenerateContent, "", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]}\n\n".to_owned()),
        (
            GenerateContent,
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"willContinue\":true}}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"partialArgs\":[{\"jsonPath\":\"$.a\",\"stringValue\":\"x\"}],\"willContinue\":true}}]}}]}\n\n".to_owned(),
        ),
        (OllamaChat, "", "{\"message\":{\"content\":\"x\"}}\n".to_owned()),
        (OllamaChat, "", "{\"message\":{\"tool_calls\":[{}]}}\n".to_owned()),
        (OllamaChat, "", "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}\n".to_owned()),
    ] {
        let (held, result) = read(protocol, beginning, &piece);
        if result.is_ok() || held > MOST {
            wrong.push(format!("{protocol:?} {piece:?}: {} KiB, {result:?}", held >> 10));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
