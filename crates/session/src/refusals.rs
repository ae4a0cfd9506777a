//! Refusals: the errors for panels if something cannot be read or saved.

use sidecar_agent::StoreError;
use sidecar_agent::saved::Unreadable;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::saved::SavedName;

use crate::grants::NotKept;
use crate::saved::NotSaved;
use crate::settings::SaveError;
use crate::threads::ReadError;

/// The database or the storage refused.
pub fn storage(error: StoreError) -> Refusal {
    Refusal::Storage { trouble: error.trouble, message: error.detail }
}

/// A thread cannot be read.
pub fn unread(error: ReadError) -> Refusal {
    match error {
        ReadError::Store(error) => storage(error),
        ReadError::Log(Unreadable::Newer) => Refusal::NewerThread,
        ReadError::Log(Unreadable::Damaged) => Refusal::DamagedThread,
    }
}

/// A decision about a tool or a site was not saved.
pub fn not_kept(error: NotKept) -> Refusal {
    match error {
        NotKept::Refused => Refusal::NotKept,
        NotKept::Unread(value) => Refusal::Unread { value },
        NotKept::Unsaved(error) => storage(error),
    }
}

/// A change of this value was not saved.
pub fn not_saved(error: NotSaved, value: SavedName) -> Refusal {
    match error {
        NotSaved::Unread => Refusal::Unread { value },
        NotSaved::Refused(error) => storage(error),
    }
}

/// Settings or a key were not saved.
pub fn settings(error: SaveError) -> Refusal {
    match error {
        SaveError::BadField(field) => Refusal::BadSetting { field },
        SaveError::Unread(value) => Refusal::Unread { value },
        SaveError::Storage(error) => storage(error),
    }
}
