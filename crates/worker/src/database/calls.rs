//! The log of calls on disk. Its numbers grow by one, so that how many there are follows from the last.

use idb::{KeyRange, Query as Place, Transaction};
use sidecar_agent::StoreError;
use sidecar_protocol::audit::{CallRow, LoggedCall};
use wasm_bindgen::JsValue;

use super::{CALLS, Database, parse, text};

impl Database {
    /// Writes a line, and removes those that are too many with it.
    pub(super) async fn add_call(
        &self,
        transaction: &Transaction,
        call: &LoggedCall,
    ) -> Result<(), idb::Error> {
        let calls = transaction.object_store(CALLS)?;
        let place = calls.add(&text(call), None)?.await?;
        if let Some(range) = self.outdated(&place)? {
            calls.delete(range)?.await?;
        }
        Ok(())
    }

    /// All lines, oldest first.
    pub async fn calls(&self) -> Result<Vec<CallRow>, StoreError> {
        let (places, lines) = self
            .read_in(&[CALLS], async |transaction| {
                let calls = transaction.object_store(CALLS)?;
                let places = calls.get_all_keys(None, None)?.into_future();
                let lines = calls.get_all(None, None)?.into_future();
                Ok((places.await?, lines.await?))
            })
            .await?;
        places
            .iter()
            .zip(&lines)
            .map(|(place, line)| {
                Ok(CallRow { place: place.as_f64().unwrap_or_default() as u64, call: parse(line)? })
            })
            .collect()
    }

    /// Keeps so many lines from now on. Says whether that may have removed some.
    pub async fn keep_calls(&self, count: u32) -> Result<bool, StoreError> {
        if self.calls_kept.replace(count) <= count {
            return Ok(false);
        }
        self.write_in(&[CALLS], async |transaction| {
            let calls = transaction.object_store(CALLS)?;
            let places = calls.get_all_keys(None, None)?.await?;
            if let Some(range) = places.last().map(|last| self.outdated(last)).transpose()?.flatten() {
                calls.delete(range)?.await?;
            }
            Ok(true)
        })
        .await
    }

    /// Removes every line.
    pub async fn clear_calls(&self) -> Result<(), StoreError> {
        self.write_in(&[CALLS], async |transaction| transaction.object_store(CALLS)?.clear()?.await).await
    }

    /// The places of lines that are too many when this is the last.
    fn outdated(&self, last: &JsValue) -> Result<Option<Place>, idb::Error> {
        let end = last.as_f64().unwrap_or_default() - f64::from(self.calls_kept.get());
        if end < 1.0 {
            return Ok(None);
        }
        KeyRange::upper_bound(&JsValue::from_f64(end), None).map(|range| Some(Place::KeyRange(range)))
    }
}
