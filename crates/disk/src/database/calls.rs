//! The log of calls on disk. Keys grow by one, so the last key determines which lines exceed the maximum.

use std::ops::RangeInclusive;

use idb::{CursorDirection, KeyRange, Query as Place, Transaction};
use serde::de::DeserializeOwned;
use sidecar_agent::StoreError;
use sidecar_protocol::call_log::LoggedCall;
use sidecar_session::call_log::{CallFiles, CallLines, Places, last_outdated};
use wasm_bindgen::JsValue;

use super::{CALLS, Database, parse, text};

impl Database {
    /// Writes a line and removes the lines that exceed the maximum.
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

    /// The keys of the lines that exceed the maximum if this is the last key.
    fn outdated(&self, last: &JsValue) -> Result<Option<Place>, idb::Error> {
        let Some(end) = last_outdated(place(last), self.calls_kept.get()) else { return Ok(None) };
        KeyRange::upper_bound(&JsValue::from_f64(end as f64), None).map(|range| Some(Place::KeyRange(range)))
    }
}

impl CallFiles for Database {
    async fn keep_calls(&self, count: u32) -> Result<bool, StoreError> {
        if self.calls_kept.replace(count) <= count {
            return Ok(false);
        }
        self.write_in(&[CALLS], async |transaction| {
            let calls = transaction.object_store(CALLS)?;
            if let Some(last) = calls.open_key_cursor(None, Some(CursorDirection::Prev))?.await?
                && let Some(range) = self.outdated(&last.key()?)?
            {
                calls.delete(range)?.await?;
            }
            Ok(true)
        })
        .await
    }

    async fn log_call(&self, call: &LoggedCall) -> Result<(), StoreError> {
        self.write_in(&[CALLS], async |transaction| self.add_call(transaction, call).await).await
    }

    async fn clear_calls(&self) -> Result<(), StoreError> {
        self.write_in(&[CALLS], async |transaction| transaction.object_store(CALLS)?.clear()?.await).await
    }
}

impl CallLines for Database {
    async fn places(&self) -> Result<Option<Places>, StoreError> {
        self.read_in(&[CALLS], async |transaction| {
            let calls = transaction.object_store(CALLS)?;
            let count = calls.count(None)?.into_future();
            let first = calls.get_all_keys(None, Some(1))?.into_future();
            let last = calls.open_key_cursor(None, Some(CursorDirection::Prev))?.into_future();
            let (count, first, last) = (count.await?, first.await?, last.await?);
            let last = last.map(|last| last.key()).transpose()?;
            let places = first.first().zip(last.as_ref()).map(|(first, last)| Places {
                first: place(first),
                last: place(last),
                count: u64::from(count),
            });
            Ok(places)
        })
        .await
    }

    async fn lines<T: DeserializeOwned>(
        &self,
        places: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, T)>, StoreError> {
        let (places, lines) = self
            .read_in(&[CALLS], async |transaction| {
                let calls = transaction.object_store(CALLS)?;
                let [start, end] =
                    [*places.start(), *places.end()].map(|place| JsValue::from_f64(place as f64));
                let range = || KeyRange::bound(&start, &end, None, None).map(Place::KeyRange);
                let places = calls.get_all_keys(Some(range()?), None)?.into_future();
                let lines = calls.get_all(Some(range()?), None)?.into_future();
                Ok((places.await?, lines.await?))
            })
            .await?;
        places.iter().zip(&lines).map(|(key, line)| Ok((place(key), parse(line)?))).collect()
    }
}

fn place(key: &JsValue) -> u64 {
    key.as_f64().unwrap_or_default() as u64
}
