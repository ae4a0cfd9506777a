//! What is said of a tool in a word: where it comes from, what a call may do.

use leptos::prelude::*;
use sidecar_protocol::{Risk, Source};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::Words;

use crate::word;

/// A source's name in the document, which is that of the field.
pub fn source_name(source: &Source) -> &'static str {
    match source {
        Source::Native => "native",
        Source::Polyfill => "polyfill",
        Source::Skill { .. } => "skill",
        Source::Browser => "browser",
        Source::Mcp { .. } => "mcp",
    }
}

/// What a call of a tool may do, in a word; empty for what is usual.
pub fn risk_mark(words: Words, risk: Risk) -> AnyView {
    let (sign, text) = match risk {
        Risk::ReadOnly => (Icon::Eye, word::BENCH_READ_ONLY),
        Risk::Acting => return ().into_any(),
        Risk::Consequential => (Icon::Warning, word::BENCH_CONSEQUENTIAL),
    };
    view! { <span class="mark">{icon(sign)} {words.text(text)}</span> }.into_any()
}
