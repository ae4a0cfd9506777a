use proptest::prelude::*;
use serde_json::{Value, json};
use sidecar_evals::{CallMade, RunOutcome, judge, outcome, read};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::ToolRun;

use super::*;
use crate::append::append;
use crate::expected::{MOST_MOCK, mock};
use crate::testing::run;

fn made(said: &str, schema: Option<&Value>, arguments: &str) -> Value {
    let run = run("book", arguments, ToolOutcome::Cancelled);
    let case = case("", said, &[TakenRun { run: &run, schema }]).unwrap();
    serde_json::from_str(&case).unwrap()
}

fn expected_of(said: &str, schema: Value, arguments: &str) -> Value {
    made(said, Some(&schema), arguments)["expectedCall"][0]["arguments"].clone()
}

/// The verdict of evals on the runs themselves.
fn verdict(said: &str, runs: &[&ToolRun], schema: Option<&Value>) -> RunOutcome {
    let taken: Vec<_> = runs.iter().map(|run| TakenRun { run, schema }).collect();
    let suite = append("", &case("", said, &taken).unwrap()).unwrap();
    let suite = read(suite.as_bytes()).unwrap();
    assert_eq!((suite.cases.len(), &*suite.notes), (1, &[][..]));
    let calls: Vec<_> = runs
        .iter()
        .map(|run| CallMade {
            name: run.tool.clone(),
            arguments: serde_json::from_str(&run.arguments).unwrap(),
            result: None,
        })
        .collect();
    outcome(&judge(&suite.cases[0].expected, &calls).unwrap())
}

#[test]
fn runs_become_a_case_that_says_all_of_it() {
    let search = run("search", r#"{"q":"jazz"}"#, ToolOutcome::ok(r#"[{"id":7,"token":"x"}]"#));
    let open = run("open", r#"{"id":7}"#, ToolOutcome::ok("opened"));
    let runs = [&search, &open].map(|run| TakenRun { run, schema: None });
    let case: Value = serde_json::from_str(&case(" ", "Find jazz\n", &runs).unwrap()).unwrap();
    assert_eq!(
        case,
        json!({
            "name": "search, open",
            "messages": [{"role": "user", "type": "message", "content": "Find jazz"}],
            "expectedCall": [
                {"functionName": "search", "arguments": {"q": {"$contains": "jazz"}}, "mockOutput": [{"id": 7, "token": "••••••"}]},
                {"functionName": "open", "arguments": {"id": 7}, "mockOutput": "opened"},
            ],
        })
    );
    assert_eq!(verdict("Find jazz", &[&search, &open], None), RunOutcome::Pass);
    assert_eq!(super::case("Jazz", "x", &runs).map(|case| case.contains(r#""name": "Jazz""#)), Ok(true));
}

#[test]
fn arguments_are_as_strict_as_they_can_be() {
    let schema = json!({"properties": {
        "cabin": {"enum": ["economy", "first"]}, "code": {"format": "password"},
        "legs": {"items": {"properties": {"via": {"const": "AMS"}}}},
    }});
    assert_eq!(
        expected_of(
            "Book order A-17 to New York",
            schema,
            r#"{"cabin":"first","seats":2,"exact":9007199254740993,"fast":false,"no":null,"id":"A-17",
                "to":"New York, US","from":"London","code":"1","apiKey":{"x":1},"key":"Bearer abc",
                "legs":[{"via":"AMS","at":"x"},3,"A-17"],"none":{},"ops":{"$gt":1},"mix":{"$gt":1,"x":2}}"#
        ),
        json!({
            "cabin": "first", "seats": 2, "exact": 9_007_199_254_740_993_i64, "fast": false, "no": null, "id": "A-17",
            "to": {"$contains": "New York"}, "from": {"$type": "string"}, "code": {"$any": true},
            "apiKey": {"$any": true}, "key": {"$any": true}, "legs": [{"via": "AMS", "at": {"$type": "string"}}, 3, "A-17"],
            "none": {}, "ops": {"$type": "object"}, "mix": {"$gt": 1, "x": 2},
        })
    );
    assert_eq!(
        expected_of("搜索上海的酒店", json!(true), r#"{"q":"上海市"}"#),
        json!({"q": {"$contains": "上海"}})
    );
    assert_eq!(expected_of("x", json!({}), r#"{"$x":1}"#), json!({"$type": "object"}));
    assert_eq!(expected_of("x", json!({}), r#"{"n":1e400}"#), json!({"n": {"$type": "number"}}));
}

#[test]
fn what_the_user_says_is_masked() {
    let case = made("Sign in with Bearer abcdef", None, r#"{"text":"abcdef"}"#);
    assert_eq!(case["messages"][0]["content"], "Sign in with Bearer ••••••");
    assert!(!case.to_string().contains("abcdef"));
}

#[test]
fn only_a_short_result_becomes_an_answer() {
    let mock = |outcome: ToolOutcome| mock(&outcome, &KnownSecrets::default()).map(|answer| answer.write());
    assert_eq!(mock(ToolOutcome::ok("x".repeat(MOST_MOCK))).map(|text| text.len()), Some(MOST_MOCK + 2));
    assert_eq!(mock(ToolOutcome::ok("x".repeat(MOST_MOCK + 1))), None);
    assert_eq!(mock(ToolOutcome::ok("null")).as_deref(), Some("null"));
    assert_eq!(mock(ToolOutcome::ok("[1e400]")).as_deref(), Some(r#""[1e400]""#), "as text");
    assert_eq!(
        mock(ToolOutcome::ok(r#"{"n":1e400,"pin":"1"}"#)),
        Some(format!("{:?}", r#"{"n":1e400,"pin":"••••••"}"#))
    );
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    assert_eq!(mock(ToolOutcome::ok(&*deep)), Some(format!("{deep:?}")));
    let nothing = ToolOutcome::Ok { content: Vec::<Content>::new(), page: PageEffect::Stayed };
    for outcome in [nothing, ToolOutcome::left(), ToolOutcome::Cancelled] {
        assert_eq!(mock(outcome), None);
    }
}

#[test]
fn case_without_words_runs_or_arguments_is_refused() {
    let run = run("a", "[]", ToolOutcome::Cancelled);
    let taken = [TakenRun { run: &run, schema: None }];
    assert_eq!(case("n", " ", &taken), Err(CaseFault::NoWords));
    assert_eq!(case("n", "x", &[]), Err(CaseFault::NoRuns));
    assert_eq!(case("n", "x", &taken), Err(CaseFault::Arguments("a".to_owned())));
}

#[test]
fn deep_arguments_fit_into_a_suite() {
    let deep = format!(r#"{{"a":{}{}}}"#, r#"[{"x":"#.repeat(45) + "1", "}]".repeat(45));
    assert_eq!(verdict("x", &[&run("a", &deep, ToolOutcome::Cancelled)], None), RunOutcome::Pass);
}

proptest! {
    #[test]
    fn case_passes_on_its_own_arguments(
        said in "[a-d中文 1]{1,20}x",
        arguments in prop::collection::vec(arguments(), 1..3),
        schema in schema(),
    ) {
        let runs: Vec<_> = arguments.iter().map(|text| run("tool", text, ToolOutcome::ok("1"))).collect();
        let runs: Vec<_> = runs.iter().collect();
        prop_assert_eq!(verdict(&said, &runs, Some(&schema)), RunOutcome::Pass);
    }
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        "\\$[a-c]",
        Just("$type".to_owned()),
        Just("$contains".to_owned()),
        Just("token".to_owned())
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"enum": ["a", "b c", 1]})),
        Just(json!({"format": "password"})),
        Just(json!({"const": "a"}))
    ];
    prop::collection::btree_map(key(), leaf, 0..4).prop_map(|properties| json!({"properties": properties}))
}

fn arguments() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(json!(null)),
        proptest::bool::ANY.prop_map(Value::from),
        proptest::num::i64::ANY.prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        "[a-d中文 1]{0,10}".prop_map(Value::from),
        "\\PC{0,10}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..4).prop_map(|members| json!(members)),
        ]
    });
    prop::collection::btree_map(key(), value, 0..4).prop_map(|members| json!(members).to_string())
}
