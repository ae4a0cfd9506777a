//! An item of the open thread as a signal.

use leptos::prelude::*;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::thread::ItemKind;

use super::timeline::{Cell, TimelineEntry};

/// Holds one item as a signal.
#[derive(Debug, Clone)]
pub struct ItemCell(pub ArcRwSignal<ItemKind>);

impl Cell for ItemCell {
    fn hold(kind: ItemKind) -> Self {
        Self(ArcRwSignal::new(kind))
    }

    fn replace(&self, kind: ItemKind) {
        if self.0.with_untracked(|old| *old != kind) {
            self.0.set(kind);
        }
    }

    fn grow(&self, more_reasoning: &str, more_text: &str) {
        self.0.update(|kind| {
            if let ItemKind::Assistant { reasoning, text, .. } = kind {
                reasoning.push_str(more_reasoning);
                text.push_str(more_text);
            }
        });
    }
}

/// An entry of the open thread.
pub type ItemEntry = TimelineEntry<ItemCell>;

/// What a message of the user has.
#[derive(Debug, Clone)]
pub struct Said {
    /// The user's words.
    pub text: String,
    /// Attached texts of pages.
    pub attached: Vec<Attachment>,
    /// Pictures.
    pub pictures: Vec<Picture>,
}

/// Text of a user's message; `None` for other items.
pub fn words_of_user(kind: &ItemKind) -> Option<String> {
    said(kind).map(|said| said.text)
}

/// A user's message; `None` for other items.
pub fn said(kind: &ItemKind) -> Option<Said> {
    match kind {
        ItemKind::User { text, attached, pictures } => {
            Some(Said { text: text.clone(), attached: attached.clone(), pictures: pictures.clone() })
        }
        ItemKind::Assistant { .. }
        | ItemKind::Tool(_)
        | ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Versions { .. }
        | ItemKind::Compacted { .. }
        | ItemKind::TurnEnd { .. } => None,
    }
}
