//! A tool's time while its page waits for the user: it stands still, within reason.

use sidecar_protocol::page::{InteractionKind, InteractionPhase};
use sidecar_protocol::{CallId, DocumentId, Timestamp};

use crate::log::Event;

/// Waits of one call that stop its time. A page that asks for more is not waiting for anybody.
const MAX_WAITS: u32 = 20;

/// What a page says of its waiting, with what the browser says of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// The document that says it, by the browser's word.
    pub document: DocumentId,
    /// The call it speaks of, by the page's own word.
    pub call: CallId,
    /// Whether the wait begins or ends.
    pub phase: InteractionPhase,
    /// What for.
    pub kind: InteractionKind,
}

/// The waits of a call that runs, and how long it has run without them.
#[derive(Debug)]
pub(crate) struct Waits<'c> {
    call: &'c CallId,
    document: &'c DocumentId,
    /// Begun and not ended. A tool may ask for several things at once.
    open: u32,
    begun: u32,
    ran_ms: u64,
    /// When its time last began to run.
    since: Timestamp,
}

impl<'c> Waits<'c> {
    /// None yet, of a call that begins now in this document.
    pub(crate) fn of(call: &'c CallId, document: &'c DocumentId, now: Timestamp) -> Self {
        Self { call, document, open: 0, begun: 0, ran_ms: 0, since: now }
    }

    /// Whether the page waits.
    pub(crate) fn is_on(&self) -> bool {
        self.open > 0
    }

    /// How long the call has run, in milliseconds.
    pub(crate) fn ran_ms(&self, now: Timestamp) -> u64 {
        if self.is_on() { self.ran_ms } else { self.ran_ms + now.saturating_sub(self.since) }
    }

    /// Takes note of what a page says, if it is this call's page and speaks of this call. What is to be logged.
    pub(crate) fn hear(&mut self, said: &Interaction, now: Timestamp) -> Option<Event> {
        if said.call != *self.call || said.document != *self.document {
            return None;
        }
        match said.phase {
            InteractionPhase::Started if self.begun < MAX_WAITS => {
                let ran_ms = self.ran_ms(now);
                self.begun += 1;
                self.open += 1;
                self.ran_ms = ran_ms;
                (self.open == 1).then(|| Event::WaitStarted { call: self.call.clone(), kind: said.kind })
            }
            InteractionPhase::Ended if self.is_on() => {
                self.open -= 1;
                if self.is_on() {
                    return None;
                }
                self.since = now;
                Some(Event::WaitEnded { call: self.call.clone() })
            }
            InteractionPhase::Started | InteractionPhase::Ended => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTED: InteractionPhase = InteractionPhase::Started;
    const ENDED: InteractionPhase = InteractionPhase::Ended;

    fn said(document: &str, call: &str, phase: InteractionPhase) -> Interaction {
        let (document, call) = (DocumentId::from(document), CallId::from(call));
        Interaction { document, call, phase, kind: InteractionKind::Form }
    }

    #[test]
    fn time_stands_still_while_anything_is_waited_for() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, &document, 1_000);
        let mut hear = |phase, now| (waits.hear(&said("d", "c", phase), now).is_some(), waits.ran_ms(now));
        assert_eq!(hear(ENDED, 1_100), (false, 100), "what never began does not end");
        assert_eq!(hear(STARTED, 1_300), (true, 300));
        assert_eq!(hear(STARTED, 5_000), (false, 300), "a second thing at once");
        assert_eq!(hear(ENDED, 9_000), (false, 300));
        assert_eq!(hear(ENDED, 20_000), (true, 300));
        assert_eq!(waits.ran_ms(20_400), 700);
    }

    #[test]
    fn only_the_page_of_the_call_is_heard_and_only_of_its_call() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, &document, 0);
        assert_eq!(waits.hear(&said("another", "c", STARTED), 1), None);
        assert_eq!(waits.hear(&said("d", "another", STARTED), 1), None);
        assert_eq!(waits.ran_ms(50), 50);
    }

    #[test]
    fn a_page_cannot_stop_the_time_for_ever_by_asking_again_and_again() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, &document, 0);
        for _ in 0..MAX_WAITS {
            assert!(waits.hear(&said("d", "c", STARTED), 10).is_some());
            assert!(waits.hear(&said("d", "c", ENDED), 10).is_some());
        }
        assert_eq!(waits.hear(&said("d", "c", STARTED), 10), None);
        assert_eq!(waits.ran_ms(50), 50);
    }
}
