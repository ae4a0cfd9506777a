//! The list of hidden sites.

use leptos::prelude::*;
use sidecar_protocol::policy::HiddenSite;
use sidecar_protocol::saved::SavedName;
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, host, use_state};
use crate::views::settings::undo::UndoOffer;
use crate::word;

/// The hidden sites. Each can be shown again, and that can be undone.
#[component]
pub fn HiddenList() -> impl IntoView {
    let words = use_words();
    let PanelState { policies, .. } = use_state();
    let shown = RwSignal::new(String::new());
    let can_undo = RwSignal::new(false);
    let keys = Signal::derive(move || {
        policies.hidden.with(|hidden| hidden.iter().map(|site| site.origin.clone()).collect())
    });
    let row = move |place: usize| {
        let site = policies.hidden.with_untracked(|hidden| hidden.get(place).cloned());
        site.map(|HiddenSite { origin, at }| {
            let name = host(&origin).unwrap_or(&origin).to_owned();
            let (title, site) = (origin.clone(), name.clone());
            view! {
                <li class="grant" data-testid="hidden-row" data-site=site>
                    <span class="row-main">
                        <span class="tool-name" title=title>{site_line(move || name.clone())}</span>
                        <span class="meta">{Signal::derive(move || words.moment(at))}</span>
                    </span>
                    <WordButton
                        testid="hidden-take-back"
                        word=word::GRANTS_TAKE_BACK
                        press=move |_| {
                            policies.hide_site(origin.clone(), false);
                            shown.set(origin.clone());
                            can_undo.set(true);
                        }
                    />
                </li>
            }
        })
        .into_any()
    };
    let said = Signal::derive(move || {
        let origin = shown.get();
        words.fill(word::HIDDEN_SHOWN, &[("site", host(&origin).unwrap_or(&origin))])
    });
    view! {
        <div data-testid="hidden-sites">
            <Show when=move || policies.hidden.with(Vec::is_empty) && !policies.is_unread(SavedName::HiddenSites)>
                <p class="meta">{words.text(word::HIDDEN_NONE)}</p>
            </Show>
            <ul class="rows grants">
                <KeyedList keys=keys row=row />
            </ul>
            <UndoOffer
                testid="hidden-undo"
                open=can_undo
                said=said
                undo=move |()| policies.hide_site(shown.get_untracked(), true)
            />
        </div>
    }
}
