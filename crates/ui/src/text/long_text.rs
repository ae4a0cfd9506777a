//! Shows a model's text of any length, a few parts at a time, so that the panel stays responsive. Of a growing text the
//! end is shown, of a complete one the beginning; a button shows more.

use leptos::prelude::*;

use crate::markdown::parts::Parts;
use crate::markdown::{GrowingMarkdown, Markdown};
use crate::widgets::copy_button::CopyButton;
use crate::widgets::keyed_list::KeyedList;
use crate::widgets::show::Show;
use crate::words::{use_words, word};

/// Number of parts shown at once.
const SHOWN: usize = 4;

/// The text.
#[component]
pub fn LongText(
    /// The text.
    parts: Memo<Parts>,
    /// Whether the text was complete when first shown.
    whole: bool,
    /// Whether it is Markdown.
    markdown: bool,
    /// Called before more of the text is shown.
    opening: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    let shown = RwSignal::new(SHOWN);
    // Of a growing text the last parts, of a complete one the first.
    let places = Memo::new(move |_| {
        let count = parts.with(|parts| parts.0.len());
        let shown = shown.get().min(count);
        if whole { (0, shown) } else { (count - shown, count) }
    });
    let is_cut = Memo::new(move |_| {
        let (first, end) = places.get();
        parts.with(|parts| end - first < parts.0.len())
    });
    let keys = Signal::derive(move || {
        let (first, end) = places.get();
        (first..end).map(|place| place.to_string()).collect::<Vec<_>>()
    });
    let part_at = move |place: usize| parts.with(|parts| parts.0.get(place).cloned().unwrap_or_default());
    let row = move |at: usize| {
        let place = places.get_untracked().0 + at;
        match (markdown, whole) {
            (false, _) => view! { <div>{move || part_at(place).text.clone()}</div> }.into_any(),
            (true, true) => view! { <Markdown text=untrack(|| part_at(place)).markdown() /> }.into_any(),
            (true, false) => {
                let text = Memo::new(move |_| part_at(place));
                view! { <GrowingMarkdown part=text /> }.into_any()
            }
        }
    };
    let more = move |_| {
        opening.run(());
        shown.update(|shown| *shown += SHOWN);
    };
    let left = move || {
        let (first, end) = places.get();
        let left = parts.with(|parts| match whole {
            true => parts.characters_from(end),
            false => parts.characters_from(0) - parts.characters_from(first),
        });
        let forms = match whole {
            true => (word::LONG_MORE_ONE, word::LONG_MORE_OTHER),
            false => (word::LONG_EARLIER_ONE, word::LONG_EARLIER_OTHER),
        };
        words.count(forms, u64::try_from(left).unwrap_or_default(), &[])
    };
    let rest = move || {
        view! {
            <Show when=move || is_cut.get()>
                <p class="long-more">
                    <span data-testid="text-cut">{left}</span>
                    <button type="button" class="small" data-testid="show-more" on:click=more>
                        {words.text(if whole { word::LONG_SHOW_MORE } else { word::LONG_SHOW_EARLIER })}
                    </button>
                    <CopyButton
                        label=word::COPY_WHOLE
                        testid="copy-whole"
                        text=Signal::derive(move || parts.with(Parts::text))
                    />
                </p>
            </Show>
        }
        .into_any()
    };
    view! {
        {(!whole).then(rest)}
        <KeyedList keys=keys row=row />
        {whole.then(rest)}
    }
}
