//! The log of calls.

use sidecar_protocol::link::{Answer, CallsAnswer, CallsCommand};

use super::Actor;
use crate::event::Event;
use crate::history;
use crate::refusals;
use crate::replies::{Answered, Asker};

impl Actor {
    pub(super) fn calls(&mut self, asker: Asker, command: CallsCommand) -> Answered {
        let database = self.history.database();
        match command {
            CallsCommand::List { filter, before } => self.later(asker, async move {
                let page = history::calls(&database, &filter, before).await.map_err(refusals::storage)?;
                Ok(Answer::Calls(CallsAnswer::Page { page }))
            }),
            CallsCommand::Export { filter } => {
                let replies = self.replies(asker);
                self.later(asker, async move {
                    let piece = |text| replies.part(Answer::Calls(CallsAnswer::Piece { text }));
                    history::export_calls(&database, &filter, piece).await.map_err(refusals::storage)?;
                    Ok(Answer::Done)
                })
            }
            CallsCommand::Clear => {
                let mailbox = self.mailbox.clone();
                self.later(asker, async move {
                    database.clear_calls().await.map_err(refusals::storage)?;
                    mailbox.post(Event::CallsChanged);
                    Ok(Answer::Done)
                })
            }
        }
    }
}
