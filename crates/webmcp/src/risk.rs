//! The risk of a tool.
//!
//! A page's `readOnlyHint` is a claim. It is believed only if the tool's own words do not speak of acting:
//! a wrong "acting" costs the user one question, a wrong "read-only" could cost money. Hints that warn are
//! believed at once.

use sidecar_protocol::Risk;
use sidecar_protocol::page::ToolDescription;

/// Words in a *name* that mark a tool as acting (parts of the name, split at case changes and separators).
const ACTING_NAME_PARTS: &[&str] = &[
    "add",
    "apply",
    "approve",
    "archive",
    "authenticate",
    "authorise",
    "authorize",
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
    "login",
    "logout",
    "mark",
    "modify",
    "move",
    "order",
    "pay",
    "place",
    "post",
    "publish",
    "purchase",
    "register",
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
    "signin",
    "signup",
    "submit",
    "subscribe",
    "transfer",
    "unsubscribe",
    "update",
    "upload",
    "write",
];

/// Words in a *description* that mark a tool as acting, as whole words. There are fewer, because
/// descriptions also say what a tool does not do.
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
    "authorises",
    "authorizes",
    "signs",
];

/// Chinese words with this meaning, anywhere in name, title or description.
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
    "登录",
    "登入",
    "注册",
    "授权",
];

/// Words that mark a tool as consequential, as parts of its name or whole words in title or description:
/// money, loss, and messages to others.
const CONSEQUENTIAL_WORDS: &[&str] = &[
    "buy",
    "buys",
    "checkout",
    "delete",
    "deletes",
    "erase",
    "erases",
    "pay",
    "payment",
    "pays",
    "publish",
    "publishes",
    "purchase",
    "purchases",
    "send",
    "sends",
    "transfer",
    "transfers",
    "unsubscribe",
    "unsubscribes",
    "wipe",
    "wipes",
];

/// Chinese words with this meaning, anywhere in name, title or description.
const CONSEQUENTIAL_CHINESE: &[&str] =
    &["购买", "下单", "支付", "付款", "删除", "发送", "转账", "汇款", "发布", "清空", "注销", "退订"];

/// The risk of a tool: read-only if the page says so and neither name nor description speaks of acting;
/// consequential if the page or the words say so.
#[must_use]
pub fn of(tool: &ToolDescription) -> Risk {
    let hints = tool.annotations.unwrap_or_default();
    if hints.consequential_hint || hints.destructive_hint {
        return Risk::Consequential;
    }
    match hints.read_only_hint && !speaks_of(tool, ACTING_NAME_PARTS, ACTING_WORDS, ACTING_CHINESE) {
        true => Risk::ReadOnly,
        false if speaks_of(tool, CONSEQUENTIAL_WORDS, CONSEQUENTIAL_WORDS, CONSEQUENTIAL_CHINESE) => {
            Risk::Consequential
        }
        false => Risk::Acting,
    }
}

/// The risk of a tool whose hints are facts.
#[must_use]
pub fn by_hints(tool: &ToolDescription) -> Risk {
    let hints = tool.annotations.unwrap_or_default();
    match (hints.consequential_hint || hints.destructive_hint, hints.read_only_hint) {
        (true, _) => Risk::Consequential,
        (false, true) => Risk::ReadOnly,
        (false, false) => Risk::Acting,
    }
}

fn speaks_of(tool: &ToolDescription, name: &[&str], text: &[&str], chinese: &[&str]) -> bool {
    let texts = [&tool.name, &tool.title, &tool.description];
    name_parts(&tool.name).any(|part| name.contains(&part.as_str()))
        || words(&tool.title).chain(words(&tool.description)).any(|word| text.contains(&word.as_str()))
        || chinese.iter().any(|word| texts.iter().any(|text| text.contains(word)))
}

/// The words of a name, in lower case: `setPriceFilters_v2` → `set`, `price`, `filters`, `v`, `2`; `DELETEAll` → `delete`, `all`.
pub fn name_parts(name: &str) -> impl Iterator<Item = String> {
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
            form: false,
            definition: String::new(),
        }
    }

    #[test]
    fn read_only_hint_is_believed_only_when_the_words_agree() {
        let read_only = Some(ToolAnnotations { read_only_hint: true, ..ToolAnnotations::default() });
        let both = Some(ToolAnnotations {
            read_only_hint: true,
            consequential_hint: true,
            ..ToolAnnotations::default()
        });
        let destructive = Some(ToolAnnotations {
            read_only_hint: true,
            destructive_hint: true,
            ..ToolAnnotations::default()
        });
        let none = Some(ToolAnnotations::default());
        let (read, act, serious) = (Risk::ReadOnly, Risk::Acting, Risk::Consequential);
        for (name, description, annotations, expected) in [
            ("listFlights", "Lists the flights that the page shows now.", read_only, read),
            ("get_settings", "Reads the settings.", read_only, read),
            ("getPostcode", "Finds a postcode.", read_only, read),
            ("getHTTPSettings", "Reads.", read_only, read),
            ("query", "查询航班", read_only, read),
            ("listFlights", "Lists flights.", None, act),
            ("listFlights", "Lists flights.", none, act),
            ("resetFilters", "Clears.", read_only, act),
            ("setFilters", "Filters what is shown.", None, act),
            ("bookSeat", "Reserves a seat.", read_only, act),
            ("login", "Checks the password.", read_only, act),
            ("signIn", "Opens a session.", read_only, act),
            ("session", "登录账号", read_only, act),
            ("readLogs", "Lists the logs.", read_only, read),
            ("listFlights", "Lists flights.", both, serious),
            ("listFlights", "Lists flights.", destructive, serious),
            ("deleteAll", "Lists everything.", read_only, serious),
            ("DELETEAll", "Lists everything.", None, serious),
            ("mail-send", "Harmless.", read_only, serious),
            ("query", "Sends the query to your boss.", read_only, serious),
            ("query", "查询并支付订单", read_only, serious),
            ("order", "Pays for what is in the cart.", None, serious),
        ] {
            assert_eq!(of(&tool(name, description, annotations)), expected, "{name}: {description}");
        }
    }
}
