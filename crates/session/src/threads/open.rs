//! A thread in memory: its log, and what is derived from it.

use std::cell::RefCell;

use sidecar_agent::log::{Call, Target};
use sidecar_agent::view::{self, Live};
use sidecar_agent::{ContextEstimate, Entry, Event, Rules, StoreError, branch, resume};
use sidecar_protocol::link::chat::PAGE_SIZE;
use sidecar_protocol::link::{ChatEvent, ContextUsage, PendingApproval, ThreadView};
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{Activity, Item, ThreadSummary, TurnEnd};
use sidecar_protocol::{CallId, Timestamp, TurnId};

use super::log::ThreadLog;
use super::projection::{Projection, activity};
use super::store::LogStore;
use crate::attention::Asking;

/// What is new in a thread since panels were last sent changes.
#[derive(Debug, Default, PartialEq)]
pub struct ThreadNews {
    /// The changes to send to panels.
    pub changes: Vec<ChatEvent>,
    /// Request fields that a model's service refused.
    pub refused: Vec<(ModelChoice, String)>,
    /// Whether the context usage may have changed.
    pub has_other_usage: bool,
}

/// A thread in memory.
#[derive(Debug)]
pub(super) struct OpenThread<S> {
    pub(super) log: ThreadLog<S>,
    projection: Projection,
    /// Estimate of the context usage, as of the last time it was needed.
    context: RefCell<ContextEstimate>,
    /// Cache of the waiting call, with the length of the log that it was derived from.
    asking: RefCell<Option<(usize, Option<Asking>)>>,
}

impl<S: LogStore> OpenThread<S> {
    /// A thread with these entries, all of them on disk if there is a store. Panels are to be shown all of it
    /// first.
    pub(super) fn new(store: Option<S>, summary: ThreadSummary, entries: Vec<Entry>) -> Self {
        let log = ThreadLog::new(store, summary, entries);
        let (projection, context, asking) = Default::default();
        let mut thread = Self { log, projection, context, asking };
        thread.restart();
        thread
    }

    /// Panels are about to be shown the whole thread as it is now.
    pub(super) fn restart(&mut self) {
        self.projection.restart(&self.log.entries(), &self.log.live());
    }

    pub(super) async fn append(&self, at: Timestamp, event: Event) -> Result<(), StoreError> {
        self.log.append(Entry { at, event }).await
    }

    /// Ends an unfinished turn that no worker runs. On a full disk, the thread can still be read.
    pub(super) async fn end_turn(&self, at: Timestamp, live: Option<Live>) {
        let draft = live.map(|live| (live.reasoning, live.text));
        let events = resume::after_death(&self.log.entries(), draft);
        self.log.append_or_remember(at, events).await;
    }

    /// The user changed the thread's line in the list.
    pub(super) fn set_summary(&self, summary: ThreadSummary) {
        self.log.set_summary(summary);
        *self.asking.borrow_mut() = None;
    }

    pub(super) fn news(&mut self, is_running: bool) -> ThreadNews {
        self.log.looked_at();
        let (log, live) = (self.log.entries(), self.log.live());
        let read = self.projection.read();
        let changes = self.projection.changes(&log, &live, is_running);
        ThreadNews {
            changes,
            refused: refused_fields(&log, read),
            has_other_usage: log[read.min(log.len())..]
                .iter()
                .any(|entry| sidecar_agent::context::counts(&entry.event)),
        }
    }

    pub(super) fn view(&self, is_running: bool) -> ThreadView {
        let log = self.log.entries();
        let (items, more) = last_page(view::items(&log, Some(&self.log.live())));
        ThreadView {
            summary: self.log.summary(),
            items,
            more,
            activity: activity(&log, is_running),
            queue: Vec::new(),
            usage: ContextUsage::default(),
        }
    }

    /// The page of items before `before`, and whether there are older ones.
    pub(super) fn older(&self, before: u64) -> (Vec<Item>, bool) {
        let mut items = view::items(&self.log.entries(), None);
        items.retain(|item| item.seq < before);
        last_page(items)
    }

    pub(super) fn tokens(&self, rules: &Rules) -> u64 {
        self.context.borrow_mut().taken(&self.log.entries(), rules)
    }

    pub(super) fn end(&self) -> Option<TurnEnd> {
        match &branch::last(&self.log.entries())?.event {
            Event::TurnEnded { end } => Some(end.clone()),
            _ => None,
        }
    }

    pub(super) fn has_turn(&self, turn: &TurnId) -> bool {
        let is_it = |entry: &Entry| matches!(&entry.event, Event::TurnStarted { turn: id, .. } if id == turn);
        self.log.entries().iter().any(is_it)
    }

    pub(super) fn target_of_call(&self, call: &CallId) -> Option<Target> {
        find_call(&self.log.entries(), call)?.target.clone()
    }

    pub(super) fn arguments_of_call(&self, call: &CallId) -> Option<String> {
        Some(find_call(&self.log.entries(), call)?.arguments().to_owned())
    }

    /// The call that waits for the user's decision.
    pub(super) fn asking(&self, is_running: bool) -> Option<Asking> {
        if !is_running {
            return None;
        }
        let log = self.log.entries();
        let mut known = self.asking.borrow_mut();
        if known.as_ref().is_none_or(|(len, _)| *len != log.len()) {
            *known = Some((log.len(), asking(&log, &self.log.summary())));
        }
        known.as_ref()?.1.clone()
    }
}

fn last_page(mut items: Vec<Item>) -> (Vec<Item>, bool) {
    let start = items.len().saturating_sub(PAGE_SIZE);
    (items.split_off(start), start > 0)
}

/// The request fields that were refused in entries from a position on, with the model that was asked.
fn refused_fields(log: &[Entry], from: usize) -> Vec<(ModelChoice, String)> {
    let refused = |(position, entry): (usize, &Entry)| {
        let Event::ModelFailed { error, .. } = &entry.event else { return None };
        let field = error.refused_field()?.to_owned();
        let model = log[..position].iter().rev().find_map(|entry| match &entry.event {
            Event::ModelAsked { provider, model, .. } => {
                Some(ModelChoice { provider: provider.clone(), model: model.clone() })
            }
            _ => None,
        })?;
        Some((model, field))
    };
    log.iter().enumerate().skip(from).filter_map(refused).collect()
}

fn asking(log: &[Entry], summary: &ThreadSummary) -> Option<Asking> {
    if resume::activity(log) != Activity::Asking {
        return None;
    }
    let call_id = log.iter().rev().find_map(|entry| match &entry.event {
        Event::ApprovalAsked { call, .. } => Some(call.clone()),
        _ => None,
    })?;
    let Call { record, target, question, .. } = find_call(log, &call_id)?;
    let (tool, site, tab) = match target {
        Some(Target { tool, site, .. }) => (tool.name().to_owned(), site.clone(), tool.tab()),
        None => (record.name.clone(), String::new(), None),
    };
    let approval = PendingApproval {
        call_id,
        thread_id: Some(summary.id.clone()),
        title: summary.title.clone(),
        tool,
        site,
        question: question.as_ref().map(|question| question.text.clone()),
        item: None,
    };
    Some(Asking { approval, tab: tab.or(resume::page_of_turn(log).tab), document: None })
}

fn find_call<'l>(log: &'l [Entry], id: &CallId) -> Option<&'l Call> {
    let calls = log.iter().rev().filter_map(|entry| match &entry.event {
        Event::ModelAnswered { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().find(|call| call.id == *id)
}
