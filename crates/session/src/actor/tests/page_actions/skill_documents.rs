//! Documents that go away while a SKILL is used, and those that take their place.

use super::skills::{conditions, no_price, one_price, page, skill_tool, with_skill, with_skill_in};
use super::*;

/// The page, which goes away without an answer at the first request of a kind, and is there again. Counts such requests.
fn going_at_first(kind: &'static str, answers: Value) -> (Vec<(DocumentId, PageScript)>, Rc<Cell<u32>>) {
    let (name, answer) = page(answers).remove(0);
    let asked = Rc::new(Cell::new(0));
    let count = asked.clone();
    let script = move |message: &Value| {
        if message["do"] != kind {
            return answer(message);
        }
        count.set(count.get() + 1);
        if count.get() == 1 { vec![json!({"event": "gone"})] } else { answer(message) }
    };
    (vec![(name, Rc::new(script))], asked)
}

#[test]
fn what_reads_is_asked_again_where_the_channel_was_gone_and_what_acts_is_not() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let answers = json!({"conditions": conditions(), "value": one_price()});
    let (documents, asked) = going_at_first("value", answers);
    world.has_documents(documents);
    assert!(matches!(world.run_skill("read_price"), ToolOutcome::Ok { .. }));
    assert_eq!(asked.get(), 2);

    let found = json!({"count": 1, "n": 0, "agrees": true, "ref": "e1"});
    let done = json!({"outcome": "ok", "became": []});
    let answers = json!({"conditions": conditions(), "locate": found, "quiet": {"quiet": true}, "act": done});
    let (documents, asked) = going_at_first("act", answers);
    world.has_documents(documents);
    let ended = world.run_skill("buy");
    assert!(failure(ActionOutcome::Navigated)(&ended), "{ended:?}");
    assert_eq!(asked.get(), 1);
}

/// The shop's page D1, which gives way to D2 unnoticed: it goes away at the first request after that. Each has this
/// price.
fn giving_way(
    world: &ActorWorld,
    value: &Value,
    gives_way: impl Fn(&Value) -> bool + 'static,
) -> Vec<(DocumentId, PageScript)> {
    let answers = json!({"conditions": conditions(), "value": value});
    let (name, answer) = page(answers.clone()).remove(0);
    let browser = world.browser.clone();
    let script = move |message: &Value| {
        if !gives_way(message) {
            return answer(message);
        }
        browser.0.scripts.replace(vec![document("D2", SHOP, "", answers.clone())]);
        vec![json!({"event": "gone"})]
    };
    vec![(name, Rc::new(script))]
}

/// Two calls of a turn. Between them D1 gives way to D2.
fn two_calls(world: &mut ActorWorld, value: &Value) -> [ToolOutcome; 2] {
    let is_left = Rc::new(Cell::new(false));
    let was_left = is_left.clone();
    world.has_documents(giving_way(world, value, move |_| was_left.get()));
    let work = async move |tools: TabTools<FakeBrowser>| {
        let first = tools.call(&"c1".into(), &skill_tool("read_price"), "{}").await;
        is_left.set(true);
        [first, tools.call(&"c2".into(), &skill_tool("read_price"), "{}").await]
    };
    world.with_tools(work, 60_000).unwrap().0
}

#[test]
fn call_begins_in_the_next_document_when_the_one_of_the_last_call_is_gone_unnoticed() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let ended = two_calls(&mut world, &one_price());
    assert!(ended.iter().all(|ended| matches!(ended, ToolOutcome::Ok { .. })), "{ended:?}");
}

#[test]
fn documents_that_answered_are_counted_until_the_skill_pauses() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let ended = two_calls(&mut world, &no_price());
    assert!(ended.iter().all(failure(ActionOutcome::Changed)), "{ended:?}");
    assert!(world.offered().iter().any(|name| name == "read_price"), "two documents are not three");
    let answers = json!({"conditions": conditions(), "value": no_price()});
    world.has_documents(vec![document("D3", SHOP, "", answers)]);
    let last = world.run_skill("read_price");
    assert!(failure(ActionOutcome::Changed)(&last), "{last:?}");
    assert!(!world.offered().iter().any(|name| name == "read_price"));
}

#[test]
fn documents_that_the_worker_before_was_on_count_towards_a_pause() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    two_calls(&mut world, &no_price());
    let mut world = with_skill_in(world.restart());
    world.tell_tools(&[]);
    let answers = json!({"conditions": conditions(), "value": no_price()});
    world.has_documents(vec![document("D3", SHOP, "", answers)]);
    assert!(world.offered().iter().any(|name| name == "read_price"), "two documents are not three");
    let last = world.run_skill("read_price");
    assert!(failure(ActionOutcome::Changed)(&last), "{last:?}");
    assert!(!world.offered().iter().any(|name| name == "read_price"));
}

#[test]
fn call_that_began_in_a_document_does_not_go_on_in_the_next() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    world.has_documents(giving_way(&world, &one_price(), |message| message["do"] == "value"));
    let ended = world.run_skill("read_price");
    assert!(failure(ActionOutcome::Navigated)(&ended), "{ended:?}");
}
