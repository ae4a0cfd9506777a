//! Repeated calls. Small models repeat a call that succeeded, although nothing has changed since, and each
//! time its tool would act. Nothing has changed while no acting tool has started, the user has said
//! nothing, and the model is offered the same tools in the same documents. A page that changes without any
//! of these does not tell us.
//!
//! The second time, the model is given the earlier result. The third time, an acting tool asks the user,
//! and a read-only one runs again. After a run the count starts anew.

use serde_json::Value;
use sidecar_protocol::CallId;
use sidecar_protocol::content::PageEffect;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_webmcp::Fingerprint;

use crate::browser_tools;
use crate::log::Call;
use crate::model_input::result;

/// The calls of a turn that succeeded since the last change.
#[derive(Default)]
pub(crate) struct Repeats<'a> {
    done: Vec<Done<'a>>,
    /// The tools in the last request.
    offers: Option<&'a Fingerprint>,
    /// The calls that the model was told do not match a pattern or format.
    off_pattern: Vec<&'a Call>,
}

struct Done<'a> {
    call: &'a Call,
    arguments: &'a str,
    /// Whether its result was given again.
    is_repeated: bool,
}

impl Done<'_> {
    /// Whether it is this call with these arguments.
    fn is(&self, call: &Call, arguments: &str) -> bool {
        is_same_tool(self.call, call) && same_json(self.arguments, arguments)
    }
}

/// How a call relates to earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat<'a> {
    /// It is new, or something has changed since.
    No,
    /// This earlier call was the same, and succeeded.
    Done(&'a CallId),
    /// The model repeats it although it was told that it had succeeded.
    Again,
}

impl<'a> Repeats<'a> {
    /// How a new call relates to earlier ones.
    pub(crate) fn of(&self, call: &Call) -> Repeat<'a> {
        match self.done.iter().find(|done| done.is(call, call.arguments())) {
            None => Repeat::No,
            Some(Done { is_repeated: true, .. }) => Repeat::Again,
            Some(Done { call, .. }) => Repeat::Done(&call.id),
        }
    }

    /// Whether the model was told that this very call does not match a pattern or format. A page's pattern
    /// may itself be wrong, and then no call would ever match: if repeated, the call goes to the page,
    /// which decides.
    pub(crate) fn was_told_off_pattern(&self, call: &Call) -> bool {
        call.off_pattern && self.off_pattern.iter().any(|told| is_same(told, call))
    }

    /// The user sent a message, or continued the turn.
    pub(crate) fn forget(&mut self) {
        self.done.clear();
    }

    /// The user said something about a call. That changes what is wanted, except for the call itself.
    pub(crate) fn forget_others(&mut self, call: &Call) {
        self.done.retain(|done| is_same(done.call, call));
    }

    /// The tools in a request. Older logs do not say which.
    pub(crate) fn offer(&mut self, offers: Option<&'a Fingerprint>) {
        if offers.is_none() || self.offers != offers {
            self.forget();
        }
        self.offers = offers;
    }

    /// A call starts.
    pub(crate) fn start(&mut self, call: &Call) {
        if !call.is_read_only() {
            self.forget();
        }
    }

    /// A call has its outcome; it ran with these arguments, or did not run.
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
            // Of an action in a page it is known whether the page changed; of reading it, it is not.
            ToolOutcome::Ok { .. } if has_begun && call.is_browser() => {
                if browser_tools::changed_nothing(outcome) {
                    self.done.retain(|done| !done.is(call, arguments));
                    self.done.push(Done { call, arguments, is_repeated: false });
                } else if !call.is_read_only() {
                    self.forget();
                }
            }
            ToolOutcome::Ok { page: PageEffect::Stayed, .. } if has_begun => {
                self.done.retain(|done| !done.is(call, arguments));
                self.done.push(Done { call, arguments, is_repeated: false });
            }
            // A call that navigated ran in a document that is gone.
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

/// Whether two calls mean the same tool, with the same definition and in the same document.
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
