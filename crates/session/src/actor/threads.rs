//! Commands for the list of threads, and for which thread a window has open.

use sidecar_agent::recording::TurnRecording;
use sidecar_agent::search::SearchQuery;
use sidecar_protocol::link::{
    Answer, ChatEvent, PanelEvent, Refusal, ThreadView, ThreadsAnswer, ThreadsCommand,
};
use sidecar_protocol::recording::TurnQuestion;
use sidecar_protocol::{ThreadId, WindowId};

use super::Actor;
use super::code_parts::CodeParts;
use super::history::purge_later;
use super::replies::Answered;
use crate::event::{Asker, RequestEvent, ThreadsChange};
use crate::panels::LinkId;
use crate::{history, refusals};

impl<B: CodeParts> Actor<B> {
    pub(super) async fn answer_threads(&mut self, asker: Asker, command: ThreadsCommand) -> Answered {
        let link = asker.link;
        let (database, browser) = (self.history.database(), self.browser.clone());
        match command {
            ThreadsCommand::New => {
                self.panels.open_thread(link, None).await;
                if let Some(window) = self.panels.window(link) {
                    self.pins.clear(window).await;
                }
                self.opened(link, None).await
            }
            ThreadsCommand::NewTemporary => {
                let thread =
                    self.chat.threads.begin_temporary(self.browser.moment().thread_id(), self.browser.now());
                self.panels.open_thread(link, Some(thread.clone())).await;
                let view = self.thread_view(&thread).await.map_err(refusals::unread)?;
                self.opened(link, view).await
            }
            ThreadsCommand::Open { thread_id } => {
                let view = self.thread_view(&thread_id).await.map_err(refusals::unread)?;
                let view = view.ok_or(Refusal::NoThread)?;
                self.panels.open_thread(link, Some(thread_id)).await;
                self.opened(link, Some(view)).await
            }
            ThreadsCommand::List => {
                // The worker that scheduled the purge may have died.
                self.history.purge(self.chat.queue.threads());
                self.later(asker, async move {
                    let threads = history::list(&database).await.map_err(refusals::storage)?;
                    Ok(Answer::Threads(ThreadsAnswer::Listed { threads }))
                })
            }
            ThreadsCommand::Search { text } => {
                let (is_called_off, replies) = (self.history.searches.next(link), self.replies(asker));
                self.later(asker, async move {
                    if let Some(query) = SearchQuery::of(&text) {
                        let found = |threads| replies.part(Answer::Threads(ThreadsAnswer::Found { threads }));
                        let searched = history::search(&database, &query, is_called_off, found).await;
                        searched.map_err(refusals::storage)?;
                    }
                    Ok(Answer::Done)
                })
            }
            ThreadsCommand::Rename { thread_id, title } => self.later(asker, async move {
                let summary = history::rename(&database, &thread_id, &title).await?;
                browser.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Summary(summary) });
                Ok(Answer::Done)
            }),
            ThreadsCommand::Pin { thread_id, pinned } => self.later(asker, async move {
                let summary = history::pin(&database, &thread_id, pinned).await?;
                browser.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Summary(summary) });
                Ok(Answer::Done)
            }),
            ThreadsCommand::Delete { thread_id } => {
                self.chat.threads.stop(&thread_id);
                self.later(asker, async move {
                    history::delete(&database, &thread_id, browser.now()).await?;
                    purge_later(&browser);
                    browser.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Deleted(thread_id) });
                    Ok(Answer::Done)
                })
            }
            ThreadsCommand::Restore { thread_id } => self.later(asker, async move {
                history::restore(&database, &thread_id).await?;
                browser.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Added });
                Ok(Answer::Done)
            }),
            ThreadsCommand::Export { thread_id, form } => {
                let (replies, language) = (self.replies(asker), self.language(link));
                self.later(asker, async move {
                    let piece = |text| replies.part(Answer::Threads(ThreadsAnswer::Piece { text }));
                    history::export(&database, thread_id, form, language, piece).await?;
                    Ok(Answer::Done)
                })
            }
            ThreadsCommand::RecordCase { thread_id, item } => {
                self.chat.threads.load(&thread_id, browser.now()).await.map_err(refusals::unread)?;
                let recorded = |case| Answer::Threads(ThreadsAnswer::Recorded { case });
                let Some(TurnRecording { turns, places }) = self.chat.threads.recording(&thread_id, &item)
                else {
                    return Ok(Some(recorded(None)));
                };
                let tools =
                    places.iter().flat_map(|(tab, origin)| self.tabs.recorded(*tab, origin)).collect();
                let question = TurnQuestion { language: self.language(link), turns, tools };
                self.later(asker, async move { Ok(recorded(browser.record_case(&question).await)) })
            }
            ThreadsCommand::Import { text, more } => {
                let Some(file) = self.history.receive(link, &text, more) else {
                    return Ok(Some(Answer::Done));
                };
                self.later(asker, async move {
                    let new_id = || browser.moment().thread_id();
                    let outcome =
                        history::import(&database, file, new_id).await.map_err(refusals::storage)?;
                    browser.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Added });
                    Ok(Answer::Threads(ThreadsAnswer::Imported { outcome }))
                })
            }
        }
    }

    /// Shows the thread that is now open in a panel's window, or that none is.
    async fn opened(&mut self, link: LinkId, view: Option<ThreadView>) -> Answered {
        if let Some(window) = self.panels.window(link) {
            self.show_thread(window, view);
        }
        self.forget_threads().await;
        Ok(Some(Answer::Done))
    }

    pub(super) fn show_thread(&self, window: WindowId, thread: Option<ThreadView>) {
        self.panels.send_to_window(window, &PanelEvent::Chat(ChatEvent::Opened { thread }));
        self.show_page(window);
    }

    /// Threads on disk changed.
    pub(super) async fn threads_changed(&mut self, change: ThreadsChange) {
        match change {
            ThreadsChange::Added => {}
            ThreadsChange::Summary(summary) => self.chat.threads.set_summary(summary),
            ThreadsChange::Deleted(thread) => {
                self.panels.leave_thread(&thread).await;
                // The tabs pinned to it are no longer shown.
                self.show_pages();
                self.forget_threads().await;
            }
        }
        self.history.list_for_all();
    }

    /// Drops the queued messages and pinned tabs of threads that are gone for good.
    pub(super) async fn forget_purged(&mut self, gone: &[ThreadId]) {
        // On a failure the next purge names these threads again.
        let _ = self.chat.queue.forget(gone).await;
        self.show_unread();
        self.pins.keep_only(|thread| !gone.contains(thread)).await;
    }
}
