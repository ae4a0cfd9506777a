//! Parts of the module that are loaded at their first use: a worker that wakes for an event of the browser needs neither
//! what a turn does nor what answers requests of panels. The build makes a file of each part, and of what several need
//! (docs/decisions/0036). A part that cannot be loaded ends the module, as a trap does; the shim starts it again.

use std::pin::Pin;

use sidecar_protocol::ThreadId;
use sidecar_protocol::link::{Request, ThreadView};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_session::actions::code;
use sidecar_session::actions::page_call::PageCallRun;
use sidecar_session::actions::skill::SkillCall;
use sidecar_session::event::{RequestEvent, TurnEvent};
use sidecar_session::panels::LinkId;
use sidecar_session::skill_look;
use sidecar_session::skills::lifecycle::LifecycleQueue;
use sidecar_session::skills::on_page::SkillLook;
use sidecar_session::threads::ReadError;
use sidecar_session::{Actor, EvalTask, HandRunTask, PageCallTask, TurnTask};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

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
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()))]
pub fn run_turn(turn: TurnTask<ThisBrowser>) -> Work<'static> {
    Box::pin(turn.run())
}

/// Makes a call of a page.
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()))]
pub fn make_page_call(call: PageCallTask<ThisBrowser>) -> Work<'static> {
    Box::pin(call.run())
}

/// Makes a run by hand.
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()))]
pub fn make_hand_run(run: HandRunTask<ThisBrowser>) -> Work<'static> {
    Box::pin(run.run())
}

/// Runs an eval.
#[wasm_split(evals, return_wrapper(let work = _; { work.await } -> ()))]
pub fn make_eval(eval: EvalTask<ThisBrowser>) -> Work<'static> {
    Box::pin(eval.run())
}

/// Has the actor deal with what a task came to that a request started.
#[wasm_split(requests, return_wrapper(let work = _; { work.await } -> ()))]
pub fn deal_with_requested(actor: &mut Actor<ThisBrowser>, event: RequestEvent) -> Work<'_> {
    Box::pin(actor.deal_with_requested(event))
}

/// Looks at a page for the SKILLs that fit it.
#[wasm_split(skills, return_wrapper(let work = _; { work.await } -> ()))]
pub fn look_at_page(browser: ThisBrowser, look: SkillLook) -> Work<'static> {
    Box::pin(skill_look::look_at_page(browser, look))
}

/// Runs what SKILLs want to be run in a page of theirs.
#[wasm_split(skills, return_wrapper(let work = _; { work.await } -> ()))]
pub fn run_lifecycle(browser: ThisBrowser, queue: LifecycleQueue) -> Work<'static> {
    Box::pin(code::run_lifecycle(browser, queue))
}

/// Runs a tool of a SKILL.
#[wasm_split(skills, return_wrapper(let work = _; { work.await } -> ToolOutcome))]
pub fn run_skill(call: SkillCall<'_, ThisBrowser>) -> Work<'_, ToolOutcome> {
    Box::pin(call.run())
}

/// Runs a tool of a SKILL that a page calls.
#[wasm_split(skills, return_wrapper(let work = _; { work.await } -> ToolOutcome))]
pub fn run_page_call(call: PageCallRun<ThisBrowser>) -> Work<'static, ToolOutcome> {
    Box::pin(call.run())
}

/// Has the actor deal with an event of a turn.
#[wasm_split(turn, return_wrapper(let work = _; { work.await } -> ()))]
pub fn deal_with_turn(actor: &mut Actor<ThisBrowser>, event: TurnEvent) -> Work<'_> {
    Box::pin(actor.deal_with_turn(event))
}

/// Reads a request of a panel.
#[wasm_split(requests)]
pub fn read_request(text: String) -> Option<Request> {
    serde_json::from_str(&text).ok()
}

/// Has the actor answer a request of a panel.
#[wasm_split(requests, return_wrapper(let work = _; { work.await } -> ()))]
pub fn answer(actor: &mut Actor<ThisBrowser>, link: LinkId, request: Request, is_told: bool) -> Work<'_> {
    Box::pin(actor.answer(link, request, is_told))
}

/// How long after a panel has opened the parts are fetched, in milliseconds: it has painted what it was sent by then.
const AFTER_WELCOME_MS: u64 = 100;

/// Does nothing but having its part loaded; a failure of that ends nothing.
#[wasm_split(turn, fallible)]
fn turn_is_there() -> Result<(), SplitLoaderError> {
    Ok(())
}

/// As [`turn_is_there`].
#[wasm_split(requests, fallible)]
fn requests_are_there() -> Result<(), SplitLoaderError> {
    Ok(())
}

/// Fetches all parts, so that the first request and the first turn find them there. If that fails, the first use tries
/// again.
pub async fn prefetch() {
    clock::sleep(AFTER_WELCOME_MS).await;
    let _ = requests_are_there().await;
    let _ = turn_is_there().await;
}
