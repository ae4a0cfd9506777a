//! The log of a thread: what happened, in order. It is the only truth; everything else is read off it.
//!
//! An entry is written before the effect it announces and after the effect it reports, so that a reader always knows
//! whether something may have happened in the world.

pub mod branch;
pub mod saved;

use serde::{Deserialize, Serialize};
use sidecar_llm::{CallRecord, ProviderState};
use sidecar_protocol::Risk;
use sidecar_protocol::ToolRef;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::guard::InjectionSignal;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::{Cost, Omission, Question, Repair, ResultCut, ToolOutcome, TurnEnd, Usage};
use sidecar_protocol::{CallId, ModelError, TabId, Timestamp, TurnId};
use sidecar_webmcp::Fingerprint;

/// One line of the log.
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
    /// The user asked for something.
    TurnStarted {
        /// Names the turn.
        turn: TurnId,
        /// The user's words.
        text: String,
        /// Texts of pages that go with them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
        /// Where the user was; the turn stays bound to that tab.
        page: PageRef,
    },
    /// The user took up a turn that rested.
    TurnContinued {
        /// Where the user was; the turn is bound to that tab from here on.
        page: PageRef,
        /// What the model is not told any more of what is above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        without: Option<Omission>,
    },
    /// The worker died in the middle of the turn, and another one carries it on from here.
    TurnRevived {
        /// Thoughts of an answer that was growing when it died.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Its words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The user went back: what comes next follows an earlier entry, and what lies between stands aside as another
    /// version ([`crate::log::branch`]). Calls that had no outcome there are called off.
    Rewound {
        /// The position of that entry; none: the beginning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behind: Option<usize>,
    },
    /// The model is asked to sum up what was said before an entry, because its window is nearly full.
    SummaryAsked {
        /// Whose model.
        provider: String,
        /// Which model.
        model: String,
        /// The position of that entry.
        until: usize,
    },
    /// From here on the model is told less of what was said before an entry ([`crate::model_input::compaction`]).
    Compacted {
        /// The position of that entry.
        until: usize,
        /// What it is told in the place of all that; absent where only the results of tools are not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// How many tokens the summary took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What they cost, where the user had set a price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
    },
    /// The user wants the model to be told all of it again, for good.
    CompactionUndone,
    /// A request to the model goes out.
    ModelAsked {
        /// Whose model.
        provider: String,
        /// Which model.
        model: String,
        /// How many tools it was offered.
        tools: usize,
        /// Which, with their definitions; absent in logs of before this was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offers: Option<Fingerprint>,
    },
    /// The model answered, whole or up to where the user stopped it.
    ModelAnswered {
        /// Its thoughts.
        reasoning: String,
        /// How long it thought, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_ms: Option<u64>,
        /// Its words.
        text: String,
        /// The tool calls it wants, in order.
        calls: Vec<Call>,
        /// How many tokens it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What they cost, where the user had set a price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
        /// How it came to its end.
        ending: Ending,
        /// What was not as it should be, in plain words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
        /// What the model is told of calls that came to nothing, because they stood in its text or the token limit cut
        /// them. It has no calls then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lost: Option<String>,
        /// What the model's service wants back with it.
        #[serde(default, rename = "echo", skip_serializing_if = "Option::is_none")]
        provider_state: Option<ProviderState>,
    },
    /// The model did not answer, or not to the end.
    ModelFailed {
        /// What went wrong.
        error: ModelError,
        /// Thoughts that came before.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// Words that came before.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// When it is asked again, if it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
    },
    /// The user is asked about a call.
    ApprovalAsked {
        /// The call.
        call: CallId,
        /// Why; empty in logs of before this was kept.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        why: Vec<AskReason>,
    },
    /// The user would have the call run with other arguments, which do not fit its tool. The question stays.
    ApprovalMistaken {
        /// The call.
        call: CallId,
        /// All arguments, with what the user changed (JSON text).
        arguments: String,
        /// What is wrong with them.
        mistake: String,
    },
    /// The user decided.
    ApprovalGiven {
        /// About which call.
        call: CallId,
        /// What the user said.
        decision: Decision,
        /// All arguments as the user changed them (JSON text of an object); absent where they are the model's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// Where those hold secrets, as [`Call::secrets`] of the model's.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        secrets: Vec<String>,
        /// Whether those do not fit a `pattern` or `format` of the page, and nothing else is wrong with them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        off_pattern: bool,
        /// The user's words to the model with a refusal.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
    },
    /// A tool is about to run: from here on it may have had an effect.
    ToolStarted {
        /// For which call.
        call: CallId,
        /// What let it pass; absent in logs of before this was kept.
        #[serde(default, rename = "passed", skip_serializing_if = "Option::is_none")]
        allowed_by: Option<AllowedBy>,
    },
    /// The page of the tool that runs waits for the user; the tool's time stands still from here on.
    WaitStarted {
        /// In which call.
        call: CallId,
        /// For what.
        kind: InteractionKind,
    },
    /// The page goes on; so does the tool's time.
    WaitEnded {
        /// In which call.
        call: CallId,
    },
    /// A model is given only the beginning of what a call gave, or more of it than is given where nothing is said. Stands
    /// before its [`Event::ToolFinished`].
    ResultCut {
        /// Which call.
        call: CallId,
        /// How much, of how much.
        cut: ResultCut,
    },
    /// A text of a page seems to instruct the model: from here on the conversation is on guard. One about a result stands
    /// before its [`Event::ToolFinished`], so that no result is ever known without it.
    Suspected {
        /// Which text.
        what: Suspect,
        /// What made it suspicious.
        #[serde(rename = "signs")]
        signals: Vec<InjectionSignal>,
    },
    /// The user called the guard off.
    GuardLifted,
    /// The user allows that data goes from one origin to another for the rest of the thread. Stands before the
    /// [`Event::ApprovalGiven`] of the call that asked. An origin that is empty, as in imported threads, is nobody's.
    FlowAllowed {
        /// With which call.
        call: CallId,
        /// The origin on which it was read.
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
        /// How long the tool ran, in milliseconds, waits for the user left out; 0 when it did not.
        duration_ms: u64,
    },
    /// The turn ended, or pauses and can be continued.
    #[serde(rename = "turnRested")]
    TurnEnded {
        /// How.
        #[serde(rename = "rest")]
        end: TurnEnd,
    },
}

/// A text of a page that seems to instruct the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Suspect {
    /// What a call gave.
    Result {
        /// The call.
        call: CallId,
    },
    /// The description of a tool that the model is offered.
    Description {
        /// The page's own name of the tool.
        tool: String,
        /// Host of its page.
        site: String,
        /// Origin of its document; empty in logs of before this was kept.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        origin: String,
        /// What its definition is: the same is not suspected again.
        fingerprint: Fingerprint,
    },
    /// What the user attached to the words that began the turn.
    Attached {
        /// Which, from 0.
        place: usize,
        /// Host of its page.
        site: String,
    },
}

/// How an answer came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// By itself.
    Natural,
    /// At the token limit. Calls that were cut are not among its calls.
    Length,
    /// The user stopped it. It has no calls.
    Stopped,
}

/// A tool call that a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Ours.
    pub id: CallId,
    /// The model's own words for it, echoed to it unchanged.
    pub record: CallRecord,
    /// The name under which its tool was offered, where it is not the one that the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool it means; absent when none of that name was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The arguments as the tool gets them, where they are not those that the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What was put right in it. With any of it, it asks first, unless its tool is read-only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
    /// What is wrong with its name or arguments, in words for the model. No tool runs then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Whether nothing is wrong but that the arguments do not fit a `pattern` or `format` of the page. Told once, the same
    /// call runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_pattern: bool,
    /// Where in the arguments its tool's schema says that something secret stands, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What the user is asked with it: it is a call of the agent's own tool ([`crate::tools::question`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Call {
    /// The name by which the model is told that it made the call: one that it can use again.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.record.name)
    }

    /// JSON text of the arguments that the tool gets.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.arguments.as_deref().unwrap_or(&self.record.arguments)
    }

    /// Whether the tool it means counted as read-only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.read_only)
    }
}

/// The tool that a call means, as it was when the model was offered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Identity.
    pub tool: ToolRef,
    /// Host of the page that has it.
    pub site: String,
    /// Origin of the document that has it; empty in logs of before this was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// Whether it counted as read-only.
    pub read_only: bool,
    /// Whether it counted as consequential.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consequential: bool,
    /// What its definition was; absent in logs of before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl Target {
    /// What a call was held to do.
    #[must_use]
    pub fn risk(&self) -> Risk {
        match (self.read_only, self.consequential) {
            (true, _) => Risk::ReadOnly,
            (false, true) => Risk::Consequential,
            (false, false) => Risk::Acting,
        }
    }
}

/// A page as it was when the user spoke.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageRef {
    /// The tab; absent when there was none.
    pub tab: Option<TabId>,
    /// Host of the page.
    pub site: String,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
}
