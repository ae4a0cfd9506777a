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

#[test]
fn leaving_asks_for_what_was_typed_in_a_frame() {
    let examined = |top: Value, frame: Value, name: &'static str, arguments: &'static str| {
        let mut world = with_frame(top, frame);
        let work = async |tools: TabTools<FakeBrowser>| {
            tools.examine(&"c1".into(), &browser_tool(name), arguments).await.unwrap()
        };
        world.with_tools(work, 60_000).unwrap().0.card.and_then(|card| card.consequence)
    };
    let unsaved = |count: u64| json!({"unsaved": {"count": count}});
    let url = r#"{"url":"https://shop.example/b"}"#;
    assert_eq!(examined(unsaved(0), unsaved(1), "navigate_to", url), Some(Consequence::Unsaved));
    assert_eq!(examined(unsaved(0), unsaved(0), "navigate_to", url), None);
    let link = |count: u64, leaves: bool| json!({"unsaved": {"count": count}, "describe": {"ref": "e4", "role": "link", "name": "News", "leaves": leaves}});
    let click = r#"{"selector":"e4"}"#;
    assert_eq!(examined(link(0, true), unsaved(1), "click_element", click), Some(Consequence::Unsaved));
    assert_eq!(examined(link(1, false), unsaved(1), "click_element", click), None, "it leads nowhere");
    // A link in a frame leads that frame away, not the page.
    let in_frame = r#"{"selector":"f1e4"}"#;
    assert_eq!(examined(unsaved(1), link(0, true), "click_element", in_frame), None);
    assert_eq!(examined(unsaved(0), link(2, true), "click_element", in_frame), Some(Consequence::Unsaved));
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
