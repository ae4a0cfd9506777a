//! Which version of a conversation is shown, and buttons to switch.

use leptos::prelude::*;
use sidecar_protocol::link::ChatCommand;
use sidecar_protocol::thread::Activity;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::words::use_words;

use crate::phrases;
use crate::state::{PanelState, use_state};
use crate::word;

/// The line, with a button on each side. They are disabled while the agent works.
#[component]
pub fn Versions(version: u32, of: u32, earlier: Option<u64>, later: Option<u64>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, conversation, .. } = use_state();
    let is_shut = move |to: Option<u64>| {
        Signal::derive(move || to.is_none() || conversation.activity.get() != Activity::Resting)
    };
    let go = move |to: Option<u64>| {
        if let Some(version) = to {
            connection.send(ChatCommand::TakeVersion { version });
        }
    };
    view! {
        <div class="item versions meta" data-testid="item-versions" data-version=version data-of=of>
            <IconButton
                testid="version-earlier"
                sign=Icon::Chevron
                word=word::VERSIONS_EARLIER
                class="small back"
                disabled=is_shut(earlier)
                press=move |_| go(earlier)
            />
            <span>{Signal::derive(move || phrases::item::version(words, version, of))}</span>
            <IconButton
                testid="version-later"
                sign=Icon::Chevron
                word=word::VERSIONS_LATER
                class="small"
                disabled=is_shut(later)
                press=move |_| go(later)
            />
        </div>
    }
}
