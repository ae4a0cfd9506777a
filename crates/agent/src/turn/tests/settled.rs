//! Tools that appear after a result: they are on offer in the next request, or found when the model names
//! them.

use super::*;

/// The model calls `search`, then `next`, which appears only after the page was looked at this many times.
fn search_then_next(looks: u32) -> TurnWorld {
    let mut world = TurnWorld::new();
    world.tools.insert("next", (true, Does::Returns(ToolOutcome::ok("Page 2"))));
    world.late.insert("next", looks);
    let calls = |name: &str| ScriptedReply::stream("", "", &[("a", name, "{}")]);
    let replies = vec![calls("search"), calls("next"), ScriptedReply::stream("", "Done.", &[])];
    world.say("Go", &[], replies).unwrap();
    world
}

fn offered(request: &Value) -> Vec<&str> {
    let tools = request["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

#[test]
fn tool_that_comes_just_after_a_call_is_offered_in_the_next_request() {
    let world = search_then_next(3);
    assert_eq!(world.ran(), ["search", "next"]);
    let asked = world.asked.borrow();
    assert!(!offered(&asked[0]).contains(&"next"), "{:?}", offered(&asked[0]));
    assert!(offered(&asked[1]).contains(&"next"), "{:?}", offered(&asked[1]));
}

#[test]
fn tool_that_comes_later_is_found_when_the_model_names_it_without_a_failed_round() {
    let world = search_then_next(8);
    assert_eq!((world.ran(), world.end()), (vec!["search".to_owned(), "next".to_owned()], TurnEnd::Done));
    let asked = world.asked.borrow();
    assert!(!offered(&asked[1]).contains(&"next"), "{:?}", offered(&asked[1]));
    assert_eq!(asked.len(), 3, "nothing is asked again");
}

#[test]
fn tool_that_never_comes_is_a_mistake_that_the_model_is_told_of() {
    let world = search_then_next(u32::MAX);
    assert_eq!(world.ran(), ["search"]);
    assert_eq!(world.outcomes().len(), 2);
}

#[test]
fn answer_is_kept_when_the_user_stops_while_its_tool_is_looked_for() {
    // The second look is the one after the answer.
    let mut world = TurnWorld { stop_at: Some(2), ..TurnWorld::new() };
    world.say("Go", &[], vec![ScriptedReply::stream("", "I look.", &[("a", "next", "{}")])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Stopped);
    let said = world.log.iter().find_map(|entry| match &entry.event {
        Event::ModelAnswered { text, calls, .. } => Some((text.as_str(), calls.len())),
        _ => None,
    });
    assert_eq!(said, Some(("I look.", 1)));
    assert!(world.ran().is_empty());
}
