//! The texts of pages that a model was given in a conversation, each with its origin.

use std::collections::HashMap;

use serde_json::Value;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::page::caps;
use sidecar_protocol::policy::is_lasting;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, DocumentId};

use crate::browser_tools::use_skill::is_use_skill;
use crate::guard::json_leaves::leaves;
use crate::log::branch;
use crate::log::{Call, Entry, Event, Target};
use crate::model_input::result;

/// Maximum number of results and attachments that are compared, the latest first: for each origin, and in
/// total. So no origin can push out the texts of another.
const MOST_OF_ORIGIN: usize = 50;
const MOST_SOURCES: usize = 300;

/// Maximum characters of a result that are compared: as many as a model can be given.
pub(super) const MOST_READ: usize = 200_000;

/// A text of a page that the model was given.
pub(crate) struct FlowSource<'a> {
    pub(super) origin: &'a str,
    pub(super) site: &'a str,
    /// The tool that returned it; empty if the user attached it.
    pub(super) tool: &'a str,
    /// The document of its tool.
    document: Option<&'a DocumentId>,
    given: FlowText<'a>,
}

#[derive(Clone, Copy)]
enum FlowText<'a> {
    /// What stands in it of the page itself.
    Outcome(&'a ToolOutcome),
    Attached(&'a str),
}

impl<'a> FlowSource<'a> {
    /// The result of a call. If a form led to another page, the result is that page's text.
    pub(crate) fn of_result(target: &'a Target, outcome: &'a ToolOutcome) -> Self {
        let page = match outcome {
            ToolOutcome::Ok { page: PageEffect::Opened { origin, site }, .. } => Some((origin, site)),
            _ => None,
        };
        Self {
            origin: page.map_or(&target.origin, |(origin, _)| origin),
            site: page.map_or(&target.site, |(_, site)| site),
            tool: target.tool.name(),
            document: target.tool.document().filter(|_| page.is_none()),
            given: FlowText::Outcome(outcome),
        }
    }

    /// What a result has of frames of other origins.
    pub(crate) fn of_frames(target: &'a Target, outcome: &'a ToolOutcome) -> impl Iterator<Item = Self> {
        let content = if let ToolOutcome::Ok { content, .. } = outcome { content.as_slice() } else { &[] };
        content.iter().filter_map(|block| match block {
            Content::Framed(FrameText { origin, site, text }) => {
                let (tool, given) = (target.tool.name(), FlowText::Attached(text));
                Some(Self { origin, site, tool, document: None, given })
            }
            Content::Text(_) | Content::Image { .. } | Content::Picture(_) | Content::Structured(_) => None,
        })
    }

    /// A result that a tool has not given yet.
    pub(crate) fn of_tool(target: &'a Target) -> Self {
        let document = target.tool.document();
        Self { document, ..Self::of_description(target.tool.name(), &target.site, &target.origin) }
    }

    /// A tool's description.
    pub(crate) fn of_description(tool: &'a str, site: &'a str, origin: &'a str) -> Self {
        Self { origin, site, tool, document: None, given: FlowText::Attached("") }
    }

    /// An attachment of the user.
    pub(crate) fn of_attached(attached: &'a Attachment) -> Self {
        let Attachment { origin, site, text, .. } = attached;
        Self { origin, site, tool: "", document: None, given: FlowText::Attached(text) }
    }

    /// Whether it has the same origin as a tool. An opaque origin is the same only within one document.
    pub(crate) fn is_of(&self, target: &Target) -> bool {
        match (is_lasting(self.origin), is_lasting(&target.origin)) {
            (true, true) => self.origin == target.origin,
            // Logs written before origins were kept have at least the host.
            _ if self.origin.is_empty() || target.origin.is_empty() => self.site == target.site,
            _ => self.document.is_some() && self.document == target.tool.document(),
        }
    }

    /// Its text, without the escapes and member names of JSON.
    pub(crate) fn text(&self) -> String {
        let text = match self.given {
            FlowText::Attached(text) => return text.to_owned(),
            FlowText::Outcome(outcome) => own_text(outcome),
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if text.len() < caps::RESULT => {
                let mut all = String::new();
                leaves(&value, &mut |_, text| {
                    if all.len() < 4 * MOST_READ {
                        all.push_str(text);
                        all.push('\n');
                    }
                });
                all
            }
            Ok(_) | Err(_) => text.chars().take(MOST_READ).collect(),
        }
    }
}

/// The text of a result without that of frames.
fn own_text(outcome: &ToolOutcome) -> String {
    let is_framed = |block: &Content| matches!(block, Content::Framed(_));
    match outcome {
        ToolOutcome::Ok { content, .. } if content.iter().any(is_framed) => {
            let own = content.iter().filter(|block| !is_framed(block)).map(Content::text);
            own.collect::<Vec<_>>().join("\n")
        }
        _ => result::read(outcome).text().unwrap_or_default().into_owned(),
    }
}

/// The results and attachments in the active branch of a log, the latest first.
pub(crate) fn sources(log: &[Entry]) -> Vec<FlowSource<'_>> {
    let target_of = targets(log);
    let sources = |position: usize| match &log[position].event {
        Event::ToolFinished { call, outcome, .. } => {
            // The text of a SKILL is no site's data.
            let target = target_of(call).filter(|target| !is_use_skill(&target.tool));
            let of_call = |target| {
                FlowSource::of_frames(target, outcome).chain([FlowSource::of_result(target, outcome)])
            };
            target.into_iter().flat_map(of_call).collect()
        }
        Event::TurnStarted { attached, .. } => attached.iter().map(FlowSource::of_attached).collect(),
        _ => Vec::new(),
    };
    let mut counts = HashMap::new();
    let has_room = |source: &FlowSource<'_>| {
        let count = counts.entry((source.origin.to_owned(), source.site.to_owned())).or_insert(0);
        *count += 1;
        *count <= MOST_OF_ORIGIN
    };
    branch::backwards(log).flat_map(sources).filter(has_room).take(MOST_SOURCES).collect()
}

/// The tools of the calls in the active branch of a log.
pub(crate) fn targets<'a>(log: &'a [Entry]) -> impl Fn(&CallId) -> Option<&'a Target> {
    let calls: Vec<&'a Call> = branch::backwards(log)
        .filter_map(|position| match &log[position].event {
            Event::ModelAnswered { calls, .. } => Some(calls),
            _ => None,
        })
        .flatten()
        .collect();
    move |id| calls.iter().find(|call| call.id == *id)?.target.as_ref()
}
