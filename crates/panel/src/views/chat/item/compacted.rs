//! A compaction: the notice, the summary that the model gets, and the button that undoes it.

use leptos::prelude::*;
use sidecar_protocol::link::ChatCommand;
use sidecar_protocol::thread::{Activity, Compaction};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::phrases;
use crate::state::{PanelState, use_state};
use crate::word;

/// One compaction.
#[component]
pub fn Compacted(how: Compaction, undone: bool) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, conversation, .. } = use_state();
    let said = phrases::item::compaction(&how);
    let is_done = how != Compaction::Summing;
    let (name, sign) = match &how {
        Compaction::Summing => ("summing", Icon::Spinner),
        Compaction::Results => ("results", Icon::Pause),
        Compaction::Summary { .. } => ("summary", Icon::Chats),
    };
    let summary = match how {
        Compaction::Summary { text } => Some(
            view! {
                <details>
                    <summary data-testid="summary-toggle">{words.text(word::COMPACTED_READ)}</summary>
                    <p class="description" data-testid="summary">
                        {text}
                    </p>
                </details>
            }
            .into_any(),
        ),
        Compaction::Summing | Compaction::Results => None,
    };
    view! {
        <div class="item notice" data-testid="item-compacted" data-how=name data-undone=undone.to_string()>
            {icon(sign)}
            <div>
                <p>{words.text(if undone { word::COMPACTED_UNDONE } else { said })}</p>
                {summary}
                <Show when=move || is_done && !undone && conversation.activity.get() == Activity::Resting>
                    <div class="buttons">
                        <WordButton
                            testid="undo-compaction"
                            word=word::COMPACTED_UNDO
                            press=move |_| {
                                connection.send(ChatCommand::UndoCompaction);
                                navigation.focus_composer();
                            }
                        />
                    </div>
                </Show>
            </div>
        </div>
    }
}
