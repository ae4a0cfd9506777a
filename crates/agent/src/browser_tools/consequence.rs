//! Whether an action has consequences, by what the page calls its element, form and dialog. The word lists are
//! data: whole words in English, substrings in Chinese, both folded.

use serde::Deserialize;
use sidecar_protocol::{ActionCard, Consequence};

use super::arguments::Action;

/// An element as the page script describes it. Its texts are the page's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Described {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// Its value, if it may be read.
    pub value: Option<String>,
    /// Its tooltip.
    pub title: String,
    /// The form it is in.
    pub form: Option<DescribedForm>,
    /// Beginning of the text of the dialog it is in.
    pub dialog: String,
    /// Words of its icon: title and class names.
    pub icon: String,
    /// Whether a click submits its form.
    pub submits: bool,
    /// Name of the button that submits the form, for an action that does.
    pub button: String,
    /// Whether it is a password, payment or one-time-code field.
    pub secret: bool,
    /// Whether it takes files.
    pub file: bool,
    /// What gives way to another document by the action, if something does.
    pub leads: Option<NavigationScope>,
    /// Whether the agent typed something in its document that nobody sent, and that the action does not send.
    pub unsent: bool,
    /// Whether it leads away from what the agent typed and nobody sent: not told by the page script, which knows its own
    /// document alone.
    #[serde(skip)]
    pub leaves: bool,
}

/// What gives way to another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NavigationScope {
    /// The document of the element.
    Frame,
    /// Perhaps another one of the tab, as the top one.
    Tab,
}

/// The form of an element.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DescribedForm {
    /// Its heading.
    pub heading: String,
    /// Its accessible name.
    pub name: String,
    /// Number of filled fields with personal data.
    pub personal: u32,
    /// Number of chosen files.
    pub files: u32,
    /// Whether it shows a sum of money.
    pub total: bool,
    /// The origin it is sent to, if that is another.
    pub origin: String,
}

struct ConsequenceWords {
    consequence: Consequence,
    english: &'static [&'static str],
    chinese: &'static [&'static str],
}

/// The worst first: the first that fits counts.
const WORDS: [ConsequenceWords; 5] = [
    ConsequenceWords {
        consequence: Consequence::Pay,
        english: &[
            "pay",
            "pay now",
            "buy",
            "buy now",
            "purchase",
            "place order",
            "place your order",
            "order now",
            "checkout",
            "check out",
            "subscribe",
            "donate",
            "bid",
            "place bid",
            "book",
            "book now",
            "reserve",
            "top up",
            "transfer",
            "withdraw",
            "complete order",
            "confirm order",
            "complete purchase",
        ],
        chinese: &[
            "支付",
            "付款",
            "购买",
            "买单",
            "提交订单",
            "下单",
            "结算",
            "订阅",
            "充值",
            "转账",
            "提现",
            "预订",
            "预定",
            "捐款",
            "捐赠",
            "竞价",
            "出价",
        ],
    },
    ConsequenceWords {
        consequence: Consequence::Delete,
        english: &[
            "delete",
            "remove",
            "clear all",
            "discard",
            "reset",
            "empty trash",
            "revoke",
            "deactivate",
            "merge",
            "erase",
            "destroy",
            "overwrite",
            "trash",
            "bin",
            "unpublish",
            "archive",
            "terminate",
            "wipe",
            "purge",
        ],
        chinese: &["删除", "移除", "清空", "丢弃", "重置", "停用", "撤销", "抹除", "覆盖", "作废", "解散"],
    },
    ConsequenceWords {
        consequence: Consequence::Send,
        english: &[
            "send", "post", "publish", "reply", "share", "comment", "invite", "tweet", "repost", "forward",
            "submit", "apply", "release",
        ],
        chinese: &[
            "发送", "发布", "发表", "回复", "分享", "评论", "邀请", "提交", "转发", "发帖", "寄出", "申请",
            "群发", "投稿",
        ],
    },
    ConsequenceWords {
        consequence: Consequence::Account,
        english: &[
            "create account",
            "sign up",
            "register",
            "change password",
            "reset password",
            "cancel plan",
            "cancel subscription",
            "cancel membership",
            "close account",
            "log out",
            "sign out",
        ],
        chinese: &[
            "注册",
            "修改密码",
            "更改密码",
            "退出登录",
            "注销",
            "解约",
            "取消订阅",
            "取消会员",
            "销户",
        ],
    },
    ConsequenceWords {
        consequence: Consequence::Bind,
        english: &[
            "sign",
            "accept",
            "accept all",
            "agree",
            "i agree",
            "authorize",
            "authorise",
            "allow",
            "grant",
            "install",
            "approve",
            "confirm",
            "consent",
            "e-sign",
        ],
        chinese: &[
            "签署", "签字", "签名", "同意", "接受", "授权", "允许", "安装", "绑定", "确认", "批准", "审批",
        ],
    },
];

/// English labels in which a listed word means nothing: a listed word that stands in one of these does not
/// count.
const HARMLESS: &[&str] = &[
    "sign in",
    "sign-in",
    "log in",
    "bookmark",
    "share price",
    "share prices",
    "post code",
    "post office",
    "reset filters",
    "reset filter",
    "clear filters",
    "book reviews",
    "comments",
    "replies",
    "orders",
    "next post",
    "previous post",
    "reply count",
    "submit search",
    "apply filters",
    "apply filter",
    "remove filter",
    "remove filters",
    "all posts",
    "buying guide",
    "order by",
    "order history",
    "subscribed",
];

/// Words of a place where whatever is pressed is serious.
const SERIOUS: &[&str] = &[
    "are you sure",
    "cannot be undone",
    "can't be undone",
    "irreversible",
    "permanently",
    "无法撤销",
    "不可恢复",
    "确定要",
    "不可撤销",
    "永久",
];

/// Words in the name of a field that searches.
const SEARCHES: &[&str] = &["search", "find", "filter", "go to", "搜索", "查找", "筛选", "搜"];

/// Words of a press that leaves such a place.
const LEAVES: &[&str] = &["cancel", "no", "close", "back", "keep", "not now", "取消", "返回", "关闭", "否"];

/// What an action on an element has for consequences.
#[must_use]
pub fn consequence_of(action: &Action, element: &Described) -> Option<Consequence> {
    let act = action.request["act"].as_str().unwrap_or_default();
    let key = action.request["key"].as_str().unwrap_or_default();
    let is_press = act == "press" && matches!(key, "Enter" | " " | "Space" | "Spacebar" | "Delete");
    let presses =
        matches!(act, "click" | "submit" | "check" | "choose" | "drag") || action.submits || is_press;
    if !presses || matches!(act, "scroll" | "hover") {
        return None;
    }
    let is_control =
        !matches!(element.role.as_str(), "textbox" | "searchbox" | "combobox" | "spinbutton" | "slider");
    let icon = if element.name.is_empty() { element.icon.as_str() } else { "" };
    let own = [element.name.as_str(), element.title.as_str(), icon];
    let value = element.value.as_deref().filter(|_| is_control && element.submits).unwrap_or_default();
    let sends = action.submits || element.submits || act == "submit";
    let button = Some(element.button.as_str()).filter(|_| sends).and_then(by_words);
    // A menu's entry is pressed; an entry of a list is a value.
    let is_menu = act == "choose" && !matches!(element.role.as_str(), "combobox" | "listbox" | "radiogroup");
    let entries = action.values.iter().filter(|_| is_menu).find_map(|entry| by_words(entry));
    // What is sent from a field without a form is a message, unless it is a search.
    let is_message = (action.submits || (act == "press" && key == "Enter"))
        && element.role == "textbox"
        && element.form.is_none()
        && !SEARCHES.iter().any(|word| fold(&element.name).contains(word));
    let message = is_message.then_some(Consequence::Send);
    let named = own.into_iter().chain([value]).find_map(|text| by_words(text).filter(|_| is_control));
    let is_submit = action.submits || element.submits || act == "submit";
    let form = element.form.as_ref().filter(|_| is_submit);
    let by_form = form.and_then(|form| {
        if form.total {
            return Some(Consequence::Pay);
        }
        let has_personal_data = form.personal >= 2 || form.files > 0 || !form.origin.is_empty();
        by_words(&form.heading)
            .or_else(|| by_words(&form.name))
            .or(has_personal_data.then_some(Consequence::PersonalData))
    });
    let dialog = fold(&element.dialog);
    let is_serious = is_control
        && SERIOUS.iter().any(|word| dialog.contains(word))
        && !LEAVES.iter().any(|word| fold(&element.name) == *word);
    let worst = named.or(entries).or(button).or(by_form).or(message);
    worst.or(is_serious.then_some(Consequence::Delete)).or(element.leaves.then_some(Consequence::Unsaved))
}

fn by_words(text: &str) -> Option<Consequence> {
    let mut text = fold(text);
    for harmless in HARMLESS {
        text = replace_words(&text, harmless);
    }
    let has = |words: &ConsequenceWords| {
        words.english.iter().any(|word| has_words(&text, word))
            || words.chinese.iter().any(|word| text.contains(word))
    };
    WORDS.iter().find(|words| has(words)).map(|words| words.consequence)
}

/// In lower case, each run of characters other than letters and digits as one space.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\u{ff01}'..='\u{ff5e}' => folded.extend(char::from_u32(u32::from(c) - 0xfee0)),
            c if c.is_alphanumeric() || matches!(c, '\'') => folded.push(c),
            _ if folded.ends_with(' ') => {}
            _ => folded.push(' '),
        }
    }
    folded.trim().to_owned()
}

fn has_words(text: &str, words: &str) -> bool {
    find_words(text, words).is_some()
}

/// Where these whole words stand.
fn find_words(text: &str, words: &str) -> Option<usize> {
    let words = fold(words);
    text.match_indices(words.as_str()).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        !is_word(before) && !is_word(after)
    })
}

fn replace_words(text: &str, words: &str) -> String {
    match find_words(text, words) {
        Some(at) => format!("{} {}", &text[..at], &text[at + fold(words).len()..]),
        None => text.to_owned(),
    }
}

/// What the user is shown of an action: what the extension itself reads, never the model's words.
#[must_use]
pub fn card(tool: &str, action: &Action, element: &Described, frame: Option<&str>) -> ActionCard {
    let cut = |text: &str| text.chars().take(ActionCard::MOST).collect::<String>();
    let form =
        element.form.as_ref().map(|form| if form.heading.is_empty() { &form.name } else { &form.heading });
    ActionCard {
        action: tool.to_owned(),
        role: cut(&element.role),
        name: cut(&element.name),
        form: form.map(|form| cut(form)).unwrap_or_default(),
        dialog: cut(&element.dialog),
        frame: frame.map(cut).unwrap_or_default(),
        consequence: consequence_of(action, element),
        tab: String::new(),
        by_user: None,
        sensitive: None,
        picture: None,
    }
}

#[cfg(test)]
mod labels;
#[cfg(test)]
mod tests;
