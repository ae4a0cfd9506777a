//! The attachments of a message. What is shown is exactly what is sent.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::keyed_list::{KeyedList, numbered};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};
use web_sys::MouseEvent;

use crate::state::{PanelState, use_state};
use crate::views::chat::item::guard;
use crate::word;

/// The choice of what to attach, while it is open, and the attachments of the draft.
#[component]
pub fn Attachments(
    /// Whether the choice of what to attach is open.
    choosing: RwSignal<bool>,
    /// The input that opens the browser's file dialog.
    files: NodeRef<html::Input>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, composer, .. } = use_state();
    let pick = move |_| {
        choosing.set(false);
        if let Some(files) = files.get_untracked() {
            files.click();
        }
    };
    let read = move |what| {
        composer.read_page(what);
        choosing.set(false);
        navigation.focus_composer();
    };
    let keys = Memo::new(move |_| {
        let said = |attached: &Attachment| format!("{attached:?}");
        composer.attached.with(|attached| numbered(&attached.iter().map(said).collect::<Vec<_>>()))
    });
    let row = move |place: usize| {
        let attached = composer.attached.with_untracked(|attached| attached.get(place).cloned());
        let key = keys.with_untracked(|keys| keys.get(place).cloned());
        let remove = move |event: MouseEvent| {
            // The second click of a double click would land on the next attachment.
            if event.detail() > 1 {
                return;
            }
            let place = keys.with_untracked(|keys| keys.iter().position(|other| Some(other) == key.as_ref()));
            if let Some(place) = place {
                composer.attached.update(|attached| drop(attached.remove(place)));
            }
            navigation.focus_composer();
        };
        attached
            .map(|attached| {
                view! {
                    <div class="attached" role="listitem">
                        {folded(words, &attached)}
                        {warning(words, &attached)}
                        <IconButton
                            testid="attachment-remove"
                            sign=Icon::Cross
                            word=word::ATTACHED_REMOVE
                            class="small"
                            press=remove
                        />
                    </div>
                }
            })
            .into_any()
    };
    let some = Memo::new(move |_| composer.attached.with(|attached| !attached.is_empty()));
    view! {
        <Show when=move || choosing.get()>
            <div class="composer-note" role="group" aria-label=words.text(word::ATTACH_BUTTON) data-testid="attach-choice">
                <div class="buttons">
                    <WordButton testid="attach-selection" word=word::ATTACH_SELECTION press=move |_| read(Extract::Selection) />
                    <WordButton testid="attach-page" word=word::ATTACH_PAGE press=move |_| read(Extract::Page) />
                    <WordButton testid="attach-picture" word=word::ATTACH_PICTURE press=pick />
                </div>
            </div>
        </Show>
        <Show when=move || some.get()>
            <div class="attachments" role="list" aria-label=words.text(word::ATTACHED_LABEL) data-testid="attachments">
                <KeyedList keys=keys row=row />
            </div>
        </Show>
    }
}

/// The button that opens and closes the choice of what to attach.
#[component]
pub fn AttachButton(
    /// Whether the choice of what to attach is open.
    choosing: RwSignal<bool>,
) -> impl IntoView {
    let PanelState { connection, .. } = use_state();
    view! {
        <IconButton
            testid="attach"
            sign=Icon::Clip
            word=word::ATTACH_BUTTON
            expanded=choosing
            disabled=Signal::derive(move || !connection.welcomed.get())
            press=move |_| choosing.update(|choosing| *choosing = !*choosing)
        />
    }
}

/// The chip with title and address of the page in front, which go with the next message unless the user takes it off.
#[component]
pub fn PageChip() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, page, policies, composer, .. } = use_state();
    let address = Memo::new(move |_| {
        let address = page.view.with(|page| page.address.as_deref().cloned())?;
        (!policies.is_hidden(&address.origin) && composer.editing.with(String::is_empty)).then_some(address)
    });
    let is_on = Memo::new(move |_| composer.page_address().is_some());
    let name = move |address: &Attachment| address.text.lines().next().unwrap_or_default().to_owned();
    let press = move |_| {
        let origin = address.with_untracked(|address| address.as_ref().map(|address| address.origin.clone()));
        let off = if is_on.get_untracked() { origin.unwrap_or_default() } else { String::new() };
        composer.page_off.set(off);
        navigation.focus_composer();
    };
    view! {
        <Show when=move || address.with(Option::is_some)>
            <div class="page-chip" class:off=move || !is_on.get() data-testid="page-chip">
                {icon(Icon::Chat)}
                <span class="line" title=Signal::derive(move || address.with(|it| it.as_ref().map(|it| it.text.clone())))>
                    {Signal::derive(move || address.with(|it| it.as_ref().map(name)))}
                </span>
                <Show
                    when=move || is_on.get()
                    fallback=move || {
                        view! {
                            <span class="meta">{words.text(word::PAGE_CHIP_OFF)}</span>
                            <IconButton testid="page-chip-on" sign=Icon::Plus word=word::PAGE_CHIP_ADD class="small" press=press />
                        }
                    }
                >
                    <IconButton testid="page-chip-off" sign=Icon::Cross word=word::PAGE_CHIP_REMOVE class="small" press=press />
                </Show>
            </div>
        </Show>
    }
}

/// The attachments of a sent message: the addresses of pages as a line each, then the texts.
pub fn sent(words: Words, attached: &[Attachment]) -> AnyView {
    let (addresses, attached): (Vec<_>, Vec<_>) =
        attached.iter().partition(|attached| attached.what == Extract::Address);
    let line = |Attachment { text, .. }: &Attachment| {
        let name = text.lines().next().unwrap_or_default().to_owned();
        view! { <p class="page-mark" data-testid="page-mark" title=text.clone()>{name}</p> }.into_any()
    };
    let lines = addresses.into_iter().map(line).collect_view();
    view! { {lines}{(!attached.is_empty()).then(|| texts(words, &attached))} }.into_any()
}

fn texts(words: Words, attached: &[&Attachment]) -> AnyView {
    let one = |attached: &&Attachment| {
        view! { <div class="attached" role="listitem">{folded(words, attached)}</div> }.into_any()
    };
    let all = attached.iter().map(one).collect_view();
    view! {
        <div class="attachments" role="list" aria-label=words.text(word::ATTACHED_LABEL)>
            {all}
        </div>
    }
    .into_any()
}

/// An attachment's text, folded below a line with its kind, site and length.
fn folded(words: Words, attached: &Attachment) -> AnyView {
    let Attachment { what, origin, site, text, whole, signals: _ } = attached.clone();
    let (name, word) = match what {
        Extract::Page => ("page", word::ATTACHED_PAGE),
        Extract::Selection => ("selection", word::ATTACHED_SELECTION),
        Extract::Address => ("address", word::ATTACHED_ADDRESS),
    };
    let given = text.chars().count();
    let number = |count: usize| u64::try_from(count).unwrap_or_default();
    let size = move || words.count((word::ATTACHED_SIZE_ONE, word::ATTACHED_SIZE_OTHER), number(given), &[]);
    let cut = whole.map(|whole| {
        let said = move || {
            let [given, whole] = [given, whole].map(|count| words.number(number(count)));
            words.fill(word::ATTACHED_CUT, &[("given", &given), ("whole", &whole)])
        };
        view! { <p class="meta" data-testid="attachment-cut">{said}</p> }.into_any()
    });
    view! {
        <details data-testid="attachment" data-what=name>
            <summary data-testid="attachment-toggle" title=origin>
                {icon(Icon::Chevron)}
                <span class="line">{words.text(word)} " · " {site}</span>
                <span class="meta">{size}</span>
            </summary>
            {cut}
            <pre tabindex="0" data-testid="attachment-text">
                {text}
            </pre>
        </details>
    }
    .into_any()
}

/// The injection signals in an attachment, shown before it is sent.
fn warning(words: Words, attached: &Attachment) -> Option<AnyView> {
    if attached.signals.is_empty() {
        return None;
    }
    Some(
        view! {
            <div class="attached-warning" data-testid="attachment-suspicious">
                {icon(Icon::Warning)}
                <div>
                    <p>{words.text(word::ATTACHED_SUSPICIOUS)}</p>
                    {guard::list(words, attached.signals.clone())}
                </div>
            </div>
        }
        .into_any(),
    )
}
