//! How a tool call ended.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::action::ActionOutcome;
use crate::content::{self, Content, FrameText, PageEffect};
use crate::ids::CallId;
use crate::page::FailureCode;
use crate::picture::Picture;

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", from = "StoredOutcome")]
pub enum ToolOutcome {
    /// The tool succeeded.
    Ok {
        /// Its result; empty if the call left its page and nothing of the next one was read.
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
    /// The worker lost track of it: its effect is unknown.
    Interrupted,
    /// It took longer than allowed and was cancelled: its effect is unknown.
    TimedOut {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The user stopped it: its effect is unknown if it had started.
    Cancelled,
    /// It did not run: the same call succeeded earlier in the turn, and nothing has changed since. The
    /// model gets the earlier result again.
    Repeated {
        /// The call that succeeded.
        of: CallId,
    },
}

impl ToolOutcome {
    /// What it is called in documents and files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ok { .. } => "ok",
            Self::Failed { .. } => "failed",
            Self::Declined => "declined",
            Self::Interrupted => "interrupted",
            Self::TimedOut { .. } => "timedOut",
            Self::Cancelled => "cancelled",
            Self::Repeated { .. } => "repeated",
        }
    }

    /// A result that is one text, on a page that stays.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self::Ok { content: vec![Content::Text(text.into())], page: PageEffect::Stayed }
    }

    /// The call left its page, and where it led is unknown.
    #[must_use]
    pub fn left() -> Self {
        Self::Ok { content: Vec::new(), page: PageEffect::Left { unread: None } }
    }

    /// The result, or a failure's message, as one text; `None` if there is neither.
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

    /// The pictures of the result.
    pub fn pictures(&self) -> impl Iterator<Item = &Picture> {
        let content = if let Self::Ok { content, .. } = self { content.as_slice() } else { &[] };
        content
            .iter()
            .filter_map(|block| if let Content::Picture(picture) = block { Some(picture) } else { None })
    }

    /// The outcome with each of its texts mapped.
    #[must_use]
    pub fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Ok { content, page } => {
                let changed = |block| match block {
                    Content::Text(text) => Content::Text(change(&text)),
                    Content::Structured(text) => Content::Structured(change(&text)),
                    Content::Framed(frame) => {
                        Content::Framed(FrameText { text: change(&frame.text), ..frame })
                    }
                    image @ (Content::Image { .. } | Content::Picture(_)) => image,
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
    Ok(content::StoredContent),
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
    /// The page's failure; see [`FailureCode`].
    Page(FailureCode),
    /// The model named a tool that was not offered.
    UnknownTool,
    /// The model's arguments were not a JSON object, or did not match the tool's input schema.
    BadArguments,
    /// The page changed the tool's definition after the user had been asked. The call did not run.
    Changed,
    /// The user has switched the tool off. The call did not run.
    Off,
    /// The tab is closed, or the page cannot be reached.
    Unreachable,
    /// A page action was not done, or not as it was wanted.
    Action(ActionOutcome),
}
