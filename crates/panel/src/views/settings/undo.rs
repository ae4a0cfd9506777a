//! An offer to undo what was just removed from a list of the settings.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;

use crate::word;

/// How long undo is offered; the worker allows it for longer.
const OFFERED: Duration = Duration::from_secs(8);

/// What was removed, and a button that brings it back.
#[component]
pub fn UndoOffer(
    /// The `data-testid` of the button.
    testid: &'static str,
    /// Whether it is offered; setting it again offers it anew.
    open: RwSignal<bool>,
    /// What was removed.
    #[prop(into)]
    said: Signal<String>,
    /// Brings it back.
    #[prop(into)]
    undo: Callback<()>,
) -> impl IntoView {
    Effect::new(move |_| {
        if open.get()
            && let Ok(timer) = set_timeout_with_handle(move || open.set(false), OFFERED)
        {
            on_cleanup(move || timer.clear());
        }
    });
    let press = move |_| {
        open.set(false);
        undo.run(());
    };
    view! {
        <div role="status">
            <Show when=move || open.get()>
                <p class="undo">
                    <span>{said}</span>
                    <WordButton testid=testid word=word::GRANTS_UNDO press=press />
                </p>
            </Show>
        </div>
    }
}
