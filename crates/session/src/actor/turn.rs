//! Commands for running turns. A turn that was running has already received them ([`crate::turns`]); this
//! module handles what the turn itself does not.

use sidecar_protocol::link::{Answer, Control, TurnControl};
use sidecar_protocol::policy::Decision;
use sidecar_protocol::{CallId, ThreadId};

use super::Actor;
use super::replies::Answered;
use crate::browser::BrowserPort;

impl<B: BrowserPort> Actor<B> {
    pub(super) async fn turn(&mut self, told: TurnControl, is_told: bool) -> Answered {
        // The turn may have started while the command was in the queue.
        let is_running = is_told || self.turns.control(&told);
        let TurnControl { thread_id, control } = told;
        match control {
            Control::Decide { call_id, decision: Decision::Run, allow: true, .. } => {
                self.allow(&thread_id, &call_id).await
            }
            Control::LiftGuard if !is_running => {
                // A running turn lifts the guard itself: nobody else writes to its log.
                let lifted = self.chat.lift_guard(&thread_id, self.browser.now()).await;
                self.do_effects().await;
                lifted?;
                Ok(Some(Answer::Done))
            }
            Control::Stop | Control::Decide { .. } | Control::WaitLonger { .. } | Control::LiftGuard => {
                Ok(Some(Answer::Done))
            }
        }
    }

    /// Allows the tool of a call from now on.
    async fn allow(&mut self, thread: &ThreadId, call: &CallId) -> Answered {
        let Some(target) = self.chat.threads.target_of_call(thread, call) else {
            return Ok(Some(Answer::Done));
        };
        let kept = self.tabs.allow(&target.tool, target.fingerprint.as_ref(), self.browser.now()).await;
        self.policies_kept(kept)
    }
}
