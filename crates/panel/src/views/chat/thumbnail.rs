//! A small picture, which opens in its full size.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::{ChatAnswer, ChatCommand};
use sidecar_protocol::picture::{NewPicture, Picture};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;
use sidecar_link::LinkResponse;

/// A picture as a button that shows it in its full size.
#[component]
pub fn Thumbnail(
    /// The picture.
    picture: NewPicture,
    /// Its place among the pictures of its message, from 1.
    number: usize,
) -> impl IntoView {
    let words = use_words();
    let is_open = RwSignal::new(false);
    let NewPicture { width, height, .. } = picture;
    let url = StoredValue::new(picture.url());
    let name = move || words.fill(word::PICTURE_NAME, &[("number", &number.to_string())]);
    let label = move || words.fill(word::PICTURE_ENLARGE, &[("number", &number.to_string())]);
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get()
            && !dialog.open()
        {
            // Fails only for a dialog that is not in the document.
            let _ = dialog.show_modal();
        }
    });
    view! {
        <button
            type="button"
            class="thumbnail"
            data-testid="picture"
            aria-label=label
            title=label
            on:click=move |_| is_open.set(true)
        >
            <img src=url.get_value() alt="" width=width.to_string() height=height.to_string() />
        </button>
        <Show when=move || is_open.get()>
            <dialog
                class="enlarged"
                data-testid="picture-enlarged"
                aria-label=name
                node_ref=dialog
                on:close=move |_| is_open.set(false)
                on:click=move |_| is_open.set(false)
            >
                <IconButton
                    testid="picture-close"
                    sign=Icon::Cross
                    word=word::PICTURE_CLOSE
                    press=move |_| is_open.set(false)
                />
                <img src=url.get_value() alt=name />
            </dialog>
        </Show>
    }
}

/// The pictures of a sent message, which are fetched when they are shown.
#[component]
pub fn SentPictures(
    /// The pictures.
    pictures: Vec<Picture>,
    /// Whether one that is no longer kept is not spoken of.
    #[prop(default = false)]
    fleeting: bool,
) -> impl IntoView {
    let words = use_words();
    let all = pictures.into_iter().zip(1..).map(|(picture, number)| {
        view! {
            <li>
                <SentPicture picture=picture number=number fleeting=fleeting />
            </li>
        }
        .into_any()
    });
    view! {
        <ul class="pictures" aria-label=words.text(word::PICTURES_LABEL) data-testid="pictures">
            {all.collect_view()}
        </ul>
    }
}

/// What is known of the bytes of a picture.
#[derive(Clone)]
enum Bytes {
    Asked,
    Here(NewPicture),
    Gone,
}

#[component]
fn SentPicture(picture: Picture, number: usize, fleeting: bool) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let bytes = RwSignal::new(Bytes::Asked);
    let fetch = move || {
        let (digest, picture) = (picture.digest.clone(), picture.clone());
        connection.ask(ChatCommand::Picture { digest }, move |response| {
            let got = match response {
                LinkResponse::Answer(ChatAnswer::Picture { data: Some(data) }) => {
                    Bytes::Here(NewPicture::kept(&picture, data))
                }
                // When the connection is there again, it is asked for once more.
                LinkResponse::Lost => return,
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Refused(_) => Bytes::Gone,
            };
            // The item may have left the document meanwhile.
            let _ = bytes.try_set(got);
        });
    };
    Effect::new(move |_| {
        if connection.welcomed.get() && bytes.with_untracked(|bytes| matches!(bytes, Bytes::Asked)) {
            fetch();
        }
    });
    move || match bytes.get() {
        Bytes::Asked => view! { <span class="thumbnail waiting" aria-hidden="true"></span> }.into_any(),
        Bytes::Here(picture) => view! { <Thumbnail picture=picture number=number /> }.into_any(),
        Bytes::Gone if fleeting => ().into_any(),
        Bytes::Gone => view! {
            <span class="meta" data-testid="picture-gone">
                {words.text(word::PICTURE_GONE)}
            </span>
        }
        .into_any(),
    }
}
