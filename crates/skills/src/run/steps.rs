//! Does steps one after another.

use std::pin::{Pin, pin};

use futures::future::{Either, select};
use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;
use sidecar_protocol::skill::TracedStep;
use sidecar_protocol::thread::ToolStep;

use super::read::DataReading;
use super::{FIELD, NoAnswer, Runner, StepPort, Stop, TOP_STEPS, UserStep, otherwise};
use crate::definition::condition::Condition;
use crate::definition::locator::At;
use crate::definition::step::{RowField, ScrollTo, SkillStep, StepKind, WaitedFor};
use crate::definition::wording::ByLanguage;
use crate::template;

/// How long a step may take without a limit of its own, in milliseconds.
pub(super) const STEP_LIMIT_MS: u64 = 5_000;
/// How long a page has to be at rest to be stable, in milliseconds.
const QUIET_MS: u64 = 300;
/// How long the browser may take to bring another page, unless the step says so, in milliseconds.
const GO_LIMIT_MS: u64 = 10_000;
/// How long a page that was opened may take until it is stable, in milliseconds.
const OPEN_LIMIT_MS: u64 = 5_000;
/// How often it is looked whether a step of the user is done, in milliseconds, and for how many minutes.
const USER_INTERVAL_MS: u64 = 500;
const MOST_MINUTES: u32 = 10;
/// How often a list is scrolled to its end.
const MOST_SCROLLS: u32 = 20;

/// How many steps are noted, and how much of a value.
const MOST_TRACED: usize = 200;
const MOST_OF_VALUE: usize = 200;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What ended the steps, and the place of the step.
pub(super) type StepsEnd = Result<(), (Stop, String)>;

impl<P: StepPort> Runner<'_, P> {
    /// Does steps until one ends the tool.
    pub(super) fn steps<'s>(
        &'s mut self,
        steps: &'s [SkillStep],
        place: &'s str,
    ) -> Pin<Box<dyn Future<Output = StepsEnd> + 's>> {
        Box::pin(async move {
            for (number, step) in steps.iter().enumerate() {
                if place == TOP_STEPS {
                    self.port.begins_step(ToolStep { number: number + 1, of: steps.len() });
                }
                let place = format!("{place}[{number}]");
                self.step(step, &place).await?;
            }
            Ok(())
        })
    }

    /// Does a step, if its condition holds.
    async fn step(&mut self, step: &SkillStep, place: &str) -> StepsEnd {
        let here = |stop: Stop| (stop, place.to_owned());
        if let Some(when) = &step.when
            && !self.holds(when).await.map_err(here)?
        {
            return Ok(());
        }
        let fails = |stop: Stop| match stop {
            Stop::Failed(outcome) => (Stop::Failed(otherwise(step, outcome)), place.to_owned()),
            Stop::Returned(_) => (stop, place.to_owned()),
        };
        match &step.does {
            StepKind::Either { branches } => {
                for (number, branch) in branches.iter().enumerate() {
                    let holds = match &branch.when {
                        Some(when) => self.holds(when).await.map_err(fails)?,
                        None => true,
                    };
                    if holds {
                        return self.steps(&branch.steps, &format!("{place}.branches[{number}].steps")).await;
                    }
                }
                Err(fails(ActionOutcome::Changed.into()))
            }
            StepKind::Pages { .. } => self.pages(step, place).await,
            _ => {
                self.found_last = None;
                let ended = self.simple(step).await.map_err(fails);
                self.note(step, place, &ended);
                ended
            }
        }
    }

    /// Notes what a step did, for its author.
    fn note(&mut self, step: &SkillStep, place: &str, ended: &StepsEnd) {
        if self.trace.len() >= MOST_TRACED {
            return;
        }
        let word = |value: serde_json::Result<Value>| {
            value.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        };
        let (outcome, returned) = match ended {
            Ok(()) => (ActionOutcome::Ok, None),
            Err((Stop::Returned(value), _)) => (ActionOutcome::Ok, Some(value)),
            Err((Stop::Failed(outcome), _)) => (*outcome, None),
        };
        let named = step.named.as_ref().and_then(|name| self.values.get(name));
        let value = returned.or(named.filter(|_| ended.is_ok())).map(Value::to_string).unwrap_or_default();
        let (locator, alternative) = self.found_last.clone().unzip();
        self.trace.push(TracedStep {
            step: place.to_owned(),
            does: word(serde_json::to_value(step).map(|step| step["do"].clone())),
            locator: locator.unwrap_or_default(),
            alternative: alternative.and_then(|number| u32::try_from(number + 1).ok()),
            value: shortened(&value),
            outcome: word(serde_json::to_value(outcome)),
        });
        if ended.is_ok() {
            self.note_fields(step, place);
        }
    }

    /// Notes for each field that rows need not have what the first row that has it says.
    fn note_fields(&mut self, step: &SkillStep, place: &str) {
        let (StepKind::Extract(extraction) | StepKind::Fetch { extract: Some(extraction), .. }) = &step.does
        else {
            return;
        };
        let named = step.named.as_ref().and_then(|name| self.values.get(name));
        let Some(rows) = named.and_then(Value::as_array) else { return };
        let room = MOST_TRACED.saturating_sub(self.trace.len());
        let fields = extraction.fields.iter().filter_map(|(name, field)| {
            let RowField::Value { at, reading } = field else { return None };
            let locator = match at {
                Some(At::Named(name)) => name.clone(),
                Some(At::Own(_)) | None => String::new(),
            };
            let value = rows.iter().find_map(|row| row.get(name)).map(Value::to_string);
            reading.optional.then(|| TracedStep {
                step: format!("{place}.{name}"),
                does: FIELD.to_owned(),
                locator,
                alternative: None,
                value: shortened(&value.unwrap_or_default()),
                outcome: "ok".to_owned(),
            })
        });
        self.trace.extend(fields.take(room));
    }

    /// A step without steps in it.
    async fn simple(&mut self, step: &SkillStep) -> Result<(), Stop> {
        let own_limit = step.timeout.map(|seconds| u64::from(seconds) * 1_000);
        let limit = own_limit.unwrap_or(STEP_LIMIT_MS);
        match &step.does {
            StepKind::Expect { that } => match step.timeout {
                Some(_) if self.comes_true(that, limit).await? => {}
                None if self.holds(that).await? => {}
                _ => return Err(ActionOutcome::Changed.into()),
            },
            StepKind::Wait { r#for: WaitedFor::Stable(_) } => self.quiet(limit).await?,
            StepKind::Wait { r#for: WaitedFor::Condition(condition) } => {
                if !self.comes_true(condition, limit).await? {
                    return Err(ActionOutcome::Timeout.into());
                }
            }
            StepKind::Read { at, reading } => {
                let value = self.read(at, reading, own_limit).await?;
                self.name(step, value);
            }
            StepKind::Extract(extraction) => {
                let rows = self.extract(extraction, own_limit).await?;
                self.name(step, Some(Value::Array(rows)));
            }
            StepKind::Data { from, at, pick, r#type, optional } => {
                let reading =
                    DataReading { from: *from, at: at.as_ref(), pick: pick.as_deref(), r#type: *r#type };
                let value = self.data(reading, own_limit).await?;
                if value.is_none() && !optional {
                    return Err(ActionOutcome::Changed.into());
                }
                self.name(step, value);
            }
            StepKind::Fetch { .. } => {
                let value = self.request(&step.does, own_limit).await?;
                self.name(step, Some(value));
            }
            StepKind::Scroll { at, to, rounds } => {
                self.scroll(at, *to, rounds.unwrap_or(MOST_SCROLLS)).await?
            }
            StepKind::Navigate { path, query, own_tab } => {
                let path = template::path(path, &self.values).ok_or(Stop::Failed(ActionOutcome::BadInput))?;
                let query = template::query(query, &self.values);
                let query = if query.is_empty() { query } else { format!("?{query}") };
                let origin = sidecar_webmcp::Address::of(&self.page.url).origin();
                self.go(&format!("{origin}{path}{query}"), *own_tab, own_limit).await?;
            }
            StepKind::Click { .. }
            | StepKind::Fill { .. }
            | StepKind::Choose { .. }
            | StepKind::Check { .. }
            | StepKind::Hover { .. }
            | StepKind::Press { .. } => self.act(&step.does, limit).await?,
            StepKind::HandOver { say, until, minutes } => {
                let minutes = minutes.unwrap_or(MOST_MINUTES).min(MOST_MINUTES);
                let ended = self.hand_over(say, until, u64::from(minutes) * 60_000).await;
                self.port.user_has_done().await;
                ended?;
            }
            StepKind::Return { value } => {
                return Err(Stop::Returned(template::filled(value, &self.values).unwrap_or(Value::Null)));
            }
            StepKind::Fail { outcome } => return Err((*outcome).into()),
            StepKind::Either { .. } | StepKind::Pages { .. } => {}
        }
        Ok(())
    }

    /// The user does something in the page, until this holds.
    async fn hand_over(
        &mut self,
        say: &ByLanguage,
        until: &Condition,
        milliseconds: u64,
    ) -> Result<(), Stop> {
        let end = self.port.now().saturating_add_unsigned(milliseconds);
        loop {
            match self.port.user_does(say, USER_INTERVAL_MS).await {
                UserStep::Declined => return Err(ActionOutcome::Refused.into()),
                UserStep::Done | UserStep::Waiting => {}
            }
            match self.comes_true(until, 0).await {
                Ok(true) => return Ok(()),
                // The user may be on another site meanwhile, as for signing in; nothing is asked there.
                Ok(false)
                | Err(Stop::Failed(ActionOutcome::Left | ActionOutcome::Blocked | ActionOutcome::Changed)) => {
                }
                Err(stop) => return Err(stop),
            }
            if self.port.now() >= end {
                return Err(ActionOutcome::Timeout.into());
            }
        }
    }

    fn name(&mut self, step: &SkillStep, value: Option<Value>) {
        let Some(name) = &step.named else { return };
        match value {
            Some(value) => _ = self.values.insert(name.clone(), value),
            None => _ = self.values.remove(name),
        }
    }

    /// Waits until nothing in the page changes. That it does not come to rest ends nothing.
    pub(super) async fn quiet(&mut self, milliseconds: u64) -> Result<(), Stop> {
        let request = json!({"do": "quiet", "for": QUIET_MS, "timeout": milliseconds});
        match self.port.ask(request).await {
            Ok(_) => Ok(()),
            Err(NoAnswer::Left) => {
                self.port.loaded().await;
                self.look().await
            }
            Err(none) => Err(none.into()),
        }
    }

    /// Leads the tab to an address of the SKILL's sites, and waits until the page is at rest. `limit` is the step's own for
    /// the way there, in milliseconds.
    pub(super) async fn go(&mut self, url: &str, own_tab: bool, limit: Option<u64>) -> Result<(), Stop> {
        if !self.is_within(url) {
            return Err(ActionOutcome::Refused.into());
        }
        let port = self.port;
        let going = port.go(url, own_tab, limit.unwrap_or(GO_LIMIT_MS));
        match limit {
            Some(limit) => {
                let there = async {
                    going.await?;
                    port.loaded().await;
                    Ok(())
                };
                within(port, limit, there).await.unwrap_or(Err(ActionOutcome::Timeout))?;
            }
            None => going.await?,
        }
        self.arrived().await
    }

    /// A new document is there: on the SKILL's sites, or the tool ends.
    pub(super) async fn arrived(&mut self) -> Result<(), Stop> {
        self.port.loaded().await;
        self.look().await?;
        if !self.is_within(&self.page.url) {
            return Err(ActionOutcome::Left.into());
        }
        self.quiet(OPEN_LIMIT_MS).await?;
        self.look().await
    }

    async fn scroll(&mut self, at: &At, to: ScrollTo, rounds: u32) -> Result<(), Stop> {
        let rounds = if to == ScrollTo::View { 1 } else { rounds.min(MOST_SCROLLS) };
        let mut before = 0;
        for _ in 0..rounds {
            let locator = self.locator(at, false)?;
            let answer = self.port.ask(json!({"do": "end", "locator": locator.json})).await?;
            let count = answer["count"].as_u64().unwrap_or(0);
            if count == 0 {
                return Err(ActionOutcome::Changed.into());
            }
            if count == before || to == ScrollTo::View {
                break;
            }
            before = count;
            self.quiet(STEP_LIMIT_MS).await?;
        }
        Ok(())
    }
}

/// What comes of this in so many milliseconds; `None` if the time is over first.
pub(super) async fn within<P: StepPort, T>(
    port: &P,
    milliseconds: u64,
    task: impl Future<Output = T>,
) -> Option<T> {
    match select(pin!(task), pin!(port.sleep(milliseconds))).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
