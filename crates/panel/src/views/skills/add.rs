//! The ways to add a SKILL: a file, a folder, a pasted text, an address.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_ui::dom::focus::is_composing;
use sidecar_ui::dom::folder::{FolderChoice, FolderHandle, files_of};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use web_sys::KeyboardEvent;

use crate::state::skills::address::is_address;
use crate::state::skills::install::stage::{InstallSource, InstallStage};
use crate::state::skills::upload::UploadFile;
use crate::state::{PanelState, use_state};
use crate::views::skills::outcome::Outcome;
use crate::views::skills::screen::{ScreenTitle, leave_on_escape};
use crate::word;

/// The files that may be a SKILL.
const ACCEPTED: &str = ".zip,.skill,.md,.json,.js";

/// Element id of the sentence about a wrong address.
const ADDRESS_ERROR: &str = "skill-address-error";

/// The screen.
#[component]
pub fn AddScreen() -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    let is_reading = Signal::derive(move || install.stage.with(|stage| *stage == InstallStage::Reading));
    view! {
        <section
            class="skill-screen"
            data-testid="skill-adding"
            tabindex="-1"
            aria-label=words.text(word::SKILLS_ADD)
            on:keydown=leave_on_escape(install)
        >
            <ScreenTitle title=Signal::derive(move || words.get(word::SKILLS_ADD).to_owned()) />
            <Outcome />
            <p class="meta">{words.text(word::SKILLS_ADD_TEXT)}</p>
            <Files is_reading=is_reading />
            <Address is_reading=is_reading />
            <Paste is_reading=is_reading />
        </section>
    }
}

/// A file, or a folder.
#[component]
fn Files(is_reading: Signal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    let (file, folder) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let file_chosen = move |_| {
        let Some(input) = file.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            install.read(InstallSource::Files(vec![UploadFile::chosen(file)]));
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let folder_chosen = move |_| {
        let Some(input) = folder.get_untracked() else { return };
        let files = input.files().filter(|files| files.length() > 0).map(|files| files_of(&files));
        match files {
            Some(Ok(files)) => {
                install.read(InstallSource::Files(files.into_iter().map(UploadFile::from).collect()));
            }
            Some(Err(why)) => install.refuse_folder(why),
            None => {}
        }
        input.set_value("");
    };
    let choose_folder = move |_| {
        spawn_local(async move {
            match FolderHandle::choose().await {
                FolderChoice::Folder(handle) => install.read(InstallSource::Folder(handle)),
                FolderChoice::None => {}
                FolderChoice::Unsupported => {
                    if let Some(input) = folder.get_untracked() {
                        input.click();
                    }
                }
            }
        });
    };
    view! {
        <div class="field">
            <div class="buttons">
                <WordButton
                    testid="skill-choose-file"
                    word=word::SKILLS_CHOOSE_FILE
                    disabled=is_reading
                    press=move |_| {
                        if let Some(input) = file.get_untracked() {
                            input.click();
                        }
                    }
                />
                <WordButton
                    testid="skill-choose-folder"
                    word=word::SKILLS_CHOOSE_FOLDER
                    disabled=is_reading
                    press=choose_folder
                />
            </div>
            <p class="meta">{words.text(word::SKILLS_FILES_HINT)}</p>
            <input
                type="file"
                hidden
                accept=ACCEPTED
                data-testid="skill-file"
                aria-label=words.text(word::SKILLS_CHOOSE_FILE)
                node_ref=file
                on:change=file_chosen
            />
            <input
                type="file"
                hidden
                prop:webkitdirectory=true
                data-testid="skill-folder"
                aria-label=words.text(word::SKILLS_CHOOSE_FOLDER)
                node_ref=folder
                on:change=folder_chosen
            />
        </div>
    }
}

/// An address.
#[component]
fn Address(is_reading: Signal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    let is_wrong = RwSignal::new(false);
    let fetch = move || {
        let address = install.address.with_untracked(|address| address.trim().to_owned());
        let can_read = is_address(&address);
        is_wrong.set(!can_read);
        if can_read && !is_reading.get_untracked() {
            install.read(InstallSource::Address(address));
        }
    };
    let pressed = move |event: KeyboardEvent| {
        if event.key() == "Enter" && !is_composing(&event) {
            fetch();
        }
    };
    view! {
        <div class="field">
            <label for="skill-address">{words.text(word::SKILLS_ADDRESS)}</label>
            <div class="input-row">
                <input
                    type="url"
                    id="skill-address"
                    data-testid="skill-address"
                    placeholder="https://"
                    autocomplete="off"
                    spellcheck="false"
                    aria-invalid=Signal::derive(move || is_wrong.get().to_string())
                    aria-describedby=Signal::derive(move || is_wrong.get().then_some(ADDRESS_ERROR))
                    prop:value=Signal::derive(move || install.address.get())
                    on:input:target=move |event| {
                        install.address.set(event.target().value());
                        is_wrong.set(false);
                    }
                    on:keydown=pressed
                />
                <WordButton testid="skill-fetch" word=word::SKILLS_FETCH disabled=is_reading press=move |_| fetch() />
            </div>
            <Show when=move || is_wrong.get()>
                <p class="error" role="alert" id=ADDRESS_ERROR data-testid="skill-address-error">
                    {words.text(word::SKILLS_ADDRESS_WRONG)}
                </p>
            </Show>
            <p class="meta">{words.text(word::SKILLS_ADDRESS_HINT)}</p>
        </div>
    }
}

/// A text.
#[component]
fn Paste(is_reading: Signal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    let is_empty = Memo::new(move |_| install.pasted.with(|text| text.trim().is_empty()));
    let read = move |_| {
        let file = install.pasted.with_untracked(|text| UploadFile::pasted(text));
        install.read(InstallSource::Files(file.into_iter().collect()));
    };
    view! {
        <div class="field">
            <label for="skill-text">{words.text(word::SKILLS_PASTE)}</label>
            <textarea
                id="skill-text"
                class="skill-text"
                data-testid="skill-text"
                rows="4"
                autocomplete="off"
                spellcheck="false"
                prop:value=Signal::derive(move || install.pasted.get())
                on:input:target=move |event| install.pasted.set(event.target().value())
            ></textarea>
            <p class="meta">{words.text(word::SKILLS_PASTE_HINT)}</p>
            <WordButton
                testid="skill-read-text"
                word=word::SKILLS_READ_TEXT
                class="start"
                disabled=Signal::derive(move || is_reading.get() || is_empty.get())
                press=read
            />
        </div>
    }
}
