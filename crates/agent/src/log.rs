//! The log of a thread: what happened, in order. It is the only truth; everything else is derived from it.
//!
//! An entry is written before the effect it announces, or after the effect it reports, so a reader always
//! knows whether an effect may have happened.

pub mod branch;
pub mod saved;

use serde::{Deserialize, Serialize};
use sidecar_llm::{CallRecord, ProviderState};
use sidecar_protocol::Risk;
use sidecar_protocol::ToolRef;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::guard::InjectionSignal;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::skill::SkillRelease;
use sidecar_protocol::thread::{Cost, Omission, Question, Repair, ResultCut, ToolOutcome, TurnEnd, Usage};
use sidecar_protocol::{CallId, ModelError, TabId, Timestamp, TurnId};
use sidecar_webmcp::Fingerprint;

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// When it was written.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The user sent a message.
    TurnStarted {
        /// The id of the turn.
        turn: TurnId,
        /// The user's message.
        text: String,
        /// Attached texts of pages.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
        /// Pictures.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
        /// The page in front of the user; the turn stays bound to that tab.
        page: PageRef,
    },
    /// The user continued a turn that rested.
    TurnContinued {
        /// The page in front of the user; from here on the turn is bound to that tab.
        page: PageRef,
        /// What is left out of the model's input from here on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        without: Option<Omission>,
    },
    /// The worker died during the turn, and another one carries it on from here.
    TurnRevived {
        /// Reasoning of the answer that was arriving.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Text of that answer.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The user went back: the next entry follows an earlier one, and the entries between them become
    /// another version ([`crate::log::branch`]). Calls without an outcome at that point are cancelled.
    Rewound {
        /// Position of the earlier entry; absent for the beginning of the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behind: Option<usize>,
    },
    /// The model is asked to summarise everything before an entry, because its context window is nearly
    /// full.
    SummaryAsked {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
        /// Position of that entry.
        until: usize,
    },
    /// From here on, the model reads a shorter form of everything before an entry
    /// ([`crate::model_input::compaction`]).
    Compacted {
        /// Position of that entry.
        until: usize,
        /// The summary that replaces it; absent if only the results of tools are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// Tokens used for the summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// Cost of the summary, if the user had set a price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
    },
    /// The user undid compaction: the model reads everything again, and automatic compaction is off.
    CompactionUndone,
    /// A request is sent to the model.
    ModelAsked {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
        /// Number of tools on offer.
        tools: usize,
        /// Digest of the tools on offer and their definitions; absent in logs written before this field
        /// existed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offers: Option<Fingerprint>,
    },
    /// The model answered, completely or until the user stopped it.
    ModelAnswered {
        /// Its reasoning.
        reasoning: String,
        /// Duration of the reasoning, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_ms: Option<u64>,
        /// Its text.
        text: String,
        /// Its tool calls, in order.
        calls: Vec<Call>,
        /// Tokens used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// The cost, if the user had set a price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
        /// How the answer ended.
        ending: Ending,
        /// Irregularities of the answer, for people.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
        /// What the model is told of calls that were lost, because it wrote them into its text or the token
        /// limit cut them. The answer has no calls then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lost: Option<String>,
        /// What the provider wants back with this answer.
        #[serde(default, rename = "echo", skip_serializing_if = "Option::is_none")]
        provider_state: Option<ProviderState>,
    },
    /// The model did not answer, or not completely.
    ModelFailed {
        /// What went wrong.
        error: ModelError,
        /// Reasoning that arrived before.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Text that arrived before.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// When the request is repeated, if it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
    },
    /// The user is asked to approve a call.
    ApprovalAsked {
        /// The call.
        call: CallId,
        /// The reasons; empty in logs written before this field existed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        why: Vec<AskReason>,
    },
    /// The user's edits do not fit the call's tool. The call still asks.
    ApprovalMistaken {
        /// The call.
        call: CallId,
        /// All arguments with the user's edits (JSON text).
        arguments: String,
        /// What is wrong with them.
        mistake: String,
    },
    /// The user decided about a call.
    ApprovalGiven {
        /// The call.
        call: CallId,
        /// The decision.
        decision: Decision,
        /// All arguments with the user's edits (JSON text of an object); absent if the model's are
        /// unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// Where these arguments contain secrets, as in [`Call::secrets`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        secrets: Vec<String>,
        /// Whether the only mistake is that these arguments do not match a `pattern` or `format` of the
        /// page.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        off_pattern: bool,
        /// The user's message to the model with a refusal.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
    },
    /// A tool is about to run: from here on it may have had an effect.
    ToolStarted {
        /// The call.
        call: CallId,
        /// What allowed it; absent in logs written before this field existed.
        #[serde(default, rename = "passed", skip_serializing_if = "Option::is_none")]
        allowed_by: Option<AllowedBy>,
    },
    /// The page of the running tool waits for the user; the time limit is paused from here on.
    WaitStarted {
        /// The call.
        call: CallId,
        /// What the page asks for.
        kind: InteractionKind,
    },
    /// The page goes on, and the time limit with it.
    WaitEnded {
        /// The call.
        call: CallId,
    },
    /// How much of a call's result a model is given, if that is not the default length. Comes before the
    /// call's [`Event::ToolFinished`].
    ResultCut {
        /// The call.
        call: CallId,
        /// The length given, and the whole length.
        cut: ResultCut,
    },
    /// A text of a page contains injection signals: from here on the conversation is on guard. The entry
    /// for a result comes before its [`Event::ToolFinished`], so that no result is known without its
    /// signals.
    Suspected {
        /// The text.
        what: Suspect,
        /// Its injection signals.
        #[serde(rename = "signs")]
        signals: Vec<InjectionSignal>,
    },
    /// The user lifted the guard.
    GuardLifted,
    /// The user allows, for the rest of the thread, that data goes from one origin to another. Comes before
    /// the [`Event::ApprovalGiven`] of the call that asked. In imported threads the origins are empty, and
    /// nothing is allowed.
    FlowAllowed {
        /// The call that asked.
        call: CallId,
        /// The origin on which the data was read.
        from: String,
        /// The origin to which it goes.
        to: String,
    },
    /// A call has its outcome, whether or not the tool ran.
    ToolFinished {
        /// The call.
        call: CallId,
        /// How it ended.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, without waits for the user; 0 if it did not.
        duration_ms: u64,
    },
    /// The turn ended, or pauses and can be continued.
    #[serde(rename = "turnRested")]
    TurnEnded {
        /// Done, stopped, failed, at a limit, or interrupted.
        #[serde(rename = "rest")]
        end: TurnEnd,
    },
}

/// A text of a page with injection signals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Suspect {
    /// A call's result.
    Result {
        /// The call.
        call: CallId,
    },
    /// The description of a tool on offer.
    Description {
        /// The page's own name of the tool.
        tool: String,
        /// Host of its page.
        site: String,
        /// Origin of its document; empty in logs written before this field existed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        origin: String,
        /// Digest of its definition, which is not reported again.
        fingerprint: Fingerprint,
    },
    /// An attachment of the message that began the turn.
    Attached {
        /// Its index in the message.
        place: usize,
        /// Host of its page.
        site: String,
    },
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// The model ended it.
    Natural,
    /// At the token limit. Calls that it cut are not among the answer's calls.
    Length,
    /// The user stopped it. It has no calls.
    Stopped,
}

/// A tool call that a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Its id, minted by us.
    pub id: CallId,
    /// The call as the model wrote it, returned to the model unchanged.
    pub record: CallRecord,
    /// The name under which its tool was offered, if the model wrote another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool; absent if no tool of that name was on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The arguments for the tool, if they are not the model's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What was repaired in it. With any repair it asks first, unless its tool is read-only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
    /// What is wrong with its name or arguments, in words for the model. Then no tool runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Whether the only mistake is that the arguments do not match a `pattern` or `format` of the page. If
    /// the model repeats the call after it was told, the call runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_pattern: bool,
    /// Where the arguments contain secrets according to the tool's schema, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// The question, for a call of the agent's own tool ([`crate::tools::question`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Call {
    /// The tool name under which the model reads its call: one that it can use again.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.record.name)
    }

    /// The arguments for the tool (JSON text).
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.arguments.as_deref().unwrap_or(&self.record.arguments)
    }

    /// Whether it is a call of one of the browser's own tools.
    #[must_use]
    pub fn is_browser(&self) -> bool {
        self.target.as_ref().is_some_and(|target| matches!(target.tool, ToolRef::Browser { .. }))
    }

    /// Whether it is a call of a tool of a page or a SKILL.
    #[must_use]
    pub fn is_site(&self) -> bool {
        self.target
            .as_ref()
            .is_some_and(|target| matches!(target.tool, ToolRef::Page(_) | ToolRef::Skill { .. }))
    }

    /// Whether its tool counted as read-only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.read_only)
    }
}

/// The tool of a call, with the definition under which the model was offered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The tool.
    pub tool: ToolRef,
    /// Host of its page.
    pub site: String,
    /// Origin of its document; empty in logs written before this field existed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// Whether it counted as read-only.
    pub read_only: bool,
    /// Whether it counted as consequential.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consequential: bool,
    /// Digest of its definition; absent in logs written before this field existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The SKILL that it is of, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillRelease>,
}

impl Target {
    /// The risk of a call, by that definition.
    #[must_use]
    pub fn risk(&self) -> Risk {
        match (self.read_only, self.consequential) {
            (true, _) => Risk::ReadOnly,
            (false, true) => Risk::Consequential,
            (false, false) => Risk::Acting,
        }
    }
}

/// A page, as it was when the user sent a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageRef {
    /// The tab; absent if there was none.
    pub tab: Option<TabId>,
    /// Host of the page.
    pub site: String,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
}
