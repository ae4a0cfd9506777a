//! Values that can be learned again if they are lost: an unreadable value counts as empty, and one that
//! cannot be written lives as long as the worker.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::key_value::KeyValue;

/// Reads a value; empty if there is none or it cannot be read.
pub async fn read<T: DeserializeOwned + Default>(store: &impl KeyValue, name: &str) -> T {
    let text = store.get(name).await.ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Writes a value. Failures are ignored.
pub async fn write(store: &impl KeyValue, name: &str, value: &impl Serialize) {
    let _ = store.set(name, &serde_json::to_string(value).unwrap_or_default()).await;
}
