//! The log of calls.

use sidecar_protocol::link::{Answer, CallsAnswer, CallsCommand};

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::call_log::{self, CallFiles};
use crate::event::{Asker, WorkEvent};
use crate::refusals;

impl<B: CodeParts> Actor<B> {
    pub(super) fn calls(&mut self, asker: Asker, command: CallsCommand) -> Answered {
        let database = self.history.database();
        match command {
            CallsCommand::List { filter, before } => {
                let is_called_off = self.history.pages.next(asker.link);
                let (names, replies) = (self.history.names.clone(), self.replies(asker));
                self.later(asker, async move {
                    let answer = |page| Answer::Calls(CallsAnswer::Page { page });
                    let first = |page| replies.part(answer(page));
                    let page =
                        call_log::page_with_names(&database, names, &filter, before, is_called_off, first)
                            .await;
                    Ok(page.map_err(refusals::storage)?.map_or(Answer::Done, answer))
                })
            }
            CallsCommand::Export { filter } => {
                let replies = self.replies(asker);
                self.later(asker, async move {
                    let piece = |text| replies.part(Answer::Calls(CallsAnswer::Piece { text }));
                    call_log::export(&database, &filter, piece).await.map_err(refusals::storage)?;
                    Ok(Answer::Done)
                })
            }
            CallsCommand::Clear => {
                let browser = self.browser.clone();
                self.later(asker, async move {
                    database.clear_calls().await.map_err(refusals::storage)?;
                    browser.post(WorkEvent::CallsChanged);
                    Ok(Answer::Done)
                })
            }
        }
    }
}
