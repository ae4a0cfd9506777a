//! The language of the browser's interface.

use sidecar_chrome::link::ui_language;

/// A BCP 47 tag: that of the interface, or else the one in which pages are asked for.
pub fn browser_language() -> String {
    let language = ui_language();
    match language.is_empty() {
        true => leptos::prelude::window().navigator().language().unwrap_or_default(),
        false => language,
    }
}
