//! A running turn, in a task of its own.

use futures::channel::mpsc::UnboundedReceiver;
use sidecar_agent::{Connection, Ports, Rules, TurnUpdate, UserCommand};
use sidecar_protocol::{TabId, ThreadId};

use super::turn_tools::TabTools;
use crate::actions::PageActions;
use crate::browser::BrowserPort;
use crate::documents::Documents;
use crate::event::TurnEvent;
use crate::skill_parts::SkillParts;
use crate::threads::ThreadLog;

/// Everything that a turn needs to run.
pub struct TurnTask<B: BrowserPort> {
    /// The thread.
    pub thread: ThreadId,
    /// The thread's log.
    pub log: ThreadLog<B::Disk>,
    /// Receives the user's commands.
    pub inbox: UnboundedReceiver<UserCommand>,
    /// The model.
    pub connection: Connection,
    /// The rules of the turn.
    pub rules: Rules,
    /// The transport to the model.
    pub transport: B::Transport,
    /// The tab to which the turn is bound.
    pub tab: Option<TabId>,
    /// Everything else.
    pub browser: B,
}

impl<B: SkillParts> TurnTask<B> {
    /// Runs the turn from where its log ends.
    pub async fn run(self) {
        let Self { thread, log, mut inbox, connection, rules, transport, tab, browser } = self;
        let tools = TabTools {
            thread: thread.clone(),
            tab,
            browser: browser.clone(),
            documents: Documents::new(browser.clone()),
            log: log.clone(),
            actions: {
                let (post, stopped) = (browser.clone(), thread.clone());
                let on_stop = move || post.post(TurnEvent::TurnStopped { thread: stopped.clone() });
                PageActions::new(browser.clone(), thread.clone(), tab, rules.language, on_stop)
            },
        };
        let ports = Ports { transport, tools, store: log.clone(), clock: browser.clone() };
        let mut tell = |told: TurnUpdate<'_>| {
            if let TurnUpdate::Learnt(abilities) = told {
                TurnEvent::learnt(&connection.endpoint, &connection.model, abilities)
                    .for_each(|event| browser.post(event));
            } else if log.note(&told) {
                browser.post(TurnEvent::ThreadGrew { thread: thread.clone() });
            }
        };
        let result = sidecar_agent::run(&connection, &rules, &ports, &mut inbox, &mut tell).await;
        browser.post(TurnEvent::TurnEnded { thread, result });
    }
}
