//! The root component: header, tabs and the open view.

use leptos::prelude::*;
use sidecar_link::language::browser_language;
use sidecar_protocol::settings::SettingsView;
use sidecar_ui::dom::theme::{set_on_root, show_theme};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, tag};

use crate::announce::LiveRegion;
use crate::frame::header::Header;
use crate::frame::notices::Notices;
use crate::frame::pinned::PinnedTabs;
use crate::frame::shortcuts::{ShortcutList, Shortcuts, listen};
use crate::frame::tabs::Tabs;
use crate::parts::{Loaded, LoadedSkills, LoadedView};
use crate::state::{PanelState, PanelView};
use crate::views::chat::Chat;
use crate::views::tools::hand_runs::HandRuns;

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
    HandRuns::provide(state.connection.link);
    provide_context(shortcuts);

    Effect::new(move |_| set_on_root("lang", tag(language.get())));
    show_theme(
        Memo::new(move |_| state.settings.view.with(|view| view.settings.theme)),
        state.connection.welcomed.into(),
    );
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
