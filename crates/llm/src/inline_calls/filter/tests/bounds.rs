//! The amount held back is bounded, and how text is cut changes nothing.

use proptest::prelude::*;

use super::*;

#[test]
fn filter_holds_back_a_bounded_amount() {
    let mut filter = filter();
    assert_eq!(filter.push("<｜DSML｜tool_calls>"), "");
    let piece = "x".repeat(HELD_LIMIT);
    assert_eq!(filter.push(&piece).len(), "<｜DSML｜tool_calls>".len() + HELD_LIMIT);
    assert_eq!(filter.push(DSML), DSML, "after that nothing is looked for");
    assert_eq!(filter.end(false), Remainder::default());
}

#[test]
fn filter_holds_back_a_bounded_amount_of_hostile_text() {
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
        // In pieces of a few bytes: if all the held text were searched for each of them, this would take an
        // hour.
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

proptest! {
    #[test]
    fn filter_leaves_text_without_marks_unchanged(text in "[a-zé {}\\[\\]`\"':\n<>=/_0-9]{0,200}") {
        prop_assume!(!text.contains("think>") && !text.contains("<invoke") && !text.contains("<function"));
        prop_assert_eq!(filtered([text.as_str()], false).0, text.clone());
        prop_assert_eq!(filtered(characters(&text), false).0, text);
    }

    #[test]
    fn filter_gives_the_same_result_for_noise_at_every_cut(
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
fn filter_shows_white_space_the_same_at_every_cut() {
    let space = "\n".repeat(GAP_LIMIT + 9);
    let (text, rest) = read(&format!("{space}a{space}{DSML}{space}"));
    assert_eq!(calls(&rest), lisbon(json!(2)));
    assert!(text.trim() == "a" && text.len() > 2 * GAP_LIMIT, "{}", text.len());
}
