//! Sites that the agent does not see: the notice that says so, and the list of all.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::HiddenSite;
use sidecar_protocol::saved::SavedName;

use crate::address::site_line;
use crate::button::WordButton;
use crate::icons::{Icon, icon};
use crate::rows::Rows;
use crate::state::{State, host, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// How long showing a site again can be undone.
const UNDO: Duration = Duration::from_secs(8);

/// Says that the agent does not see the page that is shown.
#[component]
pub fn HiddenNotice() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let said = move || state.page.with(|page| words.fill(Word::HiddenText, &[("site", &page.site)]));
    view! {
        <div role="status">
            <When test=move || state.is_page_hidden()>
                <div class="temporary" data-testid="site-hidden">
                    {icon(Icon::Barred)}
                    <span>{said}</span>
                    <WordButton
                        testid="show-site"
                        word=Word::HiddenShow
                        press=move |_| {
                            hide(state, state.page.with_untracked(|page| page.origin.clone()), false);
                            state.focus_composer();
                        }
                    />
                </div>
            </When>
        </div>
    }
}

/// All sites that the agent does not see: each can be shown again, and that undone.
#[component]
pub fn HiddenList() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let shown = RwSignal::new(String::new());
    let keys = Signal::derive(move || {
        state.hidden.with(|hidden| hidden.iter().map(|site| site.origin.clone()).collect())
    });
    let row = move |place: usize| {
        let site = state.hidden.with_untracked(|hidden| hidden.get(place).cloned());
        site.map(|HiddenSite { origin, at }| {
            let name = host(&origin).unwrap_or(&origin).to_owned();
            let (title, site) = (origin.clone(), name.clone());
            view! {
                <li class="grant" data-testid="hidden-row" data-site=site>
                    <span class="row-main">
                        <span class="tool-name" title=title>{site_line(move || name.clone())}</span>
                        <span class="meta">{Signal::derive(move || words.moment(at))}</span>
                    </span>
                    <WordButton
                        testid="hidden-take-back"
                        word=Word::GrantsTakeBack
                        press=move |_| {
                            hide(state, origin.clone(), false);
                            shown.set(origin.clone());
                        }
                    />
                </li>
            }
        })
        .into_any()
    };
    Effect::new(move |_| {
        if shown.with(|origin| !origin.is_empty())
            && let Ok(timer) = set_timeout_with_handle(move || shown.set(String::new()), UNDO)
        {
            on_cleanup(move || timer.clear());
        }
    });
    let said = move || {
        let origin = shown.get();
        words.fill(Word::HiddenShown, &[("site", host(&origin).unwrap_or(&origin))])
    };
    view! {
        <div data-testid="hidden-sites">
            <When test=move || state.hidden.with(Vec::is_empty) && !state.is_unread(SavedName::HiddenSites)>
                <p class="meta">{words.text(Word::HiddenNone)}</p>
            </When>
            <ul class="rows grants">
                <Rows keys=keys row=row />
            </ul>
            <div role="status">
                <When test=move || shown.with(|origin| !origin.is_empty())>
                    <p class="undo">
                        <span>{said}</span>
                        <WordButton
                            testid="hidden-undo"
                            word=Word::GrantsUndo
                            press=move |_| {
                                hide(state, shown.get_untracked(), true);
                                shown.set(String::new());
                            }
                        />
                    </p>
                </When>
            </div>
        </div>
    }
}

pub fn hide(state: State, origin: String, hidden: bool) {
    state.send(PoliciesCommand::HideSite { origin, hidden });
}
