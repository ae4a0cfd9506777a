//! Match patterns, as Chrome has them: `scheme://host/path`.
//!
//! `*` as a scheme is http and https; `*.host` includes the host itself; a pattern without a port fits every port; in
//! the path `*` is any text. The path is compared with its case and with the query; the fragment is not seen.
//! (developer.chrome.com, "Match patterns".)

use sidecar_webmcp::Address;

/// A match pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchPattern {
    /// `None` is http and https.
    scheme: Option<&'static str>,
    host: HostPattern,
    port: Option<String>,
    path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    All,
    Exactly(String),
    /// A host and what is below it.
    Below(String),
}

/// What is wrong with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternFault {
    /// It is not `scheme://host/path`.
    Form,
    /// Its scheme is not http, https or `*`.
    Scheme,
    /// A `*` stands elsewhere in the host than at its beginning, or the host is none.
    Host,
}

impl MatchPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternFault`]
    pub fn read(text: &str) -> Result<Self, PatternFault> {
        if text == "<all_urls>" {
            return Ok(Self { scheme: None, host: HostPattern::All, port: None, path: "/*".to_owned() });
        }
        let (scheme, rest) = text.split_once("://").ok_or(PatternFault::Form)?;
        let scheme = match scheme {
            "*" => None,
            "http" => Some("http"),
            "https" => Some("https"),
            _ => return Err(PatternFault::Scheme),
        };
        let slash = rest.find('/').ok_or(PatternFault::Form)?;
        let (host, path) = rest.split_at(slash);
        if path.contains('#') {
            return Err(PatternFault::Form);
        }
        let (host, port) = match host.rsplit_once(':') {
            Some((host, "*")) => (host, None),
            Some((host, port)) if !port.ends_with(']') => {
                let is_port = port.parse::<u16>().is_ok() && !port.starts_with('0');
                (host, Some(is_port.then(|| port.to_owned()).ok_or(PatternFault::Host)?))
            }
            _ => (host, None),
        };
        let host = host.to_ascii_lowercase();
        let host = match host.strip_prefix("*.") {
            _ if host == "*" => HostPattern::All,
            Some(base) if is_host(base) => HostPattern::Below(base.to_owned()),
            None if is_host(&host) => HostPattern::Exactly(host),
            _ => return Err(PatternFault::Host),
        };
        Ok(Self { scheme, host, port, path: path.to_owned() })
    }

    /// Whether an address fits. The address is one that the browser has normalised.
    #[must_use]
    pub fn fits(&self, url: &str) -> bool {
        PageAddress::of(url).is_some_and(|address| self.fits_address(&address))
    }

    /// The same for an address that is compared with many patterns.
    #[must_use]
    pub fn fits_address(&self, &PageAddress { scheme, host, port, path }: &PageAddress<'_>) -> bool {
        let is_scheme = match self.scheme {
            None => matches!(scheme, "http" | "https"),
            Some(known) => known == scheme,
        };
        let is_host = match &self.host {
            HostPattern::All => true,
            HostPattern::Exactly(known) => known == host,
            HostPattern::Below(base) => {
                host == base || host.strip_suffix(base.as_str()).is_some_and(|below| below.ends_with('.'))
            }
        };
        let is_port = self.port.as_ref().is_none_or(|known| known == port);
        is_scheme && is_host && is_port && fits_glob(&self.path, path)
    }

    /// Whether it fits every site.
    #[must_use]
    pub fn is_any_site(&self) -> bool {
        self.host == HostPattern::All
    }

    /// The host below which every host fits, if there is one.
    #[must_use]
    pub fn wildcard_base(&self) -> Option<&str> {
        match &self.host {
            HostPattern::Below(base) => Some(base),
            HostPattern::All | HostPattern::Exactly(_) => None,
        }
    }

    /// Whether every address that fits the other fits this one too. May say no where it is so, never yes where it is
    /// not.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let is_scheme = self.scheme.is_none() || self.scheme == other.scheme;
        let is_host = match (&self.host, &other.host) {
            (HostPattern::All, _) => true,
            (HostPattern::Exactly(mine), HostPattern::Exactly(other)) => mine == other,
            (HostPattern::Below(mine), HostPattern::Exactly(other) | HostPattern::Below(other)) => {
                mine == other || other.strip_suffix(mine.as_str()).is_some_and(|below| below.ends_with('.'))
            }
            (HostPattern::Exactly(_), _) | (HostPattern::Below(_), HostPattern::All) => false,
        };
        let is_port = self.port.is_none() || self.port == other.port;
        let is_path = self.path == "/*"
            || self.path == other.path
            || self
                .path
                .strip_suffix('*')
                .is_some_and(|start| !start.contains('*') && other.path.starts_with(start));
        is_scheme && is_host && is_port && is_path
    }

    /// How narrow it is: more for a named host, and for each character of the path that is not `*`.
    #[must_use]
    pub fn specificity(&self) -> usize {
        let host = match &self.host {
            HostPattern::All => 0,
            HostPattern::Below(base) => 1_000 + base.len(),
            HostPattern::Exactly(host) => 2_000 + host.len(),
        };
        host + self.path.bytes().filter(|byte| *byte != b'*').count()
    }
}

/// The parts of a page's address with which patterns are compared.
#[derive(Debug, Clone, Copy)]
pub struct PageAddress<'a> {
    scheme: &'a str,
    host: &'a str,
    port: &'a str,
    /// With the query, without the fragment.
    path: &'a str,
}

impl<'a> PageAddress<'a> {
    /// Of an address that the browser has normalised; none if it is not `scheme://…`.
    #[must_use]
    pub fn of(url: &'a str) -> Option<Self> {
        let Address { scheme, host: authority } = Address::of(url);
        let (_, rest) = url.split_once("://")?;
        let path = rest.find(['/', '?', '#']).map_or("", |end| &rest[end..]);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !port.is_empty() => {
                (host, port)
            }
            _ => (authority, if scheme == "https" { "443" } else { "80" }),
        };
        let path = path.split('#').next().unwrap_or_default();
        Some(Self { scheme, host, port, path: if path.is_empty() { "/" } else { path } })
    }
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|six| six.parse::<std::net::Ipv6Addr>().is_ok()),
        None => {
            let is_label = |label: &str| {
                !label.is_empty() && label.chars().all(|char| char.is_alphanumeric() || "-_".contains(char))
            };
            host.split('.').all(is_label)
        }
    }
}

/// Whether a text fits a pattern in which `*` is any text. Takes time of one length times the other at most.
fn fits_glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(byte) if *byte == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                // The last star takes one character more.
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, seen) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fits(pattern: &str, url: &str) -> bool {
        MatchPattern::read(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault:?}")).fits(url)
    }

    #[test]
    fn case_18_addresses_fit_patterns_as_in_chrome() {
        for (pattern, url, expected) in [
            ("https://a.example/*", "https://a.example/", true),
            ("https://a.example/*", "https://a.example", true),
            ("https://a.example/*", "https://a.example/x?y=1#z", true),
            ("https://a.example/*", "http://a.example/", false),
            ("https://a.example/*", "https://b.example/", false),
            ("https://a.example/*", "https://x.a.example/", false),
            ("*://a.example/*", "http://a.example/", true),
            ("*://a.example/*", "https://a.example/", true),
            ("*://a.example/*", "ftp://a.example/", false),
            ("*://a.example/*", "file:///a.example/", false),
            ("https://*.a.example/*", "https://a.example/", true),
            ("https://*.a.example/*", "https://x.y.a.example/", true),
            ("https://*.a.example/*", "https://ba.example/", false),
            ("https://*.a.example/*", "https://a.example.evil/", false),
            ("https://a.example/*", "https://a.example.evil/", false),
            ("https://a.example/*", "https://a.example@evil.example/", false),
            ("https://a.example/*", "https://evil.example/?https://a.example/", false),
            ("https://a.example/*", "https://evil.example/#https://a.example/", false),
            ("https://A.example/*", "https://a.example/", true),
            ("https://a.example/Path/*", "https://a.example/path/", false),
            ("https://a.example/Path/*", "https://a.example/Path/", true),
            ("https://a.example/item?id=*", "https://a.example/item?id=3", true),
            ("https://a.example/item?id=*", "https://a.example/item", false),
            ("https://a.example/item", "https://a.example/item?id=3", false),
            ("https://a.example/item", "https://a.example/item#x", true),
            ("https://a.example/*/edit", "https://a.example/a/b/edit", true),
            ("https://a.example/*/edit", "https://a.example/a/edits", false),
            ("https://a.example/a*b*c", "https://a.example/aXbYbZc", true),
            ("https://a.example/a*b*c", "https://a.example/ab", false),
            ("http://shop.localhost/*", "http://shop.localhost:8123/basket", true),
            ("http://shop.localhost:8123/*", "http://shop.localhost:8123/", true),
            ("http://shop.localhost:8123/*", "http://shop.localhost:8124/", false),
            ("https://a.example:443/*", "https://a.example/", true),
            ("http://a.example:*/*", "http://a.example:99/", true),
            ("http://[::1]/*", "http://[::1]:80/", true),
            ("http://127.0.0.1/*", "http://127.0.0.1:3000/x", true),
            ("https://*/*", "https://a.example/x", true),
            ("<all_urls>", "http://a.example/", true),
            ("<all_urls>", "chrome://settings/", false),
            ("https://中文.example/*", "https://中文.example/", true),
        ] {
            assert_eq!(fits(pattern, url), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for (pattern, fault) in [
            ("", PatternFault::Form),
            ("a.example", PatternFault::Form),
            ("*.a.example", PatternFault::Form),
            ("https://a.example", PatternFault::Form),
            ("https://a.example/#x", PatternFault::Form),
            ("file:///*", PatternFault::Scheme),
            ("chrome://*/*", PatternFault::Scheme),
            ("javascript://a.example/*", PatternFault::Scheme),
            ("https://a.*.example/*", PatternFault::Host),
            ("https://*a.example/*", PatternFault::Host),
            ("https:///x", PatternFault::Host),
            ("https://a..b/*", PatternFault::Host),
            ("https://a.example:x/*", PatternFault::Host),
            ("https://a b/*", PatternFault::Host),
        ] {
            assert_eq!(MatchPattern::read(pattern), Err(fault), "{pattern}");
        }
    }

    #[test]
    fn narrower_patterns_come_first_and_wider_ones_cover_them() {
        let read = |text: &str| MatchPattern::read(text).unwrap();
        let narrow_to_wide = [
            "https://a.example/item?id=*",
            "https://a.example/*",
            "https://*.a.example/*",
            "https://*.example/*",
            "*://*/*",
        ]
        .map(read);
        for pair in narrow_to_wide.windows(2) {
            assert!(pair[0].specificity() > pair[1].specificity(), "{pair:?}");
            assert!(pair[1].covers(&pair[0]) && !pair[0].covers(&pair[1]), "{pair:?}");
        }
        assert!(!read("https://a.example/*").covers(&read("http://a.example/*")));
        assert!(!read("https://a.example/a*z*").covers(&read("https://a.example/ab*")));
    }

    proptest! {
        #[test]
        fn glob_is_as_slow_as_it_says_and_right(pattern in "[ab*]{0,8}", text in "[ab]{0,8}") {
            fn slow(pattern: &[u8], text: &[u8]) -> bool {
                match pattern {
                    [] => text.is_empty(),
                    [b'*', rest @ ..] => (0..=text.len()).any(|taken| slow(rest, &text[taken..])),
                    [byte, rest @ ..] => text.first() == Some(byte) && slow(rest, &text[1..]),
                }
            }
            prop_assert_eq!(fits_glob(&pattern, &text), slow(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn what_covers_fits_what_the_other_fits(
            host in "(\\*\\.)?(x\\.)?a\\.example", other in "(\\*\\.)?(x\\.)?a\\.example",
            path in "/(a|b|\\*){0,3}", under in "/(a|b|\\*){0,3}", url in "(x\\.|y\\.)?a\\.example/[abc]{0,3}"
        ) {
            let read = |host: &str, path: &str| MatchPattern::read(&format!("https://{host}{path}")).unwrap();
            let (wide, narrow) = (read(&host, &path), read(&other, &under));
            let url = format!("https://{url}");
            if wide.covers(&narrow) && narrow.fits(&url) {
                prop_assert!(wide.fits(&url), "{wide:?} {narrow:?} {url}");
            }
        }
    }
}
