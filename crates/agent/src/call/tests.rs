//! Calls without a turn: no thread, no model, no panel.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::block_on;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason, Policy};
use sidecar_protocol::settings::{Limits, Mode};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::tool::Caller;
use sidecar_protocol::{ActionCard, CallId};
use sidecar_webmcp::Fingerprint;

use super::*;
use crate::log::Target;
use crate::testing::{Does, Page, SCHEMA, VirtualClock, keys, tool_id};

mod approvals;
mod deaths;
mod results;
mod runs;
mod signals;

const CALL: &str = "by hand";

/// A user and a page with two tools: `list` is read-only, `search` acts.
struct GateWorld {
    mode: Mode,
    tools: Vec<(&'static str, bool, Does)>,
    policy: Option<Policy>,
    schema: &'static str,
    while_checked: Vec<UserCommand>,
    card: Option<ActionCard>,
    picture: Option<Picture>,
    while_pictured: Vec<UserCommand>,
    dismissed: Vec<CallId>,
    frame_origin: Option<String>,
    record: MemoryRecorder,
    ran: Rc<RefCell<Vec<(String, String)>>>,
    time: Cell<u64>,
}

impl GateWorld {
    fn new() -> Self {
        let ok = |text: &str| Does::Returns(ToolOutcome::ok(text));
        Self {
            mode: Mode::Automatic,
            tools: vec![("list", true, ok("CA1883")), ("search", false, ok("5 flights"))],
            policy: None,
            schema: SCHEMA,
            while_checked: Vec::new(),
            card: None,
            picture: None,
            while_pictured: Vec::new(),
            dismissed: Vec::new(),
            frame_origin: None,
            record: MemoryRecorder::default(),
            ran: Rc::default(),
            time: Cell::new(1_000_000),
        }
    }

    /// A world whose tool `search` does this.
    fn searching(does: Does) -> Self {
        Self { tools: vec![("search", false, does)], ..Self::new() }
    }

    /// Takes a call through the gate. The user has sent these commands before, and can send more.
    fn run(&mut self, call: &ToolCall, said: &[UserCommand]) -> Exit {
        let (user, mut inbox) = unbounded();
        said.iter().for_each(|command| user.unbounded_send(command.clone()).unwrap());
        let tools = std::mem::take(&mut self.tools);
        let policies = self.policy.map(|policy| tools.iter().map(|(name, ..)| (*name, policy)).collect());
        let page = Page {
            tools: tools.into_iter().map(|(name, reads, does)| (name, (reads, does))).collect(),
            ran: self.ran.clone(),
            policies: Rc::new(RefCell::new(policies.unwrap_or_default())),
            schema: self.schema,
            while_checked: self.while_checked.clone(),
            user: user.clone(),
            card: self.card.clone(),
            picture: self.picture.clone(),
            while_pictured: self.while_pictured.clone(),
            frame_origin: self.frame_origin.clone(),
            ..Page::without_tools()
        };
        let clock = VirtualClock(self.time.clone(), "");
        let exit = block_on(
            Gate {
                tools: &page,
                clock: &clock,
                keys: &keys(),
                limits: Limits::default(),
                user: &mut User::new(&mut inbox, self.mode),
                record: &mut self.record,
            }
            .run(call),
        );
        self.dismissed = page.dismissed.take();
        self.time.set(clock.0.get());
        self.tools = page.tools.into_iter().map(|(name, (reads, does))| (name, reads, does)).collect();
        exit.unwrap()
    }

    fn ran(&self) -> Vec<(String, String)> {
        self.ran.borrow().clone()
    }

    fn events(&self) -> Vec<&'static str> {
        let name = |(_, event): &(_, CallEvent)| match event {
            CallEvent::Asked { .. } => "asked",
            CallEvent::Mistaken { .. } => "mistaken",
            CallEvent::FlowAllowed { .. } => "flow allowed",
            CallEvent::Decided { .. } => "decided",
            CallEvent::Started { .. } => "started",
            CallEvent::WaitStarted { .. } => "wait started",
            CallEvent::WaitEnded => "wait ended",
            CallEvent::Cut { .. } => "cut",
            CallEvent::Suspected { .. } => "suspected",
            CallEvent::Finished { .. } => "finished",
        };
        self.record.events.iter().map(name).collect()
    }

    fn outcome(&self) -> ToolOutcome {
        match self.record.events.last() {
            Some((_, CallEvent::Finished { outcome, .. })) => outcome.clone(),
            other => panic!("the call has no outcome: {other:?}"),
        }
    }

    fn allowed_by(&self) -> Option<AllowedBy> {
        self.record.events.iter().find_map(|(_, event)| match event {
            CallEvent::Started { allowed_by } => Some(*allowed_by),
            _ => None,
        })
    }

    fn asked(&self) -> Vec<AskReason> {
        let why = |(_, event): &(_, CallEvent)| match event {
            CallEvent::Asked { why } => Some(why.clone()),
            _ => None,
        };
        self.record.events.iter().find_map(why).unwrap_or_default()
    }
}

/// A call of the agent. By hand, only what is serious or off would ask.
fn call(tool: &str, arguments: &str) -> ToolCall {
    let target = Target {
        skill: None,
        tool: tool_id(tool),
        site: "flights.example".to_owned(),
        origin: "https://flights.example".to_owned(),
        read_only: tool == "list",
        consequential: false,
        fingerprint: Some(Fingerprint("as offered".to_owned())),
    };
    ToolCall {
        id: CallId::from(CALL),
        caller: Caller::Agent,
        callee: Callee::Tool(target),
        arguments: arguments.to_owned(),
        is_checked: false,
        is_repaired: false,
        knows_off: false,
        is_agreed: false,
    }
}

fn decide(decision: Decision, edits: Option<&str>) -> UserCommand {
    let edits = edits.map(str::to_owned);
    UserCommand::Decide(CallId::from(CALL), UserDecision { edits, ..decision.into() })
}

fn failed(code: ToolFailure) -> ToolOutcome {
    ToolOutcome::Failed { code, message: String::new() }
}
