//! Rules about what the tools of a page are together.

use sidecar_protocol::page::ToolDescription;
use sidecar_webmcp::MOST_TOOLS;

use crate::finding::ToolFinding;
use crate::hints::{has_word, reads, returns_others};
use crate::page::LintedTool;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::word;

/// Number of tools from which models choose worse.
const MANY: usize = 20;

/// Words in names of tools that read what is the user's own.
const PRIVATE: [&str; 31] = [
    "account",
    "accounts",
    "address",
    "addresses",
    "balance",
    "bookings",
    "calendar",
    "cards",
    "cart",
    "contact",
    "contacts",
    "document",
    "documents",
    "drafts",
    "email",
    "emails",
    "file",
    "files",
    "history",
    "inbox",
    "invoices",
    "mail",
    "mails",
    "medical",
    "messages",
    "orders",
    "payments",
    "profile",
    "records",
    "transactions",
    "wallet",
];

/// Chinese words for them.
const PRIVATE_CHINESE: [&str; 10] =
    ["账户", "个人资料", "我的订单", "通讯录", "联系人", "日程", "余额", "收件箱", "病历", "私信"];

/// Words in names of tools that carry text away.
const SENDING: [&str; 18] = [
    "comment", "email", "export", "forward", "invite", "mail", "message", "notify", "post", "publish",
    "reply", "send", "share", "submit", "sync", "transfer", "tweet", "upload",
];

/// Chinese words for them.
const SENDING_CHINESE: [&str; 6] = ["发送", "转发", "发布", "分享", "上传", "转账"];

/// Looks at the tools, of which a page has `total`.
pub(crate) fn check(tools: &[LintedTool], total: usize, found: &mut Vec<ToolFinding>) {
    if total > MANY {
        let finding = ToolFinding::of(ToolRule::TooManyTools).with("count", total).with("most", MOST_TOOLS);
        found.push(match total > MOST_TOOLS {
            true => {
                let words = (word::RULE_TOO_MANY_TOOLS_CUT, word::RULE_TOO_MANY_TOOLS_WAY);
                finding.severe(LintSeverity::Error).worded(words.0, words.1)
            }
            false => finding,
        });
    }
    let first = |is_one: fn(&ToolDescription) -> bool| tools.iter().find(|tool| is_one(&tool.description));
    if let (Some(private), Some(others), Some(sender)) =
        (first(reads_private), first(returns_others), first(sends))
    {
        let finding = ToolFinding::of(ToolRule::CapabilityTrifecta).about(sender);
        let finding =
            finding.with("private", &private.description.name).with("others", &others.description.name);
        found.push(finding.with("sender", &sender.description.name));
    }
}

fn reads_private(tool: &ToolDescription) -> bool {
    reads(tool) && (has_word(tool, &PRIVATE) || says(tool, &PRIVATE_CHINESE))
}

fn sends(tool: &ToolDescription) -> bool {
    !reads(tool) && (has_word(tool, &SENDING) || says(tool, &SENDING_CHINESE))
}

fn says(tool: &ToolDescription, words: &[&str]) -> bool {
    words.iter().any(|word| tool.title.contains(word) || tool.description.contains(word))
}
