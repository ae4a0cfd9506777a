//! Calls of no turn that ask the user, above the composer: no conversation shows them.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_protocol::CallId;
use sidecar_protocol::thread::ToolItem;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_split_helpers::wasm_split;

use crate::state::{PanelState, use_state};
use crate::views::chat::follow::Follow;
use crate::views::chat::item::approval::Approval;
use crate::word;

/// The cards; not rendered if there are none.
#[component]
pub fn DirectCalls() -> impl IntoView {
    let words = use_words();
    let PanelState { conversation, .. } = use_state();
    let keys = Signal::derive(move || {
        conversation.approvals.with(|approvals| {
            let direct = approvals.iter().filter(|one| one.item.is_some());
            direct.map(|one| one.call_id.0.clone()).collect::<Vec<_>>()
        })
    });
    let item_of = move |call: &CallId| {
        conversation.approvals.with(|approvals| {
            approvals.iter().find(|one| one.call_id == *call).and_then(|one| one.item.clone())
        })
    };
    let row = move |place: usize| {
        let Some(first) = keys
            .with_untracked(|keys| keys.get(place).cloned())
            .map(CallId)
            .and_then(|call| untrack(|| item_of(&call)))
        else {
            return ().into_any();
        };
        // What is shown stays as it was until the card goes.
        let tool = Memo::new(move |_| item_of(&first.call_id).map_or_else(|| (*first).clone(), |item| *item));
        view! {
            <Show when=when_loaded(
                load_card(),
            )>{card(tool).now_or_never()}</Show>
        }
        .into_any()
    };
    let some = Memo::new(move |_| keys.with(|keys| !keys.is_empty()));
    let said = Signal::derive(move || some.get().then(|| words.get(word::DIRECT_SAID)));
    view! {
        <div role="status" class="visually-hidden">{said}</div>
        <Show when=move || some.get()>
            <div class="direct-calls" role="group" aria-label=words.text(word::DIRECT_TITLE) data-testid="direct-calls">
                <KeyedList keys=keys row=row />
            </div>
        </Show>
    }
}

#[wasm_split(views, preload(load_card))]
pub fn card(tool: Memo<ToolItem>) -> AnyView {
    // The cards are no part of the transcript, and nothing follows their end.
    provide_context(Follow::new());
    view! { <Approval tool=tool direct=true /> }.into_any()
}
