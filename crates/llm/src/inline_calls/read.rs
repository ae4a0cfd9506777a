//! Reads the calls in a block of markup, as far as they are complete.

use crate::inline_calls::marks::{MarkMatch, begins_any, is_bar};
use crate::inline_calls::table::{MarkupForm, MarkupShape};

mod function;
mod invoke;
mod json;
mod mistral;
mod text;
mod tokens;
mod tool_call;

use function::functions;
use invoke::{INVOKE, invokes};
use json::{exact_calls, fence_fits, json_fits, object_fits, requests};
use mistral::mistral;
use text::{behind_space, is_of_name, name_fits};
use tokens::tokens;
use tool_call::tool_calls;

/// Maximum number of calls of a block.
const CALL_LIMIT: usize = 64;

/// A call in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkupCall {
    pub(super) name: String,
    /// JSON text, possibly invalid.
    pub(super) arguments: String,
    /// Whether its end was seen. An incomplete call must not run if the token limit ended the answer.
    pub(super) is_whole: bool,
}

/// The calls of a block with an opening mark of `opened` bytes.
pub(super) fn calls(form: &MarkupForm, block: &str, opened: usize) -> Vec<MarkupCall> {
    let inner = &block[opened..];
    let mut calls = match form.shape {
        MarkupShape::Invoke => invokes(block),
        MarkupShape::ToolCall => tool_calls(block),
        MarkupShape::Function => functions(block),
        MarkupShape::Tokens => tokens(block),
        MarkupShape::Mistral => mistral(inner),
        MarkupShape::Json => requests(block, form),
        MarkupShape::Fence => {
            let body = inner.split_once('\n').map_or("", |(_, body)| body);
            let body = body.rsplit_once("```").map_or("", |(body, _)| body);
            exact_calls(body)
        }
        MarkupShape::Bare => exact_calls(block),
    };
    calls.truncate(CALL_LIMIT);
    calls
}

/// Whether the text after the opening mark can still become a call of this form. For forms that look like
/// common JSON, `is_offered` says whether a tool of a name was offered.
pub(super) fn fits(form: &MarkupForm, inner: &str, is_offered: &dyn Fn(&str) -> bool) -> bool {
    let Some(rest) = behind_space(inner) else { return false };
    match form.shape {
        // A name, or another mark. The opening mark may be followed by more bars.
        _ if form.is_special => {
            let rest = rest.trim_start_matches(is_bar).trim_ascii_start();
            rest.is_empty() || rest.starts_with(|c| c == '<' || is_of_name(c))
        }
        // A section is followed by another mark, the mark of a call by its name.
        MarkupShape::Invoke | MarkupShape::Tokens => {
            rest.is_empty() || rest.starts_with(['"', '\'']) || begins_any(rest, INVOKE) != MarkMatch::Not
        }
        MarkupShape::ToolCall => match rest.chars().next() {
            None => true,
            Some('{') => json_fits(&rest[1..], &|_| true),
            Some('<') => begins_any(rest, &["<tool_call>", "<function=", "<invoke"]) != MarkMatch::Not,
            Some(_) => {
                name_fits(rest, &|rest| begins_any(rest, &["<arg_key>", "</tool_call>"]) != MarkMatch::Not)
            }
        },
        MarkupShape::Function => name_fits(inner, &|rest| rest.starts_with('>')),
        MarkupShape::Mistral => match rest.chars().next() {
            None => true,
            Some('[') => {
                behind_space(&rest[1..]).is_some_and(|rest| rest.is_empty() || object_fits(rest, &|_| true))
            }
            Some('{') => json_fits(&rest[1..], &|_| true),
            Some(_) => name_fits(rest, &|rest| {
                rest.starts_with('{') || begins_any(rest, &["[ARGS]", "[CALL_ID]"]) != MarkMatch::Not
            }),
        },
        MarkupShape::Json => rest.is_empty() || object_fits(rest, &|_| true),
        MarkupShape::Fence => fence_fits(inner, is_offered),
        MarkupShape::Bare => json_fits(inner, is_offered),
    }
}
