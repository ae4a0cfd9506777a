//! Whole turns: what is requested, answered, written and shown.

use super::*;

#[test]
fn turn_calls_tools_in_order_and_answers() {
    let mut world = TurnWorld::new();
    let replies = vec![
        ScriptedReply::stream(
            "Hm.",
            "I search.",
            &[("c1", "search", r#"{"to":"SHA"}"#), ("c2", "list", "{}")],
        ),
        ScriptedReply::stream("", "**CA1883** it is.", &[]),
    ];
    world.say("Find a flight", &[], replies).unwrap();

    let expected = [
        "started",
        "asked",
        "answered",
        "tool started",
        "tool finished",
        "tool started",
        "tool finished",
        "asked",
        "answered",
        "rested",
    ];
    assert_eq!(world.events(), expected);
    assert_eq!(world.end(), TurnEnd::Done);
    let ran = vec![("search".to_owned(), r#"{"to":"SHA"}"#.to_owned()), ("list".to_owned(), "{}".to_owned())];
    assert_eq!(*world.ran.borrow(), ran);
    assert_eq!(world.grew, "Hm.|I search.;|**CA1883** it is.;");

    let messages = world.last_messages();
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(
        messages.as_array().unwrap()[1..],
        [
            json!({"role": "user", "content": "Find a flight"}),
            json!({"role": "assistant", "content": "I search.", "reasoning_content": "Hm.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "search", "arguments": r#"{"to":"SHA"}"#}},
                {"id": "c2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
            ]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": data("5 flights")}),
            json!({"role": "tool", "tool_call_id": "c2", "content": data("CA1883")}),
        ]
    );
    // The three of the page, and the agent's own.
    assert_eq!(world.asked.borrow()[0]["tools"].as_array().unwrap().len(), 4);

    let kinds: Vec<_> = view::items(&world.log, None)
        .into_iter()
        .map(|item| match item.kind {
            ItemKind::User { text, .. } => text,
            ItemKind::Assistant { reasoning, text, state, .. } => format!("{state:?}: ({reasoning}) {text}"),
            ItemKind::Tool(tool) => match tool.state {
                ToolState::Finished { outcome, .. } => format!("{} on {}: {outcome:?}", tool.name, tool.site),
                other => panic!("unfinished: {other:?}"),
            },
            ItemKind::Retry { .. } => "retry".to_owned(),
            ItemKind::Guard { tool, .. } => format!("on guard for {tool}"),
            ItemKind::LeftOut { what } => format!("{what:?}"),
            ItemKind::Versions { version, of, .. } => format!("{version} of {of}"),
            ItemKind::Compacted { how, .. } => format!("{how:?}"),
            ItemKind::TurnEnd { end, .. } => format!("{end:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "Find a flight",
            "Done: (Hm.) I search.",
            r#"search on flights.example: Ok { content: [Text("5 flights")], page: Stayed }"#,
            r#"list on flights.example: Ok { content: [Text("CA1883")], page: Stayed }"#,
            "Done: () **CA1883** it is.",
            "Done",
        ]
    );
}

#[test]
fn draft_is_saved_while_an_answer_grows() {
    let mut world = TurnWorld::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![ScriptedReply::Hangs(said, UserCommand::Stop)]).unwrap();
    // The user stops at once: no draft was due yet, and what arrived is in the log.
    assert_eq!(world.drafts.borrow().len(), 0);

    // A stream that falls silent: what arrived is saved as a draft during the silence.
    let mut world = TurnWorld::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![ScriptedReply::Silence(200, said)]).unwrap();
    assert_eq!(*world.drafts.borrow(), ["|Half"]);
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!(error.message, "no sign of life for 180 s");
    let events = after_death(&world.log[..2], Some((String::new(), "Half".to_owned())));
    let Event::ModelFailed { text, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(text, "Half");
}

#[test]
fn system_prompt_has_the_panels_language_and_the_mode() {
    for (language, mode, has, has_not) in [
        (Language::English, Mode::Automatic, "Rules:", "5."),
        (Language::English, Mode::Confirm, "5. Other tools", "规则"),
        (Language::Chinese, Mode::Automatic, "规则：", "5."),
        (Language::Chinese, Mode::Confirm, "5. 其他工具", "Rules"),
    ] {
        let mut world = TurnWorld::new();
        (world.rules.language, world.rules.mode) = (language, mode);
        world.say("Go", &[], vec![ScriptedReply::stream("", "Hi.", &[])]).unwrap();
        let messages = world.last_messages();
        let text = messages[0]["content"].as_str().unwrap();
        assert!(
            text.contains(has) && !text.contains(has_not) && text.contains("2026-11-21 (Saturday)"),
            "{text}"
        );
    }
}

#[test]
fn messages_alternate_and_the_history_keeps_its_beginning() {
    let mut world = TurnWorld::new();
    world.say("First", &[], vec![ScriptedReply::Refused(ModelError::new(ErrorClass::Network, ""))]).unwrap();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an\"}}]}\n\n".to_owned();
    world.say("Second", &[], vec![ScriptedReply::Hangs(said, UserCommand::Stop)]).unwrap();
    world
        .continue_turn(vec![
            ScriptedReply::stream("", "", &[("a", "list", "{}")]),
            ScriptedReply::stream("", "Done.", &[]),
        ])
        .unwrap();
    let messages = world.last_messages();
    let roles: Vec<_> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool"]);
    assert_eq!(
        (&messages[1]["content"], &messages[3]["content"]),
        (&json!("First\n\nSecond"), &json!("Please go on."))
    );
    let before = world.asked.borrow()[2]["messages"].clone();
    let beginning = &messages.as_array().unwrap()[..before.as_array().unwrap().len()];
    assert_eq!(beginning, before.as_array().unwrap(), "what was sent before is sent again as it was");
}

#[test]
fn key_that_a_service_repeats_is_not_in_the_log() {
    let mut world = TurnWorld::new();
    let body = r#"{"error":{"message":"bad key: sk-secret"}}"#.to_owned();
    world.say("Go", &[], vec![ScriptedReply::Body(401, Vec::new(), body)]).unwrap();
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!(error.message, "bad key: …");
}

#[test]
fn provider_state_goes_back_in_its_own_protocol() {
    let mut world = TurnWorld::new();
    world.connection.endpoint =
        Endpoint { provider: "anthropic".to_owned(), base_url: "https://api.anthropic.com".to_owned() };
    let event = |event: Value| format!("data: {event}\n\n");
    let calls = [
        event(json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}})),
        event(json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_a", "name": "list", "input": {}}})),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
        event(json!({"type": "message_stop"})),
    ];
    let says = [
        event(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "One."}}),
        ),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})),
        event(json!({"type": "message_stop"})),
    ];
    let reply = |events: &[String]| ScriptedReply::Body(200, Vec::new(), events.concat());
    world.say("Which flights?", &[], vec![reply(&calls), reply(&says)]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
    let messages = world.last_messages();
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"});
    assert_eq!(messages[1]["content"][0], thought, "what is signed comes back as it was");
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "toolu_a");

    world.connection.endpoint.provider = "deepseek".to_owned();
    world.connection.endpoint.base_url = "https://api.deepseek.com".to_owned();
    world.say("And to Porto?", &[], vec![ScriptedReply::stream("", "None.", &[])]).unwrap();
    let answer = &world.last_messages()[2];
    assert_eq!((&answer["reasoning_content"], answer.get("signature")), (&json!(""), None));
    assert_eq!(answer["tool_calls"][0]["id"], "toolu_a");
}

#[test]
fn cost_is_logged_at_the_price_of_its_day() {
    let answer = || {
        let usage = json!({"prompt_tokens": 1_000_000, "completion_tokens": 500_000});
        let chunk =
            json!({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}], "usage": usage});
        ScriptedReply::Body(200, Vec::new(), format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let mut world = TurnWorld::new();
    world.say("free", &[], vec![answer()]).unwrap();
    let price = Price { currency: "¥".to_owned(), input: 2.0, cached: None, output: 8.0 };
    world.connection.price = Some(price);
    world.say("paid", &[], vec![answer()]).unwrap();
    world.connection.price = None;
    let costs = |item: &Item| match &item.kind {
        ItemKind::TurnEnd { costs, .. } => Some(costs.clone()),
        _ => None,
    };
    let items = view::items(&world.log, None);
    let shown: Vec<_> = items.iter().filter_map(costs).collect();
    assert_eq!(shown, [vec![], vec![Cost { currency: "¥".to_owned(), amount: 6.0 }]]);
}

#[test]
fn error_of_a_page_is_quoted_to_the_model() {
    let mut world = TurnWorld::new();
    let message = "no such airport: XXX".to_owned();
    let thrown = ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message };
    world.tools.insert("search", (false, Does::Returns(thrown)));
    world
        .say(
            "Go",
            &[],
            vec![
                ScriptedReply::stream("", "", &[("a", "search", "{}")]),
                ScriptedReply::stream("", "Hm.", &[]),
            ],
        )
        .unwrap();
    assert_eq!(world.last_messages()[3]["content"], format!("Error: {}", data("no such airport: XXX")));
}

#[test]
fn result_that_is_an_mcp_error_counts_as_a_failure() {
    let mut world = TurnWorld::new();
    let raw = r#"{"content":[{"type":"text","text":"No seats."}],"isError":true}"#;
    world.tools.insert("search", (false, Does::Returns(ok(raw))));
    world
        .say(
            "Go",
            &[],
            vec![
                ScriptedReply::stream("", "", &[("a", "search", "{}")]),
                ScriptedReply::stream("", "Hm.", &[]),
            ],
        )
        .unwrap();
    assert_eq!(world.outcomes(), [ok(raw)]);
    assert_eq!(world.last_messages()[3]["content"], format!("Error: {}", data("No seats.")));
    let state = view::items(&world.log, None).into_iter().find_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some(tool.state),
        _ => None,
    });
    let code = ToolFailure::Page(FailureCode::Threw);
    let outcome = ToolOutcome::Failed { code, message: "No seats.".to_owned() };
    assert_eq!(state, Some(ToolState::Finished { outcome, duration_ms: 200, raw: Some(raw.to_owned()) }));
}
