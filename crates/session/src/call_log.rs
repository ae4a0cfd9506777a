//! Reads the log of calls page by page, from its newest line down.
//!
//! A panel filters by the sites and tools in the log, which are complete only when every line has been read.
//! The names are kept ([`Names`]) while the worker lives, so that this happens once. Indexes in the database
//! would give them at once but need lines that are objects: a new format on disk and a migration, to save
//! work that is done once per worker.

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

/// Number of lines that are read at a time.
pub const BATCH: u64 = 200;

/// The lines on disk. Each has a place; places grow by one, and the oldest lines are removed first.
pub trait CallLines {
    /// The places in use; `None` if there are no lines.
    ///
    /// # Errors
    /// If they cannot be read.
    async fn places(&self) -> Result<Option<Places>, StoreError>;

    /// The lines at these places, oldest first, without places that are empty. `T` reads a whole line
    /// ([`LoggedCall`]) or part of it.
    ///
    /// # Errors
    /// If they cannot be read.
    async fn lines<T: DeserializeOwned>(
        &self,
        places: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, T)>, StoreError>;
}

/// The lines on disk, limited in number.
pub trait CallFiles: CallLines {
    /// Sets the maximum number of lines and removes older ones. Returns whether lines may have been removed.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn keep_calls(&self, count: u32) -> Result<bool, StoreError>;

    /// Adds the line of a call that is part of no thread.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn log_call(&self, call: &LoggedCall) -> Result<(), StoreError>;

    /// Removes every line.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn clear_calls(&self) -> Result<(), StoreError>;
}

/// The newest place to be removed if `last` is the newest of all and `kept` lines are kept; `None` if none is
/// to be removed.
pub fn last_outdated(last: u64, kept: u32) -> Option<u64> {
    last.checked_sub(u64::from(kept)).filter(|place| *place > 0)
}

/// The places in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The place of the oldest line.
    pub first: u64,
    /// The place of the newest line.
    pub last: u64,
    /// Number of lines.
    pub count: u64,
}

impl Places {
    /// Splits them into ranges of at most [`BATCH`] places, oldest first.
    pub fn batches(self) -> impl Iterator<Item = RangeInclusive<u64>> {
        let starts = (self.first..=self.last).step_by(usize::try_from(BATCH).unwrap_or(1));
        starts.map(move |start| start..=self.last.min(start + BATCH - 1))
    }
}

/// The newest lines below a place (of all, if absent) that match a filter, at most one page; without the
/// names of sites and tools.
///
/// # Errors
/// If they cannot be read.
pub async fn page(
    lines: &impl CallLines,
    filter: &CallFilter,
    before: Option<u64>,
) -> Result<CallPage, StoreError> {
    let Some(Places { first, last, count }) = lines.places().await? else { return Ok(CallPage::default()) };
    let mut page = CallPage { total: count, ..CallPage::default() };
    let mut end = before.map_or(last, |before| last.min(before.saturating_sub(1)));
    // One more than a page shows whether there are more.
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

/// The site and the tool of a line.
#[derive(Debug, Deserialize)]
pub struct Named {
    #[serde(default)]
    site: String,
    #[serde(default)]
    tool: String,
}

/// The names of sites and tools in the log, as far as it has been read.
#[derive(Debug, Default)]
pub struct Names {
    lines: VecDeque<(u64, Rc<str>, Rc<str>)>,
    /// The last place that has been read.
    last: u64,
    sites: BTreeMap<Rc<str>, usize>,
    tools: BTreeMap<Rc<str>, usize>,
}

impl Names {
    /// Drops lines that are gone. Returns the places that have not been read yet; `None` if all have.
    pub fn missing(&mut self, places: Option<Places>) -> Option<Places> {
        let Some(Places { first, last, .. }) = places.filter(|places| places.last >= self.last) else {
            // The log was cleared, or is a new one.
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

    /// Adds lines up to this place, except those that were added before.
    pub fn add(&mut self, lines: impl IntoIterator<Item = (u64, Named)>, until: u64) {
        for (place, Named { site, tool }) in lines {
            if place > self.last {
                let line = (place, count(&mut self.sites, &site), count(&mut self.tools, &tool));
                self.lines.push_back(line);
            }
        }
        self.last = self.last.max(until);
    }

    /// Adds the names to a page, including those that its filter names.
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

/// A handle to the [`Names`]; clones share them.
#[derive(Debug, Clone, Default)]
pub struct CallNames(Rc<RefCell<Names>>);

/// Reads a page, newest line first, with the names of sites and tools. If more than one batch of the log has
/// yet to be read for the names, `first` is given the page with the names known so far; the returned page
/// then has all names, and its rows only if `before` is absent. Returns `None` if the request was cancelled
/// by then.
///
/// # Errors
/// If the log cannot be read.
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

/// Exports the matching lines, oldest first, as one JSON text per line.
///
/// # Errors
/// If the log cannot be read.
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
