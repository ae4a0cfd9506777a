use proptest::prelude::*;
use serde_json::json;
use sidecar_evals::extras::VerdictKind;
use sidecar_evals::record::RecordedCall;
use sidecar_evals::suite::EvalSuite;
use sidecar_evals::verdict::EvalVerdict;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::recording::{RecordedAnswer, RecordedToolCall};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ToolFailure;

use super::*;

fn call(tool: &str, arguments: &Value, outcome: ToolOutcome) -> RecordedToolCall {
    RecordedToolCall { tool: tool.to_owned(), arguments: arguments.to_string(), secrets: Vec::new(), outcome }
}

fn answer_with(text: &str, calls: Vec<RecordedToolCall>) -> RecordedAnswer {
    RecordedAnswer { text: text.to_owned(), calls, others: false }
}

fn threw(message: &str) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message: message.to_owned() }
}

fn turn(said: &str, answers: Vec<RecordedAnswer>) -> RecordedTurn {
    let url = "https://shop.example/list?page=2".to_owned();
    RecordedTurn { said: said.to_owned(), attached: false, url, answers }
}

fn tool(name: &str, properties: &Value) -> RecordedTool {
    let schema = json!({"type": "object", "properties": properties}).to_string();
    RecordedTool { name: name.to_owned(), description: format!("A basic {name}."), schema: Some(schema) }
}

fn asked(turns: Vec<RecordedTurn>, tools: Vec<RecordedTool>) -> TurnCase {
    let question = TurnQuestion { language: Language::English, turns, tools };
    // As it travels.
    let answer = answered(&serde_json::to_string(&question).unwrap()).unwrap();
    serde_json::from_str(&answer).unwrap()
}

fn suite_of(case: &TurnCase) -> EvalSuite {
    let suite = read(case.suite.as_ref().unwrap_or_else(|| panic!("{case:?}")).as_bytes()).unwrap();
    assert_eq!(suite.notes, [], "{case:?}");
    suite
}

/// The exact verdict on calls, and what the case expects.
fn verdict(suite: &EvalSuite, made: &[(&str, Value)]) -> RunOutcome {
    let call = |(name, arguments): &(&str, Value)| RecordedCall {
        name: (*name).to_owned(),
        arguments: arguments.clone(),
        result: json!({}),
        mistake: None,
    };
    let calls: Vec<_> = made.iter().map(call).collect();
    EvalVerdict::of(&suite.cases[0], VerdictKind::Exact, &calls).outcome
}

const KEY: &str = "sk-a1b2c3d4e5f6a1b2c3d4e5f6";

/// A chat with parallel calls, a retry and secrets, of which the second turn is recorded.
fn shop() -> (TurnCase, Vec<(&'static str, Value)>) {
    let sign_in = json!({"user": "ann", "password": "hunter2", "header": format!("Bearer {KEY}")});
    let economy = json!({"to": "New York", "cabin": "economy", "seats": 2, "window": true, "code": "PROMO"});
    let first = json!({"to": "Paris, France", "cabin": "first", "seats": 1, "note": "made up"});
    let order = json!({"order": "A-1042", "word": "myhunter2"});
    let mut secret_place = call("order", &order, ToolOutcome::ok("ordered"));
    secret_place.secrets.push("/word".to_owned());
    let turns = vec![
        turn(
            &format!("Sign in as ann, password hunter2, key {KEY}"),
            vec![
                answer_with(
                    "I sign in.",
                    vec![call("sign_in", &sign_in, ToolOutcome::ok(r#"{"ok":true,"sessionId":"s3ss10n"}"#))],
                ),
                answer_with("You are signed in.", vec![]),
            ],
        ),
        turn(
            "Find flights to New York and Paris, cancel A-1042; hunter2 again, s3ss10n",
            vec![
                answer_with("", vec![call("find", &json!({"to": "NY"}), threw("unknown place"))]),
                answer_with(
                    "Again.",
                    vec![
                        call(
                            "find",
                            &economy,
                            ToolOutcome::ok(r#"[{"id":7,"for":"hunter2","token":"t0ken"}]"#),
                        ),
                        call("find", &first, ToolOutcome::ok("x".repeat(2_001))),
                    ],
                ),
                answer_with("", vec![secret_place]),
                answer_with("Done.", vec![]),
            ],
        ),
    ];
    let tools = vec![
        tool("sign_in", &json!({"password": {"type": "string"}})),
        tool("find", &json!({"cabin": {"enum": ["economy", "first"]}, "code": {"const": "PROMO"}})),
        tool("order", &json!({"order": {"type": "string"}, "word": {"type": "string"}})),
    ];
    let made = vec![("find", economy), ("find", first), ("order", order)];
    (asked(turns, tools), made)
}

#[test]
fn inspector_case_29_recorded_chat_passes_on_its_recording() {
    let (case, made) = shop();
    let suite = suite_of(&case);
    assert_eq!(verdict(&suite, &made), RunOutcome::Pass);
    let [one, other, order] = made.as_slice() else { panic!() };
    let swapped = [other, one, order].map(Clone::clone);
    assert_eq!(verdict(&suite, &swapped), RunOutcome::Pass, "calls of one answer come in any order");
    let late = [one, order, other].map(Clone::clone);
    assert_eq!(verdict(&suite, &late), RunOutcome::Fail);
    let with_retry = [&("find", json!({"to": "NY"})), one, other, order].map(Clone::clone);
    assert_eq!(verdict(&suite, &with_retry), RunOutcome::Fail, "the retry is left out");
    assert_eq!(suite.start_url, "https://shop.example/list?page=2");
    assert_eq!(
        case.notes,
        [
            "Saved. The case passes on the calls of this turn.",
            "Left out, because it failed and was tried again: find.",
            "What looks secret is masked.",
        ]
    );
}

#[test]
fn inspector_case_29_verdict_is_the_same_after_export_and_import() {
    let (case, made) = shop();
    let suite = suite_of(&case);
    let exported = suite.plain().to_string();
    let imported = read(exported.as_bytes()).unwrap();
    assert_eq!((verdict(&imported, &made), imported.plain()), (RunOutcome::Pass, suite.plain()));
    let alone = read(suite.alone(&suite.cases[0]).as_bytes()).unwrap();
    assert_eq!(verdict(&alone, &made), RunOutcome::Pass);
    assert_eq!(suite.tools.unwrap()[1].description, "A basic find.");
}

#[test]
fn inspector_case_29_no_secret_is_in_the_file() {
    let text = shop().0.suite.unwrap();
    for secret in ["hunter2", KEY, "s3ss10n", "t0ken"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn inspector_case_29_arguments_are_as_strict_as_they_can_be() {
    let (case, _) = shop();
    let suite = suite_of(&case);
    let any = json!({"$any": true});
    assert_eq!(
        suite.cases[0].json()["expectedCall"],
        json!([
            {"unordered": [
                {"functionName": "find",
                    "arguments": {"to": {"$contains": "New York"}, "cabin": "economy", "seats": 2, "window": true, "code": "PROMO"},
                    "mockOutput": [{"id": 7, "for": MASK, "token": MASK}]},
                {"functionName": "find",
                    "arguments": {"to": {"$contains": "Paris"}, "cabin": "first", "seats": 1, "note": {"$type": "string"}}},
            ]},
            {"functionName": "order", "arguments": {"order": "A-1042", "word": any}, "mockOutput": "ordered"},
        ])
    );
    let messages = &suite.cases[0].json()["messages"];
    let kinds: Vec<_> =
        messages.as_array().unwrap().iter().map(|message| message["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message", "message", "functioncall", "functionresponse", "message", "message"]);
    assert_eq!(
        messages[2]["arguments"],
        json!({"user": "ann", "password": MASK, "header": format!("Bearer {MASK}")})
    );
    assert_eq!(messages[3]["response"], json!({"result": {"ok": true, "sessionId": MASK}}));
    assert_eq!(
        messages[5]["content"],
        json!(format!("Find flights to New York and Paris, cancel A-1042; {MASK} again, {MASK}"))
    );
}

#[test]
fn user_who_typed_the_call_does_not_give_a_secret_away() {
    let arguments = json!({"login": {"pin": 9876, "word": "o\"pen sesame"}, "n": 9876});
    let said = format!("call enter {arguments}");
    let case = asked(
        vec![turn(&said, vec![answer_with("", vec![call("enter", &arguments, ToolOutcome::ok("in"))])])],
        vec![],
    );
    let text = case.suite.as_ref().unwrap();
    assert!(!text.contains("9876"), "{text}");
    assert_eq!(verdict(&suite_of(&case), &[("enter", arguments)]), RunOutcome::Pass);
    assert!(case.notes.contains(&"Without the site’s tools, which are not there any more.".to_owned()));
}

#[test]
fn call_that_was_not_carried_out_is_left_out_and_told() {
    let bad = ToolOutcome::Failed { code: ToolFailure::BadArguments, message: "no".to_owned() };
    let answers = vec![
        answer_with("", vec![call("a", &json!({}), ToolOutcome::Declined), call("b", &json!({}), bad)]),
        answer_with(
            "",
            vec![call("c", &json!({}), threw("sold out")), call("d", &json!([]), ToolOutcome::ok("1"))],
        ),
    ];
    let mut turn = turn("Do it", answers);
    turn.attached = true;
    turn.answers[0].others = true;
    let case = asked(vec![turn.clone()], vec![]);
    assert_eq!(
        suite_of(&case).cases[0].json()["expectedCall"],
        json!([{"functionName": "c", "arguments": {}}]),
        "a call that failed in the page was made"
    );
    assert_eq!(case.notes.len(), 5, "{case:?}");
    assert_eq!(case.notes[1], "Left out, because it was not carried out: a, b, d.");
    turn.answers.truncate(1);
    let none = asked(vec![turn.clone()], vec![]);
    assert_eq!((none.suite, none.notes.len()), (None, 1));
    turn.said.clear();
    assert_eq!(asked(vec![turn], vec![]).suite, None);
    assert_eq!((asked(vec![], vec![]).suite, answered("no question")), (None, None));
}

#[test]
fn address_is_told_without_what_may_be_secret() {
    let secrets = KnownSecrets::default();
    for (url, told) in [
        ("https://a.example/x?q=1#y", Some("https://a.example/x?q=1#y")),
        ("https://a.example/x?token=abc", Some("https://a.example/x")),
        ("https://ann:abc@a.example/x?q=1", Some("https://a.example/x")),
        ("https://a.example?token=abc", Some("https://a.example/")),
        ("file:///home/ann/page.html", None),
        ("", None),
    ] {
        assert_eq!(start_url(url, &secrets).as_deref(), told, "{url}");
    }
    let path = format!("https://a.example/{KEY}/x");
    assert_eq!(start_url(&path, &secrets).as_deref(), Some("https://a.example/"));
}

#[test]
fn tools_that_do_not_fit_into_a_suite_are_left_out() {
    let deep = format!(r#"{{"x":{}1{}}}"#, "[".repeat(70), "]".repeat(70));
    let tools = vec![RecordedTool { schema: Some(deep), ..tool("go", &json!({})) }];
    let said = turn("Go", vec![answer_with("", vec![call("go", &json!({}), ToolOutcome::ok("1"))])]);
    let case = asked(vec![said.clone()], tools);
    assert_eq!(suite_of(&case).tools, None);
    let long = turn(&"word ".repeat(1 << 20), vec![]);
    assert_eq!(asked(vec![long, said], vec![]).suite, None, "a file has 4 MiB at most");
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        proptest::bool::ANY.prop_map(Value::from),
        proptest::num::i64::ANY.prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        "[a-d中文 1]{0,10}".prop_map(Value::from),
        "\\PC{0,10}".prop_map(Value::from),
    ]
}

fn arguments() -> impl Strategy<Value = Value> {
    let key = prop_oneof!["[a-c]", "\\$[a-c]", Just("$type".to_owned()), Just("token".to_owned())];
    let value = leaf().prop_recursive(3, 20, 3, move |inner| {
        let key = prop_oneof!["[a-c]", "\\$[a-c]", Just("pin".to_owned())];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..3).prop_map(|members| json!(members)),
        ]
    });
    prop::collection::btree_map(key, value, 0..4).prop_map(|members| json!(members))
}

proptest! {
    #[test]
    fn each_turn_passes_on_its_own_calls(
        said in "[a-d中文 1]{1,20}x",
        answers in prop::collection::vec(prop::collection::vec(arguments(), 1..4), 1..3),
        secret in "[a-z]{6}[0-9]{3}",
        result in "\\PC{0,20}",
    ) {
        let with_secret = json!({"password": secret, "text": format!("so {secret}.")});
        let answers: Vec<Vec<_>> = answers.into_iter().chain([vec![with_secret]]).collect();
        let made: Vec<_> = answers.iter().flatten().map(|arguments| ("tool", arguments.clone())).collect();
        let answer = |calls: &Vec<Value>| {
            let result = ToolOutcome::ok(format!("{result} {secret}"));
            answer_with("", calls.iter().map(|arguments| call("tool", arguments, result.clone())).collect())
        };
        let said = format!("{said} {secret} {}", answers[0][0]);
        let case = asked(vec![turn(&said, answers.iter().map(answer).collect())], vec![]);
        prop_assert_eq!(verdict(&suite_of(&case), &made), RunOutcome::Pass);
        prop_assert!(!case.suite.unwrap().contains(&secret));
        prop_assert!(!case.name.contains(&secret));
    }
}
