//! What a tab's address says about its page before anything runs in it.

use sidecar_protocol::page_view::PageStatus;

/// The parts of a URL that matter here. Not a URL parser: the browser has already normalised the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// Lower case, without the colon.
    pub scheme: &'a str,
    /// Host with port, as the browser writes it; empty for addresses without one.
    pub host: &'a str,
}

impl<'a> Address<'a> {
    /// Splits a browser's URL. Anything that is not a URL has an empty scheme and host.
    #[must_use]
    pub fn of(url: &'a str) -> Self {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Self { scheme: "", host: "" };
        };
        let host = rest
            .strip_prefix("//")
            .map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default())
            .map(|authority| authority.rsplit('@').next().unwrap_or_default())
            .unwrap_or_default();
        Self { scheme, host }
    }

    /// A short name for the page: its host and port, or its scheme (`chrome`, `file`).
    #[must_use]
    pub fn site(&self) -> &'a str {
        if self.host.is_empty() || self.is_browser_page() { self.scheme } else { self.host }
    }

    /// The origin of its documents (`https://flights.example`); empty if they have an opaque one.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.scheme {
            "http" | "https" if !self.host.is_empty() => format!("{}://{}", self.scheme, self.host),
            _ => String::new(),
        }
    }

    /// Whether tools can exist on this page, as far as the address tells.
    #[must_use]
    pub fn status(&self) -> PageStatus {
        match self.scheme {
            "https" if self.is_web_store() => PageStatus::Restricted,
            "https" | "file" => PageStatus::Ready,
            "http" if self.is_loopback() => PageStatus::Ready,
            "http" => PageStatus::Insecure,
            _ => PageStatus::Restricted,
        }
    }

    fn is_browser_page(&self) -> bool {
        !matches!(self.scheme, "http" | "https" | "file" | "ftp")
    }

    // Chrome runs no content scripts here, whatever the permissions are.
    fn is_web_store(&self) -> bool {
        matches!(self.host, "chromewebstore.google.com")
    }

    // Secure Contexts, "potentially trustworthy origin": loopback addresses and localhost names.
    fn is_loopback(&self) -> bool {
        let name = match self.host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => self.host.split(':').next().unwrap_or_default(),
        };
        name == "localhost"
            || name.ends_with(".localhost")
            || name == "::1"
            || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_has_origins() {
        for (url, origin) in [
            ("https://flights.example/search?q=1", "https://flights.example"),
            ("http://user@localhost:8080/", "http://localhost:8080"),
            ("file:///home/index.html", ""),
            ("chrome://extensions/", ""),
            ("", ""),
        ] {
            assert_eq!(Address::of(url).origin(), origin, "{url}");
        }
    }

    #[test]
    fn site_is_named_by_its_host_or_its_scheme() {
        for (url, site) in [
            ("https://flights.example/search?q=1", "flights.example"),
            ("http://localhost:8080/", "localhost:8080"),
            ("https://user:secret@flights.example/", "flights.example"),
            ("chrome://extensions/", "chrome"),
            ("chrome-extension://abc/panel.html", "chrome-extension"),
            ("about:blank", "about"),
            ("file:///home/index.html", "file"),
            ("", ""),
        ] {
            assert_eq!(Address::of(url).site(), site, "{url}");
        }
    }

    #[test]
    fn only_secure_addresses_can_have_tools() {
        for (url, status) in [
            ("https://flights.example/", PageStatus::Ready),
            ("http://localhost:8080/", PageStatus::Ready),
            ("http://shop.localhost/", PageStatus::Ready),
            ("http://127.0.0.5:80/", PageStatus::Ready),
            ("http://[::1]:3000/", PageStatus::Ready),
            ("http://127.0.0.1.evil.example/", PageStatus::Insecure),
            ("http://flights.example/", PageStatus::Insecure),
            ("https://chromewebstore.google.com/detail/x", PageStatus::Restricted),
            ("chrome://settings/", PageStatus::Restricted),
            ("about:blank", PageStatus::Restricted),
            ("", PageStatus::Restricted),
        ] {
            assert_eq!(Address::of(url).status(), status, "{url}");
        }
    }
}
