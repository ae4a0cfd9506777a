use std::cell::RefCell;
use std::rc::Rc;

use futures::executor::block_on;
use sidecar_protocol::link::{Answer, RequestId};

use super::*;
use crate::testing::Memory;

/// The messages that a panel was sent.
#[derive(Debug, Clone, Default)]
struct Heard(Rc<RefCell<Vec<String>>>);

impl PanelPort for Heard {
    fn post(&self, text: &str) {
        self.0.borrow_mut().push(text.to_owned());
    }
}

impl Heard {
    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

const FIRST: LinkId = LinkId(1);
const SECOND: LinkId = LinkId(2);

/// Two welcomed panels, in windows 10 and 20.
fn panels(memory: &Memory) -> (Panels<Memory, Heard>, Heard, Heard) {
    let mut panels = block_on(Panels::load(memory.clone()));
    let (one, other) = (Heard::default(), Heard::default());
    for (link, port, window) in [(FIRST, &one, 10), (SECOND, &other, 20)] {
        panels.connected(link, port.clone());
        panels.said_hello(link, PanelSight::Window(WindowId(window)), "zh-CN".to_owned());
        panels.welcomed(link);
    }
    (panels, one, other)
}

fn opened() -> ChatEvent {
    ChatEvent::Opened { thread: None }
}

#[test]
fn opened_thread_stays_open_in_its_window_for_the_next_worker() {
    let memory = Memory::default();
    let (mut first, ..) = panels(&memory);
    block_on(first.open_thread(FIRST, Some("t1".into())));
    assert_eq!((first.thread(FIRST), first.thread(SECOND)), (Some("t1".into()), None));
    let (next, ..) = panels(&memory);
    assert_eq!(next.thread_in(WindowId(10)), Some(&"t1".into()));
    assert_eq!(next.shown_threads(), ["t1".into()]);
}

#[test]
fn change_of_a_thread_is_sent_to_the_panels_that_show_it() {
    let (mut panels, one, other) = panels(&Memory::default());
    block_on(panels.open_thread(FIRST, Some("t1".into())));
    panels.send_to_thread(&"t1".into(), [opened(), opened()]);
    assert_eq!((one.take().len(), other.take().len()), (2, 0));
    block_on(panels.open_thread(SECOND, Some("t1".into())));
    panels.send_to_thread(&"t1".into(), [opened()]);
    assert_eq!((one.take().len(), other.take().len()), (1, 1));
}

#[test]
fn panel_gets_replies_but_no_events_before_its_welcome() {
    let mut panels = block_on(Panels::load(Memory::default()));
    let port = Heard::default();
    panels.connected(FIRST, port.clone());
    panels.send_to_all(&PanelEvent::Chat(opened()));
    assert!(port.take().is_empty());
    panels.reply(FIRST, &Reply { id: RequestId(3), result: Ok(Answer::Done), more: false });
    assert_eq!(port.take(), [r#"{"reply":{"id":3,"result":{"Ok":"done"}}}"#]);
    panels.said_hello(FIRST, PanelSight::Window(WindowId(10)), String::new());
    panels.welcomed(FIRST);
    panels.send_to_all(&PanelEvent::Chat(opened()));
    assert_eq!(port.take(), [r#"{"event":{"chat":{"opened":{"thread":null}}}}"#]);
}

#[test]
fn event_for_a_window_is_sent_to_its_panels_only() {
    let (panels, one, other) = panels(&Memory::default());
    panels.send_to_window(WindowId(20), &PanelEvent::Chat(opened()));
    assert_eq!((one.take().len(), other.take().len()), (0, 1));
    panels.send_to_window(WindowId(30), &PanelEvent::Chat(opened()));
    panels.send(FIRST, &PanelEvent::Chat(opened()));
    assert_eq!((one.take().len(), other.take().len()), (1, 0));
}

#[test]
fn closed_panel_shows_nothing_and_is_sent_nothing() {
    let (mut panels, one, _) = panels(&Memory::default());
    block_on(panels.open_thread(FIRST, Some("t1".into())));
    panels.gone(FIRST);
    panels.send_to_all(&PanelEvent::Chat(opened()));
    panels.reply(FIRST, &Reply { id: RequestId(1), result: Ok(Answer::Done), more: false });
    assert!(one.take().is_empty() && panels.shown_threads().is_empty());
    assert_eq!((panels.window(FIRST), panels.thread(FIRST)), (None, None));
    assert_eq!(panels.thread_in(WindowId(10)), Some(&"t1".into()), "its window has it open");
}

#[test]
fn workbench_shows_its_tab_and_no_thread() {
    let (mut panels, _, _) = panels(&Memory::default());
    let (link, port) = (LinkId(7), Heard::default());
    panels.connected(link, port.clone());
    panels.said_hello(link, PanelSight::Tab(TabId(4)), "en".to_owned());
    assert_eq!(panels.bound(None), [], "it has no first snapshot yet");
    panels.welcomed(link);
    assert_eq!((panels.window(link), panels.thread(link)), (None, None));
    assert_eq!(panels.bound(Some(TabId(4))), [(link, TabId(4))]);
    panels.bind(link, TabId(5));
    panels.bind(FIRST, TabId(5));
    assert_eq!((panels.bound(Some(TabId(4))), panels.bound(None)), (vec![], vec![(link, TabId(5))]));
    block_on(panels.open_thread(link, Some("t1".into())));
    assert_eq!(panels.thread(link), None);
    panels.send_to_window(WindowId(10), &PanelEvent::Chat(opened()));
    assert!(port.take().is_empty());
}

#[test]
fn panel_without_a_window_opens_no_thread() {
    let mut panels = block_on(Panels::load(Memory::default()));
    panels.connected(FIRST, Heard::default());
    block_on(panels.open_thread(FIRST, Some("t1".into())));
    assert_eq!(panels.thread(FIRST), None);
}

#[test]
fn leaving_a_thread_closes_it_in_its_windows_and_tells_panels() {
    let (mut panels, one, other) = panels(&Memory::default());
    block_on(panels.open_thread(FIRST, Some("t1".into())));
    block_on(panels.open_thread(SECOND, Some("t2".into())));
    block_on(panels.leave_thread(&"t1".into()));
    assert_eq!((one.take().len(), other.take().len()), (1, 0));
    assert_eq!((panels.thread(FIRST), panels.thread(SECOND)), (None, Some("t2".into())));
}

#[test]
fn panel_has_the_language_of_the_settings_or_else_of_its_browser() {
    let (panels, ..) = panels(&Memory::default());
    let mut settings = Settings::default();
    assert_eq!(panels.language(FIRST, &settings), Language::Chinese);
    settings.language = serde_json::from_str("\"en\"").unwrap();
    assert_eq!(panels.language(FIRST, &settings), Language::English);
    assert_eq!(panels.language(LinkId(9), &Settings::default()), Language::English);
}
