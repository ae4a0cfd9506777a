//! Tests of what panels are shown and sent.

use sidecar_agent::TurnUpdate;
use sidecar_protocol::link::ChatEvent;
use sidecar_protocol::link::chat::PAGE_SIZE;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::settings::{Limits, Mode, ModelChoice};
use sidecar_protocol::thread::{Activity, ToolOutcome, ToolStep};

use sidecar_llm::ModelAbilities;

use super::*;

fn running(events: impl IntoIterator<Item = Event>) -> (Threads<Disk>, UnboundedReceiver<UserCommand>) {
    let entries = log(events);
    let disk = Disk::with(ID, &entries);
    let mut threads = threads(&disk);
    let (thread, _) = block_on(threads.read(&id())).unwrap().unwrap();
    threads.open.insert(id(), thread);
    let (_, inbox) = begin(&threads);
    (threads, inbox)
}

#[test]
fn news_are_announced_once_until_they_are_taken() {
    let (mut threads, _inbox) = running([said("t.1", "Hello"), asked()]);
    let turn = threads.open[&id()].log.clone();
    let grew = TurnUpdate::Grew { reasoning: "", text: "Good" };
    assert_eq!([turn.note(&grew), turn.note(&grew)], [true, false]);
    let told = threads.news(&id()).changes;
    assert!(matches!(&told[..], [ChatEvent::Item { .. }, ChatEvent::Activity { .. }]), "{told:?}");
    assert_eq!([turn.note(&grew), turn.note(&TurnUpdate::TimeRunsOut(None))], [true, false]);
    let told = threads.news(&id()).changes;
    assert!(matches!(&told[..], [ChatEvent::Grew { text, .. }] if text == "Good"), "{told:?}");
    assert!(!turn.note(&TurnUpdate::Learnt(ModelAbilities::default())), "that is nothing of the thread");
}

#[test]
fn step_outlives_a_wait_and_ends_with_the_call() {
    let (threads, _inbox) = running([said("t.1", "Hello"), asked()]);
    let turn = threads.open[&id()].log.clone();
    let step = ToolStep { number: 2, of: 3 };
    turn.note(&TurnUpdate::Step(step));
    let call = CallId::from("c1");
    let events = [
        Event::WaitStarted { call: call.clone(), kind: InteractionKind::Callback },
        Event::WaitEnded { call: call.clone() },
        Event::ToolFinished { call, outcome: ToolOutcome::Cancelled, duration_ms: 1 },
    ];
    let steps = events.map(|event| {
        block_on(turn.append(Entry { at: 9, event })).unwrap();
        turn.live().step
    });
    assert_eq!(steps, [Some(step), Some(step), None]);
}

#[test]
fn refused_field_is_reported_with_the_model_that_was_asked() {
    let (mut threads, _inbox) = running([said("t.1", "Hello")]);
    let turn = threads.open[&id()].log.clone();
    let other =
        serde_json::from_str(r#"{"event":"modelAsked","provider":"kimi","model":"kimi-k3","tools":0}"#);
    for event in [asked(), refused_field("temperature"), other.unwrap()] {
        write(&turn, event).unwrap();
    }
    let model = ModelChoice { provider: "deepseek".to_owned(), model: "deepseek-flash".to_owned() };
    assert_eq!(threads.news(&id()).refused, [(model, "temperature".to_owned())]);
    assert_eq!(threads.news(&id()).refused, []);
}

#[test]
fn context_usage_changes_after_entries_that_count() {
    let (mut threads, _inbox) = running([said("t.1", "Hello")]);
    let turn = threads.open[&id()].log.clone();
    for (event, counts) in [(asked(), false), (answered("Good day."), true), (rested(), false)] {
        write(&turn, event).unwrap();
        assert_eq!(threads.news(&id()).has_other_usage, counts);
    }
}

#[test]
fn tokens_grow_with_the_log() {
    let (threads, _inbox) = running([said("t.1", "Hello")]);
    let rules = Rules {
        mode: Mode::Automatic,
        limits: Limits::default(),
        language: Language::English,
        today: String::new(),
    };
    let before = threads.tokens(&id(), &rules);
    for event in [asked(), answered(&"word ".repeat(1_000))] {
        write(&threads.open[&id()].log, event).unwrap();
    }
    assert!(threads.tokens(&id(), &rules) > before + 500);
    assert_eq!(threads.tokens(&"gone".into(), &rules), 0);
}

#[test]
fn long_thread_is_paged_from_its_end() {
    let turns = (0..60).flat_map(|number| chatted(&format!("t.{number}")));
    let threads = loaded(&Disk::with(ID, &log(turns)));
    let view = threads.view(&id()).unwrap();
    assert_eq!((view.items.len(), view.more), (PAGE_SIZE, true));
    let (older, more) = threads.older(&id(), view.items[0].seq).unwrap();
    assert_eq!((older.len(), more), (180 - PAGE_SIZE, false));
    assert!(older.last().unwrap().seq < view.items[0].seq);
    assert_eq!(threads.older(&id(), older[0].seq), Some((Vec::new(), false)));
}

#[test]
fn page_that_is_exactly_full_has_none_before_it() {
    let short = (0..2).flat_map(|number| [said(&format!("s.{number}"), "Hello"), rested()]);
    let turns = (0..32).flat_map(|number| chatted(&format!("t.{number}")));
    let threads = loaded(&Disk::with(ID, &log(short.chain(turns))));
    assert_eq!(threads.view(&id()).map(|view| (view.items.len(), view.more)), Some((PAGE_SIZE, false)));
}

#[test]
fn approval_is_pending_in_the_tab_of_its_tool_until_the_user_decides() {
    let (threads, _inbox) = running(bought("t.1", "c1").into_iter().take(4));
    let asking = threads.asking();
    assert_eq!((asking.len(), asking[0].tab), (1, Some(TabId(7))));
    let approval = &asking[0].approval;
    assert_eq!((approval.tool.as_str(), approval.title.as_str()), ("buy", "Buy two seats"));
    assert_eq!(threads.tab_of_call(&id(), &"c1".into()), Some(TabId(7)));
    write(&threads.open[&id()].log, approved("c1")).unwrap();
    assert!(threads.asking().is_empty());
}

#[test]
fn question_of_the_agent_is_pending_in_the_tab_of_its_turn() {
    let (threads, _inbox) = running([said("t.1", "Book"), asked(), questioning("q1"), approval_asked("q1")]);
    let asking = threads.asking();
    assert_eq!(asking[0].approval.question.as_deref(), Some("Which seat?"));
    assert_eq!((asking[0].tab, asking[0].approval.site.as_str()), (Some(TabId(7)), ""));
}

#[test]
fn pending_approval_has_the_users_title_of_its_thread() {
    let (threads, _inbox) = running(bought("t.1", "c1").into_iter().take(4));
    assert_eq!(threads.asking()[0].approval.title, "Buy two seats");
    let summary = threads.view(&id()).unwrap().summary;
    threads.set_summary(ThreadSummary { title: "My name".to_owned(), ..summary });
    assert_eq!(threads.asking()[0].approval.title, "My name");
}

#[test]
fn no_approval_is_pending_when_no_turn_runs() {
    let (threads, _inbox) = running(bought("t.1", "c1").into_iter().take(4));
    threads.turns.end(&id());
    assert!(threads.asking().is_empty());
    assert_eq!(threads.view(&id()).unwrap().activity, Activity::Resting);
}

#[test]
fn second_call_of_an_answer_is_pending_when_the_first_is_done() {
    let events =
        [said("t.1", "Buy"), asked(), calling("", &["c1", "c2"]), approval_asked("c1"), approved("c1")];
    let (threads, _inbox) =
        running(events.into_iter().chain([started("c1"), finished("c1"), approval_asked("c2")]));
    let asking: Vec<_> = threads.asking().into_iter().map(|asking| asking.approval.call_id.0).collect();
    assert_eq!(asking, ["c2"]);
}

#[test]
fn temporary_thread_is_not_saved() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    let temporary = threads.begin_temporary("1".into(), 1_000);
    assert!(temporary.is_temporary() && threads.has_temporary());
    let said = threads.say(&temporary, "t.1".into(), message("Buy"), PageRef::default(), 2_000);
    block_on(said).unwrap();
    let (turn, _inbox) = threads.begin_turn(&temporary).unwrap();
    for event in bought("t.1", "c1").into_iter().skip(1) {
        write(&turn, event).unwrap();
    }
    block_on(turn.save_draft("", "Good"));
    assert_eq!((turn.log().len(), disk.texts(), disk.calls().len()), (11, 0, 0));
    assert!(threads.view(&temporary).unwrap().summary.temporary);
}

#[test]
fn dropped_temporary_thread_accepts_no_message() {
    let disk = Disk::default();
    let mut threads = threads(&disk);
    let temporary = threads.begin_temporary("1".into(), 1_000);
    threads.forget_all_but(&[]);
    assert!(!threads.has_temporary());
    let said = block_on(threads.say(&temporary, "t.1".into(), message("Hi"), PageRef::default(), 2_000));
    assert!(said.is_err() && disk.texts() == 0);
}

#[test]
fn temporary_thread_is_stopped_when_no_panel_shows_it_and_dropped_when_it_ends() {
    let mut threads = threads(&Disk::default());
    let temporary = threads.begin_temporary("1".into(), 1_000);
    let (_, mut inbox) = threads.begin_turn(&temporary).unwrap();
    threads.forget_all_but(std::slice::from_ref(&temporary));
    assert!(inbox.try_recv().is_err(), "it is shown");
    threads.forget_all_but(&[]);
    assert_eq!(inbox.try_recv(), Ok(UserCommand::Stop));
    assert!(threads.is_open(&temporary));
    block_on(threads.turn_ended(&temporary, 3_000));
    threads.forget_all_but(&[]);
    assert!(!threads.is_open(&temporary));
}

#[test]
fn running_or_shown_thread_is_not_dropped_or_stopped() {
    let (mut threads, mut inbox) = running([said("t.1", "Hello"), asked()]);
    threads.forget_all_but(&[]);
    assert!(threads.is_open(&id()) && inbox.try_recv().is_err());
    threads.turns.end(&id());
    threads.forget_all_but(&[id()]);
    assert!(threads.is_open(&id()));
    threads.forget_all_but(&[]);
    assert!(!threads.is_open(&id()));
}

#[test]
fn guard_of_a_result_is_sent_with_its_call() {
    let (mut threads, _inbox) = running(bought("t.1", "c1").into_iter().take(6));
    write(&threads.open[&id()].log, suspected("c1")).unwrap();
    let told = threads.news(&id()).changes;
    let items = told.iter().filter(|change| matches!(change, ChatEvent::Item { .. }));
    assert_eq!(items.count(), 2, "{told:?}");
}
