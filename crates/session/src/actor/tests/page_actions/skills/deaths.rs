//! What the worker after this one knows of a call that acts.

use super::*;

#[test]
fn case_33_acting_tool_is_known_to_have_done_nothing_until_its_first_act() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let found = json!({"count": 1, "n": 0, "agrees": true, "ref": "e1"});
    let answers = json!({"conditions": conditions(), "locate": found, "quiet": {"quiet": true},
        "act": {"outcome": "ok", "became": []}, "value": {"count": 1, "n": 0, "agrees": true, "raw": "¥1"}});
    let (name, script) = document("D1", SHOP, "", answers);
    let marks: Rc<RefCell<Vec<(String, String)>>> = Rc::default();
    let (seen, memory) = (marks.clone(), world.browser.0.storage.session.clone());
    let noting = move |message: &Value| {
        if let Some(wanted @ ("conditions" | "locate" | "act" | "value")) = message["do"].as_str() {
            seen.borrow_mut().push((wanted.to_owned(), memory.text("skillCall.c1")));
        }
        script(message)
    };
    world.has_documents(vec![(name, Rc::new(noting))]);
    assert!(matches!(world.run_skill("buy"), ToolOutcome::Ok { .. }));
    let at = |wanted: &str| marks.borrow().iter().find(|(did, _)| did == wanted).unwrap().1.clone();
    assert_eq!((at("locate"), at("act")), ("began D1".to_owned(), "acted".to_owned()));
    assert_eq!(world.browser.0.storage.session.text("skillCall.c1"), "", "it goes with the call");

    let has_done_nothing = |world: &mut ActorWorld, mark: &str| {
        world.browser.0.storage.session.put("skillCall.c1", mark);
        let work = async |tools: TabTools<FakeBrowser>| tools.has_done_nothing(&"c1".into()).await;
        world.with_tools(work, 60_000).unwrap().0
    };
    assert!(has_done_nothing(&mut world, "began D1"));
    assert!(!has_done_nothing(&mut world, "acted"));

    marks.borrow_mut().clear();
    world.run_skill("read_price");
    assert_eq!(at("value"), "acted", "a tool that reads writes nothing");

    world.browser.0.storage.session.put("skillCall.c1", "began D0");
    marks.borrow_mut().clear();
    let elsewhere = world.run_skill("buy");
    assert!(failure(ActionOutcome::Changed)(&elsewhere), "{elsewhere:?}");
    assert_eq!(*marks.borrow(), [], "it was meant for another page");
}
