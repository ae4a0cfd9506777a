//! Inline calls in every form, nearly valid, and cut anywhere.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use sidecar_llm::{AnswerSource, Decoder, ModelAnswer, ModelError, ModelEvent, WireProtocol};

use crate::changes::{apply, changes};
use crate::time::{hurry, spend};

const OFFERED: [&str; 3] = ["search_flights", "list", "mcp__shop__add-to-cart"];

/// One call in each form, and what looks like one.
const SEEDS: [&str; 20] = [
    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"search_flights\">\n<｜DSML｜parameter name=\"to\" string=\"true\">Lis|bon</｜DSML｜parameter>\n<｜DSML｜parameter name=\"seats\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
    "<|DSML|invoke name=\"list\"/>",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.list:0<|tool_call_argument_begin|>{\"a\": 1}<|tool_call_end|><|tool_calls_section_end|>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>list\n```json\n{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<minimax:tool_call>\n<invoke name=\"list\">\n<parameter name=\"a\">1</parameter>\n</invoke>\n</minimax:tool_call>",
    "<function_calls><invoke name=\"list\"><parameter name=\"a\">1</parameter></invoke></function_calls>",
    "<tool_call>\n{\"name\": \"search_flights\", \"arguments\": {\"to\": \"Lisbon\"}}\n</tool_call>",
    "<tool_call><function=search_flights><parameter=to>\nLisbon\n</parameter></function></tool_call>",
    "<tool_call>search_flights\n<arg_key>to</arg_key>\n<arg_value>Lisbon</arg_value>\n</tool_call>",
    "<function=list></function>",
    "[TOOL_CALLS] [{\"name\": \"list\", \"arguments\": {\"a\": 1}}]",
    "[TOOL_CALLS]list[ARGS]{\"a\": 1}",
    "[TOOL_REQUEST]{\"name\": \"list\", \"arguments\": {}}[END_TOOL_REQUEST]",
    "```json\n{\"name\": \"list\", \"arguments\": {\"a\": 1}}\n```",
    "```\n{\"tool_calls\": [{\"function\": {\"name\": \"list\", \"arguments\": {}}}]}\n```\n",
    "{\"name\": \"list\", \"parameters\": {\"a\": 1}}",
    "<think>I could call <tool_call>{\"name\": \"list\"}</tool_call>.</think>",
    "```rust\nlet a = b < c && d[0] == `x`;\n```",
    "<tool_call>{\"name\": \"delete_everything\", \"arguments\": {}}</tool_call>",
];

/// Marks, and parts of them.
const TOKENS: [&str; 26] = [
    "<",
    ">",
    "</",
    "<|",
    "<｜",
    "｜",
    "[",
    "]",
    "`",
    "```",
    "```json\n",
    "{",
    "}",
    "\"",
    "\n",
    " ",
    "<tool_call>",
    "</tool_call>",
    "<invoke name=",
    "</invoke>",
    "<｜DSML｜",
    "</think>",
    "<think>",
    "[TOOL_CALLS]",
    "</arg_value>",
    "list",
];

fn text() -> impl Strategy<Value = String> {
    let seeds: Vec<_> = SEEDS.map(str::to_owned).to_vec();
    let part = prop_oneof![
        4 => prop::sample::select(&SEEDS[..]).prop_map(str::to_owned),
        2 => prop::sample::select(&TOKENS[..]).prop_map(str::to_owned),
        1 => (prop::sample::select(&TOKENS[..]), 1..2_000_usize).prop_map(|(token, times)| token.repeat(times)),
        2 => "[a-zé北 .\\n]{0,12}",
    ];
    (prop::collection::vec(part, 0..6), changes(&seeds)).prop_map(|(parts, changes)| {
        String::from_utf8_lossy(&apply(parts.concat().as_bytes(), &changes)).into_owned()
    })
}

/// The text cut at these positions.
fn cut(text: &str, places: &[Index]) -> Vec<String> {
    let mut ends: Vec<_> = places.iter().map(|place| place.index(text.len() + 1)).collect();
    ends.retain(|end| text.is_char_boundary(*end));
    ends.push(text.len());
    ends.sort_unstable();
    let mut from = 0;
    ends.into_iter().map(|end| text[std::mem::replace(&mut from, end)..end].to_owned()).collect()
}

/// The emitted text, and the answer.
fn read(pieces: &[String], finish: &str, offered: &[&str]) -> (String, Result<ModelAnswer, ModelError>) {
    let source =
        AnswerSource { protocol: WireProtocol::ChatCompletions, origin: "https://llm.example".to_owned() };
    let mut decoder = Decoder::for_source(source).offering(offered.iter().map(|name| (*name).to_owned()));
    let mut told = String::new();
    let mut feed = |delta: Value, finish: Option<&str>| {
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": finish}]});
        for event in decoder.feed(format!("data: {chunk}\n\n").as_bytes()) {
            if let ModelEvent::Text(piece) = event {
                told.push_str(&piece);
            }
        }
    };
    for piece in pieces {
        feed(json!({"content": piece}), None);
    }
    feed(json!({}), Some(finish));
    for event in decoder.feed(b"data: [DONE]\n\n") {
        if let ModelEvent::Text(piece) = event {
            told.push_str(&piece);
        }
    }
    (told, decoder.end())
}

#[test]
fn calls_in_text() {
    let cuts = prop::collection::vec(any::<Index>(), 0..40);
    let cases = (text(), cuts, prop::sample::select(vec!["stop", "tool_calls", "length"]));
    spend(&cases, |(text, cuts, finish)| {
        let whole = [text.clone()];
        let (told, answer) = hurry(|| read(&whole, finish, &OFFERED));
        let in_pieces = hurry(|| read(&cut(&text, &cuts), finish, &OFFERED));
        prop_assert_eq!(&in_pieces, &(told.clone(), answer.clone()), "in pieces");
        if text.len() < 1_000 {
            let characters: Vec<_> = text.chars().map(String::from).collect();
            prop_assert_eq!(
                &read(&characters, finish, &OFFERED),
                &(told.clone(), answer.clone()),
                "by characters"
            );
        }

        let answer = answer.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert_eq!(&told, &answer.text, "what was shown is what there is");
        prop_assert!(answer.text.len() + answer.reasoning.len() <= text.len(), "nothing is made up");
        for call in &answer.calls {
            prop_assert!(OFFERED.contains(&call.name.as_str()), "{:?} was not offered", call);
            prop_assert!(call.arguments.len() <= 8 * text.len(), "{} bytes", call.arguments.len());
            let is_object = serde_json::from_str(&call.arguments).is_ok_and(|value: Value| value.is_object());
            prop_assert!(finish != "length" || is_object, "the token limit cut {:?}", call);
        }
        match &answer.inline_calls {
            Some(inline_calls) => {
                prop_assert_eq!(
                    inline_calls.taken,
                    answer.calls.len() + answer.dropped_calls,
                    "{:?}",
                    answer
                );
                prop_assert!(inline_calls.unknown.len() <= 8, "{:?}", inline_calls);
                prop_assert!(
                    inline_calls.unknown.iter().all(|name| name.chars().count() <= 100),
                    "{:?}",
                    inline_calls
                );
            }
            None => {
                prop_assert!(answer.calls.is_empty(), "no call comes unsaid");
                if !text.to_lowercase().contains("think") {
                    prop_assert_eq!(&answer.text, &text, "nothing is lost unsaid");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn to_somebody_without_tools_it_is_all_text() {
    spend(&text(), |text| {
        let (told, answer) = hurry(|| read(std::slice::from_ref(&text), "stop", &[]));
        let answer = answer.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert!(answer.calls.is_empty() && answer.inline_calls.is_none(), "{:?}", answer);
        if !text.trim_start().to_lowercase().starts_with("<think") {
            prop_assert_eq!(&told, &text);
        }
        Ok(())
    });
}
