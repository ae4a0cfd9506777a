//! The loop: what comes next, do it, write down what came of it, again.

use std::collections::HashSet;

use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, select};
use futures::{FutureExt, StreamExt, pin_mut};
use sidecar_llm::in_words;
use sidecar_llm::{FinishReason, Partial};
use sidecar_protocol::page::caps;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{Approval, Passed, is_lasting};
use sidecar_protocol::settings::{Mode, ToolForm};
use sidecar_protocol::thread::{Cost, Cut, Rest, ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, ErrorClass, ModelError, Timestamp, ToolRef};
use sidecar_schema::{Mistake, Validators};
use sidecar_webmcp::{Fingerprint, Offer};

use crate::compaction;
use crate::connection::Connection;
use crate::context::ContextEstimate;
use crate::leaves::leaves;
use crate::log::{Call, Ending, Entry, Event, Suspect, Target};
use crate::mask;
use crate::meaning;
use crate::policy::{self, Flows, Odd, Standing, Verdict};
use crate::ports::{Clock, LlmTransport, Ports, Store, StoreError, ToolHost};
use crate::prompt;
use crate::result;
use crate::resume::{Approved, Next, resume, unfinished_calls};
use crate::rules::Rules;
use crate::settled::Settling;
use crate::signs;
use crate::story::{self, is_on_guard};
use crate::summary;
use crate::waits::{Interaction, Waits};
use crate::{flow, frame, guard};

mod settle;
mod stream;

use self::stream::{Asked, Shown};
pub(crate) use self::stream::{SILENT_LIMIT_MS, read_error_body};

/// How long before a tool is given up the user is asked whether to wait longer, at least, in milliseconds. Where a third of
/// its time is more, it is that.
const LEAST_NOTICE_MS: u64 = 3_000;

/// Longest wait for what a server says of its model, in milliseconds: it is asked once, and can do without.
const FACTS_LIMIT_MS: u64 = 2_000;

/// What the user says to a turn that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnCommand {
    /// Stop at once.
    Stop,
    /// A decision about a call.
    Decide(CallId, Decided),
    /// From now on, tools that act ask first, or do not.
    SetMode(Mode),
    /// A page begins or ends waiting for the user.
    Interaction(Interaction),
    /// The call that runs gets as much time again as a tool has.
    WaitLonger(CallId),
    /// The conversation need not be on guard any more.
    LiftGuard,
}

/// What the user decided about a call, with what was said with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Whether it runs.
    pub decision: Decision,
    /// The arguments that the user changed, by name (JSON text of an object).
    pub edits: Option<String>,
    /// What the model is told with a refusal; may be empty.
    pub words: String,
    /// Whether data may go from the other site to the call's own from now on in this thread.
    pub allow_flow: bool,
}

impl From<Decision> for Decided {
    fn from(decision: Decision) -> Self {
        Self { decision, edits: None, words: String::new(), allow_flow: false }
    }
}

/// What a turn tells whoever shows it.
#[derive(Debug)]
pub enum Told<'a> {
    /// An entry was appended to the log.
    Appended(&'a Entry),
    /// The answer to the last [`Event::ModelAsked`] grew.
    Grew {
        /// New thoughts; may be empty.
        reasoning: &'a str,
        /// New words; may be empty.
        text: &'a str,
    },
    /// The model's server says whether it takes tools.
    TakesTools(bool),
    /// When the call that runs is given up, if the user does not say otherwise; absent when that is far off again.
    TimeRunsOut(Option<Timestamp>),
}

/// Carries a turn on from where its log is until it rests.
///
/// `commands` that do not fit the moment are ignored; when its sender is gone the turn stops.
///
/// # Errors
/// When an entry could not be saved. The log then ends where it was saved last, and nothing further was done.
pub async fn run<T: LlmTransport, H: ToolHost, S: Store, C: Clock>(
    log: &mut Vec<Entry>,
    connection: &Connection,
    rules: &Rules,
    ports: &Ports<T, H, S, C>,
    commands: &mut UnboundedReceiver<TurnCommand>,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<(), StoreError> {
    let mut user =
        User { commands, mode: rules.mode, decisions: Vec::new(), lifts_guard: false, stopped: false };
    let connection = &learn(connection, ports, &mut user, tell).await;
    let (validators, looked_at) = (Validators::default(), HashSet::new());
    let (settling, context) = (None, ContextEstimate::default());
    let mut turn =
        Turn { log, connection, rules, ports, user, tell, validators, looked_at, settling, context };
    loop {
        turn.user.hear_what_waits();
        turn.lift_guard().await?;
        let flow = match resume(turn.log, rules.limits) {
            Next::Nothing => return Ok(()),
            _ if turn.user.stopped => Flow::Stop,
            Next::AskModel { failures } => turn.ask_model(failures).await?,
            Next::Sum { until } => turn.sum(until).await?,
            Next::WaitToAsk { until } => turn.wait_to_ask(until).await?,
            Next::Judge { call, is_repeated } => {
                let call = call.clone();
                turn.judge(&call, is_repeated).await?
            }
            Next::AwaitApproval(Approved { call, arguments }) => {
                let (call, arguments) = (call.clone(), arguments.to_owned());
                turn.await_approval(&call, &arguments).await?
            }
            Next::RunTool(Approved { call, arguments }, passed) => {
                let (call, arguments) = (call.clone(), arguments.to_owned());
                turn.run_passed(&call, &arguments, passed).await?
            }
            Next::Settle(call, outcome) => {
                let call = call.id.clone();
                turn.append(Event::ToolFinished { call, outcome, duration_ms: 0 }).await?;
                Flow::On
            }
            Next::Rest(rest) => {
                turn.append(Event::TurnRested { rest }).await?;
                Flow::On
            }
        };
        match flow {
            Flow::On => {}
            Flow::Stop => turn.stop().await?,
        }
    }
}

/// The connection with what the model's server says of it, where that was not known. It answers at once or not at all.
async fn learn<T: LlmTransport, H, S, C: Clock>(
    connection: &Connection,
    ports: &Ports<T, H, S, C>,
    user: &mut User<'_>,
    tell: &mut dyn FnMut(Told<'_>),
) -> Connection {
    let mut connection = connection.clone();
    let form = connection.endpoint.form(&connection.leave_out);
    if connection.takes_tools.is_none() && form == ToolForm::Native {
        let asked = ports.transport.takes_tools(&connection.endpoint, &connection.model);
        let timer = ports.clock.sleep(FACTS_LIMIT_MS);
        pin_mut!(asked, timer);
        if let Some(Either::Left((Some(takes_tools), _))) = user.unless_stopped(select(asked, timer)).await {
            tell(Told::TakesTools(takes_tools));
            if !takes_tools {
                connection.leave_out.push(in_words::TOOLS.to_owned());
            }
        }
    }
    connection
}

enum Flow {
    On,
    Stop,
}

struct Turn<'t, T, H, S, C> {
    log: &'t mut Vec<Entry>,
    connection: &'t Connection,
    rules: &'t Rules,
    ports: &'t Ports<T, H, S, C>,
    user: User<'t>,
    tell: &'t mut dyn FnMut(Told<'_>),
    /// The schemas of the tools that were called.
    validators: Validators,
    /// The definitions of tools in which signs of instructions were looked for.
    looked_at: HashSet<Fingerprint>,
    /// The page of the last calls, which may not have come to rest yet.
    settling: Option<(ToolRef, Settling)>,
    /// How much of the model's window the log takes.
    context: ContextEstimate,
}

/// What the user has said to the turn.
struct User<'t> {
    commands: &'t mut UnboundedReceiver<TurnCommand>,
    mode: Mode,
    decisions: Vec<(CallId, Decided)>,
    /// The guard is called off.
    lifts_guard: bool,
    /// Stop was said, or nobody is there to say anything any more.
    stopped: bool,
}

/// What happens while a tool runs.
enum Meanwhile {
    Said(Option<TurnCommand>),
    Ended(ToolOutcome),
    TimePassed,
}

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    async fn append(&mut self, event: Event) -> Result<(), StoreError> {
        let event = self.ports.transport.keys().conceal_event(event);
        let entry = Entry { at: self.ports.clock.now(), event };
        self.ports.store.append(self.log.len(), &entry).await?;
        self.log.push(entry);
        if let Some(entry) = self.log.last() {
            (self.tell)(Told::Appended(entry));
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), StoreError> {
        let open: Vec<CallId> = unfinished_calls(self.log).into_iter().map(|call| call.id.clone()).collect();
        for call in open {
            let event = Event::ToolFinished { call, outcome: ToolOutcome::Cancelled, duration_ms: 0 };
            self.append(event).await?;
        }
        self.user.stopped = false;
        self.append(Event::TurnRested { rest: Rest::Stopped }).await
    }

    async fn wait_to_ask(&mut self, until: Timestamp) -> Result<Flow, StoreError> {
        let wait = until.saturating_sub(self.ports.clock.now());
        match self.user.unless_stopped(self.ports.clock.sleep(wait)).await {
            Some(()) => self.ask_again().await,
            None => Ok(Flow::Stop),
        }
    }

    /// A call of which nobody said anything yet: runs it, asks about it, or refuses it. One that means no tool of a page
    /// is a question to the user.
    async fn judge(&mut self, call: &Call, is_repeated: bool) -> Result<Flow, StoreError> {
        let Some(target) = &call.target else {
            self.append(Event::ApprovalAsked { call: call.id.clone(), why: Vec::new() }).await?;
            return Ok(Flow::On);
        };
        let standing = match self.ports.tools.standing(&target.tool).await {
            Ok(standing) => standing,
            Err(code) => return self.refuse(call, code, String::new()).await,
        };
        let schema = standing.schema.as_deref();
        if let Some(mistake) = self.mistake_by_now(call, &standing) {
            return self.refuse(call, ToolFailure::BadArguments, mistake).await;
        }
        let flows = flow::flows(self.log, target, call.arguments(), schema);
        let flows = Flows::of(flows, self.log, target);
        let odd = Odd { guard: guard::guard(self.log, target), flows, is_repeated };
        match policy::judge(call, target, &standing, self.user.mode, odd) {
            Verdict::Pass(passed) => self.run_tool(call, call.arguments(), passed).await,
            Verdict::Ask(why) => {
                self.append(Event::ApprovalAsked { call: call.id.clone(), why }).await?;
                Ok(Flow::On)
            }
            Verdict::Off => self.refuse(call, ToolFailure::Off, String::new()).await,
        }
    }

    /// What is wrong with a call's arguments by the schema that its tool has now, if that is another than it was offered
    /// with: those were checked when they came.
    fn mistake_by_now(&mut self, call: &Call, standing: &Standing) -> Option<String> {
        let then = call.target.as_ref()?.fingerprint.as_ref()?;
        let schema = standing.schema.as_deref().filter(|_| *then != standing.fingerprint)?;
        Some(self.validators.mistake(schema, call.arguments())?.text)
    }

    /// Waits for what the user says to a call that has these arguments by now.
    async fn await_approval(&mut self, call: &Call, before: &str) -> Result<Flow, StoreError> {
        let Some(decided) = self.user.decision_about(&call.id).await else {
            return Ok(if self.user.stopped { Flow::Stop } else { Flow::On });
        };
        let Decided { decision, edits, mut words, allow_flow } = decided;
        if let Some((end, _)) = words.char_indices().nth(Approval::MOST_WORDS) {
            words.truncate(end);
        }
        let Decision::Run = decision else {
            let call = call.id.clone();
            let secrets = Vec::new();
            let (arguments, off_pattern) = (None, false);
            self.append(Event::ApprovalGiven { call, decision, arguments, secrets, off_pattern, words })
                .await?;
            return Ok(Flow::On);
        };
        // Of a tool that is gone there is no schema; that it does not run is seen to after this.
        let standing = match &call.target {
            Some(target) => self.ports.tools.standing(&target.tool).await.ok(),
            None => None,
        };
        let schema = standing.as_ref().and_then(|standing| standing.schema.as_deref());
        let arguments = match edits {
            Some(edits) => edited(before, &edits, schema),
            None => Ok(before.to_owned()),
        };
        // Those of the model were checked when they came.
        let checked = arguments.and_then(|arguments| {
            let mistake = match schema {
                Some(schema) if arguments != call.arguments() => self.validators.mistake(schema, &arguments),
                Some(_) | None => None,
            };
            match mistake {
                Some(Mistake { text, off_pattern: false }) => Err((arguments, text)),
                // The page's pattern may be wrong: who sees the arguments may send them.
                Some(Mistake { off_pattern: true, .. }) => Ok((arguments, true)),
                None => Ok((arguments, false)),
            }
        });
        let (arguments, off_pattern) = match checked {
            Ok(checked) => checked,
            Err((arguments, mistake)) => {
                let call = call.id.clone();
                self.append(Event::ApprovalMistaken { call, arguments, mistake }).await?;
                return Ok(Flow::On);
            }
        };
        if allow_flow {
            self.allow_flow(call).await?;
        }
        let arguments = Some(arguments).filter(|arguments| arguments != call.arguments());
        let secrets = match &arguments {
            Some(arguments) => mask::secret_places_in(schema, arguments),
            None => Vec::new(),
        };
        let call = call.id.clone();
        self.append(Event::ApprovalGiven { call, decision, arguments, secrets, off_pattern, words }).await?;
        Ok(Flow::On)
    }

    /// Writes down that data may go where a call that asks would take it.
    async fn allow_flow(&mut self, call: &Call) -> Result<(), StoreError> {
        let Some(to) = call.target.as_ref().map(|target| &target.origin).filter(|to| is_lasting(to)) else {
            return Ok(());
        };
        for from in flow::asked_about(self.log, &call.id) {
            let event = Event::FlowAllowed { call: call.id.clone(), from, to: to.clone() };
            self.append(event).await?;
        }
        Ok(())
    }

    /// Runs a call that was let pass some time ago, by the user or by a worker that died, if that still holds.
    async fn run_passed(&mut self, call: &Call, arguments: &str, passed: Passed) -> Result<Flow, StoreError> {
        let Some(target) = &call.target else { return Ok(Flow::On) };
        let standing = self.ports.tools.standing(&target.tool).await;
        match standing.and_then(|standing| policy::still_holds(target, &standing)) {
            Ok(()) => self.run_tool(call, arguments, passed).await,
            Err(code) => self.refuse(call, code, String::new()).await,
        }
    }

    /// Gives a call its outcome without running anything.
    async fn refuse(&mut self, call: &Call, code: ToolFailure, message: String) -> Result<Flow, StoreError> {
        let outcome = ToolOutcome::Failed { code, message };
        self.append(Event::ToolFinished { call: call.id.clone(), outcome, duration_ms: 0 }).await?;
        Ok(Flow::On)
    }

    async fn run_tool(&mut self, call: &Call, arguments: &str, passed: Passed) -> Result<Flow, StoreError> {
        let Some(target) = &call.target else { return Ok(Flow::On) };
        let Ports { tools, clock, .. } = self.ports;
        let Some(before) = self.user.unless_stopped(tools.seen(&target.tool)).await else {
            return Ok(Flow::Stop);
        };
        self.append(Event::ToolStarted { call: call.id.clone(), passed: Some(passed) }).await?;
        let limit_ms = u64::from(self.rules.limits.tool_seconds) * 1000;
        let notice_ms = (limit_ms / 3).max(LEAST_NOTICE_MS).min(limit_ms / 2);
        // What it may take in all, and whether the user knows that it is nearly over.
        let (mut allowed_ms, mut is_announced) = (limit_ms, false);
        let mut waits = Waits::of(&call.id, target.tool.document(), clock.now(), self.log);
        let running = tools.call(&call.id, &target.tool, arguments);
        pin_mut!(running);
        let (mut outcome, mut flow) = loop {
            let now = clock.now();
            if let Some(event) = waits.end_if_too_long(now) {
                self.append(event).await?;
                is_announced = false;
            }
            let left_ms = allowed_ms.saturating_sub(waits.ran_ms(now));
            let until_ms = match waits.left_ms(now) {
                Some(wait_ms) => wait_ms,
                None if is_announced => left_ms,
                None if left_ms > notice_ms => left_ms - notice_ms,
                None => {
                    is_announced = true;
                    (self.tell)(Told::TimeRunsOut(Some(now + left_ms)));
                    left_ms
                }
            };
            if until_ms == 0 && !waits.is_on() {
                break (ToolOutcome::TimedOut { limit_ms: allowed_ms }, Flow::On);
            }
            let timer = clock.sleep(until_ms);
            pin_mut!(timer);
            // The user is heard first: what was stopped before it began does not begin.
            let meanwhile = match select(self.user.commands.next(), select(running.as_mut(), timer)).await {
                Either::Left((command, _)) => Meanwhile::Said(command),
                Either::Right((Either::Left((outcome, _)), _)) => Meanwhile::Ended(outcome),
                Either::Right((Either::Right(((), _)), _)) => Meanwhile::TimePassed,
            };
            match meanwhile {
                Meanwhile::Said(Some(TurnCommand::Interaction(interaction))) => {
                    if let Some(event) = waits.hear(&interaction, clock.now()) {
                        self.append(event).await?;
                        is_announced = false;
                    }
                }
                Meanwhile::Said(Some(TurnCommand::WaitLonger(longer))) if longer == call.id => {
                    allowed_ms = waits.ran_ms(clock.now()) + limit_ms;
                    is_announced = false;
                    (self.tell)(Told::TimeRunsOut(None));
                }
                Meanwhile::Said(command) => {
                    self.user.hear(command);
                    if self.user.stopped {
                        break (ToolOutcome::Cancelled, Flow::Stop);
                    }
                }
                Meanwhile::Ended(outcome) => break (outcome, Flow::On),
                Meanwhile::TimePassed => {}
            }
        };
        let duration_ms = waits.ran_ms(clock.now());
        self.begin_to_settle(target, before, &outcome);
        if outcome == ToolOutcome::left() {
            // The tool has run: what its page gives is no matter of its time.
            match self.user.unless_stopped(tools.new_page(&target.tool)).await {
                Some(read) => outcome = read,
                None => flow = Flow::Stop,
            }
        }
        let finished = Event::ToolFinished { call: call.id.clone(), outcome, duration_ms };
        // What is cited of it is to hold no part of a key.
        let finished = self.ports.transport.keys().conceal_event(finished);
        if let Event::ToolFinished { outcome, .. } = &finished {
            self.look_at(&call.id, outcome).await?;
        }
        self.append(finished).await?;
        Ok(flow)
    }

    /// Writes down what is to be known of a result before it counts: that it is too long, and what is suspicious in it.
    async fn look_at(&mut self, call: &CallId, outcome: &ToolOutcome) -> Result<(), StoreError> {
        let read = result::read(outcome);
        let Some(text) = read.text() else { return Ok(()) };
        let text = &*text;
        let given = usize::try_from(self.rules.limits.result_characters).unwrap_or(prompt::RESULT_LIMIT);
        let (_, whole) = frame::beginning(text, given);
        let looked_at = text.char_indices().nth(4 * given).map_or(text.len(), |(end, _)| end);
        let signs = signs::signs(&text[..looked_at]);
        // Without a word about it, what a model is given is what it was given before that could be set.
        let needs_word =
            text.char_indices().nth(prompt::RESULT_LIMIT).is_some() && given != prompt::RESULT_LIMIT;
        if let Some(whole) = whole.or_else(|| needs_word.then(|| text.chars().count())) {
            self.append(Event::ResultCut { call: call.clone(), cut: Cut { given, whole } }).await?;
        }
        if signs::is_suspicious(&signs) {
            let what = Suspect::Result { call: call.clone() };
            self.append(Event::Suspected { what, signs }).await?;
        }
        Ok(())
    }

    /// Writes down which tools on offer are described in a way that is suspicious, each definition once.
    async fn look_at_offer(&mut self, offers: &[Offer]) -> Result<(), StoreError> {
        for offer in offers {
            if !self.looked_at.insert(offer.fingerprint.clone()) {
                continue;
            }
            let is_known = story::backwards(self.log).any(|position| {
                matches!(&self.log[position].event, Event::Suspected { what: Suspect::Description { fingerprint, .. }, .. }
                    if *fingerprint == offer.fingerprint)
            });
            let signs = if is_known { Vec::new() } else { signs::signs(&words_of(offer)) };
            if signs::is_suspicious(&signs) {
                let what = Suspect::Description {
                    tool: offer.tool.name().to_owned(),
                    site: offer.site.clone(),
                    origin: offer.origin.clone(),
                    fingerprint: offer.fingerprint.clone(),
                };
                self.append(Event::Suspected { what, signs }).await?;
            }
        }
        Ok(())
    }

    /// Writes down which of the texts that the user attached are suspicious, each once.
    async fn look_at_attached(&mut self) -> Result<(), StoreError> {
        let turn = story::last_turn(self.log);
        let Some((_, Entry { event: Event::TurnStarted { attached, .. }, .. })) = turn.first() else {
            return Ok(());
        };
        let is_known = |place: usize| {
            turn.iter().any(|(_, entry)| {
                matches!(entry.event, Event::Suspected { what: Suspect::Attached { place: known, .. }, .. } if known == place)
            })
        };
        let suspected: Vec<Event> = attached
            .iter()
            .enumerate()
            .filter(|(place, attached)| !attached.signs.is_empty() && !is_known(*place))
            .map(|(place, attached)| Event::Suspected {
                what: Suspect::Attached { place, site: attached.site.clone() },
                signs: attached.signs.clone(),
            })
            .collect();
        for event in suspected {
            self.append(event).await?;
        }
        Ok(())
    }

    /// Writes down that the user called the guard off, where that was said.
    async fn lift_guard(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.user.lifts_guard) && is_on_guard(self.log) {
            self.append(Event::GuardLifted).await?;
        }
        Ok(())
    }

    async fn ask_again(&mut self) -> Result<Flow, StoreError> {
        self.ask_model(self.failures_in_a_row()).await
    }

    fn failures_in_a_row(&self) -> u32 {
        self.failures(|_| true)
    }

    /// How often the model failed in a row in this way.
    fn failures(&self, is_meant: impl Fn(&ModelError) -> bool) -> u32 {
        let failures = self
            .log
            .iter()
            .rev()
            .take_while(|entry| {
                use Event::{ModelAsked, ModelFailed, SummaryAsked, TurnRevived};
                matches!(
                    entry.event,
                    ModelFailed { .. } | ModelAsked { .. } | SummaryAsked { .. } | TurnRevived { .. }
                )
            })
            .filter(|entry| matches!(&entry.event, Event::ModelFailed { error, .. } if is_meant(error)))
            .count();
        u32::try_from(failures).unwrap_or(u32::MAX)
    }

    async fn ask_model(&mut self, failures: u32) -> Result<Flow, StoreError> {
        if let Flow::Stop = self.settle().await {
            return Ok(Flow::Stop);
        }
        let Some(mut offers) = self.user.unless_stopped(self.ports.tools.offer()).await else {
            return Ok(Flow::Stop);
        };
        self.look_at_attached().await?;
        self.look_at_offer(&offers).await?;
        let request = prompt::request(self.log, self.connection, self.rules, &offers);
        let room = compaction::plan(self.log, &mut self.context, self.connection, self.rules, &request);
        if let Some(event) = room {
            self.append(event).await?;
            return Ok(Flow::On);
        }
        self.append(Event::ModelAsked {
            provider: self.connection.endpoint.provider.clone(),
            model: self.connection.model.clone(),
            tools: offers.len(),
            offers: Some(Fingerprint::of_offers(&offers)),
        })
        .await?;
        let position = self.log.len();
        match self.stream(&request, Shown::Yes).await {
            Asked::Answered(answer, reasoning_ms) => {
                let ending = match answer.finish {
                    FinishReason::Length => Ending::Length,
                    FinishReason::Stop
                    | FinishReason::Tools
                    | FinishReason::Filter
                    | FinishReason::Unavailable
                    | FinishReason::Other(_) => Ending::Natural,
                };
                self.find_named(&answer, &mut offers).await;
                let notes = notes_on(&answer);
                // Where it is asked for, a call in the text is no slip.
                let is_in_words = self.connection.endpoint.form_of(&request) != ToolForm::Native;
                let lost = lost_calls(&answer, &offers, is_in_words);
                let leaked = !is_in_words && answer.leak.as_ref().is_some_and(|leak| leak.taken > 0);
                // A model that declines does so in words of their own kind; to the user they are its answer.
                let text = if answer.text.is_empty() { answer.refusal } else { answer.text };
                let (turn, nonce) = (self.turn_id().to_owned(), self.ports.clock.nonce());
                let earlier = |name: &str| earlier_target(self.log, name);
                let calls = answer
                    .calls
                    .into_iter()
                    .enumerate()
                    .map(|(n, record)| {
                        let id = CallId(format!("{turn}.{position}.{n}{nonce}"));
                        meaning::call(id, record, leaked, &offers, &earlier, &mut self.validators)
                    })
                    .collect();
                self.append(Event::ModelAnswered {
                    reasoning: answer.reasoning,
                    reasoning_ms,
                    text,
                    calls,
                    usage: answer.usage,
                    cost: answer
                        .usage
                        .zip(self.connection.price.as_ref())
                        .map(|(usage, price)| Cost::of(&usage, price)),
                    ending,
                    notes,
                    lost,
                    echo: answer.echo,
                })
                .await?;
                Ok(Flow::On)
            }
            Asked::Failed(error, Partial { reasoning, text }) => {
                // A field that the service does not want is left out of the next request, once.
                let is_new_field = error
                    .refused_field()
                    .is_some_and(|field| !request.leave_out.iter().any(|left| left == field));
                let delay = match is_new_field || self.can_make_room(&error, &request) {
                    true => Some(0),
                    false => sidecar_llm::retry_delay_ms(&error, failures + 1, self.ports.clock.jitter()),
                };
                let retry_at = delay.map(|delay| self.ports.clock.now() + delay);
                self.append(Event::ModelFailed { error, reasoning, text, retry_at }).await?;
                Ok(Flow::On)
            }
            Asked::Stopped(Partial { reasoning, text }, reasoning_ms) => {
                self.append(Event::ModelAnswered {
                    reasoning,
                    reasoning_ms,
                    text,
                    calls: Vec::new(),
                    usage: None,
                    cost: None,
                    ending: Ending::Stopped,
                    notes: Vec::new(),
                    lost: None,
                    echo: None,
                })
                .await?;
                Ok(Flow::Stop)
            }
        }
    }

    /// Whether the request was too long, and the next one can be shorter.
    fn can_make_room(&mut self, error: &ModelError, request: &sidecar_llm::ChatRequest) -> bool {
        error.class == ErrorClass::Context
            && compaction::make_room(self.log, &mut self.context, self.connection, self.rules, request)
                .is_some()
    }

    /// Has the model sum up what was said before an entry. It grows out of sight: what counts is the whole.
    async fn sum(&mut self, until: usize) -> Result<Flow, StoreError> {
        let request = summary::request(self.log, self.connection, self.rules.language, until);
        match self.stream(&request, Shown::No).await {
            Asked::Answered(answer, _) if !answer.text.trim().is_empty() => {
                let cost = answer.usage.zip(self.connection.price.as_ref());
                self.append(Event::Compacted {
                    until,
                    summary: Some(answer.text.trim().to_owned()),
                    usage: answer.usage,
                    cost: cost.map(|(usage, price)| Cost::of(&usage, price)),
                })
                .await?;
                Ok(Flow::On)
            }
            Asked::Answered(..) => {
                let error = ModelError::new(ErrorClass::Context, "the model gave no summary");
                self.append_failure(error, None).await
            }
            Asked::Failed(error, _) => {
                let delay = sidecar_llm::retry_delay_ms(&error, 1, self.ports.clock.jitter());
                let failed = self.failures(|error| error.class != ErrorClass::Context) > 0;
                let retry_at = delay.filter(|_| !failed).map(|delay| self.ports.clock.now() + delay);
                self.append_failure(error, retry_at).await
            }
            Asked::Stopped(..) => Ok(Flow::Stop),
        }
    }

    async fn append_failure(
        &mut self,
        error: ModelError,
        retry_at: Option<Timestamp>,
    ) -> Result<Flow, StoreError> {
        let (reasoning, text) = (String::new(), String::new());
        self.append(Event::ModelFailed { error, reasoning, text, retry_at }).await?;
        Ok(Flow::On)
    }

    fn turn_id(&self) -> &str {
        match story::last_turn(self.log).first() {
            Some((_, Entry { event: Event::TurnStarted { turn, .. }, .. })) => &turn.0,
            _ => "",
        }
    }
}

/// The arguments (JSON text of an object) with those that the user changed in the place of theirs, read as the types that
/// the tool's schema wants: who writes `3` may mean a number.
///
/// # Errors
/// The arguments as they were, and what is wrong with what came, in words.
fn edited(before: &str, edits: &str, schema: Option<&str>) -> Result<String, (String, String)> {
    type Members = serde_json::Map<String, serde_json::Value>;
    let Ok(edits) = serde_json::from_str::<Members>(edits) else {
        return Err((before.to_owned(), "The arguments are no JSON object.".to_owned()));
    };
    let mut arguments = serde_json::from_str::<Members>(before).unwrap_or_default();
    arguments.extend(edits);
    let text = serde_json::Value::Object(arguments).to_string();
    let wanted = schema.and_then(|schema| serde_json::from_str(schema).ok()).unwrap_or_default();
    let text = sidecar_llm::arguments::repair(&text, &wanted).map_or(text, |sound| sound.arguments);
    match text.len() > caps::ARGUMENTS {
        true => Err((before.to_owned(), "The arguments are too large.".to_owned())),
        false => Ok(text),
    }
}

/// The tool that a call of this name meant before: the model still reads that it made it.
fn earlier_target<'l>(log: &'l [Entry], name: &str) -> Option<&'l Target> {
    story::backwards(log).find_map(|position| match &log[position].event {
        Event::ModelAnswered { calls, .. } => {
            calls.iter().rev().find(|call| call.name() == name).and_then(|call| call.target.as_ref())
        }
        _ => None,
    })
}

/// What was not as it should be in an answer, for the log.
fn notes_on(answer: &sidecar_llm::Answer) -> Vec<String> {
    let mut notes: Vec<String> = answer.leak.iter().map(ToString::to_string).collect();
    if answer.dropped_calls > 0 {
        notes.push(format!(
            "Calls that were cut or had no name, and were left out: {}.",
            answer.dropped_calls
        ));
    }
    if answer.calls.is_empty() && answer.text.is_empty() && answer.refusal.is_empty() {
        notes.push("The answer holds neither words nor calls.".to_owned());
    }
    notes
}

/// What a model is told when it wrote calls into its text of which none could be made, or when the token limit cut the
/// only one. An answer that was cut in its words is for the user to continue.
fn lost_calls(answer: &sidecar_llm::Answer, offers: &[Offer], is_in_words: bool) -> Option<String> {
    if !answer.calls.is_empty() {
        return None;
    }
    let leak = answer.leak.as_ref().filter(|leak| leak.left_out > 0 || !leak.unknown.is_empty());
    if answer.finish == FinishReason::Length {
        let is_cut = answer.dropped_calls > 0 || leak.is_some();
        return is_cut.then(|| {
            "[Notice: the token limit cut your tool call, and nothing ran. Make it again, and keep it shorter.]".to_owned()
        });
    }
    let leak = leak?;
    let unknown = match leak.unknown.is_empty() {
        true => String::new(),
        false => format!(" There is no tool named {:?}.", leak.unknown.join(", ")),
    };
    let how =
        if is_in_words { "Write calls as you were told to." } else { "Make calls as calls, not as text." };
    Some(format!(
        "[Notice: your last answer held a tool call as text ({}), and nothing came of it.{unknown} {} {how}]",
        leak.markup,
        meaning::told(offers),
    ))
}

/// All that a page says of a tool that a model reads: what it does, and every text in its schema.
fn words_of(offer: &Offer) -> String {
    let mut words = offer.description.clone();
    let schema = offer.schema.as_deref().and_then(|schema| serde_json::from_str(schema).ok());
    leaves(&schema.unwrap_or_default(), &mut |_, text| {
        words.push('\n');
        words.push_str(text);
    });
    words
}

impl User<'_> {
    /// The future's output, or `None` when the user stops first. The future is dropped with that, which calls its effect
    /// off. The user is heard before the future is touched: what was stopped before it began does not begin.
    async fn unless_stopped<F: Future>(&mut self, future: F) -> Option<F::Output> {
        pin_mut!(future);
        while !self.stopped {
            match select(self.commands.next(), future.as_mut()).await {
                Either::Left((command, _)) => self.hear(command),
                Either::Right((output, _)) => return Some(output),
            }
        }
        None
    }

    /// What the user decides about a call, or `None` when the user stops or calls the guard off instead.
    async fn decision_about(&mut self, call: &CallId) -> Option<Decided> {
        while !self.stopped && !self.lifts_guard {
            if let Some(at) = self.decisions.iter().position(|(about, _)| about == call) {
                return Some(self.decisions.remove(at).1);
            }
            let command = self.commands.next().await;
            self.hear(command);
        }
        None
    }

    /// Takes note of everything that was said meanwhile.
    fn hear_what_waits(&mut self) {
        while let Some(command) = self.commands.next().now_or_never() {
            self.hear(command);
            if self.stopped {
                return;
            }
        }
    }

    fn hear(&mut self, command: Option<TurnCommand>) {
        match command {
            Some(TurnCommand::Stop) | None => self.stopped = true,
            Some(TurnCommand::Decide(call, decided)) => self.decisions.push((call, decided)),
            Some(TurnCommand::SetMode(mode)) => self.mode = mode,
            Some(TurnCommand::LiftGuard) => self.lifts_guard = true,
            // No tool runs that could wait, or be waited for.
            Some(TurnCommand::Interaction(_) | TurnCommand::WaitLonger(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests;
