//! A turn continues from the log on disk.

use sidecar_protocol::error::StorageTrouble;

use super::*;

#[test]
fn call_does_not_run_when_it_could_not_be_logged() {
    let mut world = TurnWorld::new();
    world.room = Some(3);
    let result = world.say("Go", &[], vec![ScriptedReply::stream("", "", &[("a", "search", "{}")])]);
    assert_eq!(result, Err(StoreError::new(StorageTrouble::Full, "QuotaExceededError")));
    assert_eq!((world.events(), world.ran()), (vec!["started", "asked", "answered"], Vec::new()));
}

#[test]
fn turn_survives_a_death_at_any_entry_without_acting_twice() {
    let replies = || {
        vec![
            ScriptedReply::stream("Hm.", "First.", &[("a", "search", "{}"), ("b", "list", "{}")]),
            ScriptedReply::stream("", "Done.", &[]),
        ]
    };
    let mut whole = TurnWorld::new();
    whole.say("Go", &[], replies()).unwrap();
    for cut in 1..whole.log.len() {
        let mut world = TurnWorld::new();
        world.log = whole.log[..cut].to_vec();
        let started = |name: &str| {
            let target = |entry: &Entry| match &entry.event {
                Event::ModelAnswered { calls, .. } => Some(calls.clone()),
                _ => None,
            };
            let calls: Vec<Call> = world.log.iter().filter_map(target).flatten().collect();
            calls.iter().any(|call| {
                call.record.name == name
                    && world.log.iter().any(
                        |entry| matches!(&entry.event, Event::ToolStarted { call: of, .. } if *of == call.id),
                    )
            })
        };
        let search_may_have_run = started("search");
        let death = after_death(&world.log, Some(("Hm.".to_owned(), "Fir".to_owned())));
        world.log.extend(death.into_iter().map(|event| Entry { at: 0, event }));
        assert_eq!(world.end(), TurnEnd::Interrupted);
        assert!(after_death(&world.log, None).is_empty(), "a thread that rests needs nothing");

        let answered = world.events().iter().filter(|name| **name == "answered").count();
        // A complete answer without calls is not requested again until the user sends a message; continuing
        // the turn requests one more.
        let left = replies().into_iter().skip(answered.min(1)).collect();
        world.continue_turn(left).unwrap();
        assert_eq!(world.end(), TurnEnd::Done, "cut at {cut}");
        let times = world.ran().iter().filter(|name| *name == "search").count();
        assert_eq!(times, usize::from(!search_may_have_run), "cut at {cut}: {:?}", world.ran());
    }
}
