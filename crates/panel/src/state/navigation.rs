//! The open view, and requests to move the focus.

use leptos::prelude::*;

use super::PanelView;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct NavigationStore {
    /// The open view.
    pub view: RwSignal<PanelView>,
    /// Whether the list of earlier threads is open.
    pub threads_open: RwSignal<bool>,
    /// Whether the key input takes the focus when Settings opens.
    pub wants_key: RwSignal<bool>,
    /// Whether the form for a new prompt takes the focus when Settings opens.
    pub wants_prompt: RwSignal<bool>,
    /// Incremented to move the focus into the composer.
    pub compose: RwSignal<u32>,
}

impl NavigationStore {
    /// The Chat view is open.
    pub fn new() -> Self {
        Self {
            view: RwSignal::new(PanelView::Chat),
            threads_open: RwSignal::new(false),
            wants_key: RwSignal::new(false),
            wants_prompt: RwSignal::new(false),
            compose: RwSignal::new(0),
        }
    }

    /// Opens a view, and closes the list of earlier threads, which would cover it.
    pub fn open(self, view: PanelView) {
        self.threads_open.set(false);
        self.view.set(view);
    }

    /// Opens the conversation and moves the focus into the composer.
    pub fn write(self) {
        self.open(PanelView::Chat);
        self.focus_composer();
    }

    /// Opens Settings with the focus in the key input.
    pub fn open_settings(self) {
        self.wants_key.set(true);
        self.open(PanelView::Settings);
    }

    /// Opens Settings with the focus in the form for a new prompt.
    pub fn open_prompts(self) {
        self.wants_prompt.set(true);
        self.open(PanelView::Settings);
    }

    /// Moves the focus into the composer.
    pub fn focus_composer(self) {
        self.compose.update(|count| *count += 1);
    }
}
