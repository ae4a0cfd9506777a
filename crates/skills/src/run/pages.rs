//! Reads one page after another.

use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;

use super::elements::Found;
use super::steps::StepsEnd;
use super::{Runner, StepPort, Stop};
use crate::definition::locator::At;
use crate::definition::step::{SkillStep, StepKind};

/// How many pages, rows and milliseconds, unless a step says less.
const ROUNDS: u32 = 5;
const ITEMS: u32 = 100;
const LIMIT_MS: u64 = 60_000;

impl<P: StepPort> Runner<'_, P> {
    /// Does the steps of each page, and puts their rows together.
    pub(super) async fn pages(&mut self, step: &SkillStep, place: &str) -> StepsEnd {
        let StepKind::Pages { next, steps, collect, rounds, items } = &step.does else { return Ok(()) };
        let here = |stop: Stop| (stop, place.to_owned());
        let inner = format!("{place}.steps");
        let end = self.port.now().saturating_add_unsigned(LIMIT_MS);
        let (rounds, items) = (rounds.unwrap_or(ROUNDS), items.unwrap_or(ITEMS) as usize);
        let mut all: Vec<Value> = Vec::new();
        let mut last = Value::Null;
        for round in 1..=rounds {
            match self.steps(steps, &inner).await {
                // Nothing on a further page is the end of the list.
                Err((Stop::Failed(ActionOutcome::Empty), _)) if round > 1 => break,
                ended => ended?,
            }
            let rows = self.values.remove(collect.as_str()).unwrap_or(Value::Null);
            // A next page that is the same page leads nowhere.
            if rows == last {
                self.is_cut = true;
                break;
            }
            all.extend(rows.as_array().cloned().unwrap_or_default());
            last = rows;
            let address = self.next_page(next).await.map_err(here)?;
            let Some(address) = address else { break };
            if all.len() >= items || round == rounds || self.port.now() >= end {
                self.is_cut = true;
                break;
            }
            self.go(&address, false, None).await.map_err(here)?;
        }
        if all.len() > items {
            all.truncate(items);
            self.is_cut = true;
        }
        if let Some(name) = &step.named {
            self.values.insert(name.clone(), Value::Array(all));
        }
        Ok(())
    }

    /// The address of the next page: that of a link. A button that loads more would act.
    async fn next_page(&mut self, at: &At) -> Result<Option<String>, Stop> {
        let locator = self.locator(at, false)?;
        let request = json!({"do": "value", "locator": locator.json, "what": "attr", "attr": "href", "address": true, "first": true});
        let answer = self.port.ask(request).await?;
        let found: Found = serde_json::from_value(answer.clone()).unwrap_or_default();
        self.take(&found, &locator)?;
        let page = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
        match answer["raw"].as_str() {
            _ if found.count == 0 => Ok(None),
            // A link that leads nowhere, as on many last pages.
            Some(address) if !address.starts_with("http") || page(address) == page(&self.page.url) => {
                Ok(None)
            }
            Some(address) => Ok(Some(address.to_owned())),
            // What loads more without an address would have to be clicked, which acts.
            None => {
                self.is_cut = true;
                Ok(None)
            }
        }
    }
}
