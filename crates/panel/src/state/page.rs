//! The active tab.

use leptos::prelude::*;
use sidecar_protocol::page_view::PageView;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct PageStore {
    /// The page as shown.
    pub view: RwSignal<PageView>,
    /// The page to show with the next frame.
    next: StoredValue<Option<PageView>>,
}

impl PageStore {
    /// Creates a store without a page.
    pub fn new() -> Self {
        Self { view: RwSignal::new(PageView::default()), next: StoredValue::new(None) }
    }

    /// Shows a page at once.
    pub fn show(self, page: PageView) {
        self.next.set_value(None);
        self.view.set(page);
    }

    /// Shows a page with the next frame: a page may change its tools faster than they can be painted.
    pub fn show_soon(self, page: PageView) {
        let before = self.next.try_update_value(|next| next.replace(page)).flatten();
        if before.is_none() {
            request_animation_frame(move || untrack(|| self.show_next()));
        }
    }

    fn show_next(self) {
        if let Some(page) = self.next.try_update_value(Option::take).flatten() {
            self.view.set(page);
        }
    }
}
