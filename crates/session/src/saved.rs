//! A value that is read once, kept in memory and saved.
//!
//! **What cannot be read is kept.** A text may be of a newer version, or damaged. As much of it as can be read is used; each
//! part that cannot is left out in memory, where a safe default stands for it, and stays on disk as it is until the user
//! changes that very part, or gives it up. If nothing can be read, nothing is written over it.
//!
//! The rule for saving is one: the text on disk changes only where the value changed since it was last read or written
//! ([`merge`]). So members that this version does not know stay, too.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sidecar_agent::StoreError;
use sidecar_protocol::saved::{SavedName, UnreadValue};

use crate::key_value::KeyValue;
use merge::merge;
use reading::{Pointer, readable};

mod merge;
mod reading;

/// Something that is saved under a name of its own.
pub trait Persistent: Serialize + DeserializeOwned + Default {
    /// What panels call it.
    const NAME: SavedName;
    /// What storage calls it.
    const KEY: &'static str;

    /// Whether every part of it is within its bounds. A part that is not counts as unreadable.
    fn is_sound(&self) -> bool {
        true
    }

    /// Puts something safe in the place of what could not be read, where the usual default is not.
    fn fall_back(&mut self, _unread: &UnreadParts) {}
}

/// The parts of a value that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadParts(Vec<Pointer>);

impl UnreadParts {
    /// Nothing of the value could be read.
    fn whole() -> Self {
        Self(vec![Pointer::new()])
    }

    /// Whether this member of the value, or the whole of it, could not be read.
    #[must_use]
    pub fn has(&self, member: &str) -> bool {
        self.0.iter().any(|place| match place.as_slice() {
            [] => true,
            [only] => only == member,
            [_, ..] => false,
        })
    }
}

/// Why a value was not saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSaved {
    /// Nothing of what is on disk can be read, and nothing is written over it.
    Unread,
    /// The browser refused.
    Refused(StoreError),
}

/// A value in memory and on disk.
#[derive(Debug)]
pub struct Saved<T, K> {
    store: K,
    value: T,
    /// Absent when nothing of what is there can be read.
    disk: Option<OnDisk>,
}

/// What is on disk, as far as it can be read.
#[derive(Debug)]
struct OnDisk {
    original: Value,
    /// What was made of it, as this version writes it.
    known: Value,
    unread: UnreadParts,
}

impl<T: Persistent, K: KeyValue> Saved<T, K> {
    /// Reads what is there.
    pub async fn load(store: K) -> Self {
        let original = match store.get(T::KEY).await {
            Ok(None) => Some(Value::Null),
            Ok(Some(text)) => serde_json::from_str(&text).ok().filter(|value: &Value| !value.is_null()),
            Err(_) => None,
        };
        let read = original.and_then(|original| read::<T>(&original).map(|read| (original, read)));
        let (value, disk) = match read {
            Some((original, (value, unread))) => {
                let known = if original.is_null() { Value::Null } else { json(&value) };
                (value, Some(OnDisk { original, known, unread }))
            }
            None => {
                let mut value = T::default();
                value.fall_back(&UnreadParts::whole());
                (value, None)
            }
        };
        Self { store, value, disk }
    }

    /// The value as far as it could be read, with what happened to it since.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// What could not be read, if anything.
    pub fn unread(&self) -> Option<UnreadValue> {
        let whole = UnreadParts::whole();
        let UnreadParts(places) = self.disk.as_ref().map_or(&whole, |disk| &disk.unread);
        let shown = |place: &Pointer| {
            let place = place.join(".");
            place.chars().take(UnreadValue::MOST_OF_PLACE).collect::<String>()
        };
        (!places.is_empty()).then(|| UnreadValue {
            name: T::NAME,
            is_whole: self.disk.is_none(),
            places: places
                .iter()
                .map(shown)
                .filter(|place| !place.is_empty())
                .take(UnreadValue::MOST_PLACES)
                .collect(),
        })
    }

    /// The text that would be on disk with this value; `None` when none would be written.
    pub fn text_with(&self, value: &T) -> Option<String> {
        Some(self.disk.as_ref()?.text_with(value))
    }

    /// Takes a value and saves it.
    ///
    /// # Errors
    /// When it could not be saved. The value is what it was then.
    pub async fn save(&mut self, value: T) -> Result<(), NotSaved> {
        let text = self.text_with(&value).ok_or(NotSaved::Unread)?;
        self.write(&text).await.map_err(NotSaved::Refused)?;
        self.value = value;
        Ok(())
    }

    /// Takes a value for as long as the worker lives.
    pub fn hold(&mut self, value: T) {
        self.value = value;
    }

    /// Gives up what could not be read. What is in memory is saved in its place.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_unread(&mut self) -> Result<(), StoreError> {
        self.write(&text(&self.value)).await
    }

    /// Gives up members of the value that could not be read, by their names.
    ///
    /// # Errors
    /// When that could not be saved. Nothing is given up then.
    pub async fn give_up_members(&mut self, is_meant: impl Fn(&str) -> bool) -> Result<(), NotSaved> {
        let Some(disk) = &mut self.disk else { return Err(NotSaved::Unread) };
        let is_unread =
            |name: &str| disk.unread.0.iter().any(|place| place.first().is_some_and(|first| first == name));
        let Value::Object(members) = &disk.original else { return Ok(()) };
        let mut left = members.clone();
        left.retain(|name, _| !(is_unread(name) && is_meant(name)));
        if left.len() == members.len() {
            return Ok(());
        }
        let text = Value::Object(left).to_string();
        self.write(&text).await.map_err(NotSaved::Refused)
    }

    async fn write(&mut self, text: &str) -> Result<(), StoreError> {
        self.store.set(T::KEY, text).await?;
        let original: Value = serde_json::from_str(text).unwrap_or_default();
        let read = read::<T>(&original);
        self.disk = read.map(|(value, unread)| OnDisk { known: json(&value), original, unread });
        Ok(())
    }
}

impl OnDisk {
    fn text_with<T: Persistent>(&self, value: &T) -> String {
        let now = json(value);
        let UnreadParts(unread) = &self.unread;
        let merged = merge(&self.original, &self.known, &now, unread);
        if merged == now { text(value) } else { merged.to_string() }
    }
}

/// The value in a text, and what of it could not be read; `None` when nothing could.
fn read<T: Persistent>(original: &Value) -> Option<(T, UnreadParts)> {
    if original.is_null() {
        return Some((T::default(), UnreadParts::default()));
    }
    let is_readable = |value: &Value| {
        T::deserialize(value).is_ok_and(|read| read.is_sound() && has_shape(&json(&read), value))
    };
    let (readable, unread) = readable(original, &is_readable)?;
    let mut value = T::deserialize(&readable).ok()?;
    let unread = UnreadParts(unread);
    value.fall_back(&unread);
    Some((value, unread))
}

/// Whether lists are lists and objects are objects: serde reads a list as an object, too, which would be written over.
fn has_shape(known: &Value, original: &Value) -> bool {
    match (known, original) {
        (Value::Object(known), Value::Object(original)) => known
            .iter()
            .all(|(name, known)| original.get(name).is_none_or(|original| has_shape(known, original))),
        (Value::Array(known), Value::Array(original)) => {
            known.len() == original.len()
                && known.iter().zip(original).all(|(known, original)| has_shape(known, original))
        }
        (Value::Object(_), Value::Array(_)) | (Value::Array(_), Value::Object(_)) => false,
        _ => true,
    }
}

/// Our own types always have a JSON text.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
