//! A value that is read once, kept in memory, and saved.
//!
//! **Unreadable parts are kept.** The text on disk may be damaged, or written by a newer version. As much of
//! it as possible is used. An unreadable part is replaced in memory by a safe default and stays on disk until
//! the user changes that very part or discards it. If nothing can be read, nothing is overwritten.
//!
//! Saving follows one rule: the text on disk changes only where the value changed since it was last read or
//! written ([`merge`]). So members that this version does not know are kept, too.

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

/// A type that is saved under a name of its own.
pub trait Persistent: Serialize + DeserializeOwned + Default {
    /// Its name for panels.
    const NAME: SavedName;
    /// Its name in storage.
    const KEY: &'static str;

    /// Whether every part is within its bounds. A part that is not counts as unreadable.
    fn is_sound(&self) -> bool {
        true
    }

    /// Replaces unreadable parts by something safe, where the default is not.
    fn fall_back(&mut self, _unread: &UnreadParts) {}
}

/// The unreadable parts of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadParts(Vec<Pointer>);

impl UnreadParts {
    /// The whole value is unreadable.
    fn whole() -> Self {
        Self(vec![Pointer::new()])
    }

    /// Whether this member, or the whole value, is unreadable.
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
    /// The value on disk cannot be read at all, and is not overwritten.
    Unread,
    /// The browser refused to write.
    Refused(StoreError),
}

/// A value in memory and on disk.
#[derive(Debug)]
pub struct Saved<T, K> {
    store: K,
    value: T,
    /// Absent if the value on disk cannot be read at all.
    disk: Option<OnDisk>,
}

/// A value on disk that can be read at least in part.
#[derive(Debug)]
struct OnDisk {
    original: Value,
    /// The readable parts, as this version writes them.
    known: Value,
    unread: UnreadParts,
}

impl<T: Persistent, K: KeyValue> Saved<T, K> {
    /// Reads the value from disk.
    pub async fn load(store: K) -> Self {
        let text = store.get(T::KEY).await;
        Self::of(store, text)
    }

    /// The value of a text that was read from disk.
    pub fn of(store: K, text: Result<Option<String>, StoreError>) -> Self {
        let original = match text {
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

    /// The value: what could be read, with all changes since.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The unreadable parts, if there are any.
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

    /// The members that are, or contain, something unreadable. Empty if the whole value is unreadable.
    pub fn unread_members(&self) -> impl Iterator<Item = &str> {
        let places = self.disk.iter().flat_map(|disk| &disk.unread.0);
        places.filter_map(|place| place.first()).map(String::as_str)
    }

    /// The text that saving this value would write; `None` if saving would be refused.
    pub fn text_with(&self, value: &T) -> Option<String> {
        Some(self.disk.as_ref()?.text_with(value))
    }

    /// Saves a value, and uses it from now on.
    ///
    /// # Errors
    /// If it cannot be saved. The value is unchanged then.
    pub async fn save(&mut self, value: T) -> Result<(), NotSaved> {
        let text = self.text_with(&value).ok_or(NotSaved::Unread)?;
        self.write(&text).await.map_err(NotSaved::Refused)?;
        self.value = value;
        Ok(())
    }

    /// Uses a value without saving it.
    pub fn hold(&mut self, value: T) {
        self.value = value;
    }

    /// Discards the unreadable parts. The value in memory is saved in their place.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_unread(&mut self) -> Result<(), StoreError> {
        self.write(&text(&self.value)).await
    }

    /// Discards the members that pass the filter and are, or contain, something unreadable.
    ///
    /// # Errors
    /// If this cannot be saved. Nothing is discarded then.
    pub async fn give_up_members(&mut self, is_selected: impl Fn(&str) -> bool) -> Result<(), NotSaved> {
        let Some(disk) = &mut self.disk else { return Err(NotSaved::Unread) };
        let is_unread =
            |name: &str| disk.unread.0.iter().any(|place| place.first().is_some_and(|first| first == name));
        let Value::Object(members) = &disk.original else { return Ok(()) };
        let mut left = members.clone();
        left.retain(|name, _| !(is_unread(name) && is_selected(name)));
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

/// The value of a JSON document, with its unreadable parts; `None` if nothing can be read.
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

/// Whether the same places hold lists and objects: serde also reads a list as a struct, which saving would
/// then overwrite.
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

/// Serialization of our own types never fails.
fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
