//! Switches for a whole site, above its tools: every call asks, the site is hidden from the agent, and the test bridge is
//! offered to its scripts.

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Policy, PolicyKey, is_lasting, takes_test_bridge};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::switch::Switch;
use crate::word;

/// The switches for the site of the active tab.
#[component]
pub fn SiteSwitches() -> impl IntoView {
    let words = use_words();
    let PanelState { page, policies, .. } = use_state();
    let origin = Signal::derive(move || page.view.with(|page| page.origin.clone()));
    let has_origin = move || page.view.with(|page| is_lasting(&page.origin));
    let asks = Signal::derive(move || page.view.with(|page| policies.site_asks(&page.origin)));
    let is_hidden = Signal::derive(move || policies.is_page_hidden());
    let takes_bridge = move || !is_private() && page.view.with(|page| takes_test_bridge(&page.origin));
    let has_bridge = Signal::derive(move || page.view.with(|page| policies.offers_test_bridge(&page.origin)));
    let set = move |key: fn(String) -> PolicyKey, policy: Option<Policy>| PoliciesCommand::Set {
        key: key(origin.get_untracked()),
        policy,
        digest: None,
    };
    let asking = move |on: bool| set(|origin| PolicyKey::Site { origin }, on.then_some(Policy::Ask));
    let hiding = move |hidden| PoliciesCommand::HideSite { origin: origin.get_untracked(), hidden };
    let bridging =
        move |on: bool| set(|origin| PolicyKey::TestBridge { origin }, on.then_some(Policy::Allow));
    view! {
        <Show when=has_origin>
            <div class="site-switches">
                <Switch testid="site-asks" about=origin checked=asks command=asking>
                    {words.text(word::SITE_ASKS_SWITCH)}
                </Switch>
                <Switch testid="hide-site" about=origin checked=is_hidden command=hiding>
                    {words.text(word::HIDDEN_SWITCH)}
                </Switch>
                <Show when=takes_bridge>
                    <Switch testid="site-bridge" about=origin checked=has_bridge command=bridging>
                        {words.text(word::TEST_BRIDGE_SWITCH)}
                    </Switch>
                </Show>
            </div>
        </Show>
    }
}
