//! Turns in a branch that left another one.

use super::*;
use crate::log::branch;

impl TurnWorld {
    fn rewind(&mut self, behind: Option<usize>) {
        self.log.push(Entry { at: self.time, event: Event::Rewound { behind } });
    }

    /// Position of the last request to the model.
    fn asked_at(&self) -> usize {
        branch::backwards(&self.log)
            .find(|position| matches!(self.log[*position].event, Event::ModelAsked { .. }))
            .expect("the model was asked")
    }

    fn kinds(&self) -> Vec<String> {
        let kind = |item: Item| match item.kind {
            ItemKind::User { text, .. } | ItemKind::Assistant { text, .. } => Some(text),
            ItemKind::Tool(tool) => Some(tool.name),
            ItemKind::Versions { version, of, earlier, later } => {
                Some(format!("{version} of {of}, {earlier:?} {later:?}"))
            }
            ItemKind::Compacted { .. }
            | ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::TurnEnd { .. } => None,
        };
        let items = view::items(&self.log, None);
        assert!(items.is_sorted_by(|one, next| one.seq < next.seq), "panels put them in this order");
        items.into_iter().filter_map(kind).collect()
    }
}

#[test]
fn edited_message_is_answered_without_the_original() {
    let mut world = TurnWorld::new();
    world.say("One", &[], vec![ScriptedReply::stream("", "1", &[])]).unwrap();
    let until = world.log.len() - 1;
    let replies =
        vec![ScriptedReply::stream("", "", &[("a", "search", "{}")]), ScriptedReply::stream("", "2", &[])];
    world.say("Two", &[], replies).unwrap();
    world.rewind(Some(until));
    world.say("Three", &[], vec![ScriptedReply::stream("", "3", &[])]).unwrap();

    let said = |messages: &Value| {
        let contents = messages.as_array().unwrap().iter().skip(1).map(|message| message["content"].clone());
        contents.collect::<Vec<_>>()
    };
    assert_eq!(said(&world.last_messages()), ["One", "1", "Three"]);
    assert_eq!(world.end(), TurnEnd::Done);
    let end_of_two = until + 8;
    assert_eq!(world.kinds(), ["One", "1", "Three", &format!("2 of 2, Some({end_of_two}) None"), "3"]);

    world.rewind(Some(end_of_two));
    assert_eq!(resume::resume(&world.log, Limits::default()), Next::Nothing);
    assert_eq!(after_death(&world.log, None), []);
    world.say("Four", &[], vec![ScriptedReply::stream("", "4", &[])]).unwrap();
    assert_eq!(said(&world.last_messages()), ["One", "1", "Two", "", &data("5 flights"), "2", "Four"]);
    assert_eq!(world.kinds()[..4], ["One", "1", "Two", &format!("1 of 2, None Some({})", end_of_two + 5)]);
}

#[test]
fn answer_again_repeats_the_request_and_runs_no_tool_again() {
    let mut world = TurnWorld::new();
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "search", "{}")]),
        ScriptedReply::stream("", "Five.", &[]),
    ];
    world.say("How many?", &[], replies).unwrap();
    let asked = world.asked_at();
    world.rewind(branch::before(&world.log, asked));
    // If the worker dies here, the turn can be continued before the answer.
    assert_eq!(after_death(&world.log, None), [Event::TurnEnded { end: TurnEnd::Interrupted }]);
    world.continue_turn(vec![ScriptedReply::stream("", "5.", &[])]).unwrap();

    assert_eq!(world.ran(), ["search"]);
    let asked = world.asked.borrow();
    assert_eq!(asked[2], asked[1]);
    assert_eq!(world.kinds()[1..], ["search", "5.", "2 of 2, Some(7) None"]);
}

#[test]
fn stopped_answer_can_be_left_for_the_previous_version() {
    let mut world = TurnWorld::new();
    world.say("Hi", &[], vec![ScriptedReply::stream("", "Hello.", &[])]).unwrap();
    world.rewind(Some(0));
    let stopped =
        ScriptedReply::Meanwhile(UserCommand::Stop, Box::new(ScriptedReply::stream("", "late", &[])));
    world.continue_turn(vec![stopped]).unwrap();
    assert_eq!(world.end(), TurnEnd::Stopped);
    assert_eq!(world.kinds(), ["Hi", "2 of 2, Some(3) None"]);
}

#[test]
fn call_left_over_is_cancelled_when_the_user_goes_back_to_it() {
    let mut world = TurnWorld::new();
    world.rules.limits.tool_calls = 0;
    world.say("How many?", &[], vec![ScriptedReply::stream("", "", &[("a", "search", "{}")])]).unwrap();
    assert_eq!(world.end(), TurnEnd::CallLimit { limit: 0 });
    world.rewind(Some(world.log.len() - 1));
    world.rules.limits.tool_calls = 10;
    world.continue_turn(vec![ScriptedReply::stream("", "None.", &[])]).unwrap();

    assert_eq!(world.ran(), [""; 0]);
    assert_eq!(world.outcomes(), [ToolOutcome::Cancelled]);
    let messages = world.last_messages();
    let last = messages.as_array().unwrap().last().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("a")));
}

#[test]
fn call_ids_differ_when_one_log_goes_on_twice() {
    let mut world = TurnWorld::new();
    world.nonce = ".1";
    world.say("Go", &[], vec![ScriptedReply::stream("", "Half", &[])]).unwrap();
    let exported = world.log.clone();
    let call = || {
        vec![ScriptedReply::stream("", "", &[("a", "search", "{}")]), ScriptedReply::stream("", "Fine.", &[])]
    };
    let id = |world: &TurnWorld| {
        world.log.iter().find_map(|entry| match &entry.event {
            Event::ToolStarted { call, .. } => Some(call.clone()),
            _ => None,
        })
    };
    world.continue_turn(call()).unwrap();
    let first = id(&world);
    // As after an import, in another worker.
    (world.log, world.nonce) = (exported, ".2");
    world.continue_turn(call()).unwrap();
    assert!(first.is_some() && id(&world).is_some());
    assert_ne!(first, id(&world));
}
