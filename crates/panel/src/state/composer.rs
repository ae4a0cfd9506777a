//! The composer: the draft with its attachments and pictures, and messages on their way to the worker.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::attachment::{Attachment, Extract, NotRead};
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::link::{ChatAnswer, ChatCommand, PageAnswer, PageCommand, QueuedMessage, Refusal};
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::settings::SavedPrompt;
use sidecar_protocol::thread::Activity;
use sidecar_ui::words::Words;

use super::Alert;
use super::connection::ConnectionStore;
use super::conversation::ConversationStore;
use super::item_cell::{Said, said};
use super::navigation::NavigationStore;
use super::page::PageStore;
use super::settings::PanelSettingsStore;
use crate::announce::Announcer;
use crate::state::composer::unsent::UnsentMessage;
use crate::word;
use sidecar_link::LinkResponse;

mod pictures;
pub mod unsent;

/// Most characters of a result that are quoted.
const QUOTED: usize = 2_000;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct ComposerStore {
    /// The text being written.
    pub draft: RwSignal<String>,
    /// The attachments of the draft.
    pub attached: RwSignal<Vec<Attachment>>,
    /// The pictures of the draft.
    pub pictures: RwSignal<Vec<NewPicture>>,
    /// Number of pictures that are still being read. Until then nothing is sent.
    pub reading_pictures: RwSignal<usize>,
    /// Id of the user's message being edited; empty for a new message.
    pub editing: RwSignal<String>,
    /// The queued messages, next one first.
    pub queue: RwSignal<Vec<QueuedMessage>>,
    /// Whether the page is being read for a starter.
    pub reading: RwSignal<bool>,
    /// Origin of the page whose title and address the user took off the messages.
    pub page_off: RwSignal<String>,
    /// A message to be sent as soon as a service can take it.
    pub held: RwSignal<Option<UnsentMessage>>,
    /// The message sent and not yet seen in the thread or the queue.
    sent: StoredValue<Option<UnsentMessage>>,
    /// Text that the user sent while the panel was not connected; it is sent after reconnecting.
    unsent: StoredValue<Option<String>>,
    /// The draft from before editing began.
    set_aside: StoredValue<UnsentMessage>,
    /// Incremented when the draft is replaced, so that pictures that arrive late are dropped.
    drafts: StoredValue<u32>,
    connection: ConnectionStore,
    navigation: NavigationStore,
    page: PageStore,
    settings: PanelSettingsStore,
    conversation: ConversationStore,
    announcer: Announcer,
    words: Words,
}

impl ComposerStore {
    /// Creates an empty store.
    pub fn new(
        connection: ConnectionStore,
        navigation: NavigationStore,
        page: PageStore,
        settings: PanelSettingsStore,
        conversation: ConversationStore,
        announcer: Announcer,
        words: Words,
    ) -> Self {
        Self {
            draft: RwSignal::new(String::new()),
            attached: RwSignal::new(Vec::new()),
            pictures: RwSignal::new(Vec::new()),
            reading_pictures: RwSignal::new(0),
            editing: RwSignal::new(String::new()),
            queue: RwSignal::new(Vec::new()),
            reading: RwSignal::new(false),
            page_off: RwSignal::new(String::new()),
            held: RwSignal::new(None),
            sent: StoredValue::new(None),
            unsent: StoredValue::new(None),
            set_aside: StoredValue::new(UnsentMessage::default()),
            drafts: StoredValue::new(0),
            connection,
            navigation,
            page,
            settings,
            conversation,
            announcer,
            words,
        }
    }

    /// Takes the queue as the worker has it.
    pub fn take_queue(self, messages: Vec<QueuedMessage>) {
        let sent = self.sent_text();
        if messages.iter().any(|waiting| Some(&waiting.text) == sent.as_ref()) {
            self.sent.set_value(None);
        }
        if self.queue.with_untracked(|queue| *queue != messages) {
            self.queue.set(messages);
        }
    }

    /// Notes that the sent message is in the thread.
    pub fn arrived(self) {
        self.sent.set_value(None);
    }

    /// Notes, when a thread opens, that the sent message has arrived if the thread ends with it.
    pub fn arrived_if_last(self) {
        if self.conversation.last_words() == self.sent_text() {
            self.arrived();
        }
    }

    fn sent_text(self) -> Option<String> {
        self.sent.with_value(|sent| sent.as_ref().map(|sent| sent.text.clone()))
    }

    /// Forgets the unsent message.
    pub fn drop_unsent(self) {
        self.unsent.set_value(None);
    }

    /// The draft, its text trimmed.
    pub fn draft_message(self) -> UnsentMessage {
        UnsentMessage {
            text: self.draft.with_untracked(|draft| draft.trim().to_owned()),
            attached: self.attached.get_untracked(),
            pictures: self.pictures.get_untracked(),
        }
    }

    /// Replaces the draft.
    pub fn replace_draft(self, UnsentMessage { text, attached, pictures }: UnsentMessage) {
        self.drafts.update_value(|drafts| *drafts += 1);
        self.reading_pictures.set(0);
        self.draft.set(text);
        self.attached.set(attached);
        self.pictures.set(pictures);
    }

    /// Sends the draft if it can be sent now.
    pub fn say(self) {
        let message = self.draft_message();
        let is_whole = self.reading_pictures.get_untracked() == 0;
        if message.text.is_empty() || message.text.chars().count() > MESSAGE_LIMIT || !is_whole {
            return;
        }
        let edited = self.editing.get_untracked();
        if !edited.is_empty() && self.conversation.activity.get_untracked() != Activity::Resting {
            self.connection.alert.set(Some(Alert::Refused(Refusal::Busy)));
            return;
        }
        let is_new = edited.is_empty();
        if self.connection.welcomed.get_untracked() && !self.settings.view.with_untracked(|view| view.ready) {
            // An edited message stays in the composer; what is missing is shown in either case.
            if is_new {
                self.hold(message);
            }
            return;
        }
        let UnsentMessage { text, attached, pictures } = message.clone();
        let with_page = self.page_address().filter(|address| !attached.contains(address));
        let command = match is_new {
            true => ChatCommand::Send {
                text,
                attached: attached.into_iter().chain(with_page).collect(),
                pictures,
            },
            false => ChatCommand::Edit { item: ItemId(edited), text, attached, pictures },
        };
        let said = message.clone();
        let on_refusal = move |response| {
            if let LinkResponse::Refused(why) = response {
                if self.sent_text().as_ref() == Some(&said.text) {
                    self.sent.set_value(None);
                }
                self.give_back(said.clone());
                self.connection.refused(why);
            }
        };
        if !self.connection.is_lost() && self.connection.ask(command, on_refusal) {
            self.sent.set_value(Some(message));
            match is_new {
                true => self.replace_draft(UnsentMessage::default()),
                false => self.stop_editing(),
            }
            self.connection.alert.set(None);
        } else {
            self.unsent.set_value(Some(message.text));
        }
    }

    /// Title and address of the page in front, as they go with the next message.
    pub fn page_address(self) -> Option<Attachment> {
        let address = self.page.view.with(|page| page.address.as_deref().cloned());
        address.filter(|address| self.page_off.with(|off| *off != address.origin))
    }

    /// Keeps a message until a service can take it. A second one is added to it.
    fn hold(self, message: UnsentMessage) {
        self.held.update(|held| held.get_or_insert_default().append(message));
        self.replace_draft(UnsentMessage::default());
        self.announcer.say(self.words.get(word::HELD_TITLE).to_owned());
    }

    /// Puts the held message back into the composer.
    pub fn take_back_held(self) {
        if let Some(held) = self.held.try_update(Option::take).flatten() {
            self.give_back(held);
        }
        self.navigation.focus_composer();
    }

    /// Sends the held message as soon as a service can take it. To be called once.
    pub fn send_held_when_possible(self) {
        Effect::new(move |_| {
            let can_send = self.connection.welcomed.get() && self.settings.is_usable();
            if can_send && self.held.with(Option::is_some) {
                untrack(|| self.send_held());
            }
        });
    }

    fn send_held(self) {
        let Some(held) = self.held.try_update(Option::take).flatten() else {
            return;
        };
        // Too long or too many together: the user has to shorten it.
        if !held.fits() || !self.editing.with_untracked(String::is_empty) {
            return self.give_back(held);
        }
        self.say_beside(held);
    }

    /// Sends a message that is not the draft, which stays.
    fn say_beside(self, message: UnsentMessage) {
        let set_aside = self.draft_message();
        self.replace_draft(message);
        self.say();
        if self.draft.with_untracked(String::is_empty) {
            self.replace_draft(set_aside);
        }
    }

    /// Asks something about the page in front, and sends the text of the page with it: the click asks for both. A text
    /// that seems to instruct the model is shown first.
    pub fn ask_about_page(self, text: String) {
        self.connection.alert.set(None);
        let is_asked = self.connection.ask(PageCommand::Read { what: Extract::Page }, move |response| {
            self.reading.set(false);
            match response {
                LinkResponse::Answer(PageAnswer::Text { outcome: Ok(attachment) }) => {
                    let is_suspicious = !attachment.signals.is_empty();
                    let attached = vec![attachment];
                    let message = UnsentMessage { text: text.clone(), attached, ..UnsentMessage::default() };
                    if !is_suspicious {
                        return self.say_beside(message);
                    }
                    self.give_back(message);
                    self.navigation.focus_composer();
                }
                LinkResponse::Answer(PageAnswer::Text { outcome: Err(why) }) => {
                    self.connection.alert.set(Some(Alert::NotRead(why)));
                }
                LinkResponse::Refused(why) => self.connection.refused(why),
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
            }
        });
        self.reading.set(is_asked);
    }

    /// Begins the draft with a text, for the user to go on.
    pub fn begin_with(self, text: &str) {
        self.give_back(UnsentMessage::of(format!("{text}: ")));
        self.navigation.focus_composer();
    }

    /// Sends the unsent message if the draft is still the same.
    pub fn say_unsent(self) {
        let unsent = self.unsent.try_update_value(Option::take).flatten();
        if unsent.is_some_and(|text| text == self.draft.get_untracked().trim()) {
            self.say();
        }
    }

    /// Takes the user's last message for editing: a queued one is taken back, a sent one can be changed. Returns
    /// whether there was one.
    pub fn recall(self) -> bool {
        if !self.editing.with_untracked(String::is_empty) {
            return false;
        }
        if let Some(waiting) = self.queue.with_untracked(|queue| queue.last().cloned()) {
            self.take_back(waiting);
            return true;
        }
        let last = self
            .conversation
            .last_said()
            .filter(|_| self.conversation.activity.get_untracked() == Activity::Resting);
        if let Some((id, _)) = &last {
            self.edit(id);
        }
        last.is_some()
    }

    /// Takes a queued message back. Its turn may be starting at this moment: only the worker knows.
    pub fn take_back(self, waiting: QueuedMessage) {
        self.stop_editing();
        let together = [self.attached.get_untracked(), waiting.attached.clone()].concat();
        match Attachment::fit_together(&together) {
            true => {
                self.connection.ask(
                    ChatCommand::Unqueue { id: waiting.id },
                    move |response| match response {
                        LinkResponse::Answer(ChatAnswer::Unqueued { message }) => self.take_unqueued(message),
                        LinkResponse::Refused(why) => self.connection.refused(why),
                        LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
                    },
                );
            }
            false => self.connection.alert.set(Some(Alert::TooManyAttached)),
        }
    }

    /// Puts a message taken back from the queue into the composer.
    fn take_unqueued(self, QueuedMessage { id: _, text, attached, pictures }: QueuedMessage) {
        self.stop_editing();
        self.give_back(UnsentMessage { text, attached, ..UnsentMessage::default() });
        self.fetch(pictures);
        self.navigation.focus_composer();
    }

    /// Puts a message into the composer to be edited, with its attachments and pictures.
    pub fn edit(self, id: &ItemId) {
        let cell = self.conversation.timeline.with_untracked(|timeline| timeline.cell(id).cloned());
        let Some(said) = cell.and_then(|cell| cell.0.with_untracked(said)) else { return };
        if self.editing.with_untracked(String::is_empty) {
            self.set_aside.set_value(self.draft_message());
        }
        self.editing.set(id.0.clone());
        let Said { text, attached, pictures } = said;
        self.replace_draft(UnsentMessage { text, attached, pictures: Vec::new() });
        self.fetch(pictures);
        self.navigation.focus_composer();
    }

    /// Adds title and address of a tab to the draft.
    pub fn attach_address(self, address: Attachment) {
        if self.attached.with_untracked(|attached| !attached.contains(&address)) {
            self.attach(vec![address]);
        }
    }

    /// Replaces the draft by a saved prompt. What is selected on the page is attached, and named where it was meant:
    /// in the user's own words the model would take it for theirs.
    pub fn begin_with_prompt(self, SavedPrompt { name: _, text }: &SavedPrompt) {
        let address = self.page.view.with_untracked(|page| page.address.as_deref().cloned());
        let title = address.map(|address| address.text.lines().next().unwrap_or_default().to_owned());
        let text = text.replace(SavedPrompt::TITLE, &title.unwrap_or_default());
        self.draft.set(text.clone());
        if !text.contains(SavedPrompt::SELECTION) {
            return;
        }
        self.connection.ask(PageCommand::Read { what: Extract::Selection }, move |response| match response {
            LinkResponse::Answer(PageAnswer::Text { outcome }) => {
                // Unless the user went on writing.
                if outcome.is_ok() && self.draft.with_untracked(|draft| *draft == text) {
                    let named = self.words.get(word::PROMPT_SELECTION);
                    self.draft.set(text.replace(SavedPrompt::SELECTION, named));
                }
                self.take_read(outcome);
            }
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    /// Appends the beginning of a text to the draft, as a Markdown quotation.
    pub fn quote(self, text: &str) {
        let beginning: String = text.chars().take(QUOTED).collect();
        let cut = if beginning.len() < text.len() { "…" } else { "" };
        self.draft.update(|draft| {
            if !draft.is_empty() && !draft.ends_with('\n') {
                draft.push('\n');
            }
            format!("{}{cut}", beginning.trim_end()).lines().for_each(|line| {
                draft.push_str("> ");
                draft.push_str(line);
                draft.push('\n');
            });
            draft.push('\n');
        });
        self.navigation.focus_composer();
    }

    /// Reads text of the page and attaches it to the next message.
    pub fn read_page(self, what: Extract) {
        let texts =
            |attached: &Vec<Attachment>| attached.iter().filter(|one| one.what != Extract::Address).count();
        match self.attached.with_untracked(texts) < Attachment::MOST {
            true => {
                self.connection.alert.set(None);
                self.connection.ask(PageCommand::Read { what }, move |response| match response {
                    LinkResponse::Answer(PageAnswer::Text { outcome }) => self.take_read(outcome),
                    LinkResponse::Refused(why) => self.connection.refused(why),
                    LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
                });
            }
            false => self.connection.alert.set(Some(Alert::TooManyAttached)),
        }
    }

    fn take_read(self, outcome: Result<Attachment, NotRead>) {
        match outcome {
            Ok(attachment) => {
                self.announcer.say(self.words.fill(word::SAY_ATTACHED, &[("site", &attachment.site)]));
                self.attach(vec![attachment]);
            }
            Err(why) => self.connection.alert.set(Some(Alert::NotRead(why))),
        }
    }

    fn attach(self, more: Vec<Attachment>) {
        let mut attached = self.attached.get_untracked();
        for one in more {
            attached.push(one);
            if !Attachment::fit_together(&attached) {
                attached.pop();
                self.connection.alert.set(Some(Alert::TooManyAttached));
            }
        }
        self.attached.set(attached);
    }

    /// Cancels editing and restores the draft from before.
    pub fn stop_editing(self) {
        if !self.editing.with_untracked(String::is_empty) {
            self.editing.set(String::new());
            self.replace_draft(self.set_aside.try_update_value(std::mem::take).unwrap_or_default());
        }
    }

    /// Puts a message back that was on its way when the connection broke, unless the worker has it.
    pub fn take_back_unsure(self) {
        let sent = self.sent.try_update_value(Option::take).flatten();
        let last = self.conversation.last_words();
        if let Some(sent) = sent.filter(|sent| last.as_ref() != Some(&sent.text)) {
            self.give_back(sent);
            self.connection.alert.set(Some(Alert::Unsure));
        }
    }

    /// Appends a message to the draft.
    fn give_back(self, UnsentMessage { text, attached, pictures }: UnsentMessage) {
        if text.is_empty() {
            return;
        }
        self.draft.update(|draft| {
            if draft.trim().is_empty() {
                draft.clear();
            } else {
                draft.push_str("\n\n");
            }
            draft.push_str(&text);
        });
        self.attach(attached);
        self.add_pictures(pictures);
    }
}
