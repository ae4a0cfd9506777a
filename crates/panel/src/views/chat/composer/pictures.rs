//! The pictures of the draft, and the ways in which a picture comes to it: picked, pasted or dropped.

use leptos::html;
use leptos::prelude::*;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::keyed_list::{KeyedList, numbered};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use web_sys::{ClipboardEvent, DataTransfer, DragEvent, FileList, MouseEvent};

use crate::state::{PanelState, use_state};
use crate::views::chat::thumbnail::Thumbnail;
use crate::word;

/// The pictures of the draft, and whether the model will see them.
#[component]
pub fn DraftPictures() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, composer, .. } = use_state();
    let keys = Memo::new(move |_| {
        composer.pictures.with(|pictures| {
            // The end of the data tells pictures of one size apart.
            let said = |data: &str| format!("{} {}", data.len(), &data[data.len().saturating_sub(64)..]);
            numbered(&pictures.iter().map(|picture| said(&picture.data)).collect::<Vec<_>>())
        })
    });
    let row = move |place: usize| {
        let picture = composer.pictures.with_untracked(|pictures| pictures.get(place).cloned());
        let key = keys.with_untracked(|keys| keys.get(place).cloned());
        let remove = move |event: MouseEvent| {
            // The second click of a double click would land on the next picture.
            if event.detail() > 1 {
                return;
            }
            let place = keys.with_untracked(|keys| keys.iter().position(|other| Some(other) == key.as_ref()));
            if let Some(place) = place {
                composer.pictures.update(|pictures| drop(pictures.remove(place)));
            }
            navigation.focus_composer();
        };
        picture
            .map(|picture| {
                view! {
                    <div class="draft-picture" role="listitem">
                        <Thumbnail picture=picture number=place + 1 />
                        <IconButton
                            testid="picture-remove"
                            sign=Icon::Cross
                            word=word::PICTURE_REMOVE
                            class="small"
                            press=remove
                        />
                    </div>
                }
            })
            .into_any()
    };
    let some = Memo::new(move |_| composer.pictures.with(|pictures| !pictures.is_empty()));
    let is_reading = Memo::new(move |_| composer.reading_pictures.get() > 0);
    let is_blind = Memo::new(move |_| some.get() && settings.view.with(|view| view.sees == Some(false)));
    view! {
        <Show when=move || some.get()>
            <div class="pictures" role="list" aria-label=words.text(word::PICTURES_LABEL) data-testid="draft-pictures">
                <KeyedList keys=keys row=row />
            </div>
        </Show>
        <div role="status">
            <Show when=move || is_reading.get()>
                <p class="composer-note meta" data-testid="pictures-reading">
                    {words.text(word::PICTURE_READING)}
                </p>
            </Show>
            <Show when=move || is_blind.get()>
                <p class="blind-model" data-testid="pictures-unseen">
                    {icon(Icon::Warning)}
                    <span>
                        {move || words.fill(word::PICTURES_UNSEEN, &[("model", &settings.model())])}
                    </span>
                </p>
            </Show>
        </div>
    }
}

/// The hidden input that opens the browser's file dialog.
#[component]
pub fn PictureInput(
    /// Reference to it, to open the dialog.
    input: NodeRef<html::Input>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, composer, .. } = use_state();
    let chosen = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(files) = input.files() {
            composer.read_pictures(&files);
        }
        // So that the same file can be chosen again.
        input.set_value("");
        navigation.focus_composer();
    };
    view! {
        <input
            type="file"
            hidden
            multiple
            accept="image/*"
            data-testid="picture-file"
            aria-label=words.text(word::ATTACH_PICTURE)
            node_ref=input
            on:change=chosen
        />
    }
}

/// Takes pictures from what is pasted. Where there is text as well, as from an office program, the text is meant.
pub fn pasted(state: PanelState, event: &ClipboardEvent) {
    if let Some(data) = event.clipboard_data()
        && !has(&data, "text/plain")
        && let Some(files) = files_of(&data)
    {
        event.prevent_default();
        state.composer.read_pictures(&files);
    }
}

/// Takes pictures that are dropped anywhere in the panel, and says so while they are dragged over it. Without this the
/// browser would leave the panel for the picture.
#[component]
pub fn DropTarget() -> impl IntoView {
    let words = use_words();
    let state = use_state();
    let is_over = RwSignal::new(false);
    let data_of = |event: &DragEvent| event.data_transfer().filter(|data| has(data, "Files"));
    let over = window_event_listener(leptos::ev::dragover, move |event| {
        if data_of(&event).is_some() {
            event.prevent_default();
            is_over.set(true);
        }
    });
    let left = window_event_listener(leptos::ev::dragleave, move |event| {
        if event.related_target().is_none() {
            is_over.set(false);
        }
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event| {
        is_over.set(false);
        if let Some(data) = data_of(&event) {
            event.prevent_default();
            if let Some(files) = data.files() {
                state.composer.read_pictures(&files);
            }
            state.navigation.write();
        }
    });
    on_cleanup(move || [over, left, dropped].into_iter().for_each(|handle| handle.remove()));
    view! {
        <Show when=move || is_over.get()>
            <div class="drop-target" data-testid="drop-target">
                <p>{words.text(word::PICTURE_DROP)}</p>
            </div>
        </Show>
    }
}

fn has(data: &DataTransfer, kind: &str) -> bool {
    data.types().iter().any(|one| one.as_string().as_deref() == Some(kind))
}

fn files_of(data: &DataTransfer) -> Option<FileList> {
    data.files().filter(|files| files.length() > 0)
}
