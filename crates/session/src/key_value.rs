//! JSON texts by name. The worker implements this with the browser's storage, tests with a map.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_agent::StoreError;

/// A storage area. Areas are independent of each other.
pub trait KeyValue {
    /// Reads a text; `None` when there is none.
    ///
    /// # Errors
    /// If the area cannot be read, or the value of this name is not a text.
    async fn get(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Writes a text. It is durable when this returns.
    ///
    /// # Errors
    /// If the area is full or cannot be written. The previous text is kept.
    async fn set(&self, name: &str, text: &str) -> Result<(), StoreError>;

    /// Deletes a text. Nothing happens when there is none.
    ///
    /// # Errors
    /// If the area cannot be written.
    async fn remove(&self, name: &str) -> Result<(), StoreError>;
}
