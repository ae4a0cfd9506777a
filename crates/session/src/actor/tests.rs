//! Tests of the actor with a browser in memory: requests, pages and models go in, and the ports show what
//! comes out.

use std::cell::RefCell;
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use serde_json::{Value, json};
use sidecar_protocol::link::{Hello, PanelEvent, RequestId, ThreadView, Welcome, WorkerMessage};
use sidecar_protocol::page::{Backend, RelayMessage, ToolDescription};
use sidecar_protocol::{FrameId, PROTOCOL_VERSION, TabId, Timestamp, WindowId};
use sidecar_webmcp::Place;

use super::*;
use crate::event::BrowserEvent;
use crate::tabs::{Loading, TabInfo};
use crate::testing::browser::FakeBrowser;
use crate::testing::{Areas, Disk, Memory};

mod approvals;
mod evals;
mod hand_runs;
mod page_actions;
mod recording;
mod registrations;
mod requests;
mod tools;
mod turns;
mod workbench;

/// The messages that a panel was sent.
#[derive(Debug, Clone, Default)]
struct PanelMessages(Rc<RefCell<Vec<WorkerMessage>>>);

impl PanelPort for PanelMessages {
    fn post(&self, text: &str) {
        self.0.borrow_mut().push(serde_json::from_str(text).unwrap());
    }
}

impl PanelMessages {
    /// The final replies since [`Self::forget`].
    fn replies(&self) -> Vec<(u32, Result<Answer, Refusal>)> {
        let messages = self.0.borrow();
        let replies = messages.iter().filter_map(|message| match message {
            WorkerMessage::Reply(reply) if !reply.more => Some((reply.id.0, reply.result.clone())),
            WorkerMessage::Reply(_) | WorkerMessage::Event(_) => None,
        });
        replies.collect()
    }

    fn events(&self) -> Vec<PanelEvent> {
        let messages = self.0.borrow();
        let events = messages.iter().filter_map(|message| match message {
            WorkerMessage::Event(event) => Some(event.clone()),
            WorkerMessage::Reply(_) => None,
        });
        events.collect()
    }

    fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

/// A worker, with the storage that outlives it.
struct ActorWorld {
    pool: LocalPool,
    browser: FakeBrowser,
    turns: Turns,
    requests: u32,
}

const WINDOW: WindowId = WindowId(1);
const OTHER_WINDOW: WindowId = WindowId(2);
const PANEL: LinkId = LinkId(1);
const OTHER_PANEL: LinkId = LinkId(2);
const TAB: TabId = TabId(7);

/// Storage with a provider that the user chose.
fn with_provider() -> Areas {
    Areas::with_settings(r#"{"provider":"deepseek"}"#)
}

impl ActorWorld {
    fn new() -> Self {
        Self::of(with_provider(), Disk::default(), false)
    }

    /// Window 1 shows tab 7, a page at shop.example.
    fn of(storage: Areas, disk: Disk, is_private: bool) -> Self {
        let pool = LocalPool::new();
        let (sender, events) = unbounded();
        let browser = FakeBrowser::new(sender, pool.spawner(), (storage, disk), is_private);
        browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://shop.example/"));
        browser.0.active.borrow_mut().insert(WINDOW, TAB);
        let turns = Turns::default();
        let (in_actor, its_turns) = (browser.clone(), turns.clone());
        let keep_awake = {
            let browser = browser.clone();
            move |is_kept| browser.0.is_kept_awake.set(is_kept)
        };
        pool.spawner().spawn_local(Actor::run(in_actor, its_turns, events, keep_awake)).unwrap();
        let mut world = Self { pool, browser, turns, requests: 0 };
        world.go_on();
        world
    }

    /// The worker dies with all its tasks, and another one starts.
    fn restart(self) -> Self {
        let storage = self.browser.0.storage.clone();
        self.start_with(storage)
    }

    /// The user closes the browser and opens it again.
    fn reopen_browser(self) -> Self {
        let storage = Areas { session: Memory::default(), ..self.browser.0.storage.clone() };
        self.start_with(storage)
    }

    fn start_with(self, storage: Areas) -> Self {
        let (disk, is_private) = (self.browser.0.disk.clone(), self.browser.0.is_private);
        drop(self.pool);
        Self::of(storage, disk, is_private)
    }

    /// Runs all tasks as far as they get without time passing.
    fn go_on(&mut self) {
        self.pool.run_until_stalled();
    }

    /// Lets time pass.
    fn pass(&mut self, milliseconds: u64) {
        let until = sidecar_agent::Clock::now(&self.browser) + milliseconds;
        while self.browser.ring_next(until) {
            self.go_on();
        }
        self.go_on();
    }

    fn post(&mut self, event: impl Into<SessionEvent>) {
        self.browser.post(event);
        self.go_on();
    }

    /// A panel opens and is welcomed. Its messages so far are dropped.
    fn open_panel(&mut self, link: LinkId, window: WindowId) -> (PanelMessages, Welcome) {
        let heard = PanelMessages::default();
        self.post(SessionEvent::PanelConnected { link, port: Box::new(heard.clone()) });
        self.ask(link, hello(window, PROTOCOL_VERSION));
        let [(_, Ok(Answer::Welcome(welcome)))] = exactly(heard.replies()) else { panic!() };
        heard.forget();
        (heard, *welcome)
    }

    fn panel(&mut self) -> PanelMessages {
        self.open_panel(PANEL, WINDOW).0
    }

    /// Sends a request of a panel, as the worker's listener does.
    fn ask(&mut self, link: LinkId, body: Command) -> u32 {
        self.requests += 1;
        let is_told = self.turns.deliver(&body);
        let request = Request { id: RequestId(self.requests), body };
        self.post(SessionEvent::PanelAsked { link, request, is_told });
        self.requests
    }

    /// Like [`Self::ask`], with the JSON of a command.
    fn ask_json(&mut self, link: LinkId, body: Value) -> u32 {
        self.ask(link, serde_json::from_value(body).unwrap())
    }

    fn send(&mut self, text: &str) -> u32 {
        self.ask_json(PANEL, json!({"chat": {"send": {"text": text}}}))
    }

    /// The relay of tab 7 reports these tools.
    fn tell_tools(&mut self, names: &[&str]) {
        let described = |name: &&str| ToolDescription {
            name: (*name).to_owned(),
            title: String::new(),
            description: format!("Does {name}."),
            input_schema: None,
            annotations: None,
            form: false,
            definition: String::new(),
        };
        let tools: Vec<_> = names.iter().map(described).collect();
        let total = tools.len();
        let message = RelayMessage::ToolsChanged {
            backend: Backend::Native,
            tools,
            total,
            blocked: false,
            skills: false,
        };
        self.relay(&message);
    }

    /// The relay of tab 7 sends a message. Returns whether it was answered.
    fn relay(&mut self, message: &RelayMessage) -> bool {
        let (done, mut answered) = futures::channel::oneshot::channel();
        let text = serde_json::to_string(message).unwrap();
        self.post(BrowserEvent::RelaySaid { text, place: place(), is_active: true, done });
        answered.try_recv().is_ok_and(|answer| answer.is_some())
    }

    /// The model sends a chunk of its latest answer.
    fn say(&mut self, delta: Value, finish: Option<&str>) {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        let end = if finish.is_some() { "data: [DONE]\n\n" } else { "" };
        let answers = self.browser.0.model.answers.borrow();
        let text = format!("data: {chunk}\n\n{end}");
        answers.last().unwrap().unbounded_send(Ok(text.into_bytes())).unwrap();
        if finish.is_some() {
            answers.last().unwrap().close_channel();
        }
        drop(answers);
        self.go_on();
    }

    /// The model answers with text, and the turn ends.
    fn answer(&mut self, text: &str) {
        self.say(json!({"content": text}), Some("stop"));
    }

    /// The model calls a tool.
    fn call_tool(&mut self, name: &str, arguments: &str) {
        let call = json!({"index": 0, "id": "call_1", "type": "function",
            "function": {"name": name, "arguments": arguments}});
        self.say(json!({"tool_calls": [call]}), Some("tool_calls"));
    }

    /// Number of answers that the model has started.
    fn answers(&self) -> usize {
        self.browser.0.model.answers.borrow().len()
    }

    /// The thread that a panel is shown when it opens in a window.
    fn thread_in(&mut self, link: LinkId, window: WindowId) -> Option<ThreadView> {
        self.open_panel(link, window).1.thread
    }

    fn now(&self) -> Timestamp {
        sidecar_agent::Clock::now(&self.browser)
    }
}

/// The list as an array; panics if the length differs.
fn exactly<T: std::fmt::Debug, const N: usize>(list: Vec<T>) -> [T; N] {
    list.try_into().unwrap()
}

fn hello(window: WindowId, version: u32) -> Command {
    Command::Hello(Hello { version, window_id: window, tab_id: None, browser_language: "en".to_owned() })
}

fn tab(id: i32, window: WindowId, url: &str) -> TabInfo {
    TabInfo {
        id: Some(TabId(id)),
        window,
        url: url.to_owned(),
        title: "Seats".to_owned(),
        loading: Loading::Complete,
        is_discarded: false,
        opener: None,
    }
}

fn place() -> Place {
    let origin = "https://shop.example".to_owned();
    Place { tab: TAB, frame: FrameId::TOP, document: "D1".into(), origin }
}
