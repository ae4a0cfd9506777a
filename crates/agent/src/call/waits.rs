//! A tool's time while its page waits for the user: it is paused, up to a limit.

use sidecar_protocol::page::{InteractionKind, InteractionPhase};
use sidecar_protocol::{CallId, DocumentId, Timestamp};

use super::event::CallEvent;

/// Maximum number of waits of one call that pause its time. A page that asks more often is not waiting for
/// anybody.
const MAX_WAITS: u32 = 20;

/// Maximum total time that the waits of one call pause its time, in milliseconds. A user who is there has
/// decided by then, or can wait longer. A page that never ends its wait cannot hold a turn for ever.
const MOST_WAITED_MS: u64 = 600_000;

/// A page's message that it waits for the user, with the browser's facts about the sender; or that of a SKILL's tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// The document that sent it, as the browser says; `None` for a tool of a SKILL.
    pub document: Option<DocumentId>,
    /// The call it refers to, as the page says.
    pub call: CallId,
    /// Whether the wait starts or ends.
    pub phase: InteractionPhase,
    /// What the page asks for.
    pub kind: InteractionKind,
}

/// The waits of a call so far, derived from its events. Waits in workers that died count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitHistory {
    begun: u32,
    waited_ms: u64,
    /// Start of the wait that has not ended.
    since: Option<Timestamp>,
}

impl WaitHistory {
    /// A wait begins.
    pub(super) fn begin(&mut self, at: Timestamp) {
        self.begun += 1;
        self.since = Some(at);
    }

    /// The wait ended, or its worker died before this moment.
    pub(super) fn end(&mut self, at: Timestamp) {
        self.waited_ms += self.since.take().map_or(0, |since| at.saturating_sub(since));
    }
}

/// The waits of a running call, and how long it has run without them.
#[derive(Debug)]
pub(crate) struct Waits<'c> {
    call: &'c CallId,
    document: Option<&'c DocumentId>,
    /// Number of open waits: a tool can ask for several things at once.
    open: u32,
    begun: u32,
    ran_ms: u64,
    waited_ms: u64,
    /// When its time was last resumed or paused.
    since: Timestamp,
}

impl<'c> Waits<'c> {
    /// The waits of a call that starts now in this document. If it had started in a worker that died, its
    /// waits there count.
    pub(crate) fn of(
        call: &'c CallId,
        document: Option<&'c DocumentId>,
        now: Timestamp,
        history: WaitHistory,
    ) -> Self {
        let WaitHistory { begun, waited_ms, since: _ } = history;
        Self { call, document, open: 0, begun, ran_ms: 0, waited_ms, since: now }
    }

    /// Whether the page waits.
    pub(crate) fn is_on(&self) -> bool {
        self.open > 0
    }

    /// How long the call has run, in milliseconds.
    pub(crate) fn ran_ms(&self, now: Timestamp) -> u64 {
        if self.is_on() { self.ran_ms } else { self.ran_ms + now.saturating_sub(self.since) }
    }

    /// How long the page may still wait, in milliseconds; `None` if it does not wait.
    pub(crate) fn left_ms(&self, now: Timestamp) -> Option<u64> {
        let waited_ms = self.waited_ms + now.saturating_sub(self.since);
        self.is_on().then(|| MOST_WAITED_MS.saturating_sub(waited_ms))
    }

    /// Ends a wait that takes too long, which resumes the call's time. Returns the event to log.
    pub(crate) fn end_if_too_long(&mut self, now: Timestamp) -> Option<CallEvent> {
        (self.left_ms(now) == Some(0)).then(|| self.end(now))
    }

    fn end(&mut self, now: Timestamp) -> CallEvent {
        self.open = 0;
        self.waited_ms += now.saturating_sub(self.since);
        self.since = now;
        CallEvent::WaitEnded
    }

    /// Handles a page's message if it comes from this call's document and refers to this call. Returns the
    /// event to log.
    pub(crate) fn hear(&mut self, said: &Interaction, now: Timestamp) -> Option<CallEvent> {
        if said.call != *self.call || said.document.as_ref() != self.document {
            return None;
        }
        match said.phase {
            InteractionPhase::Started if self.begun < MAX_WAITS && self.waited_ms < MOST_WAITED_MS => {
                self.begun += 1;
                self.open += 1;
                (self.open == 1).then(|| {
                    self.ran_ms += now.saturating_sub(self.since);
                    self.since = now;
                    CallEvent::WaitStarted { kind: said.kind }
                })
            }
            InteractionPhase::Ended if self.open > 1 => {
                self.open -= 1;
                None
            }
            InteractionPhase::Ended if self.is_on() => Some(self.end(now)),
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
        Interaction { document: Some(document), call, phase, kind: InteractionKind::Form }
    }

    #[test]
    fn time_limit_pauses_while_any_wait_is_open() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, Some(&document), 1_000, WaitHistory::default());
        let mut hear = |phase, now| (waits.hear(&said("d", "c", phase), now).is_some(), waits.ran_ms(now));
        assert_eq!(hear(ENDED, 1_100), (false, 100), "what never began does not end");
        assert_eq!(hear(STARTED, 1_300), (true, 300));
        assert_eq!(hear(STARTED, 5_000), (false, 300), "a second thing at once");
        assert_eq!(hear(ENDED, 9_000), (false, 300));
        assert_eq!(hear(ENDED, 20_000), (true, 300));
        assert_eq!(waits.ran_ms(20_400), 700);
    }

    #[test]
    fn wait_is_ignored_from_another_document_or_for_another_call() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, Some(&document), 0, WaitHistory::default());
        assert_eq!(waits.hear(&said("another", "c", STARTED), 1), None);
        assert_eq!(waits.hear(&said("d", "another", STARTED), 1), None);
        assert_eq!(waits.ran_ms(50), 50);
    }

    #[test]
    fn page_cannot_pause_the_time_limit_for_ever_by_repeated_waits() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, Some(&document), 0, WaitHistory::default());
        for _ in 0..MAX_WAITS {
            assert!(waits.hear(&said("d", "c", STARTED), 10).is_some());
            assert!(waits.hear(&said("d", "c", ENDED), 10).is_some());
        }
        assert_eq!(waits.hear(&said("d", "c", STARTED), 10), None);
        assert_eq!(waits.ran_ms(50), 50);
    }

    #[test]
    fn wait_that_never_ends_pauses_the_time_limit_only_for_a_while() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut waits = Waits::of(&call, Some(&document), 0, WaitHistory::default());
        assert!(waits.hear(&said("d", "c", STARTED), 1_000).is_some());
        assert_eq!(
            (waits.left_ms(2_000), waits.end_if_too_long(2_000)),
            (Some(MOST_WAITED_MS - 1_000), None)
        );
        let end = 1_000 + MOST_WAITED_MS;
        assert_eq!(waits.end_if_too_long(end), Some(CallEvent::WaitEnded));
        assert_eq!((waits.left_ms(end), waits.ran_ms(end + 500)), (None, 1_500));
        assert_eq!(waits.hear(&said("d", "c", ENDED), end), None, "it is over already");
        assert_eq!(waits.hear(&said("d", "c", STARTED), end), None, "and begins no more");
    }

    #[test]
    fn waits_of_workers_that_died_count() {
        let (call, document) = (CallId::from("c"), DocumentId::from("d"));
        let mut history = WaitHistory::default();
        history.end(0);
        history.begin(1_000);
        history.end(500_000);
        history.begin(900_000);
        history.end(900_500);
        let mut waits = Waits::of(&call, Some(&document), 1_000_000, history);
        assert!(waits.hear(&said("d", "c", STARTED), 1_000_000).is_some());
        assert_eq!(waits.left_ms(1_000_000), Some(MOST_WAITED_MS - 499_500));
    }
}
