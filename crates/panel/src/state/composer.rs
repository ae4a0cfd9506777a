//! The composer: the draft with its attachments, and messages on their way to the worker.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::attachment::{Attachment, Extract, NotRead};
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::link::{ChatAnswer, ChatCommand, PageAnswer, PageCommand, QueuedMessage, Refusal};
use sidecar_protocol::thread::Activity;
use sidecar_ui::words::Words;

use super::Alert;
use crate::announce::Announcer;
use crate::link::LinkResponse;
use crate::word;

/// Most characters of a result that are quoted.
const QUOTED: usize = 2_000;
use super::connection::ConnectionStore;
use super::conversation::ConversationStore;
use super::item_cell::said;
use super::navigation::NavigationStore;
use super::page::PageStore;
use super::settings::PanelSettingsStore;

/// A message that waits for a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldMessage {
    /// The user's words.
    pub text: String,
    /// Its attachments.
    pub attached: Vec<Attachment>,
}

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct ComposerStore {
    /// The text being written.
    pub draft: RwSignal<String>,
    /// The attachments of the draft.
    pub attached: RwSignal<Vec<Attachment>>,
    /// Id of the user's message being edited; empty for a new message.
    pub editing: RwSignal<String>,
    /// The queued messages, next one first.
    pub queue: RwSignal<Vec<QueuedMessage>>,
    /// Whether the page is being read for a starter.
    pub reading: RwSignal<bool>,
    /// Origin of the page whose title and address the user took off the messages.
    pub page_off: RwSignal<String>,
    /// A message to be sent as soon as a service can take it.
    pub held: RwSignal<Option<HeldMessage>>,
    /// Text of the message sent and not yet seen in the thread or the queue.
    sent: StoredValue<Option<String>>,
    /// Text that the user sent while the panel was not connected; it is sent after reconnecting.
    unsent: StoredValue<Option<String>>,
    /// The attachments of `sent`.
    sent_with: StoredValue<Vec<Attachment>>,
    /// The draft and its attachments from before editing began.
    set_aside: StoredValue<(String, Vec<Attachment>)>,
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
            editing: RwSignal::new(String::new()),
            queue: RwSignal::new(Vec::new()),
            reading: RwSignal::new(false),
            page_off: RwSignal::new(String::new()),
            held: RwSignal::new(None),
            sent: StoredValue::new(None),
            unsent: StoredValue::new(None),
            sent_with: StoredValue::new(Vec::new()),
            set_aside: StoredValue::new((String::new(), Vec::new())),
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
        let sent = self.sent.get_value();
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
        if self.conversation.last_words() == self.sent.get_value() {
            self.arrived();
        }
    }

    /// Forgets the unsent message.
    pub fn drop_unsent(self) {
        self.unsent.set_value(None);
    }

    /// Sends the draft if it can be sent now.
    pub fn say(self) {
        let text = self.draft.get_untracked().trim().to_owned();
        if text.is_empty() || text.chars().count() > MESSAGE_LIMIT {
            return;
        }
        let edited = self.editing.get_untracked();
        if !edited.is_empty() && self.conversation.activity.get_untracked() != Activity::Resting {
            self.connection.alert.set(Some(Alert::Refused(Refusal::Busy)));
            return;
        }
        let attached = self.attached.get_untracked();
        let is_new = edited.is_empty();
        if self.connection.welcomed.get_untracked() && !self.settings.view.with_untracked(|view| view.ready) {
            // An edited message stays in the composer; what is missing is shown in either case.
            if is_new {
                self.hold(text, attached);
            }
            return;
        }
        let (message, with) = (text.clone(), attached.clone());
        let with_page = self.page_address().filter(|address| !with.contains(address));
        let command = match is_new {
            true => ChatCommand::Send {
                text: message,
                attached: with.into_iter().chain(with_page).collect(),
                pictures: Vec::new(),
            },
            false => ChatCommand::Edit { item: ItemId(edited), text: message, attached: with },
        };
        let (said, with) = (text.clone(), attached.clone());
        let on_refusal = move |response| {
            if let LinkResponse::Refused(why) = response {
                if self.sent.get_value().as_ref() == Some(&said) {
                    self.sent.set_value(None);
                }
                self.give_back(&said, with.clone());
                self.connection.refused(why);
            }
        };
        if !self.connection.is_lost() && self.connection.ask(command, on_refusal) {
            self.sent.set_value(Some(text));
            self.sent_with.set_value(attached);
            self.stop_editing();
            if is_new {
                self.draft.set(String::new());
                self.attached.set(Vec::new());
            }
            self.connection.alert.set(None);
        } else {
            self.unsent.set_value(Some(text));
        }
    }

    /// Title and address of the page in front, as they go with the next message.
    pub fn page_address(self) -> Option<Attachment> {
        let address = self.page.view.with(|page| page.address.as_deref().cloned());
        address.filter(|address| self.page_off.with(|off| *off != address.origin))
    }

    /// Keeps a message until a service can take it. A second one is added to it.
    fn hold(self, text: String, attached: Vec<Attachment>) {
        self.held.update(|held| {
            let message = held.get_or_insert_default();
            if !message.text.is_empty() {
                message.text.push_str("\n\n");
            }
            message.text.push_str(&text);
            message.attached.extend(attached);
        });
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        self.announcer.say(self.words.get(word::HELD_TITLE).to_owned());
    }

    /// Puts the held message back into the composer.
    pub fn take_back_held(self) {
        if let Some(HeldMessage { text, attached }) = self.held.try_update(Option::take).flatten() {
            self.give_back(&text, attached);
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
        let Some(HeldMessage { text, attached }) = self.held.try_update(Option::take).flatten() else {
            return;
        };
        // Too long or too many together: the user has to shorten it.
        let fits = text.chars().count() <= MESSAGE_LIMIT && Attachment::fit_together(&attached);
        if !fits || !self.editing.with_untracked(String::is_empty) {
            return self.give_back(&text, attached);
        }
        self.say_beside(text, attached);
    }

    /// Sends a message that is not the draft, which stays.
    fn say_beside(self, text: String, attached: Vec<Attachment>) {
        let set_aside = (self.draft.get_untracked(), self.attached.get_untracked());
        self.draft.set(text);
        self.attached.set(attached);
        self.say();
        if self.draft.with_untracked(String::is_empty) {
            self.draft.set(set_aside.0);
            self.attached.set(set_aside.1);
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
                    if attachment.signals.is_empty() {
                        return self.say_beside(text.clone(), vec![attachment]);
                    }
                    self.give_back(&text, vec![attachment]);
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
        self.give_back(&format!("{text}: "), Vec::new());
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
    fn take_unqueued(self, QueuedMessage { id: _, text, attached }: QueuedMessage) {
        self.stop_editing();
        self.give_back(&text, attached);
        self.navigation.focus_composer();
    }

    /// Puts the text and attachments of a message into the composer to be edited.
    pub fn edit(self, id: &ItemId) {
        let cell = self.conversation.timeline.with_untracked(|timeline| timeline.cell(id).cloned());
        let said = cell.and_then(|cell| {
            cell.0.with_untracked(|kind| said(kind).map(|(text, attached)| (text.clone(), attached.clone())))
        });
        let Some((text, attached)) = said else { return };
        if self.editing.with_untracked(String::is_empty) {
            self.set_aside.set_value((self.draft.get_untracked(), self.attached.get_untracked()));
        }
        self.editing.set(id.0.clone());
        self.draft.set(text);
        self.attached.set(attached);
        self.navigation.focus_composer();
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
            let (draft, attached) = self.set_aside.try_update_value(std::mem::take).unwrap_or_default();
            self.draft.set(draft);
            self.attached.set(attached);
        }
    }

    /// Puts a message back that was on its way when the connection broke, unless the worker has it.
    pub fn take_back_unsure(self) {
        let sent = self.sent.get_value();
        if sent.is_some() && self.conversation.last_words() != sent {
            self.give_back_sent();
            self.connection.alert.set(Some(Alert::Unsure));
        }
        self.sent.set_value(None);
    }

    /// Puts the sent message back into the composer.
    fn give_back_sent(self) {
        if let Some(text) = self.sent.try_update_value(Option::take).flatten() {
            self.give_back(&text, self.take_sent_with());
        }
    }

    fn take_sent_with(self) -> Vec<Attachment> {
        self.sent_with.try_update_value(std::mem::take).unwrap_or_default()
    }

    /// Appends a text and its attachments to the draft.
    fn give_back(self, text: &str, attached: Vec<Attachment>) {
        if text.is_empty() {
            return;
        }
        self.draft.update(|draft| {
            if draft.trim().is_empty() {
                draft.clear();
            } else {
                draft.push_str("\n\n");
            }
            draft.push_str(text);
        });
        self.attach(attached);
    }
}
