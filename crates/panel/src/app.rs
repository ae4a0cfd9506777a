//! The root component: header, tabs and the open view.

use leptos::prelude::*;
use sidecar_chrome::link::ui_language;
use sidecar_protocol::settings::{SettingsView, Theme};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, tag};
use web_sys::MediaQueryList;

use crate::announce::LiveRegion;
use crate::frame::header::Header;
use crate::frame::notices::Notices;
use crate::frame::pinned::PinnedTabs;
use crate::frame::shortcuts::{ShortcutList, Shortcuts, listen};
use crate::frame::tabs::Tabs;
use crate::parts::{Loaded, LoadedSkills, LoadedView};
use crate::state::{PanelState, PanelView};
use crate::views::chat::Chat;
use crate::views::tools::drafts::Drafts;

/// The `localStorage` key where `panel.js` reads the theme before the next first paint.
const THEME_KEY: &str = "theme";

/// The panel.
#[component]
pub fn App() -> impl IntoView {
    let settings = RwSignal::new(SettingsView::default());
    let browser_language = browser_language();
    let language =
        Memo::new(move |_| settings.with(|view| view.settings.language.resolve(&browser_language)));
    let words = Words::new(language.into());
    let state = PanelState::new(settings, words);
    let shortcuts = Shortcuts::new();
    provide_context(words);
    provide_context(state);
    Drafts::provide();
    provide_context(shortcuts);

    Effect::new(move |_| set_on_root("lang", tag(language.get())));
    show_theme(state);
    Effect::new(move |_| {
        if state.connection.welcomed.get() {
            // The snapshot has been painted by the frame after the next.
            request_animation_frame(|| request_animation_frame(|| set_on_root("data-ready", "true")));
        }
    });
    listen(state, shortcuts);
    state.settings.watch();
    state.composer.outlive_panel();
    state.composer.send_held_when_possible();
    state.connect();

    view! {
        <header>
            <Header />
            <PinnedTabs />
            <Tabs />
        </header>
        <main>
            <Notices />
            {PanelView::ALL
                .map(|view| {
                    let is_open = Memo::new(move |_| state.navigation.view.get() == view);
                    view! {
                        <div
                            class="view"
                            role="tabpanel"
                            id=view.panel_id()
                            aria-labelledby=view.tab_id()
                            hidden=Signal::derive(move || !is_open.get())
                            prop:inert=Signal::derive(move || state.navigation.threads_open.get())
                        >
                            {match view {
                                PanelView::Chat => view! { <Chat /> }.into_any(),
                                PanelView::Tools => {
                                    view! {
                                        <Show when=move || is_open.get()>
                                            <Loaded view=LoadedView::Tools />
                                        </Show>
                                    }
                                        .into_any()
                                }
                                PanelView::Skills => {
                                    view! {
                                        <Show when=move || is_open.get()>
                                            <LoadedSkills />
                                        </Show>
                                    }
                                        .into_any()
                                }
                                PanelView::Log => {
                                    view! {
                                        <Show when=move || is_open.get()>
                                            <Loaded view=LoadedView::Log />
                                        </Show>
                                    }
                                        .into_any()
                                }
                                PanelView::Settings => {
                                    view! {
                                        <Show when=move || is_open.get()>
                                            <Loaded view=LoadedView::Settings />
                                        </Show>
                                    }
                                        .into_any()
                                }
                            }}
                        </div>
                    }
                })}
            <Show when=move || state.navigation.threads_open.get()>
                <Loaded view=LoadedView::Threads />
            </Show>
        </main>
        <ShortcutList shortcuts=shortcuts />
        <LiveRegion announcer=state.announcer />
    }
}

/// Keeps `data-theme` on the root element: the user's choice, or else the browser's current preference.
fn show_theme(state: PanelState) {
    let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    let prefers_dark = RwSignal::new(query.as_ref().is_some_and(MediaQueryList::matches));
    if let Some(query) = query {
        let changed = move |event: web_sys::Event| {
            if let Some(query) = event
                .target()
                .and_then(|target| wasm_bindgen::JsCast::dyn_into::<MediaQueryList>(target).ok())
            {
                prefers_dark.set(query.matches());
            }
        };
        let changed = wasm_bindgen::closure::Closure::<dyn Fn(web_sys::Event)>::new(changed);
        // Cannot fail for a valid event name.
        let _ = query.add_event_listener_with_callback(
            "change",
            wasm_bindgen::JsCast::unchecked_ref(changed.as_ref()),
        );
        // Both live as long as the panel.
        changed.forget();
        std::mem::forget(query);
    }
    let theme = Memo::new(move |_| state.settings.view.with(|view| view.settings.theme));
    Effect::new(move |_| {
        let dark = match theme.get() {
            Theme::System => prefers_dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        };
        set_on_root("data-theme", if dark { "dark" } else { "light" });
        if state.connection.welcomed.get()
            && let Ok(Some(storage)) = window().local_storage()
        {
            // Best effort: without it, the next first paint uses the browser's preference.
            let _ = match theme.get() {
                Theme::System => storage.remove_item(THEME_KEY),
                Theme::Light => storage.set_item(THEME_KEY, "light"),
                Theme::Dark => storage.set_item(THEME_KEY, "dark"),
            };
        }
    });
}

fn browser_language() -> String {
    let language = ui_language();
    if language.is_empty() { window().navigator().language().unwrap_or_default() } else { language }
}

fn set_on_root(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        // Cannot fail for a valid attribute name.
        let _ = root.set_attribute(name, value);
    }
}
