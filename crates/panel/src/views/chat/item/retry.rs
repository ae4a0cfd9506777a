//! A failed request that will be tried again.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::{ItemId, ModelError, Timestamp};
use sidecar_ui::clock::ticking;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::use_words;

use crate::phrases::model_error;
use crate::state::{PanelState, use_state};
use crate::word;

/// Interval at which the countdown is updated.
const TICK: Duration = Duration::from_millis(250);

/// The error and a countdown to the next attempt.
#[component]
pub fn Retry(
    id: ItemId,
    error: ModelError,
    attempt: u32,
    of: u32,
    until: Timestamp,
    asked: Option<ModelChoice>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { settings, conversation, .. } = use_state();
    let (over, set_over) = signal(false);
    let time = ticking(Memo::new(move |_| !over.get()), TICK);
    Effect::new(move |_| {
        if time.get() >= until {
            set_over.set(true);
        }
    });
    let code = error.class.code();
    let countdown = move || match until.saturating_sub(time.get()) {
        0 => words.get(word::RETRY_NOW).to_owned(),
        left => {
            let left = words.rough_duration(left.div_ceil(1000) * 1000);
            words.fill(word::RETRY_WAIT, &[("duration", &left)])
        }
    };
    let attempts = move || {
        words.fill(word::RETRY_ATTEMPT, &[("attempt", &attempt.to_string()), ("of", &of.to_string())])
    };
    let address = untrack(|| conversation.address_asked(&id, asked.as_ref()));
    let what = move || model_error::what(words, &settings.provider_asked(asked.as_ref(), &address), &error);
    view! {
        <div class="item notice" data-testid="item-retry">
            {icon(Icon::Clock)}
            <div>
                <p class="countdown">
                    {Signal::derive(move || words.sentences(&what(), &countdown()))}
                </p>
                <p class="meta" data-testid="error-code" data-code=code>
                    {attempts}
                </p>
            </div>
        </div>
    }
}
