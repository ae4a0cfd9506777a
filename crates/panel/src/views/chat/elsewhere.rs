//! Calls in other conversations that wait for a decision, each with a button that opens its conversation.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::CallId;
use sidecar_protocol::link::{PendingApproval, ThreadsCommand};
use sidecar_ui::dom::focus::stay_near;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// The list, above the composer; not rendered if it is empty.
#[component]
pub fn Elsewhere() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, conversation, .. } = use_state();
    let asking = Memo::new(move |_| {
        let open = conversation.thread.with(|thread| thread.as_ref().map(|thread| thread.id.clone()));
        conversation.approvals.with(|approvals| {
            let is_elsewhere = |one: &&PendingApproval| one.thread_id.is_some() && one.thread_id != open;
            approvals.iter().filter(is_elsewhere).cloned().collect::<Vec<_>>()
        })
    });
    let keys = Signal::derive(move || {
        asking.with(|asking| {
            asking.iter().map(|one| format!("{} {}", one.call_id, one.title)).collect::<Vec<_>>()
        })
    });
    let row = move |place: usize| {
        let Some(one) = asking.with_untracked(|asking| asking.get(place).cloned()) else {
            return ().into_any();
        };
        let PendingApproval { call_id: CallId(call), thread_id, .. } = one.clone();
        let show = NodeRef::<html::Button>::new();
        stay_near(show);
        let thread_id = StoredValue::new(thread_id);
        view! {
            <div class="elsewhere" role="listitem" data-testid="approval-elsewhere" data-call=call>
                {icon(Icon::Question)}
                <span class="line">{move || sentence(words, &one)}</span>
                <button
                    type="button"
                    data-testid="approval-elsewhere-show"
                    on:click=move |_| {
                        if let Some(thread_id) = thread_id.get_value() {
                            connection.send(ThreadsCommand::Open { thread_id });
                        }
                        navigation.focus_composer();
                    }
                    node_ref=show
                >
                    {words.text(word::ELSEWHERE_SHOW)}
                </button>
            </div>
        }
        .into_any()
    };
    let some = Memo::new(move |_| asking.with(|asking| !asking.is_empty()));
    let said = Signal::derive(move || {
        let count = asking.with(|asking| u64::try_from(asking.len()).unwrap_or_default());
        (count > 0).then(|| words.count((word::ELSEWHERE_ONE, word::ELSEWHERE_OTHER), count, &[]))
    });
    view! {
        <div role="status" class="visually-hidden">{said}</div>
        <Show when=move || some.get()>
            <div role="list" aria-label=words.text(word::ELSEWHERE_TITLE) data-testid="approvals-elsewhere">
                <KeyedList keys=keys row=row />
            </div>
        </Show>
    }
}

/// The sentence about one call: tool, site and chat.
fn sentence(words: Words, one: &PendingApproval) -> String {
    let title = if one.title.is_empty() { words.get(word::THREADS_UNTITLED) } else { &one.title };
    match &one.question {
        Some(_) => words.fill(word::ELSEWHERE_QUESTION, &[("title", title)]),
        None if one.site.is_empty() => {
            words.fill(word::ELSEWHERE_NO_SITE, &[("tool", &one.tool), ("title", title)])
        }
        None => {
            words.fill(word::ELSEWHERE_CALL, &[("tool", &one.tool), ("site", &one.site), ("title", title)])
        }
    }
}
