//! Displays URLs: whether a link's text says where it leads, and hosts that are too long for their line.

use leptos::prelude::*;

/// Path, query and fragment longer than this, in characters, may carry data that the model has read.
const CARRIES: usize = 60;

/// A link's URL, parsed by the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkAddress {
    /// Host and port as the browser sees them; the address of a mailbox.
    pub host: String,
    /// Everything after the host.
    pub rest: String,
}

/// Parses a link's URL; `None` if the browser cannot.
pub fn address(href: &str) -> Option<LinkAddress> {
    let url = web_sys::Url::new(href).ok()?;
    let rest = format!("{}{}", url.search(), url.hash());
    Some(match url.host() {
        mailbox if mailbox.is_empty() => LinkAddress { host: url.pathname(), rest },
        host => LinkAddress { host, rest: format!("{}{rest}", url.pathname()) },
    })
}

impl LinkAddress {
    /// Whether a link's text says where it leads: it is the URL or the host.
    pub fn is_said_by(&self, words: &str, href: &str) -> bool {
        let bare = |text: &str| {
            let text = text.trim().trim_end_matches('/');
            let text = text.split_once("://").map_or(text, |(_, rest)| rest);
            text.strip_prefix("mailto:").unwrap_or(text).to_owned()
        };
        let words = bare(words);
        words == bare(href)
            || words.eq_ignore_ascii_case(&self.host)
            || words == bare(&format!("{}{}", self.host, self.rest))
    }

    /// Number of characters after the host, if there are many.
    pub fn carries(&self) -> Option<usize> {
        let count = self.rest.chars().count();
        (count > CARRIES).then_some(count)
    }
}

/// A host in one line. If it is too long, its beginning is cut, which its owner can choose freely; its end stays.
pub fn site_line(host: impl Fn() -> String + Send + Sync + 'static) -> AnyView {
    view! {
        <span class="site-line">
            <bdi dir="ltr">{host}</bdi>
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str, rest: &str) -> LinkAddress {
        LinkAddress { host: host.to_owned(), rest: rest.to_owned() }
    }

    #[test]
    fn link_text_names_its_address_when_it_is_the_url_or_the_host() {
        let it = address("a.example", "/seats?row=7");
        let href = "https://a.example/seats?row=7";
        for words in [href, "a.example", "A.example", "a.example/seats?row=7", " https://a.example "] {
            assert!(it.is_said_by(words, href), "{words}");
        }
        for words in ["[ Run ]", "", "https://b.example", "a.example.b.example", "a.example/other", "example"]
        {
            assert!(!it.is_said_by(words, href), "{words}");
        }
        let mailbox = address("me@a.example", "");
        assert!(mailbox.is_said_by("me@a.example", "mailto:me@a.example"));
        assert!(!mailbox.is_said_by("you@a.example", "mailto:me@a.example"));
    }

    #[test]
    fn address_carries_data_when_long_after_the_host() {
        assert_eq!(address("a.example", "/flights/PEK-SHA?date=2026-11-22").carries(), None);
        let rest = format!("/?d={}", "x".repeat(100));
        assert_eq!(address("a.example", &rest).carries(), Some(104));
    }
}
