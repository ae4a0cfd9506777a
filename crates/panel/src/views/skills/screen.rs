//! A screen over the list: its title with the way back, and where the focus goes.

use leptos::html;
use leptos::html::ElementType;
use leptos::prelude::*;
use sidecar_ui::dom::focus::{focus, is_composing};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::state::skills::install::InstallStore;
use crate::state::skills::install::stage::SkillFocus;
use crate::state::{PanelState, use_state};
use crate::word;

/// The title of a screen, which takes the focus when the screen is opened.
#[component]
pub fn ScreenTitle(
    /// The title.
    title: Signal<String>,
) -> impl IntoView {
    let PanelState { install, .. } = use_state();
    let node = NodeRef::<html::H2>::new();
    take_focus(install, node, SkillFocus::Title);
    view! {
        <div class="skill-screen-head">
            <IconButton testid="skill-back" sign=Icon::Back word=word::SKILLS_BACK press=move |_| install.back() />
            <h2 tabindex="-1" node_ref=node>
                {title}
            </h2>
        </div>
    }
}

/// Focuses an element as soon as it is there and it is its turn.
pub fn take_focus<E>(install: InstallStore, node: NodeRef<E>, turn: SkillFocus)
where
    E: ElementType,
    E::Output: JsCast + AsRef<HtmlElement> + Clone + 'static,
{
    Effect::new(move |_| {
        let Some(element) = node.get().filter(|_| install.focus.with(|now| *now == turn)) else { return };
        install.focus.set(SkillFocus::Nothing);
        // It may have to be laid out first.
        request_animation_frame(move || focus(element.as_ref()));
    });
}

/// Escape goes a step back.
pub fn leave_on_escape(install: InstallStore) -> impl Fn(KeyboardEvent) {
    move |event: KeyboardEvent| {
        if event.key() == "Escape" && !is_composing(&event) {
            event.prevent_default();
            install.back();
        }
    }
}
