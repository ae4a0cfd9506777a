//! Replies from tasks of their own.

use sidecar_protocol::link::{Answer, Refusal, Reply};

use crate::browser::BrowserPort;
use crate::event::{Asker, RequestEvent};

/// The answer to a request; `None` if a task of its own replies later.
pub type Answered = Result<Option<Answer>, Refusal>;

/// Replies to one request, from a task of its own.
#[derive(Debug, Clone)]
pub struct Replies<B> {
    browser: B,
    asker: Asker,
}

impl<B: BrowserPort> Replies<B> {
    pub fn new(browser: B, asker: Asker) -> Self {
        Self { browser, asker }
    }

    /// Sends a part of the answer; further parts follow.
    pub fn part(&self, answer: Answer) {
        self.send(Ok(answer), true);
    }

    /// Sends the last part of the answer.
    pub fn end(self, result: Result<Answer, Refusal>) {
        self.send(result, false);
    }

    fn send(&self, result: Result<Answer, Refusal>, more: bool) {
        let Asker { link, request: id } = self.asker;
        self.browser.post(RequestEvent::Answered { link, reply: Box::new(Reply { id, result, more }) });
    }
}
