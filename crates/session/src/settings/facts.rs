//! Facts about models, learned from their services. They are learned again if they are lost.

use std::collections::BTreeMap;

use futures::join;
use sidecar_llm::{Endpoint, prompted};

use crate::cache;
use crate::key_value::KeyValue;

const REFUSED: &str = "refusedFields";
const TAKES_TOOLS: &str = "takesTools";
const WINDOWS: &str = "windows";
const SEES: &str = "sees";

/// Maximum number of models with remembered facts.
pub const MOST_MODELS: usize = 100;

/// The facts, by address and model.
#[derive(Debug)]
pub struct Facts<K> {
    store: K,
    /// Request fields that a model refused.
    refused: BTreeMap<String, Vec<String>>,
    /// Whether a model takes tools, as far as its server, a test of the connection or a turn has shown.
    takes_tools: BTreeMap<String, bool>,
    /// Size of a model's context window in tokens, as far as its service reported it.
    windows: BTreeMap<String, u32>,
    /// Whether a model sees pictures, as far as its service reported it.
    sees: BTreeMap<String, bool>,
}

impl<K: KeyValue> Facts<K> {
    pub async fn load(store: K) -> Self {
        let (refused, takes_tools, windows, sees) = join!(
            cache::read(&store, REFUSED),
            cache::read(&store, TAKES_TOOLS),
            cache::read(&store, WINDOWS),
            cache::read(&store, SEES)
        );
        Self { store, refused, takes_tools, windows, sees }
    }

    pub fn refused(&self, endpoint: &Endpoint, model: &str) -> Vec<String> {
        self.refused.get(&name(endpoint, model)).cloned().unwrap_or_default()
    }

    pub fn takes_tools(&self, endpoint: &Endpoint, model: &str) -> Option<bool> {
        self.takes_tools.get(&name(endpoint, model)).copied()
    }

    pub fn window(&self, endpoint: &Endpoint, model: &str) -> Option<u32> {
        self.windows.get(&name(endpoint, model)).copied()
    }

    pub fn sees(&self, endpoint: &Endpoint, model: &str) -> Option<bool> {
        self.sees.get(&name(endpoint, model)).copied()
    }

    pub async fn remember_refused(&mut self, endpoint: &Endpoint, model: &str, field: &str) {
        let name = name(endpoint, model);
        make_room(&mut self.refused, &name);
        let fields = self.refused.entry(name).or_default();
        if !fields.iter().any(|known| known == field) {
            fields.push(field.to_owned());
            cache::write(&self.store, REFUSED, &self.refused).await;
        }
    }

    /// Returns whether this changed anything.
    pub async fn remember_tools(&mut self, endpoint: &Endpoint, model: &str, takes_tools: bool) -> bool {
        let name = name(endpoint, model);
        if self.takes_tools.get(&name) == Some(&takes_tools) {
            return false;
        }
        if let Some(fields) = self.refused.get_mut(&name).filter(|_| takes_tools) {
            // The refusal came from another model, or the server was restarted with other options.
            fields.retain(|field| field != prompted::TOOLS);
            cache::write(&self.store, REFUSED, &self.refused).await;
        }
        make_room(&mut self.takes_tools, &name);
        self.takes_tools.insert(name, takes_tools);
        cache::write(&self.store, TAKES_TOOLS, &self.takes_tools).await;
        true
    }

    /// Returns whether this changed anything.
    pub async fn remember_window(&mut self, endpoint: &Endpoint, model: &str, window: u32) -> bool {
        let name = name(endpoint, model);
        if self.windows.get(&name) == Some(&window) {
            return false;
        }
        make_room(&mut self.windows, &name);
        self.windows.insert(name, window);
        cache::write(&self.store, WINDOWS, &self.windows).await;
        true
    }

    /// Returns whether this changed anything.
    pub async fn remember_sight(&mut self, endpoint: &Endpoint, model: &str, sees: bool) -> bool {
        let name = name(endpoint, model);
        if self.sees.get(&name) == Some(&sees) {
            return false;
        }
        make_room(&mut self.sees, &name);
        self.sees.insert(name, sees);
        cache::write(&self.store, SEES, &self.sees).await;
        true
    }
}

fn name(endpoint: &Endpoint, model: &str) -> String {
    format!("{} {model}", endpoint.base_url)
}

/// Drops one model if there is no room for a new one.
fn make_room<T>(models: &mut BTreeMap<String, T>, name: &str) {
    if !models.contains_key(name) && models.len() >= MOST_MODELS {
        models.pop_first();
    }
}
