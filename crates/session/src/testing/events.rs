//! Log entries as turns write them.

use serde_json::{Value, json};
use sidecar_agent::{Entry, Event};
use sidecar_protocol::TabId;

/// An event with these members.
pub fn event(members: Value) -> Event {
    serde_json::from_value(members).unwrap()
}

/// Entries with these events, one second apart.
pub fn log(events: impl IntoIterator<Item = Event>) -> Vec<Entry> {
    let entry = |(number, event)| Entry { at: 1_000 * (number as u64 + 1), event };
    events.into_iter().enumerate().map(entry).collect()
}

/// The user sends a message in tab 7.
pub fn said(turn: &str, text: &str) -> Event {
    let page =
        json!({"tab": TabId(7), "site": "shop.example", "url": "https://shop.example/", "title": "Shop"});
    event(json!({"event": "turnStarted", "turn": turn, "text": text, "page": page}))
}

pub fn asked() -> Event {
    event(json!({"event": "modelAsked", "provider": "deepseek", "model": "deepseek-flash", "tools": 1}))
}

pub fn answered(text: &str) -> Event {
    calling(text, &[])
}

/// An answer with calls of these ids, all to the tool `buy` in tab 7.
pub fn calling(text: &str, calls: &[&str]) -> Event {
    let call = |id: &&str| {
        json!({"id": id, "record": {"id": id, "name": "buy", "arguments": "{\"seats\":2}"}, "target": {
            "tool": {"page": {"tab": 7, "frame": 0, "document": "D1", "name": "buy"}},
            "site": "shop.example", "origin": "https://shop.example", "readOnly": false}})
    };
    let calls: Vec<_> = calls.iter().map(call).collect();
    event(
        json!({"event": "modelAnswered", "reasoning": "", "text": text, "calls": calls, "ending": "natural"}),
    )
}

/// An answer in which the agent asks the user a question.
pub fn questioning(id: &str) -> Event {
    let call = json!({"id": id, "record": {"id": id, "name": "ask_user", "arguments": "{}"},
        "question": {"text": "Which seat?", "choices": ["1A", "1B"]}});
    event(
        json!({"event": "modelAnswered", "reasoning": "", "text": "", "calls": [call], "ending": "natural"}),
    )
}

pub fn approval_asked(call: &str) -> Event {
    event(json!({"event": "approvalAsked", "call": call, "why": ["mode"]}))
}

pub fn approved(call: &str) -> Event {
    event(json!({"event": "approvalGiven", "call": call, "decision": "run"}))
}

pub fn started(call: &str) -> Event {
    event(json!({"event": "toolStarted", "call": call, "passed": "user"}))
}

pub fn finished(call: &str) -> Event {
    let outcome = json!({"ok": {"content": [{"text": "Two seats"}]}});
    event(json!({"event": "toolFinished", "call": call, "outcome": outcome, "durationMs": 40}))
}

pub fn suspected(call: &str) -> Event {
    let signs = json!([{"sign": "override", "excerpt": "ignore all previous instructions"}]);
    event(json!({"event": "suspected", "what": {"result": {"call": call}}, "signs": signs}))
}

pub fn refused_field(field: &str) -> Event {
    let error = json!({"class": "protocol", "status": 400, "message": "bad", "cause": {"field": field}});
    event(json!({"event": "modelFailed", "error": error, "retryAt": 90}))
}

pub fn rested() -> Event {
    event(json!({"event": "turnRested", "rest": "done"}))
}

/// A turn in which the model buys something with the user's approval.
pub fn bought(turn: &str, call: &str) -> Vec<Event> {
    vec![
        said(turn, "Buy two seats"),
        asked(),
        calling("I buy.", &[call]),
        approval_asked(call),
        approved(call),
        started(call),
        suspected(call),
        finished(call),
        asked(),
        answered("Done."),
        rested(),
    ]
}

/// A turn with an answer and no calls.
pub fn chatted(turn: &str) -> Vec<Event> {
    vec![said(turn, "Hello"), asked(), answered("Good day."), rested()]
}
