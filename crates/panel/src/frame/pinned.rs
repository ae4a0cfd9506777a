//! The pinned tabs of the conversation, below the header. Each can be brought to the front or released.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::PageCommand;
use sidecar_ui::dom::focus::stay_near;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// The list of pinned tabs; not rendered if there are none.
#[component]
pub fn PinnedTabs() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, .. } = use_state();
    let tabs = Memo::new(move |_| page.view.with(|page| page.pinned.clone()));
    let keys = Signal::derive(move || {
        tabs.with(|tabs| tabs.iter().map(|tab| tab.tab_id.0.to_string()).collect::<Vec<_>>())
    });
    let row = move |place: usize| {
        let Some(tab_id) = tabs.with_untracked(|tabs| tabs.get(place).map(|tab| tab.tab_id)) else {
            return ().into_any();
        };
        let tab = Memo::new(move |_| tabs.with(|tabs| tabs.iter().find(|tab| tab.tab_id == tab_id).cloned()));
        let site = move || tab.with(|tab| tab.as_ref().map(|tab| tab.site.clone()).unwrap_or_default());
        let title = move || tab.with(|tab| tab.as_ref().map(|tab| tab.title.clone()).unwrap_or_default());
        let count = Memo::new(move |_| {
            tab.with(|tab| tab.as_ref().map_or(0, |tab| u64::try_from(tab.tools).unwrap_or_default()))
        });
        let tools = move || words.count((word::HEADER_TOOLS_ONE, word::HEADER_TOOLS_OTHER), count.get(), &[]);
        let release = NodeRef::<html::Button>::new();
        stay_near(release);
        let is_front = Memo::new(move |_| page.view.with(|page| page.tab_id == Some(tab_id)));
        view! {
            <div class="pinned-tab" role="listitem" data-testid="pinned-tab" data-count=Signal::derive(move || count.get().to_string())>
                <button
                    type="button"
                    class="quiet"
                    data-testid="pinned-tab-show"
                    aria-current=Signal::derive(move || is_front.get().then_some("true"))
                    title=Signal::derive(move || [site(), title()].join(" · "))
                    on:click=move |_| {
                        connection.send(PageCommand::ShowTab { tab_id });
                    }
                >
                    {icon(Icon::Pin)}
                    <span class="line">{site_line(site)}</span>
                    <span class="meta">{tools}</span>
                </button>
                <button
                    type="button"
                    class="quiet small"
                    data-testid="pinned-tab-release"
                    aria-label=Signal::derive(move || words.fill(word::PINNED_RELEASE, &[("site", &site())]))
                    title=Signal::derive(move || words.fill(word::PINNED_RELEASE, &[("site", &site())]))
                    on:click=move |_| {
                        connection.send(PageCommand::PinTab { tab_id, pinned: false });
                    }
                    node_ref=release
                >
                    {icon(Icon::Cross)}
                </button>
            </div>
        }
        .into_any()
    };
    let some = Memo::new(move |_| tabs.with(|tabs| !tabs.is_empty()));
    view! {
        <Show when=move || some.get()>
            <div class="pinned-tabs" role="list" aria-label=words.text(word::PINNED_TITLE) data-testid="pinned-tabs">
                <KeyedList keys=keys row=row />
            </div>
        </Show>
    }
}
