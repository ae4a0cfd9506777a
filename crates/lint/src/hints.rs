//! Rules about what a page says of a tool beside its texts: hints, and to whom it is exposed.

use sidecar_protocol::Risk;
use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::page_view::PageStatus;
use sidecar_webmcp::Address;
use sidecar_webmcp::risk::{self, name_parts};

use crate::finding::ToolFinding;
use crate::look::ToolLook;
use crate::page::ToolFacts;
use crate::report::ToolReport;
use crate::rule::ToolRule;
use crate::wording::word;

/// Words in names of tools that read.
const READING: [&str; 16] = [
    "browse",
    "check",
    "fetch",
    "find",
    "get",
    "list",
    "load",
    "lookup",
    "open",
    "query",
    "read",
    "retrieve",
    "search",
    "show",
    "summarize",
    "view",
];

/// Words in names of tools whose results others may have written.
const OTHERS: [&str; 29] = [
    "chat",
    "chats",
    "comment",
    "comments",
    "email",
    "emails",
    "feed",
    "forum",
    "inbox",
    "issue",
    "issues",
    "mail",
    "mails",
    "mention",
    "mentions",
    "message",
    "messages",
    "notification",
    "notifications",
    "post",
    "posts",
    "replies",
    "review",
    "reviews",
    "thread",
    "threads",
    "ticket",
    "tickets",
    "tweets",
];

/// Chinese words for them.
const OTHERS_CHINESE: [&str; 8] = ["评论", "评价", "邮件", "收件箱", "留言", "帖子", "私信", "动态"];

/// What a search finds may be of others, too.
const SEARCHING: [&str; 2] = ["search", "query"];

pub(crate) fn check(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let tool = look.tool;
    let hints = tool.annotations.unwrap_or_default();
    let says_serious = hints.consequential_hint || hints.destructive_hint;
    let finding = |rule| ToolFinding::of(rule).at("/annotations");
    if tool.annotations.is_none() && !look.is_form() {
        report.add(finding(ToolRule::AnnotationsExplicit));
    }
    let is_serious = risk::of(tool) == Risk::Consequential;
    match (hints.read_only_hint, says_serious) {
        (true, true) => {
            let words = (word::RULE_ANNOTATIONS_CONTRADICT_BOTH, word::RULE_ANNOTATIONS_CONTRADICT_WAY);
            report.add(finding(ToolRule::AnnotationsContradict).worded(words.0, words.1));
        }
        (true, false) if is_serious => report.add(finding(ToolRule::AnnotationsContradict)),
        // A form cannot say it.
        (false, false) if is_serious && !look.is_form() && !reads(tool) => {
            report.add(finding(ToolRule::ConsequentialMissing));
        }
        (true | false, _) => {}
    }
    let may_be_of_others = returns_others(tool) || has_word(tool, &SEARCHING);
    if !hints.untrusted_content_hint && may_be_of_others && !look.is_form() {
        report.add(finding(ToolRule::UntrustedMissing));
    }
    exposed(look.facts, report);
}

/// Whether a tool reads, by its hint or the first word of its name.
pub(crate) fn reads(tool: &ToolDescription) -> bool {
    let hints = tool.annotations.unwrap_or_default();
    hints.read_only_hint
        || name_parts(&tool.name).next().is_some_and(|first| READING.contains(&first.as_str()))
}

/// Whether a tool returns what others have written, by its hint or its words.
pub(crate) fn returns_others(tool: &ToolDescription) -> bool {
    let is_chinese =
        || OTHERS_CHINESE.iter().any(|word| tool.title.contains(word) || tool.description.contains(word));
    tool.annotations.unwrap_or_default().untrusted_content_hint
        || reads(tool) && (has_word(tool, &OTHERS) || is_chinese())
}

/// Whether the name of a tool has one of these words.
pub(crate) fn has_word(tool: &ToolDescription, words: &[&str]) -> bool {
    name_parts(&tool.name).any(|part| words.contains(&part.as_str()))
}

/// Looks at the origins to which a tool is exposed.
pub(crate) fn exposed(facts: &ToolFacts, report: &mut ToolReport<'_>) {
    for (at, entry) in facts.exposed_to.iter().flatten().enumerate() {
        let finding =
            |rule| ToolFinding::of(rule).at(format!("/exposedTo/{at}")).excerpt(entry).with("origin", entry);
        let lower = entry.to_ascii_lowercase();
        let address = Address::of(&lower);
        let is_extension = address.scheme.ends_with("-extension") && !address.host.is_empty();
        let is_web = matches!(address.scheme, "http" | "https") && !address.host.is_empty();
        let is_secure = is_extension || is_web && address.status() == PageStatus::Ready;
        if !is_secure {
            report.add(finding(ToolRule::ExposedToSecureOrigins));
        } else if lower.trim_end_matches('/') != format!("{}://{}", address.scheme, address.host) {
            report.add(finding(ToolRule::ExposedToOriginOnly));
        }
    }
}
