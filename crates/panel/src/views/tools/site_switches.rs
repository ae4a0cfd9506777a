//! Switches for a whole site, above its tools: every call asks, the site is hidden from the agent, and the test bridge is
//! offered to its scripts.

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Policy, PolicyKey, is_lasting, takes_test_bridge};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// The switches for the site of the active tab.
#[component]
pub fn SiteSwitches() -> impl IntoView {
    let PanelState { connection, page, policies, .. } = use_state();
    let has_origin = move || page.view.with(|page| is_lasting(&page.origin));
    let asks = Signal::derive(move || page.view.with(|page| policies.site_asks(&page.origin)));
    let set_asks = move |origin: String, wanted: bool| {
        let policy = wanted.then_some(Policy::Ask);
        connection.send(PoliciesCommand::Set { key: PolicyKey::Site { origin }, policy, digest: None });
    };
    let is_hidden = Signal::derive(move || policies.is_page_hidden());
    let takes_bridge = move || !is_private() && page.view.with(|page| takes_test_bridge(&page.origin));
    let has_bridge = Signal::derive(move || page.view.with(|page| policies.offers_test_bridge(&page.origin)));
    let set_bridge = move |origin: String, wanted: bool| {
        let policy = wanted.then_some(Policy::Allow);
        connection.send(PoliciesCommand::Set { key: PolicyKey::TestBridge { origin }, policy, digest: None });
    };
    view! {
        <Show when=has_origin>
            <div class="site-switches">
                <Switch testid="site-asks" word=word::SITE_ASKS_SWITCH checked=asks change=Callback::new(move |(origin, on)| set_asks(origin, on)) />
                <Switch testid="hide-site" word=word::HIDDEN_SWITCH checked=is_hidden change=Callback::new(move |(origin, on)| policies.hide_site(origin, on)) />
                <Show when=takes_bridge>
                    <Switch testid="site-bridge" word=word::TEST_BRIDGE_SWITCH checked=has_bridge change=Callback::new(move |(origin, on)| set_bridge(origin, on)) />
                </Show>
            </div>
        </Show>
    }
}

#[component]
fn Switch(
    testid: &'static str,
    word: Word,
    checked: Signal<bool>,
    change: Callback<(String, bool)>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { page, .. } = use_state();
    view! {
        <label class="site-switch">
            <input
                type="checkbox"
                data-testid=testid
                prop:checked=checked
                on:change:target=move |event| {
                    let target = event.target();
                    let wanted = target.checked();
                    // The checkbox follows the worker's state, not the click.
                    target.set_checked(!wanted);
                    change.run((page.view.with_untracked(|page| page.origin.clone()), wanted));
                }
            />
            {words.text(word)}
        </label>
    }
}
