//! Prompted tool calling, for models without tools.

use sidecar_llm::ModelAbilities;

use super::*;

#[test]
fn prompted_tool_call_is_not_a_repair_and_does_not_ask() {
    let mut world = TurnWorld::new();
    let refused = json!({"error": {"message": "registry/x does not support tools"}}).to_string();
    let call = "I search.\n\n```json\n{\"name\": \"search\", \"arguments\": {\"seats\": 2}}\n```";
    let replies = vec![
        ScriptedReply::Body(400, Vec::new(), refused),
        ScriptedReply::stream("", call, &[]),
        ScriptedReply::stream("", "There are 5 flights.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!((world.outcomes(), world.end()), (vec![ok("5 flights")], TurnEnd::Done));
    assert!(!world.events().contains(&"approval asked"));
    let asked = world.asked.borrow();
    assert!(asked[0].get("tools").is_some() && asked[1].get("tools").is_none());
    let messages = asked[2]["messages"].to_string();
    assert!(messages.contains("Result of `search`") && !messages.contains("tool_call_id"), "{messages}");
}

#[test]
fn prompted_tool_calling_is_used_when_the_server_says_that_the_model_takes_no_tools() {
    let prompted_call = "```json\n{\"name\": \"list\", \"arguments\": {}}\n```";
    for (known, said, is_prompted) in [
        (None, Some(false), true),
        (None, Some(true), false),
        (None, None, false),
        (Some(true), Some(false), false),
    ] {
        let abilities = ModelAbilities { takes_tools: said, sees: None };
        let mut world = TurnWorld { abilities, ..TurnWorld::new() };
        world.connection.takes_tools = known;
        let call = match is_prompted {
            true => ScriptedReply::stream("", prompted_call, &[]),
            false => ScriptedReply::stream("", "", &[("a", "list", "{}")]),
        };
        world.say("list", &[], vec![call, ScriptedReply::stream("", "Done.", &[])]).unwrap();
        assert_eq!(world.end(), TurnEnd::Done);
        let has_tools = |request: &Value| request.get("tools").is_some();
        assert_eq!(world.asked.borrow().iter().map(has_tools).collect::<Vec<_>>(), [!is_prompted; 2]);
        assert_eq!(world.learnt, known.is_none().then_some(abilities).into_iter().collect::<Vec<_>>());
        assert_eq!(world.outcomes().len(), 1);
    }
}
