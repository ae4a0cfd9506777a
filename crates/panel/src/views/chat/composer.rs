//! The composer: the text input, attachments, the queue, and what a message is sent with (the model and the mode).

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::Control;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::settings::Mode;
use sidecar_protocol::thread::Activity;
use sidecar_ui::dom::focus::{focus, is_composing};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};
use web_sys::{KeyboardEvent, MouseEvent};

use crate::state::{PanelState, use_state};
use crate::views::chat::composer::attachments::{AttachButton, Attachments, PageChip};
use crate::views::chat::composer::held::Held;
use crate::views::chat::composer::meter::Meter;
use crate::views::chat::composer::model_switch::ModelSwitch;
use crate::views::chat::composer::pictures::{DraftPictures, DropTarget, PictureInput, pasted};
use crate::views::chat::composer::queue::Queue;
use crate::views::chat::composer::suggestions::{SuggestionList, use_suggestions};
use crate::views::chat::composer::tool_form::ToolFormSign;
use crate::views::choice::mode_of;
use crate::word;

mod asked;
pub mod attachments;
pub mod held;
pub mod meter;
pub mod model_switch;
pub mod pictures;
pub mod queue;
pub mod suggestions;
pub mod tool_form;

/// The composer.
#[component]
pub fn Composer() -> impl IntoView {
    let words = use_words();
    let state = use_state();
    let PanelState { connection, navigation, page, settings, conversation, composer, .. } = state;
    let files = NodeRef::<html::Input>::new();
    let suggestions = use_suggestions(files);
    let input = NodeRef::<html::Textarea>::new();
    let choosing = RwSignal::new(false);
    let running = Memo::new(move |_| conversation.activity.get() != Activity::Resting);
    let excess = Memo::new(move |_| {
        composer.draft.with(|draft| draft.trim().chars().count().saturating_sub(MESSAGE_LIMIT))
    });
    let edits = Memo::new(move |_| composer.editing.with(|edited| !edited.is_empty()));
    let has_words = Memo::new(move |_| composer.draft.with(|draft| !draft.trim().is_empty()));
    let can_send = Memo::new(move |_| {
        let may_wait = !running.get() || !edits.get();
        let is_whole = composer.reading_pictures.get() == 0;
        excess.get() == 0 && connection.welcomed.get() && has_words.get() && may_wait && is_whole
    });

    Effect::new(move |_| {
        navigation.compose.with(|_| ());
        if let Some(input) = input.get() {
            request_animation_frame(move || focus(&input));
        }
    });

    let pressed = move |event: KeyboardEvent| {
        if is_composing(&event) || suggestions.pressed(&event) {
            return;
        }
        match event.key().as_str() {
            "Enter" if !event.shift_key() && !event.ctrl_key() && !event.alt_key() && !event.meta_key() => {
                event.prevent_default();
                composer.say();
            }
            "ArrowUp" if composer.draft.with_untracked(String::is_empty) && composer.recall() => {
                event.prevent_default();
            }
            _ => {}
        }
    };
    let left = move |event: KeyboardEvent| {
        if event.key() != "Escape" || is_composing(&event) {
            return;
        }
        if suggestions.close() {
            // Only they are closed.
        } else if choosing.get_untracked() {
            choosing.set(false);
        } else if edits.get_untracked() {
            composer.stop_editing();
        } else {
            return;
        }
        // Otherwise the global shortcut would stop the agent.
        event.prevent_default();
        navigation.focus_composer();
    };
    let send = move |_| {
        composer.say();
        navigation.focus_composer();
    };
    let send_button = move |word: Word| {
        view! {
            <IconButton
                testid="send"
                sign=Icon::Send
                word=word
                class="primary round"
                disabled=Signal::derive(move || !can_send.get())
                press=send
            />
        }
        .into_any()
    };
    let stop = move |event: MouseEvent| {
        // The second click of a double click on Send would land here.
        if event.detail() < 2 {
            conversation.control(Control::Stop);
            navigation.focus_composer();
        }
    };
    let placeholder = move || {
        words.get(match page.view.with(|page| page.status) {
            PageStatus::Ready | PageStatus::Loading => word::COMPOSER_PLACEHOLDER,
            PageStatus::Restricted | PageStatus::Insecure | PageStatus::Blocked => {
                word::COMPOSER_PLACEHOLDER_NO_PAGE
            }
        })
    };
    let mode = Memo::new(move |_| settings.view.with(|view| view.settings.mode));

    view! {
        <div class="composer" on:keydown=left>
            <Queue />
            <Held />
            <div role="status">
                <Show when=move || edits.get()>
                    <div class="composer-note meta" data-testid="editing">
                        <span>{words.text(word::EDIT_NOTE)}</span>
                        <IconButton
                            testid="edit-cancel"
                            sign=Icon::Cross
                            word=word::EDIT_CANCEL
                            class="small"
                            press=move |_| {
                                composer.stop_editing();
                                navigation.focus_composer();
                            }
                        />
                    </div>
                </Show>
            </div>
            <Attachments choosing=choosing files=files />
            <DraftPictures />
            <PictureInput input=files />
            <DropTarget />
            <PageChip />
            <SuggestionList suggestions=suggestions />
            <textarea
                rows="1"
                data-testid="composer-input"
                aria-label=words.text(word::COMPOSER_LABEL)
                placeholder=placeholder
                aria-autocomplete="list"
                aria-controls=Signal::derive(move || suggestions.are_open().then_some("suggestions"))
                aria-activedescendant=Signal::derive(move || suggestions.active())
                prop:value=Signal::derive(move || composer.draft.get())
                on:input:target=move |event| {
                    let input = event.target();
                    suggestions.caret_at(input.selection_end().ok().flatten());
                    composer.draft.set(input.value());
                }
                on:paste=move |event| pasted(state, &event)
                on:keydown=pressed
                node_ref=input
            ></textarea>
            <div class="composer-foot">
                <AttachButton choosing=choosing />
                <ModelSwitch />
                <ToolFormSign />
                <select
                    class="quiet"
                    data-testid="mode-switch"
                    aria-label=words.text(word::MODE_LABEL)
                    title=words.text(word::MODE_LABEL)
                    on:change:target=move |event| {
                        let mode = mode_of(&event.target().value());
                        settings.change(|settings| settings.mode = mode);
                    }
                >
                    <option value="automatic" prop:selected=Signal::derive(move || mode.get() == Mode::Automatic)>
                        {words.text(word::MODE_AUTOMATIC)}
                    </option>
                    <option value="confirm" prop:selected=Signal::derive(move || mode.get() == Mode::Confirm)>
                        {words.text(word::MODE_CONFIRM)}
                    </option>
                </select>
                <Meter />
                <span class="excess" role="status">
                    {Signal::derive(move || {
                        let excess = excess.get();
                        (excess > 0)
                            .then(|| {
                                let count = words.number(u64::try_from(excess).unwrap_or_default());
                                words.fill(word::COMPOSER_TOO_LONG, &[("count", &count)])
                            })
                    })}
                </span>
                <Show when=move || running.get() fallback=move || send_button(word::COMPOSER_SEND)>
                    // A message sent while the agent works is queued.
                    <Show when=move || has_words.get() && !edits.get()>{send_button(word::QUEUE_SEND)}</Show>
                    <IconButton
                        testid="stop"
                        sign=Icon::Stop
                        word=word::COMPOSER_STOP
                        class="primary round"
                        press=stop
                    />
                </Show>
            </div>
        </div>
    }
}
