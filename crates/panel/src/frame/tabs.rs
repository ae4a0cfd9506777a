//! The panel's own tabs, one for each view.

use leptos::prelude::*;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::{Word, use_words};
use web_sys::KeyboardEvent;

use crate::state::{PanelState, PanelView, use_state};
use crate::word;

/// A view's tab.
struct ViewTab {
    /// The tab's `data-testid` and element id.
    testid: &'static str,
    /// Element id of the tab panel.
    panel: &'static str,
    word: Word,
    icon: Icon,
}

impl PanelView {
    /// Every view, in tab order.
    pub const ALL: [Self; 5] = [Self::Chat, Self::Tools, Self::Skills, Self::Log, Self::Settings];

    /// Element id of the view's tab.
    pub fn tab_id(self) -> &'static str {
        self.tab().testid
    }

    /// Element id of the view's tab panel.
    pub fn panel_id(self) -> &'static str {
        self.tab().panel
    }

    fn tab(self) -> ViewTab {
        match self {
            Self::Chat => {
                ViewTab { testid: "tab-chat", panel: "view-chat", word: word::TAB_CHAT, icon: Icon::Chat }
            }
            Self::Tools => {
                ViewTab { testid: "tab-tools", panel: "view-tools", word: word::TAB_TOOLS, icon: Icon::Tools }
            }
            Self::Skills => ViewTab {
                testid: "tab-skills",
                panel: "view-skills",
                word: word::TAB_SKILLS,
                icon: Icon::Puzzle,
            },
            Self::Log => {
                ViewTab { testid: "tab-log", panel: "view-log", word: word::TAB_LOG, icon: Icon::List }
            }
            Self::Settings => ViewTab {
                testid: "tab-settings",
                panel: "view-settings",
                word: word::TAB_SETTINGS,
                icon: Icon::Sliders,
            },
        }
    }
}

/// The tab list. In a narrow panel the style sheet shows icons above the labels.
#[component]
pub fn Tabs() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, .. } = use_state();
    let pressed = move |event: KeyboardEvent| {
        let Some(tab) = rove(&event, "[role=tab]", Axis::Tabs) else { return };
        if let Some(view) = PanelView::ALL.into_iter().find(|view| view.tab_id() == tab.id()) {
            navigation.open(view);
        }
    };
    view! {
        <div class="tabs" role="tablist" aria-label=words.text(word::TAB_VIEWS) on:keydown=pressed>
            {PanelView::ALL
                .map(|view| {
                    let is_open = move || navigation.view.get() == view;
                    let ViewTab { testid, panel, word, icon: sign } = view.tab();
                    view! {
                        <button
                            type="button"
                            role="tab"
                            id=testid
                            data-testid=testid
                            aria-selected=Signal::derive(move || is_open().to_string())
                            aria-controls=panel
                            tabindex=Signal::derive(move || if is_open() { "0" } else { "-1" })
                            title=words.text(word)
                            on:click=move |_| navigation.open(view)
                        >
                            {icon(sign)}
                            <span>{words.text(word)}</span>
                        </button>
                    }
                })}
        </div>
    }
}
