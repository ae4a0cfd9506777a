//! A channel to the page actions in one document: requests with their replies, and what the document asks of
//! us meanwhile.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::pin;
use std::rc::Rc;

use futures::StreamExt;
use futures::channel::oneshot;
use futures::future::{Either, select};
use serde_json::{Value, json};

use crate::browser::{BrowserPort, DocumentChannel};

/// How long a document may say nothing at all while it is asked something, in milliseconds: a dialog of its
/// page stops it.
pub const SILENCE_MS: u64 = 7_000;

/// The same once an action has begun, which it then soon ends.
const BEGUN_SILENCE_MS: u64 = 4_000;

/// How often the silence of a document is looked at, in milliseconds.
const LISTENING_MS: u64 = 500;

/// Maximum length of a message of a document, in bytes.
const MOST_BYTES: usize = 4 * 262_144;

/// The longest tick that a document may ask for, in milliseconds.
const MOST_TICK_MS: u64 = 2_000;

/// Sends a message (JSON text).
type SendText = Box<dyn Fn(&str) -> bool>;

/// A channel to the page actions in one document.
pub struct DocumentLink {
    /// `None` once it is closed.
    send: RefCell<Option<SendText>>,
    waiting: RefCell<HashMap<u64, oneshot::Sender<Value>>>,
    last_id: Cell<u64>,
    is_closed: Cell<bool>,
    /// What the frame above sent into it.
    token: RefCell<String>,
    /// Number of messages heard.
    heard: Cell<u64>,
    /// Whether the action that runs may have acted.
    has_begun: Cell<bool>,
    /// The number that its next new ref gets.
    next_ref: Cell<u64>,
}

/// Why a request got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The document is gone, and nothing was done in it.
    Gone,
    /// The document is gone, and what was asked for had begun.
    Left,
    /// It says nothing, and nothing was done in it.
    Silent,
    /// It says nothing since what was asked for began.
    Stuck,
    /// The page script failed: its message.
    Failed(String),
}

/// What a document asks of us, or tells, without being asked.
pub enum Asked {
    /// Whether it is covered.
    Cover(CoverQuestion),
    /// The user pressed Stop in the page.
    Stop,
    /// The page removes what says that it is used.
    LightRemoved,
    /// The user pressed a key or a button in the page, or turned the wheel.
    UserActed {
        /// Whether it was the wheel, which changes nothing of the page.
        scrolls: bool,
    },
}

/// A document asks whether it is covered at this point of its viewport, over its channel and by this number.
pub struct CoverQuestion {
    /// Number of the question.
    pub number: u64,
    /// In CSS pixels.
    pub x: f64,
    /// In CSS pixels.
    pub y: f64,
}

impl DocumentLink {
    /// Listens to a channel until it closes. `on_asked` is called for each question about what covers the
    /// document.
    pub fn over<B: BrowserPort>(
        browser: &B,
        channel: DocumentChannel,
        on_asked: impl Fn(Asked) + 'static,
    ) -> Rc<Self> {
        let DocumentChannel { send, mut heard } = channel;
        let link = Rc::new(Self {
            send: RefCell::new(Some(send)),
            waiting: RefCell::default(),
            last_id: Cell::default(),
            is_closed: Cell::default(),
            token: RefCell::default(),
            heard: Cell::default(),
            has_begun: Cell::default(),
            next_ref: Cell::default(),
        });
        let (weak, clock) = (Rc::downgrade(&link), browser.clone());
        browser.spawn(async move {
            while let Some(Ok(text)) = heard.next().await {
                let Some(link) = weak.upgrade() else { return };
                link.hear(&clock, &text, &on_asked);
            }
            if let Some(link) = weak.upgrade() {
                link.is_closed.set(true);
                link.waiting.borrow_mut().clear();
            }
        });
        link
    }

    fn hear<B: BrowserPort>(self: &Rc<Self>, browser: &B, text: &str, on_asked: &impl Fn(Asked)) {
        self.heard.set(self.heard.get() + 1);
        if text.len() > MOST_BYTES {
            return;
        }
        let Ok(message) = serde_json::from_str::<Value>(text) else { return };
        if let Some(next) = message["next"].as_u64() {
            self.next_ref.set(self.next_ref.get().max(next));
        }
        if let Some(id) = message["id"].as_u64() {
            if let Some(waiting) = self.waiting.borrow_mut().remove(&id) {
                let _ = waiting.send(message);
            }
        } else if let Some(number) = message["ask"].as_u64() {
            match message["what"].as_str() {
                Some("tick") => {
                    let milliseconds = message["ms"].as_u64().unwrap_or(0).min(MOST_TICK_MS);
                    let (weak, clock) = (Rc::downgrade(self), browser.clone());
                    browser.spawn(async move {
                        clock.sleep(milliseconds).await;
                        if let Some(link) = weak.upgrade() {
                            link.answer(number, json!({}));
                        }
                    });
                }
                Some("cover") => {
                    let (x, y) = (message["x"].as_f64().unwrap_or(0.0), message["y"].as_f64().unwrap_or(0.0));
                    on_asked(Asked::Cover(CoverQuestion { number, x, y }));
                }
                Some("begun") => {
                    self.has_begun.set(true);
                    self.answer(number, json!({}));
                }
                Some(_) | None => self.answer(number, json!({})),
            }
        } else {
            match message["event"].as_str() {
                Some("token") => {
                    self.token.replace(message["token"].as_str().unwrap_or_default().to_owned());
                }
                Some("stop") => on_asked(Asked::Stop),
                Some("light-removed") => on_asked(Asked::LightRemoved),
                Some("user") => on_asked(Asked::UserActed { scrolls: message["scrolls"] == true }),
                Some(_) | None => {}
            }
        }
    }

    /// Answers a question of the document.
    pub fn answer(&self, number: u64, mut answer: Value) {
        answer["answer"] = json!(number);
        self.post(&answer);
    }

    /// Sends a request of which no answer is awaited, beside one that runs.
    pub fn tell(&self, mut request: Value) {
        // The id of none that waits.
        request["id"] = json!(0);
        self.post(&request);
    }

    /// Sends a request and waits for its result. Gives up when the document has said nothing for so long.
    ///
    /// # Errors
    /// [`Lost`]
    pub async fn ask<B: BrowserPort>(
        &self,
        browser: &B,
        mut request: Value,
        silence_ms: u64,
    ) -> Result<Value, Lost> {
        if self.is_closed.get() {
            return Err(Lost::Gone);
        }
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        self.has_begun.set(false);
        request["id"] = json!(id);
        let (reply, mut replied) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, reply);
        self.post(&request);
        let (mut heard, mut silent_ms) = (self.heard.get(), 0);
        loop {
            let limit_ms = if self.has_begun.get() { silence_ms.min(BEGUN_SILENCE_MS) } else { silence_ms };
            match select(&mut replied, pin!(browser.sleep(LISTENING_MS))).await {
                Either::Left((Ok(mut message), _)) => {
                    return match message["error"].as_str() {
                        Some(error) => Err(Lost::Failed(error.to_owned())),
                        None => Ok(message["result"].take()),
                    };
                }
                Either::Left((Err(_), _)) => {
                    return Err(if self.has_begun.get() { Lost::Left } else { Lost::Gone });
                }
                Either::Right(_) => {
                    let now = self.heard.get();
                    silent_ms = if now == heard { silent_ms + LISTENING_MS } else { 0 };
                    heard = now;
                    if silent_ms >= limit_ms {
                        self.waiting.borrow_mut().remove(&id);
                        return Err(if self.has_begun.get() { Lost::Stuck } else { Lost::Silent });
                    }
                }
            }
        }
    }

    fn post(&self, message: &Value) {
        if let Some(send) = &*self.send.borrow() {
            send(&message.to_string());
        }
    }

    /// Closes the channel, which ends what runs in the document.
    pub fn close(&self) {
        self.is_closed.set(true);
        self.send.replace(None);
    }

    /// Whether the document is gone, or was given up.
    pub fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// What the frame above sent into the document; empty if nothing was.
    pub fn token(&self) -> String {
        self.token.borrow().clone()
    }

    /// The number that the document's next new ref gets.
    pub fn next_ref(&self) -> u64 {
        self.next_ref.get()
    }
}
