//! The choice of a tool's policy.

use leptos::prelude::*;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Policy, PolicyKey};
use sidecar_ui::words::use_words;

use crate::phrases::policy::policy_word;
use crate::state::{PanelState, use_state};
use crate::views::choice::{policy_name, policy_of};
use crate::word;

/// A select with the tool's policy.
#[component]
pub fn PolicyChoice(
    policy: Memo<&'static str>,
    key: StoredValue<Option<PolicyKey>>,
    digest: StoredValue<String>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let options = [None, Some(Policy::Allow), Some(Policy::Ask), Some(Policy::Off)].map(|choice| {
        let value = policy_name(choice);
        view! {
            <option value=value prop:selected=Signal::derive(move || policy.get() == value)>
                {words.text(policy_word(choice))}
            </option>
        }
        .into_any()
    });
    view! {
        <label class="policy">
            {words.text(word::POLICY_LABEL)}
            <select
                data-testid="tool-policy"
                on:change:target=move |event| {
                    let policy = policy_of(&event.target().value());
                    if let Some(key) = key.get_value() {
                        connection.send(PoliciesCommand::Set { key, policy, digest: Some(digest.get_value()) });
                    }
                }
            >
                {options}
            </select>
        </label>
    }
}
