//! One item of a conversation.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::thread::ItemKind;

use crate::state::ItemEntry;
use crate::words::Word;

pub mod answer;
pub mod approval;
pub mod guard;
pub mod rest;
pub mod retry;
pub mod tool;
pub mod user;
pub mod waiting;

/// An item, whatever it is. Its kind never changes; what is in it does.
pub fn item(entry: ItemEntry) -> AnyView {
    let cell = RwSignal::from(entry.cell.0);
    match cell.get_untracked() {
        ItemKind::User { text } => view! { <user::UserWords text=text /> }.into_any(),
        ItemKind::Assistant { .. } => view! { <answer::Answer cell=cell /> }.into_any(),
        ItemKind::Tool(tool) => view! { <tool::ToolCall first=tool cell=cell /> }.into_any(),
        ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Rest { .. } => (move || pause(entry.id.clone(), cell.get())).into_any(),
    }
}

/// Small, and seldom changed: drawn anew when it is.
fn pause(id: ItemId, kind: ItemKind) -> Option<AnyView> {
    match kind {
        ItemKind::Retry { error, attempt, of, until } => {
            Some(view! { <retry::Retry error=error attempt=attempt of=of until=until /> }.into_any())
        }
        ItemKind::Guard { tool, site, is_description, signs, lifted } => {
            let what = if is_description { Word::GuardDescription } else { Word::GuardResult };
            Some(
                view! { <guard::OnGuard tool=tool site=site what=what signs=signs lifted=lifted /> }
                    .into_any(),
            )
        }
        ItemKind::LeftOut { what } => Some(view! { <rest::LeftOut what=what /> }.into_any()),
        ItemKind::Rest { rest, usage, costs, duration_ms } => {
            let foot = view! { <rest::Foot usage=usage costs=costs duration_ms=duration_ms /> }.into_any();
            Some(view! { <rest::AtRest id=id rest=rest foot=foot /> }.into_any())
        }
        ItemKind::User { .. } | ItemKind::Assistant { .. } | ItemKind::Tool(_) => None,
    }
}
