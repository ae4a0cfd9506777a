//! The log of a thread gives a call the same stage as a record of its own.

use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::ResultCut;

use super::*;
use crate::call::{CallEvent, CallRecorder, MemoryRecorder};
use crate::turn::record::logged;

#[test]
fn call_is_at_the_same_stage_in_the_log_as_in_a_record_of_its_own() {
    let mut world = TurnWorld::new();
    let replies = vec![
        ScriptedReply::stream("", "", &[("a", "search", "{}")]),
        ScriptedReply::stream("", "Done.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    let until_answer = world.events().iter().position(|event| *event == "answered").unwrap() + 1;
    let mut log = world.log[..until_answer].to_vec();
    let Event::ModelAnswered { calls, .. } = &log[until_answer - 1].event else { panic!("no answer") };
    let (id, call) = (calls[0].id.clone(), ToolCall::from(&calls[0]));

    let decided = |decision, arguments: Option<&str>| CallEvent::Decided {
        decision,
        arguments: arguments.map(str::to_owned),
        secrets: Vec::new(),
        off_pattern: false,
        words: "Well.".to_owned(),
    };
    let finished = CallEvent::Finished { outcome: ok("5 flights"), duration_ms: 7 };
    let mut record = MemoryRecorder::default();
    let events = [
        CallEvent::Asked { why: vec![AskReason::Mode] },
        CallEvent::Mistaken { arguments: r#"{"seats":"many"}"#.to_owned(), mistake: "No.".to_owned() },
        CallEvent::FlowAllowed { from: "a".to_owned(), to: "b".to_owned() },
        decided(Decision::Run, Some(r#"{"seats":2}"#)),
        CallEvent::Started { allowed_by: AllowedBy::User },
        CallEvent::WaitStarted { kind: InteractionKind::Form },
        CallEvent::WaitEnded,
        CallEvent::WaitStarted { kind: InteractionKind::Form },
        CallEvent::Started { allowed_by: AllowedBy::ReadOnly },
        CallEvent::Cut { cut: ResultCut { given: 1, whole: 2 } },
        CallEvent::Suspected { signals: Vec::new() },
        decided(Decision::Decline, None),
        finished,
    ];
    for (at, event) in (1_000..).step_by(1_000).zip(events) {
        log.push(Entry { at, event: logged(id.clone(), event.clone()) });
        record.events.push((at, event));
        assert_eq!(resume::call_state(&log, &id), Some(record.state(&call)), "{:?}", log.last());
    }
}

#[test]
fn call_that_means_no_tool_is_refused_though_a_log_says_that_it_was_approved() {
    let mut world = TurnWorld::new();
    let replies =
        vec![ScriptedReply::stream("", "", &[("a", "book", "{}")]), ScriptedReply::stream("", "Sorry.", &[])];
    world.say("Go", &[], replies).unwrap();
    let until_answer = world.events().iter().position(|event| *event == "answered").unwrap() + 1;
    let Event::ModelAnswered { calls, .. } = &world.log[until_answer - 1].event else { panic!("no answer") };
    let (id, arguments) = (calls[0].id.clone(), None);
    let (decision, secrets, off_pattern, words) = (Decision::Run, Vec::new(), false, String::new());
    let given = CallEvent::Decided { decision, arguments, secrets, off_pattern, words };
    world.log.truncate(until_answer);
    world.log.push(Entry { at: world.time, event: logged(id, given) });
    world.go_on(&[], vec![ScriptedReply::stream("", "Sorry.", &[])]).unwrap();
    assert!(matches!(world.outcomes()[..], [ToolOutcome::Failed { code: ToolFailure::UnknownTool, .. }]));
    assert_eq!(world.end(), TurnEnd::Done);
}
