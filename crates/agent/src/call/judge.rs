//! A call of which nobody said anything yet: it runs, asks, or is refused.

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
    /// Holds a call against what its tool is now, and against the user's policy. One that is a question asks.
    pub(super) async fn judge(&mut self, call: &ToolCall) -> Result<Option<Exit>, StoreError> {
        let Callee::Tool(target) = &call.callee else {
            self.append(CallEvent::Asked { why: Vec::new() }).await?;
            return Ok(None);
        };
        let current = match self.tools.current_tool(&target.tool).await {
            Ok(current) => current,
            Err(code) => return self.refuse(code, String::new()).await.map(Some),
        };
        if let Some(mistake) = self.mistake(call, target, &current).await {
            return self.refuse(ToolFailure::BadArguments, mistake).await.map(Some);
        }
        let signals = self.record.signals(call, target, &current);
        match policy::judge(call, target, &current, self.user.mode, signals) {
            Verdict::Pass(allowed_by) => {
                self.run_tool(call, target, &call.arguments, allowed_by).await.map(Some)
            }
            Verdict::Ask(why) => {
                self.append(CallEvent::Asked { why }).await?;
                Ok(None)
            }
            Verdict::Off => self.refuse(ToolFailure::Off, String::new()).await.map(Some),
        }
    }

    /// What is wrong with a call's arguments by the schema that its tool has now, unless they were checked by this very
    /// schema. A page's own pattern may be wrong: a person who calls by hand sees the arguments, and may send them.
    async fn mistake(&self, call: &ToolCall, target: &Target, current: &CurrentTool) -> Option<String> {
        let is_same = target.fingerprint.as_ref().is_none_or(|then| *then == current.fingerprint);
        let schema = current.schema.as_deref().filter(|_| !(call.is_checked && is_same))?;
        match self.tools.mistake(schema, &call.arguments).await? {
            Mistake { off_pattern: true, .. } if call.caller == Caller::User => None,
            Mistake { text, .. } => Some(text),
        }
    }
}
