//! What the composer suggests while the user writes: commands and saved prompts behind `/`, open tabs behind `@`.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::attachment::Extract;
use sidecar_protocol::link::{OpenTab, PageAnswer, PageCommand, ThreadsCommand};
use sidecar_protocol::settings::SavedPrompt;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};
use web_sys::KeyboardEvent;

use crate::state::{PanelState, PanelView, use_state};
use crate::views::chat::composer::asked::{SignQuery, asked};
use crate::word;
use sidecar_link::LinkResponse;

/// Maximum number of suggestions at a time: what more there is, is found by typing.
const MOST: usize = 10;

/// Most characters of a tab's title that are written into the draft.
const TITLE: usize = 60;

/// A command of the composer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComposerCommand {
    New,
    Temporary,
    Summary,
    Page,
    Selection,
    Picture,
    Tools,
    Settings,
    NewPrompt,
}

/// The commands, with what is typed for each and its name.
const COMMANDS: [(ComposerCommand, &str, Word); 9] = [
    (ComposerCommand::Summary, "summary", word::STARTER_SUMMARY),
    (ComposerCommand::Page, "page", word::COMMAND_PAGE),
    (ComposerCommand::Selection, "selection", word::COMMAND_SELECTION),
    (ComposerCommand::Picture, "picture", word::COMMAND_PICTURE),
    (ComposerCommand::New, "new", word::HEADER_NEW_CHAT),
    (ComposerCommand::Temporary, "temporary", word::COMMAND_TEMPORARY),
    (ComposerCommand::Tools, "tools", word::COMMAND_TOOLS),
    (ComposerCommand::Settings, "settings", word::COMMAND_SETTINGS),
    (ComposerCommand::NewPrompt, "prompt", word::COMMAND_PROMPT),
];

/// Something that the composer suggests.
#[derive(Debug, Clone, PartialEq)]
enum Suggestion {
    Command(ComposerCommand, &'static str, Word),
    Prompt(SavedPrompt),
    Tab(Box<OpenTab>),
}

/// The suggestions. A handle: copies share their state.
#[derive(Clone, Copy)]
pub struct Suggestions {
    entries: Memo<Vec<Suggestion>>,
    /// Which one Enter takes.
    at: RwSignal<usize>,
    /// Where the caret stands, in UTF-16 code units.
    caret: RwSignal<usize>,
    /// Whether the user closed them; until the sign is gone from the draft.
    is_closed: RwSignal<bool>,
    files: NodeRef<html::Input>,
    state: PanelState,
    words: Words,
}

impl Suggestions {
    /// None yet. `files` opens the browser's file dialog.
    pub fn new(state: PanelState, words: Words, files: NodeRef<html::Input>) -> Self {
        let (at, caret, is_closed) = (RwSignal::new(0), RwSignal::new(0), RwSignal::new(false));
        let tabs = RwSignal::new(Vec::<OpenTab>::new());
        let asked = Memo::new(move |_| state.composer.draft.with(|draft| asked(draft, caret.get())));
        let asks_for_tab =
            Memo::new(move |_| asked.with(|asked| matches!(asked, Some(SignQuery::Tab { .. }))));
        Effect::new(move |_| {
            if asks_for_tab.get() {
                state.connection.ask(PageCommand::ListTabs, move |response| {
                    if let LinkResponse::Answer(PageAnswer::Tabs { tabs: open }) = response {
                        tabs.set(open);
                    }
                });
            }
        });
        let entries = Memo::new(move |_| {
            let is_editing = state.composer.editing.with(|edited| !edited.is_empty());
            let mut entries = match asked.get() {
                Some(_) if is_closed.get() => Vec::new(),
                Some(SignQuery::Command(text)) if !is_editing => {
                    let prompts = state.settings.view.with(|view| view.settings.prompts.clone());
                    commands(words, &text, prompts)
                }
                Some(SignQuery::Tab { text, .. }) => tabs.with(|tabs| matching(tabs, &text)),
                Some(SignQuery::Command(_)) | None => Vec::new(),
            };
            entries.truncate(MOST);
            entries
        });
        Effect::new(move |_| {
            if asked.with(Option::is_none) {
                is_closed.set(false);
            }
        });
        // What is suggested changed: the first one is meant.
        Effect::new(move |before: Option<usize>| {
            let count = entries.with(Vec::len);
            at.set(0);
            if count > 0 && before == Some(0) {
                let count = u64::try_from(count).unwrap_or_default();
                let plural = (word::SUGGESTIONS_ONE, word::SUGGESTIONS_OTHER);
                state.announcer.say(words.count(plural, count, &[]));
            }
            count
        });
        Self { entries, at, caret, is_closed, files, state, words }
    }

    /// Notes where the caret stands.
    pub fn caret_at(self, caret: Option<u32>) {
        self.caret.set(caret.and_then(|caret| usize::try_from(caret).ok()).unwrap_or(usize::MAX));
    }

    /// Whether there are any.
    pub fn are_open(self) -> bool {
        self.entries.with(|entries| !entries.is_empty())
    }

    /// Element id of the one that Enter takes.
    pub fn active(self) -> Option<String> {
        self.are_open().then(|| element_id(self.at.get()))
    }

    /// Closes them. Returns whether they were open.
    pub fn close(self) -> bool {
        let were_open = untrack(|| self.are_open());
        if were_open {
            self.is_closed.set(true);
        }
        were_open
    }

    /// Moves among them, or takes one. Returns whether the key was for them.
    pub fn pressed(self, event: &KeyboardEvent) -> bool {
        let count = self.entries.with_untracked(Vec::len);
        let is_plain = !event.shift_key() && !event.ctrl_key() && !event.alt_key() && !event.meta_key();
        if count == 0 || !is_plain {
            return false;
        }
        let at = self.at.get_untracked().min(count - 1);
        match event.key().as_str() {
            "ArrowDown" => self.at.set((at + 1) % count),
            "ArrowUp" => self.at.set((at + count - 1) % count),
            "Enter" | "Tab" => self.take(at),
            _ => return false,
        }
        event.prevent_default();
        true
    }

    fn take(self, at: usize) {
        let PanelState { connection, navigation, composer, .. } = self.state;
        let Some(taken) = self.entries.with_untracked(|entries| entries.get(at).cloned()) else { return };
        match taken {
            Suggestion::Command(command, ..) => {
                composer.draft.set(String::new());
                self.run(command);
            }
            Suggestion::Prompt(prompt) => {
                composer.begin_with_prompt(&prompt);
                navigation.focus_composer();
            }
            Suggestion::Tab(tab) => {
                let OpenTab { tab_id, address } = *tab;
                let draft = composer.draft.get_untracked();
                if let Some(SignQuery::Tab { from, to, .. }) = asked(&draft, self.caret.get_untracked()) {
                    let title: String = title(&address.text, &address.site).chars().take(TITLE).collect();
                    composer.draft.set(format!("{}@{title} {}", &draft[..from], draft[to..].trim_start()));
                }
                composer.attach_address(address);
                connection.send(PageCommand::PinTab { tab_id, pinned: true });
                navigation.focus_composer();
            }
        }
    }

    fn run(self, command: ComposerCommand) {
        let PanelState { connection, navigation, composer, .. } = self.state;
        match command {
            ComposerCommand::New => {
                connection.send(ThreadsCommand::New);
                navigation.write();
            }
            ComposerCommand::Temporary => {
                connection.send(ThreadsCommand::NewTemporary);
                navigation.write();
            }
            ComposerCommand::Summary => {
                composer.ask_about_page(self.words.get(word::STARTER_SUMMARY).to_owned())
            }
            ComposerCommand::Page => composer.read_page(Extract::Page),
            ComposerCommand::Selection => composer.read_page(Extract::Selection),
            ComposerCommand::Picture => {
                if let Some(files) = self.files.get_untracked() {
                    files.click();
                }
            }
            ComposerCommand::Tools => navigation.open(PanelView::Tools),
            ComposerCommand::Settings => navigation.open(PanelView::Settings),
            ComposerCommand::NewPrompt => navigation.open_prompts(),
        }
    }
}

/// The commands and prompts that have a text in their names; the user's own prompts first.
fn commands(words: Words, text: &str, prompts: Vec<SavedPrompt>) -> Vec<Suggestion> {
    let text = text.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&text);
    let prompts = prompts.into_iter().filter(|prompt| has(&prompt.name)).map(Suggestion::Prompt);
    let commands = COMMANDS
        .into_iter()
        .filter(|(_, typed, word)| typed.starts_with(&text) || has(words.get(*word)))
        .map(|(command, typed, word)| Suggestion::Command(command, typed, word));
    prompts.chain(commands).collect()
}

fn matching(tabs: &[OpenTab], text: &str) -> Vec<Suggestion> {
    let text = text.to_lowercase();
    let has = |tab: &&OpenTab| {
        let OpenTab { address, .. } = tab;
        title(&address.text, &address.site).to_lowercase().contains(&text) || address.site.contains(&text)
    };
    tabs.iter().filter(has).cloned().map(|tab| Suggestion::Tab(Box::new(tab))).collect()
}

/// The title of a page in the text of its address.
fn title<'a>(address: &'a str, site: &'a str) -> &'a str {
    address.lines().next().filter(|line| !line.trim().is_empty()).unwrap_or(site)
}

fn element_id(at: usize) -> String {
    format!("suggestion-{at}")
}

/// The list of suggestions. The focus stays in the composer.
#[component]
pub fn SuggestionList(suggestions: Suggestions) -> impl IntoView {
    let words = use_words();
    let Suggestions { entries, at, .. } = suggestions;
    let row = move |place: usize, entry: Suggestion| {
        let is_active = move || at.get() == place;
        let (sign, name, beside) = match entry {
            Suggestion::Command(_, typed, word) => {
                (Icon::Chevron, words.get(word).to_owned(), format!("/{typed}"))
            }
            Suggestion::Prompt(SavedPrompt { name, text }) => (Icon::Pencil, name, text),
            Suggestion::Tab(tab) => {
                let address = tab.address;
                (Icon::Pin, title(&address.text, &address.site).to_owned(), address.site)
            }
        };
        view! {
            <li
                role="option"
                id=element_id(place)
                class="suggestion"
                data-testid="suggestion"
                aria-selected=Signal::derive(move || is_active().to_string())
                // The focus stays where the user writes.
                on:mousedown=move |event| event.prevent_default()
                on:click=move |_| suggestions.take(place)
            >
                {icon(sign)}
                <span class="line">{name}</span>
                <span class="meta line">{beside}</span>
            </li>
        }
        .into_any()
    };
    view! {
        <Show when=move || suggestions.are_open()>
            <ul role="listbox" id="suggestions" class="suggestions" data-testid="suggestions" aria-label=words.text(word::SUGGESTIONS_LABEL)>
                {move || {
                    entries.get().into_iter().enumerate().map(|(place, entry)| row(place, entry)).collect_view()
                }}
            </ul>
        </Show>
    }
}

/// The suggestions of this panel's composer.
pub fn use_suggestions(files: NodeRef<html::Input>) -> Suggestions {
    Suggestions::new(use_state(), use_words(), files)
}
