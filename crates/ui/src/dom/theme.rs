//! The page's theme, and attributes of its root element.

use leptos::prelude::*;
use sidecar_protocol::settings::Theme;
use web_sys::MediaQueryList;

/// The `localStorage` key where a page's script reads the theme before the next first paint.
const THEME_KEY: &str = "theme";

/// Keeps `data-theme` on the root element: the user's choice, or else the browser's current preference. Once the choice is
/// known, it is kept for the next first paint.
pub fn show_theme(theme: Memo<Theme>, is_known: Signal<bool>) {
    let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    let prefers_dark = RwSignal::new(query.as_ref().is_some_and(MediaQueryList::matches));
    if let Some(query) = query {
        let changed = move |event: web_sys::Event| {
            if let Some(query) = event
                .target()
                .and_then(|target| wasm_bindgen::JsCast::dyn_into::<MediaQueryList>(target).ok())
            {
                prefers_dark.set(query.matches());
            }
        };
        let changed = wasm_bindgen::closure::Closure::<dyn Fn(web_sys::Event)>::new(changed);
        // Cannot fail for a valid event name.
        let _ = query.add_event_listener_with_callback(
            "change",
            wasm_bindgen::JsCast::unchecked_ref(changed.as_ref()),
        );
        // Both live as long as the page.
        changed.forget();
        std::mem::forget(query);
    }
    Effect::new(move |_| {
        let dark = match theme.get() {
            Theme::System => prefers_dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        };
        set_on_root("data-theme", if dark { "dark" } else { "light" });
        if is_known.get()
            && let Ok(Some(storage)) = window().local_storage()
        {
            // Best effort: without it, the next first paint uses the browser's preference.
            let _ = match theme.get() {
                Theme::System => storage.remove_item(THEME_KEY),
                Theme::Light => storage.set_item(THEME_KEY, "light"),
                Theme::Dark => storage.set_item(THEME_KEY, "dark"),
            };
        }
    });
}

/// Sets an attribute of the root element.
pub fn set_on_root(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        // Cannot fail for a valid attribute name.
        let _ = root.set_attribute(name, value);
    }
}
