//! The question before a tool acts: its real arguments, Run and Decline. The focus comes to the card and to neither
//! button, so that an Enter meant for something else decides nothing.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::{Decision, PanelCommand};
use sidecar_protocol::thread::ToolItem;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::button::WordButton;
use crate::focus::{active_element, focus};
use crate::item::tool::arguments_view;
use crate::state::{View, use_state};
use crate::words::{Word, use_words};

/// The card.
#[component]
pub fn Approval(tool: ToolItem) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let card = NodeRef::<html::Div>::new();
    let before = StoredValue::new_local(active_element());

    Effect::new(move |_| {
        if let Some(card) = card.get()
            && state.view.get_untracked() == View::Chat
        {
            focus(&card);
        }
    });
    on_cleanup(move || {
        let before = before.get_value();
        request_animation_frame(move || {
            // Somebody who has gone elsewhere meanwhile is left there.
            if active_element().is_some() {
                return;
            }
            match before.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                Some(element) if element.is_connected() => focus(&element),
                _ => state.compose.update(|count| *count += 1),
            }
        });
    });

    let decided = RwSignal::new(false);
    let call_id = StoredValue::new(tool.call_id.clone());
    let decide = move |decision| {
        if !decided.get_untracked() {
            decided.set(state.send(&PanelCommand::Decide { call_id: call_id.get_value(), decision }));
        }
    };
    let title = {
        let (name, site) = (tool.name.clone(), tool.site.clone());
        move || {
            let word = if site.is_empty() { Word::ApprovalTitleNoSite } else { Word::ApprovalTitle };
            words.fill(word, &[("tool", &name), ("site", &site)])
        }
    };
    let arguments = tool.arguments;
    let (title_id, arguments_id) =
        (format!("ask-{}", tool.call_id), format!("ask-arguments-{}", tool.call_id));

    view! {
        <div
            class="asks"
            data-testid="approval"
            role="group"
            tabindex="-1"
            aria-labelledby=title_id
            aria-describedby=arguments_id
            node_ref=card
        >
            <h3 id=title_id.clone()>{title}</h3>
            <div id=arguments_id.clone()>{move || arguments_view(words, &arguments, Word::ApprovalNone)}</div>
            <div class="buttons">
                <WordButton
                    testid="approval-run"
                    word=Word::ApprovalRun
                    class="primary"
                    disabled=decided
                    press=move |_| decide(Decision::Run)
                />
                <WordButton
                    testid="approval-decline"
                    word=Word::ApprovalDecline
                    disabled=decided
                    press=move |_| decide(Decision::Decline)
                />
            </div>
        </div>
    }
}
