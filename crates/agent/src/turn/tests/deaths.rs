//! The worker dies: at every step of generated turns, several times in one turn, repeatedly at the same
//! place. And logs that no worker wrote: cut, duplicated, out of order.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::block_on;
use futures::future::{Either, pending, poll_fn, select};
use futures::pin_mut;
use futures::stream::{self, LocalBoxStream, StreamExt};
use proptest::prelude::*;
use serde_json::Value;
use sidecar_llm::{Endpoint, HttpRequest};
use sidecar_protocol::Risk;
use sidecar_protocol::TabId;
use sidecar_protocol::ToolRef;
use sidecar_protocol::thread::{AnswerState, ItemKind};
use sidecar_schema::Mistake;
use sidecar_webmcp::Fingerprint;

use super::*;
use crate::keys::Keys;
use crate::log::PageRef;

use crate::model_input::prompt;
use crate::ports::{CurrentTool, Response};
use crate::testing::{ScriptedReply, VirtualClock, connection, rules, tool_id};
use crate::threads::view;
use crate::tools::settled::Seen;
use crate::turn::resume::{activity, after_death, is_unfinished, revived};
use sidecar_protocol::thread::Activity;

mod fakes;
mod script;
mod world;

use self::fakes::{Model, SharedDisk, Tools};
use self::script::{Death, DeathPlace, Fate, Says, TurnScript, scripts};
use self::world::DeathWorld;

/// Number of deaths in a row that a turn survives without progress in between.
const DEATHS: usize = 3;

/// The turn without any death: its result, and its number of steps.
fn undisturbed(script: &TurnScript) -> (DeathWorld, usize) {
    let mut world = DeathWorld::of(script);
    let (moments, lived) = world.worker(Death::Never);
    assert!(lived);
    (world, moments)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn turn_has_the_same_end_when_its_worker_dies_at_any_step(script in scripts()) {
        let (whole, moments) = undisturbed(&script);
        whole.check("no death")?;
        for death in 0..moments {
            let mut world = DeathWorld::of(&script);
            let (_, lived) = world.worker(Death::At(death));
            prop_assert!(!lived);
            let before = world.log.borrow().clone();
            prop_assert!(is_unfinished(&before) || death + 1 == moments, "at {death} of {moments}");
            let (_, lived) = world.worker(Death::Never);
            prop_assert!(lived);
            prop_assert_eq!(&world.log.borrow()[..before.len()], &before[..], "what was written stays");
            prop_assert_eq!(world.end(), whole.end(), "at {} of {}", death, moments);
            world.check(&format!("death at {death}"))?;
            prop_assert!(world.calls().len() >= whole.calls().len(), "at {death} of {moments}");
        }
    }

    #[test]
    fn turn_survives_several_deaths(script in scripts(), deaths in prop::collection::vec(0usize..12, 1..=DEATHS)) {
        let (whole, _) = undisturbed(&script);
        let mut world = DeathWorld::of(&script);
        for death in &deaths {
            world.worker(Death::At(*death));
        }
        world.worker(Death::Never);
        prop_assert_eq!(world.end(), whole.end());
        world.check(&format!("deaths at {deaths:?}"))?;
    }

    #[test]
    fn turn_is_left_to_the_user_when_it_kills_every_worker(
        script in scripts(),
        place in prop_oneof![Just(DeathPlace::Model), Just(DeathPlace::Page)],
    ) {
        let mut world = DeathWorld::of(&script);
        let workers = (1..100).find(|_| world.worker(Death::First(place)).1);
        prop_assert!(workers.is_some(), "it does not go on for ever");
        if place == DeathPlace::Model {
            prop_assert_eq!((workers, world.end()), (Some(DEATHS + 2), Some(TurnEnd::Interrupted)));
        }
        for (call, _) in world.calls() {
            let runs = world.runs_of(&call);
            prop_assert!(call.is_read_only() || runs <= 1, "{} ran {runs} times", call.record.name);
        }
    }

    #[test]
    fn log_that_is_cut_doubled_or_disordered_makes_nothing_run_again(
        script in scripts(),
        death in 0usize..60,
        changes in prop::collection::vec((0u8..4, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let mut world = DeathWorld::of(&script);
        world.worker(Death::At(death));
        let mut log = world.log.borrow().clone();
        for (change, one, other) in changes {
            let (one, other) = (one.index(log.len()), other.index(log.len()));
            match change {
                0 => log.truncate(one + 1),
                1 => drop(log.remove(one)),
                2 => log.insert(other, log[one].clone()),
                _ => log.swap(one, other),
            }
            if log.is_empty() {
                return Ok(());
            }
        }
        let began: BTreeSet<CallId> = log
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::ToolStarted { call, .. } => Some(call.clone()),
                _ => None,
            })
            .collect();
        let acting: BTreeSet<CallId> =
            world.calls().into_iter().filter(|(call, _)| !call.is_read_only()).map(|(call, _)| call.id).collect();

        // It can be shown and sent without a panic.
        let _ = (view::items(&log, None), view::summary(&"thread".into(), &log), prompt::request(&log, &connection(), &rules(), &[]));
        let _ = (after_death(&log, None), crate::turn::resume::before_new_turn(&log), view::growing_item(&log));

        let (before, idle) = (world.ran.borrow().clone(), world.idle.borrow().clone());
        *world.log.borrow_mut() = log;
        let (_, lived) = world.worker(Death::Never);
        prop_assert!(lived && !is_unfinished(&world.log.borrow()), "it comes to rest");
        for ((call, tool), times) in world.ran.borrow().iter() {
            let again = times - before.get(&(call.clone(), tool.clone())).copied().unwrap_or_default();
            let has_begun = began.contains(call) && acting.contains(call) && !idle.contains(call);
            prop_assert!(again <= u32::from(!has_begun) || !acting.contains(call), "{tool} ran {again} times more");
        }
    }
}

fn calls(tools: &[&'static str]) -> TurnScript {
    TurnScript {
        says: vec![Says::Calls(tools.to_vec())],
        mode: Mode::Automatic,
        decisions: vec![Decision::Run],
    }
}

/// The events of a log by name and call, as far as these tests need them.
fn told(world: &DeathWorld) -> Vec<&'static str> {
    let name = |entry: &Entry| match &entry.event {
        Event::TurnRevived { .. } => Some("revived"),
        Event::ModelAsked { .. } => Some("asked"),
        Event::ToolStarted { .. } => Some("started"),
        Event::ToolFinished { outcome: ToolOutcome::Interrupted, .. } => Some("interrupted"),
        Event::ToolFinished { .. } => Some("finished"),
        Event::TurnEnded { .. } => Some("rested"),
        _ => None,
    };
    world.log.borrow().iter().filter_map(name).collect()
}

/// A world whose worker dies while the tool of its first call runs, after the tool has acted.
fn dies_in_the_call(tool: &'static str) -> DeathWorld {
    let script = calls(&[tool]);
    let (_, moments) = undisturbed(&script);
    (0..moments)
        .map(|death| {
            let mut world = DeathWorld::of(&script);
            world.worker(Death::At(death));
            world
        })
        .rfind(|world| told(world) == ["asked", "started"])
        .unwrap()
}

#[test]
fn acting_tool_is_interrupted_when_its_worker_dies() {
    let mut world = dies_in_the_call("book");
    assert_eq!(world.ran.borrow().len(), 1, "it had its effect");
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "interrupted", "asked", "rested"]);
    assert_eq!((world.end(), world.ran.borrow().values().sum::<u32>()), (Some(TurnEnd::Done), 1));
    let request = prompt::request(&world.log.borrow(), &connection(), &rules(), &[]);
    assert!(format!("{:?}", request.messages).contains("unknown"), "{:?}", request.messages);
}

#[test]
fn acting_tool_that_is_known_to_have_done_nothing_runs_anew_when_its_worker_dies() {
    let script = calls(&["steps"]);
    let (_, moments) = undisturbed(&script);
    let mut worlds = (0..moments).map(|death| {
        let mut world = DeathWorld::of(&script);
        world.worker(Death::At(death));
        world
    });
    let mut world = worlds.find(|world| !world.idle.borrow().is_empty()).unwrap();
    assert_eq!((told(&world), world.ran.borrow().len()), (vec!["asked", "started"], 0));
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "started", "finished", "asked", "rested"]);
    assert_eq!((world.end(), world.ran.borrow().values().sum::<u32>()), (Some(TurnEnd::Done), 1));

    let mut world = dies_in_the_call("steps");
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "interrupted", "asked", "rested"]);
}

#[test]
fn read_only_tool_runs_again_when_its_worker_dies() {
    let mut world = dies_in_the_call("list");
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "started", "finished", "asked", "rested"]);
    assert_eq!((world.end(), world.ran.borrow().values().sum::<u32>()), (Some(TurnEnd::Done), 2));
}

#[test]
fn answer_is_requested_again_when_its_worker_dies_and_its_draft_stays() {
    let mut world = DeathWorld::of(&calls(&[]));
    world.log.borrow_mut().push(Entry {
        at: 1_000_001,
        event: Event::ModelAsked {
            provider: "deepseek".to_owned(),
            model: "m".to_owned(),
            tools: 0,
            offers: None,
        },
    });
    *world.draft.borrow_mut() = Some((2, "Hm.".to_owned(), "Half an ans".to_owned()));
    world.worker(Death::Never);
    let answers: Vec<(String, AnswerState)> = view::items(&world.log.borrow(), None)
        .into_iter()
        .filter_map(|item| match item.kind {
            ItemKind::Assistant { text, state, .. } => Some((text, state)),
            _ => None,
        })
        .collect();
    assert_eq!(
        answers,
        [("Half an ans".to_owned(), AnswerState::Cut), ("Said.".to_owned(), AnswerState::Done)]
    );
    assert_eq!(world.end(), Some(TurnEnd::Done));
}

#[test]
fn question_survives_the_workers_death_without_an_event() {
    let mut world = DeathWorld::of(&TurnScript { mode: Mode::Confirm, ..calls(&["book"]) });
    let (whole, moments) = undisturbed(&world.script);
    let asking = (0..moments)
        .map(|death| {
            let mut world = DeathWorld::of(&whole.script);
            world.worker(Death::At(death));
            world
        })
        .find(|world| activity(&world.log.borrow()) == Activity::Asking)
        .unwrap();
    *world.log.borrow_mut() = asking.log.borrow().clone();
    let before = world.log.borrow().len();
    assert_eq!(revived(&world.log.borrow(), None), None);
    world.worker(Death::Never);
    assert!(matches!(world.log.borrow()[before].event, Event::ApprovalGiven { .. }));
    assert_eq!((world.end(), world.ran.borrow().values().sum::<u32>()), (Some(TurnEnd::Done), 1));
}

#[test]
fn turn_is_revived_three_times_in_a_row_then_rests() {
    let script = calls(&["list"]);
    let mut world = dies_in_the_call("list");
    for _ in 0..DEATHS {
        assert!(!world.worker(Death::First(DeathPlace::Page)).1);
    }
    assert!(world.worker(Death::First(DeathPlace::Page)).1, "no tool is run any more");
    assert_eq!(world.end(), Some(TurnEnd::Interrupted));
    assert_eq!(told(&world).iter().filter(|event| **event == "revived").count(), DEATHS + 1);
    world.log.borrow_mut().push(Entry {
        at: world.time,
        event: Event::TurnContinued { page: PageRef::default(), without: None },
    });
    world.worker(Death::Never);
    assert_eq!(world.end(), undisturbed(&script).0.end());
}

#[test]
fn turn_goes_on_in_one_of_two_workers_only() {
    let script = calls(&["book", "list"]);
    let (whole, moments) = undisturbed(&script);
    for death in 0..moments - 1 {
        let mut world = DeathWorld::of(&script);
        world.worker(Death::At(death));
        // A worker that was taken for dead is alive: it has the log as it was then.
        let old = world.log.borrow().clone();
        world.worker(Death::Never);
        let (after, ran) = (world.log.borrow().clone(), world.ran.borrow().clone());
        let (_, result) = world.work(old, Death::Never);
        assert_eq!(result, Some(Err(StoreError::other("ConstraintError"))), "death at {death}");
        assert_eq!((&*world.log.borrow(), &*world.ran.borrow()), (&after, &ran), "it did nothing");
        assert_eq!(world.end(), whole.end());
    }
}
