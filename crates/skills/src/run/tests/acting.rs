//! On which page and element a tool acts, in which order, and where its tab may be led.

use super::*;

#[test]
fn page_that_wants_the_user_says_why_a_tool_found_nothing() {
    let steps = json!([{"do": "expect", "that": {"at": at("#list"), "is": "visible"}}]);
    assert_eq!(outcome(json!({"#login": 1}), steps.clone()), ActionOutcome::SignIn);
    assert_eq!(outcome(json!({"#login": 1, "#captcha": 1}), steps.clone()), ActionOutcome::Challenge);
    assert_eq!(outcome(json!({}), steps.clone()), ActionOutcome::Changed);
    assert_eq!(outcome(json!({"#login": 1, "#list": 1}), steps), ActionOutcome::Ok);
}

#[test]
fn tool_begins_on_a_page_that_is_as_its_author_knew_it() {
    let run_on = |url: &str, elements: Value| {
        let page = FakePage::new(move |_, request| {
            Ok(found(elements[css(request)].as_u64().map_or(0, |count| u32::try_from(count).unwrap())))
        });
        page.url.replace(url.to_owned());
        let list = json!({"match": ["https://shop.example/list*"], "probes": [{"at": at("#list"), "is": "present"}], "empty": [{"at": at("#empty"), "is": "present"}]});
        let definition = definition(json!({"pages": {"list": list}}));
        let tool = json!({"name": "t", "description": "d", "class": "read", "inputSchema": {}, "pages": ["list"], "steps": [{"do": "return", "value": 1}]});
        let tool: SkillTool = serde_json::from_value(tool).unwrap();
        block_on(run(&page, &definition, &tool, Values::new())).outcome
    };
    let list = "https://shop.example/list";
    assert_eq!(run_on(list, json!({"#list": 1})), ActionOutcome::Ok);
    assert_eq!(run_on(list, json!({"#empty": 1})), ActionOutcome::Ok);
    assert_eq!(run_on(list, json!({})), ActionOutcome::Changed);
    assert_eq!(run_on(list, json!({"#login": 1})), ActionOutcome::SignIn);
    assert_eq!(run_on("https://shop.example/item", json!({"#list": 1})), ActionOutcome::Changed);
    assert_eq!(run_on("https://evil.example/list", json!({"#list": 1})), ActionOutcome::Left);
}

#[test]
fn case_29_nothing_is_done_unless_there_is_one_element() {
    let click = |then: Value| json!([{"do": "click", "at": at("#buy"), "then": then, "timeout": 1}]);
    for count in [0, 2] {
        let (ended, did) = on(json!({"#buy": count}), click(json!("none")), json!({}));
        assert_eq!(
            (ended.outcome, ended.step.as_deref(), did.len()),
            (ActionOutcome::Changed, Some("steps[0]"), 0)
        );
    }
    let (ended, did) = on(json!({"#buy": 1}), click(json!("none")), json!({}));
    assert_eq!((ended.outcome, did), (ActionOutcome::Ok, vec!["e1 Click { count: 1 }".to_owned()]));
    let there = json!({"#buy": 1, "#done": 1});
    assert_eq!(outcome(there.clone(), click(json!({"appears": at("#done")}))), ActionOutcome::Ok);
    assert_eq!(outcome(there.clone(), click(json!({"gone": at("#done")}))), ActionOutcome::Changed);
    assert_eq!(outcome(there, click(json!("navigation"))), ActionOutcome::Changed, "the tab is where it was");
}

#[test]
fn case_30_what_the_page_actions_refuse_is_the_outcome() {
    for refused in
        [ActionOutcome::Covered, ActionOutcome::Blocked, ActionOutcome::Refused, ActionOutcome::Disabled]
    {
        let page = FakePage::new(|_, _| Ok(found(1)));
        page.acted.set(Err(refused));
        let steps = json!([{"do": "fill", "at": at("#a"), "value": "x", "else": "notFound"}, {"do": "click", "at": at("#b"), "then": "none"}]);
        assert_eq!(run_in(&page, &definition(json!({})), steps, json!({})).outcome, refused);
        assert_eq!(page.did().len(), 1, "the click is not done");
    }
}

#[test]
fn each_kind_of_action_gets_its_value() {
    let steps = json!([
        {"do": "fill", "at": at("#a"), "value": "{{word}}!"},
        {"do": "choose", "at": at("#a"), "option": "{{n}}"},
        {"do": "check", "at": at("#a"), "on": "{{yes}}"},
        {"do": "hover", "at": at("#a")},
        {"do": "press", "key": "Enter"},
        {"do": "click", "at": at("#a"), "count": 2, "then": "none"},
    ]);
    let (ended, did) = on(json!({"#a": 1}), steps, json!({"word": "tea", "n": 3, "yes": false}));
    assert_eq!(ended.outcome, ActionOutcome::Ok);
    assert_eq!(
        did,
        [
            "e1 Fill(\"tea!\")",
            "e1 Choose(\"3\")",
            "e1 Check(false)",
            "e1 Hover",
            " Press(\"Enter\")",
            "e1 Click { count: 2 }"
        ]
    );
    assert_eq!(
        on(json!({"#a": 1}), json!([{"do": "check", "at": at("#a"), "on": "{{gone}}"}]), json!({})).0.outcome,
        ActionOutcome::BadInput
    );
}

#[test]
fn steps_are_left_out_chosen_and_ended_by_conditions() {
    let value = |text: &str| json!([{"do": "return", "value": text}]);
    let either = json!([
        {"do": "fail", "outcome": "empty", "when": {"at": at("#gone"), "is": "present"}},
        {"do": "either", "branches": [
            {"when": {"all": [{"input": "n", "equals": 0}, {"input": "n", "given": true}]}, "steps": value("zero")},
            {"when": {"any": [{"at": at("#gone"), "is": "present"}, {"url": "https://shop.example/list*"}]}, "steps": value("list")},
            {"steps": value("none")},
        ]},
    ]);
    let run = |n: Value| on(json!({}), either.clone(), json!({"n": n})).0.value.unwrap();
    assert_eq!(
        (run(json!(0.0)), run(json!(1)), run(json!(null))),
        (json!("zero"), json!("list"), json!("list"))
    );
    let none = json!([{"do": "either", "branches": [{"when": {"at": at("#gone"), "is": "present"}, "steps": value("x")}], "else": "notFound"}]);
    assert_eq!(outcome(json!({}), none), ActionOutcome::NotFound);
    let missing = json!([{"do": "expect", "that": {"at": at("#a"), "is": "present"}, "else": "badInput"}]);
    assert_eq!(outcome(json!({}), missing), ActionOutcome::BadInput);
}

#[test]
fn steps_of_the_tool_itself_are_told_as_they_begin() {
    let inner = json!([{"do": "wait", "for": "stable"}, {"do": "wait", "for": "stable"}]);
    let steps = json!([
        {"do": "either", "branches": [{"steps": inner}]},
        {"do": "fail", "outcome": "empty", "when": {"at": at("#gone"), "is": "present"}},
        {"do": "return", "value": {}},
        {"do": "wait", "for": "stable"},
    ]);
    let page = FakePage::new(|_, _| Ok(found(0)));
    assert_eq!(run_in(&page, &definition(json!({})), steps, json!({})).outcome, ActionOutcome::Ok);
    assert_eq!(*page.told.borrow(), [1, 2, 3].map(|number| ToolStep { number, of: 4 }));
}

#[test]
fn what_is_waited_for_may_come_late_or_never() {
    let page = FakePage::new(|page, request| {
        Ok(found(u32::from(css(request) == "#late" && page.now.get() > 1_764_000_002_000)))
    });
    let wait = |css: &str| json!([{"do": "wait", "for": {"at": at(css), "is": "present"}, "timeout": 4}]);
    let definition = definition(json!({}));
    assert_eq!(run_in(&page, &definition, wait("#late"), json!({})).outcome, ActionOutcome::Ok);
    assert_eq!(run_in(&page, &definition, wait("#never"), json!({})).outcome, ActionOutcome::Timeout);
    assert!(page.now.get() < 1_764_000_008_000, "it ends");
}

#[test]
fn tab_is_led_within_the_sites_only() {
    let go = |path: &str, input: Value| {
        on(json!({}), json!([{"do": "navigate", "path": path, "query": {"q": "{{q}}", "n": "{{n}}"}}]), input)
    };
    let (ended, did) = go("/item/{{id}}", json!({"id": "../a b", "q": "x&y=z"}));
    assert_eq!(
        (ended.outcome, did),
        (ActionOutcome::Ok, vec!["go https://shop.example/item/..%2Fa%20b?q=x%26y%3Dz".to_owned()])
    );
    assert_eq!(go("/closed", json!({})).0.outcome, ActionOutcome::Refused);
    assert_eq!(go("/item/{{id}}", json!({"id": ".."})).0.outcome, ActionOutcome::BadInput);
    assert_eq!(go("/item/{{id}}", json!({})).0.outcome, ActionOutcome::BadInput);
    let (_, did) = on(json!({}), json!([{"do": "navigate", "path": "/a", "ownTab": true}]), json!({}));
    assert_eq!(did, ["go https://shop.example/a in its own tab"]);
    // A click that leads to another site ends the tool.
    let click = json!([{"do": "click", "at": at("#a"), "then": "navigation"}, {"do": "return", "value": 1}]);
    for (to, outcome) in
        [("https://shop.example/b", ActionOutcome::Ok), ("https://evil.example/", ActionOutcome::Left)]
    {
        let page = FakePage::new(|_, _| Ok(found(1)));
        page.leads_to.set(Some(to));
        assert_eq!(run_in(&page, &definition(json!({})), click.clone(), json!({})).outcome, outcome);
    }
}
