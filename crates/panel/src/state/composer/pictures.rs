//! The pictures of the draft: files that the user pastes, drops or picks, and pictures of earlier messages.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_wasm_bindgen::from_value;
use sidecar_protocol::link::{ChatAnswer, ChatCommand};
use sidecar_protocol::picture::{NewPicture, Picture};
use wasm_bindgen::prelude::*;
use web_sys::{File, FileList};

use super::ComposerStore;
use crate::state::Alert;
use crate::word;
use sidecar_link::LinkResponse;

#[wasm_bindgen]
extern "C" {
    /// `picture.js`: a [`NewPicture`] of a file, made to fit.
    #[wasm_bindgen(catch, js_name = fitPicture)]
    async fn fit_picture(file: &File, longest_edge: u32, most_bytes: u32) -> Result<JsValue, JsValue>;
}

impl ComposerStore {
    /// Adds the pictures among these files to the draft.
    pub fn read_pictures(self, files: &FileList) {
        for file in (0..files.length()).filter_map(|place| files.get(place)) {
            if self.is_full() {
                return;
            }
            let draft = self.begin_picture();
            spawn_local(async move {
                let fitted = fit_picture(&file, Picture::LONGEST_EDGE, Picture::MOST_BYTES).await;
                let picture = fitted.ok().and_then(|value| from_value(value).ok());
                if picture.is_none() {
                    self.connection.alert.set(Some(Alert::NoPicture));
                }
                self.end_picture(draft, picture);
            });
        }
    }

    /// Adds pictures of the open thread to the draft.
    pub(super) fn fetch(self, pictures: Vec<Picture>) {
        for picture in pictures {
            let draft = self.begin_picture();
            let digest = picture.digest.clone();
            let is_asked = self.connection.ask(ChatCommand::Picture { digest }, move |response| {
                let data = match response {
                    LinkResponse::Answer(ChatAnswer::Picture { data }) => data,
                    LinkResponse::Refused(why) => {
                        self.connection.refused(why);
                        None
                    }
                    LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => None,
                };
                self.end_picture(draft, data.map(|data| NewPicture::kept(&picture, data)));
            });
            if !is_asked {
                self.end_picture(draft, None);
            }
        }
    }

    /// Adds pictures to the draft, as many as fit.
    pub(super) fn add_pictures(self, pictures: Vec<NewPicture>) {
        for picture in pictures {
            if self.is_full() {
                return;
            }
            self.pictures.update(|pictures| pictures.push(picture));
        }
    }

    /// Whether the draft has its maximum of pictures, which the user is told then.
    fn is_full(self) -> bool {
        let count = self.pictures.with_untracked(Vec::len) + self.reading_pictures.get_untracked();
        if count >= Picture::MOST {
            self.connection.alert.set(Some(Alert::TooManyPictures));
        }
        count >= Picture::MOST
    }

    /// A picture is being read. Returns the draft for which it is.
    fn begin_picture(self) -> u32 {
        self.reading_pictures.update(|count| *count += 1);
        self.drafts.get_value()
    }

    fn end_picture(self, draft: u32, picture: Option<NewPicture>) {
        if draft != self.drafts.get_value() {
            return;
        }
        self.reading_pictures.update(|count| *count -= 1);
        if let Some(picture) = picture {
            self.pictures.update(|pictures| pictures.push(picture));
            self.announcer.say(self.words.get(word::SAY_PICTURE).to_owned());
        }
    }
}
