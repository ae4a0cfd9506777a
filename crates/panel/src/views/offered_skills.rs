//! SKILLs for the page in front that give it no tools, beside the page's empty state. Their view is in the part of the
//! module with the other views of SKILLs, and is loaded when there are any.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::widgets::show::Show;
use wasm_split_helpers::wasm_split;

use crate::phrases::skill::is_offered;
use crate::state::{PanelState, use_state};
use crate::views::skills::offers::SkillOffers;

#[wasm_split(skills, preload(load_offers))]
fn offers() -> AnyView {
    view! { <SkillOffers /> }.into_any()
}

/// The SKILLs; nothing if there are none.
#[component]
pub fn OfferedSkills() -> impl IntoView {
    let PanelState { skills, .. } = use_state();
    skills.watch();
    let has_some = Memo::new(move |_| skills.list.with(|list| list.iter().any(is_offered)));
    view! {
        <Show when=move || has_some.get()>
            <Show when=when_loaded(load_offers())>{offers().now_or_never()}</Show>
        </Show>
    }
}
