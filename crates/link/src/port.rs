//! The page's end of the link: keeps a port to the worker open, sends a hello on each new port, sends requests, and
//! passes each reply to its requester.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use js_sys::JSON;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_wasm_bindgen::from_value;
use sidecar_chrome::link::{connect, current_window, ui_language};
use sidecar_chrome::port::Port;
use sidecar_protocol::link::{
    Answer, Command, Domain, Hello, PORT_NAME, PanelEvent, Refusal, Reply, Request, RequestId,
    WORKBENCH_PORT_NAME, Welcome, WorkerMessage,
};
use sidecar_protocol::{PROTOCOL_VERSION, TabId, WindowId};

/// Delays before each reconnection attempt, in milliseconds; the last one repeats.
const PAUSES: [u64; 6] = [0, 250, 500, 1000, 2000, 5000];

/// How long the first snapshot may take on each attempt's port, in milliseconds; the last one repeats. A port may lead to a
/// worker that is about to end, which hears nothing and says nothing.
const WELCOME_LIMITS: [u64; 3] = [4_000, 10_000, 30_000];

/// `chrome.windows.WINDOW_ID_NONE`: the panel's window could not be determined.
const NO_WINDOW: WindowId = WindowId(-1);

/// Which page of the user's a page of ours shows.
#[derive(Debug, Clone, Copy)]
pub enum PageSight {
    /// The one in front, of a panel's window.
    InFront,
    /// That of a tab, which may change: a workbench.
    Bound(RwSignal<TabId>),
}

/// A message that answers no pending request.
#[derive(Debug)]
pub enum Incoming {
    /// The first snapshot on a new port.
    Welcome(Box<Welcome>),
    /// Something changed.
    Event(Box<PanelEvent>),
    /// A request without a reply handler was refused.
    Refused(Refusal),
    /// The port closed; the link reconnects unless the worker has another version.
    Lost,
}

/// The outcome of a request.
#[derive(Debug)]
pub enum LinkResponse<A> {
    /// The answer, or a part of it.
    Answer(A),
    /// The request was carried out; after partial answers, the last one has arrived.
    Done,
    /// The request was refused.
    Refused(Refusal),
    /// The port closed before the last reply.
    Lost,
}

type ReplyHandler = Box<dyn FnMut(LinkResponse<Answer>)>;

/// The link. Lives as long as the page.
#[derive(Clone, Copy)]
pub struct Link {
    inner: StoredValue<Inner, LocalStorage>,
}

struct Inner {
    sight: PageSight,
    hear: Rc<dyn Fn(Incoming)>,
    port: Option<Port>,
    /// Changes with each port, so that a hello prepared for an earlier port is not sent on a later one.
    generation: u32,
    /// Reconnection attempts since the last welcome.
    tries: usize,
    /// Whether the worker has another version, so that reconnecting would not help.
    over: bool,
    /// Id of the last request.
    requests: u32,
    /// Whether the first snapshot came on this port.
    is_welcomed: bool,
    /// Handlers of requests whose last reply is pending.
    waiting: HashMap<RequestId, ReplyHandler>,
}

impl Link {
    /// Connects, and reconnects whenever the port closes. Messages that answer no pending request go to `hear`.
    pub fn open(sight: PageSight, hear: impl Fn(Incoming) + 'static) -> Self {
        let inner = Inner {
            sight,
            hear: Rc::new(hear),
            port: None,
            generation: 0,
            tries: 0,
            over: false,
            requests: 0,
            is_welcomed: false,
            waiting: HashMap::new(),
        };
        let link = Self { inner: StoredValue::new_local(inner) };
        link.connect();
        link
    }

    /// Sends a command. Returns whether there was a port to send it on.
    pub fn send(self, command: impl Domain) -> bool {
        self.post(command.command(), None)
    }

    /// Sends a command and passes each response to `then`. Returns whether there was a port to send it on.
    pub fn ask<D: Domain>(self, command: D, mut then: impl FnMut(LinkResponse<D::Answer>) + 'static) -> bool {
        let waiting = move |response: LinkResponse<Answer>| {
            then(match response {
                LinkResponse::Answer(answer) => {
                    D::answer(answer).map_or(LinkResponse::Done, LinkResponse::Answer)
                }
                LinkResponse::Done => LinkResponse::Done,
                LinkResponse::Refused(why) => LinkResponse::Refused(why),
                LinkResponse::Lost => LinkResponse::Lost,
            });
        };
        self.post(command.command(), Some(Box::new(waiting)))
    }

    fn post(self, body: Command, waiting: Option<ReplyHandler>) -> bool {
        let mut is_sent = false;
        self.inner.update_value(|inner| {
            inner.requests += 1;
            let id = RequestId(inner.requests);
            let (Some(port), Ok(text)) = (&inner.port, serde_json::to_string(&Request { id, body })) else {
                return;
            };
            is_sent = port.post(&text).is_ok();
            if let Some(waiting) = waiting.filter(|_| is_sent) {
                inner.waiting.insert(id, waiting);
            }
        });
        is_sent
    }

    fn connect(self) {
        let heard = move |text: String| self.receive(&text);
        let name = match self.sight() {
            PageSight::InFront => PORT_NAME,
            PageSight::Bound(_) => WORKBENCH_PORT_NAME,
        };
        let Ok(port) = connect(name, heard, move || self.lost()) else {
            self.lost();
            return;
        };
        let (mut generation, mut limit) = (0, 0);
        self.inner.update_value(|inner| {
            inner.port = Some(port);
            inner.generation += 1;
            inner.is_welcomed = false;
            generation = inner.generation;
            limit = WELCOME_LIMITS[inner.tries.min(WELCOME_LIMITS.len() - 1)];
        });
        spawn_local(self.hello(generation));
        set_timeout(move || self.give_up(generation), Duration::from_millis(limit));
    }

    /// The first snapshot did not come in time.
    fn give_up(self, generation: u32) {
        let is_unheard = self
            .inner
            .with_value(|inner| inner.generation == generation && !inner.is_welcomed && !inner.over);
        if is_unheard {
            self.lost();
        }
    }

    async fn hello(self, generation: u32) {
        let window_id = current_window().await.map_or(NO_WINDOW, WindowId);
        if self.inner.with_value(|inner| inner.generation == generation) {
            let tab_id = match self.sight() {
                PageSight::InFront => None,
                PageSight::Bound(tab) => Some(tab.get_untracked()),
            };
            let hello =
                Hello { version: PROTOCOL_VERSION, window_id, tab_id, browser_language: ui_language() };
            self.post(Command::Hello(hello), None);
        }
    }

    fn receive(self, text: &str) {
        let message =
            JSON::parse(text).map_err(serde_wasm_bindgen::Error::from).and_then(from_value::<WorkerMessage>);
        match message {
            Ok(WorkerMessage::Event(event)) => {
                if let PanelEvent::Trouble(Refusal::Version) = event {
                    self.inner.update_value(|inner| inner.over = true);
                }
                self.tell(Incoming::Event(Box::new(event)));
            }
            Ok(WorkerMessage::Reply(reply)) => self.receive_reply(reply),
            // Only a worker of another version sends unknown messages, and it also reports the mismatch.
            Err(error) => leptos::logging::error!("the worker said something unknown: {error}"),
        }
    }

    fn receive_reply(self, Reply { id, result, more }: Reply) {
        let mut waiting = None;
        self.inner.update_value(|inner| {
            waiting = inner.waiting.remove(&id);
            match &result {
                Ok(Answer::Welcome(welcome)) if welcome.version == PROTOCOL_VERSION => {
                    inner.tries = 0;
                    inner.is_welcomed = true;
                }
                // Only the hello, which has no handler, is answered like this.
                Ok(Answer::Welcome(_)) => inner.over = true,
                Err(Refusal::Version) if waiting.is_none() => inner.over = true,
                Ok(_) | Err(_) => {}
            }
        });
        let Some(mut waiting) = waiting else {
            return match result {
                Ok(Answer::Welcome(welcome)) => self.tell(Incoming::Welcome(welcome)),
                Ok(_) => {}
                Err(why) => self.tell(Incoming::Refused(why)),
            };
        };
        waiting(match result {
            Ok(Answer::Done) => LinkResponse::Done,
            Ok(answer) => LinkResponse::Answer(answer),
            Err(why) => LinkResponse::Refused(why),
        });
        if more {
            self.inner.update_value(|inner| drop(inner.waiting.insert(id, waiting)));
        }
    }

    fn lost(self) {
        let (mut port, mut pause, mut waiting) = (None, None, HashMap::new());
        self.inner.update_value(|inner| {
            port = inner.port.take();
            waiting = std::mem::take(&mut inner.waiting);
            inner.generation += 1;
            if !inner.over {
                pause = Some(PAUSES[inner.tries.min(PAUSES.len() - 1)]);
                inner.tries += 1;
            }
        });
        drop(port);
        self.tell(Incoming::Lost);
        for (_, mut waiting) in waiting {
            waiting(LinkResponse::Lost);
        }
        if let Some(pause) = pause {
            set_timeout(move || self.connect(), Duration::from_millis(pause));
        }
    }

    fn sight(self) -> PageSight {
        self.inner.with_value(|inner| inner.sight)
    }

    fn tell(self, incoming: Incoming) {
        let hear = self.inner.with_value(|inner| Rc::clone(&inner.hear));
        hear(incoming);
    }
}
