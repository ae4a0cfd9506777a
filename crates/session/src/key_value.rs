//! JSON texts by name. The worker implements this with the browser's storage, the tests with a map.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_agent::StoreError;

/// One area of storage. Values of different areas are independent of each other.
pub trait KeyValue {
    /// Reads a text; `None` when there is none.
    ///
    /// # Errors
    /// When the area cannot be read, or something else than a text has this name.
    async fn get(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Writes a text; durable when it returns.
    ///
    /// # Errors
    /// When the area is full or cannot be written. What was there is there still.
    async fn set(&self, name: &str, text: &str) -> Result<(), StoreError>;
}
