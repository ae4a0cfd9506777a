//! Steps that wait for something outside the page: a service, the user, the browser; and how long.

use super::*;

#[test]
fn case_38_answers_mean_what_their_status_and_form_say() {
    let fetch = |more: Value| json!([with(json!({"do": "fetch", "endpoint": "search", "path": {"word": "{{word}}"}, "query": {"n": 2}, "read": "json", "pick": "items[*].name", "as": "names"}), more), {"do": "return", "value": "{{names}}"}]);
    let body = r#"{"items": [{"name": "A"}, {"name": "B"}]}"#;
    let page = FakePage::new(move |page, request| {
        page.note(format!("{} {} {}", request["do"], request["path"], request["from"]));
        Ok(match request["do"].as_str() {
            Some("request") => json!({"status": 200, "part": &body[..10], "more": 10}),
            Some("part") => json!({"part": &body[10..]}),
            _ => found(0),
        })
    });
    let ended = run_in(&page, &definition(json!({})), fetch(json!({})), json!({"word": "a/../b"}));
    assert_eq!(ended.value, Some(json!(["A", "B"])), "{ended:?}");
    assert_eq!(page.did(), [r#""request" "/api/a%2F..%2Fb?n=2" null"#, r#""part" null 10"#]);
    let of = |answer: Value, more: Value| {
        let page = FakePage::new(move |_, request| {
            Ok(if request["do"] == "request" { answer.clone() } else { found(0) })
        });
        run_in(&page, &definition(json!({})), fetch(more), json!({"word": "a"})).outcome
    };
    for (answer, meant) in [
        (json!({"status": 401}), ActionOutcome::SignIn),
        (json!({"status": 404}), ActionOutcome::NotFound),
        (json!({"status": 429}), ActionOutcome::Challenge),
        (json!({"status": 500}), ActionOutcome::Changed),
        (json!({"status": 200, "fault": "notJson"}), ActionOutcome::Changed),
        (json!({"fault": "redirect"}), ActionOutcome::Changed),
        (json!({"fault": "tooLarge"}), ActionOutcome::TooLarge),
        (json!({"fault": "timeout"}), ActionOutcome::Timeout),
        (json!({"fault": "network"}), ActionOutcome::Blocked),
        (json!({"status": 200, "part": "{", "more": 1}), ActionOutcome::Interrupted),
        (json!({"fault": "path"}), ActionOutcome::BadInput),
    ] {
        assert_eq!(of(answer.clone(), json!({})), meant, "{answer}");
    }
    assert_eq!(of(json!({"status": 404}), json!({"outcomes": {"404": "empty"}})), ActionOutcome::Empty);
    let picked = |part: &str| of(json!({"status": 200, "part": part}), json!({}));
    assert_eq!(picked(r#"{"items": []}"#), ActionOutcome::Ok, "an empty list is a list");
    assert_eq!(picked("[]"), ActionOutcome::Changed, "nothing at all is another answer");
}

#[test]
fn case_38_another_origin_is_requested_without_the_page_and_writing_is_acting() {
    let other = json!([{"do": "fetch", "endpoint": "other", "read": "json", "as": "x"}, {"do": "return", "value": "{{x}}"}]);
    let page = FakePage::new(|_, _| Ok(found(0)));
    page.crossed.replace(Some(Ok(CrossAnswer { status: 200, text: r#"{"a": 1}"#.to_owned() })));
    let ended = run_in(&page, &definition(json!({})), other.clone(), json!({}));
    assert_eq!(
        (ended.value, page.did()),
        (Some(json!({"a": 1})), vec!["GET https://api.example/api None".to_owned()])
    );
    page.crossed.replace(Some(Err(RequestFault::Redirect)));
    assert_eq!(run_in(&page, &definition(json!({})), other, json!({})).outcome, ActionOutcome::Changed);
    let write =
        json!([{"do": "fetch", "endpoint": "write", "form": {"a": "{{a}}"}, "read": "json", "as": "x"}]);
    let (_, did) =
        on(json!({"request": {"status": 200, "size": 2, "part": "{}"}}), write, json!({"a": "b&c"}));
    assert!(did.is_empty(), "the page sends it: {did:?}");
    let page = FakePage::new(|page, request| {
        page.note(request["form"].to_string());
        Ok(json!({"status": 200, "part": "{}"}))
    });
    let write = json!([{"do": "fetch", "endpoint": "write", "form": {"a": "{{a}}", "n": "{{n}}", "gone": "{{gone}}"}, "read": "json", "as": "x"}]);
    run_in(&page, &definition(json!({"signals": {}})), write, json!({"a": "b&c", "n": 3}));
    assert_eq!(page.did(), [r#"{"a":"b&c","n":"3"}"#]);
}

#[test]
fn user_does_a_step_and_the_tool_goes_on_when_it_is_done() {
    let hand = json!([{"do": "handOver", "say": "Sign in.", "until": {"at": at("#in"), "is": "present"}}, {"do": "return", "value": 1}]);
    let page = FakePage::new(|page, _| Ok(found(u32::from(page.now.get() > 1_764_000_060_000))));
    let no_signals = definition(json!({"signals": {}}));
    let ended = run_in(&page, &no_signals, hand.clone(), json!({}));
    assert_eq!((ended.outcome, ended.value), (ActionOutcome::Ok, Some(json!(1))));
    assert_eq!(page.did().last().unwrap(), "user: has done");
    page.user.set(UserStep::Declined);
    assert_eq!(run_in(&page, &no_signals, hand.clone(), json!({})).outcome, ActionOutcome::Refused);
    let never = FakePage::new(|_, _| Ok(found(0)));
    assert_eq!(run_in(&never, &no_signals, hand, json!({})).outcome, ActionOutcome::Timeout);
    assert!(never.now.get() <= 1_764_000_000_000 + 601_000, "after ten minutes");
}

#[test]
fn page_that_goes_away_or_does_not_answer_has_its_outcome() {
    for (none, meant) in [
        (NoAnswer::Left, ActionOutcome::Navigated),
        (NoAnswer::Silent, ActionOutcome::Blocked),
        (NoAnswer::TooLarge, ActionOutcome::TooLarge),
        (NoAnswer::Elsewhere, ActionOutcome::Left),
    ] {
        let page = FakePage::new(move |_, _| Err(none));
        let ended = run_in(
            &page,
            &definition(json!({})),
            json!([{"do": "read", "at": at("#a"), "what": "text", "as": "a"}]),
            json!({}),
        );
        assert_eq!(ended.outcome, meant);
    }
}

#[test]
fn data_of_the_page_is_picked_and_typed() {
    let data = |answer: Value, more: Value| {
        let step = with(json!({"do": "data", "from": "jsonLd", "as": "x"}), more);
        on(json!({"data": answer}), json!([step, {"do": "return", "value": "{{x}}"}]), json!({})).0
    };
    let answer = json!({"data": [{"@type": "Product", "price": "12.50", "currency": "EUR"}]});
    assert_eq!(data(answer.clone(), json!({"pick": "[0].price", "type": "number"})).value, Some(json!(12.5)));
    assert_eq!(data(answer.clone(), json!({"pick": "[0].gone"})).outcome, ActionOutcome::Changed);
    assert_eq!(
        data(answer.clone(), json!({"pick": "[0].gone", "optional": true})).outcome,
        ActionOutcome::Ok
    );
    assert_eq!(data(json!({"fault": "json"}), json!({})).outcome, ActionOutcome::Changed);
    assert_eq!(data(json!({"fault": "tooLarge"}), json!({})).outcome, ActionOutcome::TooLarge);
}

#[test]
fn step_that_waits_for_the_browser_ends_at_its_own_time() {
    let hanging = |step: Value| {
        let page = FakePage::new(|_, _| Ok(found(0)));
        page.hangs.set(true);
        let begun = page.now();
        let ended = run_in(&page, &definition(json!({"signals": {}})), json!([step]), json!({}));
        (ended.outcome, page.now() - begun)
    };
    let lead = json!({"do": "navigate", "path": "/other", "timeout": 3});
    assert_eq!(hanging(lead.clone()), (ActionOutcome::Timeout, 3_000));
    assert_eq!(hanging(with(lead, json!({"else": "notFound"}))), (ActionOutcome::NotFound, 3_000));
    let other = json!({"do": "fetch", "endpoint": "other", "read": "json", "as": "x", "timeout": 2});
    assert_eq!(hanging(other), (ActionOutcome::Timeout, 2_000));
    let unlimited = json!({"do": "fetch", "endpoint": "other", "read": "json", "as": "x"});
    assert_eq!(hanging(unlimited), (ActionOutcome::Timeout, 30_000));

    let page = FakePage::new(|_, _| Ok(found(0)));
    page.is_restless.set(true);
    let leads =
        json!([{"do": "navigate", "path": "/list", "timeout": 3}, {"do": "navigate", "path": "/list"}]);
    let ended = run_in(&page, &definition(json!({"signals": {}})), leads, json!({}));
    assert_eq!(ended.outcome, ActionOutcome::Ok, "that a page never rests ends nothing");
    assert_eq!(*page.limits.borrow(), [3_000, 10_000]);

    let page = FakePage::new(|page, request| {
        page.note(request["timeout"].to_string());
        Ok(json!({"fault": "timeout"}))
    });
    let write = |more: Value| {
        let write = json!({"do": "fetch", "endpoint": "write", "form": {}, "read": "json", "as": "x"});
        run_in(&page, &definition(json!({"signals": {}})), json!([with(write, more)]), json!({})).outcome
    };
    assert_eq!(write(json!({"timeout": 4})), ActionOutcome::Interrupted, "it may have been done");
    write(json!({}));
    assert_eq!(page.did(), ["4000", "null"], "the page keeps the time of its own requests");
}

#[test]
fn data_that_is_late_is_waited_for_if_the_step_gives_it_time() {
    let late = |more: Value| {
        let page = FakePage::new(|page, _| {
            let is_there = page.now() >= 1_764_000_002_000;
            Ok(if is_there { json!({"data": {"a": 1}}) } else { json!({"fault": "missing"}) })
        });
        let step = with(json!({"do": "data", "from": "jsonLd", "pick": "a", "as": "x"}), more);
        let steps = json!([step, {"do": "return", "value": "{{x}}"}]);
        let ended = run_in(&page, &definition(json!({"signals": {}})), steps, json!({}));
        (ended.outcome, ended.value)
    };
    assert_eq!(late(json!({"timeout": 5})), (ActionOutcome::Ok, Some(json!(1))));
    assert_eq!(late(json!({"timeout": 1})).0, ActionOutcome::Changed);
    assert_eq!(late(json!({})).0, ActionOutcome::Changed, "without a time it looks once");
}
