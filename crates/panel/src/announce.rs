//! Announcements for screen readers: answers in whole sentences, and each state of a tool call once. The transcript
//! itself is not a live region, because it changes with every token.

use std::collections::HashMap;

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_protocol::ItemId;
use sidecar_protocol::thread::{AnswerState, ItemKind, ToolState};
use sidecar_ui::markdown::plain;
use sidecar_ui::parts::after_paint;
use sidecar_ui::widgets::keyed_list::KeyedList;
use wasm_split_helpers::wasm_split;

use crate::announce::sentences::spoken_until;

mod sentences;

/// Most lines kept in the live region; older ones have long been read.
const KEPT: usize = 8;

/// Most bytes of an answer announced at once. Nobody listens to more, and the live region has to be laid out.
const SAID: usize = 4_000;

/// Something new to announce.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// Sentences of an answer, without Markdown.
    Sentences(String),
    /// A tool call changed its state.
    Tool {
        /// Name of the tool.
        name: String,
        /// New state of the call.
        state: ToolState,
    },
    /// An item announced as it is shown, such as a retry or the end of a turn.
    Whole(Box<ItemKind>),
}

/// A text without Markdown, which is read in a part of the module that is loaded after the first paint. Nothing is announced
/// before.
fn without_markdown(text: &str) -> String {
    plain_text(text).now_or_never().unwrap_or_else(|| text.to_owned())
}

#[wasm_split(views, preload(load_plain_text))]
fn plain_text(text: &str) -> String {
    plain(text)
}

/// How much of an item was announced.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpeechProgress {
    bytes: usize,
    state: Option<std::mem::Discriminant<ToolState>>,
    /// Whether the coming timeout of the call was announced.
    given_up: bool,
    whole: bool,
}

impl SpeechProgress {
    /// Marks all of an item as announced.
    pub fn skip(&mut self, kind: &ItemKind) {
        match kind {
            ItemKind::Assistant { text, .. } => self.bytes = text.len(),
            ItemKind::User { .. }
            | ItemKind::Tool(_)
            | ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. }
            | ItemKind::TurnEnd { .. } => drop(self.news(kind)),
        }
    }

    /// Returns what is new in an item, and marks it as announced.
    pub fn news(&mut self, kind: &ItemKind) -> Option<News> {
        match kind {
            ItemKind::User { .. } => None,
            ItemKind::Assistant { text, state, .. } => {
                let until = match state {
                    AnswerState::Waiting | AnswerState::Streaming => match spoken_until(text, self.bytes) {
                        // Too long for one sentence: announce it without waiting for its end.
                        until if text.len().saturating_sub(until) > 4 * SAID => text.len(),
                        until => until,
                    },
                    AnswerState::Done | AnswerState::Stopped | AnswerState::Cut => text.len(),
                };
                let from = self.bytes.max(until.saturating_sub(SAID));
                let from = (from..=until).find(|at| text.is_char_boundary(*at)).unwrap_or(until);
                let sentences = without_markdown(text.get(from..until).unwrap_or_default());
                self.bytes = until;
                (!sentences.is_empty()).then_some(News::Sentences(sentences))
            }
            ItemKind::Tool(tool) => {
                let state = Some(std::mem::discriminant(&tool.state));
                let given_up = matches!(tool.state, ToolState::Running { until: Some(_), .. });
                let new = (self.state != state && !matches!(tool.state, ToolState::Queued))
                    || (given_up && !self.given_up);
                (self.state, self.given_up) = (state, given_up);
                match &tool.question {
                    Some(question) => (new && tool.state == ToolState::Asking)
                        .then(|| News::Sentences(question.text.clone())),
                    None => new.then(|| News::Tool { name: tool.name.clone(), state: tool.state.clone() }),
                }
            }
            ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. }
            | ItemKind::TurnEnd { .. } => {
                let new = !self.whole;
                self.whole = true;
                new.then(|| News::Whole(Box::new(kind.clone())))
            }
        }
    }
}

/// The content of the live region, and what was announced of each item.
#[derive(Clone, Copy)]
pub struct Announcer {
    lines: RwSignal<Vec<(u64, String)>>,
    said: StoredValue<HashMap<ItemId, SpeechProgress>>,
}

impl Announcer {
    /// Nothing announced yet.
    pub fn new() -> Self {
        Self { lines: RwSignal::new(Vec::new()), said: StoredValue::new(HashMap::new()) }
    }

    /// Returns what is new in an item, and marks it as announced.
    pub fn news(self, id: &ItemId, kind: &ItemKind) -> Option<News> {
        self.said.try_update_value(|said| said.entry(id.clone()).or_default().news(kind)).flatten()
    }

    /// Marks an older item as announced.
    pub fn skip(self, id: &ItemId, kind: &ItemKind) {
        self.said.update_value(|said| said.entry(id.clone()).or_default().skip(kind));
    }

    /// Starts over for another conversation: all its items are marked as announced.
    pub fn start_over<'a>(self, items: impl Iterator<Item = (&'a ItemId, &'a ItemKind)>) {
        self.said.update_value(|said| {
            said.clear();
            for (id, kind) in items {
                said.entry(id.clone()).or_default().skip(kind);
            }
        });
    }

    /// Appends a line to the live region.
    pub fn say(self, line: String) {
        self.lines.update(|lines| {
            let number = lines.last().map_or(0, |(number, _)| number + 1);
            lines.push((number, line));
            let extra = lines.len().saturating_sub(KEPT);
            lines.drain(..extra);
        });
    }
}

/// The live region.
#[component]
pub fn LiveRegion(announcer: Announcer) -> impl IntoView {
    spawn_local(after_paint().then(|()| load_plain_text()));
    let Announcer { lines, .. } = announcer;
    let keys = Signal::derive(move || {
        lines.with(|lines| lines.iter().map(|(number, _)| number.to_string()).collect())
    });
    let line = move |place: usize| lines.with_untracked(|lines| lines.get(place).map(|line| line.1.clone()));
    view! {
        <div class="visually-hidden" role="status" aria-live="polite">
            <KeyedList keys=keys row=move |place| view! { <p>{line(place)}</p> }.into_any() />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::CallId;
    use sidecar_protocol::policy::Approval;
    use sidecar_protocol::thread::{ToolItem, ToolOutcome};

    use super::*;

    fn answer(text: &str, state: AnswerState) -> ItemKind {
        ItemKind::Assistant { reasoning: String::new(), reasoning_ms: None, text: text.to_owned(), state }
    }

    fn tool(state: ToolState) -> ItemKind {
        ItemKind::Tool(ToolItem {
            skill: None,
            call_id: CallId::from("c"),
            name: "search".to_owned(),
            site: String::new(),
            in_frame: false,
            arguments: "{}".to_owned(),
            read_only: true,
            repaired: Vec::new(),
            off_pattern: false,
            signals: Vec::new(),
            cut: None,
            approval: Approval::default(),
            question: None,
            state,
        })
    }

    #[test]
    fn answer_is_announced_in_sentences_and_the_rest_when_it_ends() {
        let mut said = SpeechProgress::default();
        assert_eq!(said.news(&answer("I **look", AnswerState::Streaming)), None);
        let sentence = News::Sentences("I look now.".to_owned());
        assert_eq!(said.news(&answer("I **look** now. Th", AnswerState::Streaming)), Some(sentence));
        assert_eq!(said.news(&answer("I **look** now. There", AnswerState::Streaming)), None);
        let rest = News::Sentences("There it is.".to_owned());
        assert_eq!(said.news(&answer("I **look** now. There it is.", AnswerState::Done)), Some(rest));
        assert_eq!(said.news(&answer("I **look** now. There it is.", AnswerState::Done)), None);
    }

    #[test]
    fn only_the_end_is_announced_when_a_long_answer_arrives_at_once() {
        let mut said = SpeechProgress::default();
        let text = "长".repeat(100_000);
        let Some(News::Sentences(sentences)) = said.news(&answer(&text, AnswerState::Done)) else {
            panic!("it is said")
        };
        assert!(sentences.len() <= SAID && text.ends_with(&sentences));
        let mut said = SpeechProgress::default();
        said.skip(&answer(&text, AnswerState::Done));
        assert_eq!(said.news(&answer(&text, AnswerState::Done)), None);
    }

    #[test]
    fn tool_state_is_announced_once() {
        let mut said = SpeechProgress::default();
        let news = |state: &ToolState| Some(News::Tool { name: "search".to_owned(), state: state.clone() });
        let running = ToolState::Running { since: 1, until: None, step: None };
        let soon_given_up = ToolState::Running { since: 1, until: Some(2), step: None };
        let finished = ToolState::Finished { outcome: ToolOutcome::Declined, duration_ms: 0, raw: None };
        assert_eq!(said.news(&tool(ToolState::Queued)), None);
        assert_eq!(said.news(&tool(running.clone())), news(&running));
        assert_eq!(said.news(&tool(running.clone())), None);
        for _ in 0..2 {
            assert_eq!(said.news(&tool(soon_given_up.clone())), news(&soon_given_up));
            assert_eq!(said.news(&tool(soon_given_up.clone())), None);
            assert_eq!(said.news(&tool(running.clone())), None);
        }
        assert_eq!(said.news(&tool(finished.clone())), news(&finished));
        assert_eq!(said.news(&tool(finished)), None);
    }
}
