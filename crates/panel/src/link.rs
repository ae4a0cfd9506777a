//! The panel's end of the link: keeps a port to the worker open, says hello on each new one, and turns texts into
//! events and commands into texts.

use std::rc::Rc;
use std::time::Duration;

use js_sys::JSON;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_wasm_bindgen::from_value;
use sidecar_chrome::link::{connect, current_window, ui_language};
use sidecar_chrome::port::Port;
use sidecar_protocol::link::{PORT_NAME, PanelCommand, Refusal, WorkerEvent};
use sidecar_protocol::{PROTOCOL_VERSION, WindowId};

/// Pauses before each new try, in milliseconds; the last one repeats.
const PAUSES: [u64; 6] = [0, 250, 500, 1000, 2000, 5000];

/// `chrome.windows.WINDOW_ID_NONE`: the panel is in no window that the browser names.
const NO_WINDOW: WindowId = WindowId(-1);

/// What comes over the link.
#[derive(Debug)]
pub enum Heard {
    /// The worker said something. The first event on each new port is a `Welcome` (or a refusal).
    Event(Box<WorkerEvent>),
    /// The port closed; the link is trying again.
    Lost,
}

/// The link. Lives as long as the panel.
#[derive(Clone, Copy)]
pub struct Link {
    inner: StoredValue<Inner, LocalStorage>,
}

struct Inner {
    hear: Rc<dyn Fn(Heard)>,
    port: Option<Port>,
    /// Counts ports, so that a hello that was being prepared is not sent on a later one.
    generation: u32,
    /// Tries since the last welcome.
    tries: usize,
    /// The worker is of another version: trying again would not help.
    over: bool,
}

impl Link {
    /// Connects, and keeps connecting. What comes is given to `hear`.
    pub fn open(hear: impl Fn(Heard) + 'static) -> Self {
        let hear = Rc::new(hear);
        let inner = Inner { hear, port: None, generation: 0, tries: 0, over: false };
        let link = Self { inner: StoredValue::new_local(inner) };
        link.connect();
        link
    }

    /// Sends a command. Says whether there was a port to send it on.
    pub fn send(self, command: &PanelCommand) -> bool {
        let Ok(text) = serde_json::to_string(command) else { return false };
        self.inner.with_value(|inner| inner.port.as_ref().is_some_and(|port| port.post(&text).is_ok()))
    }

    fn connect(self) {
        let heard = move |text: String| self.receive(&text);
        let Ok(port) = connect(PORT_NAME, heard, move || self.lost()) else {
            self.lost();
            return;
        };
        let mut generation = 0;
        self.inner.update_value(|inner| {
            inner.port = Some(port);
            inner.generation += 1;
            generation = inner.generation;
        });
        spawn_local(self.hello(generation));
    }

    async fn hello(self, generation: u32) {
        let window_id = current_window().await.map_or(NO_WINDOW, WindowId);
        if self.inner.with_value(|inner| inner.generation == generation) {
            self.send(&PanelCommand::Hello {
                version: PROTOCOL_VERSION,
                window_id,
                browser_language: ui_language(),
            });
        }
    }

    fn receive(self, text: &str) {
        let event =
            JSON::parse(text).map_err(serde_wasm_bindgen::Error::from).and_then(from_value::<WorkerEvent>);
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                // Only a worker of another version sends what we do not know, and it says so itself.
                leptos::logging::error!("the worker said something unknown: {error}");
                return;
            }
        };
        self.inner.update_value(|inner| match &event {
            WorkerEvent::Welcome { version, .. } if *version == PROTOCOL_VERSION => inner.tries = 0,
            WorkerEvent::Welcome { .. } | WorkerEvent::Refused { why: Refusal::Version } => inner.over = true,
            WorkerEvent::Page { .. }
            | WorkerEvent::Thread { .. }
            | WorkerEvent::Item { .. }
            | WorkerEvent::ItemGone { .. }
            | WorkerEvent::Grew { .. }
            | WorkerEvent::Activity { .. }
            | WorkerEvent::Queue { .. }
            | WorkerEvent::Unqueued { .. }
            | WorkerEvent::Window { .. }
            | WorkerEvent::Older { .. }
            | WorkerEvent::Threads { .. }
            | WorkerEvent::Found { .. }
            | WorkerEvent::Exported { .. }
            | WorkerEvent::Imported { .. }
            | WorkerEvent::Calls { .. }
            | WorkerEvent::CallsChanged
            | WorkerEvent::Models { .. }
            | WorkerEvent::Tried { .. }
            | WorkerEvent::Settings { .. }
            | WorkerEvent::Grants { .. }
            | WorkerEvent::Unread { .. }
            | WorkerEvent::PageRead { .. }
            | WorkerEvent::Refused { .. } => {}
        });
        self.tell(Heard::Event(Box::new(event)));
    }

    fn lost(self) {
        let mut port = None;
        let mut pause = None;
        self.inner.update_value(|inner| {
            port = inner.port.take();
            inner.generation += 1;
            if !inner.over {
                pause = Some(PAUSES[inner.tries.min(PAUSES.len() - 1)]);
                inner.tries += 1;
            }
        });
        drop(port);
        self.tell(Heard::Lost);
        if let Some(pause) = pause {
            set_timeout(move || self.connect(), Duration::from_millis(pause));
        }
    }

    fn tell(self, heard: Heard) {
        let hear = self.inner.with_value(|inner| Rc::clone(&inner.hear));
        hear(heard);
    }
}
