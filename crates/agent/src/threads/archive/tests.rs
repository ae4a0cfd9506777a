use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use sidecar_llm::CallRecord;
use sidecar_protocol::attachment::Extract;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::history::IMPORT_LIMIT;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{Omission, ToolFailure, TurnEnd, Usage};
use sidecar_protocol::{CallId, ErrorClass, ModelError, TabId, ToolRef, TurnId};

use super::*;
use crate::guard::flow;
use crate::log::{Call, Ending, PageRef, Target};
use crate::testing::{calling, meant, tool_id};
use crate::tools::new_page;
use crate::turn::resume::{Next, resume};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", ".{0,12}", Just("航班\n\"😀\"\u{202e}\\".to_owned())]
}

fn call(turn: &str, number: usize) -> impl Strategy<Value = Call> + use<> {
    let id = CallId(format!("{turn}.{number}"));
    (text(), text(), any::<bool>(), any::<bool>()).prop_map(move |(name, arguments, known, read_only)| {
        let target = target(&name, read_only);
        let record = CallRecord { id: name.clone(), name, arguments };
        meant(id.clone(), record, known.then_some(target))
    })
}

fn target(name: &str, read_only: bool) -> Target {
    Target {
        skill: None,
        tool: tool_id(name),
        site: "flights.example".to_owned(),
        origin: "https://flights.example".to_owned(),
        read_only,
        consequential: false,
        fingerprint: None,
    }
}

fn given(call: CallId, decision: Decision) -> Event {
    let (secrets, words) = (Vec::new(), String::new());
    Event::ApprovalGiven { call, decision, arguments: None, secrets, off_pattern: false, words }
}

fn outcome() -> impl Strategy<Value = ToolOutcome> {
    prop_oneof![
        text().prop_map(ToolOutcome::ok),
        Just(ToolOutcome::left()),
        (text(), text()).prop_map(|(text, site)| {
            let page = PageEffect::Opened { origin: format!("https://{site}"), site };
            ToolOutcome::Ok { content: vec![Content::Structured(text)], page }
        }),
        Just(new_page::unread(Unread::Missing)),
        text().prop_map(|message| ToolOutcome::Failed { code: ToolFailure::UnknownTool, message }),
        Just(ToolOutcome::Declined),
        Just(ToolOutcome::Interrupted),
        any::<u32>().prop_map(|limit| ToolOutcome::TimedOut { limit_ms: limit.into() }),
    ]
}

/// The events of one turn that ended, with an outcome for every call.
fn turn() -> impl Strategy<Value = Vec<Event>> {
    let calls = (any::<u16>(), 0usize..3).prop_flat_map(|(turn, many)| {
        let calls = (0..many).map(move |number| call(&turn.to_string(), number)).collect::<Vec<_>>();
        (calls, vec(outcome(), many))
    });
    (text(), text(), calls, any::<bool>(), any::<bool>()).prop_map(
        |(said, answer, (calls, outcomes), fails, leaves_out)| {
            let page = PageRef { tab: Some(TabId(7)), site: "a.example".to_owned(), ..PageRef::default() };
            let turn = TurnId(format!("turn {said}"));
            let mut events = vec![Event::TurnStarted {
                turn,
                text: said.clone(),
                attached: Vec::new(),
                pictures: Vec::new(),
                page: page.clone(),
            }];
            if fails {
                let error = ModelError::new(ErrorClass::Rate, answer.clone());
                events.push(Event::ModelFailed {
                    error,
                    reasoning: said.clone(),
                    text: String::new(),
                    retry_at: Some(9),
                });
            }
            events.push(Event::ModelAsked {
                provider: "deepseek".to_owned(),
                model: answer.clone(),
                tools: 3,
                offers: None,
            });
            events.push(Event::ModelAnswered {
                reasoning: said,
                reasoning_ms: Some(5),
                text: answer,
                calls: calls.clone(),
                usage: Some(Usage::default()),
                cost: None,
                ending: Ending::Natural,
                notes: Vec::new(),
                lost: None,
                provider_state: None,
            });
            for (call, outcome) in calls.into_iter().zip(outcomes) {
                events.push(Event::ApprovalAsked { call: call.id.clone(), why: Vec::new() });
                events.push(given(call.id.clone(), Decision::Decline));
                events.push(Event::ToolFinished { call: call.id, outcome, duration_ms: 3 });
            }
            if leaves_out {
                events.push(Event::TurnContinued { page, without: Some(Omission::History) });
            }
            events.push(Event::TurnEnded { end: TurnEnd::Done });
            events
        },
    )
}

fn thread() -> impl Strategy<Value = Archived> {
    (vec(turn(), 1..4), "[0-9a-f-]{1,20}", text(), any::<bool>(), 0u64..=LAST_MOMENT).prop_map(
        |(turns, id, title, pinned, at)| {
            let log = turns.into_iter().flatten().map(|event| Entry { at, event }).collect();
            let id = ThreadId(id);
            let site = "flights.example".to_owned();
            let summary =
                ThreadSummary { id, title, site, created: at, updated: at, pinned, temporary: false };
            Archived { summary, log, pictures: BTreeMap::new() }
        },
    )
}

fn file(threads: &[Archived]) -> String {
    let threads: Vec<_> = threads.iter().map(written).collect();
    format!("{}{}{CLOSING}", opening(), threads.join(BETWEEN))
}

/// A message with this many attachments of this many characters.
fn attaching(many: usize, characters: usize) -> Event {
    let attached = Attachment {
        what: Extract::Page,
        origin: "https://news.example".to_owned(),
        site: "news.example".to_owned(),
        text: "字".repeat(characters),
        whole: Some(characters + 1),
        signals: Vec::new(),
    };
    let (turn, page) = (TurnId::from("t"), PageRef::default());
    Event::TurnStarted {
        turn,
        text: "Read".to_owned(),
        attached: vec![attached; many],
        pictures: Vec::new(),
        page,
    }
}

#[test]
fn archive_keeps_attachments_and_refuses_too_many() {
    let sound = with_log(vec![attaching(Attachment::MOST, 10), Event::TurnEnded { end: TurnEnd::Done }]);
    assert_eq!(read(&file(std::slice::from_ref(&sound))).unwrap(), [sound]);
    for too_much in [attaching(Attachment::MOST + 1, 10), attaching(1, Attachment::MOST_CHARACTERS + 1)] {
        let problem = read(&file(&[with_log(vec![too_much])])).unwrap_err();
        assert!(matches!(problem, ImportProblem::Damaged { .. }), "{problem:?}");
    }
}

/// A thread with this log.
fn with_log(events: Vec<Event>) -> Archived {
    let log = events.into_iter().map(|event| Entry { at: 1, event }).collect();
    let summary = ThreadSummary {
        id: ThreadId::from("a"),
        title: "Hello".to_owned(),
        site: String::new(),
        created: 1,
        updated: 1,
        pinned: false,
        temporary: false,
    };
    Archived { summary, log, pictures: BTreeMap::new() }
}

fn said(text: &str) -> Event {
    Event::TurnStarted {
        turn: TurnId::from("t"),
        text: text.to_owned(),
        attached: Vec::new(),
        pictures: Vec::new(),
        page: PageRef::default(),
    }
}

fn wants(name: &str) -> Event {
    let record = CallRecord { id: "1".to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
    calling(vec![meant(CallId::from("c"), record, Some(target(name, true)))])
}

fn problem(text: &str) -> ImportProblem {
    read(text).unwrap_err()
}

proptest! {
    #[test]
    fn archive_is_read_back_as_written(threads in vec(thread(), 0..4)) {
        prop_assert_eq!(read(&file(&threads)).unwrap(), threads);
    }

    /// However a file is cut into pieces.
    #[test]
    fn archive_in_pieces_is_read_as_the_whole(threads in vec(thread(), 0..3), length in 1usize..40) {
        let whole = file(&threads);
        let mut reader = Reader::default();
        let characters: Vec<char> = whole.chars().collect();
        for piece in characters.chunks(length) {
            reader.push(&piece.iter().collect::<String>());
        }
        prop_assert_eq!(reader.end().unwrap(), threads);
    }

    /// A file that was cut anywhere is never taken for a complete one.
    #[test]
    fn archive_is_refused_when_cut(threads in vec(thread(), 1..3), at in any::<prop::sample::Index>()) {
        let whole = file(&threads);
        let end = whole.trim_end().len();
        let mut at = at.index(end);
        while !whole.is_char_boundary(at) {
            at -= 1;
        }
        prop_assert!(read(&whole[..at]).is_err());
    }

    /// Whatever a log contains, in whatever order: nothing runs because of it, even if the user continues
    /// the turn.
    #[test]
    fn archive_cannot_make_calls_run(
        turns in vec(turn(), 1..4),
        order in any::<u64>(),
        kept in 1usize..20,
    ) {
        let mut events: Vec<Event> = turns.into_iter().flatten().collect();
        let first = events.remove(0);
        // Shuffled, duplicated and cut.
        let mut seed = order;
        let mut log = vec![first];
        for _ in 0..kept {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(seed >> 33).unwrap() % events.len();
            log.push(events[at].clone());
        }
        log.extend([wants("book"), given(CallId::from("c"), Decision::Run)]);
        let read = read(&file(&[with_log(log)])).unwrap();
        let mut log = read.into_iter().next().unwrap().log;
        prop_assert_eq!(resume(&log, Limits::default()), Next::Nothing);
        let event = Event::TurnContinued { page: PageRef::default(), without: None };
        log.push(Entry { at: 1, event });
        let next = resume(&log, Limits::default());
        prop_assert!(matches!(next, Next::AskModel { .. }), "{:?}", next);

        // The user goes back to any entry; the worker dies there, or not.
        let continued = log.pop().unwrap();
        for behind in 0..log.len() {
            let mut log = log.clone();
            log.push(Entry { at: 1, event: Event::Rewound { behind: Some(behind) } });
            prop_assert!(!acts(&resume(&log, Limits::default())));
            log.extend(after_death(&log, None).into_iter().map(|event| Entry { at: 1, event }));
            log.push(continued.clone());
            prop_assert!(!acts(&resume(&log, Limits::default())));
        }
    }
}

/// Whether a call runs next, or may.
fn acts(next: &Next<'_>) -> bool {
    matches!(next, Next::Call { .. })
}

#[test]
fn imported_call_is_cancelled_when_the_user_goes_back_to_it() {
    let asked = Event::ModelAsked { provider: String::new(), model: String::new(), tools: 0, offers: None };
    let given = given(CallId::from("c"), Decision::Run);
    let events = vec![said("Hi"), wants("book"), given, asked, calling(Vec::new())];
    let mut log = read(&file(&[with_log(events)])).unwrap().remove(0).log;
    let continued = Event::TurnContinued { page: PageRef::default(), without: None };
    let back = [Event::Rewound { behind: Some(2) }, continued];
    log.extend(back.map(|event| Entry { at: 1, event }));
    let next = resume(&log, Limits::default());
    assert!(matches!(next, Next::Settle(_, ToolOutcome::Cancelled)), "{next:?}");
}

#[test]
fn archive_is_refused_when_a_tool_has_no_document() {
    let mut nowhere = wants("book");
    if let Event::ModelAnswered { calls, .. } = &mut nowhere {
        let ToolRef::Page(tool) = &mut calls[0].target.as_mut().unwrap().tool else { panic!("of a page") };
        tool.document.0.clear();
    }
    let problem = problem(&file(&[with_log(vec![said("Hi"), nowhere])]));
    assert!(matches!(problem, ImportProblem::Damaged { .. }), "{problem:?}");
}

#[test]
fn imported_pause_has_no_calls_left_over() {
    let rest = Event::TurnEnded { end: TurnEnd::CallLimit { limit: 10 } };
    let read = read(&file(&[with_log(vec![said("Hi"), wants("book"), rest.clone()])])).unwrap();
    let events: Vec<_> = read[0].log.iter().map(|entry| entry.event.clone()).collect();
    let called_off =
        Event::ToolFinished { call: CallId::from("c"), outcome: ToolOutcome::Cancelled, duration_ms: 0 };
    assert_eq!(events, [said("Hi"), wants("book"), called_off, rest]);
}

#[test]
fn archive_cannot_make_calls_with_the_same_id_run() {
    let mut doubled = wants("book");
    if let Event::ModelAnswered { calls, .. } = &mut doubled {
        calls.push(calls[0].clone());
    }
    let mut log = read(&file(&[with_log(vec![said("Hi"), doubled])])).unwrap().remove(0).log;
    log.push(Entry { at: 1, event: Event::TurnContinued { page: PageRef::default(), without: None } });
    assert_eq!(resume(&log, Limits::default()), Next::AskModel { failures: 0 });
}

#[test]
fn archive_is_told_from_other_files() {
    for text in ["", "hello", "[]", "{}", "null", r#"{"format":"other","version":1,"threads":[]}"#] {
        assert_eq!(problem(text), ImportProblem::NotOurs, "{text}");
    }
    let newer = r#"{"format":"webmcp-sidecar-threads","version":2,"threads":{"other":"shape"}}"#;
    assert_eq!(problem(newer), ImportProblem::Newer);
    for text in [
        r#"[[[{"id":"t"}]]]"#,
        r#"{"a":{"b":{"c":1}}}"#,
        r#"{"threads":[{"id":"t"}],"format":"other","version":1}"#,
    ] {
        assert_eq!(problem(text), ImportProblem::NotOurs, "{text}");
    }
    let newer =
        r#"{"meta":{"a":{"b":1}},"format":"webmcp-sidecar-threads","version":2,"threads":[{"new":1}]}"#;
    assert_eq!(problem(newer), ImportProblem::Newer);
    // Another program may have written the file again with its members in another order.
    let thread = with_log(vec![said("Hi"), Event::TurnEnded { end: TurnEnd::Done }]);
    let text = serde_json::to_string(&thread).unwrap();
    let sorted = format!(r#"{{"format":"webmcp-sidecar-threads","threads":[{text}],"version":1}}"#);
    assert_eq!(read(&sorted).unwrap(), [thread]);
    for text in [
        r#"{"format":"webmcp-sidecar-threads","version":1,"threads":[null,null]}"#.to_owned(),
        format!(r#"{{"format":"webmcp-sidecar-threads","version":1,"threads":[],"more":[{text}]}}"#),
        format!(r#"{{"format":"webmcp-sidecar-threads","version":1,"threads":[{text}{text}]}}"#),
    ] {
        assert!(matches!(problem(&text), ImportProblem::Damaged { .. }), "{text}");
    }
    let deep = format!("{}{}", opening(), "[".repeat(100_000));
    assert!(matches!(problem(&deep), ImportProblem::Damaged { .. }));
    assert_eq!(problem(&" ".repeat(IMPORT_LIMIT + 1)), ImportProblem::TooLarge);
}

#[test]
fn archive_is_refused_when_a_thread_is_unsound_and_names_it() {
    let sound = with_log(vec![said("Hi"), Event::TurnEnded { end: TurnEnd::Done }]);
    assert!(read(&file(std::slice::from_ref(&sound))).is_ok());
    let broken = |change: fn(&mut Archived)| {
        let mut thread = sound.clone();
        change(&mut thread);
        problem(&file(&[thread]))
    };
    for (change, what) in [
        ((|thread| thread.summary.id.0.clear()) as fn(&mut Archived), "thread \"\": its id"),
        (|thread| thread.summary.title = "t".repeat(81), "thread \"a\": its title"),
        (|thread| thread.summary.site = "s".repeat(301), "thread \"a\": its site"),
        (|thread| thread.summary.temporary = true, "thread \"a\": temporary"),
        (|thread| thread.log[0].at = LAST_MOMENT + 1, "thread \"a\": a date"),
        (|thread| thread.log.clear(), "thread \"a\": its first entry"),
        (|thread| drop(thread.log.remove(0)), "thread \"a\": its first entry"),
    ] {
        assert_eq!(broken(change), ImportProblem::Damaged { detail: what.to_owned() });
    }
    let unknown = file(&[sound]).replace("turnRested", "turnTurned");
    assert!(matches!(problem(&unknown), ImportProblem::Damaged { detail } if detail.contains("turnTurned")));
}

#[test]
fn archive_cannot_allow_anything() {
    let (from, to) = ("https://mail.example", "https://shop.example");
    let allowed = Event::FlowAllowed { call: "c".into(), from: from.to_owned(), to: to.to_owned() };
    let events = vec![said("Hi"), allowed];
    let archived = with_log(events);
    assert!(flow::is_allowed(&archived.log, from, to));
    let read = read(&file(&[archived])).unwrap().remove(0).log;
    assert!(!flow::is_allowed(&read, from, to) && !flow::is_allowed(&read, "", ""));
}
