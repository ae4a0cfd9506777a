use serde_json::json;
use sidecar_protocol::ItemId;
use sidecar_protocol::thread::{AnswerState, ItemKind, ToolItem, ToolState};

use super::*;
use crate::testing::events::{
    answered, approval_asked, approved, asked, bought, calling, chatted, event, finished, log, refused_field,
    rested, said, started, suspected,
};

/// A panel that applies changes.
#[derive(Default)]
struct Panel {
    items: Vec<Item>,
    activity: Activity,
}

impl Panel {
    fn hear(&mut self, changes: Vec<ChatEvent>) {
        for change in changes {
            match change {
                ChatEvent::Item { item } => {
                    self.items.retain(|known| known.id != item.id);
                    self.items.push(item);
                    self.items.sort_by_key(|item| item.seq);
                }
                ChatEvent::ItemGone { id } => self.items.retain(|known| known.id != id),
                ChatEvent::Grew { id, reasoning: more_reasoning, text: more_text } => {
                    let item =
                        self.items.iter_mut().find(|item| item.id == id).expect("it grows where it is");
                    let ItemKind::Assistant { reasoning, text, .. } = &mut item.kind else {
                        panic!("{item:?}")
                    };
                    reasoning.push_str(&more_reasoning);
                    text.push_str(&more_text);
                }
                ChatEvent::Activity { activity } => self.activity = activity,
                ChatEvent::Opened { .. } | ChatEvent::Queue { .. } | ChatEvent::Usage { .. } => {
                    panic!("{change:?}")
                }
            }
        }
    }
}

/// Three turns with all kinds of entries, except those that go back to an earlier point.
fn long_log() -> Vec<Entry> {
    let second = [
        said("t.2", "And four more"),
        asked(),
        refused_field("temperature"),
        asked(),
        calling("", &["c2", "c3"]),
        approval_asked("c2"),
        event(
            json!({"event": "approvalMistaken", "call": "c2", "arguments": "{}", "mistake": "seats: missing"}),
        ),
        event(json!({"event": "approvalGiven", "call": "c2", "decision": "decline", "words": "Not now"})),
        event(json!({"event": "toolFinished", "call": "c2", "outcome": "declined", "durationMs": 0})),
        approval_asked("c3"),
        event(json!({"event": "guardLifted"})),
        event(
            json!({"event": "flowAllowed", "call": "c3", "from": "https://a.example", "to": "https://b.example"}),
        ),
        approved("c3"),
        started("c3"),
        event(json!({"event": "waitStarted", "call": "c3", "kind": "form"})),
        event(json!({"event": "waitEnded", "call": "c3"})),
        event(json!({"event": "resultCut", "call": "c3", "cut": {"given": 10, "whole": 20}})),
        suspected("c3"),
        finished("c3"),
        event(json!({"event": "summaryAsked", "provider": "p", "model": "m", "until": 4})),
        event(json!({"event": "compacted", "until": 4, "summary": "They buy."})),
        asked(),
        event(json!({"event": "turnRevived", "reasoning": "Hm", "text": "So"})),
        asked(),
        event(json!({"event": "modelFailed", "error": {"class": "noKey"}, "text": "I"})),
        event(json!({"event": "turnRested", "rest": {"failed": {"error": {"class": "noKey"}}}})),
        event(json!({"event": "turnContinued", "page": {}, "without": "pageContent"})),
        asked(),
        answered("Four."),
        rested(),
    ];
    log(bought("t.1", "c1").into_iter().chain(second).chain(chatted("t.3")))
}

fn words(text: &str) -> Live {
    Live { text: text.to_owned(), ..Live::default() }
}

#[test]
fn panel_has_the_view_after_each_entry() {
    let (log, mut panel, mut projection) = (long_log(), Panel::default(), Projection::default());
    for end in 1..=log.len() {
        let live = Live::default();
        panel.hear(projection.changes(&log[..end], &live, true));
        assert_eq!(panel.items, view::items(&log[..end], Some(&live)), "after {:?}", log[end - 1]);
        assert_eq!(panel.activity, resume::activity(&log[..end]), "after {:?}", log[end - 1]);
    }
}

#[test]
fn panel_has_the_view_when_it_gets_several_entries_at_once() {
    let log = long_log();
    let live = Live::default();
    for start in 0..log.len() {
        for end in start + 1..=log.len() {
            let mut projection = Projection::default();
            projection.restart(&log[..start], &live);
            let mut panel = Panel { items: view::items(&log[..start], Some(&live)), ..Panel::default() };
            panel.hear(projection.changes(&log[..end], &live, true));
            assert_eq!(panel.items, view::items(&log[..end], Some(&live)), "from {start} to {end}");
        }
    }
}

#[test]
fn panel_has_the_view_as_an_answer_grows() {
    let log = log([said("t.1", "Hello"), asked()]);
    let (mut panel, mut projection) = (Panel::default(), Projection::default());
    for text in ["", "Good", "Good day", "Good day, 世界", "Good day, 世界."] {
        panel.hear(projection.changes(&log, &words(text), true));
        assert_eq!(panel.items, view::items(&log, Some(&words(text))), "{text}");
    }
}

#[test]
fn answer_is_sent_whole_at_first_and_then_by_its_growth() {
    let log = log([said("t.1", "Hello"), asked()]);
    let mut projection = Projection::default();
    projection.changes(&log, &Live::default(), true);
    let first = projection.changes(&log, &words("Good"), true);
    assert!(
        matches!(&first[..], [ChatEvent::Item { item: Item {
            kind: ItemKind::Assistant { text, state: AnswerState::Streaming, .. }, ..
        } }] if text == "Good"),
        "{first:?}"
    );
    let live = Live { reasoning: "Hm".to_owned(), ..words("Good day") };
    let id = ItemId::from("t.1.1.answer");
    let grew = ChatEvent::Grew { id, reasoning: "Hm".to_owned(), text: " day".to_owned() };
    assert_eq!(projection.changes(&log, &live, true), [grew]);
    assert_eq!(projection.changes(&log, &live, true), []);
}

#[test]
fn answer_that_grew_and_ended_is_sent_once() {
    let whole = log(chatted("t.1"));
    let (mut panel, mut projection) = (Panel::default(), Projection::default());
    panel.hear(projection.changes(&whole[..2], &words("Good"), true));
    let changes = projection.changes(&whole[..3], &Live::default(), true);
    assert!(!changes.iter().any(|change| matches!(change, ChatEvent::Grew { .. })), "{changes:?}");
    panel.hear(changes);
    assert_eq!(panel.items, view::items(&whole[..3], None));
}

#[test]
fn text_of_the_next_answer_is_not_added_to_the_previous_one() {
    let whole = log(bought("t.1", "c1"));
    let (mut panel, mut projection) = (Panel::default(), Projection::default());
    panel.hear(projection.changes(&whole[..2], &words("I buy it now"), true));
    panel.hear(projection.changes(&whole[..9], &words("Done"), true));
    assert_eq!(panel.items, view::items(&whole[..9], Some(&words("Done"))));
}

#[test]
fn nothing_is_sent_when_nothing_changed() {
    let log = long_log();
    let mut projection = Projection::default();
    projection.changes(&log, &Live::default(), true);
    assert_eq!(projection.changes(&log, &Live::default(), true), []);
}

#[test]
fn only_changed_items_are_sent() {
    let log = log(bought("t.1", "c1"));
    let mut projection = Projection::default();
    projection.changes(&log[..5], &Live::default(), true);
    let changes = projection.changes(&log[..6], &Live::default(), true);
    assert!(
        matches!(
            &changes[..],
            [
                ChatEvent::Item {
                    item: Item {
                        kind: ItemKind::Tool(ToolItem { state: ToolState::Running { .. }, .. }),
                        ..
                    }
                },
                ChatEvent::Activity { activity: Activity::Tool }
            ]
        ),
        "{changes:?}"
    );
}

#[test]
fn items_of_earlier_turns_are_not_sent_again() {
    let log = log(bought("t.1", "c1").into_iter().chain(chatted("t.2")));
    let mut projection = Projection::default();
    projection.changes(&log[..11], &Live::default(), true);
    for end in 12..=log.len() {
        for change in projection.changes(&log[..end], &Live::default(), true) {
            let is_told = matches!(&change, ChatEvent::Item { item } if item.turn.0 != "t.2");
            assert!(!is_told, "{change:?} after {:?}", log[end - 1]);
        }
    }
}

#[test]
fn deadline_and_step_of_a_call_are_sent_when_they_change() {
    let log = log(bought("t.1", "c1"));
    let running = &log[..6];
    let (mut panel, mut projection) = (Panel::default(), Projection::default());
    let steps = [1, 2].map(|number| Some(ToolStep { number, of: 2 }));
    let told = [
        (None, None),
        (Some(90_000), None),
        (Some(95_000), steps[0]),
        (Some(95_000), steps[1]),
        (None, None),
    ];
    for (until, step) in told {
        let live = Live { until, step, ..Live::default() };
        panel.hear(projection.changes(running, &live, true));
        assert_eq!(panel.items, view::items(running, Some(&live)), "{until:?}, {step:?}");
    }
}

#[test]
fn lifting_the_guard_changes_items_of_earlier_turns() {
    let lifted = event(json!({"event": "guardLifted"}));
    let log = log(bought("t.1", "c1").into_iter().chain(chatted("t.2")).chain([lifted]));
    let (before, live) = (&log[..log.len() - 1], Live::default());
    let mut projection = Projection::default();
    projection.restart(before, &live);
    let mut panel = Panel { items: view::items(before, Some(&live)), ..Panel::default() };
    panel.hear(projection.changes(&log, &live, false));
    assert_eq!(panel.items, view::items(&log, Some(&live)));
    assert_ne!(panel.items, view::items(before, Some(&live)));
}

#[test]
fn nothing_is_sent_after_the_whole_thread_was_shown() {
    let log = long_log();
    let mut projection = Projection::default();
    projection.restart(&log, &Live::default());
    assert_eq!(projection.read(), log.len());
    assert_eq!(projection.changes(&log, &Live::default(), false), []);
}

#[test]
fn activity_is_resting_when_no_turn_runs() {
    let log = log([said("t.1", "Hello"), asked()]);
    let mut projection = Projection::default();
    let running = projection.changes(&log, &Live::default(), true);
    assert_eq!(running.last(), Some(&ChatEvent::Activity { activity: Activity::Model }));
    let dead = projection.changes(&log, &Live::default(), false);
    assert_eq!(dead, [ChatEvent::Activity { activity: Activity::Resting }]);
}
