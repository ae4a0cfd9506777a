//! The queue: messages sent while the agent was working.

use leptos::prelude::*;
use sidecar_protocol::attachment::Extract;
use sidecar_protocol::link::ChatCommand;
use sidecar_protocol::thread::Activity;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// The queued messages, next one first. Unless the turn ends as done, they wait until the user sends them.
#[component]
pub fn Queue() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, conversation, composer, .. } = use_state();
    let keys = Signal::derive(move || {
        composer.queue.with(|queue| queue.iter().map(|waiting| waiting.id.to_string()).collect::<Vec<_>>())
    });
    let row = move |place: usize| {
        let waiting = composer.queue.with_untracked(|queue| queue.get(place).cloned());
        waiting
            .map(|waiting| {
                let text = waiting.text.clone();
                let attached = waiting.attached.iter().filter(|one| one.what != Extract::Address).count();
                let counted = |count: usize, sign: Icon, name: Word| {
                    (count > 0).then(|| {
                        let label = words.text(name);
                        view! {
                            <span class="with-attachments" title=label>
                                {icon(sign)}
                                <span class="visually-hidden">{label}</span>
                                {count.to_string()}
                            </span>
                        }
                        .into_any()
                    })
                };
                let attached = counted(attached, Icon::Clip, word::ATTACHED_LABEL);
                let pictures = counted(waiting.pictures.len(), Icon::Picture, word::PICTURES_LABEL);
                view! {
                    <div class="composer-note" role="listitem" data-testid="queued">
                        <p class="line">{text}</p>
                        {attached}
                        {pictures}
                        <IconButton
                            testid="queued-take-back"
                            sign=Icon::Pencil
                            word=word::QUEUE_TAKE_BACK
                            class="small"
                            press=move |_| composer.take_back(waiting.clone())
                        />
                    </div>
                }
            })
            .into_any()
    };
    let rests = Memo::new(move |_| conversation.activity.get() == Activity::Resting);
    let title =
        Signal::derive(move || words.get(if rests.get() { word::QUEUE_PAUSED } else { word::QUEUE_TITLE }));
    let some = Memo::new(move |_| composer.queue.with(|queue| !queue.is_empty()));
    view! {
        <Show when=move || some.get()>
            <div class="queue" data-testid="queue">
                <div class="composer-note meta">
                    <span>{title}</span>
                    <Show when=move || rests.get()>
                        <WordButton
                            testid="send-queued"
                            word=word::QUEUE_SEND_NOW
                            press=move |_| {
                                connection.send(ChatCommand::SendQueued);
                                navigation.focus_composer();
                            }
                        />
                    </Show>
                </div>
                <div role="list" aria-label=title>
                    <KeyedList keys=keys row=row />
                </div>
            </div>
        </Show>
    }
}
