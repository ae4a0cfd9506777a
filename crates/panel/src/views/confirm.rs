//! A confirmation before an action that cannot be undone.

use leptos::prelude::*;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, use_words};

/// Asks for confirmation. Either answer closes it.
#[component]
pub fn Confirm(
    /// Whether the confirmation is open.
    asking: RwSignal<bool>,
    /// The question.
    question: Word,
    /// The `data-testid` of the button that confirms.
    yes_testid: &'static str,
    /// The label of the button that confirms.
    yes: Word,
    /// The `data-testid` of the button that cancels.
    no_testid: &'static str,
    /// The label of the button that cancels.
    no: Word,
    /// Runs when the user confirms.
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
