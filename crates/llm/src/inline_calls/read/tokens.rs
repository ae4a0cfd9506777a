//! Special tokens: Kimi's and DeepSeek's.

use super::MarkupCall;
use super::json::is_balanced;
use super::text::strip_code_fence;
use crate::inline_calls::marks::find;

/// Kimi's and DeepSeek's tokens.
pub(super) fn tokens(block: &str) -> Vec<MarkupCall> {
    const OPEN: &[&str] = &["<|tool_call_begin|>"];
    const END: &[&str] =
        &["<|tool_call_end|>", "<|tool_call_begin|>", "<|tool_calls_end|>", "<|tool_calls_section_end|>"];
    const MIDDLE: &[&str] = &["<|tool_call_argument_begin|>", "<|tool_sep|>"];
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some((_, start)) = find(block, from, OPEN) {
        let end = find(block, start, END);
        let body_end = end.map_or(block.len(), |(at, _)| at);
        let body = &block[start..body_end];
        from = body_end;
        let Some((head_end, tail_start)) = find(body, 0, MIDDLE) else { continue };
        let (head, tail) = (body[..head_end].trim(), &body[tail_start..]);
        let (name, arguments) = match head {
            // R1 writes the kind of call first, then its name, then the arguments in a fenced block.
            "function" | "" => tail.trim_start().split_once('\n').unwrap_or((tail, "")),
            _ => (head, tail),
        };
        let arguments = strip_code_fence(arguments.trim());
        calls.push(MarkupCall {
            name: name.trim().to_owned(),
            arguments: if arguments.is_empty() { "{}" } else { arguments }.to_owned(),
            is_whole: end.is_some() || is_balanced(arguments),
        });
    }
    calls
}
