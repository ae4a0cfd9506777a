//! Asks the user about a call.

use std::collections::BTreeSet;

use sidecar_protocol::ActionOutcome;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{Approval, AskReason, is_lasting};
use sidecar_schema::Mistake;

use super::edits::edited;
use super::event::CallEvent;
use super::gate::Gate;
use super::policy;
use super::record::CallRecorder;
use super::tool_call::{Callee, ToolCall};
use super::user::UserDecision;
use crate::browser_tools::failed;
use crate::call_log::mask;
use crate::guard::flow;
use crate::ports::{Clock, Examined, StoreError, ToolHost};

/// The arguments after the user's edits.
struct CheckedArguments {
    arguments: String,
    /// Whether the only mistake is that they do not match a `pattern` or `format`.
    off_pattern: bool,
}

impl<H: ToolHost, C: Clock, R: CallRecorder> Gate<'_, '_, H, C, R> {
    /// Waits for the user's decision about a call, which by now has these arguments. Writes no decision if
    /// the user stops or lifts the guard instead.
    pub(super) async fn approve(&mut self, call: &ToolCall, arguments: &str) -> Result<(), StoreError> {
        let Some(decided) = self.user.decision_about(&call.id).await else { return Ok(()) };
        let UserDecision { decision, edits, mut words, allow_flow } = decided;
        if let Some((end, _)) = words.char_indices().nth(Approval::MOST_WORDS) {
            words.truncate(end);
        }
        let is_hand_over = self.record.state(call).asked().and_then(policy::handed_over).is_some();
        if decision == Decision::Decline || is_hand_over {
            // A page can be slow to put its light out.
            let _ = self.user.unless_stopped(self.tools.dismiss(&call.id)).await;
        }
        let Decision::Run = decision else {
            let (arguments, secrets, off_pattern) = (None, Vec::new(), false);
            return self
                .append(CallEvent::Decided { decision, arguments, secrets, off_pattern, words })
                .await;
        };
        // A tool that is gone has no schema here. The check before the run refuses its call.
        let current = match &call.callee {
            Callee::Tool(target) => self.tools.current_tool(&target.tool).await.ok(),
            Callee::User => None,
        };
        let schema = current.as_ref().and_then(|current| current.schema.as_deref());
        let checked = match checked(call, arguments, edits.as_deref(), schema, self.tools).await {
            Ok(checked) => checked,
            Err((arguments, mistake)) => {
                return self.append(CallEvent::Mistaken { arguments, mistake }).await;
            }
        };
        if allow_flow {
            self.allow_flow(call).await?;
        }
        let CheckedArguments { arguments, off_pattern } = checked;
        let arguments = Some(arguments).filter(|arguments| *arguments != call.arguments);
        let secrets = match &arguments {
            Some(arguments) => mask::secret_places_in(schema, arguments),
            None => Vec::new(),
        };
        self.append(CallEvent::Decided { decision, arguments, secrets, off_pattern, words }).await
    }

    /// Looks whether an action in a page, about which a worker that died asked, is still the same; if not, asks
    /// anew. Returns `false` if it cannot be done any more, or the user stopped.
    pub(super) async fn asks_about_what_is_there(
        &mut self,
        call: &ToolCall,
        arguments: &str,
    ) -> Result<bool, StoreError> {
        let why = self.record.state(call).asked().unwrap_or_default().to_vec();
        let (Callee::Tool(target), Some(asked)) = (&call.callee, AskReason::card_in(&why)) else {
            return Ok(true);
        };
        let examining = self.tools.examine(&call.id, &target.tool, arguments);
        match self.user.unless_stopped(examining).await {
            // What was the user's is not done for the user: of the call itself nobody was asked.
            Some(Ok(Examined { card: Some(card), .. }))
                if asked.by_user.is_some() && card.by_user.is_none() =>
            {
                self.user.forget_decisions(&call.id);
                self.settle(failed(ActionOutcome::Changed, None)).await?;
                Ok(false)
            }
            Some(Ok(Examined { card: Some(card), .. })) if !card.is_about_same(asked) => {
                self.user.forget_decisions(&call.id);
                let mut why = policy::with_card(&why, card);
                if let Some(card) = policy::card_for_picture(&mut why) {
                    match self.user.unless_stopped(self.tools.picture(&call.id)).await {
                        Some(picture) => card.picture = picture,
                        None => return Ok(false),
                    }
                }
                self.append(CallEvent::Asked { why }).await?;
                Ok(true)
            }
            Some(Ok(_)) => Ok(true),
            Some(Err(outcome)) => {
                self.settle(*outcome).await?;
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Writes down that data may flow where this call would send it.
    async fn allow_flow(&mut self, call: &ToolCall) -> Result<(), StoreError> {
        let Callee::Tool(target) = &call.callee else { return Ok(()) };
        let asked = self.record.state(call).asked().unwrap_or_default();
        // What goes to a frame of another origin is allowed this once.
        if AskReason::card_in(asked).is_some_and(|card| !card.frame.is_empty()) {
            return Ok(());
        }
        let to = &flow::destination(target, &call.arguments).origin;
        if !is_lasting(to) {
            return Ok(());
        }
        let origins = origins(self.record.state(call).asked().unwrap_or_default());
        for from in origins {
            self.append(CallEvent::FlowAllowed { from, to: to.clone() }).await?;
        }
        Ok(())
    }
}

/// The origins whose data the call would send, if it asks for these reasons and that can be allowed.
fn origins(why: &[AskReason]) -> BTreeSet<String> {
    let flows =
        why.iter().filter_map(|why| if let AskReason::Flow { flows } = why { Some(flows) } else { None });
    flows.flatten().map(|flow| flow.origin.clone()).filter(|origin| !origin.is_empty()).collect()
}

/// The arguments with the user's edits, checked. The caller's own were checked before.
///
/// # Errors
/// The arguments, and what is wrong with them, as text for a person.
async fn checked(
    call: &ToolCall,
    arguments: &str,
    edits: Option<&str>,
    schema: Option<&str>,
    tools: &impl ToolHost,
) -> Result<CheckedArguments, (String, String)> {
    let arguments = match edits {
        Some(edits) => edited(arguments, edits, schema)?,
        None => arguments.to_owned(),
    };
    let mistake = match schema {
        Some(schema) if arguments != call.arguments => tools.mistake(schema, &arguments).await,
        Some(_) | None => None,
    };
    match mistake {
        Some(Mistake { text, off_pattern: false }) => Err((arguments, text)),
        // The page's pattern may be wrong: the user has seen the arguments and may send them.
        Some(Mistake { off_pattern: true, .. }) => Ok(CheckedArguments { arguments, off_pattern: true }),
        None => Ok(CheckedArguments { arguments, off_pattern: false }),
    }
}
