use sidecar_protocol::link::ChatCommand;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::settings::Settings;

use super::*;

fn control(thread: &str, control: Control) -> Command {
    Command::Turn(TurnControl { thread_id: Some(thread.into()), control })
}

fn save(mode: Mode) -> Command {
    let settings = Box::new(Settings { mode, ..Settings::default() });
    Command::Settings(SettingsCommand::Save { settings })
}

#[test]
fn control_reaches_only_its_turn() {
    let turns = Turns::default();
    let (mut one, mut other) = (turns.begin(&"a".into()), turns.begin(&"b".into()));
    assert!(turns.deliver(&control("a", Control::Stop)));
    assert_eq!(one.try_recv(), Ok(UserCommand::Stop));
    assert!(other.try_recv().is_err());
}

#[test]
fn control_of_a_turn_that_does_not_run_is_left_to_the_queue() {
    let turns = Turns::default();
    assert!(!turns.deliver(&control("a", Control::Stop)));
    let inbox = turns.begin(&"a".into());
    assert!(turns.is_running(&"a".into()));
    drop(inbox);
    assert!(!turns.deliver(&control("a", Control::Stop)), "its task is gone");
    turns.end(&"a".into());
    assert!(!turns.is_running(&"a".into()));
}

#[test]
fn control_without_a_thread_reaches_the_call_that_it_names() {
    let turns = Turns::default();
    let (mut turn, mut call) = (turns.begin(&"a".into()), turns.begin_call(&"c".into()));
    let longer = |call: &str| Control::WaitLonger { call_id: call.into() };
    let told = |control| turns.deliver(&Command::Turn(TurnControl { thread_id: None, control }));
    assert!(told(longer("c")) && !told(longer("d")) && !told(Control::Stop));
    assert_eq!(call.try_recv(), Ok(UserCommand::WaitLonger("c".into())));
    assert!(turn.try_recv().is_err() && call.try_recv().is_err());
    turns.end_call(&"c".into());
    assert!(!told(longer("c")));
}

#[test]
fn clones_share_their_turns() {
    let turns = Turns::default();
    let mut inbox = turns.clone().begin(&"a".into());
    assert!(turns.tell(&"a".into(), UserCommand::LiftGuard));
    assert_eq!(inbox.try_recv(), Ok(UserCommand::LiftGuard));
}

#[test]
fn confirm_mode_is_sent_to_every_turn_at_once() {
    let turns = Turns::default();
    let (mut one, mut other) = (turns.begin(&"a".into()), turns.begin(&"b".into()));
    assert!(!turns.deliver(&save(Mode::Confirm)), "it has to be saved, too");
    for inbox in [&mut one, &mut other] {
        assert_eq!(inbox.try_recv(), Ok(UserCommand::SetMode(Mode::Confirm)));
    }
}

#[test]
fn auto_mode_is_not_sent_before_it_is_saved() {
    let turns = Turns::default();
    let mut inbox = turns.begin(&"a".into());
    assert!(!turns.deliver(&save(Mode::Automatic)));
    assert!(!turns.deliver(&Command::Chat(ChatCommand::SendQueued)));
    assert!(inbox.try_recv().is_err());
}

#[test]
fn decision_reaches_its_turn_with_all_its_fields() {
    let turns = Turns::default();
    let mut inbox = turns.begin(&"a".into());
    let decide = Control::Decide {
        call_id: "c".into(),
        decision: Decision::Run,
        edits: Some("{\"seats\":3}".to_owned()),
        words: "Three".to_owned(),
        allow: true,
        allow_flow: true,
    };
    assert!(turns.deliver(&control("a", decide)));
    let (edits, words) = (Some("{\"seats\":3}".to_owned()), "Three".to_owned());
    let decided = UserDecision { decision: Decision::Run, edits, words, allow_flow: true };
    assert_eq!(inbox.try_recv(), Ok(UserCommand::Decide("c".into(), decided)));
    assert!(turns.deliver(&control("a", Control::WaitLonger { call_id: "c".into() })));
    assert_eq!(inbox.try_recv(), Ok(UserCommand::WaitLonger("c".into())));
}
