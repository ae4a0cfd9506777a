//! Moves the focus to a card that asks, and back afterwards.

use leptos::html;
use leptos::prelude::*;
use sidecar_ui::dom::focus::{active_element, focus};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::state::PanelView;
use crate::state::navigation::NavigationStore;

/// Moves the focus to a card that asks. When the current owner is cleaned up, the focus returns to the element that had
/// it.
pub fn lend_focus(navigation: NavigationStore, card: NodeRef<html::Div>) {
    let before = StoredValue::new_local(active_element());
    Effect::new(move |_| {
        if let Some(card) = card.get()
            && navigation.view.get_untracked() == PanelView::Chat
        {
            focus(&card);
        }
    });
    on_cleanup(move || {
        let (card, before) = (card.get_untracked().map(Element::from), before.get_value());
        request_animation_frame(move || {
            // The user has moved the focus meanwhile: leave it there.
            if active_element().is_some_and(|active| Some(active) != card) {
                return;
            }
            match before.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                Some(element) if element.is_connected() => focus(&element),
                _ => navigation.focus_composer(),
            }
        });
    });
}
