//! Messages that have not been sent. What the user wrote outlives the panel: it is kept while the panel is closed.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::picture::{NewPicture, Picture};

use super::ComposerStore;

/// The `localStorage` key of what the panel leaves when it closes.
const KEY: &str = "unsent";

/// A message before it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnsentMessage {
    /// The user's words.
    pub text: String,
    /// Attached texts of pages.
    pub attached: Vec<Attachment>,
    /// Pictures.
    pub pictures: Vec<NewPicture>,
}

/// What a panel leaves for the next one.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Left {
    draft: UnsentMessage,
    held: Option<UnsentMessage>,
}

impl UnsentMessage {
    /// A message of words only.
    pub fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Whether it can be sent as one message.
    pub fn fits(&self) -> bool {
        self.text.chars().count() <= MESSAGE_LIMIT
            && Attachment::fit_together(&self.attached)
            && self.pictures.len() <= Picture::MOST
    }

    /// Adds another message.
    pub fn append(&mut self, more: Self) {
        if !self.text.is_empty() && !more.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(&more.text);
        self.attached.extend(more.attached);
        self.pictures.extend(more.pictures);
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attached.is_empty() && self.pictures.is_empty()
    }

    fn without_pictures(self) -> Self {
        Self { pictures: Vec::new(), ..self }
    }
}

impl ComposerStore {
    /// Takes up what the last panel left, and leaves the same when this panel closes. To be called once.
    pub fn outlive_panel(self) {
        if let Some(Left { draft, held }) = take() {
            self.replace_draft(draft);
            self.held.set(held);
        }
        let handle = window_event_listener_untyped("pagehide", move |_| self.leave());
        on_cleanup(move || handle.remove());
    }

    fn leave(self) {
        // While an earlier message is edited, the draft is what was set aside for it.
        let draft = match self.editing.with_untracked(String::is_empty) {
            true => self.draft_message(),
            false => self.set_aside.get_value(),
        };
        // A temporary chat leaves nothing.
        if self.conversation.thread.with_untracked(|thread| thread.as_ref().is_some_and(|it| it.temporary)) {
            return;
        }
        let left = Left { draft, held: self.held.get_untracked() };
        if left.draft.is_empty() && left.held.is_none() {
            return;
        }
        if put(&left).is_none() {
            // Pictures may be too large for the storage.
            let Left { draft, held } = left;
            put(&Left { draft: draft.without_pictures(), held: held.map(UnsentMessage::without_pictures) });
        }
    }
}

fn put(left: &Left) -> Option<()> {
    let storage = window().local_storage().ok()??;
    storage.set_item(KEY, &serde_json::to_string(left).ok()?).ok()
}

/// What was left, which is taken away: of two panels only one gets it.
fn take() -> Option<Left> {
    let storage = window().local_storage().ok()??;
    let text = storage.get_item(KEY).ok()??;
    // What cannot be removed is not taken, or it would come back for ever.
    storage.remove_item(KEY).ok()?;
    serde_json::from_str(&text).ok()
}
