//! Exports a thread as Markdown for people: who said what, and the arguments and results of each tool call.
//!
//! Text of others stands in a quotation or a fenced block, so that nothing in it can pass for one of our
//! headings. HTML in it, and images that would be loaded, become plain text; invisible characters are
//! written out.

use std::fmt::Write as _;

use sidecar_protocol::Timestamp;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{
    ItemKind, Question, ThreadSummary, ToolFailure, ToolItem, ToolOutcome, ToolState, TurnEnd,
};
use sidecar_webmcp::visible;

use crate::log::Entry;
use crate::threads::view;

mod labels;
#[cfg(test)]
mod tests;
mod text;

use labels::{CHINESE, ENGLISH, Labels};
use text::{fenced, one_line, quoted};

/// The thread as Markdown. Times are in UTC.
#[must_use]
pub fn of(summary: &ThreadSummary, log: &[Entry], language: Language) -> String {
    let labels = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let title = if summary.title.is_empty() { labels.untitled } else { &summary.title };
    let mut text = format!("# {}\n\n", one_line(title));
    if !summary.site.is_empty() {
        let _ = write!(text, "{} · ", one_line(&summary.site));
    }
    let _ = writeln!(text, "{}", moment(summary.created));
    for item in view::items(log, None) {
        match &item.kind {
            ItemKind::User { text: said, attached, pictures } => {
                let attached = attached.iter().map(|attached| of_attachment(attached, labels));
                let pictures = pictures.iter().map(|_| format!("*{}*", labels.picture));
                let said: Vec<String> =
                    std::iter::once(quoted(said)).chain(pictures).chain(attached).collect();
                section(&mut text, labels.you, &said.join("\n\n"));
            }
            ItemKind::Assistant { text: said, .. } if said.trim().is_empty() => {}
            ItemKind::Assistant { text: said, .. } => section(&mut text, labels.agent, &quoted(said)),
            ItemKind::Tool(ToolItem { question: Some(question), state, .. }) => {
                section(&mut text, labels.agent, &of_question(question));
                if let ToolState::Finished { outcome: ToolOutcome::Ok { content, .. }, .. } = state {
                    section(&mut text, labels.you, &quoted(&Content::texts(content)));
                }
            }
            ItemKind::Tool(tool) => section(&mut text, labels.tool, &of_tool(tool, labels)),
            ItemKind::TurnEnd { end: TurnEnd::Done, .. } => {}
            ItemKind::TurnEnd { .. } => {
                let _ = write!(text, "\n*{}*\n", labels.broken_off);
            }
            ItemKind::Retry { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Guard { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. } => {}
        }
    }
    text
}

fn section(text: &mut String, who: &str, said: &str) {
    let _ = write!(text, "\n## {who}\n\n{}\n", said.trim_end());
}

fn of_question(question: &Question) -> String {
    let mut text = question.text.trim().to_owned();
    for (number, choice) in question.choices.iter().enumerate() {
        let choice = choice.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(text, "{}- {choice}", if number == 0 { "\n\n" } else { "\n" });
    }
    quoted(&text)
}

fn of_attachment(Attachment { what, site, text, .. }: &Attachment, labels: &Labels) -> String {
    let what = match what {
        Extract::Page => labels.page,
        Extract::Selection => labels.selection,
        Extract::Address => labels.address,
    };
    format!("{what} {}\n\n{}", one_line(site), fenced(text))
}

fn of_tool(tool: &ToolItem, labels: &Labels) -> String {
    let name = visible(&tool.name).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("`{}`", name.replace('`', "'"));
    if !tool.site.is_empty() {
        let _ = write!(text, " · {}", one_line(&tool.site));
    }
    let _ = write!(text, "\n\n{}\n\n{}", labels.arguments, fenced(&tool.arguments));
    let (word, said) = match &tool.state {
        ToolState::Finished { outcome, .. } => {
            let word = match outcome {
                ToolOutcome::Ok { page: PageEffect::Left { .. }, .. } => Some(labels.nothing),
                ToolOutcome::Ok { page: PageEffect::Stayed | PageEffect::Opened { .. }, .. } => None,
                ToolOutcome::Failed {
                    code:
                        ToolFailure::UnknownTool
                        | ToolFailure::BadArguments
                        | ToolFailure::Changed
                        | ToolFailure::Off,
                    ..
                } => Some(labels.refused),
                ToolOutcome::Failed { .. } => Some(labels.failed),
                ToolOutcome::Declined => Some(labels.declined),
                ToolOutcome::Interrupted => Some(labels.interrupted),
                ToolOutcome::TimedOut { .. } => Some(labels.timed_out),
                ToolOutcome::Cancelled => Some(labels.cancelled),
                ToolOutcome::Repeated { .. } => Some(labels.repeated),
            };
            (word, outcome.text())
        }
        ToolState::Queued | ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => {
            (Some(labels.unfinished), None)
        }
    };
    if let Some(word) = word {
        let _ = write!(text, "\n\n{word}");
    }
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        let _ = write!(text, "\n\n{}\n\n{}", labels.result, fenced(&said));
    }
    text
}

/// `2026-11-22 09:30 UTC`
fn moment(at: Timestamp) -> String {
    let minutes = at / 60_000;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (year, month, day) = date(minutes / 1440);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Year, month and day of a day number counted from 1970-01-01, in the Gregorian calendar. Years are
/// counted from March, so that the leap day is the last of a year, and in eras of 400 years.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}
