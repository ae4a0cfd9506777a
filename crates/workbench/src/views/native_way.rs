//! How the browser's own WebMCP is switched on.

use leptos::prelude::*;
use sidecar_ui::words::use_words;

use crate::word;

/// The browser's page where WebMCP is switched on. A page cannot link to it.
const NATIVE_FLAG: &str = "chrome://flags/#enable-webmcp-testing";

/// The line that says so.
#[component]
pub fn NativeWay() -> impl IntoView {
    let words = use_words();
    view! {
        <p class="meta" data-testid="native-way">{words.text(word::EMPTY_NATIVE)} " " <code>{NATIVE_FLAG}</code></p>
    }
}
