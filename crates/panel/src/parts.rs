//! The views that are closed when the panel opens. With the items of a conversation and Markdown they are a part of the
//! module that is loaded after the first paint. The build makes a file of it (docs/decisions/0036). If it cannot be loaded,
//! the panel stops and offers to reload.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::widgets::show::Show;
use wasm_split_helpers::wasm_split;

use crate::views::log::Log;
use crate::views::settings::SettingsPage;
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
