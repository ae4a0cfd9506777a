//! Commands for running turns. A turn that was running has already received them ([`crate::turns`]); this
//! module handles what the turn itself does not.

use sidecar_agent::browser_tools::{self, BrowserCall, PAGE_ACCESS};
use sidecar_protocol::link::{Answer, Control, TurnControl};
use sidecar_protocol::policy::Decision;
use sidecar_protocol::{CallId, PageAccess, ThreadId, ToolRef};

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;

impl<B: CodeParts> Actor<B> {
    pub(super) async fn turn(&mut self, told: TurnControl, is_told: bool) -> Answered {
        // The turn may have started while the command was in the queue.
        let is_running = is_told || self.turns.control(&told);
        let TurnControl { thread_id, control } = told;
        let Some(thread_id) = thread_id else { return Ok(Some(Answer::Done)) };
        match control {
            Control::Decide { call_id, decision: Decision::Run, allow, .. } => {
                match self.requested_access(&thread_id, &call_id) {
                    Some((origin, access)) => self.give_access(&thread_id, &origin, access, allow).await,
                    None if allow => self.allow(&thread_id, &call_id).await,
                    None => Ok(Some(Answer::Done)),
                }
            }
            Control::LiftGuard if !is_running => {
                // A running turn lifts the guard itself: nobody else writes to its log.
                let lifted = self.chat.lift_guard(&thread_id, self.browser.now()).await;
                self.do_effects().await;
                lifted?;
                Ok(Some(Answer::Done))
            }
            Control::Stop
            | Control::Decide { decision: Decision::Decline, .. }
            | Control::WaitLonger { .. }
            | Control::LiftGuard => Ok(Some(Answer::Done)),
        }
    }

    /// The origin and the access that a call requests, if it requests the use of a page.
    fn requested_access(&self, thread: &ThreadId, call: &CallId) -> Option<(String, PageAccess)> {
        let target = self.chat.threads.target_of_call(thread, call)?;
        match target.tool {
            ToolRef::Browser { .. } if target.tool.name() == PAGE_ACCESS => {}
            ToolRef::Browser { .. } | ToolRef::Page(_) | ToolRef::Skill { .. } | ToolRef::Mcp { .. } => {
                return None;
            }
        }
        match browser_tools::read(PAGE_ACCESS, &self.chat.threads.arguments_of_call(thread, call)?) {
            Ok(BrowserCall::Access(access)) => Some((target.origin, access)),
            Ok(_) | Err(_) => None,
        }
    }

    /// Lets the agent use the pages of an origin: in every thread, or in this one.
    async fn give_access(
        &mut self,
        thread: &ThreadId,
        origin: &str,
        access: PageAccess,
        for_good: bool,
    ) -> Answered {
        if !for_good {
            self.access.give(thread, origin, access).await;
            self.show_pages();
            return Ok(Some(Answer::Done));
        }
        let kept = self.tabs.give_access(origin, access, self.browser.now()).await;
        self.policies_kept(kept).await
    }

    /// Allows the tool of a call from now on.
    async fn allow(&mut self, thread: &ThreadId, call: &CallId) -> Answered {
        let Some(target) = self.chat.threads.target_of_call(thread, call) else {
            return Ok(Some(Answer::Done));
        };
        let (asked, now) = (target.fingerprint.as_ref(), self.browser.now());
        let kept = match &target.tool {
            ToolRef::Browser { .. } => self.tabs.allow_action(&target.tool, &target.origin, asked, now).await,
            ToolRef::Page(_) | ToolRef::Skill { .. } | ToolRef::Mcp { .. } => {
                self.tabs.allow(&target.tool, asked, now).await
            }
        };
        self.policies_kept(kept).await
    }
}
