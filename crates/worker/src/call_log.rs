//! The log of calls, on disk: what tasks of their own read of it.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use sidecar_agent::StoreError;
use sidecar_protocol::audit::{CallFilter, CallPage, LoggedCall};
use sidecar_session::call_log::{self, BATCH, CallLines, Names};

use crate::database::Database;
use crate::pieces::in_pieces;

/// The names of sites and tools in it, as far as they were looked at. A handle: copies know the same.
#[derive(Clone, Default)]
pub struct CallNames(Rc<RefCell<Names>>);

/// Reads a page, newest first. In a worker that has not looked at all of the log yet, names of sites and tools are missing
/// in it: then it is handed to `first`, and comes once more with all of them, unless it is called off by then.
pub async fn page(
    database: &Database,
    CallNames(names): CallNames,
    filter: &CallFilter,
    before: Option<u64>,
    is_called_off: impl Fn() -> bool,
    first: impl Fn(CallPage),
) -> Result<Option<CallPage>, StoreError> {
    let mut page = call_log::page(database, filter, before).await?;
    let places = database.places().await?;
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
            look_at_names(database, &names, batch).await?;
            if comes_twice && is_called_off() {
                return Ok(None);
            }
        }
    }
    names.borrow().fill(&mut page, filter);
    Ok(Some(page))
}

/// Writes out the log, a line of JSON for each call, oldest first.
pub async fn export(
    database: &Database,
    filter: &CallFilter,
    piece: impl Fn(String),
) -> Result<(), StoreError> {
    let Some(places) = database.places().await? else { return Ok(()) };
    for batch in places.batches() {
        let calls = database.lines::<LoggedCall>(batch).await?.into_iter().map(|(_, call)| call);
        let line = |call| Some(serde_json::to_string(&call).ok()? + "\n");
        let lines: String = calls.filter(|call| filter.lets(call)).filter_map(line).collect();
        in_pieces(&lines, &piece);
    }
    Ok(())
}

async fn look_at_names(
    database: &Database,
    names: &RefCell<Names>,
    places: RangeInclusive<u64>,
) -> Result<(), StoreError> {
    let until = *places.end();
    let lines = database.lines(places).await?;
    names.borrow_mut().add(lines, until);
    Ok(())
}
