//! Sends the events of an answer, with the pace and the faults of its delivery.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use tokio::sync::mpsc;

use crate::app::App;
use crate::delivery::{CutPlace, DeliveryPlan};
use crate::journal::{AnswerPhase, Ticket};

/// A piece of the body, or the error that ends the connection.
type Sent = Result<Bytes, io::Error>;

/// The events as they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The answer.
    pub(crate) events: Vec<String>,
    /// A keep-alive; empty for none.
    pub(crate) keep_alive: &'static str,
    /// An error that replaces an event.
    pub(crate) error: String,
}

/// The body of an answer, written by a task of its own.
pub(crate) fn body(app: Arc<App>, ticket: Ticket, stream: Stream, plan: DeliveryPlan) -> Body {
    // One piece at a time, so that each is sent before the next one is made.
    let (out, pieces) = mpsc::channel(1);
    tokio::spawn(async move {
        let phase = match (Player { app: &app, ticket, plan, out, bytes: 0 }).play(stream).await {
            Ok(()) => AnswerPhase::Finished,
            Err(end) => end,
        };
        app.journal.update(ticket, |entry| entry.phase = phase);
    });
    Body::from_stream(stream::unfold(pieces, |mut pieces: mpsc::Receiver<Sent>| async {
        let piece = pieces.recv().await?;
        if piece.is_err() {
            // Yield once so that everything before the loss is sent.
            tokio::task::yield_now().await;
        }
        Some((piece, pieces))
    }))
}

struct Player<'a> {
    app: &'a App,
    ticket: Ticket,
    plan: DeliveryPlan,
    out: mpsc::Sender<Sent>,
    bytes: u64,
}

impl Player<'_> {
    /// Sends the answer. `Err` is the phase in which it ended early.
    async fn play(mut self, stream: Stream) -> Result<(), AnswerPhase> {
        for _ in 0..self.plan.keep_alives {
            self.send(stream.keep_alive).await?;
        }
        for (index, event) in stream.events.into_iter().enumerate() {
            let sent = index as u64;
            self.pause().await?;
            if self.plan.hold_after_event == Some(sent) {
                self.hold().await?;
            }
            if self.plan.cut.is_some_and(|cut| cut.place == CutPlace::AfterEvent(sent)) {
                return Err(self.cut().await);
            }
            if self.plan.error_after_event == Some(sent) {
                return self.send(&stream.error).await;
            }
            self.send(&event).await?;
            self.app.journal.update(self.ticket, |entry| entry.events += 1);
        }
        Ok(())
    }

    async fn pause(&self) -> Result<(), AnswerPhase> {
        if self.plan.delay_ms == 0 {
            return Ok(());
        }
        tokio::select! {
            () = self.out.closed() => Err(AnswerPhase::Aborted),
            () = tokio::time::sleep(Duration::from_millis(self.plan.delay_ms)) => Ok(()),
        }
    }

    async fn hold(&self) -> Result<(), AnswerPhase> {
        let released = self.app.hold(self.ticket);
        let end = tokio::select! {
            () = self.out.closed() => Err(AnswerPhase::Aborted),
            // If the sender was dropped, the server was reset and its holds are released.
            _ = released => Ok(()),
        };
        self.app.forget_hold(self.ticket);
        end
    }

    /// Loses the connection, or ends the body as if it were complete.
    async fn cut(&self) -> AnswerPhase {
        if self.plan.cut.is_some_and(|cut| !cut.cleanly) {
            let lost = io::Error::new(io::ErrorKind::ConnectionAborted, "cut by the scenario");
            // If the client is gone, there is nothing to cut.
            let _ = self.out.send(Err(lost)).await;
        }
        AnswerPhase::Cut
    }

    async fn send(&mut self, text: &str) -> Result<(), AnswerPhase> {
        let text = text.as_bytes();
        let until_cut = match self.plan.cut.map(|cut| cut.place) {
            Some(CutPlace::AtByte(byte)) => {
                usize::try_from(byte - self.bytes.min(byte)).unwrap_or(usize::MAX)
            }
            Some(CutPlace::AfterEvent(_)) | None => usize::MAX,
        };
        let kept = &text[..text.len().min(until_cut)];
        let step = if self.plan.byte_by_byte { 1 } else { kept.len().max(1) };
        for piece in kept.chunks(step) {
            self.out.send(Ok(Bytes::copy_from_slice(piece))).await.map_err(|_| AnswerPhase::Aborted)?;
            self.bytes += piece.len() as u64;
        }
        let bytes = self.bytes;
        self.app.journal.update(self.ticket, |entry| entry.bytes = bytes);
        if kept.len() < text.len() { Err(self.cut().await) } else { Ok(()) }
    }
}
