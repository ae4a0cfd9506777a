//! Opaque identifiers. None of them is taken from what a page says: the browser gives tab, frame and
//! document with each message, and the worker makes the others.

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

macro_rules! number_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i32);
    };
}

text_id!(
    /// A conversation.
    ThreadId
);
impl ThreadId {
    /// Prefix of the ids of temporary threads, which are not saved.
    pub const TEMPORARY: &str = "temporary-";

    /// Whether the thread is temporary: it is not saved.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.0.starts_with(Self::TEMPORARY)
    }
}

text_id!(
    /// A turn of a thread.
    TurnId
);
text_id!(
    /// An item of a thread, as the panel shows it. Stable while the item changes.
    ItemId
);
text_id!(
    /// A tool call: minted by us, never the model's own id. It is also the `requestId` of the `__wmcp_*`
    /// messages.
    CallId
);
text_id!(
    /// Chrome's `documentId`: names one document even when a frame navigates.
    DocumentId
);
number_id!(
    /// Chrome's tab id.
    TabId
);
number_id!(
    /// Chrome's window id.
    WindowId
);
number_id!(
    /// Chrome's frame id.
    FrameId
);
impl FrameId {
    /// The top frame of a tab.
    pub const TOP: Self = Self(0);
}
