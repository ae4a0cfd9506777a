//! The loop of a turn: determine the next step, do it, write down the result, repeat.

use std::collections::HashSet;
use std::rc::Rc;

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_llm::ModelAbilities;
use sidecar_protocol::thread::{ToolOutcome, ToolStep, TurnEnd};
use sidecar_protocol::{CallId, Timestamp, ToolRef};
use sidecar_webmcp::Fingerprint;

use crate::call::{Exit, Gate, ToolCall, User, UserCommand};
use crate::connection::Connection;
use crate::log::branch::{self, is_on_guard};
use crate::log::{Call, Entry, Event};
use crate::model_input::context::ContextEstimate;
use crate::ports::{Clock, LlmTransport, Ports, Store, StoreError, ToolHost};
use crate::tools::settled::Settling;
use crate::turn::resume::{Next, resume, unfinished_calls};
use crate::turn::rules::Rules;

mod ask;
mod learn;
mod notes;
mod record;
pub(crate) mod repeats;
pub mod resume;
pub mod rules;
mod settle;
mod stream;
mod suspicion;

use self::record::TurnRecord;
pub(crate) use self::stream::{SILENT_LIMIT_MS, read_error_body};

/// An update for whoever shows the turn.
#[derive(Debug)]
pub enum TurnUpdate<'a> {
    /// An entry was appended to the log.
    Appended(&'a Entry),
    /// The answer to the last [`Event::ModelAsked`] grew.
    Grew {
        /// New reasoning; may be empty.
        reasoning: &'a str,
        /// New text; may be empty.
        text: &'a str,
    },
    /// The model's server says what the model can do.
    Learnt(ModelAbilities),
    /// When the running call times out, if the user does not extend its time; absent when that is not soon
    /// any more.
    TimeRunsOut(Option<Timestamp>),
    /// Which step the running tool of a SKILL begins.
    Step(ToolStep),
}

/// Runs a turn from where its log ends until the turn ends or pauses.
///
/// `commands` that do not apply at the moment are ignored; when their sender is dropped, the turn stops.
///
/// # Errors
/// If an entry could not be saved. The log then ends before it, and nothing further was done.
pub async fn run<T: LlmTransport, H: ToolHost, S: Store, C: Clock>(
    connection: &Connection,
    rules: &Rules,
    ports: &Ports<T, H, S, C>,
    commands: &mut UnboundedReceiver<UserCommand>,
    tell: &mut dyn FnMut(TurnUpdate<'_>),
) -> Result<(), StoreError> {
    let mut user = User::new(commands, rules.mode);
    let connection = &learn::learn(connection, ports, &mut user, tell).await;
    let (log, looked_at) = (ports.store.log(), HashSet::new());
    let (settling, context) = (None, ContextEstimate::default());
    let mut turn = Turn { log, connection, rules, ports, user, tell, looked_at, settling, context };
    loop {
        turn.user.hear_what_waits();
        turn.lift_guard().await?;
        let flow = match resume(&turn.log, rules.limits) {
            Next::Nothing => return Ok(()),
            _ if turn.user.stopped => TurnFlow::Stop,
            Next::AskModel { failures } => turn.ask_model(failures).await?,
            Next::Sum { until } => turn.sum(until).await?,
            Next::WaitToAsk { until } => turn.wait_to_ask(until).await?,
            Next::Call { call, stage: _, is_repeated } => {
                let call = call.clone();
                turn.run_call(&call, is_repeated).await?
            }
            Next::Settle(call, outcome) => {
                let call = call.id.clone();
                turn.append(Event::ToolFinished { call, outcome, duration_ms: 0 }).await?;
                TurnFlow::On
            }
            Next::End(end) => {
                turn.append(Event::TurnEnded { end }).await?;
                TurnFlow::On
            }
        };
        match flow {
            TurnFlow::On => {}
            TurnFlow::Stop => turn.stop().await?,
        }
    }
}

enum TurnFlow {
    On,
    Stop,
}

struct Turn<'t, T, H, S, C> {
    /// The log as of the last write.
    log: Rc<Vec<Entry>>,
    connection: &'t Connection,
    rules: &'t Rules,
    ports: &'t Ports<T, H, S, C>,
    user: User<'t>,
    tell: &'t mut dyn FnMut(TurnUpdate<'_>),
    /// Digests of the tool definitions that were searched for injection signals.
    looked_at: HashSet<Fingerprint>,
    /// The page of the last calls, if it may not have settled yet.
    settling: Option<(ToolRef, Settling)>,
    /// How much of the model's context window the log takes.
    context: ContextEstimate,
}

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    async fn append(&mut self, event: Event) -> Result<(), StoreError> {
        let entry = Entry { at: self.ports.clock.now(), event };
        record::write(&mut self.log, self.ports, self.tell, entry).await
    }

    /// Takes a call through the gate.
    async fn run_call(&mut self, call: &Call, is_repeated: bool) -> Result<TurnFlow, StoreError> {
        let Ports { transport, tools, clock, .. } = self.ports;
        let mut record = TurnRecord {
            log: &mut self.log,
            ports: self.ports,
            tell: self.tell,
            call: &call.id,
            is_repeated,
        };
        let mut gate = Gate {
            tools,
            clock,
            keys: transport.keys(),
            limits: self.rules.limits,
            user: &mut self.user,
            record: &mut record,
        };
        match gate.run(&ToolCall::from(call)).await? {
            Exit::Done(ran) => {
                if let (Some(ran), Some(target)) = (ran, &call.target) {
                    self.begin_to_settle(target, ran);
                }
                Ok(TurnFlow::On)
            }
            Exit::Stopped => Ok(TurnFlow::Stop),
            Exit::GuardLifted => Ok(TurnFlow::On),
        }
    }

    async fn stop(&mut self) -> Result<(), StoreError> {
        let open: Vec<CallId> = unfinished_calls(&self.log).into_iter().map(|call| call.id.clone()).collect();
        for call in open {
            let event = Event::ToolFinished { call, outcome: ToolOutcome::Cancelled, duration_ms: 0 };
            self.append(event).await?;
        }
        self.user.stopped = false;
        self.append(Event::TurnEnded { end: TurnEnd::Stopped }).await
    }

    async fn wait_to_ask(&mut self, until: Timestamp) -> Result<TurnFlow, StoreError> {
        let wait = until.saturating_sub(self.ports.clock.now());
        match self.user.unless_stopped(self.ports.clock.sleep(wait)).await {
            Some(()) => self.ask_model(self.failures_in_a_row()).await,
            None => Ok(TurnFlow::Stop),
        }
    }

    /// Writes down that the user lifted the guard, if so.
    async fn lift_guard(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.user.lifts_guard) && is_on_guard(&self.log) {
            self.append(Event::GuardLifted).await?;
        }
        Ok(())
    }

    fn turn_id(&self) -> &str {
        match branch::last_turn(&self.log).first() {
            Some((_, Entry { event: Event::TurnStarted { turn, .. }, .. })) => &turn.0,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests;
