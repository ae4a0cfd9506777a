//! The conversation, oldest item first.

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use sidecar_ui::dom::focus::focus;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::parts::{after_paint, when_loaded};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::item_cell::ItemEntry;
use crate::state::{PanelState, PanelView, use_state};
use crate::views::chat::empty::Empty;
use crate::views::chat::follow::Follow;
use crate::views::chat::item::{item, load_items};
use crate::views::chat::render_window::RenderWindow;
use crate::word;

/// Distance from either end at which more items are fetched, in CSS pixels.
const EDGE: i32 = 80;

/// The scrolling transcript. It is not announced itself: the live region is, in whole sentences.
#[component]
pub fn Transcript() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, conversation, .. } = use_state();
    let follow = Follow::new();
    provide_context(follow);
    follow.watch();

    let window = RwSignal::new(RenderWindow::default());
    let places = Memo::new(move |_| {
        let window = window.get();
        conversation.timeline.with(|timeline| window.places(timeline.entries()))
    });
    let goes_on = Memo::new(move |_| {
        let end = places.get().end;
        conversation.timeline.with(|timeline| end < timeline.entries().len())
    });
    let show = move |wanted: &dyn Fn(RenderWindow, &[ItemEntry]) -> RenderWindow| {
        let before = window.get_untracked();
        let wanted = conversation.timeline.with_untracked(|timeline| {
            let (all, wanted) = (timeline.entries(), wanted(before, timeline.entries()));
            if follow.is_in_use() { before.and(wanted, all) } else { wanted }
        });
        if wanted == before {
            return;
        }
        follow.keep_focus();
        window.set(wanted);
        if follow.is_following() {
            // Before the `scroll` event, which would count as the user's scrolling up.
            spawn_local(async move {
                tick().await;
                follow.to_end();
            });
        }
    };

    let open_thread =
        Memo::new(move |_| conversation.thread.with(|thread| thread.as_ref().map(|it| it.id.clone())));
    Effect::new(move |before: Option<()>| {
        // Read, not only tracked: a memo that nobody reads notifies of no change.
        open_thread.with(|_| ());
        if before.is_some() {
            window.set(RenderWindow::default());
            request_animation_frame(move || follow.to_end());
        }
    });
    Effect::new(move |was: Option<bool>| {
        let loading = conversation.loading_older.get();
        if was == Some(true) && !loading {
            follow.keep_place();
        }
        loading
    });
    Effect::new(move |_| {
        conversation.timeline.with(|_| ());
        show(&|window, all| window.bounded(all, follow.is_following()));
    });
    let newest = Memo::new(move |_| {
        conversation.timeline.with(|timeline| timeline.entries().last().map(|entry| entry.id.to_string()))
    });
    Effect::new(move |_| {
        newest.with(|_| ());
        if goes_on.get_untracked() {
            follow.unseen.set(true);
        }
    });
    Effect::new(move |_| follow.goes_on.set_value(goes_on.get()));
    // A hidden view loses its scroll position; if it is at the end again, following resumes.
    Effect::new(move |_| {
        if navigation.view.get() == PanelView::Chat {
            request_animation_frame(move || untrack(|| follow.scrolled()));
        }
    });

    let can_show = when_loaded(after_paint().then(|()| load_items()));
    let keys = Signal::derive(move || {
        let places = if can_show.get() { places.get() } else { 0..0 };
        conversation.timeline.with(|timeline| {
            let shown = timeline.entries().get(places).unwrap_or_default();
            shown.iter().map(|entry| entry.id.to_string()).collect()
        })
    });
    let row = move |at: usize| {
        let place = places.get_untracked().start + at;
        let entry = conversation.timeline.with_untracked(|timeline| timeline.entries().get(place).cloned());
        entry.and_then(|entry| item(entry).now_or_never()).into_any()
    };
    let is_empty = Memo::new(move |_| conversation.timeline.with(|timeline| timeline.entries().is_empty()));
    let more =
        Memo::new(move |_| places.get().start > 0 || conversation.timeline.with(|timeline| timeline.more()));
    let earlier = move || {
        if places.get_untracked().start == 0 {
            conversation.load_older();
        } else {
            follow.keep_place();
            show(&|window, all| window.earlier(all));
        }
    };
    let scrolled = move |_| {
        follow.scrolled();
        let Some(frame) = follow.frame.get_untracked() else { return };
        let (top, last_top) = (frame.scroll_top(), frame.scroll_height() - frame.client_height());
        if last_top <= EDGE {
            return;
        }
        if top < EDGE {
            earlier();
        } else if last_top - top < EDGE && goes_on.get_untracked() {
            follow.keep_place();
            show(&|window, all| window.later(all));
        }
    };
    let to_end = move |_| {
        if goes_on.get_untracked() {
            window
                .set(conversation.timeline.with_untracked(|timeline| RenderWindow::end(timeline.entries())));
        }
        follow.to_end();
        // The button disappears; the focus moves to the transcript, so that keys scroll it.
        if let Some(frame) = follow.frame.get_untracked() {
            focus(&frame);
        }
    };

    view! {
        <div class="transcript-frame">
            <div
                class="transcript card-frame"
                data-testid="transcript"
                role="log"
                aria-live="off"
                aria-label=words.text(word::CHAT_TRANSCRIPT)
                tabindex="0"
                node_ref=follow.frame
                on:scroll=scrolled
            >
                <div class="items" node_ref=follow.content>
                    <Show when=move || more.get()>
                        <WordButton
                            testid="load-older"
                            word=word::CHAT_LOAD_OLDER
                            class="load-older"
                            disabled=conversation.loading_older
                            press=move |_| earlier()
                        />
                    </Show>
                    <Show when=move || is_empty.get() && navigation.view.get() == PanelView::Chat>
                        <Empty />
                    </Show>
                    <KeyedList keys=keys row=row />
                </div>
            </div>
            <Show when=move || follow.unseen.get()>
                <button
                    type="button"
                    class="new-text"
                    data-testid="new-text"
                    title=words.text(word::CHAT_NEW_TEXT_HINT)
                    on:click=to_end
                >
                    {words.text(word::CHAT_NEW_TEXT)}
                    {icon(Icon::Down)}
                </button>
            </Show>
        </div>
    }
}
