//! Whether conditions hold.

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;

use super::elements::{Found, PageLocator};
use super::{AskPort, PageFacts, Runner, StepPort, Stop};
use crate::definition::condition::{Condition, ElementState, One};
use crate::pattern::MatchPattern;

/// The shortest time between two looks at what is waited for, in milliseconds.
pub(super) const INTERVAL_MS: u64 = 100;

/// How often a page is looked at in which nothing changes, in milliseconds.
const LOOK_AGAIN_MS: u64 = 500;

/// What the page says of the elements of conditions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Looked {
    url: String,
    lang: String,
    found: Vec<FoundState>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct FoundState {
    #[serde(flatten)]
    found: Found,
    visible: bool,
    enabled: bool,
    text: bool,
}

impl<P: AskPort> Runner<'_, P> {
    /// Whether each of these holds.
    pub(super) async fn conditions(&mut self, parts: &[One]) -> Result<Vec<bool>, Stop> {
        let mut asked: Vec<(usize, PageLocator)> = Vec::new();
        let mut requests = Vec::new();
        for (number, one) in parts.iter().enumerate() {
            let Some(at) = &one.at else { continue };
            let locator = self.locator(at, false)?;
            let mut request = json!({"locator": locator.json});
            if let Some(text) = &one.text {
                let words = text.on(&self.page.language).ok_or(Stop::Failed(ActionOutcome::Changed))?;
                request["text"] = json!(words);
            }
            requests.push(request);
            asked.push((number, locator));
        }
        let answer = self.port.ask(json!({"do": "conditions", "conditions": requests})).await?;
        let looked = Looked::deserialize(&answer).unwrap_or_default();
        self.page = PageFacts { url: looked.url, language: looked.lang };
        let mut holds: Vec<bool> = parts.iter().map(|one| self.holds_without_page(one)).collect();
        let mut states = looked.found.into_iter();
        for (number, locator) in asked {
            let state = states.next().unwrap_or_default();
            let element = self.element_holds(&parts[number], &state, &locator)?;
            holds[number] = holds[number] && element;
        }
        Ok(holds)
    }

    fn element_holds(&mut self, one: &One, state: &FoundState, locator: &PageLocator) -> Result<bool, Stop> {
        let found = &state.found;
        self.take(found, locator)?;
        let is = one.is.is_none_or(|is| match is {
            ElementState::Present => found.count > 0,
            ElementState::Absent => found.count == 0,
            ElementState::Visible => state.visible,
            ElementState::Enabled => state.enabled,
        });
        let count = one.count.is_none_or(|count| (count.min..=count.max).contains(&found.count));
        let text = one.text.is_none() || state.text;
        Ok(is && count && text)
    }

    /// What can be said of a condition without its element.
    fn holds_without_page(&self, one: &One) -> bool {
        let url = one
            .url
            .as_ref()
            .is_none_or(|url| MatchPattern::read(url).is_ok_and(|pattern| pattern.fits(&self.page.url)));
        let given = |name: &str| self.values.get(name).is_some_and(|value| !value.is_null());
        let input = one.input.as_ref().is_none_or(|name| {
            let is_given = one.given.is_none_or(|wanted| wanted == given(name));
            let is_equal = one
                .equals
                .as_ref()
                .is_none_or(|wanted| self.values.get(name).is_some_and(|value| same(value, wanted)));
            is_given && is_equal
        });
        url && input
    }

    pub(super) async fn one_holds(&mut self, one: &One) -> Result<bool, Stop> {
        Ok(self.conditions(std::slice::from_ref(one)).await? == [true])
    }

    /// Whether a condition holds now.
    pub(super) async fn holds(&mut self, condition: &Condition) -> Result<bool, Stop> {
        let holds = self.conditions(condition.parts()).await?;
        Ok(match condition {
            Condition::All { .. } | Condition::One(_) => holds.iter().all(|holds| *holds),
            Condition::Any { .. } => holds.contains(&true),
        })
    }
}

impl<P: StepPort> Runner<'_, P> {
    /// Waits until a condition holds. The page may be left meanwhile. Returns whether it holds.
    pub(super) async fn comes_true(
        &mut self,
        condition: &Condition,
        milliseconds: u64,
    ) -> Result<bool, Stop> {
        let end = self.port.now().saturating_add_unsigned(milliseconds);
        loop {
            match self.holds(condition).await {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(Stop::Failed(ActionOutcome::Navigated)) => self.port.loaded().await,
                // Half of the page may be another for a moment.
                Err(Stop::Failed(ActionOutcome::Changed)) if self.port.now() < end => {}
                Err(stop) => return Err(stop),
            }
            if self.port.now() >= end {
                return Ok(false);
            }
            self.changes_before(end).await;
        }
    }

    /// Waits until the page changes, not beyond `end`, and not for long: not all that is looked for shows as a change.
    pub(super) async fn changes_before(&self, end: i64) {
        let begun = self.port.now();
        let left = u64::try_from(end.saturating_sub(begun)).unwrap_or_default();
        // There may be no page for a moment.
        let _ = self.port.ask(json!({"do": "change", "timeout": left.min(LOOK_AGAIN_MS)})).await;
        let waited = u64::try_from(self.port.now().saturating_sub(begun)).unwrap_or_default();
        if waited < INTERVAL_MS {
            self.port.sleep(INTERVAL_MS - waited).await;
        }
    }
}

/// Numbers are the same if they are equal, however they are written.
fn same(value: &Value, wanted: &Value) -> bool {
    match (value.as_f64(), wanted.as_f64()) {
        (Some(value), Some(wanted)) => (value - wanted).abs() < f64::EPSILON,
        _ => value == wanted,
    }
}
