//! Files that the user chooses.

use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlInputElement;

/// A file as text.
#[derive(Debug, Clone)]
pub struct ChosenFile {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenFault {
    /// It is larger than it may be: its bytes.
    Size(usize),
    /// The browser could not read it.
    Unread,
}

/// Reads the file of an input and gives it to `then`. The input is emptied, so that the same file can be chosen again when
/// it has changed.
pub fn read(
    input: &HtmlInputElement,
    most: usize,
    then: impl FnOnce(Result<ChosenFile, ChosenFault>) + 'static,
) {
    let Some(file) = input.files().and_then(|files| files.item(0)) else { return };
    input.set_value("");
    // A size is a whole number below 2^53.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let size = file.size() as usize;
    if size > most {
        return then(Err(ChosenFault::Size(size)));
    }
    let text = file.text();
    spawn_local(async move {
        let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string());
        then(text.map(|text| ChosenFile { name: file.name(), text }).ok_or(ChosenFault::Unread));
    });
}
