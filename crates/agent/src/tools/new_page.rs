//! The page to which a form led is the result of the call: its structured data (JSON-LD), as the WebMCP
//! draft says, or otherwise its title, address and the beginning of its text.

use serde::Deserialize;
use serde::de::IgnoredAny;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::page::caps;
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_webmcp::Address;

use crate::policies::hidden::HiddenSites;

/// Maximum characters of structured data.
const MOST_DATA: usize = 200_000;

/// Maximum characters of a text and of an address.
const MOST_TEXT: usize = 8_000;
const MOST_ADDRESS: usize = 2_000;

/// The contents of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct NewDocument {
    /// Its origin.
    pub origin: String,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its text; only the main part if the page marks one.
    pub text: String,
    /// The texts of its JSON-LD scripts.
    pub data: Vec<String>,
}

/// The address of a document.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Location {
    /// Its origin.
    pub origin: String,
    /// Its address.
    pub url: String,
}

/// Why a document at this address must not be read.
#[must_use]
pub fn refusal(origin: &str, url: &str, hidden: &HiddenSites) -> Option<Unread> {
    let address = Address::of(url);
    if hidden.hides(origin) || hidden.hides(&address.origin()) {
        return Some(Unread::Hidden);
    }
    match address.status() {
        PageStatus::Ready | PageStatus::Loading | PageStatus::Blocked => None,
        PageStatus::Insecure => Some(Unread::Insecure),
        PageStatus::Restricted => Some(Unread::Restricted),
    }
}

/// The outcome of a call whose form led to this document.
#[must_use]
pub fn outcome(document: &NewDocument, hidden: &HiddenSites) -> ToolOutcome {
    // It may have navigated again since its address was checked.
    if let Some(why) = refusal(&document.origin, &document.url, hidden) {
        return unread(why);
    }
    let address = Address::of(&document.url);
    let page = PageEffect::Opened { origin: document.origin.clone(), site: address.site().to_owned() };
    let content = data(&document.data).map_or_else(|| Content::Text(text(document)), Content::Structured);
    ToolOutcome::Ok { content: vec![content], page }
}

/// The outcome of a call whose form led to a page that is not read.
#[must_use]
pub fn unread(why: Unread) -> ToolOutcome {
    ToolOutcome::Ok { content: Vec::new(), page: PageEffect::Left { unread: Some(why) } }
}

/// The scripts that are valid JSON, as far as they fit: one as it is, several as a list.
fn data(scripts: &[String]) -> Option<String> {
    let mut room = MOST_DATA;
    let sound = scripts.iter().map(|script| script.trim()).filter(|script| {
        let fits = script.chars().count() <= room && serde_json::from_str::<IgnoredAny>(script).is_ok();
        if fits {
            room -= script.chars().count();
        }
        fits
    });
    let sound: Vec<&str> = sound.collect();
    match sound.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        several => Some(format!("[{}]", several.join(","))),
    }
}

fn text(document: &NewDocument) -> String {
    let title = one_line(&document.title, caps::TITLE);
    let address = one_line(&document.url, MOST_ADDRESS);
    let text = document.text.trim();
    let beginning = match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    format!("Title: {title}\nAddress: {address}\n\n{beginning}")
}

fn one_line(text: &str, most: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn document(data: &[&str]) -> NewDocument {
        NewDocument {
            origin: "https://shop.example".to_owned(),
            url: "https://shop.example/order?id=7".to_owned(),
            title: " Your\n order ".to_owned(),
            text: "\nThank you. ".to_owned(),
            data: data.iter().map(|&one| one.to_owned()).collect(),
        }
    }

    fn result(document: &NewDocument) -> String {
        let outcome = outcome(document, &HiddenSites::default());
        let text = outcome.text().map(Cow::into_owned);
        let ToolOutcome::Ok { page, .. } = outcome else { panic!("{outcome:?}") };
        let origin = document.origin.clone();
        assert_eq!(page, PageEffect::Opened { origin, site: "shop.example".to_owned() });
        text.unwrap()
    }

    #[test]
    fn new_page_result_is_its_structured_data() {
        for (scripts, expected) in [
            (vec![r#" {"@type":"Order"} "#], r#"{"@type":"Order"}"#),
            (vec![r#"{"a":1}"#, "[2]"], r#"[{"a":1},[2]]"#),
            (vec![r#"{"a":"#, r#"{"b":2}"#, ""], r#"{"b":2}"#),
        ] {
            assert_eq!(result(&document(&scripts)), expected);
        }
    }

    #[test]
    fn new_page_result_is_title_address_and_text_without_valid_data() {
        let expected = "Title: Your order\nAddress: https://shop.example/order?id=7\n\nThank you.";
        for scripts in [vec![], vec!["{'a':1}"], vec!["", "not json"]] {
            assert_eq!(result(&document(&scripts)), expected);
        }
    }

    #[test]
    fn new_page_result_is_cut() {
        let large = format!("\"{}\"", "a".repeat(MOST_DATA - 10));
        assert_eq!(result(&document(&[&large, &large, "3"])), format!("[{large},3]"));
        let document = NewDocument { text: "字".repeat(MOST_TEXT + 1), ..document(&[]) };
        let result = result(&document);
        assert!(result.ends_with("字…") && result.chars().filter(|c| *c == '字').count() == MOST_TEXT);
    }

    #[test]
    fn new_page_is_not_read_when_hidden_insecure_or_restricted() {
        let mut hidden = HiddenSites::default();
        hidden.hide("https://shop.example", 1).unwrap();
        let shop = document(&[r#"{"a":1}"#]);
        assert_eq!(outcome(&shop, &hidden), unread(Unread::Hidden));
        // A sandboxed document has another origin than its address.
        let sandboxed = NewDocument { origin: "null".to_owned(), ..shop.clone() };
        assert_eq!(outcome(&sandboxed, &hidden), unread(Unread::Hidden));
        for (url, why) in [
            ("http://shop.example/", Unread::Insecure),
            ("about:blank", Unread::Restricted),
            ("https://chromewebstore.google.com/", Unread::Restricted),
        ] {
            let document = NewDocument { url: url.to_owned(), ..shop.clone() };
            assert_eq!(outcome(&document, &HiddenSites::default()), unread(why), "{url}");
        }
    }
}
