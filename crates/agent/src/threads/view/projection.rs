//! Turns the entries of a log into items.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::content::Content;
use sidecar_protocol::policy::{Approval, AskReason, is_lasting};
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{
    AnswerState, Compaction, Cost, Item, ItemKind, PageText, ToolItem, ToolOutcome, ToolState, Usage,
};
use sidecar_protocol::{CallId, ItemId, Timestamp, TurnId};
use sidecar_webmcp::{visible, visible_json};

use super::{Live, cut, end_id, user_id};
use crate::log::branch::{self, Fork};
use crate::log::{Call, Ending, Entry, Event, Suspect, Target};
use crate::model_input::result;

/// Maximum number of attempts, for "attempt 2 of 4".
const ATTEMPTS: u32 = sidecar_llm::MAX_ATTEMPTS;

/// Maximum characters of a result that are shown, so that a page of items fits one message. The log has the
/// whole.
const SHOWN_LIMIT: usize = 100_000;

/// Number of order places for the items of one entry (an answer and its calls).
const SEQ_STEP: u64 = 1000;

/// The place of the versions item among them.
const SEQ_FORK: u64 = 1;

/// A page's text as it is shown: cut, with invisible characters written out.
fn shown(text: &str) -> String {
    let beginning = cut(text, SHOWN_LIMIT);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_json { visible_json(&beginning) } else { visible(&beginning) }.into_owned()
}

/// The state of a call that ended, as it is shown.
fn finished(outcome: &ToolOutcome, duration_ms: u64) -> ToolState {
    let read = result::read(outcome);
    let raw = match (outcome, &read) {
        (ToolOutcome::Ok { content, .. }, Cow::Owned(_)) => Some(shown(&Content::texts(content))),
        _ => None,
    };
    let outcome = read.into_owned().map_text(shown);
    ToolState::Finished { outcome, duration_ms, raw }
}

/// A call that has just been made. Without a tool it has the name that its caller used.
pub(crate) fn new_item(id: &CallId, target: Option<&Target>, name: &str, arguments: &str) -> ToolItem {
    ToolItem {
        call_id: id.clone(),
        name: visible(target.map_or(name, |target| target.tool.name())).into_owned(),
        site: target.map(|target| target.site.clone()).unwrap_or_default(),
        in_frame: target.is_some_and(|target| target.tool.is_in_frame()),
        skill: target.and_then(|target| target.skill.clone()).map(Box::new),
        arguments: visible_json(arguments).into_owned(),
        read_only: target.is_some_and(|target| target.read_only),
        repaired: Vec::new(),
        off_pattern: false,
        signals: Vec::new(),
        cut: None,
        approval: Approval {
            can_allow: target.is_some_and(|target| is_lasting(&target.origin)),
            ..Approval::default()
        },
        question: None,
        state: ToolState::Queued,
    }
}

/// A call asks.
pub(crate) fn note_asked(tool: &mut ToolItem, why: &[AskReason]) {
    tool.state = ToolState::Asking;
    why.clone_into(&mut tool.approval.why);
}

/// What the user wrote in place of a call's arguments does not fit. Returns those that were shown before.
pub(crate) fn note_mistake(tool: &mut ToolItem, arguments: &str, mistake: &str) -> String {
    tool.approval.mistake = visible(mistake).into_owned();
    tool.approval.mistakes += 1;
    std::mem::replace(&mut tool.arguments, visible_json(arguments).into_owned())
}

pub(super) fn answer_id(turn: &TurnId, position: usize) -> ItemId {
    ItemId(format!("{turn}.{position}.answer"))
}

/// Whether an item is removed as soon as something follows it.
fn is_passing(kind: &ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Retry { .. }
            | ItemKind::Compacted { how: Compaction::Summing, .. }
            | ItemKind::Assistant { state: AnswerState::Waiting, .. }
    )
}

#[derive(Default)]
pub(super) struct ItemProjection {
    items: Vec<Item>,
    /// Where the active branch has alternatives, by the first entry after the fork.
    forks: BTreeMap<usize, Fork>,
    /// The fork that was passed and is not shown yet.
    fork: Option<Fork>,
    turn: Option<(TurnId, Timestamp)>,
    /// How long the turn had worked before it was last continued, in milliseconds.
    worked_ms: u64,
    usage: Option<Usage>,
    costs: Vec<Cost>,
    failures: u32,
    /// Whether the turn called a tool of a page or a SKILL.
    called_tools: bool,
    /// The model of the last request.
    asked: Option<ModelChoice>,
    /// The model's own arguments, for calls that show what the user tried.
    written: HashMap<CallId, String>,
}

impl ItemProjection {
    /// A projection that has read nothing of this log yet.
    pub(super) fn of(log: &[Entry]) -> Self {
        Self { forks: branch::forks(log), ..Self::default() }
    }

    pub(super) fn read(&mut self, position: usize, entry: &Entry) {
        let seq = position as u64 * SEQ_STEP;
        let at = entry.at;
        self.fork = self.forks.get(&position).copied().or(self.fork);
        match &entry.event {
            Event::TurnStarted { turn, text, attached, pictures, page: _ } => {
                self.turn = Some((turn.clone(), at));
                self.usage = None;
                self.costs.clear();
                self.worked_ms = 0;
                self.failures = 0;
                self.called_tools = false;
                self.asked = None;
                let legible =
                    |it: &Attachment| Attachment { text: visible(&it.text).into_owned(), ..it.clone() };
                let attached = attached.iter().map(legible).collect();
                let (text, pictures) = (text.clone(), pictures.clone());
                self.add(user_id(turn).0, seq, at, ItemKind::User { text, attached, pictures });
                self.show_fork(position, at);
            }
            Event::Rewound { .. } => {}
            Event::SummaryAsked { .. } => {
                self.drop_last(|kind| matches!(kind, ItemKind::Retry { .. }));
                self.add_compaction(position, at, Compaction::Summing);
            }
            Event::Compacted { summary, usage, cost, .. } => {
                self.drop_last(is_passing);
                self.failures = 0;
                self.count(*usage, cost.as_ref());
                let how = match summary {
                    Some(text) => Compaction::Summary { text: visible(text).into_owned() },
                    None => Compaction::Results,
                };
                self.add_compaction(position, at, how);
            }
            Event::CompactionUndone => {
                for item in &mut self.items {
                    if let ItemKind::Compacted { undone, .. } = &mut item.kind {
                        *undone = true;
                    }
                }
            }
            // The pause is over: its item goes.
            Event::TurnContinued { without, .. } => {
                self.failures = 0;
                if let Some((_, since)) = &mut self.turn {
                    *since = at;
                }
                self.drop_last(|kind| matches!(kind, ItemKind::TurnEnd { .. }));
                if let (Some(what), Some((turn, _))) = (*without, &self.turn) {
                    self.add(format!("{turn}.{position}.without"), seq, at, ItemKind::LeftOut { what });
                }
            }
            Event::TurnRevived { reasoning, text } => {
                if self.waits_for_answer() {
                    self.close_answer(reasoning, None, text, AnswerState::Cut);
                }
            }
            Event::ModelAsked { provider, model, .. } => {
                self.asked = Some(ModelChoice { provider: provider.clone(), model: model.clone() });
                self.drop_last(|kind| matches!(kind, ItemKind::Retry { .. }));
                let Some((turn, _)) = &self.turn else { return };
                let id = answer_id(turn, position).0;
                let kind = ItemKind::Assistant {
                    reasoning: String::new(),
                    reasoning_ms: None,
                    text: String::new(),
                    state: AnswerState::Waiting,
                };
                self.add(id, seq, at, kind);
            }
            Event::ModelAnswered { reasoning, reasoning_ms, text, calls, usage, cost, ending, .. } => {
                self.failures = 0;
                self.count(*usage, cost.as_ref());
                let state = match ending {
                    Ending::Natural | Ending::Length => AnswerState::Done,
                    Ending::Stopped => AnswerState::Stopped,
                };
                self.close_answer(reasoning, *reasoning_ms, text, state);
                self.show_fork(position, at);
                self.called_tools |= calls.iter().any(Call::is_site);
                for (n, call) in calls.iter().enumerate() {
                    let item = new_item(&call.id, call.target.as_ref(), &call.record.name, call.arguments());
                    let kind = ItemKind::Tool(ToolItem {
                        repaired: call.repaired.clone(),
                        off_pattern: call.off_pattern,
                        question: call.question.clone().filter(|_| call.mistake.is_none()).map(Box::new),
                        ..item
                    });
                    self.add(call.id.0.clone(), seq + SEQ_FORK + 1 + n as u64, at, kind);
                }
            }
            Event::ModelFailed { error, reasoning, text, retry_at } => {
                self.failures += 1;
                self.drop_last(|kind| matches!(kind, ItemKind::Compacted { how: Compaction::Summing, .. }));
                self.close_answer(reasoning, None, text, AnswerState::Cut);
                self.show_fork(position, at);
                if let (Some(until), Some((turn, _))) = (retry_at, &self.turn) {
                    let id = format!("{turn}.{position}.retry");
                    let kind = ItemKind::Retry {
                        error: error.clone(),
                        attempt: self.failures,
                        of: ATTEMPTS,
                        until: *until,
                        asked: self.asked.clone(),
                    };
                    self.add(id, seq + SEQ_FORK + 1, at, kind);
                }
            }
            Event::ApprovalAsked { call, why } => self.change_item(call, |tool| note_asked(tool, why)),
            // Imported threads allow nothing.
            Event::FlowAllowed { call, from, .. } => {
                self.change_item(call, |tool| tool.approval.flow_allowed = !from.is_empty());
            }
            Event::ApprovalMistaken { call, arguments, mistake } => {
                let mut before = None;
                self.change_item(call, |tool| before = Some(note_mistake(tool, arguments, mistake)));
                if let Some(before) = before {
                    self.written.entry(call.clone()).or_insert(before);
                }
            }
            Event::ApprovalGiven { call, arguments, off_pattern, words, .. } => {
                // What the user tried in between does not count.
                let written = self.written.remove(call);
                let arguments = arguments.as_deref().map(|arguments| visible_json(arguments).into_owned());
                self.change_item(call, |tool| {
                    tool.state = ToolState::Queued;
                    tool.approval.mistake.clear();
                    tool.approval.edited = arguments.is_some();
                    tool.approval.words.clone_from(words);
                    if arguments.is_some() {
                        tool.off_pattern = *off_pattern;
                    }
                    if let Some(arguments) = arguments.or(written) {
                        tool.arguments = arguments;
                    }
                });
            }
            Event::ToolStarted { call, allowed_by } => self.change_item(call, |tool| {
                tool.state = ToolState::Running { since: at, until: None, step: None };
                tool.approval.allowed_by = *allowed_by;
            }),
            Event::WaitStarted { call, kind } => self.change_tool(call, |state| match state {
                ToolState::Running { since, .. } => {
                    ToolState::Waiting { kind: *kind, ran_ms: at.saturating_sub(*since) }
                }
                other => other.clone(),
            }),
            Event::WaitEnded { call } => self.change_tool(call, |state| match state {
                ToolState::Waiting { ran_ms, .. } => {
                    ToolState::Running { since: at.saturating_sub(*ran_ms), until: None, step: None }
                }
                other => other.clone(),
            }),
            Event::ResultCut { call, cut } => {
                self.change_item(call, |tool| tool.cut = Some(*cut).filter(|cut| cut.given < cut.whole));
            }
            Event::Suspected { what, signals } => {
                let (tool, site, text) = match what {
                    Suspect::Result { call } => {
                        let mut whose = (String::new(), String::new());
                        self.change_item(call, |tool| {
                            tool.signals.clone_from(signals);
                            whose = (tool.name.clone(), tool.site.clone());
                        });
                        (whose.0, whose.1, PageText::Result)
                    }
                    Suspect::Description { tool, site, .. } => {
                        // The delay of a retry is over: what follows is the request.
                        self.drop_last(|kind| matches!(kind, ItemKind::Retry { .. }));
                        (visible(tool).into_owned(), site.clone(), PageText::Description)
                    }
                    Suspect::Attached { site, .. } => (String::new(), site.clone(), PageText::Attached),
                };
                let Some((turn, _)) = &self.turn else { return };
                let id = format!("{turn}.{position}.guard");
                let signals = signals.clone();
                let kind = ItemKind::Guard { tool, site, text, signals, lifted: false };
                self.add(id, seq, at, kind);
            }
            Event::GuardLifted => self.items.iter_mut().for_each(|item| {
                if let ItemKind::Guard { lifted, .. } = &mut item.kind {
                    *lifted = true;
                }
            }),
            Event::ToolFinished { call, outcome, duration_ms } => {
                self.set_tool(call, finished(outcome, *duration_ms));
            }
            Event::TurnEnded { end } => {
                self.drop_last(is_passing);
                self.calm_down();
                self.show_fork(position, at);
                let Some((turn, since)) = &self.turn else { return };
                let id = end_id(turn, position).0;
                self.worked_ms += at.saturating_sub(*since);
                let (usage, costs, duration_ms) = (self.usage, self.costs.clone(), self.worked_ms);
                let (asked, called_tools) = (self.asked.clone(), self.called_tools);
                self.add(
                    id,
                    seq + SEQ_FORK + 1,
                    at,
                    ItemKind::TurnEnd { end: end.clone(), usage, costs, duration_ms, asked, called_tools },
                );
            }
        }
    }

    pub(super) fn finish(mut self, live: Option<&Live>) -> Vec<Item> {
        let runs = self.items.iter_mut().rev().find_map(|item| match &mut item.kind {
            ItemKind::Tool(ToolItem { state: ToolState::Running { until, step, .. }, .. }) => {
                Some((until, step))
            }
            _ => None,
        });
        if let (Some((until, step)), Some(live)) = (runs, live) {
            (*until, *step) = (live.until, live.step);
        }
        if let (Some(live), Some(Item { kind, .. })) = (live, self.items.last_mut())
            && let ItemKind::Assistant { reasoning, text, state, .. } = kind
            && *state == AnswerState::Waiting
            && (!live.reasoning.is_empty() || !live.text.is_empty())
        {
            reasoning.clone_from(&live.reasoning);
            text.clone_from(&live.text);
            *state = AnswerState::Streaming;
        }
        self.items
    }

    fn add(&mut self, id: String, seq: u64, at: Timestamp, kind: ItemKind) {
        if let Some((turn, _)) = &self.turn {
            self.items.push(Item { id: ItemId(id), turn: turn.clone(), seq, at, kind });
        }
    }

    fn add_compaction(&mut self, position: usize, at: Timestamp, how: Compaction) {
        let Some((turn, _)) = &self.turn else { return };
        let id = format!("{turn}.{position}.compacted");
        self.add(id, position as u64 * SEQ_STEP, at, ItemKind::Compacted { how, undone: false });
    }

    fn count(&mut self, usage: Option<Usage>, cost: Option<&Cost>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        cost.iter().for_each(|cost| cost.add_to(&mut self.costs));
    }

    /// After the first entry in which versions differ, shows which version this is.
    fn show_fork(&mut self, position: usize, at: Timestamp) {
        if let (Some(fork), Some((turn, _))) = (self.fork.take(), &self.turn) {
            let id = format!("{turn}.{position}.fork");
            let place = |position: usize| position as u64;
            let Fork { version, of, earlier, later } = fork;
            let kind =
                ItemKind::Versions { version, of, earlier: earlier.map(place), later: later.map(place) };
            // Between the text of its entry and the calls.
            self.add(id, position as u64 * SEQ_STEP + SEQ_FORK, at, kind);
        }
    }

    fn drop_last(&mut self, is: impl Fn(&ItemKind) -> bool) {
        if self.items.last().is_some_and(|item| is(&item.kind)) {
            self.items.pop();
        }
    }

    fn waits_for_answer(&self) -> bool {
        let last = self.items.last().map(|item| &item.kind);
        matches!(last, Some(ItemKind::Assistant { state: AnswerState::Waiting, .. }))
    }

    /// Ends the answer that was arriving; one without reasoning and text is not shown.
    fn close_answer(&mut self, new_reasoning: &str, ms: Option<u64>, new_text: &str, new_state: AnswerState) {
        let Some(Item { kind: ItemKind::Assistant { reasoning, reasoning_ms, text, state }, .. }) =
            self.items.last_mut()
        else {
            return;
        };
        if new_reasoning.is_empty() && new_text.is_empty() {
            self.items.pop();
            return;
        }
        new_reasoning.clone_into(reasoning);
        new_text.clone_into(text);
        *reasoning_ms = ms;
        *state = new_state;
    }

    /// While the agent rests, no call runs or asks, even if the worker died before the log could say how it
    /// ended.
    fn calm_down(&mut self) {
        for item in self.items.iter_mut().rev() {
            match &mut item.kind {
                ItemKind::User { .. } => return,
                ItemKind::Tool(tool) if !matches!(tool.state, ToolState::Finished { .. }) => {
                    tool.state = ToolState::Queued;
                }
                ItemKind::Assistant { state, .. } if *state == AnswerState::Streaming => {
                    *state = AnswerState::Cut;
                }
                ItemKind::Tool(_)
                | ItemKind::Assistant { .. }
                | ItemKind::Retry { .. }
                | ItemKind::Guard { .. }
                | ItemKind::LeftOut { .. }
                | ItemKind::Versions { .. }
                | ItemKind::Compacted { .. }
                | ItemKind::TurnEnd { .. } => {}
            }
        }
    }

    fn set_tool(&mut self, call: &CallId, new_state: ToolState) {
        self.change_tool(call, |_| new_state);
    }

    fn change_tool(&mut self, call: &CallId, change: impl FnOnce(&ToolState) -> ToolState) {
        self.change_item(call, |tool| tool.state = change(&tool.state));
    }

    fn change_item(&mut self, call: &CallId, change: impl FnOnce(&mut ToolItem)) {
        let tool = self.items.iter_mut().rev().find_map(|item| match &mut item.kind {
            ItemKind::Tool(tool) if tool.call_id == *call => Some(tool),
            _ => None,
        });
        if let Some(tool) = tool {
            change(tool);
        }
    }
}
