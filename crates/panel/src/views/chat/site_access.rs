//! How far the agent may use the site of the page in front, where the user can allow it with one click.

use leptos::prelude::*;
use sidecar_protocol::PageAccess;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// One sentence, and the buttons for what is not allowed yet. Nothing where the agent cannot use the page.
#[component]
pub fn SiteAccess() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, .. } = use_state();
    let access = Memo::new(move |_| page.view.with(|page| page.access));
    let is_usable = Memo::new(move |_| page.view.with(|page| page.is_usable));
    let sentence = move || {
        let word = match access.get() {
            None => word::ACCESS_NONE,
            Some(PageAccess::Read) => word::ACCESS_READ,
            Some(PageAccess::Act) => word::ACCESS_ACT,
        };
        page.view.with(|page| words.fill(word, &[("site", &page.site)]))
    };
    let allow = move |access| {
        connection.send(PoliciesCommand::AllowPages { access });
    };
    view! {
        <Show when=move || is_usable.get()>
            <div class="site-access" data-testid="site-access" data-access=Signal::derive(move || access.get().map_or("none", PageAccess::name))>
                <p class="meta">{sentence}</p>
                <div class="buttons">
                    <Show when=move || access.get().is_none()>
                        <WordButton testid="allow-read" word=word::ACCESS_ALLOW_READ press=move |_| allow(PageAccess::Read) />
                    </Show>
                    <Show when=move || access.get() != Some(PageAccess::Act)>
                        <WordButton testid="allow-act" word=word::ACCESS_ALLOW_ACT press=move |_| allow(PageAccess::Act) />
                    </Show>
                </div>
            </div>
        </Show>
    }
}
