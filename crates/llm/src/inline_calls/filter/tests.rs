//! Each form of markup in the variants that models write, cut anywhere.

use super::*;
use crate::inline_calls::markup::Markup;
use serde_json::{Value, json};

mod bounds;
mod forms;

const OFFERED: [&str; 4] = ["search_flights", "list", "add-to-cart", "weather"];

const DSML: &str = concat!(
    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"search_flights\">\n",
    "<｜DSML｜parameter name=\"to\" string=\"true\">Lis|bon ‖ <b></｜DSML｜parameter>\n",
    "<｜DSML｜parameter name=\"seats\" string=\"false\">2</｜DSML｜parameter>\n",
    "</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
);

/// The same with other bars.
fn dsml(open: &str, close: &str) -> String {
    DSML.replace("<｜DSML", &format!("{open}DSML"))
        .replace("</｜DSML", &format!("{}DSML", open.replace('<', "</")))
        .replace("DSML｜", &format!("DSML{close}"))
}

fn filter() -> Filter {
    Filter::new(OFFERED.map(str::to_owned).to_vec())
}

/// What a filter shows after each piece, and what it holds at the end.
fn filtered<'a>(pieces: impl IntoIterator<Item = &'a str>, cut: bool) -> (String, Remainder) {
    let mut filter = filter();
    let mut steps = vec![String::new()];
    for piece in pieces {
        let shown = format!("{}{}", steps[steps.len() - 1], filter.push(piece));
        steps.push(shown);
    }
    let rest = filter.end(cut);
    let text = format!("{}{}", steps[steps.len() - 1], rest.text);
    // Text that was shown is never taken back.
    assert!(steps.iter().all(|step| text.starts_with(step.as_str())), "{steps:?}");
    (text, rest)
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.split("").filter(|piece| !piece.is_empty())
}

/// Shown text and remainder of a text, checked to be the same however it is cut.
#[track_caller]
fn read_to(text: &str, cut: bool) -> (String, Remainder) {
    let whole = filtered([text], cut);
    for (at, _) in text.char_indices() {
        let (head, tail) = text.split_at(at);
        let halves = filtered([head, tail], cut);
        assert_eq!(
            (&halves.0, &halves.1.calls, &halves.1.inline_calls),
            (&whole.0, &whole.1.calls, &whole.1.inline_calls),
            "cut at {at}"
        );
    }
    let pieces = filtered(characters(text), cut);
    assert_eq!(
        (&pieces.0, &pieces.1.calls, &pieces.1.inline_calls),
        (&whole.0, &whole.1.calls, &whole.1.inline_calls),
        "by characters"
    );
    whole
}

fn read(text: &str) -> (String, Remainder) {
    read_to(text, false)
}

/// The calls, with their arguments as values, so that the order of members does not matter.
fn calls(rest: &Remainder) -> Vec<(&str, Value)> {
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    rest.calls.iter().map(|call| (call.name.as_str(), value(&call.arguments))).collect()
}

/// One call with a text and a number, in the forms whose values are JSON and in those whose values are
/// text.
fn lisbon(seats: Value) -> Vec<(&'static str, Value)> {
    vec![("search_flights", json!({"to": "Lis|bon ‖ <b>", "seats": seats}))]
}

/// The remainder of a text that is shown completely; trailing white space comes last.
fn shown_as(text: &str) -> Remainder {
    let whole = filtered([text], false).1;
    Remainder { text: whole.text, ..Remainder::default() }
}

#[test]
fn filter_leaves_text_that_only_looks_like_a_call() {
    for text in [
        "```json\n{\"name\": \"Ada\", \"age\": 36}\n```",
        "```json\n{\"flights\": [{\"name\": \"list\", \"arguments\": {}}]}\n```\n",
        "```json\n{\"name\": \"sort\", \"arguments\": {}}\n```",
        "Like this:\n```json\n{\"name\": \"list\", \"arguments\": {}}\n```\nThat is all.",
        "```json\n{\"name\": \"list\", \"arguments\": {}}",
        "```rust\nfn main() {}\n```\n",
        "```xml\n<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\n```",
        "A `<tool_call>` tag, or <tool_call> and [TOOL_CALLS] in prose.",
        "<tool_call>{\"name\": ...}</tool_call>",
        "<tool_call>{\"flight\": 3}</tool_call>",
        "<function=> and <function=a b>",
        "<function_calls> are what <invoke name=x> is.",
        "a < b, a <b> c, [1] [TOOL], `x`, ``, ```, <, </",
        "a <",
        "``",
        "里斯本 ✈️ <tool",
        " \n ",
        "",
    ] {
        assert_eq!(read(text), (text.to_owned(), shown_as(text)), "{text}");
    }
}

#[test]
fn filter_finds_no_calls_without_offered_tools() {
    let mut filter = Filter::new(Vec::new());
    assert_eq!(filter.push(DSML), DSML);
    assert_eq!(filter.end(false), Remainder::default());
}

#[test]
fn filter_keeps_the_text_around_a_call() {
    let (shown, rest) = read(&format!("Before.\n\n{DSML}\n\nBehind.\n"));
    assert_eq!(shown, "Before.\n\n\n\nBehind.");
    assert_eq!(calls(&rest), lisbon(json!(2)));
}

#[test]
fn filter_reports_markup_of_unknown_tools_and_hides_it() {
    for text in [
        DSML.replace("search_flights", "book"),
        "<tool_call>{\"name\": \"book\", \"arguments\": {}}</tool_call>".to_owned(),
        "<tool_call>book\n</tool_call>".to_owned(),
        "[TOOL_REQUEST]{\"name\": \"book\"}[END_TOOL_REQUEST]".to_owned(),
    ] {
        let (shown, rest) = read(&format!("So. {text}"));
        assert_eq!((shown.as_str(), calls(&rest)), ("So.", Vec::new()));
        assert_eq!(rest.inline_calls.unwrap().unknown, ["book"]);
    }
}

#[test]
fn filter_takes_one_block_of_an_answer() {
    let hermes = "<tool_call>{\"name\": \"list\"}</tool_call>";
    let (shown, rest) =
        read(&format!("{hermes} {hermes}\nDone: {hermes} and <｜DSML｜tool_calls></｜DSML｜tool_calls>."));
    assert_eq!(shown, " \nDone:  and ."[1..].trim_start_matches(' '));
    assert_eq!(rest.calls.len(), 2);
    assert_eq!(
        rest.inline_calls.map(|inline_calls| (inline_calls.markup, inline_calls.left_out)),
        Some((Markup::ToolCall, 2))
    );
}

#[test]
fn filter_finds_no_calls_in_reasoning() {
    let (shown, rest) = read(&format!("Perhaps {DSML}?</think>\nNo."));
    assert_eq!((shown.as_str(), calls(&rest)), ("Perhaps ?\nNo.", Vec::new()));
    assert_eq!(rest.inline_calls.unwrap().left_out, 1);
}

#[test]
fn filter_drops_markup_that_was_cut() {
    let kimi =
        "<|tool_call_begin|>functions.list:0<|tool_call_argument_begin|>{\"a\": \"b\"}<|tool_call_end|>";
    let hermes = "<tool_call>{\"name\": \"list\", \"arguments\": {\"a\": \"b\"}}</tool_call>";
    let qwen = "<tool_call><function=list><parameter=a>b</parameter></function></tool_call>";
    for text in [DSML, kimi, hermes, qwen] {
        for (at, _) in text.char_indices().skip(4) {
            let (shown, rest) = filtered([format!("So. {}", &text[..at]).as_str()], true);
            assert_eq!(shown, "So.", "{}", &text[..at]);
            assert!(rest.inline_calls.is_some(), "{}", &text[..at]);
            // Complete markup has its end, or is complete JSON.
            assert!(
                rest.calls.is_empty() || text[at..].len() < "</｜DSML｜invoke>\n</｜DSML｜tool_calls>".len()
            );
        }
    }
    let begun = &DSML[..DSML.len() / 2];
    assert_eq!(read_to(begun, true).1.calls, []);
    // A model that just stops within a call means it no more than one that is cut.
    let (shown, rest) = read(begun);
    assert_eq!((shown.as_str(), rest.calls.len()), ("", 0));
}

#[test]
fn filter_shows_a_fence_that_the_token_limit_cut() {
    let text = "```json\n{\"name\": \"list\", \"arguments\": {}}\n```";
    assert_eq!(
        read_to(text, true),
        (text.to_owned(), Remainder { text: text.to_owned(), ..Remainder::default() })
    );
}

#[test]
fn filter_hides_the_rest_of_markup() {
    for text in [
        "</｜DSML｜tool_calls>",
        "</‖DSML‖x>",
        "<|tool_calls_section_end|>",
        "<|tool_call_end|>",
        "</minimax:tool_call>",
        "<｜DSML｜",
        "<|DSM",
    ] {
        let (shown, rest) = read(&format!("Done. {text}"));
        assert_eq!((shown.as_str(), rest.calls.len()), ("Done.", 0), "{text}");
    }
    assert_eq!(read("The `<｜DSML｜` token, and more.").0, "The `` token, and more.");
}

#[test]
fn inline_calls_display_as_a_sentence() {
    let inline_calls =
        InlineCalls { markup: Markup::Dsml, taken: 2, unknown: vec!["book".to_owned()], left_out: 1 };
    assert_eq!(
        inline_calls.to_string(),
        "Markup of tool calls (DSML) stood in the text and was taken out of it; calls made of it: 2; not offered: \
         book; left out, because broken or not alone: 1."
    );
}
