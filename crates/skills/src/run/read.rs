//! Steps that read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sidecar_protocol::ActionOutcome;

use super::elements::Found;
use super::{Runner, StepPort, Stop};
use crate::definition::locator::At;
use crate::definition::step::{DataSource, Extraction, RowField, ValueReading, ValueType, What};
use crate::pattern::MatchPattern;
use crate::pick::{Pick, PickError};
use crate::typed::typed;

/// How many rows, unless a step says less.
const ROWS: u32 = 50;
const MOST_ROWS: u32 = 200;

/// What the page says of one value.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawValue {
    #[serde(flatten)]
    found: Found,
    raw: Value,
    cut: bool,
    secret: bool,
}

/// What the page says of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawRows {
    #[serde(flatten)]
    pub found: Found,
    rows: Vec<Map<String, Value>>,
    total: usize,
    worn: Vec<String>,
    ambiguous: Vec<String>,
    cut: bool,
}

/// Where data of the page is, and what of it is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataReading<'a> {
    pub from: DataSource,
    pub at: Option<&'a At>,
    pub pick: Option<&'a str>,
    pub r#type: Option<ValueType>,
}

impl<P: StepPort> Runner<'_, P> {
    /// One value; `None` if there is none and need not be.
    pub(super) async fn read(
        &mut self,
        at: &At,
        reading: &ValueReading,
        wait: Option<u64>,
    ) -> Result<Option<Value>, Stop> {
        let end = self.port.now().saturating_add_unsigned(wait.unwrap_or(0));
        loop {
            let locator = self.locator(at, false)?;
            let mut request = asked(reading);
            request["do"] = json!("value");
            request["locator"] = locator.json.clone();
            let answer = self.port.ask(request).await?;
            let value = RawValue::deserialize(&answer).unwrap_or_default();
            let counts = matches!(reading.what, What::Count | What::Exists);
            if value.found.count == 0 && !counts && self.port.now() < end {
                self.changes_before(end).await;
                continue;
            }
            self.take(&value.found, &locator)?;
            if value.secret {
                return Err(ActionOutcome::Refused.into());
            }
            self.is_cut |= value.cut;
            let is_one = value.found.count <= 1 || reading.first || counts;
            return match is_one.then(|| self.understood(&value.raw, reading)).flatten() {
                Some(value) => Ok(Some(value)),
                // Nothing there, or nothing in it: two elements are no reason to guess.
                None if reading.optional && is_one => Ok(None),
                None => Err(ActionOutcome::Changed.into()),
            };
        }
    }

    /// What a raw value of the page means.
    fn understood(&self, raw: &Value, reading: &ValueReading) -> Option<Value> {
        let Value::String(text) = raw else {
            return (!raw.is_null()).then(|| raw.clone());
        };
        if reading.what == What::Markdown {
            let text = text.trim();
            return (!text.is_empty()).then(|| Value::from(text));
        }
        if let Some(map) = &reading.map {
            return map.get(text.trim()).cloned();
        }
        typed(text, reading.r#type.unwrap_or(ValueType::String), self.port.now())
    }

    /// The rows of a list. None at all is `empty` only if the page says so.
    pub(super) async fn extract(
        &mut self,
        extraction: &Extraction,
        wait: Option<u64>,
    ) -> Result<Vec<Value>, Stop> {
        let end = self.port.now().saturating_add_unsigned(wait.unwrap_or(0));
        let raw = loop {
            let mut request = self.rows_request(extraction)?;
            request["do"] = json!("rows");
            let answer = self.port.ask(request).await?;
            let raw = RawRows::deserialize(&answer).unwrap_or_default();
            if raw.found.count > 0 || self.port.now() >= end {
                break raw;
            }
            self.changes_before(end).await;
        };
        self.rows(raw, extraction, true).await
    }

    /// What the page is asked for a list.
    pub(super) fn rows_request(&self, extraction: &Extraction) -> Result<Value, Stop> {
        let max = extraction.max.unwrap_or(ROWS).min(MOST_ROWS);
        Ok(
            json!({"each": self.locator(&extraction.each, false)?.json, "fields": self.fields(&extraction.fields)?, "max": max}),
        )
    }

    fn fields(&self, fields: &BTreeMap<String, RowField>) -> Result<Value, Stop> {
        let mut asked_fields = Map::new();
        for (name, field) in fields {
            let request = match field {
                RowField::List { each, fields } => {
                    json!({"each": self.locator(each, false)?.json, "fields": self.fields(fields)?})
                }
                RowField::Value { at, reading } => {
                    let mut request = asked(reading);
                    if let Some(at) = at {
                        request["locator"] = self.locator(at, false)?.json;
                    }
                    request
                }
            };
            asked_fields.insert(name.clone(), request);
        }
        Ok(Value::Object(asked_fields))
    }

    /// Raw rows as the tool's author wants them. More than half that cannot be read is another list.
    /// `is_open`: they are of the page that is open, which may say that there are none.
    pub(super) async fn rows(
        &mut self,
        mut raw: RawRows,
        extraction: &Extraction,
        is_open: bool,
    ) -> Result<Vec<Value>, Stop> {
        let locator = self.locator(&extraction.each, false)?;
        // Of a very long list the first rows are as good as any.
        self.is_cut |= raw.found.most.take().is_some();
        self.take(&raw.found, &locator)?;
        if raw.found.count == 0 {
            let is_empty = is_open && self.is_empty().await?;
            let outcome = if is_empty { ActionOutcome::Empty } else { ActionOutcome::Changed };
            return Err(outcome.into());
        }
        let count = match &extraction.each {
            At::Named(name) => self.definition.locators.get(name).and_then(|locator| locator.count),
            At::Own(locator) => locator.count,
        };
        if count.is_some_and(|count| !(count.min..=count.max).contains(&raw.found.count)) {
            return Err(ActionOutcome::Changed.into());
        }
        raw.worn.iter().for_each(|name| self.is_worn(name));
        let is_ambiguous = |name: &String| match extraction.fields.get(name) {
            Some(RowField::Value { reading, .. }) => !reading.optional,
            Some(RowField::List { .. }) | None => false,
        };
        let all = raw.rows.len();
        let rows: Vec<_> =
            raw.rows.iter().filter_map(|row| self.row(row, &extraction.fields)).map(Value::Object).collect();
        let bad = all - rows.len();
        if bad * 2 > all || (bad > 0 && raw.ambiguous.iter().any(is_ambiguous) && rows.is_empty()) {
            return Err(ActionOutcome::Changed.into());
        }
        self.rows_left_out += bad;
        self.is_cut |= raw.cut || raw.total > all;
        Ok(rows)
    }

    /// A row, unless a field is missing that has to be there.
    fn row(
        &self,
        raw: &Map<String, Value>,
        fields: &BTreeMap<String, RowField>,
    ) -> Option<Map<String, Value>> {
        let mut row = Map::new();
        for (name, field) in fields {
            let value = raw.get(name).unwrap_or(&Value::Null);
            match field {
                RowField::List { fields, .. } => {
                    // Nobody can say which rows were meant.
                    let raw = value.as_array()?;
                    let rows = raw.iter().filter_map(|inner| self.row(inner.as_object()?, fields));
                    let rows: Vec<_> = rows.map(Value::Object).collect();
                    if (raw.len() - rows.len()) * 2 > raw.len() {
                        return None;
                    }
                    row.insert(name.clone(), Value::Array(rows));
                }
                RowField::Value { reading, .. } => match self.understood(value, reading) {
                    Some(value) => _ = row.insert(name.clone(), value),
                    None if reading.optional => {}
                    None => return None,
                },
            }
        }
        Some(row)
    }

    /// Whether the page says that there is nothing.
    pub(super) async fn is_empty(&mut self) -> Result<bool, Stop> {
        let url = self.page.url.clone();
        let fits = |pattern: &String| MatchPattern::read(pattern).is_ok_and(|pattern| pattern.fits(&url));
        let definition = self.definition;
        for page in definition.pages.values().filter(|page| page.matches.iter().any(fits)) {
            if self.conditions(&page.empty).await?.contains(&true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Data that the page carries for programs. With `wait`, so many milliseconds are given to what is not there at once.
    pub(super) async fn data(
        &mut self,
        reading: DataReading<'_>,
        wait: Option<u64>,
    ) -> Result<Option<Value>, Stop> {
        let end = self.port.now().saturating_add_unsigned(wait.unwrap_or(0));
        loop {
            let value = self.data_now(reading).await;
            match value {
                Ok(None) | Err(Stop::Failed(ActionOutcome::Changed)) if self.port.now() < end => {
                    self.changes_before(end).await;
                }
                value => return value,
            }
        }
    }

    async fn data_now(&mut self, reading: DataReading<'_>) -> Result<Option<Value>, Stop> {
        let mut request = json!({"do": "data", "from": reading.from});
        let locator = reading.at.map(|at| self.locator(at, false)).transpose()?;
        if let Some(locator) = &locator {
            request["locator"] = locator.json.clone();
        }
        let answer = self.port.ask(request).await?;
        if let Some(locator) = &locator {
            let found: Found = serde_json::from_value(answer.clone()).unwrap_or_default();
            self.take(&found, locator)?;
            if found.count > 1 {
                return Err(ActionOutcome::Changed.into());
            }
        }
        match answer["fault"].as_str() {
            Some("tooLarge") => return Err(ActionOutcome::TooLarge.into()),
            Some(_) => return Err(ActionOutcome::Changed.into()),
            None => {}
        }
        let picked = picked(&answer["data"], reading.pick)?;
        Ok(match reading.r#type {
            Some(as_type) => match &picked {
                Value::String(text) => typed(text, as_type, self.port.now()),
                Value::Number(_) => typed(&picked.to_string(), as_type, self.port.now()),
                _ => None,
            },
            None => (!picked.is_null()).then_some(picked),
        })
    }
}

/// A part of JSON.
pub(super) fn picked(data: &Value, pick: Option<&str>) -> Result<Value, Stop> {
    let Some(pick) = pick else { return Ok(data.clone()) };
    let pick = Pick::read(pick).map_err(|_| Stop::Failed(ActionOutcome::Changed))?;
    pick.of(data).map_err(|error| {
        Stop::Failed(match error {
            PickError::TooMuch => ActionOutcome::TooLarge,
            PickError::Argument => ActionOutcome::Changed,
        })
    })
}

/// What the page is asked for a value.
fn asked(reading: &ValueReading) -> Value {
    let mut request = json!({"what": reading.what});
    if let Some(attr) = &reading.attr {
        request["attr"] = json!(attr);
    }
    if reading.first {
        request["first"] = json!(true);
    }
    if reading.r#type == Some(ValueType::Url) {
        request["address"] = json!(true);
    }
    request
}
