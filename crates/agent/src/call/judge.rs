//! Judges a new call: it runs, asks, or is refused.

use sidecar_protocol::ActionOutcome;
use sidecar_protocol::thread::ToolFailure;
use sidecar_protocol::tool::Caller;
use sidecar_schema::Mistake;

use super::event::CallEvent;
use super::gate::{Exit, Gate};
use super::policy::{self, Verdict};
use super::record::CallRecorder;
use super::tool_call::{Callee, ToolCall};
use crate::log::Target;
use crate::ports::{Clock, CurrentTool, StoreError, ToolHost};

impl<H: ToolHost, C: Clock, R: CallRecorder> Gate<'_, '_, H, C, R> {
    /// Judges a call by its current tool and the user's policy. A question always asks.
    pub(super) async fn judge(&mut self, call: &ToolCall) -> Result<Option<Exit>, StoreError> {
        let Callee::Tool(target) = &call.callee else {
            self.append(CallEvent::Asked { why: Vec::new() }).await?;
            return Ok(None);
        };
        let mut current = match self.tools.current_tool(&target.tool).await {
            Ok(current) => current,
            Err(code) => return self.refuse(code, String::new()).await.map(Some),
        };
        if is_another(call, target, &current) {
            return self.refuse(ToolFailure::Changed, String::new()).await.map(Some);
        }
        if current.has_left(target) {
            let message =
                "The tab has gone to another site since this call was made. Take a new snapshot first.";
            let code = ToolFailure::Action(ActionOutcome::Navigated);
            return self.refuse(code, message.to_owned()).await.map(Some);
        }
        if let Some(schema) = unchecked_schema(call, target, &current) {
            if let Some(mistake) = self.mistake(call, schema).await {
                return self.refuse(ToolFailure::BadArguments, mistake).await.map(Some);
            }
            // That took time. Meanwhile the user may have sent commands, and the page may have changed the
            // tool.
            self.user.hear_what_waits();
            if self.user.stopped {
                return Ok(None);
            }
            match self.tools.current_tool(&target.tool).await {
                Ok(now) if is_another(call, target, &now) => {
                    return self.refuse(ToolFailure::Changed, String::new()).await.map(Some);
                }
                Ok(now) if now.fingerprint == current.fingerprint => current = now,
                Ok(_) => return Ok(None),
                Err(code) => return self.refuse(code, String::new()).await.map(Some),
            }
        }
        let examining = self.tools.examine(&call.id, &target.tool, &call.arguments);
        let examined = match self.user.unless_stopped(examining).await {
            Some(Ok(examined)) => examined,
            Some(Err(outcome)) => return self.settle(*outcome).await.map(Some),
            None => return Ok(None),
        };
        // What acts in a frame tells the frame, not the page around it.
        let in_frame = examined.frame_origin.clone().map(|origin| {
            let site = examined.card.as_ref().map(|card| card.frame.clone()).unwrap_or_default();
            Target { origin, site, ..target.clone() }
        });
        let signals = self.record.signals(call, in_frame.as_ref().unwrap_or(target), &current);
        match policy::judge(call, target, &current, self.user.mode, signals, examined) {
            Verdict::Pass(allowed_by) => {
                self.run_tool(call, target, &call.arguments, allowed_by).await.map(Some)
            }
            Verdict::Ask(mut why) => {
                if let Some(card) = policy::card_for_picture(&mut why) {
                    match self.user.unless_stopped(self.tools.picture(&call.id)).await {
                        Some(picture) => card.picture = picture,
                        None => return Ok(None),
                    }
                }
                self.append(CallEvent::Asked { why }).await?;
                Ok(None)
            }
            Verdict::Off => {
                let _ = self.user.unless_stopped(self.tools.dismiss(&call.id)).await;
                self.refuse(ToolFailure::Off, String::new()).await.map(Some)
            }
        }
    }

    /// What is wrong with a call's arguments by a schema. A page's own pattern may be wrong, so a person
    /// who calls by hand, and sees the arguments, may send them.
    async fn mistake(&self, call: &ToolCall, schema: &str) -> Option<String> {
        match self.tools.mistake(schema, &call.arguments).await? {
            Mistake { off_pattern: true, .. } if call.caller == Caller::User => None,
            Mistake { text, .. } => Some(text),
        }
    }
}

/// Whether the tool of a call by hand, or of an eval, is another one than was seen: nobody said yes to it.
fn is_another(call: &ToolCall, target: &Target, current: &CurrentTool) -> bool {
    matches!(call.caller, Caller::User | Caller::Eval)
        && target.fingerprint.as_ref().is_some_and(|seen| *seen != current.fingerprint)
}

/// The current schema of a call's tool, unless the arguments were checked by this very schema.
fn unchecked_schema<'s>(call: &ToolCall, target: &Target, current: &'s CurrentTool) -> Option<&'s str> {
    let is_same = target.fingerprint.as_ref().is_none_or(|then| *then == current.fingerprint);
    current.schema.as_deref().filter(|_| !(call.is_checked && is_same))
}
