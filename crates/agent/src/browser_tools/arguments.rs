//! The arguments of the browser's tools, read into what is to be done.

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_protocol::{PageAccess, TabId};

use super::definitions::{PAGE_ACCESS, named};

/// Maximum characters of a text that is typed.
const MOST_TEXT: usize = 20_000;

/// Maximum characters of a selector.
const MOST_SELECTOR: usize = 1_000;

/// Maximum number of fields of a call.
const MOST_FIELDS: usize = 50;

/// How long `wait_for` waits if the call does not say, in seconds.
const WAIT_SECONDS: u64 = 10;

/// What a call of a browser tool is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserCall {
    /// Ask for the use of a site's pages.
    Access(PageAccess),
    /// Take a snapshot: the options of the page script's `snapshot`.
    Snapshot(Value),
    /// Read the main text from this character on.
    Text(u64),
    /// Take a picture of what is visible, or of the element with this ref.
    Screenshot(Option<String>),
    /// Find elements by a CSS selector.
    Find(String),
    /// Wait: the options of the page script's `wait`, and for how many milliseconds.
    Wait(Value, u64),
    /// Scroll or act on an element.
    Act(Action),
    /// Do something with tabs.
    Tab(TabCall),
}

/// An action in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The element: a ref or a CSS selector; for several fields the first. Empty for the focused one.
    pub target: String,
    /// The request to the page script, without id.
    pub request: Value,
    /// What is typed or chosen.
    pub values: Vec<String>,
    /// Whether it submits a form.
    pub submits: bool,
    /// Whether it only scrolls.
    pub scroll: Scroll,
}

/// Whether an action only scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// It does.
    Only,
    /// It acts.
    No,
}

/// Something to do with tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TabCall {
    /// List them.
    List,
    /// Open an address in a new one.
    Open(String),
    /// Show one.
    Switch(TabId),
    /// Close one.
    Close(TabId),
    /// Lead this one to an address, or `back`, `forward`, `reload`.
    Navigate(String),
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CallArguments {
    access: String,
    query: Option<String>,
    root: Option<String>,
    since: Option<String>,
    offset: u64,
    css: String,
    to: String,
    selector: Option<String>,
    text: Option<String>,
    gone: bool,
    seconds: Option<u64>,
    count: Option<u32>,
    fields: Vec<TypedField>,
    append: bool,
    submit: bool,
    values: Vec<String>,
    on: Option<bool>,
    key: String,
    url: String,
    tab_id: Option<i32>,
}

#[derive(Deserialize)]
struct TypedField {
    selector: String,
    text: String,
}

/// Reads the arguments (JSON text of an object) of a call of this tool.
///
/// # Errors
/// What is wrong with them, for the model.
pub fn read(name: &str, arguments: &str) -> Result<BrowserCall, String> {
    let arguments: CallArguments =
        serde_json::from_str(arguments).map_err(|error| format!("The arguments do not fit: {error}."))?;
    let CallArguments { access, query, root, since, offset, css, to, selector, text, gone, seconds, .. } =
        &arguments;
    Ok(match name {
        PAGE_ACCESS => {
            let access = PageAccess::named(access).ok_or("`access` is \"read\" or \"act\".")?;
            BrowserCall::Access(access)
        }
        "snapshot" => BrowserCall::Snapshot(options([("query", query), ("root", root), ("since", since)])),
        "page_text" => BrowserCall::Text(*offset),
        "screenshot" => BrowserCall::Screenshot(selector.as_deref().map(selector_of).transpose()?),
        "find_elements" => BrowserCall::Find(selector_of(css)?),
        "wait_for" => {
            if text.is_none() && selector.is_none() {
                return Err("Give a `text` or a `selector` to wait for.".to_owned());
            }
            let mut wait = options([("text", text), ("target", selector)]);
            wait["gone"] = json!(gone);
            BrowserCall::Wait(wait, seconds.unwrap_or(WAIT_SECONDS).clamp(1, 30) * 1_000)
        }
        "list_tabs" => BrowserCall::Tab(TabCall::List),
        "open_tab" => BrowserCall::Tab(TabCall::Open(web_address(&arguments.url)?)),
        "switch_tab" => BrowserCall::Tab(TabCall::Switch(tab(&arguments)?)),
        "close_tab" => BrowserCall::Tab(TabCall::Close(tab(&arguments)?)),
        "navigate_to" => BrowserCall::Tab(TabCall::Navigate(match arguments.url.as_str() {
            way @ ("back" | "forward" | "reload") => way.to_owned(),
            url => web_address(url)?,
        })),
        "scroll" => {
            if to.is_empty() {
                return Err("`to` is up, down, top, bottom or a ref.".to_owned());
            }
            // A place to scroll to is in the document of its ref.
            let is_way = matches!(to.as_str(), "up" | "down" | "top" | "bottom");
            let to = if is_way { to.clone() } else { selector_of(to)? };
            let target = if is_way { selector.clone().unwrap_or_default() } else { to.clone() };
            let scroll = Scroll::Only;
            let request = json!({"act": "scroll", "target": target, "to": to});
            BrowserCall::Act(Action { target, request, values: Vec::new(), submits: false, scroll })
        }
        _ => BrowserCall::Act(action(name, arguments)?),
    })
}

/// The tab that a call of this tool names, if the tool works in the page of a tab.
#[must_use]
pub fn tab_of(name: &str, arguments: &str) -> Option<TabId> {
    named(name).filter(|tool| tool.takes_tab())?;
    serde_json::from_str::<CallArguments>(arguments).ok()?.tab_id.map(TabId)
}

fn action(name: &str, arguments: CallArguments) -> Result<Action, String> {
    let CallArguments { selector, text, fields, append, submit, values, on, key, to, count, .. } = arguments;
    let with = |target: String, request: Value, values: Vec<String>, submits: bool| Action {
        target,
        request,
        values,
        submits,
        scroll: Scroll::No,
    };
    if name == "press_key" {
        let (modifiers, key) = keys(&key)?;
        let target = selector.unwrap_or_default();
        let request = json!({"act": "press", "target": target, "key": key, "modifiers": modifiers});
        return Ok(with(target, request, Vec::new(), key == "Enter"));
    }
    if name == "input_text" {
        let mut fields: Vec<(String, String)> =
            fields.into_iter().map(|field| (field.selector, field.text)).collect();
        if let (Some(selector), Some(text)) = (selector, text) {
            fields.insert(0, (selector, text));
        }
        if fields.is_empty() || fields.len() > MOST_FIELDS {
            return Err(format!("Give `selector` and `text`, or 1 to {MOST_FIELDS} `fields`."));
        }
        let mut list = Vec::new();
        for (selector, text) in &fields {
            if text.chars().count() > MOST_TEXT {
                return Err(format!("A text has more than {MOST_TEXT} characters."));
            }
            list.push(json!({"target": selector_of(selector)?, "text": text}));
        }
        // The form of the last field is the one that is sent.
        let at = if submit { fields.len() - 1 } else { 0 };
        let target = fields[at].0.clone();
        let request =
            json!({"act": "fill", "target": target, "fields": list, "append": append, "submit": submit});
        return Ok(with(target, request, fields.into_iter().map(|(_, text)| text).collect(), submit));
    }
    let target = selector_of(&selector.unwrap_or_default())?;
    let request = match name {
        "click_element" => json!({"act": "click", "target": target, "count": count.unwrap_or(1)}),
        "hover" => json!({"act": "hover", "target": target}),
        "select_option" => match on {
            Some(on) => json!({"act": "check", "target": target, "on": on}),
            None if values.is_empty() => return Err("Give `values` to choose, or `on`.".to_owned()),
            None => json!({"act": "choose", "target": target, "values": values}),
        },
        "drag" => json!({"act": "drag", "target": target, "to": selector_of(&to)?}),
        "submit_form" => json!({"act": "submit", "target": target}),
        _ => return Err(format!("There is no browser tool named {name:?}.")),
    };
    Ok(with(target, request, values, name == "submit_form"))
}

/// The options that are given.
fn options<const N: usize>(given: [(&str, &Option<String>); N]) -> Value {
    let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
    Value::Object(given.collect())
}

fn selector_of(text: &str) -> Result<String, String> {
    let text = text.trim();
    // Models write refs as they stand in the snapshot.
    let text = text.strip_prefix("[ref=").and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let text = text.strip_prefix("ref=").unwrap_or(text);
    match text.chars().count() {
        0 => Err("The element is missing: give its ref from a snapshot.".to_owned()),
        1..=MOST_SELECTOR => Ok(text.to_owned()),
        _ => Err("The selector is too long.".to_owned()),
    }
}

/// An address as the browser writes it, so that its origin can be told from its text.
fn web_address(url: &str) -> Result<String, String> {
    let only = "Only addresses that begin with https:// or http:// can be opened.";
    let (scheme, rest) = url.trim().split_once("://").ok_or(only)?;
    let scheme = scheme.to_ascii_lowercase();
    let usual_port = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => return Err(only.to_owned()),
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.to_lowercase();
    let host = host.strip_suffix(usual_port).unwrap_or(&host);
    if host.is_empty() || host.contains(['@', '\\', '%', ' ']) || url.contains(char::is_control) {
        return Err("Give the address with a plain host, as in https://host.example/path.".to_owned());
    }
    Ok(format!("{scheme}://{host}{path}"))
}

fn tab(arguments: &CallArguments) -> Result<TabId, String> {
    arguments.tab_id.map(TabId).ok_or_else(|| "Give the `tabId` of list_tabs.".to_owned())
}

/// Modifiers and key of `Control+Shift+a`.
fn keys(text: &str) -> Result<(Vec<&'static str>, &str), String> {
    let mut modifiers = Vec::new();
    let mut rest = text;
    while let Some((first, other)) =
        rest.split_once('+').filter(|(first, other)| !first.is_empty() && !other.is_empty())
    {
        modifiers.push(match first.to_ascii_lowercase().as_str() {
            "control" | "ctrl" => "Control",
            "shift" => "Shift",
            "alt" | "option" => "Alt",
            "meta" | "command" | "cmd" => "Meta",
            _ => return Err(format!("{first:?} is no modifier: use Control, Shift, Alt or Meta.")),
        });
        rest = other;
    }
    let key = match rest.to_ascii_lowercase().as_str() {
        "" => return Err("`key` is missing.".to_owned()),
        "return" | "enter" => "Enter",
        "del" | "delete" => "Delete",
        "space" | "spacebar" => " ",
        _ => rest,
    };
    Ok((modifiers, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(name: &str, arguments: &str) -> Action {
        match read(name, arguments) {
            Ok(BrowserCall::Act(action)) => action,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refs_are_read_in_every_way_models_write_them() {
        for written in ["e12", " e12 ", "[ref=e12]", "ref=e12"] {
            let arguments = json!({"selector": written}).to_string();
            assert_eq!(act("click_element", &arguments).target, "e12", "{written}");
        }
        assert!(read("click_element", "{}").unwrap_err().contains("ref"));
    }

    #[test]
    fn typing_takes_one_field_or_several_and_says_whether_it_submits() {
        let one = act("input_text", r#"{"selector":"e1","text":"Lyon","submit":true}"#);
        assert_eq!((one.values.as_slice(), one.submits), (["Lyon".to_owned()].as_slice(), true));
        let fields = r#"{"fields":[{"selector":"e1","text":"a"},{"selector":"e2","text":"b"}]}"#;
        let several = act("input_text", fields);
        assert_eq!((several.target.as_str(), several.values.len(), several.submits), ("e1", 2, false));
        assert!(read("input_text", r#"{"selector":"e1"}"#).is_err());
        let long = json!({"selector": "e1", "text": "字".repeat(MOST_TEXT + 1)}).to_string();
        assert!(read("input_text", &long).is_err());
    }

    #[test]
    fn keys_have_modifiers_and_a_plus_is_a_key() {
        let pressed = act("press_key", r#"{"key":"ctrl+Shift+a"}"#).request;
        assert_eq!((&pressed["key"], &pressed["modifiers"]), (&json!("a"), &json!(["Control", "Shift"])));
        assert_eq!(act("press_key", r#"{"key":"+"}"#).request["key"], json!("+"));
        assert!(act("press_key", r#"{"key":"Enter"}"#).submits);
        assert!(read("press_key", r#"{"key":"Hyper+a"}"#).is_err());
    }

    #[test]
    fn only_web_addresses_are_opened() {
        for url in ["javascript:alert(1)", "chrome://settings", "file:///etc/hosts", "", "data:text/html,x"] {
            let arguments = json!({"url": url}).to_string();
            assert!(
                read("open_tab", &arguments).is_err() && read("navigate_to", &arguments).is_err(),
                "{url}"
            );
        }
        for (url, written) in [
            ("HTTPS://Shop.Example:443/A?b", Some("https://shop.example/A?b")),
            ("http://localhost:8080", Some("http://localhost:8080")),
            ("https://user:secret@shop.example/", None),
            ("https://shop.example\\@bank.example/", None),
            ("https:/bank.example", None),
            ("https:///bank.example", None),
        ] {
            let read = read("open_tab", &json!({"url": url}).to_string());
            let expected = written.map(|url| BrowserCall::Tab(TabCall::Open(url.to_owned())));
            assert_eq!(read.ok(), expected, "{url}");
        }
        let back = read("navigate_to", r#"{"url":"back"}"#);
        assert_eq!(back, Ok(BrowserCall::Tab(TabCall::Navigate("back".to_owned()))));
    }

    #[test]
    fn tab_is_read_of_tools_for_pages_only() {
        for (name, arguments, tab) in [
            ("snapshot", r#"{"tabId":3}"#, Some(TabId(3))),
            ("click_element", r#"{"selector":"e1","tabId":3}"#, Some(TabId(3))),
            (PAGE_ACCESS, r#"{"access":"read","tabId":3}"#, Some(TabId(3))),
            ("snapshot", "{}", None),
            ("snapshot", r#"{"tabId":"three"}"#, None),
            ("close_tab", r#"{"tabId":3}"#, None),
            ("buy", r#"{"tabId":3}"#, None),
        ] {
            assert_eq!(tab_of(name, arguments), tab, "{name} {arguments}");
        }
    }

    #[test]
    fn every_tool_has_a_reader() {
        let arguments = json!({
            "access": "read", "css": "a", "text": "x", "url": "https://a.example/", "tabId": 3, "to": "down",
            "selector": "e1", "values": ["x"], "key": "Enter",
        });
        for tool in super::super::TOOLS {
            assert!(read(tool.name, &arguments.to_string()).is_ok(), "{}", tool.name);
        }
    }

    #[test]
    fn scrolling_to_a_ref_goes_to_the_document_of_the_ref() {
        assert_eq!(act("scroll", r#"{"to":"[ref=f2e7]"}"#).target, "f2e7");
        assert_eq!(act("scroll", r#"{"to":"down"}"#).target, "");
        assert_eq!(act("scroll", r#"{"to":"down","selector":"f1e2"}"#).target, "f1e2");
    }

    #[test]
    fn wait_needs_something_to_wait_for_and_has_a_limit() {
        assert!(read("wait_for", "{}").is_err());
        let Ok(BrowserCall::Wait(_, milliseconds)) = read("wait_for", r#"{"text":"Done","seconds":900}"#)
        else {
            panic!("no wait");
        };
        assert_eq!(milliseconds, 30_000);
    }
}
