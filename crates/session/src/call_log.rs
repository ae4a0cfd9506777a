//! The log of calls, read from its newest line down, as far as a page of it goes.
//!
//! What a panel chooses from, the sites and tools in the log, is known once every line was looked at. Those names are kept
//! ([`Names`]) for as long as the worker lives, so that it happens once. Indexes in the database would give them at once, but
//! need lines that are objects: another format on disk and a migration, for what happens once in the life of a worker.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sidecar_agent::StoreError;
use sidecar_protocol::call_log::{CALLS_PAGE, CallFilter, CallPage, CallRow, LoggedCall};

use crate::pieces::in_pieces;

/// Lines that are read in one go.
pub const BATCH: u64 = 200;

/// The lines on disk. Each has a place; places grow by one, and the oldest lines go first.
pub trait CallLines {
    /// The places that are taken; `None` when there are no lines.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn places(&self) -> Result<Option<Places>, StoreError>;

    /// The lines at these places, oldest first, as far as they are there: the whole of each ([`LoggedCall`]) or part of it.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn lines<T: DeserializeOwned>(
        &self,
        places: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, T)>, StoreError>;
}

/// The lines on disk, of which the newest are kept.
pub trait CallFiles: CallLines {
    /// Keeps so many lines from now on. Says whether that may have removed some.
    ///
    /// # Errors
    /// When it cannot be written.
    async fn keep_calls(&self, count: u32) -> Result<bool, StoreError>;

    /// Removes every line.
    ///
    /// # Errors
    /// When it cannot be written.
    async fn clear_calls(&self) -> Result<(), StoreError>;
}

/// The last place whose line is too many when `last` is the newest and so many are kept; `None` when none is.
pub fn last_outdated(last: u64, kept: u32) -> Option<u64> {
    last.checked_sub(u64::from(kept)).filter(|place| *place > 0)
}

/// The places that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// Of the oldest line.
    pub first: u64,
    /// Of the newest.
    pub last: u64,
    /// How many lines there are.
    pub count: u64,
}

impl Places {
    /// They in ranges of at most [`BATCH`], oldest first.
    pub fn batches(self) -> impl Iterator<Item = RangeInclusive<u64>> {
        let starts = (self.first..=self.last).step_by(usize::try_from(BATCH).unwrap_or(1));
        starts.map(move |start| start..=self.last.min(start + BATCH - 1))
    }
}

/// The page of lines below a place (or the newest one) that a filter lets through, without the names of sites and tools.
///
/// # Errors
/// When they cannot be read.
pub async fn page(
    lines: &impl CallLines,
    filter: &CallFilter,
    before: Option<u64>,
) -> Result<CallPage, StoreError> {
    let Some(Places { first, last, count }) = lines.places().await? else { return Ok(CallPage::default()) };
    let mut page = CallPage { total: count, ..CallPage::default() };
    let mut end = before.map_or(last, |before| last.min(before.saturating_sub(1)));
    // One more than a page says whether there are more.
    let mut batch = CALLS_PAGE as u64 + 1;
    while end >= first && !page.more {
        let start = first.max((end + 1).saturating_sub(batch));
        for (place, call) in lines.lines::<LoggedCall>(start..=end).await?.into_iter().rev() {
            if !filter.lets(&call) {
                continue;
            }
            if page.rows.len() == CALLS_PAGE {
                page.more = true;
                break;
            }
            page.rows.push(CallRow { place, call });
        }
        let Some(next) = start.checked_sub(1) else { break };
        (end, batch) = (next, BATCH);
    }
    Ok(page)
}

/// Of which site and tool a line is.
#[derive(Debug, Deserialize)]
pub struct Named {
    #[serde(default)]
    site: String,
    #[serde(default)]
    tool: String,
}

/// The names of sites and tools in the log, as far as it was looked at.
#[derive(Debug, Default)]
pub struct Names {
    lines: VecDeque<(u64, Rc<str>, Rc<str>)>,
    /// The place of the last line that was looked at.
    last: u64,
    sites: BTreeMap<Rc<str>, usize>,
    tools: BTreeMap<Rc<str>, usize>,
}

impl Names {
    /// Forgets lines that are gone. The places that were not looked at yet; `None` when all were.
    pub fn missing(&mut self, places: Option<Places>) -> Option<Places> {
        let Some(Places { first, last, .. }) = places.filter(|places| places.last >= self.last) else {
            // Cleared, or another log altogether.
            *self = Self::default();
            return places;
        };
        while self.lines.front().is_some_and(|(place, ..)| *place < first) {
            if let Some((_, site, tool)) = self.lines.pop_front() {
                forget(&mut self.sites, &site);
                forget(&mut self.tools, &tool);
            }
        }
        let first = first.max(self.last + 1);
        (first <= last).then(|| Places { first, last, count: last - first + 1 })
    }

    /// Looks at lines up to this place. Those that were looked at before are passed over.
    pub fn add(&mut self, lines: impl IntoIterator<Item = (u64, Named)>, until: u64) {
        for (place, Named { site, tool }) in lines {
            if place > self.last {
                let line = (place, count(&mut self.sites, &site), count(&mut self.tools, &tool));
                self.lines.push_back(line);
            }
        }
        self.last = self.last.max(until);
    }

    /// Puts them into a page; those of its filter are among them in any case.
    pub fn fill(&self, page: &mut CallPage, filter: &CallFilter) {
        let names = |known: &BTreeMap<Rc<str>, usize>, wanted: &Option<String>| {
            let mut names: Vec<String> =
                known.keys().filter(|name| !name.is_empty()).map(|name| name.to_string()).collect();
            let missing = wanted.iter().filter(|wanted| !known.contains_key(wanted.as_str()));
            names.extend(missing.cloned());
            names.sort_unstable();
            names
        };
        page.sites = names(&self.sites, &filter.site);
        page.tools = names(&self.tools, &filter.tool);
    }
}

fn count(names: &mut BTreeMap<Rc<str>, usize>, name: &str) -> Rc<str> {
    let known = names.get_key_value(name).map(|(name, _)| name.clone());
    let name = known.unwrap_or_else(|| name.into());
    *names.entry(name.clone()).or_default() += 1;
    name
}

fn forget(names: &mut BTreeMap<Rc<str>, usize>, name: &str) {
    if let Some(count) = names.get_mut(name) {
        *count -= 1;
        if *count == 0 {
            names.remove(name);
        }
    }
}

/// The names of sites and tools in it, as far as they were looked at. A handle: copies know the same.
#[derive(Debug, Clone, Default)]
pub struct CallNames(Rc<RefCell<Names>>);

/// Reads a page, newest first. In a worker that has not looked at all of the log yet, names of sites and tools are missing
/// in it: then it is handed to `first`, and comes once more with all of them, unless it is called off by then.
///
/// # Errors
/// When the log cannot be read.
pub async fn page_with_names(
    log: &impl CallLines,
    CallNames(names): CallNames,
    filter: &CallFilter,
    before: Option<u64>,
    is_called_off: impl Fn() -> bool,
    first: impl Fn(CallPage),
) -> Result<Option<CallPage>, StoreError> {
    let mut page = page(log, filter, before).await?;
    let places = log.places().await?;
    let missing = names.borrow_mut().missing(places);
    if let Some(missing) = missing {
        let comes_twice = missing.count > BATCH;
        if comes_twice {
            names.borrow().fill(&mut page, filter);
            first(page.clone());
            if before.is_some() {
                page.rows.clear();
            }
        }
        for batch in missing.batches() {
            look_at_names(log, &names, batch).await?;
            if comes_twice && is_called_off() {
                return Ok(None);
            }
        }
    }
    names.borrow().fill(&mut page, filter);
    Ok(Some(page))
}

/// Writes out the log, a line of JSON for each call, oldest first.
///
/// # Errors
/// When the log cannot be read.
pub async fn export(
    log: &impl CallLines,
    filter: &CallFilter,
    piece: impl Fn(String),
) -> Result<(), StoreError> {
    let Some(places) = log.places().await? else { return Ok(()) };
    for batch in places.batches() {
        let calls = log.lines::<LoggedCall>(batch).await?.into_iter().map(|(_, call)| call);
        let line = |call| Some(serde_json::to_string(&call).ok()? + "\n");
        let lines: String = calls.filter(|call| filter.lets(call)).filter_map(line).collect();
        in_pieces(&lines, &piece);
    }
    Ok(())
}

async fn look_at_names(
    log: &impl CallLines,
    names: &RefCell<Names>,
    places: RangeInclusive<u64>,
) -> Result<(), StoreError> {
    let until = *places.end();
    let lines = log.lines(places).await?;
    names.borrow_mut().add(lines, until);
    Ok(())
}

#[cfg(test)]
mod tests;
