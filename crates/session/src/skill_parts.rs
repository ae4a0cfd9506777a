//! What runs tools of SKILLs: code that a worker may load at its first use.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use sidecar_protocol::thread::ToolOutcome;

use crate::actions::page_call::PageCallRun;
use crate::actions::skill::SkillCall;
use crate::browser::BrowserPort;

/// Runs tools of SKILLs. Each call loads what it needs, if that is not there yet.
pub trait SkillParts: BrowserPort {
    /// Runs a tool for a turn ([`SkillCall::run`]).
    async fn run_skill(call: SkillCall<'_, Self>) -> ToolOutcome;

    /// Runs a tool that a page calls ([`PageCallRun::run`]).
    async fn run_page_call(call: PageCallRun<Self>) -> ToolOutcome;
}
