//! One item of a conversation.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::thread::{ItemKind, PageText};
use wasm_split_helpers::wasm_split;

use crate::state::item_cell::ItemEntry;
use crate::word;

pub mod answer;
pub mod approval;
pub mod card_focus;
pub mod compacted;
pub mod guard;
pub mod pending_decision;
pub mod question;
pub mod retry;
pub mod tool_call;
pub mod turn_end;
pub mod user;
pub mod versions;
pub mod waiting;

/// The view of an item, of the part of the module that is loaded after the first paint. Its kind never changes; its
/// content does.
#[wasm_split(views, preload(load_items))]
pub fn item(entry: ItemEntry) -> AnyView {
    let cell = RwSignal::from(entry.cell.0);
    // Borrowed, not cloned: an answer may be long.
    cell.with_untracked(|kind| match kind {
        ItemKind::Assistant { .. } => view! { <answer::Answer cell=cell /> }.into_any(),
        ItemKind::User { text, attached, pictures } => {
            let (text, attached, pictures) = (text.clone(), attached.clone(), pictures.clone());
            view! { <user::UserWords id=entry.id text=text attached=attached pictures=pictures /> }.into_any()
        }
        ItemKind::Tool(tool) if tool.question.is_some() => {
            view! { <question::Question first=tool.clone() cell=cell /> }.into_any()
        }
        ItemKind::Tool(tool) => view! { <tool_call::ToolCall first=tool.clone() cell=cell /> }.into_any(),
        ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Versions { .. }
        | ItemKind::Compacted { .. }
        | ItemKind::TurnEnd { .. } => (move || pause(entry.id.clone(), cell.get())).into_any(),
    })
}

/// The view of a small item that seldom changes; rebuilt on each change.
fn pause(id: ItemId, kind: ItemKind) -> Option<AnyView> {
    match kind {
        ItemKind::Retry { error, attempt, of, until, asked } => Some(
            view! { <retry::Retry id=id error=error attempt=attempt of=of until=until asked=asked /> }
                .into_any(),
        ),
        ItemKind::Guard { tool, site, text, signals, lifted } => {
            let what = match text {
                PageText::Result => word::GUARD_RESULT,
                PageText::Description => word::GUARD_DESCRIPTION,
                PageText::Attached => word::GUARD_ATTACHED,
            };
            Some(
                view! { <guard::OnGuard tool=tool site=site what=what signals=signals lifted=lifted /> }
                    .into_any(),
            )
        }
        ItemKind::Versions { version, of, earlier, later } => Some(
            view! { <versions::Versions version=version of=of earlier=earlier later=later /> }.into_any(),
        ),
        ItemKind::Compacted { how, undone } => {
            Some(view! { <compacted::Compacted how=how undone=undone /> }.into_any())
        }
        ItemKind::LeftOut { what } => Some(view! { <turn_end::LeftOut what=what /> }.into_any()),
        ItemKind::TurnEnd { end, usage, costs, duration_ms, asked, called_tools } => {
            let foot =
                view! { <turn_end::Foot usage=usage costs=costs duration_ms=duration_ms /> }.into_any();
            let end =
                view! { <turn_end::TurnEnd id=id end=end asked=asked foot=foot has_case=called_tools /> };
            Some(end.into_any())
        }
        ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Tool(_) => None,
    }
}
