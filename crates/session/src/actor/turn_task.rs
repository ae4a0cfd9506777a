//! A turn that runs, in a task of its own.

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::{Connection, Ports, Rules, TurnUpdate, UserCommand};
use sidecar_protocol::{TabId, ThreadId};

use super::turn_tools::TabTools;
use crate::browser::BrowserPort;
use crate::event::SessionEvent;
use crate::threads::ThreadLog;

/// What a turn needs to run.
pub struct TurnTask<B: BrowserPort> {
    /// Its thread.
    pub thread: ThreadId,
    /// The log that it writes.
    pub log: ThreadLog<B::Disk>,
    /// What it is told meanwhile.
    pub inbox: UnboundedReceiver<UserCommand>,
    /// To the model.
    pub connection: Connection,
    /// What it goes by.
    pub rules: Rules,
    /// To the model's service.
    pub transport: B::Transport,
    /// The tab to which it is bound.
    pub tab: Option<TabId>,
    /// To everything else.
    pub browser: B,
}

impl<B: BrowserPort> TurnTask<B> {
    /// Runs the turn from where its log is.
    pub fn spawn(self) {
        let Self { thread, log, mut inbox, connection, rules, transport, tab, browser } = self;
        let tools = TabTools {
            thread: thread.clone(),
            tab,
            browser: browser.clone(),
            documents: browser.documents(),
        };
        let ports = Ports { transport, tools, store: log.clone(), clock: browser.clone() };
        let spawner = browser.clone();
        spawner.spawn_awake(async move {
            let mut tell = |told: TurnUpdate<'_>| {
                if let TurnUpdate::TakesTools(takes_tools) = told {
                    let (endpoint, model) = (connection.endpoint.clone(), connection.model.clone());
                    browser.post(SessionEvent::ToolsKnown { endpoint, model, takes_tools });
                } else if log.note(&told) {
                    browser.post(SessionEvent::ThreadGrew { thread: thread.clone() });
                }
            };
            let turn = sidecar_agent::run(&connection, &rules, &ports, &mut inbox, &mut tell);
            let result = turn.await;
            browser.post(SessionEvent::TurnEnded { thread, result });
        });
    }
}
