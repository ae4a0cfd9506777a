//! Each form in the ways in which it is seen, cut anywhere.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::inline_calls::markup::Markup;

const OFFERED: [&str; 4] = ["search_flights", "list", "add-to-cart", "weather"];

fn filter() -> Filter {
    Filter::new(OFFERED.map(str::to_owned).to_vec())
}

/// What a filter shows while pieces come, and what it has in the end.
fn filtered<'a>(pieces: impl IntoIterator<Item = &'a str>, cut: bool) -> (String, Remainder) {
    let mut filter = filter();
    let mut steps = vec![String::new()];
    for piece in pieces {
        let shown = format!("{}{}", steps[steps.len() - 1], filter.push(piece));
        steps.push(shown);
    }
    let rest = filter.end(cut);
    let text = format!("{}{}", steps[steps.len() - 1], rest.text);
    // Nothing that was shown is ever taken back.
    assert!(steps.iter().all(|step| text.starts_with(step.as_str())), "{steps:?}");
    (text, rest)
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.split("").filter(|piece| !piece.is_empty())
}

/// Text and rest of a whole text, which are the same however it is cut.
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

/// The calls, with their arguments as values: the order of members is nobody's business.
fn calls(rest: &Remainder) -> Vec<(&str, Value)> {
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    rest.calls.iter().map(|call| (call.name.as_str(), value(&call.arguments))).collect()
}

/// One call with a text and a number in most forms, whose values are JSON or not.
fn lisbon(seats: Value) -> Vec<(&'static str, Value)> {
    vec![("search_flights", json!({"to": "Lis|bon ‖ <b>", "seats": seats}))]
}

/// What it is called, its form, the text, and the calls in it.
type Row = (&'static str, Markup, String, Vec<(&'static str, Value)>);

#[test]
fn every_form_is_read_and_never_shown() {
    let rows: &[Row] = &[
        ("DSML as it should be", Markup::Dsml, DSML.to_owned(), lisbon(json!(2))),
        ("DSML with ASCII bars", Markup::Dsml, dsml("<|", "|"), lisbon(json!(2))),
        ("DSML with double bars", Markup::Dsml, dsml("<‖", "‖"), lisbon(json!(2))),
        ("DSML with doubled bars", Markup::Dsml, dsml("<｜｜", "｜｜"), lisbon(json!(2))),
        ("DSML with space behind its bars", Markup::Dsml, dsml("<｜", "｜ "), lisbon(json!(2))),
        ("DSML over lines", Markup::Dsml, dsml("<｜", "｜\n").replace(" name", "\nname"), lisbon(json!(2))),
        ("DSML of V3.2", Markup::Dsml, DSML.replace("tool_calls", "function_calls"), lisbon(json!(2))),
        ("DSML with another section", Markup::Dsml, DSML.replace("tool_calls", "calls"), lisbon(json!(2))),
        (
            "DSML without its section",
            Markup::Dsml,
            DSML.replace("<｜DSML｜tool_calls>\n", "").replace("\n</｜DSML｜tool_calls>", ""),
            lisbon(json!(2)),
        ),
        ("DSML without its end", Markup::Dsml, DSML.replace("</｜DSML｜tool_calls>", ""), lisbon(json!(2))),
        (
            "DSML whose call has no end either",
            Markup::Dsml,
            DSML.split("\n</｜DSML｜invoke>").next().unwrap().to_owned(),
            lisbon(json!(2)),
        ),
        (
            "DSML with closed calls",
            Markup::Dsml,
            "<｜DSML｜tool_calls><｜DSML｜invoke name=\"list\"/><｜DSML｜invoke name=\"list\"></｜DSML｜invoke></｜DSML｜tool_calls>".to_owned(),
            vec![("list", json!({})), ("list", json!({}))],
        ),
        (
            "DSML with JSON in it",
            Markup::Dsml,
            "<｜DSML｜invoke name=\"list\">{\"a\": [1]}</｜DSML｜invoke>".to_owned(),
            vec![("list", json!({"a": [1]}))],
        ),
        (
            "DSML with values of all kinds, one of which is not what it says",
            Markup::Dsml,
            concat!(
                "<｜DSML｜invoke name='list'>",
                "<｜DSML｜parameter name=\"a\" string=\"false\">[1, {\"b\": null}]</｜DSML｜parameter>",
                "<｜DSML｜parameter name=\"c\" string=\"false\">soon</｜DSML｜parameter>",
                "<｜DSML｜parameter name=\"d\" string=\"true\"> 7\n</｜DSML｜parameter>",
                "<｜DSML｜parameter name=\"e\">8</｜DSML｜parameter>",
                "</｜DSML｜invoke>",
            )
            .to_owned(),
            vec![("list", json!({"a": [1, {"b": null}], "c": "soon", "d": " 7\n", "e": "8"}))],
        ),
        (
            "Kimi",
            Markup::Kimi,
            concat!(
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.list:0<|tool_call_argument_begin|>{}",
                "<|tool_call_end|>\n<|tool_call_begin|>functions.weather:1<|tool_call_argument_begin|>",
                "{\"at\": \"<x>\"}<|tool_call_end|><|tool_calls_section_end|>",
            )
            .to_owned(),
            vec![("list", json!({})), ("weather", json!({"at": "<x>"}))],
        ),
        (
            "Kimi without its section and end",
            Markup::Kimi,
            "<|tool_call_begin|>functions.list:0<|tool_call_argument_begin|>{\"a\": 1}".to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "DeepSeek R1",
            Markup::DeepSeek,
            concat!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>list\n```json\n{\"a\": 1}\n```",
                "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            )
            .to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "DeepSeek V3.1",
            Markup::DeepSeek,
            concat!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜>",
                "<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            )
            .to_owned(),
            vec![("list", json!({"a": 1})), ("weather", json!({}))],
        ),
        (
            "MiniMax",
            Markup::MiniMax,
            concat!(
                "<minimax:tool_call>\n<invoke name=\"search_flights\">\n<parameter name=\"to\">Lis|bon ‖ <b></parameter>\n",
                "<parameter name=\"seats\">2</parameter>\n</invoke>\n</minimax:tool_call>",
            )
            .to_owned(),
            lisbon(json!("2")),
        ),
        (
            "invoke without a name space",
            Markup::Invoke,
            "<function_calls>\n<invoke name=\"list\">\n<parameter name=\"a\">b</parameter>\n</invoke>\n</function_calls>".to_owned(),
            vec![("list", json!({"a": "b"}))],
        ),
        (
            "invoke alone",
            Markup::Invoke,
            "<invoke name=\"list\"><parameter name=\"a\">b</parameter></invoke>".to_owned(),
            vec![("list", json!({"a": "b"}))],
        ),
        (
            "Hermes",
            Markup::ToolCall,
            "<tool_call>\n{\"name\": \"list\", \"arguments\": {\"a\": 1}}\n</tool_call>\n<tool_call>{\"arguments\": {}, \"name\": \"weather\"}</tool_call>".to_owned(),
            vec![("list", json!({"a": 1})), ("weather", json!({}))],
        ),
        (
            "Hermes without its end",
            Markup::ToolCall,
            "<tool_call>\n{\"name\": \"list\", \"arguments\": {\"a\": 1}}".to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "Hermes with arguments as text",
            Markup::ToolCall,
            "<tool_call>{\"name\": \"list\", \"arguments\": \"{\\\"a\\\": 1}\"}</tool_call>".to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "Qwen3-Coder",
            Markup::ToolCall,
            concat!(
                "<tool_call>\n<function=search_flights>\n<parameter=to>\nLis|bon ‖ <b>\n</parameter>\n",
                "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
            )
            .to_owned(),
            lisbon(json!("2")),
        ),
        (
            "Qwen3-Coder without its first tag",
            Markup::Function,
            "<function=list>\n<parameter=a>\nb\n</parameter>\n</function>\n</tool_call>".to_owned(),
            vec![("list", json!({"a": "b"}))],
        ),
        (
            "Qwen3-Coder with a value that has no end",
            Markup::Function,
            "<function=list><parameter=a>b<parameter=c>\nd\n</function>".to_owned(),
            vec![("list", json!({"a": "b", "c": "d"}))],
        ),
        (
            "GLM",
            Markup::ToolCall,
            concat!(
                "<tool_call>search_flights\n<arg_key>to</arg_key>\n<arg_value>Lis|bon ‖ <b></arg_value>\n",
                "<arg_key>seats</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
            )
            .to_owned(),
            lisbon(json!("2")),
        ),
        ("GLM without arguments", Markup::ToolCall, "<tool_call>list\n</tool_call>".to_owned(), vec![("list", json!({}))]),
        (
            "Mistral",
            Markup::Mistral,
            "[TOOL_CALLS] [{\"name\": \"list\", \"arguments\": {\"a\": 1}}, {\"name\": \"weather\", \"arguments\": {}}]".to_owned(),
            vec![("list", json!({"a": 1})), ("weather", json!({}))],
        ),
        (
            "Mistral from v11 on",
            Markup::Mistral,
            "[TOOL_CALLS]list[ARGS]{\"a\": 1}[TOOL_CALLS]weather[CALL_ID]a1b2c3d4e[ARGS]{}".to_owned(),
            vec![("list", json!({"a": 1})), ("weather", json!({}))],
        ),
        (
            "LM Studio",
            Markup::LmStudio,
            "[TOOL_REQUEST]{\"name\": \"list\", \"arguments\": {\"a\": 1}}[END_TOOL_REQUEST]\n[TOOL_REQUEST]{\"name\": \"list\"}[END_TOOL_REQUEST]".to_owned(),
            vec![("list", json!({"a": 1})), ("list", json!({}))],
        ),
        (
            "fenced JSON",
            Markup::Fence,
            "```json\n{\"name\": \"list\", \"arguments\": {\"a\": 1}}\n```".to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "fenced JSON with other members",
            Markup::Fence,
            "```tool_call\n{\"tool\": \"list\", \"parameters\": {\"a\": 1}}\n```\n".to_owned(),
            vec![("list", json!({"a": 1}))],
        ),
        (
            "a fenced list",
            Markup::Fence,
            "```\n{\"tool_calls\": [{\"type\": \"function\", \"function\": {\"name\": \"list\", \"arguments\": {}}}]}\n```".to_owned(),
            vec![("list", json!({}))],
        ),
    ];
    for (name, markup, text, expected) in rows {
        for (before, after) in [("", ""), ("I will look. <3\n\n", ""), ("\n", " \n")] {
            let (shown, rest) = read(&format!("{before}{text}{after}"));
            assert_eq!(shown, before.trim_end(), "{name}");
            assert_eq!(calls(&rest), *expected, "{name}");
            let inline_calls = InlineCalls { markup: *markup, taken: 0, unknown: Vec::new(), left_out: 0 };
            assert_eq!(rest.inline_calls, Some(inline_calls), "{name}");
        }
    }
}

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

#[test]
fn plain_json_is_a_call_when_it_is_all_there_is() {
    let (shown, rest) = read("\n{\"name\": \"functions.list\", \"parameters\": {\"a\": 1}}\n");
    assert_eq!((shown.as_str(), calls(&rest)), ("", vec![("list", json!({"a": 1}))]));
    for text in [
        "{\"name\": \"list\", \"arguments\": {}} is how it is called.",
        "So: {\"name\": \"list\", \"arguments\": {}}",
        "{\"name\": \"sort\", \"arguments\": {}}",
        "{\"name\": \"list\", \"arguments\": {}, \"price\": 3}",
        "{\"name\": \"list\"}",
        "{\"name\": \"list\", \"arguments\": []}",
        "{\"name\": \"list\", \"arguments\": {}",
        "{\"flights\": [1, 2]}",
        "{'name'",
        "{",
    ] {
        assert_eq!(read(text), (text.to_owned(), shown_as(text)), "{text}");
    }
}

/// What is left of a text that is shown; the white space behind it comes last.
fn shown_as(text: &str) -> Remainder {
    let whole = filtered([text], false).1;
    Remainder { text: whole.text, ..Remainder::default() }
}

#[test]
fn what_only_looks_like_a_call_is_text() {
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
fn nothing_is_a_call_where_no_tool_is_offered() {
    let mut filter = Filter::new(Vec::new());
    assert_eq!(filter.push(DSML), DSML);
    assert_eq!(filter.end(false), Remainder::default());
}

#[test]
fn words_around_a_call_stay() {
    let (shown, rest) = read(&format!("Before.\n\n{DSML}\n\nBehind.\n"));
    assert_eq!(shown, "Before.\n\n\n\nBehind.");
    assert_eq!(calls(&rest), lisbon(json!(2)));
}

#[test]
fn markup_of_unknown_tools_is_told_and_not_shown() {
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
fn one_block_counts() {
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
fn what_was_thought_is_no_call() {
    let (shown, rest) = read(&format!("Perhaps {DSML}?</think>\nNo."));
    assert_eq!((shown.as_str(), calls(&rest)), ("Perhaps ?\nNo.", Vec::new()));
    assert_eq!(rest.inline_calls.unwrap().left_out, 1);
}

#[test]
fn markup_that_was_cut_is_neither_shown_nor_a_call() {
    let kimi =
        "<|tool_call_begin|>functions.list:0<|tool_call_argument_begin|>{\"a\": \"b\"}<|tool_call_end|>";
    let hermes = "<tool_call>{\"name\": \"list\", \"arguments\": {\"a\": \"b\"}}</tool_call>";
    let qwen = "<tool_call><function=list><parameter=a>b</parameter></function></tool_call>";
    for text in [DSML, kimi, hermes, qwen] {
        for (at, _) in text.char_indices().skip(4) {
            let (shown, rest) = filtered([format!("So. {}", &text[..at]).as_str()], true);
            assert_eq!(shown, "So.", "{}", &text[..at]);
            assert!(rest.inline_calls.is_some(), "{}", &text[..at]);
            // Whole is what has its end, and JSON that is.
            assert!(
                rest.calls.is_empty() || text[at..].len() < "</｜DSML｜invoke>\n</｜DSML｜tool_calls>".len()
            );
        }
    }
    let begun = &DSML[..DSML.len() / 2];
    assert_eq!(read_to(begun, true).1.calls, []);
    // Whoever just stops means it no more than who is cut.
    let (shown, rest) = read(begun);
    assert_eq!((shown.as_str(), rest.calls.len()), ("", 0));
}

#[test]
fn a_fence_that_the_token_limit_ended_is_text() {
    let text = "```json\n{\"name\": \"list\", \"arguments\": {}}\n```";
    assert_eq!(
        read_to(text, true),
        (text.to_owned(), Remainder { text: text.to_owned(), ..Remainder::default() })
    );
}

#[test]
fn the_rest_of_markup_is_not_shown() {
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
fn what_is_held_is_bounded() {
    let mut filter = filter();
    assert_eq!(filter.push("<｜DSML｜tool_calls>"), "");
    let piece = "x".repeat(HELD_LIMIT);
    assert_eq!(filter.push(&piece).len(), "<｜DSML｜tool_calls>".len() + HELD_LIMIT);
    assert_eq!(filter.push(DSML), DSML, "after that nothing is looked for");
    assert_eq!(filter.end(false), Remainder::default());
}

#[test]
fn hostile_text_is_held_within_bounds_too() {
    for unit in [
        "<",
        "<|",
        "`",
        "```json\n{",
        "[",
        "<tool_call>",
        "<tool_call>{\"name\":\"list\"",
        "<｜DSML｜",
        "</｜DSML｜",
        "<｜DSML｜invoke name=\"list\">",
        "<|tool_call_begin|>",
        "<function=list>",
        "<parameter=a>",
        "{\"name\":\"list\",",
        "```json\n{\"name\":\"list\",\"arguments\":{}}\n```x",
        "</think>",
        "<tool_call>{\"name\":\"list\"}</tool_call>",
        " ",
        "\n",
    ] {
        let mut filter = filter();
        let text = unit.repeat(HELD_LIMIT / unit.len() + 10);
        // By pieces of a few bytes: were each of them looked at with all that is held, this would take an hour.
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end =
                (64..).find(|end| *end >= rest.len() || rest.is_char_boundary(*end)).unwrap_or_default();
            let (piece, behind) = rest.split_at(end.min(rest.len()));
            filter.push(piece);
            assert!(filter.held.len() <= HELD_LIMIT && filter.gap.len() <= GAP_LIMIT, "{unit}");
            rest = behind;
        }
        filter.end(false);
    }
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

proptest! {
    #[test]
    fn text_without_marks_is_left_as_it_is(text in "[a-zé {}\\[\\]`\"':\n<>=/_0-9]{0,200}") {
        prop_assume!(!text.contains("think>") && !text.contains("<invoke") && !text.contains("<function"));
        prop_assert_eq!(filtered([text.as_str()], false).0, text.clone());
        prop_assert_eq!(filtered(characters(&text), false).0, text);
    }

    #[test]
    fn noise_breaks_nothing_and_means_the_same_however_it_is_cut(
        parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    DSML, "<｜DSML｜tool_calls>", "<｜DSML｜invoke name=\"list\">", "</｜DSML｜invoke>", "<|DSML|parameter name=a>",
                    "<|tool_call_begin|>", "list:0", "<|tool_call_argument_begin|>", "<|tool_call_end|>", "{}", "```", "```json\n",
                    "{\"name\":\"list\"", ",\"arguments\":{}}", "<tool_call>", "</tool_call>", "<function=list>", "<parameter=a>",
                    "</function>", "<arg_key>", "<arg_value>", "[TOOL_CALLS]", "[ARGS]", "[TOOL_REQUEST]", "[END_TOOL_REQUEST]",
                    "</think>", "<invoke name=\"", "\"", ">", "\n", " ",
                ]).prop_map(str::to_owned),
                "[a-z<>|｜{}\\[\\]\"' \n]{0,6}",
            ],
            0..12,
        ),
        cut: bool,
    ) {
        let text = parts.concat();
        let whole = filtered([text.as_str()], cut);
        let pieces = filtered(characters(&text), cut);
        prop_assert_eq!((&pieces.0, &pieces.1.calls, &pieces.1.inline_calls), (&whole.0, &whole.1.calls, &whole.1.inline_calls));
    }
}

#[test]
fn much_white_space_is_shown_the_same_however_it_is_cut() {
    let space = "\n".repeat(GAP_LIMIT + 9);
    let (text, rest) = read(&format!("{space}a{space}{DSML}{space}"));
    assert_eq!(calls(&rest), lisbon(json!(2)));
    assert!(text.trim() == "a" && text.len() > 2 * GAP_LIMIT, "{}", text.len());
}
