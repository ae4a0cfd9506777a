//! What a page with its frames is asked at once: elements by CSS, what comes or goes, what nobody sent.

use super::*;

const PAY: &str = "https://pay.example";

/// The shop with a frame of a payment service in it, which answer like this.
fn with_frame(top: Value, frame: Value) -> ActorWorld {
    let world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", top), document("D2", PAY, "t", frame)]);
    world
}

#[test]
fn elements_of_frames_are_found_and_stay_their_own() {
    let none = json!({"find": {"rows": [], "count": 0}});
    let rows = json!({"find": {"rows": [{"ref": "f1e1", "text": "Pay"}], "count": 1}});
    let mut world = with_frame(none.clone(), rows.clone());
    let ToolOutcome::Ok { content, .. } = world.run_browser("find_elements", json!({"css": "button"})) else {
        panic!("found")
    };
    let text = rows["find"].to_string();
    let framed = FrameText { origin: PAY.to_owned(), site: "pay.example".to_owned(), text };
    let of = Content::Text("[of pay.example]".to_owned());
    assert_eq!(content, [Content::Text(none["find"].to_string()), of, Content::Framed(framed)]);

    let long = json!({"find": {"rows": [{"text": "x".repeat(16_000)}], "count": 1}});
    let outcome = with_frame(none, long).run_browser("find_elements", json!({"css": "p"}));
    let text = outcome.text().unwrap().into_owned();
    assert!(text.contains("[1 elements in a frame: too much text"), "{text}");

    let bad = json!({"find": {"outcome": "badInput", "why": {"code": "malformed", "text": "p["}}});
    let outcome = with_frame(bad, json!({})).run_browser("find_elements", json!({"css": "p["}));
    assert!(failure(ActionOutcome::BadInput)(&outcome), "{outcome:?}");
}

#[test]
fn what_is_waited_for_may_come_in_a_frame_and_has_to_go_from_all() {
    let (there, not_there) = (json!({"wait": {"outcome": "ok"}}), json!({"wait": {"outcome": "timeout"}}));
    let wait = |top: &Value, frame: &Value, gone: bool| {
        let arguments = json!({"text": "Paid", "gone": gone, "seconds": 1});
        with_frame(top.clone(), frame.clone()).run_browser("wait_for", arguments)
    };
    let is_ok = |outcome: &ToolOutcome| matches!(outcome, ToolOutcome::Ok { .. });
    assert!(is_ok(&wait(&not_there, &there, false)), "in the frame");
    assert!(failure(ActionOutcome::Timeout)(&wait(&not_there, &not_there, false)));
    // Each document answers whether it is gone there.
    assert!(is_ok(&wait(&there, &there, true)));
    assert!(failure(ActionOutcome::Timeout)(&wait(&there, &not_there, true)), "still in the frame");
    let silent = json!({});
    assert!(is_ok(&wait(&there, &silent, false)), "a frame that says nothing is not waited for");
    assert!(is_ok(&wait(&there, &silent, true)));
}

#[test]
fn ref_is_waited_for_in_its_own_document_and_the_reason_is_told() {
    let held = json!({"wait": {"outcome": "timeout", "why": {"code": "background"}}});
    let mut world = with_frame(json!({"wait": {"outcome": "ok"}}), held);
    let outcome = world.run_browser("wait_for", json!({"selector": "f1e3", "seconds": 3}));
    let ToolOutcome::Failed { message, .. } = &outcome else { panic!("{outcome:?}") };
    assert!(message.contains("in the background"), "{message}");
    let stale = world.run_browser("wait_for", json!({"selector": "f9e3", "seconds": 1}));
    assert!(failure(ActionOutcome::Stale)(&stale), "{stale:?}");
    let gone = world.run_browser("wait_for", json!({"selector": "f9e3", "seconds": 1, "gone": true}));
    assert_eq!(gone, ToolOutcome::ok("ok: it is so now."));
}

#[test]
fn wait_goes_on_in_the_page_that_comes_meanwhile() {
    let mut world = allowed();
    let (name, answers) = document("D1", SHOP, "", json!({}));
    let browser = world.browser.clone();
    let script = move |message: &Value| {
        if message["do"] == "wait" {
            let next = document("D5", SHOP, "", json!({"wait": {"outcome": "ok"}}));
            *browser.0.scripts.borrow_mut() = vec![next];
            return vec![json!({"event": "gone"})];
        }
        answers(message)
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let outcome = world.run_browser("wait_for", json!({"text": "Thank you", "seconds": 10}));
    assert_eq!(outcome, ToolOutcome::ok("ok: it is so now."));
}

/// For what a call would ask.
fn consequence(mut world: ActorWorld, name: &'static str, arguments: &'static str) -> Option<Consequence> {
    let work = async |tools: TabTools<FakeBrowser>| {
        tools.examine(&"c1".into(), &browser_tool(name), arguments).await.unwrap()
    };
    world.with_tools(work, 60_000).unwrap().0.card.and_then(|card| card.consequence)
}

#[test]
fn leaving_asks_for_what_was_typed_in_a_frame() {
    let examined = |top: Value, frame: Value, name: &'static str, arguments: &'static str| {
        consequence(with_frame(top, frame), name, arguments)
    };
    let unsaved = |count: u64| json!({"unsaved": {"count": count}});
    let url = r#"{"url":"https://shop.example/b"}"#;
    assert_eq!(examined(unsaved(0), unsaved(1), "navigate_to", url), Some(Consequence::Unsaved));
    assert_eq!(examined(unsaved(0), unsaved(0), "navigate_to", url), None);
    let link = |leads: Value, unsent: bool| {
        let described =
            json!({"ref": "e4", "role": "link", "name": "News", "leads": leads, "unsent": unsent});
        // What counts of the link's own document is what is told with the link.
        json!({"unsaved": {"count": 1}, "describe": described})
    };
    let leads = |scope: &str, unsent: bool| link(json!(scope), unsent);
    let (click, lost) = (r#"{"selector":"e4"}"#, Some(Consequence::Unsaved));
    assert_eq!(examined(leads("frame", false), unsaved(1), "click_element", click), lost, "in the frame");
    assert_eq!(examined(leads("frame", true), unsaved(0), "click_element", click), lost, "beside it");
    assert_eq!(
        examined(leads("frame", false), unsaved(0), "click_element", click),
        None,
        "nothing but what is sent"
    );
    assert_eq!(
        examined(link(Value::Null, true), unsaved(1), "click_element", click),
        None,
        "it leads nowhere"
    );
    // A link in a frame leads that frame away, not the page, unless it says so.
    let in_frame = r#"{"selector":"f1e4"}"#;
    assert_eq!(examined(unsaved(1), leads("frame", false), "click_element", in_frame), None);
    assert_eq!(examined(unsaved(0), leads("frame", true), "click_element", in_frame), lost);
    assert_eq!(examined(unsaved(1), leads("tab", false), "click_element", in_frame), lost);
    assert_eq!(examined(unsaved(0), leads("tab", false), "click_element", in_frame), None);
    // Enter in a field sends its form.
    let enter = r#"{"selector":"e4","key":"Enter"}"#;
    assert_eq!(examined(leads("frame", true), unsaved(0), "press_key", enter), lost);
}

/// What a document says of the frame with the token `t`.
fn inner(is_shown: bool) -> Value {
    json!({"frames": [{"token": "t", "isShown": is_shown}]})
}

#[test]
fn what_is_in_a_hidden_frame_is_not_there() {
    let page = |wait: &str, is_shown: bool| {
        let frame = json!({"wait": {"outcome": wait}, "find": {"rows": [{"ref": "f1e1"}], "count": 1}});
        let top = json!({"wait": {"outcome": "timeout"}, "find": {"rows": [], "count": 0}, "inner": inner(is_shown)});
        with_frame(top, frame)
    };
    let wait = |is_shown: bool, arguments: Value| page("ok", is_shown).run_browser("wait_for", arguments);
    let is_ok = |outcome: &ToolOutcome| matches!(outcome, ToolOutcome::Ok { .. });
    let timed_out = failure(ActionOutcome::Timeout);
    for (text, reference) in [(json!("Paid"), Value::Null), (Value::Null, json!("f1e3"))] {
        let coming = json!({"text": text, "selector": reference, "seconds": 3});
        assert!(is_ok(&wait(true, coming.clone())), "{coming}");
        assert!(timed_out(&wait(false, coming.clone())), "{coming}");
    }
    let gone = json!({"selector": "f1e3", "gone": true, "seconds": 1});
    assert!(timed_out(&page("timeout", true).run_browser("wait_for", gone.clone())));
    assert!(is_ok(&page("timeout", false).run_browser("wait_for", gone)), "with its frame");

    let found = |is_shown: bool| {
        let outcome = page("ok", is_shown).run_browser("find_elements", json!({"css": "button"}));
        outcome.text().unwrap().contains("f1e1")
    };
    assert!(found(true) && !found(false));
}

/// A page with a frame, and one in that; each says so of the one that it has.
fn with_two_levels(is_shown: bool, inmost: Value) -> ActorWorld {
    let world = allowed();
    let of = |token: &str, is_shown: bool| json!({"frames": [{"token": token, "isShown": is_shown}]});
    let link = json!({"ref": "f1e4", "role": "link", "name": "Next", "leads": "frame", "unsent": false});
    let (top, middle) = (
        json!({"inner": of("t", is_shown), "find": {"rows": [], "count": 0}}),
        json!({"inner": of("u", true), "describe": link}),
    );
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", PAY, "t", middle),
        document("D3", PAY, "u", inmost),
    ]);
    world
}

#[test]
fn frame_is_hidden_with_the_one_around_it_and_gone_with_it_too() {
    let found = |is_shown: bool| {
        let inmost = json!({"find": {"rows": [{"ref": "f2e1"}], "count": 1}});
        let outcome =
            with_two_levels(is_shown, inmost).run_browser("find_elements", json!({"css": "button"}));
        outcome.text().unwrap().contains("f2e1")
    };
    assert!(found(true) && !found(false));
    for (count, expected) in [(1, Some(Consequence::Unsaved)), (0, None)] {
        let world = with_two_levels(true, json!({"unsaved": {"count": count}}));
        assert_eq!(consequence(world, "click_element", r#"{"selector":"f1e4"}"#), expected);
    }
}

#[test]
fn frame_of_which_nobody_says_where_it_is_is_not_hidden() {
    let frame = json!({"wait": {"outcome": "timeout"}, "find": {"rows": [{"ref": "f1e1"}], "count": 1}});
    let page =
        || with_frame(json!({"wait": {"outcome": "ok"}, "find": {"rows": [], "count": 0}}), frame.clone());
    let found = page().run_browser("find_elements", json!({"css": "button"}));
    assert!(found.text().unwrap().contains("f1e1"));
    let gone = page().run_browser("wait_for", json!({"selector": "f1e3", "gone": true, "seconds": 1}));
    assert!(failure(ActionOutcome::Timeout)(&gone), "{gone:?}");
}

#[test]
fn frame_that_comes_into_sight_is_looked_at_while_something_is_waited_for() {
    let mut world = allowed();
    let (name, answers) = document("D1", SHOP, "", json!({"wait": {"outcome": "timeout"}}));
    let looks = Cell::new(0);
    let top = move |message: &Value| {
        if message["do"] == "inner" {
            looks.set(looks.get() + 1);
            return vec![json!({"id": message["id"], "result": inner(looks.get() > 1)})];
        }
        answers(message)
    };
    let frame = document("D2", PAY, "t", json!({"wait": {"outcome": "ok"}}));
    world.has_documents(vec![(name, Rc::new(top)), frame]);
    for arguments in [json!({"text": "Paid", "seconds": 5}), json!({"selector": "f1e3", "seconds": 5})] {
        assert_eq!(world.run_browser("wait_for", arguments), ToolOutcome::ok("ok: it is so now."));
    }
}

#[test]
fn values_of_a_frames_fields_are_not_told_as_the_pages_own_when_filling_fails() {
    let filled = json!([{"ref": "f1e1", "role": "textbox", "name": "Owner", "value": "Ada"}]);
    let results = json!({"describe": {"ref": "f1e1", "role": "textbox", "name": "Owner"},
        "act": {"outcome": "blocked", "why": {"code": "reverted"}, "filled": filled}});
    let mut world = with_frame(json!({}), results);
    let arguments =
        json!({"fields": [{"selector": "f1e1", "text": "Ada"}, {"selector": "f1e2", "text": "1"}]});
    let work = async move |tools: TabTools<FakeBrowser>| {
        let (tool, arguments) = (browser_tool("input_text"), arguments.to_string());
        tools.examine(&"c1".into(), &tool, &arguments).await.unwrap();
        tools.call(&"c1".into(), &tool, &arguments).await
    };
    let ToolOutcome::Failed { message, .. } = world.with_tools(work, 60_000).unwrap().0 else { panic!() };
    assert!(message.ends_with("Fields filled before: 1."), "{message}");
    assert!(!message.contains("Ada") && !message.contains("Owner"), "{message}");
}
