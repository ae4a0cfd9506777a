//! The user's saved prompts.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::settings::SavedPrompt;
use sidecar_ui::dom::focus::focus;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::keyed_list::{KeyedList, numbered};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::settings::undo::UndoOffer;
use crate::word;

/// The prompts, each to be changed or deleted, and a form for a new one.
#[component]
pub fn PromptList() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, .. } = use_state();
    let prompts = Memo::new(move |_| settings.view.with(|view| view.settings.prompts.clone()));
    let (name, text) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    // The prompt that the form changes; none for a new one.
    let changed = RwSignal::new(None::<SavedPrompt>);
    let is_wrong = RwSignal::new(false);
    let deleted = RwSignal::new(None::<(usize, SavedPrompt)>);
    let can_undo = RwSignal::new(false);
    let name_input = NodeRef::<html::Input>::new();
    let fill = move |prompt: Option<SavedPrompt>| {
        let SavedPrompt { name: old_name, text: old_text } = prompt.clone().unwrap_or_default();
        name.set(old_name);
        text.set(old_text);
        changed.set(prompt);
        is_wrong.set(false);
    };
    let focus_name = move || {
        if let Some(input) = name_input.get_untracked() {
            focus(&input);
        }
    };
    Effect::new(move |_| {
        if navigation.wants_prompt.get() && name_input.get().is_some() {
            navigation.wants_prompt.set(false);
            request_animation_frame(focus_name);
        }
    });
    let save = move |_| {
        let prompt = SavedPrompt { name: name.get_untracked().trim().to_owned(), text: text.get_untracked() };
        let old = changed.get_untracked();
        let has_room = old.is_some() || prompts.with_untracked(Vec::len) < SavedPrompt::MOST;
        if !prompt.is_valid() || !has_room {
            return is_wrong.set(true);
        }
        settings.change(|settings| {
            match settings.prompts.iter_mut().find(|known| Some(&**known) == old.as_ref()) {
                Some(known) => *known = prompt,
                None => settings.prompts.push(prompt),
            }
        });
        fill(None);
        focus_name();
    };
    let keys = Memo::new(move |_| {
        let said = |prompt: &SavedPrompt| format!("{prompt:?}");
        prompts.with(|prompts| numbered(&prompts.iter().map(said).collect::<Vec<_>>()))
    });
    let row = move |place: usize| {
        let prompt = prompts.with_untracked(|prompts| prompts.get(place).cloned());
        prompt
            .map(|prompt| {
                let (for_change, for_delete) = (prompt.clone(), prompt.clone());
                let change = move |_| {
                    fill(Some(for_change.clone()));
                    focus_name();
                };
                let delete = move |_| {
                    let place =
                        prompts.with_untracked(|prompts| prompts.iter().position(|one| *one == for_delete));
                    if let Some(place) = place {
                        settings.change(|settings| drop(settings.prompts.remove(place)));
                        deleted.set(Some((place, for_delete.clone())));
                        can_undo.set(true);
                    }
                    if changed.with_untracked(|changed| changed.as_ref() == Some(&for_delete)) {
                        fill(None);
                    }
                };
                view! {
                    <li class="grant" data-testid="prompt-row">
                        <span class="row-main">
                            <span class="tool-name plain">{prompt.name}</span>
                            <span class="meta line">{prompt.text}</span>
                        </span>
                        <IconButton testid="prompt-change" sign=Icon::Pencil word=word::PROMPTS_CHANGE class="small" press=change />
                        <IconButton testid="prompt-delete" sign=Icon::Cross word=word::PROMPTS_DELETE class="small" press=delete />
                    </li>
                }
            })
            .into_any()
    };
    let bring_back = move |()| {
        if let Some((place, prompt)) = deleted.try_update(Option::take).flatten() {
            settings.change(|settings| {
                settings.prompts.insert(place.min(settings.prompts.len()), prompt);
            });
        }
    };
    let rule = move || {
        let number = |most: usize| words.number(u64::try_from(most).unwrap_or_default());
        let [name, text, count] =
            [SavedPrompt::MOST_OF_NAME, SavedPrompt::MOST_OF_TEXT, SavedPrompt::MOST].map(number);
        words.fill(word::PROMPTS_RULE, &[("name", &name), ("text", &text), ("count", &count)])
    };
    view! {
        <div class="prompts" data-testid="prompts">
            <p class="meta">{words.text(word::PROMPTS_HINT)}</p>
            <ul class="rows grants">
                <KeyedList keys=keys row=row />
            </ul>
            <UndoOffer
                testid="prompt-undo"
                open=can_undo
                said=Signal::derive(move || words.get(word::PROMPTS_DELETED).to_owned())
                undo=bring_back
            />
            <div class="field">
                <label for="prompt-name">{words.text(word::PROMPTS_NAME)}</label>
                <input
                    type="text"
                    id="prompt-name"
                    data-testid="prompt-name"
                    autocomplete="off"
                    prop:value=Signal::derive(move || name.get())
                    on:input:target=move |event| name.set(event.target().value())
                    node_ref=name_input
                />
            </div>
            <div class="field">
                <label for="prompt-text">{words.text(word::PROMPTS_TEXT)}</label>
                <textarea
                    rows="3"
                    id="prompt-text"
                    data-testid="prompt-text"
                    aria-describedby="prompt-places"
                    prop:value=Signal::derive(move || text.get())
                    on:input:target=move |event| text.set(event.target().value())
                ></textarea>
                <p class="meta" id="prompt-places">
                    {words.text(word::PROMPTS_PLACES)}
                </p>
            </div>
            <Show when=move || is_wrong.get()>
                <p class="error" role="alert" data-testid="prompt-error">
                    {rule}
                </p>
            </Show>
            <div class="buttons">
                <WordButton testid="prompt-save" word=word::PROMPTS_SAVE press=save />
                <Show when=move || changed.with(Option::is_some)>
                    <WordButton testid="prompt-cancel" word=word::EDIT_CANCEL press=move |_| fill(None) />
                </Show>
            </div>
        </div>
    }
}
