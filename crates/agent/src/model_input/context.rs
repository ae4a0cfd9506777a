//! Estimates how much of the model's context window a conversation takes.

use std::collections::HashMap;

use sidecar_llm::tokens::{self, Characters};
use sidecar_llm::{Message, ToolDefinition};
use sidecar_protocol::CallId;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ToolOutcome;

use crate::log::branch;
use crate::log::{Call, Entry, Event};
use crate::model_input::messages::{BETWEEN, CallFacts, CompactionState, Repeated, Scope, messages_of};
use crate::model_input::{prompt, snapshots};
use crate::turn::rules::Rules;

/// Estimate of the tokens of a thread's next request: the service's last count, plus an estimate of what
/// was added since. Tools are included in the service's count.
///
/// It is kept beside the thread's log and reads each entry once. If the log goes on in another branch, or
/// more or less of it is left out of the model's input, the whole log is read again.
#[derive(Debug, Default)]
pub struct ContextEstimate {
    language: Language,
    /// Number of log entries that were read.
    read: usize,
    /// Estimate for the messages to which nothing can be added.
    closed: u64,
    /// The user's messages at the end, to which the next one can be added.
    open: Option<Characters>,
    /// Whether the last message is the model's.
    follows_answer: bool,
    /// Position of the last call, and how often in a row it was made.
    last_call: Option<(CallPlace, u32)>,
    /// Entries before this position are left out.
    from: usize,
    /// Results of calls before this position are left out.
    results_from: usize,
    calls: HashMap<CallId, KnownCall>,
    /// Number of older snapshots that are left out.
    snapshots: usize,
    /// The latest request.
    asked: Option<CountedRequest>,
    /// The latest earlier request that the service counted: our estimate, and the service's count.
    counted: Option<(u64, u64)>,
}

/// The position of a call in a log.
#[derive(Debug, Clone, Copy)]
struct CallPlace {
    position: usize,
    number: usize,
}

impl CallPlace {
    fn call(self, log: &[Entry]) -> Option<&Call> {
        match &log.get(self.position)?.event {
            Event::ModelAnswered { calls, .. } => calls.get(self.number),
            _ => None,
        }
    }
}

/// What is known of a call.
#[derive(Debug, Default)]
struct KnownCall {
    /// Its position, how often in a row it was made, and the estimate for its result.
    told: Option<(CallPlace, u32, u64)>,
    /// Positions of the entries about it.
    facts: Vec<usize>,
    /// Whether further entries about it may change other messages as well.
    is_settled: bool,
}

/// A request and the service's count of it.
#[derive(Debug)]
struct CountedRequest {
    /// Our estimate of its tokens.
    estimate: u64,
    /// The service's count of its tokens.
    counted: Option<u64>,
}

impl ContextEstimate {
    /// Estimate of the tokens of the next request for this log, which is the log that was read before and
    /// may have grown.
    pub fn taken(&mut self, log: &[Entry], rules: &Rules) -> u64 {
        self.taken_with(log, rules, &[])
    }

    /// The same for a request with these tools.
    pub fn taken_with(&mut self, log: &[Entry], rules: &Rules, tools: &[ToolDefinition]) -> u64 {
        self.read(log, rules.language);
        self.with_count(self.messages(), rules, tools)
    }

    /// The same if the results of calls before a position were left out.
    pub fn taken_without_results(
        &mut self,
        log: &[Entry],
        before: usize,
        rules: &Rules,
        tools: &[ToolDefinition],
    ) -> u64 {
        self.read(log, rules.language);
        let branch = branch::entries(log);
        let compaction = CompactionState { results_from: before, ..CompactionState::of(&branch) };
        let messages = messages_of(&branch, compaction, rules.language);
        self.with_count(messages.iter().map(tokens::of_message).sum(), rules, tools)
    }

    /// Estimate for a request whose messages take this much: the service's count of an earlier request,
    /// plus the difference since.
    fn with_count(&self, messages: u64, rules: &Rules, tools: &[ToolDefinition]) -> u64 {
        let last = self.asked.as_ref().and_then(CountedRequest::count).or(self.counted);
        match last {
            Some((estimate, counted)) => counted.saturating_add(messages).saturating_sub(estimate),
            None => {
                let system = Message::System { text: prompt::system(rules, prompt::PageTools::None) };
                tokens::of_message(&system) + tokens::of_tools(tools) + messages
            }
        }
    }

    /// Estimate for all messages.
    fn messages(&self) -> u64 {
        self.closed + self.open.map_or(0, |words| tokens::FRAME + words.tokens())
    }

    fn read(&mut self, log: &[Entry], language: Language) {
        if self.language != language || log.len() < self.read {
            *self = Self::of(log, language);
        }
        while self.read < log.len() {
            if self.read_next(log) {
                self.read += 1;
            } else {
                *self = Self::of(log, language);
            }
        }
    }

    /// Reads a log from the beginning.
    fn of(log: &[Entry], language: Language) -> Self {
        let branch = branch::entries(log);
        let scope = Scope::of(&branch, CompactionState::of(&branch), language);
        let mut estimate = Self {
            language,
            read: log.len(),
            from: scope.compaction.from,
            results_from: scope.compaction.results_from,
            snapshots: scope.left_out.snapshots.len(),
            ..Self::default()
        };
        for (position, entry) in scope.entries(&branch) {
            if let Some(call) = CallFacts::call_of(&entry.event) {
                estimate.add_fact(call, *position, &entry.event);
            }
        }
        for call in &scope.left_out.results {
            estimate.known(call).is_settled = true;
        }
        estimate.add(scope.summary());
        for (position, _) in scope.entries(&branch) {
            estimate.tell(log, *position, &scope);
        }
        let asked = branch.iter().rposition(|(_, entry)| matches!(entry.event, Event::ModelAsked { .. }));
        if let Some(asked) = asked {
            let (position, _) = branch[asked];
            let counted = branch[asked..].iter().filter_map(|(_, entry)| count_of(&entry.event)).next_back();
            estimate.asked =
                Some(CountedRequest { estimate: messages_before(log, position, language), counted });
            estimate.counted = last_count(&log[..position])
                .map(|(position, counted)| (messages_before(log, position, language), counted));
        }
        estimate
    }

    /// Reads the next entry. Returns false if the whole log has to be read instead.
    fn read_next(&mut self, log: &[Entry]) -> bool {
        let position = self.read;
        let event = &log[position].event;
        match event {
            Event::Rewound { .. }
            | Event::Compacted { .. }
            | Event::CompactionUndone
            | Event::TurnContinued { without: Some(_), .. } => return false,
            Event::ModelAsked { .. } => {
                let asked = CountedRequest { estimate: self.messages(), counted: None };
                let before = self.asked.replace(asked).as_ref().and_then(CountedRequest::count);
                self.counted = before.or(self.counted);
            }
            Event::ModelAnswered { calls, .. } => {
                if calls.iter().any(|call| self.calls.contains_key(&call.id)) {
                    return false;
                }
                if let (Some(asked), Some(counted)) = (&mut self.asked, count_of(event)) {
                    asked.counted = Some(counted);
                }
            }
            _ => {}
        }
        if position < self.from {
            return true;
        }
        let compaction = CompactionState { from: self.from, results_from: self.results_from, summary: None };
        let scope = Scope::of_next(compaction, self.language);
        let Some(call) = CallFacts::call_of(event) else {
            self.tell(log, position, &scope);
            return true;
        };
        if self.known(call).is_settled {
            return false;
        }
        if let Event::ToolFinished { outcome, .. } = event
            && snapshots::may_be_one(outcome)
            && snapshots::left_out(&branch::entries(&log[..=position])).len() != self.snapshots
        {
            return false;
        }
        self.add_fact(call, position, event);
        let told = self.calls.get(call).and_then(|known| known.told);
        if let Some((place, times, before)) = told
            && let Some(made) = place.call(log)
        {
            let result = scope.result(place.position, made, times, &|call| self.facts(log, call));
            let facts = |call: &CallId| self.facts(log, call);
            let pictures = scope.pictures_of(place.position, made, &facts);
            let now = tokens::of_message(&result) + pictures.iter().map(tokens::of_message).sum::<u64>();
            self.closed = self.closed - before + now;
            self.known(call).told = Some((place, times, now));
        }
        true
    }

    /// Adds what an entry contributes to the messages.
    fn tell(&mut self, log: &[Entry], position: usize, scope: &Scope<'_>) {
        let event = &log[position].event;
        let last = self.last_call.and_then(|(place, times)| Some((&place.call(log)?.record, times)));
        let mut repeated = Repeated(last);
        let times = repeated.count(event);
        let made = repeated.0.map(|(_, times)| times);
        let messages =
            scope.messages(position, event, self.follows_answer, &times, &|call| self.facts(log, call));
        let calls = match event {
            Event::ModelAnswered { calls, .. } => calls.as_slice(),
            Event::TurnStarted { .. } => {
                self.last_call = None;
                &[]
            }
            _ => &[],
        };
        let results = messages.iter().filter(|message| matches!(message, Message::Tool { .. }));
        for (number, ((call, times), result)) in calls.iter().zip(times).zip(results).enumerate() {
            let place = CallPlace { position, number };
            let known = self.known(&call.id);
            // Another call with this id: an entry about one is also about the other.
            known.is_settled |= known.told.is_some();
            known.told = Some((place, times, tokens::of_message(result)));
            self.last_call = made.map(|times| (place, times));
        }
        self.add(messages);
    }

    fn add(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            if let Message::User { text } = &message {
                match &mut self.open {
                    Some(words) => *words += Characters::of(BETWEEN),
                    None => self.open = Some(Characters::default()),
                }
                if let Some(words) = &mut self.open {
                    *words += Characters::of(text);
                }
                self.follows_answer = false;
            } else {
                self.closed = self.messages() + tokens::of_message(&message);
                self.open = None;
                self.follows_answer = matches!(message, Message::Assistant { .. });
            }
        }
    }

    fn known(&mut self, call: &CallId) -> &mut KnownCall {
        self.calls.entry(call.clone()).or_default()
    }

    fn add_fact(&mut self, call: &CallId, position: usize, event: &Event) {
        let known = self.known(call);
        known.facts.push(position);
        if let Event::ToolFinished { outcome, .. } = event {
            known.is_settled = true;
            if let ToolOutcome::Repeated { of } = outcome {
                self.known(of).is_settled = true;
            }
        }
    }

    fn facts<'l>(&self, log: &'l [Entry], call: &CallId) -> CallFacts<'l> {
        let mut facts = CallFacts::default();
        for position in self.calls.get(call).map_or(&[][..], |known| &known.facts) {
            facts.add(&log[*position].event);
        }
        facts
    }
}

impl CountedRequest {
    /// Our estimate and the service's count, if there is one.
    fn count(&self) -> Option<(u64, u64)> {
        let counted = self.counted.filter(|counted| *counted > 0)?;
        Some((self.estimate, counted))
    }
}

/// Estimate for the messages of the branch that ends before this position.
fn messages_before(log: &[Entry], position: usize, language: Language) -> u64 {
    let branch = branch::entries(&log[..position]);
    messages_of(&branch, CompactionState::of(&branch), language).iter().map(tokens::of_message).sum()
}

/// The service's token count for the request of which this is the answer.
fn count_of(event: &Event) -> Option<u64> {
    match event {
        Event::ModelAnswered { usage, .. } => usage.map(|usage| usage.input),
        _ => None,
    }
}

/// Whether this event changes the context usage.
#[must_use]
pub fn counts(event: &Event) -> bool {
    match event {
        Event::TurnStarted { .. }
        | Event::TurnContinued { .. }
        | Event::Rewound { .. }
        | Event::ModelAnswered { .. }
        | Event::Compacted { .. }
        | Event::CompactionUndone
        | Event::ToolFinished { .. } => true,
        Event::ModelAsked { .. }
        | Event::ModelFailed { .. }
        | Event::SummaryAsked { .. }
        | Event::TurnRevived { .. }
        | Event::ApprovalAsked { .. }
        | Event::ApprovalMistaken { .. }
        | Event::ApprovalGiven { .. }
        | Event::ResultCut { .. }
        | Event::Suspected { .. }
        | Event::GuardLifted
        | Event::FlowAllowed { .. }
        | Event::ToolStarted { .. }
        | Event::WaitStarted { .. }
        | Event::WaitEnded { .. }
        | Event::TurnEnded { .. } => false,
    }
}

/// The last request that the service counted: its position and the count.
fn last_count(log: &[Entry]) -> Option<(usize, u64)> {
    let mut counted = None;
    for position in branch::backwards(log) {
        match &log[position].event {
            Event::ModelAnswered { usage: Some(usage), .. } if counted.is_none() => {
                counted = Some(usage.input)
            }
            Event::ModelAsked { .. } => {
                if let Some(counted) = counted.filter(|counted| *counted > 0) {
                    return Some((position, counted));
                }
                counted = None;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
