//! The threads that are shown or running: their logs in memory, and what panels are told when they grow.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use futures::channel::oneshot;
use sidecar_agent::audit::Recorder;
use sidecar_agent::log::{Call, Target};
use sidecar_agent::story::is_on_guard;
use sidecar_agent::view::{self, Live};
use sidecar_agent::{
    Connection, ContextEstimate, Entry, Event as LogEvent, PageRef, Ports, Rules, StoreError, Told,
    UserCommand, resume, story,
};
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::link::chat::PAGE_SIZE;
use sidecar_protocol::link::{ChatEvent, ContextUsage, PendingApproval, ThreadView};
use sidecar_protocol::settings::ProviderId;
use sidecar_protocol::thread::{Activity, Item, Rest, ThreadSummary, Without};
use sidecar_protocol::{CallId, ItemId, TabId, ThreadId, Timestamp, TurnId};
use wasm_bindgen_futures::spawn_local;

use crate::attention::Asking;
use crate::clock::{self, BrowserClock};
use crate::database::{Database, Kept, ReadError};
use crate::event::{Event, Mailbox};
use crate::lines::Lines;
use crate::store::ThreadStore;
use crate::tools::TabTools;
use crate::transport::Transport;
use crate::turns::Turns;

/// What the user says in one go.
#[derive(Debug, Clone)]
pub struct Said {
    /// The words.
    pub text: String,
    /// Texts of pages that go with them.
    pub attached: Vec<Attachment>,
}

/// The threads that this worker has in memory.
pub struct Threads {
    mailbox: Mailbox,
    turns: Turns,
    database: Database,
    open: HashMap<ThreadId, OpenThread>,
}

/// One of them.
struct OpenThread {
    summary: ThreadSummary,
    /// Of a temporary thread: its worker is its only place, and is kept awake until this goes.
    _awake: Option<oneshot::Sender<()>>,
    log: Vec<Entry>,
    /// How many entries of the log are on disk. The others could not be written when they were made.
    saved: usize,
    /// What the log takes of a model's window, as far as that was asked.
    context: RefCell<ContextEstimate>,
    live: Live,
    /// The last turn's items as panels have them.
    shown: Vec<Item>,
    activity: Activity,
    /// Whether a turn runs in it.
    is_running: bool,
}

impl Threads {
    pub fn new(mailbox: Mailbox, turns: Turns, database: Database) -> Self {
        Self { mailbox, turns, database, open: HashMap::new() }
    }

    /// Begins a thread that is kept nowhere.
    pub fn begin_temporary(&mut self, id: ThreadId) -> ThreadId {
        let id = ThreadId(format!("{}{id}", ThreadId::TEMPORARY));
        let now = clock::now();
        let summary = ThreadSummary {
            id: id.clone(),
            title: String::new(),
            site: String::new(),
            created: now,
            updated: now,
            pinned: false,
            temporary: true,
        };
        let (awake, end) = oneshot::channel();
        spawn_local(clock::awake(async move {
            let _ = end.await;
        }));
        let thread = OpenThread { _awake: Some(awake), ..OpenThread::new(summary, Vec::new()) };
        self.open.insert(id.clone(), thread);
        id
    }

    /// The line in the list of a thread in memory is another now.
    pub fn changed(&mut self, summary: &ThreadSummary) {
        if let Some(thread) = self.open.get_mut(&summary.id) {
            thread.summary = summary.clone();
        }
    }

    /// The thread as panels show it first, read from disk if need be; `None` when there is no such thread. A turn in it
    /// that no worker runs any more is brought to rest, so that it can be continued.
    pub async fn view(&mut self, id: &ThreadId) -> Result<Option<ThreadView>, ReadError> {
        if !self.open.contains_key(id) {
            let Some((mut thread, draft)) = self.read(id).await? else { return Ok(None) };
            // On a full disk the thread can still be read.
            thread.write_or_remember(&self.database, resume::after_death(&thread.log, draft)).await;
            thread.shown = thread.last_items();
            self.open.insert(id.clone(), thread);
        }
        Ok(self.open.get(id).map(OpenThread::view))
    }

    /// Reads an unfinished turn that an earlier worker ran, so that this one can run it. Gives the page that it is bound
    /// to; `None` when there is nothing to carry on: the turn rests, or runs here.
    ///
    /// Should that worker still be alive, the two do not get into each other's way: each writes an entry before it acts,
    /// both would write it at the same place of the log, and the database lets only one of them.
    pub async fn revive(&mut self, id: &ThreadId) -> Result<Option<PageRef>, ReadError> {
        if self.open.contains_key(id) {
            return Ok(None);
        }
        let Some((mut thread, draft)) = self.read(id).await? else { return Ok(None) };
        if !resume::is_unfinished(&thread.log) {
            return Ok(None);
        }
        if let Some(event) = resume::revived(&thread.log, draft) {
            thread.write(&self.database, event).await?;
        }
        let page = resume::page_of_turn(&thread.log);
        thread.shown = thread.last_items();
        self.open.insert(id.clone(), thread);
        Ok(Some(page))
    }

    /// A thread from the disk, and the answer that was growing at the end of its log.
    async fn read(&self, id: &ThreadId) -> Result<Option<(OpenThread, Option<(String, String)>)>, ReadError> {
        let Some(Kept { summary, log, draft }) = self.database.thread(id).await? else { return Ok(None) };
        let draft = draft.filter(|draft| draft.position == log.len());
        let thread = OpenThread::new(summary, log);
        Ok(Some((thread, draft.map(|draft| (draft.reasoning, draft.text)))))
    }

    /// The page of items before `before`, and whether there are still older ones.
    pub fn older(&self, id: &ThreadId, before: u64) -> Option<(Vec<Item>, bool)> {
        let thread = self.open.get(id)?;
        let mut items = view::items(&thread.log, None);
        items.retain(|item| item.seq < before);
        let more = items.len() > PAGE_SIZE;
        let start = items.len().saturating_sub(PAGE_SIZE);
        Some((items.split_off(start), more))
    }

    /// Whether the thread is in memory.
    pub fn is_open(&self, id: &ThreadId) -> bool {
        self.open.contains_key(id)
    }

    /// Whether the thread's turn rests where it can be taken up again.
    pub fn can_continue(&self, id: &ThreadId) -> bool {
        self.rest(id).is_some_and(Rest::can_continue)
    }

    /// Why the thread's agent rests, if it does.
    pub fn rest(&self, id: &ThreadId) -> Option<&Rest> {
        match &story::last(&self.open.get(id)?.log)?.event {
            LogEvent::TurnRested { rest } => Some(rest),
            _ => None,
        }
    }

    /// Whether a turn of this name ever began in the thread.
    pub fn has_turn(&self, id: &ThreadId, turn: &TurnId) -> bool {
        let is_it =
            |entry: &Entry| matches!(&entry.event, LogEvent::TurnStarted { turn: name, .. } if name == turn);
        self.open.get(id).is_some_and(|thread| thread.log.iter().any(is_it))
    }

    /// About how many tokens of a model's window the thread takes.
    pub fn tokens(&self, id: &ThreadId, rules: &Rules) -> u64 {
        self.open.get(id).map_or(0, |thread| thread.context.borrow_mut().taken(&thread.log, rules))
    }

    /// Goes back behind the words of this item, so that others can be said in their place. Says whether they are there.
    pub async fn take_back(&mut self, id: &ThreadId, item: &ItemId) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        let is_it = |entry: &Entry| matches!(&entry.event, LogEvent::TurnStarted { turn, .. } if view::user_id(turn) == *item);
        let position = story::backwards(&thread.log).find(|position| is_it(&thread.log[*position]));
        let Some(position) = position else { return Ok(false) };
        let behind = story::before(&thread.log, position);
        thread.rewind(&self.database, behind).await?;
        Ok(true)
    }

    /// Goes back to where the model was last asked, so that it answers again. Says whether it ever was in this turn.
    pub async fn take_back_answer(&mut self, id: &ThreadId, page: PageRef) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        let turn = story::last_turn(&thread.log);
        let asked = turn.iter().rev().find(|(_, entry)| matches!(entry.event, LogEvent::ModelAsked { .. }));
        let Some((position, _)) = asked else { return Ok(false) };
        let behind = story::before(&thread.log, *position);
        thread.rewind(&self.database, behind).await?;
        let continued = thread.write(&self.database, LogEvent::TurnContinued { page, without: None }).await;
        if continued.is_err() {
            // From here on the turn can be taken up, or left for the version before.
            thread.write_or_remember(&self.database, resume::after_death(&thread.log, None)).await;
            thread.shown = thread.last_items();
        }
        continued.map(|()| true)
    }

    /// Goes on from another version of the thread. Says whether there is one that ends there.
    pub async fn take_version(&mut self, id: &ThreadId, version: u64) -> Result<bool, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(false) };
        let is_end = |fork: &story::Fork| {
            [fork.earlier, fork.later].iter().flatten().any(|end| *end as u64 == version)
        };
        let Some(behind) =
            usize::try_from(version).ok().filter(|_| story::forks(&thread.log).values().any(is_end))
        else {
            return Ok(false);
        };
        thread.rewind(&self.database, Some(behind)).await?;
        // Nobody runs a turn that was left in the middle there, and what was agreed to then is not agreed to now.
        if resume::is_unfinished(&thread.log) {
            thread.write_or_remember(&self.database, resume::before_new_turn(&thread.log)).await;
            thread.write_or_remember(&self.database, resume::after_death(&thread.log, None)).await;
            thread.shown = thread.last_items();
        }
        Ok(true)
    }

    /// Has the model told everything again. Panels have to be shown the whole thread after that.
    pub async fn undo_compaction(&mut self, id: &ThreadId) -> Result<(), StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(()) };
        thread.write(&self.database, LogEvent::CompactionUndone).await?;
        thread.shown = thread.last_items();
        Ok(())
    }

    /// Writes the user's words into the thread, which is made if it is new. What panels are to be told.
    pub async fn say(
        &mut self,
        id: &ThreadId,
        turn: TurnId,
        said: Said,
        page: PageRef,
    ) -> Result<Vec<ChatEvent>, StoreError> {
        let now = clock::now();
        let Said { text, attached } = said;
        let event = LogEvent::TurnStarted { turn, text, attached, page };
        if let Some(thread) = self.open.get_mut(id) {
            let mut told = Vec::new();
            for event in resume::before_new_turn(&thread.log) {
                thread.write(&self.database, event).await?;
                told.extend(thread.refresh());
            }
            thread.write(&self.database, event).await?;
            told.extend(thread.refresh());
            return Ok(told);
        }
        if id.is_temporary() {
            return Err(StoreError("the temporary conversation is over".to_owned()));
        }
        let log = vec![Entry { at: now, event }];
        let Some(summary) = view::summary(id, &log) else { return Ok(Vec::new()) };
        self.database.append(&summary, 0, &log[0], None).await?;
        let mut thread = OpenThread::new(summary, log);
        thread.shown = thread.last_items();
        self.open.insert(id.clone(), thread);
        Ok(Vec::new())
    }

    /// Takes up a turn that rests, without part of what the model was told before. What panels are to be told.
    pub async fn take_up(
        &mut self,
        id: &ThreadId,
        page: PageRef,
        without: Option<Without>,
    ) -> Result<Vec<ChatEvent>, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(Vec::new()) };
        thread.write(&self.database, LogEvent::TurnContinued { page, without }).await?;
        Ok(thread.refresh())
    }

    /// Runs the thread's turn from where its log is, in a task of its own. What panels are to be told.
    ///
    /// The log was just read, or an entry just written: the turn writes on behind it, so all of it has to be on disk.
    pub fn run(
        &mut self,
        id: &ThreadId,
        connection: Connection,
        rules: Rules,
        transport: Transport,
        page: &PageRef,
    ) -> Vec<ChatEvent> {
        let Some(thread) = self.open.get_mut(id) else { return Vec::new() };
        let mut inbox = self.turns.begin(id);
        thread.is_running = true;
        let ports = Ports {
            transport,
            tools: TabTools {
                thread: id.clone(),
                tab: page.tab,
                mailbox: self.mailbox.clone(),
                lines: Lines::default(),
            },
            store: ThreadStore {
                database: (!thread.summary.temporary).then(|| self.database.clone()),
                summary: thread.summary.clone(),
                next: Cell::new(thread.log.len()),
                recorder: RefCell::new(Recorder::of(&thread.log)),
            },
            clock: BrowserClock,
        };
        let mut log = thread.log.clone();
        let (mailbox, thread_id) = (self.mailbox.clone(), id.clone());
        let told = thread.refresh();
        spawn_local(async move {
            let mut tell = |told: Told<'_>| {
                let thread = thread_id.clone();
                mailbox.post(match told {
                    Told::TakesTools(takes_tools) => Event::ToolsKnown {
                        endpoint: connection.endpoint.clone(),
                        model: connection.model.clone(),
                        takes_tools,
                    },
                    Told::TimeRunsOut(until) => Event::TimeRunsOut { thread, until },
                    Told::Appended(entry) => Event::Appended { thread, entry: entry.clone() },
                    Told::Grew { reasoning, text } => {
                        Event::Grew { thread, reasoning: reasoning.to_owned(), text: text.to_owned() }
                    }
                });
            };
            let turn = sidecar_agent::run(&mut log, &connection, &rules, &ports, &mut inbox, &mut tell);
            let result = clock::awake(turn).await;
            mailbox.post(Event::TurnEnded { thread: thread_id, result });
        });
        told
    }

    /// Calls off the guard of a thread in which nothing runs. What panels are to be told.
    pub async fn lift_guard(&mut self, id: &ThreadId) -> Result<Vec<ChatEvent>, StoreError> {
        let Some(thread) = self.open.get_mut(id) else { return Ok(Vec::new()) };
        if is_on_guard(&thread.log) {
            thread.write(&self.database, LogEvent::GuardLifted).await?;
        }
        Ok(thread.guards())
    }

    /// Provider and model that a thread asked last.
    pub fn model_asked(&self, id: &ThreadId) -> Option<(ProviderId, String)> {
        self.open.get(id)?.log.iter().rev().find_map(|entry| match &entry.event {
            LogEvent::ModelAsked { provider, model, .. } => Some((provider.clone(), model.clone())),
            _ => None,
        })
    }

    /// The tab in which a call runs or ran.
    pub fn tab_of_call(&self, id: &ThreadId, call: &CallId) -> Option<TabId> {
        self.target_of_call(id, call).and_then(|target| target.tool.tab())
    }

    /// The tool that a call means.
    pub fn target_of_call(&self, id: &ThreadId, call: &CallId) -> Option<&Target> {
        self.call(id, call)?.target.as_ref()
    }

    fn call(&self, id: &ThreadId, call: &CallId) -> Option<&Call> {
        let calls = self.open.get(id)?.log.iter().rev().filter_map(|entry| match &entry.event {
            LogEvent::ModelAnswered { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().find(|one| one.id == *call)
    }

    /// The calls that wait for the user's decision.
    pub fn asking(&self) -> Vec<Asking> {
        let asks = |(thread, open): (&ThreadId, &OpenThread)| {
            let is_asking = open.activity == Activity::Asking;
            let call = is_asking.then(|| {
                open.log.iter().rev().find_map(|entry| match &entry.event {
                    LogEvent::ApprovalAsked { call, .. } => Some(call.clone()),
                    _ => None,
                })
            })??;
            let Call { record, target, question, .. } = self.call(thread, &call)?;
            let (tool, site, tab) = match target {
                Some(Target { tool, site, .. }) => (tool.name().to_owned(), site.clone(), tool.tab()),
                None => (record.name.clone(), String::new(), None),
            };
            let approval = PendingApproval {
                call_id: call,
                thread_id: thread.clone(),
                title: open.summary.title.clone(),
                tool,
                site,
                question: question.as_ref().map(|question| question.text.clone()),
            };
            Some(Asking { approval, tab: tab.or(resume::page_of_turn(&open.log).tab) })
        };
        let mut asking: Vec<Asking> = self.open.iter().filter_map(asks).collect();
        asking.sort_by(|one, other| one.approval.call_id.cmp(&other.approval.call_id));
        asking
    }

    /// Stops the turn that runs in a thread, if one does.
    pub fn stop(&self, id: &ThreadId) {
        self.turns.tell(id, UserCommand::Stop);
    }

    /// A turn wrote an entry. What panels are to be told.
    pub fn appended(&mut self, id: &ThreadId, entry: Entry) -> Vec<ChatEvent> {
        let Some(thread) = self.open.get_mut(id) else { return Vec::new() };
        let lifts_guard = matches!(entry.event, LogEvent::GuardLifted);
        thread.push(entry);
        thread.saved = thread.log.len();
        let mut told = thread.refresh();
        if lifts_guard {
            told.extend(thread.guards());
        }
        told
    }

    /// The answer that a turn waits for grew. What panels are to be told.
    pub fn grew(&mut self, id: &ThreadId, reasoning: String, text: String) -> Vec<ChatEvent> {
        let Some(thread) = self.open.get_mut(id) else { return Vec::new() };
        let first = thread.live == Live::default();
        thread.live.reasoning.push_str(&reasoning);
        thread.live.text.push_str(&text);
        match view::growing_item(&thread.log) {
            Some(id) if !first => vec![ChatEvent::Grew { id, reasoning, text }],
            Some(_) | None => thread.refresh(),
        }
    }

    /// The call that a turn waits for is given up then, or is not for a while. What panels are to be told.
    pub fn time_runs_out(&mut self, id: &ThreadId, until: Option<Timestamp>) -> Vec<ChatEvent> {
        let Some(thread) = self.open.get_mut(id) else { return Vec::new() };
        thread.live.until = until;
        thread.refresh()
    }

    /// A turn's task ended. What panels are to be told.
    pub async fn turn_ended(&mut self, id: &ThreadId) -> Vec<ChatEvent> {
        let Some(thread) = self.open.get_mut(id) else { return Vec::new() };
        self.turns.end(id);
        thread.is_running = false;
        // A turn that could not be saved ended without rest. What was shown of it stays on the screen at least.
        let draft = (thread.live.reasoning.clone(), thread.live.text.clone());
        thread.write_or_remember(&self.database, resume::after_death(&thread.log, Some(draft))).await;
        thread.refresh()
    }

    /// Forgets threads that nobody shows and nothing runs in; they are on disk, or were temporary. A temporary one that
    /// nobody shows any more is stopped first.
    pub fn forget_all_but(&mut self, shown: &[ThreadId]) {
        for id in self.open.keys().filter(|id| id.is_temporary() && !shown.contains(id)) {
            self.stop(id);
        }
        self.open.retain(|id, thread| thread.is_running || shown.contains(id));
    }
}

impl OpenThread {
    fn new(summary: ThreadSummary, log: Vec<Entry>) -> Self {
        Self {
            summary,
            _awake: None,
            saved: log.len(),
            log,
            context: RefCell::default(),
            live: Live::default(),
            shown: Vec::new(),
            activity: Activity::Resting,
            is_running: false,
        }
    }

    /// Writes an entry behind all that are there. When this returns well, the whole log is on disk.
    async fn write(&mut self, database: &Database, event: LogEvent) -> Result<(), StoreError> {
        let entry = Entry { at: clock::now(), event };
        if !self.summary.temporary {
            let mut recorder = Recorder::of(&self.log[..self.saved]);
            while let Some(remembered) = self.log.get(self.saved) {
                let call = recorder.read(remembered);
                database.append(&self.summary, self.saved, remembered, call.as_ref()).await?;
                self.saved += 1;
            }
            let call = recorder.read(&entry);
            database.append(&self.summary, self.saved, &entry, call.as_ref()).await?;
        }
        self.push(entry);
        self.saved = self.log.len();
        Ok(())
    }

    /// Goes back to this entry. Panels have to be shown the whole thread after that.
    async fn rewind(&mut self, database: &Database, behind: Option<usize>) -> Result<(), StoreError> {
        self.write(database, LogEvent::Rewound { behind }).await?;
        self.shown = self.last_items();
        Ok(())
    }

    /// Writes entries that cost nothing if they are lost: they would be made anew from the log. One that cannot be
    /// written is written before the next one, at its own place, unless that is another worker's by then.
    async fn write_or_remember(&mut self, database: &Database, events: Vec<LogEvent>) {
        for event in events {
            if self.write(database, event.clone()).await.is_err() {
                self.push(Entry { at: clock::now(), event });
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        if matches!(entry.event, LogEvent::TurnStarted { .. }) {
            self.shown.clear();
        }
        self.summary.updated = entry.at;
        self.live = Live::default();
        self.log.push(entry);
    }

    /// What panels are told when the guard is called off: items of earlier turns change with it.
    fn guards(&mut self) -> Vec<ChatEvent> {
        self.shown = self.last_items();
        view::guards(&self.log).into_iter().map(|item| ChatEvent::Item { item }).collect()
    }

    fn last_items(&self) -> Vec<Item> {
        view::items_from(&self.log, view::last_turn(&self.log), Some(&self.live))
    }

    /// Compares the last turn's items with what panels have.
    fn refresh(&mut self) -> Vec<ChatEvent> {
        let items = self.last_items();
        let gone = self.shown.iter().filter(|old| items.iter().all(|item| item.id != old.id));
        let mut events: Vec<ChatEvent> = gone.map(|old| ChatEvent::ItemGone { id: old.id.clone() }).collect();
        let changed = items.iter().filter(|item| !self.shown.contains(item));
        events.extend(changed.map(|item| ChatEvent::Item { item: item.clone() }));
        self.shown = items;
        let activity = self.activity_now();
        if activity != self.activity {
            self.activity = activity;
            events.push(ChatEvent::Activity { activity });
        }
        events
    }

    fn activity_now(&self) -> Activity {
        if self.is_running { resume::activity(&self.log) } else { Activity::Resting }
    }

    fn view(&self) -> ThreadView {
        let mut items = view::items(&self.log, Some(&self.live));
        let more = items.len() > PAGE_SIZE;
        let start = items.len().saturating_sub(PAGE_SIZE);
        ThreadView {
            summary: self.summary.clone(),
            items: items.split_off(start),
            more,
            activity: self.activity_now(),
            queue: Vec::new(),
            usage: ContextUsage::default(),
        }
    }
}

/// A name for a new thread. Threads are made by one worker, by a person's hand: time and a random number tell them apart.
pub fn new_thread_id() -> ThreadId {
    let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    ThreadId(format!("{:x}-{random:08x}", js_sys::Date::now() as u64))
}
