//! Context usage: a ring that shows how much of the model's context window the conversation takes, with the numbers in
//! its tooltip.

use leptos::prelude::*;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// From this percentage on the ring warns: early parts of the conversation will soon be compacted.
const NEARLY_FULL: u64 = 75;

/// The ring; shown while a conversation is open.
#[component]
pub fn Meter() -> impl IntoView {
    let words = use_words();
    let PanelState { conversation, .. } = use_state();
    let taken = Memo::new(move |_| conversation.usage.get());
    let percent = Memo::new(move |_| {
        let taken = taken.get();
        taken.of.filter(|of| *of > 0).map_or(0, |of| (taken.tokens * 100 / u64::from(of)).min(100))
    });
    let nearly_full = Memo::new(move |_| percent.get() >= NEARLY_FULL);
    let line = Signal::derive(move || {
        let taken = taken.get();
        let tokens = words.number(taken.tokens);
        match taken.of {
            Some(of) => {
                let (percent, of) = (percent.get().to_string(), words.number(u64::from(of)));
                words.fill(word::METER_OF, &[("tokens", &tokens), ("of", &of), ("percent", &percent)])
            }
            None => words.fill(word::METER_TOKENS, &[("tokens", &tokens)]),
        }
    });
    view! {
        <Show when=move || conversation.thread.with(Option::is_some)>
            <span
                class="meter"
                class:full=nearly_full
                data-testid="context-meter"
                data-tokens=move || taken.get().tokens.to_string()
                data-window=move || taken.get().of.map(|of| of.to_string())
                role="img"
                tabindex="0"
                aria-label=line
                title=line
                style=move || format!("--taken: {}%", percent.get())
            ></span>
        </Show>
    }
}
