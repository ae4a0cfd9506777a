//! What changed between two texts, line by line.

use leptos::prelude::*;
use sidecar_protocol::skill::ChangedLine;
use sidecar_ui::text::legible::legible;
use sidecar_ui::words::use_words;

use crate::word;

/// The lines; and that nothing changed, if there are none.
#[component]
pub fn ChangedLines(
    /// The lines, and how many more there are.
    changes: (Vec<ChangedLine>, usize),
) -> impl IntoView {
    let words = use_words();
    let (lines, more) = changes;
    if lines.is_empty() {
        return view! { <p class="meta" data-testid="nothing-changed">{words.text(word::CHANGED_NOTHING)}</p> }
            .into_any();
    }
    let row = |line| match line {
        ChangedLine::Added(text) => view! { <ins>"+ " {legible(&text)} "\n"</ins> }.into_any(),
        ChangedLine::Removed(text) => view! { <del>"− " {legible(&text)} "\n"</del> }.into_any(),
        ChangedLine::Same(text) => view! { <span>"  " {legible(&text)} "\n"</span> }.into_any(),
    };
    let cut = (more > 0).then(|| {
        let count = words.number(u64::try_from(more).unwrap_or_default());
        view! { <p class="meta">{words.fill(word::CHANGED_MORE, &[("count", &count)])}</p> }.into_any()
    });
    view! {
        <pre class="changed-lines" tabindex="0" data-testid="changed-lines">{lines.into_iter().map(row).collect::<Vec<_>>()}</pre>
        {cut}
    }
    .into_any()
}
