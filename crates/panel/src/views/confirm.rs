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
    /// The `data-testid` and the word of the button that does it.
    yes: (&'static str, Word),
    /// The same of the button that does not.
    no: (&'static str, Word),
    /// Does it.
    #[prop(into)]
    act: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    let question_id = format!("{}-question", yes.0);
    view! {
        <div class="ask" role="group" aria-labelledby=question_id.clone()>
            <p id=question_id.clone() role="alert">{words.text(question)}</p>
            <div class="buttons">
                <WordButton
                    testid=yes.0
                    word=yes.1
                    class="danger"
                    press=move |_| {
                        asking.set(false);
                        act.run(());
                    }
                />
                <WordButton testid=no.0 word=no.1 press=move |_| asking.set(false) />
            </div>
        </div>
    }
}
