//! Whether a tool may count as read-only.
//!
//! A page's `readOnlyHint` is a claim of the page. It is believed only when the tool's own words do not speak of
//! acting; a wrong "acting" costs one question to the user, a wrong "read-only" could cost money.

use sidecar_protocol::page::ToolDescription;

/// Words that make a tool's *name* an acting one (parts of the name, split at case changes and separators).
const ACTING_NAME_PARTS: &[&str] = &[
    "add",
    "apply",
    "approve",
    "archive",
    "book",
    "buy",
    "cancel",
    "change",
    "checkout",
    "clear",
    "close",
    "confirm",
    "create",
    "delete",
    "disable",
    "edit",
    "enable",
    "execute",
    "import",
    "insert",
    "invite",
    "mark",
    "modify",
    "move",
    "order",
    "pay",
    "place",
    "post",
    "publish",
    "purchase",
    "remove",
    "rename",
    "replace",
    "reserve",
    "reset",
    "save",
    "send",
    "set",
    "share",
    "sign",
    "submit",
    "subscribe",
    "transfer",
    "unsubscribe",
    "update",
    "upload",
    "write",
];

/// Words that make a tool's *description* an acting one, as whole words: fewer, because descriptions also say what
/// a tool does not do.
const ACTING_WORDS: &[&str] = &[
    "buys",
    "buy",
    "purchases",
    "purchase",
    "pays",
    "pay",
    "deletes",
    "delete",
    "sends",
    "send",
    "submits",
    "submit",
    "transfers",
    "transfer",
    "publishes",
    "publish",
    "books",
    "book",
    "subscribes",
    "unsubscribes",
    "overwrites",
];

/// The same in Chinese, anywhere in name, title or description.
const ACTING_CHINESE: &[&str] = &[
    "购买",
    "下单",
    "支付",
    "付款",
    "删除",
    "移除",
    "发送",
    "提交",
    "转账",
    "发布",
    "预订",
    "预定",
    "订购",
    "取消订单",
    "修改",
    "清空",
    "覆盖",
    "上传",
    "订阅",
];

/// Whether the tool counts as read-only: the page says so, and neither its name nor its description speaks of acting.
#[must_use]
pub fn counts_as_read_only(tool: &ToolDescription) -> bool {
    tool.annotations.is_some_and(|hints| hints.read_only_hint && !hints.consequential_hint)
        && !speaks_of_acting(tool)
}

fn speaks_of_acting(tool: &ToolDescription) -> bool {
    let texts = [&tool.name, &tool.title, &tool.description];
    name_parts(&tool.name).any(|part| ACTING_NAME_PARTS.contains(&part.as_str()))
        || words(&tool.title)
            .chain(words(&tool.description))
            .any(|word| ACTING_WORDS.contains(&word.as_str()))
        || ACTING_CHINESE.iter().any(|word| texts.iter().any(|text| text.contains(word)))
}

/// `setPriceFilters_v2` → `set`, `price`, `filters`, `v`, `2`; `DELETEAll` → `delete`, `all`.
fn name_parts(name: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let begins_word = before.is_ascii_lowercase()
            || (before.is_ascii_uppercase() && rest.peek().is_some_and(char::is_ascii_lowercase));
        let starts_part = !c.is_ascii_alphanumeric()
            || (c.is_ascii_uppercase() && begins_word)
            || (c.is_ascii_digit() != before.is_ascii_digit());
        if starts_part {
            parts.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    parts.into_iter().filter(|part| !part.is_empty())
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidecar_protocol::page::ToolAnnotations;

    fn tool(name: &str, description: &str, annotations: Option<ToolAnnotations>) -> ToolDescription {
        ToolDescription {
            name: name.to_owned(),
            title: String::new(),
            description: description.to_owned(),
            input_schema: None,
            annotations,
        }
    }

    #[test]
    fn a_claim_is_believed_only_when_the_words_agree() {
        let read_only = Some(ToolAnnotations { read_only_hint: true, ..ToolAnnotations::default() });
        let both = Some(ToolAnnotations {
            read_only_hint: true,
            consequential_hint: true,
            ..ToolAnnotations::default()
        });
        for (name, description, annotations, expected) in [
            ("listFlights", "Lists the flights that the page shows now.", read_only, true),
            ("get_settings", "Reads the settings.", read_only, true),
            ("getPostcode", "Finds a postcode.", read_only, true),
            ("listFlights", "Lists flights.", None, false),
            ("listFlights", "Lists flights.", Some(ToolAnnotations::default()), false),
            ("listFlights", "Lists flights.", both, false),
            ("deleteAll", "Lists everything.", read_only, false),
            ("DELETEAll", "Lists everything.", read_only, false),
            ("getHTTPSettings", "Reads.", read_only, true),
            ("resetFilters", "Clears.", read_only, false),
            ("mail-send", "Harmless.", read_only, false),
            ("query", "Sends the query to your boss.", read_only, false),
            ("query", "查询并支付订单", read_only, false),
            ("query", "查询航班", read_only, true),
        ] {
            assert_eq!(
                counts_as_read_only(&tool(name, description, annotations)),
                expected,
                "{name}: {description}"
            );
        }
    }
}
