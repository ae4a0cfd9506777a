//! The parts of the actor's code that a worker may load at their first use: it wakes for every event of the browser, and
//! seldom for these.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_protocol::ThreadId;
use sidecar_protocol::link::{Request, ThreadView};

use super::Actor;
use super::eval_task::EvalTask;
use super::hand_run_task::HandRunTask;
use super::page_call_task::PageCallTask;
use super::turn_task::TurnTask;
use crate::event::{RequestEvent, TurnEvent};
use crate::panels::LinkId;
use crate::skill_parts::SkillParts;
use crate::skills::lifecycle::LifecycleQueue;
use crate::skills::on_page::SkillLook;
use crate::threads::ReadError;

/// Runs the parts of the actor's code. Each call loads what it needs, if that is not there yet.
pub trait CodeParts: SkillParts {
    /// Runs a turn ([`TurnTask::run`]).
    async fn run_turn(turn: TurnTask<Self>);

    /// Makes a call of a page ([`PageCallTask::run`]).
    async fn make_page_call(call: PageCallTask<Self>);

    /// Makes a run by hand ([`HandRunTask::run`]).
    async fn make_hand_run(run: HandRunTask<Self>);

    /// Runs an eval ([`EvalTask::run`]).
    async fn make_eval(eval: EvalTask<Self>);

    /// Has the actor revive the turns of workers that died ([`Actor::revive_turns`]).
    async fn revive_turns(actor: &mut Actor<Self>);

    /// Has the actor read a thread for a panel ([`Actor::thread_view`]).
    ///
    /// # Errors
    /// If its log cannot be read.
    async fn thread_view(actor: &mut Actor<Self>, thread: &ThreadId)
    -> Result<Option<ThreadView>, ReadError>;

    /// Has the actor answer a request of a panel ([`Actor::answer`]).
    async fn answer(actor: &mut Actor<Self>, link: LinkId, request: Request, is_told: bool);

    /// Looks at a page for the SKILLs that fit it ([`look_at_page`](super::skill_look::look_at_page)).
    async fn look_at_page(browser: Self, look: SkillLook);

    /// Runs what SKILLs want to be run in a page of theirs ([`run_lifecycle`](crate::actions::code::run_lifecycle)).
    async fn run_lifecycle(browser: Self, queue: LifecycleQueue);

    /// Has the actor deal with what a task came to that a request started ([`Actor::deal_with_requested`]).
    async fn deal_with_requested(actor: &mut Actor<Self>, event: RequestEvent);

    /// Has the actor deal with an event of a turn ([`Actor::deal_with_turn`]).
    async fn deal_with_turn(actor: &mut Actor<Self>, event: TurnEvent);

    /// A panel has opened: fetches the parts, which will be needed soon.
    fn prefetch(&self);
}
