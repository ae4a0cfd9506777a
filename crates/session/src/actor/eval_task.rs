//! An eval, in a task of its own: its runs, one after the other or several at a time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use futures::channel::oneshot;
use futures::future::{Either, join_all, select};
use futures::{StreamExt, pin_mut, stream};
use serde_json::Value;
use sidecar_agent::{Connection, Keys, LlmTransport as _, Rules, StoreError};
use sidecar_evals::exchange::LedRecord;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::smoke;
use sidecar_llm::prompted;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, EvalStage, EvalState, SavedEval};
use sidecar_protocol::link::{Answer, EvalsAnswer, Refusal};
use sidecar_protocol::thread::{Cost, Usage};
use sidecar_protocol::{TabId, Timestamp};

use super::replies::Replies;
use crate::browser::BrowserPort;
use crate::evals::LeftEval;
use crate::evals::files::{EvalFiles as _, fitting, outdated};
use crate::evals::jobs::{self, EvalJob, is_hopeless, model_name};
use crate::evals::under_way::EvalUnderWay;
use crate::event::TurnEvent;
use crate::refusals;
use crate::skill_parts::SkillParts;
use crate::turns::Turns;

mod lead;

/// How many runs with one service are made at once, if the suite answers the calls.
const AT_ONCE: usize = 4;

const LOST: &str = "the extension was stopped twice in this run";

/// An eval that begins or goes on.
pub struct EvalTask<B: BrowserPort> {
    /// Which one.
    pub begin: EvalBegin,
    /// What a worker before this left of it.
    pub left: Option<LeftEval>,
    /// The one who started it; nobody after the death of a worker.
    pub replies: Option<Replies<B>>,
    /// Ends when it is stopped.
    pub stopped: oneshot::Receiver<()>,
    /// Where the next worker finds that it is being run.
    pub session: B::Storage,
    /// The user's rules.
    pub rules: Rules,
    /// Gets what concerns its calls.
    pub turns: Turns,
    /// Keeps it.
    pub disk: B::Disk,
    /// Everything else.
    pub browser: B,
}

/// Which eval is run.
#[derive(Debug)]
pub enum EvalBegin {
    /// A new one.
    New(Box<(EvalEntry, EvalPlan)>),
    /// One that is kept.
    Kept(EvalId),
}

/// A model of an eval, as it is asked.
struct EvalConnection<B: BrowserPort> {
    name: String,
    connection: Connection,
    transport: B::Transport,
    keys: Keys,
    /// The request fields that its service refuses.
    leave_out: RefCell<Vec<String>>,
}

/// An eval that is being run.
struct EvalRuns<B: BrowserPort> {
    plan: EvalPlan,
    models: Vec<EvalConnection<B>>,
    entry: RefCell<EvalEntry>,
    /// [`EvalEntry::ms`] at its beginning, and when that was.
    since: (u64, Timestamp),
    /// Whether a run was made of which nobody knows the cost.
    is_cost_unknown: Cell<bool>,
    /// The bytes of the runs that are kept.
    bytes: Cell<usize>,
    /// What could not be kept: nothing further is begun then.
    trouble: RefCell<Option<StoreError>>,
    under_way: EvalUnderWay<B::Storage>,
    tabs: RefCell<Vec<TabId>>,
    rules: Rules,
    turns: Turns,
    disk: B::Disk,
    browser: B,
}

impl<B: SkillParts> EvalTask<B> {
    /// Makes its runs, until it is stopped.
    pub async fn run(self) {
        let Self { begin, left, replies, mut stopped, session, rules, turns, disk, browser } = self;
        let id = match &begin {
            EvalBegin::New(new) => new.0.id.clone(),
            EvalBegin::Kept(id) => id.clone(),
        };
        let under_way = EvalUnderWay::new(session, id.clone(), left);
        let saved = match read(&browser, &disk, begin, replies.is_some()).await {
            Ok(saved) => saved,
            Err(why) => {
                under_way.clear().await;
                if let Some(replies) = replies {
                    replies.end(Err(why));
                }
                browser.post(TurnEvent::EvalOver { id, entry: None });
                return;
            }
        };
        let SavedEval { entry, plan, records } = saved;
        for tab in under_way.left().tabs {
            browser.close_tab(tab).await;
        }
        under_way.keep_tabs(Vec::new()).await;
        if let Some(replies) = replies {
            replies.end(Ok(Answer::from(EvalsAnswer::Started { id: id.clone() })));
        }
        // A server that says nothing of its models can be stopped, too.
        let found = {
            let models = models(&browser, &plan);
            pin_mut!(models);
            match select(models, &mut stopped).await {
                Either::Left((models, _)) => Some(models),
                Either::Right(_) => None,
            }
        };
        let is_stopped_early = found.is_none();
        let models = found.unwrap_or_default();
        let begun = under_way.left().begun;
        let entry = EvalEntry { state: EvalState::Running, made: records.len(), ..entry };
        let is_unknown = |led: &Value| is_cost_unknown(&led["record"]);
        let eval = EvalRuns {
            since: (entry.ms, browser.now()),
            is_cost_unknown: Cell::new(records.iter().any(is_unknown)),
            bytes: Cell::new(records.iter().map(|led| led.to_string().len()).sum()),
            entry: RefCell::new(entry),
            trouble: RefCell::default(),
            tabs: RefCell::default(),
            models,
            plan,
            under_way,
            rules,
            turns,
            disk,
            browser,
        };
        eval.tell(None);
        let is_stopped = is_stopped_early || {
            let work = eval.work(&records, &begun);
            pin_mut!(work);
            matches!(select(work, &mut stopped).await, Either::Right(_))
        };
        eval.end(is_stopped).await;
    }
}

/// Keeps a new eval, or reads a kept one. The user resumes no question: it was about the page as it was then.
async fn read<B: BrowserPort>(
    browser: &B,
    disk: &B::Disk,
    begin: EvalBegin,
    by_user: bool,
) -> Result<SavedEval, Refusal> {
    match begin {
        EvalBegin::New(new) => {
            let (entry, plan) = *new;
            disk.keep_eval(&entry, &plan).await.map_err(refusals::storage)?;
            for id in outdated(&disk.evals().await.map_err(refusals::storage)?, &entry) {
                disk.forget_eval(&id).await.map_err(refusals::storage)?;
                browser.post(TurnEvent::EvalForgotten { id });
            }
            Ok(SavedEval { entry, plan, records: Vec::new() })
        }
        EvalBegin::Kept(id) => {
            let kept = disk.eval(&id).await.map_err(refusals::storage)?.ok_or(Refusal::NoEval)?;
            if by_user && kept.entry.is_question { Err(Refusal::NoEval) } else { Ok(kept) }
        }
    }
}

/// The models of a plan, with the user's settings for them.
async fn models<B: BrowserPort>(browser: &B, plan: &EvalPlan) -> Vec<EvalConnection<B>> {
    let mut models = Vec::new();
    for choice in &plan.models {
        let (reply, wanted) = oneshot::channel();
        browser.post(TurnEvent::ConnectionWanted { choice: choice.clone(), reply });
        let Ok(wanted) = wanted.await else { continue };
        let (connection, access) = *wanted;
        let keys = access.keys.clone();
        let transport = browser.transport(access);
        let mut leave_out = connection.leave_out.clone();
        if connection.takes_tools.is_none() {
            let abilities = transport.abilities(&connection.endpoint, &connection.model).await;
            if abilities.takes_tools == Some(false) && !leave_out.iter().any(|left| left == prompted::TOOLS) {
                leave_out.push(prompted::TOOLS.to_owned());
            }
        }
        let (name, leave_out) = (model_name(choice), RefCell::new(leave_out));
        models.push(EvalConnection { name, connection, transport, keys, leave_out });
    }
    models
}

/// Whether a run (JSON of a [`RunRecord`]) cost something, and nobody knows how much.
fn is_cost_unknown(record: &Value) -> bool {
    record["steps"].as_u64().is_some_and(|steps| steps > 0) && record["cost"].is_null()
}

impl<B: SkillParts> EvalRuns<B> {
    /// Makes the runs that lack.
    async fn work(&self, records: &[Value], begun: &BTreeMap<String, u32>) {
        let is_live = !matches!(self.plan.stage, EvalStage::Suite { .. });
        let is_smoke = matches!(self.plan.stage, EvalStage::Smoke { .. });
        let mut queues: Vec<(&str, Vec<EvalJob>)> = Vec::new();
        for job in jobs::lacking(&self.plan, records) {
            let model = self.models.get(job.model);
            if model.is_none() && !is_smoke {
                continue;
            }
            // There is one page at a time.
            let service = model.filter(|_| !is_live);
            let service = service.map_or("", |model| model.connection.endpoint.base_url.as_str());
            match queues.iter_mut().find(|(known, _)| *known == service) {
                Some((_, jobs)) => jobs.push(job),
                None => queues.push((service, vec![job])),
            }
        }
        let at_once = if is_live { 1 } else { AT_ONCE };
        join_all(
            queues.into_iter().map(|(_, jobs)| {
                stream::iter(jobs).for_each_concurrent(at_once, |job| self.make(job, begun))
            }),
        )
        .await;
    }

    /// Makes a run, and keeps it.
    async fn make(&self, job: EvalJob, begun: &BTreeMap<String, u32>) {
        if self.trouble.borrow().is_some() {
            return;
        }
        let model = self.models.get(job.model);
        let case = &self.plan.cases[job.case];
        let led = if is_hopeless(job, begun) {
            unjudged(RunReason::NotJudged { why: LOST.to_owned() })
        } else if self.is_spent() {
            unjudged(RunReason::CostLimit)
        } else {
            self.under_way.begin(job).await;
            self.lead(job, model).await
        };
        let cost = |usage: &Usage| Some(Cost::of(usage, model?.connection.price.as_ref()?));
        let record = RunRecord {
            case: case.number,
            model: self.name_of(job),
            run: job.run,
            cost: led.record.usage.as_ref().and_then(cost),
            ..led.record
        };
        let cost = record.cost.clone();
        let led = serde_json::to_value(LedRecord { record, ..led }).unwrap_or_default();
        if is_cost_unknown(&led["record"]) {
            self.is_cost_unknown.set(true);
        }
        let (led, bytes) = fitting(led, self.bytes.get());
        self.bytes.set(bytes);
        let kept = {
            let mut entry = self.entry.borrow_mut();
            if let Some(cost) = &cost {
                cost.add_to(&mut entry.costs);
            }
            entry.ms = self.since.0 + self.browser.now().saturating_sub(self.since.1);
            EvalEntry { made: entry.made + 1, ..entry.clone() }
        };
        match self.disk.note_eval(&kept, Some((&job.name(), &led))).await {
            Ok(()) => {
                // Only now: what is told is on disk.
                self.entry.borrow_mut().made += 1;
                self.tell(Some(led));
            }
            Err(error) => drop(self.trouble.replace(Some(error))),
        }
        self.under_way.end(job).await;
    }

    /// Its model as reports name it, or what stands for one.
    fn name_of(&self, job: EvalJob) -> String {
        self.models.get(job.model).map_or(smoke::MODEL, |model| model.name.as_str()).to_owned()
    }

    /// Whether what the eval may cost is used up, in any currency. A run of which nobody knows the cost may have used it up.
    fn is_spent(&self) -> bool {
        let is_used_up = |most| self.entry.borrow().costs.iter().any(|cost| cost.amount >= most);
        self.plan.most_cost.is_some_and(|most| self.is_cost_unknown.get() || is_used_up(most))
    }

    /// Tells panels how far it is, and the run that was made.
    fn tell(&self, record: Option<Value>) {
        let entry = Box::new(self.entry.borrow().clone());
        self.browser.post(TurnEvent::EvalGrew { entry, record });
    }

    /// Ends it: all runs are made, or it was stopped.
    async fn end(self, is_stopped: bool) {
        let mut entry = self.entry.into_inner();
        // A run may have been kept, and its end not have been heard.
        let mut is_cut = false;
        if let Ok(Some(kept)) = self.disk.eval(&entry.id).await {
            entry.made = kept.records.len();
            // A question that a worker left is not asked again.
            is_cut = entry.is_question && kept.records.iter().any(was_stopped);
        }
        let is_done = !is_stopped && !is_cut && entry.made >= entry.all;
        entry.state = if is_done { EvalState::Done } else { EvalState::Stopped };
        entry.ms = self.since.0 + self.browser.now().saturating_sub(self.since.1);
        // If it was forgotten meanwhile, there is nothing to note.
        let _ = self.disk.note_eval(&entry, None).await;
        self.under_way.clear().await;
        if let Some(error) = self.trouble.into_inner() {
            self.browser.post(crate::event::WorkEvent::Trouble { link: None, why: refusals::storage(error) });
        }
        self.browser.post(TurnEvent::EvalOver { id: entry.id.clone(), entry: Some(Box::new(entry)) });
    }
}

/// Whether a run did not come to its end.
fn was_stopped(led: &Value) -> bool {
    // Reading whole records is not what this part of the worker's module has code for.
    let stopped = serde_json::to_value(RunReason::Stopped).unwrap_or_default();
    led["record"]["reasons"].as_array().is_some_and(|reasons| reasons.contains(&stopped))
}

fn unjudged(reason: RunReason) -> LedRecord {
    LedRecord { record: RunRecord::unjudged(reason), ..LedRecord::default() }
}
