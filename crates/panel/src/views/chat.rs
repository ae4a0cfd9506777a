//! The Chat view: the conversation and the composer.

use leptos::prelude::*;
use sidecar_protocol::ErrorClass;
use sidecar_protocol::thread::{ItemKind, TurnEnd};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::item_cell::ItemCell;
use crate::state::{PanelState, use_state};
use crate::views::chat::composer::Composer;
use crate::views::chat::direct::DirectCalls;
use crate::views::chat::elsewhere::Elsewhere;
use crate::views::chat::empty::NoKey;
use crate::views::chat::hidden_notice::HiddenNotice;
use crate::views::chat::temporary::Temporary;
use crate::views::chat::transcript::Transcript;
use crate::word;

pub mod composer;
pub mod direct;
pub mod elsewhere;
pub mod empty;
pub mod first_run;
pub mod follow;
pub mod hidden_notice;
pub mod item;
pub mod render_window;
mod site_access;
pub mod starters;
pub mod temporary;
pub mod thumbnail;
pub mod transcript;

/// The Chat view. It stays mounted while other views are open, so that nothing in it is lost.
#[component]
pub fn Chat() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, settings, conversation, .. } = use_state();
    // An empty conversation shows this notice itself, and a turn that failed without a key shows it in its own item.
    let lacks_key = Memo::new(move |_| {
        connection.welcomed.get()
            && !settings.view.with(|view| view.ready)
            && conversation
                .timeline
                .with(|timeline| timeline.entries().last().is_some_and(|last| !reports_no_key(&last.cell)))
    });
    view! {
        <div class="chat">
            <h2 class="visually-hidden">{words.text(word::CHAT_TRANSCRIPT)}</h2>
            <Transcript />
            <Show when=move || lacks_key.get()>
                <NoKey />
            </Show>
            <DirectCalls />
            <Elsewhere />
            <Temporary />
            <HiddenNotice />
            <Composer />
        </div>
    }
}

fn reports_no_key(cell: &ItemCell) -> bool {
    cell.0.with(|kind| match kind {
        ItemKind::TurnEnd { end: TurnEnd::Failed { error }, .. } => error.class == ErrorClass::NoKey,
        ItemKind::TurnEnd { .. }
        | ItemKind::User { .. }
        | ItemKind::Assistant { .. }
        | ItemKind::Tool(_)
        | ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Versions { .. }
        | ItemKind::Compacted { .. } => false,
    })
}
