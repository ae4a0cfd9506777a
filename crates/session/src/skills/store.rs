//! The files of installed SKILLs, by the digest of their package.

use serde::Deserialize;
use sidecar_agent::StoreError;
use sidecar_skills::exchange::KeptSkill;
use sidecar_skills::offer::PlacedTool;

use crate::key_value::KeyValue;

/// What a digest's values are called: the tools, which are read for each page that fits; what is run; the whole package.
const TOOLS: &str = "skill-tools";
const SKILL: &str = "skill";
const PACKAGE: &str = "skill-package";

fn key(of: &str, digest: &str) -> String {
    format!("{of}.{digest}")
}

/// Keeps a package.
///
/// # Errors
/// If there is no room.
pub async fn keep(store: &impl KeyValue, digest: &str, mut kept: KeptSkill) -> Result<(), StoreError> {
    let (tools, package) = (std::mem::take(&mut kept.tools), std::mem::take(&mut kept.package));
    let text = |value: serde_json::Result<String>| value.unwrap_or_default();
    store.set(&key(PACKAGE, digest), &package).await?;
    store.set(&key(SKILL, digest), &text(serde_json::to_string(&kept))).await?;
    store.set(&key(TOOLS, digest), &text(serde_json::to_string(&tools))).await
}

/// Deletes a package. What cannot be deleted takes room, and nothing else.
pub async fn forget(store: &impl KeyValue, digest: &str) {
    for of in [TOOLS, SKILL, PACKAGE] {
        let _ = store.remove(&key(of, digest)).await;
    }
}

/// The tools of a package; `None` if they cannot be read.
pub async fn tools(store: &impl KeyValue, digest: &str) -> Option<Vec<PlacedTool>> {
    read(store, &key(TOOLS, digest)).await
}

/// What is run of a package, without its tools and files; `None` if it cannot be read.
pub async fn skill(store: &impl KeyValue, digest: &str) -> Option<KeptSkill> {
    read(store, &key(SKILL, digest)).await
}

/// A package as a zip, in base64; `None` if it cannot be read.
pub async fn package(store: &impl KeyValue, digest: &str) -> Option<String> {
    store.get(&key(PACKAGE, digest)).await.ok().flatten()
}

async fn read<T: for<'de> Deserialize<'de>>(store: &impl KeyValue, key: &str) -> Option<T> {
    serde_json::from_str(&store.get(key).await.ok()??).ok()
}
