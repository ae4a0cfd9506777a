//! A notice that the site of the active tab is hidden from the agent.

use leptos::prelude::*;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// The notice, with a button that shows the site to the agent again.
#[component]
pub fn HiddenNotice() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, page, policies, .. } = use_state();
    let said = move || page.view.with(|page| words.fill(word::HIDDEN_TEXT, &[("site", &page.site)]));
    view! {
        <div role="status">
            <Show when=move || policies.is_page_hidden()>
                <div class="temporary" data-testid="site-hidden">
                    {icon(Icon::Barred)}
                    <span>{said}</span>
                    <WordButton
                        testid="show-site"
                        word=word::HIDDEN_SHOW
                        press=move |_| {
                            policies.hide_site(page.view.with_untracked(|page| page.origin.clone()), false);
                            navigation.focus_composer();
                        }
                    />
                </div>
            </Show>
        </div>
    }
}
