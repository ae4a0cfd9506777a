//! The way back to a panel for work that takes its time.

use sidecar_protocol::link::{Answer, Refusal, Reply};

use crate::browser::BrowserPort;
use crate::event::{Asker, SessionEvent};

/// What a request came to; `None` when a task of its own replies later.
pub type Answered = Result<Option<Answer>, Refusal>;

/// Replies to one request from a task of its own.
#[derive(Debug, Clone)]
pub struct Replies<B> {
    browser: B,
    asker: Asker,
}

impl<B: BrowserPort> Replies<B> {
    pub fn new(browser: B, asker: Asker) -> Self {
        Self { browser, asker }
    }

    /// A part of the answer; further ones follow.
    pub fn part(&self, answer: Answer) {
        self.send(Ok(answer), true);
    }

    /// The end of the answer.
    pub fn end(self, result: Result<Answer, Refusal>) {
        self.send(result, false);
    }

    fn send(&self, result: Result<Answer, Refusal>, more: bool) {
        let Asker { link, request: id } = self.asker;
        self.browser.post(SessionEvent::Answered { link, reply: Box::new(Reply { id, result, more }) });
    }
}
