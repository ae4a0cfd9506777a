//! Models that want too much.

use super::*;

#[test]
fn of_a_hundred_calls_in_one_answer_as_many_run_as_the_limit_says_and_the_rest_wait_for_the_user() {
    let mut world = World::new();
    let limit = world.rules.limits.tool_calls;
    let calls: Vec<(String, String)> =
        (0..100).map(|n| (format!("c{n}"), format!(r#"{{"page": {n}}}"#))).collect();
    let calls: Vec<_> =
        calls.iter().map(|(id, arguments)| (id.as_str(), "list", arguments.as_str())).collect();
    world.say("Everything", &[], vec![Reply::stream("", "", &calls)]).unwrap();
    assert_eq!(world.rest(), Rest::CallLimit { limit });
    assert_eq!(world.ran().len(), limit as usize);
    // Those that were left over are told as not made when the user says something else.
    let settled = resume::before_new_turn(&world.log);
    world.log.extend(settled.into_iter().map(|event| Entry { at: world.time, event }));
    world.say("Enough", &[], vec![Reply::stream("", "Fine.", &[])]).unwrap();
    assert_eq!(world.ran().len(), limit as usize);
    let messages = world.last_messages();
    let results = messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let not_made =
        results.filter(|message| message["content"].as_str().unwrap().contains("did not run")).count();
    assert_eq!(not_made, 100 - limit as usize);
}
