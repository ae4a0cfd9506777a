//! Values that are learnt again when they are lost: what cannot be read is empty, and what cannot be written lives as long
//! as the worker.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::key_value::KeyValue;

/// Reads a value; an empty one when there is none, or none that can be read.
pub async fn read<T: DeserializeOwned + Default>(store: &impl KeyValue, name: &str) -> T {
    let text = store.get(name).await.ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Writes a value, if it can be written.
pub async fn write(store: &impl KeyValue, name: &str, value: &impl Serialize) {
    let _ = store.set(name, &serde_json::to_string(value).unwrap_or_default()).await;
}
