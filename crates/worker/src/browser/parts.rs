//! Parts of the module that are loaded at their first use: a worker that wakes for an event of the browser needs neither
//! what a turn does nor what answers requests of panels. The build makes a file of each part, and of what several need
//! (docs/decisions/0036). A part that cannot be loaded ends the module, as a trap does; the shim starts it again.

use std::pin::Pin;

use sidecar_protocol::ThreadId;
use sidecar_protocol::link::{Request, ThreadView};
use sidecar_session::event::TurnEvent;
use sidecar_session::panels::LinkId;
use sidecar_session::threads::ReadError;
use sidecar_session::{Actor, TurnTask};
use wasm_split_helpers::wasm_split;

use super::ThisBrowser;
use crate::clock;

/// Split functions cannot be asynchronous themselves.
type Work<'a, T = ()> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Has the actor revive the turns of workers that died.
#[wasm_split(requests, return_wrapper(let work = _; { work.await } -> ()))]
pub fn revive_turns(actor: &mut Actor<ThisBrowser>) -> Work<'_> {
    Box::pin(actor.revive_turns())
}

/// Has the actor read a thread for a panel.
#[wasm_split(requests, return_wrapper(let work = _; { work.await } -> Result<Option<ThreadView>, ReadError>))]
pub fn thread_view<'a>(
    actor: &'a mut Actor<ThisBrowser>,
    thread: &'a ThreadId,
) -> Work<'a, Result<Option<ThreadView>, ReadError>> {
    Box::pin(actor.thread_view(thread))
}

/// Runs a turn.
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()), preload(load_turn))]
pub fn run_turn(turn: TurnTask<ThisBrowser>) -> Work<'static> {
    Box::pin(turn.run())
}

/// Has the actor deal with an event of a turn.
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()), preload(load_turn_events))]
pub fn deal_with_turn(actor: &mut Actor<ThisBrowser>, event: TurnEvent) -> Work<'_> {
    Box::pin(actor.deal_with_turn(event))
}

/// Reads a request of a panel.
#[wasm_split(requests, preload(load_reader))]
pub fn read_request(text: String) -> Option<Request> {
    serde_json::from_str(&text).ok()
}

/// Has the actor answer a request of a panel.
#[wasm_split(requests, return_wrapper(let work = _; { work.await } -> ()), preload(load_requests))]
pub fn answer(actor: &mut Actor<ThisBrowser>, link: LinkId, request: Request, is_told: bool) -> Work<'_> {
    Box::pin(actor.answer(link, request, is_told))
}

/// How long after a panel has opened its parts are loaded, in milliseconds: it has painted what it was sent by then.
const AFTER_WELCOME_MS: u64 = 100;

/// Loads all parts, if nothing has by then.
pub async fn load_all() {
    clock::sleep(AFTER_WELCOME_MS).await;
    load_reader().await;
    load_requests().await;
    load_turn().await;
    load_turn_events().await;
}
