//! Every form of markup, cut anywhere.

use serde_json::{Value, json};

use super::*;

/// Name of the test case, form, text, and its calls.
type FormCase = (&'static str, Markup, String, Vec<(&'static str, Value)>);

#[test]
fn filter_reads_every_form_and_never_shows_it() {
    let rows: &[FormCase] = &[
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
            "fenced JSON with space before the language",
            Markup::Fence,
            "``` \r json\n{\"name\": \"list\", \"arguments\": {\"a\": 1}}\n```".to_owned(),
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
