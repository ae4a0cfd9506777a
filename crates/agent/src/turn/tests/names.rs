//! Tool names that a model has read stay usable.

use super::*;

fn names(world: &TurnWorld) -> Vec<String> {
    let messages = world.last_messages();
    let calls = messages.as_array().unwrap().iter().filter_map(|message| message["tool_calls"].as_array());
    calls.flatten().map(|call| call["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn call_is_told_under_the_name_that_can_be_used_again() {
    // Once, a long name was cut in the history; what remained named no tool, and the model's next call was
    // refused.
    const LONG: &str = "list_all_the_flights_that_leave_from_the_airport_of_the_user_now";
    for written in [format!("functions.{LONG}:0"), format!("default_api.{LONG}"), format!("`{LONG}`")] {
        let mut world = TurnWorld::new();
        world.tools.insert(LONG, (true, Does::Returns(ToolOutcome::ok("5"))));
        let first = ScriptedReply::stream("", "", &[("a", &written, "{}")]);
        world.say("Go", &[], vec![first, ScriptedReply::stream("", "Done.", &[])]).unwrap();
        assert_eq!(names(&world), [LONG], "{written}");
        let shown = names(&world).remove(0);
        let again = ScriptedReply::stream("", "", &[("b", &shown, r#"{"seats": 2}"#)]);
        world.say("Again", &[], vec![again, ScriptedReply::stream("", "Done.", &[])]).unwrap();
        assert_eq!(world.ran(), [LONG, LONG], "{written}");
    }
}

#[test]
fn tool_that_is_offered_under_another_name_by_now_is_found_by_the_one_it_had() {
    let mut world = TurnWorld::new();
    let call = |name: &str| {
        vec![ScriptedReply::stream("", "", &[("a", name, "{}")]), ScriptedReply::stream("", "Done.", &[])]
    };
    world.say("Go", &[], call("list")).unwrap();
    // As if a tool of another tab had had this name then.
    for entry in &mut world.log {
        if let Event::ModelAnswered { calls, .. } = &mut entry.event {
            calls.iter_mut().for_each(|call| call.record.name = "list_flights_example".to_owned());
        }
    }
    world.say("Again", &[], call("list_flights_example")).unwrap();
    assert_eq!(world.ran(), ["list", "list"]);
    world.say("Again", &[], call("list_other_example")).unwrap();
    assert_eq!(world.ran(), ["list", "list"], "a name that nobody told means nothing");
}
