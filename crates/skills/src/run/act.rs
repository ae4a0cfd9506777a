//! Steps that do something in the page.

use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;

use super::conditions::INTERVAL_MS;
use super::elements::Found;
use super::{ActionKind, Runner, StepAction, StepPort, Stop};
use crate::definition::condition::{Condition, ElementState, One};
use crate::definition::locator::At;
use crate::definition::step::{StepKind, Then, ThenWord};
use crate::template;

impl<P: StepPort> Runner<'_, P> {
    /// Does what a step says to the one element that it names.
    pub(super) async fn act(&mut self, kind: &StepKind, limit: u64) -> Result<(), Stop> {
        let text = |template: &Value| {
            template::filled_text(template, &self.values).ok_or(Stop::Failed(ActionOutcome::BadInput))
        };
        let (at, value) = match kind {
            StepKind::Click { at, .. } | StepKind::Hover { at } => (Some(at), String::new()),
            StepKind::Fill { at, value } => (Some(at), text(value)?),
            StepKind::Choose { at, option } => (Some(at), text(option)?),
            StepKind::Check { at, on } => (Some(at), text(on)?),
            StepKind::Press { at, .. } => (at.as_ref(), String::new()),
            _ => return Ok(()),
        };
        let action = match kind {
            StepKind::Click { count, .. } => ActionKind::Click { count: count.unwrap_or(1) },
            StepKind::Fill { .. } => ActionKind::Fill(&value),
            StepKind::Choose { .. } => ActionKind::Choose(&value),
            StepKind::Check { .. } => ActionKind::Check(match value.as_str() {
                "true" => true,
                "false" => false,
                _ => return Err(ActionOutcome::BadInput.into()),
            }),
            StepKind::Press { key, .. } => ActionKind::Press(key),
            _ => ActionKind::Hover,
        };
        let target = match at {
            Some(at) => self.target(at, limit).await?,
            None => String::new(),
        };
        let before = self.port.document().await;
        self.port.act(StepAction { target: &target, kind: action, limit_ms: limit }).await?;
        match kind {
            StepKind::Click { then, .. } => self.then(then, before, limit).await,
            // A key may send a form.
            StepKind::Press { .. } => self.arrived().await,
            _ => Ok(()),
        }
    }

    /// The ref of the one visible element that a locator finds.
    async fn target(&mut self, at: &At, limit: u64) -> Result<String, Stop> {
        let end = self.port.now().saturating_add_unsigned(limit);
        loop {
            let locator = self.locator(at, true)?;
            let answer = self.port.ask(json!({"do": "locate", "locator": locator.json})).await?;
            let found: Found = serde_json::from_value(answer).unwrap_or_default();
            if found.count > 0 || self.port.now() >= end {
                self.take(&found, &locator)?;
                // Of two elements nobody can say which one was meant.
                return match (found.count, found.r#ref) {
                    (1, Some(target)) => Ok(target),
                    _ => Err(ActionOutcome::Changed.into()),
                };
            }
            self.changes_before(end).await;
        }
    }

    /// Whether a click brought about what it should.
    async fn then(&mut self, then: &Then, before: Option<String>, limit: u64) -> Result<(), Stop> {
        let (at, is) = match then {
            Then::Word(ThenWord::None) => return self.arrived().await,
            Then::Word(ThenWord::Navigation) => {
                let end = self.port.now().saturating_add_unsigned(limit);
                while self.port.document().await == before {
                    if self.port.now() >= end {
                        return Err(ActionOutcome::Changed.into());
                    }
                    self.port.sleep(INTERVAL_MS).await;
                }
                return self.arrived().await;
            }
            Then::Appears { appears } => (appears, ElementState::Visible),
            Then::Gone { gone } => (gone, ElementState::Absent),
        };
        let condition =
            Condition::One(Box::new(One { at: Some(at.clone()), is: Some(is), ..One::default() }));
        let came = self.comes_true(&condition, limit).await?;
        if !self.is_within(&self.page.url) {
            return Err(ActionOutcome::Left.into());
        }
        if came { Ok(()) } else { Err(ActionOutcome::Changed.into()) }
    }
}
