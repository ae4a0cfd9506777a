//! Calls that a model makes again. Small models repeat a call that succeeded though nothing has changed since, and each time
//! its tool would act. Nothing has changed while no tool that acts has begun, the user has said nothing, and the model is
//! offered the same tools in the same documents. A page that changes without any of these says nothing of it to us.
//!
//! The second time the model is given the earlier result; the third time a tool that acts asks the user, and one that reads
//! is read anew. What runs again begins anew.

use serde_json::Value;
use sidecar_protocol::CallId;
use sidecar_protocol::content::PageEffect;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_webmcp::Fingerprint;

use crate::log::Call;
use crate::model_input::result;

/// The calls of a turn that succeeded and that nothing has changed since.
#[derive(Default)]
pub(crate) struct Repeats<'a> {
    done: Vec<Done<'a>>,
    /// The tools that the model was last offered.
    offers: Option<&'a Fingerprint>,
    /// The calls of which the model was told that they do not fit a pattern or format.
    off_pattern: Vec<&'a Call>,
}

struct Done<'a> {
    call: &'a Call,
    arguments: &'a str,
    /// Whether its result was given again.
    is_repeated: bool,
}

impl Done<'_> {
    /// Whether it was this call, with these arguments.
    fn is(&self, call: &Call, arguments: &str) -> bool {
        is_same_tool(self.call, call) && same_json(self.arguments, arguments)
    }
}

/// What a call is to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat<'a> {
    /// It was not made, or something has changed since.
    No,
    /// It was done by this call.
    Done(&'a CallId),
    /// The model made it again although it was told that it was done.
    Again,
}

impl<'a> Repeats<'a> {
    /// What a call is that the model makes now.
    pub(crate) fn of(&self, call: &Call) -> Repeat<'a> {
        match self.done.iter().find(|done| done.is(call, call.arguments())) {
            None => Repeat::No,
            Some(Done { is_repeated: true, .. }) => Repeat::Again,
            Some(Done { call, .. }) => Repeat::Done(&call.id),
        }
    }

    /// Whether the model was told that this same call does not fit a pattern or format. A page's pattern may be wrong
    /// itself, and then nothing would ever fit it: made again, the call goes to the page, which decides.
    pub(crate) fn was_told_off_pattern(&self, call: &Call) -> bool {
        call.off_pattern && self.off_pattern.iter().any(|told| is_same(told, call))
    }

    /// The user said something, or went on.
    pub(crate) fn forget(&mut self) {
        self.done.clear();
    }

    /// The user said something to a call: what was done before is not what is wanted now, but for the call itself.
    pub(crate) fn forget_others(&mut self, call: &Call) {
        self.done.retain(|done| is_same(done.call, call));
    }

    /// The model is offered these tools. Logs of before this was kept do not say which.
    pub(crate) fn offer(&mut self, offers: Option<&'a Fingerprint>) {
        if offers.is_none() || self.offers != offers {
            self.forget();
        }
        self.offers = offers;
    }

    /// A call begins.
    pub(crate) fn start(&mut self, call: &Call) {
        if !call.is_read_only() {
            self.forget();
        }
    }

    /// A call that began with these arguments, or did not begin, has its outcome.
    pub(crate) fn finish(
        &mut self,
        call: &'a Call,
        arguments: &'a str,
        has_begun: bool,
        outcome: &ToolOutcome,
    ) {
        self.off_pattern.extend(Some(call).filter(|call| call.off_pattern));
        match &*result::read(outcome) {
            ToolOutcome::Repeated { .. } => {
                let again = self.done.iter_mut().filter(|done| done.is(call, arguments));
                again.for_each(|done| done.is_repeated = true);
            }
            ToolOutcome::Ok { page: PageEffect::Stayed, .. } if has_begun => {
                self.done.retain(|done| !done.is(call, arguments));
                self.done.push(Done { call, arguments, is_repeated: false });
            }
            // What took its page away is in a document that is gone.
            ToolOutcome::Ok { .. }
            | ToolOutcome::Failed { .. }
            | ToolOutcome::Declined
            | ToolOutcome::Interrupted
            | ToolOutcome::TimedOut { .. }
            | ToolOutcome::Cancelled => {}
        }
    }
}

/// Whether two calls are the same, as the model wrote them.
fn is_same(one: &Call, other: &Call) -> bool {
    is_same_tool(one, other) && same_json(one.arguments(), other.arguments())
}

/// Whether two calls mean the same tool, as it was defined then and in the same document.
fn is_same_tool(one: &Call, other: &Call) -> bool {
    match (&one.target, &other.target) {
        (Some(one), Some(other)) => one.tool == other.tool && one.fingerprint == other.fingerprint,
        _ => false,
    }
}

fn same_json(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || value(one).is_some_and(|one| value(other) == Some(one))
}
