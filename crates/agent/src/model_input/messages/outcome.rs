//! What a model reads of a call's outcome.

use sidecar_protocol::CallId;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

use crate::browser_tools::sentence_of;
use crate::browser_tools::use_skill::{self, ALREADY_READ, MOST_INSTRUCTIONS};
use crate::guard::fence::{beginning, framed};
use crate::log::{Call, Event};
use crate::model_input::result::{self, RESULT_LIMIT};

/// Introduces the result of a repeated call.
const REPEATED: &str = "[Notice: you made this same call before in this turn. It succeeded, and nothing has changed since, so \
                        it did not run again. Its result is still this. Go on with the next step, or answer the user.]";

/// Replaces a result that is left out of the model's input.
pub(crate) const LEFT_OUT: &str = "[This result was left out of the conversation.]";

/// What a log says of a call after the answer in which the model made it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallFacts<'a> {
    pub(super) outcome: Option<&'a ToolOutcome>,
    started: bool,
    /// All arguments with the user's edits.
    arguments: Option<&'a str>,
    /// The user's message with a refusal.
    words: &'a str,
    /// How many characters of its result the model is given.
    cut: Option<usize>,
}

impl<'a> CallFacts<'a> {
    /// The call that an event is about, if any.
    pub(crate) fn call_of(event: &Event) -> Option<&CallId> {
        match event {
            Event::ToolFinished { call, .. }
            | Event::ToolStarted { call, .. }
            | Event::ApprovalGiven { call, .. }
            | Event::ResultCut { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Adds such an event. A later one replaces an earlier one of the same kind.
    pub(crate) fn add(&mut self, event: &'a Event) {
        match event {
            Event::ToolFinished { outcome, .. } => self.outcome = Some(outcome),
            Event::ToolStarted { .. } => self.started = true,
            Event::ApprovalGiven { arguments, words, .. } => {
                (self.arguments, self.words) = (arguments.as_deref(), words);
            }
            Event::ResultCut { cut, .. } => self.cut = Some(cut.given),
            _ => {}
        }
    }
}

/// What the model reads of a call.
pub(super) fn text<'f>(call: &Call, facts: &dyn Fn(&CallId) -> CallFacts<'f>) -> String {
    let CallFacts { outcome, started, arguments, words, cut } = facts(&call.id);
    let given = GivenText::of(call, cut);
    let is_question = call.question.is_some();
    let told = match outcome {
        Some(ToolOutcome::Cancelled | ToolOutcome::Interrupted) if !started => {
            return "The user stopped before this call was made. The tool did not run.".to_owned();
        }
        Some(ToolOutcome::Ok { content, .. }) if is_question => {
            return format!("The user answered: {}", Content::texts(content));
        }
        Some(ToolOutcome::Declined) if is_question && words.is_empty() => {
            return "The user did not answer. Go on with what you know, or say what you cannot do without it."
                .to_owned();
        }
        Some(ToolOutcome::Declined) if !words.is_empty() => {
            return format!("The user declined this call, with these words to you: {words}");
        }
        Some(ToolOutcome::Repeated { of }) => {
            let earlier = facts(of);
            let given = GivenText { limit: earlier.cut.unwrap_or(RESULT_LIMIT), ..given };
            let result = earlier
                .outcome
                .map_or_else(|| LEFT_OUT.to_owned(), |outcome| outcome_text(&result::read(outcome), given));
            return format!("{REPEATED}\n\n{result}");
        }
        Some(outcome) => outcome_text(&result::read(outcome), given),
        None => outcome_text(&ToolOutcome::Interrupted, given),
    };
    match arguments {
        Some(arguments) => {
            format!("[The user changed the arguments of this call to {arguments}]\n\n{told}")
        }
        None => told,
    }
}

/// Whose text the model is given of a call, and how much of it.
#[derive(Clone, Copy)]
struct GivenText<'a> {
    origin: &'a str,
    /// The SKILL whose instructions it is.
    skill: Option<&'a str>,
    limit: usize,
}

impl<'a> GivenText<'a> {
    fn of(call: &'a Call, limit: Option<usize>) -> Self {
        // Logs written before origins were kept have the host.
        let origin = call.target.as_ref().map_or("", |target| match target.origin.as_str() {
            "" => &target.site,
            origin => origin,
        });
        let skill = call.target.as_ref().and_then(use_skill::skill_of);
        let most = if skill.is_some() { MOST_INSTRUCTIONS } else { usize::MAX };
        Self { origin, skill, limit: limit.unwrap_or(RESULT_LIMIT).min(most) }
    }

    /// A page's text in its fence, with a note if it was cut.
    fn data(self, text: &str) -> String {
        if self.skill.is_some() && text == ALREADY_READ {
            return text.to_owned();
        }
        let (beginning, whole) = beginning(text, self.limit);
        let framed = match self.skill {
            Some(skill) => use_skill::instructions_for_model(skill, &beginning),
            None => framed(self.origin, &beginning),
        };
        match whole {
            Some(whole) => format!("{framed}\n[Cut: the first {} of {whole} characters.]", self.limit),
            None => framed,
        }
    }
}

/// Introduces the outcome of a call that navigated.
const NAVIGATED: &str =
    "The tool took the page to another address. The tools you are offered now are those of the new page.";

/// What a model reads of a call's outcome.
fn outcome_text(outcome: &ToolOutcome, given: GivenText<'_>) -> String {
    let unknown = "Whether it had an effect is unknown: check before you repeat it.";
    match outcome {
        ToolOutcome::Ok { content, page: PageEffect::Stayed } => given.data(&Content::texts(content)),
        ToolOutcome::Ok { content, page: PageEffect::Opened { origin, .. } } => {
            let words = GivenText { origin, ..given }.data(&Content::texts(content));
            format!("{NAVIGATED} This is what the new page says:\n{words}")
        }
        ToolOutcome::Ok { page: PageEffect::Left { unread }, .. } => {
            let why = match unread {
                None => "",
                Some(Unread::Hidden) => {
                    " The user has hidden its site from you: nothing of it is given to you."
                }
                Some(Unread::Insecure) => " Its address is insecure: nothing of it is given to you.",
                Some(Unread::Restricted) => " Extensions may not read it: nothing of it is given to you.",
                Some(Unread::Missing) => {
                    return format!(
                        "The form was sent, but no new page came in its place in time. It may still be loading, have \
                         opened elsewhere, or be a download. {unknown}"
                    );
                }
            };
            format!("{NAVIGATED}{why}")
        }
        ToolOutcome::Failed { code, message } => match code {
            ToolFailure::Page(FailureCode::Threw) => format!("Error: {}", given.data(message)),
            ToolFailure::Page(FailureCode::NotFound) => {
                "Error: the page no longer has this tool. Use only the tools you are offered now.".to_owned()
            }
            ToolFailure::Page(FailureCode::Navigated) => {
                format!("Error: the page went away while the tool ran. {unknown}")
            }
            ToolFailure::Page(FailureCode::TooLarge) => {
                "Error: the tool ran, but its result was too large to be passed on.".to_owned()
            }
            ToolFailure::Page(FailureCode::Cancelled) => format!("Error: the call was cancelled. {unknown}"),
            ToolFailure::Page(FailureCode::Blocked) => {
                format!(
                    "Error: the page or the browser does not allow tool calls here. {}",
                    given.data(message)
                )
            }
            ToolFailure::Page(FailureCode::BadArguments) => {
                format!(
                    "Error: the page could not take the arguments, and the tool did not run. {}",
                    given.data(message)
                )
            }
            ToolFailure::BadArguments => {
                format!("Error: {message} The tool did not run. Call it again with valid arguments.")
            }
            ToolFailure::UnknownTool => format!("Error: {message} Use only the tools you were given."),
            ToolFailure::Changed => {
                "Error: this tool changed after the user was asked, so it did not run. Look at the tools \
                 you are offered now before you call it again."
                    .to_owned()
            }
            ToolFailure::Off => {
                "Error: the user has switched this tool off, so it did not run. Do without it.".to_owned()
            }
            ToolFailure::Unreachable => {
                "Error: the page cannot be reached; its tab may be closed.".to_owned()
            }
            ToolFailure::Action(outcome) if message.is_empty() => format!("Error: {}", sentence_of(*outcome)),
            ToolFailure::Action(outcome) => {
                format!("Error: {} {}", sentence_of(*outcome), given.data(message))
            }
        },
        ToolOutcome::Declined => {
            "The user declined this call. Do not repeat it; ask what the user wants instead.".to_owned()
        }
        ToolOutcome::Interrupted => format!("Error: the call was interrupted. {unknown}"),
        ToolOutcome::TimedOut { limit_ms } => {
            format!("Error: no result after {} s; the call was cancelled. {unknown}", limit_ms / 1000)
        }
        ToolOutcome::Cancelled => format!("The user stopped this call. {unknown}"),
        ToolOutcome::Repeated { .. } => REPEATED.to_owned(),
    }
}
