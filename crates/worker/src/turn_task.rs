//! A turn that runs, in a task of its own.

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::{Connection, Ports, Rules, TurnUpdate, UserCommand};
use sidecar_protocol::{TabId, ThreadId};
use sidecar_session::threads::ThreadLog;
use wasm_bindgen_futures::spawn_local;

use crate::clock::{self, BrowserClock};
use crate::database::Database;
use crate::event::{Mailbox, WorkerEvent};
use crate::lines::DocumentChannels;
use crate::tools::TabTools;
use crate::transport::Transport;

/// What a turn needs to run.
pub struct TurnTask {
    /// Its thread.
    pub thread: ThreadId,
    /// The log that it writes.
    pub log: ThreadLog<Database>,
    /// What it is told meanwhile.
    pub inbox: UnboundedReceiver<UserCommand>,
    /// To the model.
    pub connection: Connection,
    /// What it goes by.
    pub rules: Rules,
    /// To the model's service.
    pub transport: Transport,
    /// The tab to which it is bound.
    pub tab: Option<TabId>,
    /// To the actor.
    pub mailbox: Mailbox,
}

impl TurnTask {
    /// Runs the turn from where its log is.
    pub fn spawn(self) {
        let Self { thread, log, mut inbox, connection, rules, transport, tab, mailbox } = self;
        let tools = TabTools {
            thread: thread.clone(),
            tab,
            mailbox: mailbox.clone(),
            lines: DocumentChannels::default(),
        };
        let ports = Ports { transport, tools, store: log.clone(), clock: BrowserClock };
        spawn_local(async move {
            let mut tell = |told: TurnUpdate<'_>| {
                if let TurnUpdate::TakesTools(takes_tools) = told {
                    let (endpoint, model) = (connection.endpoint.clone(), connection.model.clone());
                    mailbox.post(WorkerEvent::ToolsKnown { endpoint, model, takes_tools });
                } else if log.note(&told) {
                    mailbox.post(WorkerEvent::ThreadGrew { thread: thread.clone() });
                }
            };
            let turn = sidecar_agent::run(&connection, &rules, &ports, &mut inbox, &mut tell);
            let result = clock::awake(turn).await;
            mailbox.post(WorkerEvent::TurnEnded { thread, result });
        });
    }
}
