//! What the panel shows of a conversation: threads, and the items in them.
//!
//! Items are a projection of the turn's log; they hold no truth of their own.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::attachment::Attachment;
use crate::content::{self, Content, PageEffect};
use crate::error::ModelError;
use crate::guard::Found;
use crate::ids::{CallId, ItemId, ThreadId, TurnId};
use crate::page::{FailureCode, InteractionKind};
use crate::policy::Approval;
use crate::settings::{ModelChoice, Price};

/// A conversation in the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadSummary {
    /// Names it.
    pub id: ThreadId,
    /// The first words the user said, or the name the user gave it; at most [`crate::history::TITLE_LIMIT`] characters.
    pub title: String,
    /// Host of the page on which it began; empty when there was none.
    pub site: String,
    /// When it began.
    pub created: Timestamp,
    /// When something last happened in it.
    pub updated: Timestamp,
    /// Whether the user keeps it at the top of the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Whether it is kept nowhere: it is in no list and ends with its worker.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temporary: bool,
}

/// One entry of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Stable while the item changes.
    pub id: ItemId,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Order within the thread; grows, never reused.
    pub seq: u64,
    /// When it began.
    pub at: Timestamp,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ItemKind {
    /// The user's words.
    User {
        /// As typed.
        text: String,
        /// Texts of pages that went with them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// One answer of the model: its reasoning, then its words. Either may be empty.
    Assistant {
        /// The model's thoughts; empty when it gave none.
        reasoning: String,
        /// How long it thought, in milliseconds; absent while it thinks and when it did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_ms: Option<u64>,
        /// Markdown.
        text: String,
        /// How far it is.
        state: AnswerState,
    },
    /// One tool call.
    Tool(ToolItem),
    /// A failure that is being waited out: "too many requests, trying again".
    Retry {
        /// What went wrong.
        error: ModelError,
        /// Which attempt failed, from 1.
        attempt: u32,
        /// How many there will be at most.
        of: u32,
        /// When the next attempt starts.
        until: Timestamp,
        /// Whose model failed; absent when nobody's was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
    },
    /// A text of a page seemed to instruct the model: the conversation is on guard, and every tool that acts asks.
    Guard {
        /// The tool that gave it, or whose description it is; empty when it has to do with none.
        tool: String,
        /// Host of its page.
        site: String,
        /// What text it is.
        text: PageText,
        /// What made it suspicious.
        signs: Vec<Found>,
        /// Whether the user has called it off since.
        lifted: bool,
    },
    /// From here on the model is told less of what is above.
    LeftOut {
        /// What it is not told.
        what: Without,
    },
    /// What is above, or follows from it, is one of several versions: the user changed the words, or had the model answer
    /// again.
    Versions {
        /// Which it is, from 1, in their order in time.
        version: u32,
        /// How many there are.
        of: u32,
        /// What [`crate::link::ChatCommand::TakeVersion`] names the one before with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<u64>,
        /// And the one after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        later: Option<u64>,
    },
    /// From here on the model is told less of what is above, because its window is nearly full.
    Compacted {
        /// What it is told instead.
        how: Compaction,
        /// Whether the user has taken that back.
        #[serde(default)]
        undone: bool,
    },
    /// The agent rests: the end of the turn, or a pause that can be continued.
    Rest {
        /// Why it rests.
        rest: Rest,
        /// Tokens of the whole turn, where the provider said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What they cost, a sum for each currency; empty where the user set no price.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        costs: Vec<Cost>,
        /// Since the turn began, in milliseconds.
        duration_ms: u64,
        /// The model that was asked last, which a failure is told of; absent when none was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<ModelChoice>,
    },
}

/// A text of a page that reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageText {
    /// What a tool gave.
    Result,
    /// What a page says of a tool.
    Description,
    /// What the user attached to a message.
    Attached,
}

/// How room is made in a model's window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Compaction {
    /// The model is writing a summary.
    Summing,
    /// It is not told what tools gave earlier.
    Results,
    /// It is told this in the place of what was said.
    Summary {
        /// In the model's words.
        text: String,
    },
}

/// How far an answer of the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerState {
    /// The request is out, nothing came yet.
    Waiting,
    /// It grows.
    Streaming,
    /// It is whole.
    Done,
    /// The user stopped it; what came is kept.
    Stopped,
    /// It broke off; what came is kept.
    Cut,
}

/// One tool call as the panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolItem {
    /// Names the call in [`crate::link::Control::Decide`].
    pub call_id: CallId,
    /// The page's own name of the tool (or the model's, when no tool has it).
    pub name: String,
    /// Host of the page that has the tool; empty when no tool has that name.
    pub site: String,
    /// Whether it stands in a frame of the page, not in the page itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_frame: bool,
    /// JSON text of the arguments, as the tool gets them; may be broken JSON when the call was refused for it.
    pub arguments: String,
    /// Whether it counts as read-only.
    pub read_only: bool,
    /// What was put right in the model's call; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
    /// Whether its arguments do not fit a pattern or format of the page, and nothing else is wrong with them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_pattern: bool,
    /// Signs that its result wants to instruct the model; empty for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<Found>,
    /// How much of its result the model was given, where that was not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Why it asks or asked, and what let it pass.
    #[serde(default, skip_serializing_if = "Approval::is_empty")]
    pub approval: Approval,
    /// What the user is asked, where that is all it does. Its result is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// How far it is.
    pub state: ToolState,
}

/// What the agent asks the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// In the model's words.
    pub text: String,
    /// Answers to choose from; the user may give another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

impl Question {
    /// Most characters of a question.
    pub const MOST_TEXT: usize = 1_000;

    /// Most choices.
    pub const MOST_CHOICES: usize = 8;

    /// Most characters of a choice.
    pub const MOST_CHOICE: usize = 200;
}

/// What a model was given of a result that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Its first characters: so many.
    pub given: usize,
    /// Of so many.
    pub whole: usize,
}

/// How far a tool call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolState {
    /// An earlier call of the same answer goes first.
    Queued,
    /// It waits for the user's decision.
    Asking,
    /// It runs.
    Running {
        /// Since when. Time in which the page waited for the user is left out, as if it had begun so much later.
        since: Timestamp,
        /// When it is given up, if that is soon and the user does not say [`crate::link::Control::WaitLonger`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Its page waits for the user. Meanwhile its time stands still.
    Waiting {
        /// What for.
        kind: InteractionKind,
        /// How long the tool had run before, in milliseconds.
        ran_ms: u64,
    },
    /// It ended, one way or another.
    Finished {
        /// How.
        outcome: ToolOutcome,
        /// How long the tool ran, in milliseconds, without the time in which its page waited for the user; 0 when it
        /// did not run.
        duration_ms: u64,
        /// The result as it came, where the outcome is what it says in the shape of the Model Context Protocol.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StoredOutcome")]
pub enum ToolOutcome {
    /// The tool did what it does.
    Ok {
        /// What it gave; empty where the page was left and nothing was read of where it went.
        content: Vec<Content>,
        /// What became of the page.
        #[serde(skip_serializing_if = "PageEffect::is_stayed")]
        page: PageEffect,
    },
    /// The tool failed, or could not be run.
    Failed {
        /// The kind of failure.
        code: ToolFailure,
        /// The page's own message for [`ToolFailure::Page`]; else a technical detail for the model.
        message: String,
    },
    /// The user said no.
    Declined,
    /// We lost sight of it: its effect is unknown.
    Interrupted,
    /// It took longer than allowed and was cancelled: its effect is unknown.
    TimedOut {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The user stopped it: its effect is unknown when it had begun.
    Cancelled,
    /// It did not run: the same call succeeded before in its turn, and nothing has changed since. The model is given that
    /// one's result again.
    Repeated {
        /// The call that succeeded.
        of: CallId,
    },
}

impl ToolOutcome {
    /// What a tool returned, as text.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self::Ok { content: vec![Content::Text(text.into())], page: PageEffect::Stayed }
    }

    /// The call left its page, and nothing is known of where it led.
    #[must_use]
    pub fn left() -> Self {
        Self::Ok { content: Vec::new(), page: PageEffect::Left { unread: None } }
    }

    /// What it gave, or what a failure says, as one text; `None` where there is neither.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Ok { content, page: PageEffect::Stayed | PageEffect::Opened { .. } } => {
                Some(Content::texts(content))
            }
            Self::Failed { message, .. } => Some(Cow::Borrowed(message)),
            Self::Ok { page: PageEffect::Left { .. }, .. }
            | Self::Declined
            | Self::Interrupted
            | Self::TimedOut { .. }
            | Self::Cancelled
            | Self::Repeated { .. } => None,
        }
    }

    /// The same with its texts changed. Of several blocks, each.
    #[must_use]
    pub fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Ok { content, page } => {
                let changed = |block| match block {
                    Content::Text(text) => Content::Text(change(&text)),
                    Content::Structured(text) => Content::Structured(change(&text)),
                    image @ Content::Image { .. } => image,
                };
                Self::Ok { content: content.into_iter().map(changed).collect(), page }
            }
            Self::Failed { code, message } => Self::Failed { code, message: change(&message) },
            other @ (Self::Declined
            | Self::Interrupted
            | Self::TimedOut { .. }
            | Self::Cancelled
            | Self::Repeated { .. }) => other,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum StoredOutcome {
    Ok(content::Stored),
    Failed { code: ToolFailure, message: String },
    Declined,
    Interrupted,
    TimedOut { limit_ms: u64 },
    Cancelled,
    Repeated { of: CallId },
}

impl From<StoredOutcome> for ToolOutcome {
    fn from(stored: StoredOutcome) -> Self {
        match stored {
            StoredOutcome::Ok(stored) => {
                let (content, page) = stored.into();
                Self::Ok { content, page }
            }
            StoredOutcome::Failed { code, message } => Self::Failed { code, message },
            StoredOutcome::Declined => Self::Declined,
            StoredOutcome::Interrupted => Self::Interrupted,
            StoredOutcome::TimedOut { limit_ms } => Self::TimedOut { limit_ms },
            StoredOutcome::Cancelled => Self::Cancelled,
            StoredOutcome::Repeated { of } => Self::Repeated { of },
        }
    }
}

/// Why a tool call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolFailure {
    /// The page's, see there.
    Page(FailureCode),
    /// The model named a tool that was not offered.
    UnknownTool,
    /// The model's arguments were no JSON object, or did not fit the tool's input schema.
    BadArguments,
    /// The page changed the tool's definition after the user had been asked about the call. It did not run.
    Changed,
    /// The user has switched the tool off. It did not run.
    Off,
    /// The tab is closed, or the page cannot be reached.
    Unreachable,
}

/// Why the agent rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Rest {
    /// It said all it had to say.
    Done,
    /// The model's answer was cut at its token limit.
    Length,
    /// The user stopped it.
    Stopped,
    /// It made as many tool calls as allowed; Continue goes on.
    CallLimit {
        /// The limit.
        limit: u32,
    },
    /// Its tools took as long as allowed; Continue goes on.
    TimeLimit {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The model failed; Continue tries again.
    Failed {
        /// How.
        error: ModelError,
    },
    /// The model does not get any further; Continue asks it again.
    Stuck {
        /// In which way.
        how: Stuck,
    },
    /// The browser ended the worker in mid-turn; Continue goes on.
    Interrupted,
}

/// How a model does not get any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stuck {
    /// It said nothing that could be used, twice.
    Silent,
    /// It makes the same call again and again.
    Repeating,
    /// Its calls stay wrong although it was told what is wrong with them.
    Mistaken,
}

impl Rest {
    /// Whether the turn can be taken up again where it is.
    #[must_use]
    pub fn can_continue(&self) -> bool {
        match self {
            Self::Done => false,
            Self::Length
            | Self::Stopped
            | Self::CallLimit { .. }
            | Self::TimeLimit { .. }
            | Self::Failed { .. }
            | Self::Stuck { .. }
            | Self::Interrupted => true,
        }
    }
}

/// What was put right in a call before it could run. A call with any of these asks first, unless its tool is read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Repair {
    /// It stood in the model's text, not where calls stand.
    Leaked,
    /// Its name was not quite that of the tool.
    Name,
    /// Its arguments were not quite JSON.
    Syntax,
    /// Its arguments were several objects, of which one was taken.
    Surplus,
    /// Values were of another type than the tool's schema says, and were read as that.
    Types,
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Of these, read from the provider's cache.
    pub cached: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Of these, reasoning.
    pub reasoning: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // Counts of an imported file may be anything.
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// As in [`Price::currency`].
    pub currency: String,
    /// How much of it.
    pub amount: f64,
}

impl Cost {
    /// What these tokens cost at this price.
    #[must_use]
    pub fn of(usage: &Usage, price: &Price) -> Self {
        const MILLION: f64 = 1_000_000.0;
        // Counts of tokens are far from where a float has gaps.
        #[allow(clippy::cast_precision_loss)]
        let [cached, read, written] =
            [usage.cached, usage.input.saturating_sub(usage.cached), usage.output].map(|count| count as f64);
        let cached = cached * price.cached.unwrap_or(price.input);
        let amount = (cached + read * price.input + written * price.output) / MILLION;
        Self { currency: price.currency.clone(), amount }
    }

    /// Adds it to the sum in its currency.
    pub fn add_to(&self, sums: &mut Vec<Self>) {
        match sums.iter_mut().find(|sum| sum.currency == self.currency) {
            Some(sum) => sum.amount += self.amount,
            None => sums.push(self.clone()),
        }
    }
}

/// What is left out of a conversation when it is taken up again, because the model could not take all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Without {
    /// Earlier turns, and of this one what tools gave but for the last: it was too long.
    History,
    /// What pages gave: a filter took offence.
    PageContent,
}

/// What the agent is doing in a thread right now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Activity {
    /// Nothing: the user may speak.
    #[default]
    Resting,
    /// A request to the model is out, or its answer is coming.
    Model,
    /// A tool runs.
    Tool,
    /// A tool runs, and its page waits for the user.
    Waiting,
    /// A decision of the user is awaited.
    Asking,
    /// A failed request is being waited out.
    Retrying,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cost_what_the_user_pays_for_a_million_of_them() {
        let price = Price { currency: "¥".to_owned(), input: 2.0, cached: Some(0.5), output: 8.0 };
        let usage = Usage { input: 1_500_000, cached: 1_000_000, output: 250_000, reasoning: 200_000 };
        let mut sums = Vec::new();
        Cost::of(&usage, &price).add_to(&mut sums);
        assert_eq!(sums, [Cost { currency: "¥".to_owned(), amount: 0.5 + 1.0 + 2.0 }]);
        Cost::of(&usage, &Price { cached: None, ..price.clone() }).add_to(&mut sums);
        Cost::of(&usage, &Price { currency: "USD".to_owned(), ..price }).add_to(&mut sums);
        assert_eq!(sums.iter().map(|sum| sum.amount).collect::<Vec<_>>(), [3.5 + 5.0, 3.5]);
    }
}
