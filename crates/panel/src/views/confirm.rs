//! The question before what cannot be undone.

use leptos::prelude::*;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, use_words};

/// Asks whether to do it. Either answer ends the question.
#[component]
pub fn Confirm(
    /// Whether it asks.
    asking: RwSignal<bool>,
    /// What it asks.
    question: Word,
    /// The `data-testid` of the button that does it.
    yes_testid: &'static str,
    /// The word of the button that does it.
    yes: Word,
    /// The `data-testid` of the button that leaves it.
    no_testid: &'static str,
    /// The word of the button that leaves it.
    no: Word,
    /// Runs when the user says yes.
    #[prop(into)]
    act: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    view! {
        <div class="ask" role="group" aria-label=words.text(question)>
            <p role="alert">{words.text(question)}</p>
            <div class="buttons">
                <WordButton
                    testid=yes_testid
                    word=yes
                    class="danger"
                    press=move |_| {
                        asking.set(false);
                        act.run(());
                    }
                />
                <WordButton testid=no_testid word=no press=move |_| asking.set(false) />
            </div>
        </div>
    }
}
