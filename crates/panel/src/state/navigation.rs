//! Which view is open, and where the focus is to go.

use leptos::prelude::*;

use super::PanelView;

/// A handle: copies show the same.
#[derive(Clone, Copy)]
pub struct NavigationStore {
    /// The open view.
    pub view: RwSignal<PanelView>,
    /// Whether the list of earlier threads is open.
    pub threads_open: RwSignal<bool>,
    /// Whether the key's input takes the focus when Settings open.
    pub wants_key: RwSignal<bool>,
    /// Counts wishes to write: the composer takes the focus with each.
    pub compose: RwSignal<u32>,
}

impl NavigationStore {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self {
            view: RwSignal::new(PanelView::Chat),
            threads_open: RwSignal::new(false),
            wants_key: RwSignal::new(false),
            compose: RwSignal::new(0),
        }
    }

    /// Opens a view. The list of earlier threads, which would cover it, closes.
    pub fn open(self, view: PanelView) {
        self.threads_open.set(false);
        self.view.set(view);
    }

    /// Opens the conversation and puts the focus into the composer.
    pub fn write(self) {
        self.open(PanelView::Chat);
        self.focus_composer();
    }

    /// Opens Settings where the key is entered.
    pub fn open_settings(self) {
        self.wants_key.set(true);
        self.open(PanelView::Settings);
    }

    /// Puts the focus into the composer.
    pub fn focus_composer(self) {
        self.compose.update(|count| *count += 1);
    }
}
