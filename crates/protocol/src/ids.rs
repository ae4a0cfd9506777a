//! Opaque identifiers. None of them ever comes out of a page's own words: tab, frame and document are given by the
//! browser with each message, the others are made by the worker.

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
    /// What the ids of threads begin with that are kept nowhere.
    pub const TEMPORARY: &str = "temporary-";

    /// Whether the thread is kept nowhere.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.0.starts_with(Self::TEMPORARY)
    }
}

text_id!(
    /// One user request, until the agent rests.
    TurnId
);
text_id!(
    /// One entry of a thread as the panel shows it. Stable while the entry changes.
    ItemId
);
text_id!(
    /// One tool call: minted by us, never the model's own id. It is the `requestId` of the `__wmcp_*` messages too.
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
