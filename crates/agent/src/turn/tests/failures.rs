//! The service fails, and what the user can leave out then.

use super::*;

#[test]
fn busy_service_is_asked_again_visibly_up_to_a_limit() {
    let mut world = TurnWorld::new();
    let before = world.time;
    world.say("Go", &[], vec![busy(), ScriptedReply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.events(), ["started", "asked", "failed", "asked", "answered", "rested"]);
    assert!(world.time - before >= 2000, "it waited as long as it was told to");
    let waiting = view::items(&world.log[..3], None);
    assert!(matches!(waiting.last().unwrap().kind, ItemKind::Retry { attempt: 1, .. }), "{waiting:?}");
    assert_eq!(view::items(&world.log, None).len(), 3, "the wait is no longer shown when it is over");

    let mut world = TurnWorld::new();
    world.say("Go", &[], (0..sidecar_llm::MAX_ATTEMPTS).map(|_| busy()).collect()).unwrap();
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!((error.class, error.status), (ErrorClass::Rate, Some(429)));
    // The user may try again, with as many attempts as before.
    world.continue_turn(vec![busy(), ScriptedReply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.end(), TurnEnd::Done);
}

#[test]
fn refused_field_is_left_out_for_the_thread() {
    let refusal = |field: &str| {
        let body = json!({"error": {"message": format!("Unsupported parameter: '{field}'"), "param": field}});
        ScriptedReply::Body(400, Vec::new(), body.to_string())
    };
    let mut world = TurnWorld::new();
    world.connection.temperature = Some(0.5);
    world.say("Go", &[], vec![refusal("temperature"), ScriptedReply::stream("", "Here.", &[])]).unwrap();
    let sent = |n: usize| world.asked.borrow()[n].get("temperature").is_some();
    assert_eq!((sent(0), sent(1), world.end()), (true, false, TurnEnd::Done));

    // In this thread it is known from now on. A service that refuses the same again is not asked for ever.
    world.say("More", &[], vec![refusal("temperature")]).unwrap();
    assert!(world.asked.borrow()[2].get("temperature").is_none());
    assert!(matches!(world.end(), TurnEnd::Failed { error } if error.code() == "field"));

    // Another model may accept it.
    world.connection.model = "deepseek-v4-pro".to_owned();
    world.say("And now?", &[], vec![ScriptedReply::stream("", "Yes.", &[])]).unwrap();
    assert!(world.asked.borrow()[3].get("temperature").is_some());
}

#[test]
fn failure_of_the_model_ends_the_turn_with_its_reason() {
    for (reply, class) in [
        (ScriptedReply::Refused(ModelError::new(ErrorClass::NoKey, "")), ErrorClass::NoKey),
        (ScriptedReply::Refused(ModelError::new(ErrorClass::Network, "refused")), ErrorClass::Network),
        (
            ScriptedReply::Body(401, Vec::new(), r#"{"error":{"message":"bad key"}}"#.to_owned()),
            ErrorClass::Auth,
        ),
        (ScriptedReply::Body(402, Vec::new(), String::new()), ErrorClass::Money),
        (
            ScriptedReply::Body(
                200,
                Vec::new(),
                "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n".to_owned(),
            ),
            ErrorClass::StreamCut,
        ),
    ] {
        let mut world = TurnWorld::new();
        world.say("Go", &[], vec![reply]).unwrap();
        let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
        assert_eq!(error.class, class);
        let shown = view::items(&world.log, None);
        assert_eq!(
            shown.len(),
            if class == ErrorClass::StreamCut { 3 } else { 2 },
            "what was said stays: {shown:?}"
        );
    }
}

#[test]
fn silent_service_times_out() {
    let mut world = TurnWorld::new();
    world.say("Talk", &[], vec![ScriptedReply::Nothing]).unwrap();
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!(error.message, "no sign of life for 180 s");

    // The part of an error body that arrived has to do.
    let mut world = TurnWorld::new();
    let said = r#"{"error": {"message": "no such model"}}"#.to_owned();
    world.say("Talk", &[], vec![ScriptedReply::Silence(404, said)]).unwrap();
    let TurnEnd::Failed { error } = world.end() else { panic!("{:?}", world.end()) };
    assert_eq!((error.status, error.message.as_str()), (Some(404), "no such model"));
}

#[test]
fn failure_names_the_model_that_was_asked() {
    let mut world = TurnWorld::new();
    world.say("Go", &[], (0..sidecar_llm::MAX_ATTEMPTS).map(|_| busy()).collect()).unwrap();
    let first = (world.connection.endpoint.provider.clone(), world.connection.model.clone());
    world.connection.model = "another".to_owned();
    world.say("Again", &[], vec![ScriptedReply::stream("", "Here.", &[])]).unwrap();
    let asked = |item: Item| match item.kind {
        ItemKind::TurnEnd { asked, .. } => asked.map(|asked| (asked.provider, asked.model)),
        _ => None,
    };
    let shown: Vec<_> = view::items(&world.log, None).into_iter().filter_map(asked).collect();
    assert_eq!(shown, [first.clone(), (first.0, "another".to_owned())]);
}

#[test]
fn history_is_left_out_when_the_user_says_so() {
    let call = |id: &str| ScriptedReply::stream("", "", &[(id, "list", &json!({"to": id}).to_string())]);
    let refused = || {
        ScriptedReply::Body(
            400,
            Vec::new(),
            r#"{"error":{"code":"context_length_exceeded","message":"long"}}"#.to_owned(),
        )
    };
    let mut world = TurnWorld::new();
    world.say("first", &[], vec![call("a"), ScriptedReply::stream("", "One.", &[])]).unwrap();
    // After the user has undone a summary there is no further one.
    world.log.push(Entry { at: world.time, event: Event::CompactionUndone });
    world.say("second", &[], vec![call("b"), call("c"), refused()]).unwrap();
    assert!(matches!(world.end(), TurnEnd::Failed { .. }));
    let shape = |world: &TurnWorld| {
        let messages = world.last_messages();
        let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        messages
            .as_array()
            .unwrap()
            .iter()
            .skip(1)
            .map(content)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
    };
    let listed = data("CA1883");
    let listed = listed.as_str();
    assert_eq!(shape(&world), ["first", listed, "One.", "second", listed, listed]);
    world
        .continue_without(Some(Omission::History), vec![call("d"), ScriptedReply::stream("", "Two.", &[])])
        .unwrap();
    let gone = "[This result was left out of the conversation.]";
    assert_eq!(shape(&world), ["second", gone, listed, listed]);
    let items = view::items(&world.log, None);
    assert!(items.iter().any(|item| matches!(item.kind, ItemKind::LeftOut { what: Omission::History })));
    // It stays so.
    world.say("third", &[], vec![ScriptedReply::stream("", "Three.", &[])]).unwrap();
    assert_eq!(shape(&world), ["second", gone, listed, listed, "Two.", "third"]);
}

#[test]
fn page_content_is_left_out_when_the_user_says_so() {
    let filtered = r#"{"error":{"code":"content_filter","message":"no"}}"#.to_owned();
    let mut world = TurnWorld::new();
    let call = || ScriptedReply::stream("", "", &[("a", "list", "{}")]);
    world.say("first", &[], vec![call(), ScriptedReply::Body(400, Vec::new(), filtered)]).unwrap();
    world
        .continue_without(Some(Omission::PageContent), vec![call(), ScriptedReply::stream("", "One.", &[])])
        .unwrap();
    let messages = world.last_messages();
    let results: Vec<_> =
        messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(results[0]["content"], "[This result was left out of the conversation.]");
    assert_eq!(results[1]["content"], data("CA1883"), "what came later stays");
}
