//! A turn as it is recorded for a case of an eval: the turns up to it, and what was called in them.

use sidecar_protocol::recording::{RecordedAnswer, RecordedToolCall, RecordedTurn};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, ItemId, TabId};

use crate::log::{Call, Entry, Event, branch};
use crate::model_input::result;
use crate::threads::view;

/// A turn with those before it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnRecording {
    /// The turns of the active branch until then; the last one is the turn itself.
    pub turns: Vec<RecordedTurn>,
    /// The tabs and origins whose tools were called in the turn.
    pub places: Vec<(TabId, String)>,
}

/// The recording of the turn that ends with this item; `None` if there is none in the active branch.
#[must_use]
pub fn of(log: &[Entry], end: &ItemId) -> Option<TurnRecording> {
    let mut recording = TurnRecording::default();
    // The calls of the last answer that count, with their numbers in it.
    let mut calls: Vec<(CallId, usize)> = Vec::new();
    let mut turn_id = None;
    for (position, entry) in branch::entries(log) {
        let turn = recording.turns.last_mut();
        match &entry.event {
            Event::TurnStarted { turn, text, attached, pictures, page } => {
                turn_id = Some(turn);
                recording.places.clear();
                recording.turns.push(RecordedTurn {
                    said: text.clone(),
                    attached: !attached.is_empty() || !pictures.is_empty(),
                    url: page.url.clone(),
                    answers: Vec::new(),
                });
            }
            Event::ModelAnswered { text, calls: made, .. } => {
                let counted = || made.iter().filter(|call| counts(call));
                calls = counted().enumerate().map(|(number, call)| (call.id.clone(), number)).collect();
                for target in counted().filter_map(|call| call.target.as_ref()) {
                    let place = target.tool.tab().map(|tab| (tab, target.origin.clone()));
                    recording.places.extend(place.filter(|place| !recording.places.contains(place)));
                }
                turn?.answers.push(RecordedAnswer {
                    text: text.clone(),
                    calls: counted().map(recorded).collect(),
                    others: calls.len() < made.len(),
                });
            }
            Event::ApprovalGiven { call, arguments: Some(arguments), secrets, .. } => {
                if let Some(call) = find(turn, &calls, call) {
                    call.arguments.clone_from(arguments);
                    call.secrets.extend(secrets.iter().cloned());
                }
            }
            Event::ToolFinished { call, outcome, .. } => {
                if let Some(call) = find(turn, &calls, call) {
                    call.outcome = result::read(outcome).into_owned();
                }
            }
            Event::TurnEnded { .. } if turn_id.is_some_and(|turn| view::end_id(turn, position) == *end) => {
                return Some(recording);
            }
            _ => {}
        }
    }
    None
}

/// Whether a case can expect a call: it was meant for a page or a SKILL.
fn counts(call: &Call) -> bool {
    call.question.is_none() && (call.target.is_none() || call.is_site())
}

fn recorded(call: &Call) -> RecordedToolCall {
    RecordedToolCall {
        tool: call.target.as_ref().map_or(call.record.name.as_str(), |target| target.tool.name()).to_owned(),
        arguments: call.arguments().to_owned(),
        secrets: call.secrets.clone(),
        outcome: ToolOutcome::Cancelled,
    }
}

fn find<'t>(
    turn: Option<&'t mut RecordedTurn>,
    calls: &[(CallId, usize)],
    id: &CallId,
) -> Option<&'t mut RecordedToolCall> {
    let (_, number) = calls.iter().find(|(call, _)| call == id)?;
    turn?.answers.last_mut()?.calls.get_mut(*number)
}

#[cfg(test)]
mod tests {
    use sidecar_llm::CallRecord;
    use sidecar_protocol::thread::TurnEnd;
    use sidecar_protocol::tool::ToolRef;
    use sidecar_protocol::{TurnId, thread::Question};

    use super::*;
    use crate::log::{Ending, PageRef, Target};
    use crate::testing::{meant, tool_id};

    fn call(id: &str, tool: Option<ToolRef>) -> Call {
        let record =
            CallRecord { id: id.to_owned(), name: format!("model_{id}"), arguments: "{}".to_owned() };
        let target = tool.map(|tool| Target {
            skill: None,
            tool,
            site: "shop.example".to_owned(),
            origin: "https://shop.example".to_owned(),
            read_only: true,
            consequential: false,
            fingerprint: None,
        });
        meant(CallId::from(id), record, target)
    }

    fn started(turn: &str) -> Event {
        Event::TurnStarted {
            turn: TurnId::from(turn),
            text: format!("Do {turn}"),
            attached: Vec::new(),
            pictures: Vec::new(),
            page: PageRef { url: "https://shop.example/".to_owned(), ..PageRef::default() },
        }
    }

    fn answered(text: &str, calls: Vec<Call>) -> Event {
        Event::ModelAnswered {
            reasoning: String::new(),
            reasoning_ms: None,
            text: text.to_owned(),
            calls,
            usage: None,
            cost: None,
            ending: Ending::Natural,
            notes: Vec::new(),
            lost: None,
            provider_state: None,
        }
    }

    fn finished(call: &str, text: &str) -> Event {
        Event::ToolFinished { call: CallId::from(call), outcome: ToolOutcome::ok(text), duration_ms: 1 }
    }

    fn log(events: Vec<Event>) -> Vec<Entry> {
        events.into_iter().map(|event| Entry { at: 1, event }).collect()
    }

    #[test]
    fn turn_is_recorded_with_those_before_it() {
        let browser = ToolRef::Browser { name: "read_page".to_owned(), tab: Some(TabId(1)) };
        let mut question = call("q", None);
        question.question = Some(Question::default());
        let log = log(vec![
            started("t1"),
            answered("I look.", vec![call("a", Some(tool_id("find")))]),
            finished("a", r#"{"content":[{"type":"text","text":"Two."}]}"#),
            Event::TurnEnded { end: TurnEnd::Done },
            started("t2"),
            answered(
                "",
                vec![call("b", Some(browser)), call("c", Some(tool_id("buy"))), question, call("d", None)],
            ),
            Event::ApprovalGiven {
                call: CallId::from("c"),
                decision: sidecar_protocol::policy::Decision::Run,
                arguments: Some(r#"{"n":2}"#.to_owned()),
                secrets: vec!["/n".to_owned()],
                off_pattern: false,
                words: String::new(),
            },
            finished("b", "text"),
            finished("c", "bought"),
            answered("Done.", Vec::new()),
            Event::TurnEnded { end: TurnEnd::Done },
            started("t3"),
        ]);
        let TurnRecording { turns, places } = of(&log, &view::end_id(&TurnId::from("t2"), 10)).unwrap();
        assert_eq!(places, [(tool_id("buy").tab().unwrap(), "https://shop.example".to_owned())]);
        let [first, second] = turns.as_slice() else { panic!("{turns:?}") };
        assert_eq!((first.said.as_str(), first.answers[0].text.as_str()), ("Do t1", "I look."));
        assert_eq!(first.answers[0].calls[0].outcome, ToolOutcome::ok("Two."));
        let [answer, last] = second.answers.as_slice() else { panic!("{second:?}") };
        assert!(answer.others && !last.others);
        let calls: Vec<_> =
            answer.calls.iter().map(|call| (call.tool.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("buy", r#"{"n":2}"#), ("model_d", "{}")]);
        assert_eq!(answer.calls[0].secrets, ["/n"]);
        assert_eq!(answer.calls[1].outcome, ToolOutcome::Cancelled);
    }

    #[test]
    fn turn_of_another_version_is_not_recorded() {
        let log = log(vec![
            started("t1"),
            answered("One.", Vec::new()),
            Event::TurnEnded { end: TurnEnd::Done },
            Event::Rewound { behind: Some(0) },
            answered("Two.", Vec::new()),
            Event::TurnEnded { end: TurnEnd::Done },
        ]);
        assert_eq!(of(&log, &view::end_id(&TurnId::from("t1"), 2)), None);
        let recording = of(&log, &view::end_id(&TurnId::from("t1"), 5)).unwrap();
        assert_eq!(recording.turns[0].answers[0].text, "Two.");
        assert_eq!(of(&[], &ItemId::from("x")), None);
    }
}
