//! What outlives the view that shows it.

use std::collections::HashMap;
use std::hash::Hash;

use leptos::prelude::*;

/// Handles to signals by key, made where they are first asked for, and kept as long as the page. A handle: copies share them.
pub struct Lasting<K: 'static, V: 'static> {
    made: StoredValue<HashMap<K, V>>,
    /// The page's owner: what a view owns goes with it.
    owner: StoredValue<Owner>,
}

impl<K, V> Clone for Lasting<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Lasting<K, V> {}

impl<K, V> Lasting<K, V>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Copy + Send + Sync + 'static,
{
    /// None yet. Called where the page is made.
    pub fn new() -> Self {
        let owner = Owner::current().unwrap_or_default();
        Self { made: StoredValue::new(HashMap::new()), owner: StoredValue::new(owner) }
    }

    /// What was made for a key, if anything was.
    pub fn get(self, key: &K) -> Option<V> {
        self.made.with_value(|made| made.get(key).copied())
    }

    /// What was made for a key; made now if nothing was.
    pub fn of(self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(known) = self.get(&key) {
            return known;
        }
        let new = self.owner.with_value(|owner| owner.with(make));
        self.made.update_value(|made| _ = made.insert(key, new));
        new
    }
}

impl<K, V> Default for Lasting<K, V>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Copy + Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}
