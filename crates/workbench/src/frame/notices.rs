//! What the user has to know before all else: no connection, a refusal, no page.

use leptos::prelude::*;
use sidecar_protocol::link::Refusal;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::binding::Binding;
use crate::state::use_workbench;
use crate::word;

/// The notices; nothing if there are none.
#[component]
pub fn Notices() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let binding = expect_context::<Binding>();
    let refused = move || {
        bench.refusal.get().map(|why| match why {
            Refusal::Version => words.get(word::NOTICE_VERSION).to_owned(),
            Refusal::BadMessage => words.get(word::NOTICE_TOO_LONG).to_owned(),
            Refusal::Storage { message, .. } => words.fill(word::NOTICE_STORAGE, &[("message", &message)]),
            Refusal::NoEval => words.get(word::NOTICE_NO_EVAL).to_owned(),
            Refusal::EvalRunning => words.get(word::NOTICE_EVAL_RUNNING).to_owned(),
            Refusal::PrivateEval => words.get(word::NOTICE_PRIVATE_EVAL).to_owned(),
            other => words.fill(word::NOTICE_REFUSED, &[("why", &format!("{other:?}"))]),
        })
    };
    let missing = move || binding.missing.get();
    // The address may say anything.
    let can_open =
        move || missing().is_some_and(|site| site.starts_with("https://") || site.starts_with("http://"));
    view! {
        <div role="status">
            <Show when=move || bench.connection.disconnected.get()>
                <p class="notice" data-testid="notice-lost">{words.text(word::NOTICE_LOST)}</p>
            </Show>
            <Show when=move || missing().is_some()>
                <p class="notice" data-testid="notice-missing">
                    {move || words.fill(word::NOTICE_MISSING, &[("site", &missing().unwrap_or_default())])}
                    " "
                    <Show when=can_open>
                        <a
                            href=move || missing().unwrap_or_default()
                            target="_blank"
                            rel="noreferrer"
                            data-testid="notice-open-site"
                        >
                            {words.text(word::NOTICE_OPEN_SITE)}
                        </a>
                    </Show>
                </p>
            </Show>
        </div>
        <div role="alert">
            <Show when=move || refused().is_some()>
                <p class="notice" data-testid="notice-refused">
                    {move || refused().unwrap_or_default()} " "
                    <WordButton
                        testid="notice-close"
                        class="small"
                        word=word::NOTICE_CLOSE
                        press=Callback::new(move |_| bench.refusal.set(None))
                    />
                </p>
            </Show>
        </div>
    }
}
