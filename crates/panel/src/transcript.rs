//! The conversation, oldest first.

use leptos::prelude::*;

use crate::button::WordButton;
use crate::empty::Empty;
use crate::follow::Follow;
use crate::icons::{Icon, icon};
use crate::item::item;
use crate::rows::Rows;
use crate::state::{View, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// Within this many CSS pixels of the top, older items are fetched.
const TOP: i32 = 80;

/// The scrolling log. It is silent itself: the live region tells what is new, in sentences.
#[component]
pub fn Transcript() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let follow = Follow::new();
    provide_context(follow);
    follow.watch();

    let open_thread = Memo::new(move |_| state.thread.with(|thread| thread.as_ref().map(|it| it.id.clone())));
    Effect::new(move |before: Option<()>| {
        open_thread.track();
        if before.is_some() {
            request_animation_frame(move || follow.to_end());
        }
    });
    Effect::new(move |was: Option<bool>| {
        let loading = state.loading_older.get();
        if was == Some(true) && !loading {
            follow.keep_place();
        }
        loading
    });
    // Being hidden takes the place in the text away; coming back to the end is coming back.
    Effect::new(move |_| {
        if state.view.get() == View::Chat {
            request_animation_frame(move || untrack(|| follow.scrolled()));
        }
    });

    let keys = Signal::derive(move || {
        state.timeline.with(|timeline| timeline.entries().iter().map(|entry| entry.id.to_string()).collect())
    });
    let row = move |place: usize| {
        let entry = state.timeline.with_untracked(|timeline| timeline.entries().get(place).cloned());
        entry.map(item).into_any()
    };
    let is_empty = Memo::new(move |_| state.timeline.with(|timeline| timeline.entries().is_empty()));
    let more = Memo::new(move |_| state.timeline.with(|timeline| timeline.more()));
    let scrolled = move |_| {
        follow.scrolled();
        if follow.frame.get_untracked().is_some_and(|frame| {
            frame.scroll_top() < TOP && frame.scroll_height() > frame.client_height() + TOP
        }) {
            state.load_older();
        }
    };

    view! {
        <div class="transcript-frame">
            <div
                class="transcript"
                data-testid="transcript"
                role="log"
                aria-live="off"
                aria-label=words.text(Word::ChatTranscript)
                tabindex="0"
                node_ref=follow.frame
                on:scroll=scrolled
            >
                <div class="items" node_ref=follow.content>
                    <When test=move || more.get()>
                        <WordButton
                            testid="load-older"
                            word=Word::ChatLoadOlder
                            class="load-older"
                            disabled=state.loading_older
                            press=move |_| state.load_older()
                        />
                    </When>
                    <When test=move || is_empty.get() && state.view.get() == View::Chat>
                        <Empty />
                    </When>
                    <Rows keys=keys row=row />
                </div>
            </div>
            <When test=move || follow.unseen.get()>
                <button
                    type="button"
                    class="new-text"
                    data-testid="new-text"
                    title=words.text(Word::ChatNewTextHint)
                    on:click=move |_| follow.to_end()
                >
                    {words.text(Word::ChatNewText)}
                    {icon(Icon::Down)}
                </button>
            </When>
        </div>
    }
}
