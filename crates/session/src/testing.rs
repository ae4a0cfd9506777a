//! Fakes for tests: storage in memory, a browser, and logs of threads.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use sidecar_agent::StoreError;
use sidecar_protocol::error::StorageTrouble;

use crate::browser::StorageArea;
use crate::key_value::KeyValue;
use crate::unfinished::Alarm;

pub mod browser;
mod disk;
pub mod events;

pub use disk::Disk;

/// A map that can be made to refuse. Clones share the map.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    texts: Rc<RefCell<BTreeMap<String, String>>>,
    refuses: Rc<Cell<bool>>,
    asked: Rc<RefCell<BTreeSet<String>>>,
}

impl Memory {
    pub fn with(name: &str, text: &str) -> Self {
        let memory = Self::default();
        memory.put(name, text);
        memory
    }

    pub fn put(&self, name: &str, text: &str) {
        self.texts.borrow_mut().insert(name.to_owned(), text.to_owned());
    }

    pub fn text(&self, name: &str) -> String {
        self.texts.borrow().get(name).cloned().unwrap_or_default()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// The names of all texts.
    pub fn names(&self) -> Vec<String> {
        self.texts.borrow().keys().cloned().collect()
    }

    /// The names of which a text was asked for.
    pub fn asked(&self) -> BTreeSet<String> {
        self.asked.borrow().clone()
    }

    /// Makes reads and writes fail, or succeed again.
    pub fn refuse(&self, refuses: bool) {
        self.refuses.set(refuses);
    }

    fn check(&self) -> Result<(), StoreError> {
        match self.refuses.get() {
            true => Err(StoreError::new(StorageTrouble::Full, "quota exceeded")),
            false => Ok(()),
        }
    }
}

impl KeyValue for Memory {
    async fn get(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.asked.borrow_mut().insert(name.to_owned());
        self.check()?;
        Ok(self.texts.borrow().get(name).cloned())
    }

    async fn set(&self, name: &str, text: &str) -> Result<(), StoreError> {
        self.check()?;
        self.put(name, text);
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.check()?;
        self.texts.borrow_mut().remove(name);
        Ok(())
    }
}

/// The storage areas, each with a memory of its own. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Areas {
    pub choices: Memory,
    pub conversations: Memory,
    pub session: Memory,
}

impl Areas {
    /// With these settings of the user.
    pub fn with_settings(settings: &str) -> Self {
        Self { choices: Memory::with("settings", settings), ..Self::default() }
    }

    pub fn of(&self, area: StorageArea) -> &Memory {
        match area {
            StorageArea::Choices => &self.choices,
            StorageArea::Conversations => &self.conversations,
            StorageArea::Session => &self.session,
        }
    }
}

/// An alarm that counts calls.
#[derive(Debug, Clone, Default)]
pub struct Bell(Rc<Cell<(u32, u32)>>);

impl Bell {
    /// How often it was set and cleared.
    pub fn counts(&self) -> (u32, u32) {
        self.0.get()
    }
}

impl Alarm for Bell {
    async fn set(&self) {
        let (set, cleared) = self.0.get();
        self.0.set((set + 1, cleared));
    }

    async fn clear(&self) {
        let (set, cleared) = self.0.get();
        self.0.set((set, cleared + 1));
    }
}
