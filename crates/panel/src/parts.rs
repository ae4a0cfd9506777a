//! The views that are closed when the panel opens. With the items of a conversation and Markdown they are a part of the
//! module that is loaded after the first paint; the view of SKILLs is a part of its own, loaded when it is first opened. The
//! build makes files of them (docs/decisions/0036). If one cannot be loaded, the panel stops and offers to reload.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::widgets::show::Show;
use wasm_split_helpers::wasm_split;

use crate::views::log::Log;
use crate::views::settings::SettingsPage;
use crate::views::skills::SkillsPage;
use crate::views::threads::ThreadList;
use crate::views::tools::Tools;

/// A view of the part.
#[derive(Debug, Clone, Copy)]
pub enum LoadedView {
    /// [`Tools`].
    Tools,
    /// [`Log`].
    Log,
    /// [`SettingsPage`].
    Settings,
    /// [`ThreadList`].
    Threads,
}

#[wasm_split(views, preload(load_views))]
fn view_of(view: LoadedView) -> AnyView {
    match view {
        LoadedView::Tools => view! { <Tools /> }.into_any(),
        LoadedView::Log => view! { <Log /> }.into_any(),
        LoadedView::Settings => view! { <SettingsPage /> }.into_any(),
        LoadedView::Threads => view! { <ThreadList /> }.into_any(),
    }
}

/// Shows a view of the part, as soon as the part is loaded.
#[component]
pub fn Loaded(
    /// The view.
    view: LoadedView,
) -> impl IntoView {
    view! {
        <Show when=when_loaded(
            load_views(),
        )>{view_of(view).now_or_never()}</Show>
    }
}

#[wasm_split(skills, preload(load_skills))]
fn skills_view() -> AnyView {
    view! { <SkillsPage /> }.into_any()
}

/// Shows the view of SKILLs, as soon as its part is loaded.
#[component]
pub fn LoadedSkills() -> impl IntoView {
    view! {
        <Show when=when_loaded(
            load_skills(),
        )>{skills_view().now_or_never()}</Show>
    }
}
