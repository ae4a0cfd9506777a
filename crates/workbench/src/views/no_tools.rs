//! Why there are no tools to show.

use leptos::prelude::*;
use sidecar_protocol::page_view::PageStatus;
use sidecar_ui::words::use_words;

use crate::state::use_workbench;
use crate::views::native_way::NativeWay;
use crate::word;

/// The reason, with the way out.
#[component]
pub fn NoTools() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let state = Memo::new(move |_| bench.page.with(|page| page.tab_id.map(|_| page.status)));
    let text = move || {
        words.get(match state.get() {
            None => word::EMPTY_NO_TAB,
            Some(PageStatus::Ready) => word::EMPTY_NO_TOOLS,
            Some(PageStatus::Loading) => word::EMPTY_LOADING,
            Some(PageStatus::Restricted) => word::EMPTY_RESTRICTED,
            Some(PageStatus::Insecure) => word::EMPTY_INSECURE,
            Some(PageStatus::Blocked) => word::EMPTY_BLOCKED,
        })
    };
    view! {
        <div class="bench-empty" data-testid="bench-empty">
            <p>{text}</p>
            {move || (state.get() == Some(PageStatus::Ready)).then(|| view! { <NativeWay /> }.into_any())}
        </div>
    }
}
