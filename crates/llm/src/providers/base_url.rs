//! The address of a model's service, validated before anything is sent to it.
//!
//! A small, strict parser of our own: the `url` crate brings the tables of international domain names, more
//! bytes of WASM than the rest of this crate, for addresses that are nearly always plain ASCII. Every
//! address that this parser accepts is read by browsers in the same way, because it refuses everything that
//! browsers rewrite: unusual characters, dot segments, numbers in place of a host.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Maximum bytes of an address.
const LENGTH_LIMIT: usize = 2_000;

/// A validated address. Displays completely and without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
    host: String,
    path: String,
}

impl BaseUrl {
    /// Scheme, host and port, as a browser would write them: `https://api.example`, `http://localhost:8080`.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// From the slash after the host, without a trailing slash; may be empty.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// In lower case, without the port; an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It is empty.
    #[error("no address is given: enter the base URL of the service, such as https://api.example/v1")]
    Empty,
    /// Longer than any real address.
    #[error("the address is longer than {LENGTH_LIMIT} characters")]
    TooLong,
    /// Neither `https://` nor `http://`.
    #[error("the address does not begin with https:// or http://")]
    Scheme,
    /// `http://` to a host on the internet: anyone on the way could read the key and the conversation.
    #[error("{host} is not on this computer or in its network: use https:// for it")]
    Insecure {
        /// The host.
        host: String,
    },
    /// A name or password before the host.
    #[error("the address holds a user name or password: remove it, and enter a key in its own field")]
    Credentials,
    /// A `?` or `#`.
    #[error("the address holds ? or #: give it without query and fragment")]
    QueryOrFragment,
    /// The host is no name, IPv4 or IPv6 address.
    #[error("`{host}` is no host name: write international names in their xn-- form")]
    Host {
        /// The invalid host.
        host: String,
    },
    /// The port is no number from 1 to 65535.
    #[error("`{port}` is no port: it must be a number from 1 to 65535")]
    Port {
        /// The invalid port.
        port: String,
    },
    /// The path contains something that browsers would change.
    #[error("the path `{path}` holds characters that are not allowed there")]
    Path {
        /// The path.
        path: String,
    },
}

/// The paths that protocols append to the base URL. Users paste whole endpoints.
const ENDPOINTS: [&str; 4] = ["/chat/completions", "/responses", "/v1/messages", "/api/chat"];

/// Validates an address and normalises it: host in lower case, no default port, no trailing slash, and
/// without `/chat/completions` and the like if the whole endpoint was given.
///
/// `https://` is allowed for every host. `http://` is allowed for this computer (`localhost` and names
/// under it, 127.0.0.0/8, `[::1]`) and for private networks (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16,
/// fc00::/7), since that is where people run their own models.
///
/// # Errors
/// [`BaseUrlError`], with the reason in its text.
pub fn check_base_url(text: &str) -> Result<BaseUrl, BaseUrlError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(BaseUrlError::Empty);
    }
    if text.len() > LENGTH_LIMIT {
        return Err(BaseUrlError::TooLong);
    }
    let (is_secure, rest) = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
        _ => return Err(BaseUrlError::Scheme),
    };
    if rest.contains(['?', '#']) {
        return Err(BaseUrlError::QueryOrFragment);
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(BaseUrlError::Credentials);
    }
    let (host, port) = split_port(authority);
    let host = Host::parse(host)?;
    let port = parse_port(port)?.filter(|port| *port != if is_secure { 443 } else { 80 });
    if !is_secure && !host.is_near() {
        return Err(BaseUrlError::Insecure { host: host.to_string() });
    }
    let scheme = if is_secure { "https" } else { "http" };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Ok(BaseUrl {
        origin: format!("{scheme}://{host}{port}"),
        host: host.to_string(),
        path: tidy_path(path)?.to_owned(),
    })
}

enum Host {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl Host {
    fn parse(text: &str) -> Result<Self, BaseUrlError> {
        Self::read(text).ok_or_else(|| BaseUrlError::Host { host: text.to_owned() })
    }

    fn read(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            // An IPv4-mapped address has several spellings; use the plain one.
            return address.to_ipv4_mapped().is_none().then_some(Self::V6(address));
        }
        let name = text.to_ascii_lowercase();
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        };
        if name.len() > 253 || !name.split('.').all(is_label) {
            return None;
        }
        // Browsers read a host whose last label is a number as an IPv4 address, in other bases and with
        // parts left out. Only four decimal parts are accepted.
        let last = name.rsplit('.').next().unwrap_or_default();
        if last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit()) {
            return name.parse().ok().map(Self::V4);
        }
        Some(Self::Name(name))
    }

    /// Whether it is this computer, or in a private network.
    fn is_near(&self) -> bool {
        match self {
            // Browsers resolve these to the loopback interface without DNS.
            Self::Name(name) => name == "localhost" || name.ends_with(".localhost"),
            Self::V4(address) => address.is_loopback() || address.is_private(),
            Self::V6(address) => address.is_loopback() || address.is_unique_local(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::V4(address) => write!(f, "{address}"),
            Self::V6(address) => write!(f, "[{address}]"),
        }
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // The colons of an IPv6 address are inside its brackets.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn parse_port(port: Option<&str>) -> Result<Option<u16>, BaseUrlError> {
    match port {
        None | Some("") => Ok(None),
        Some(text) => match text.parse::<u16>() {
            Ok(port) if port > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Some(port)),
            _ => Err(BaseUrlError::Port { port: text.to_owned() }),
        },
    }
}

fn tidy_path(path: &str) -> Result<&str, BaseUrlError> {
    let tidy = path.trim_end_matches('/');
    let bare = ENDPOINTS.iter().find_map(|endpoint| tidy.strip_suffix(endpoint)).unwrap_or(tidy);
    let tidy = bare.trim_end_matches('/');
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@%".contains(&byte);
    let climbs =
        |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    // The path begins with a slash, so its first segment is always empty; any other empty one is a mistake.
    let is_fine = tidy.bytes().all(is_allowed)
        && tidy.split('/').skip(1).all(|segment| !segment.is_empty() && !climbs(segment));
    if is_fine { Ok(tidy) } else { Err(BaseUrlError::Path { path: path.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidy(text: &str) -> String {
        check_base_url(text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
    }

    fn refuse(text: &str) -> BaseUrlError {
        check_base_url(text).expect_err(text)
    }

    #[test]
    fn base_url_is_normalised() {
        for (text, expected) in [
            ("https://api.deepseek.com", "https://api.deepseek.com"),
            (" HTTPS://API.DeepSeek.com:443/v1// ", "https://api.deepseek.com/v1"),
            ("https://llm.example:8443/", "https://llm.example:8443"),
            ("https://llm.example/v1/chat/completions", "https://llm.example/v1"),
            ("https://llm.example/chat/completions/", "https://llm.example"),
            ("https://llm.example/v1/responses", "https://llm.example/v1"),
            ("https://llm.example/anthropic/v1/messages", "https://llm.example/anthropic"),
            ("http://localhost:11434/api/chat", "http://localhost:11434"),
            ("https://xn--e1afmkfd.example/a-b_c~d/%20", "https://xn--e1afmkfd.example/a-b_c~d/%20"),
            ("http://localhost:11434/v1", "http://localhost:11434/v1"),
            ("http://LOCALHOST:80", "http://localhost"),
            ("http://models.localhost", "http://models.localhost"),
            ("http://127.8.9.1:1234", "http://127.8.9.1:1234"),
            ("http://10.0.0.7:", "http://10.0.0.7"),
            ("http://172.16.0.1", "http://172.16.0.1"),
            ("http://192.168.1.2/v1", "http://192.168.1.2/v1"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
            ("http://[FD00:0::1]", "http://[fd00::1]"),
            ("https://[2001:db8::1]:443", "https://[2001:db8::1]"),
            ("https://8.8.8.8", "https://8.8.8.8"),
        ] {
            assert_eq!(tidy(text), expected);
            assert_eq!(tidy(expected), expected, "checking twice changes nothing");
        }
    }

    #[test]
    fn base_url_has_origin_host_and_path() {
        let url = check_base_url("https://LLM.example:8443/v1").unwrap();
        assert_eq!((url.origin(), url.host()), ("https://llm.example:8443", "llm.example"));
        assert_eq!(url.path(), "/v1");
        let url = check_base_url("http://[::1]:8080/v1").unwrap();
        assert_eq!((url.origin(), url.host()), ("http://[::1]:8080", "[::1]"));
    }

    #[test]
    fn base_url_allows_http_for_local_hosts_only() {
        for host in [
            "llm.example",
            "8.8.8.8",
            "172.32.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "[2001:db8::1]",
            "[fe80::1]",
            "localhost.example",
            "notlocalhost",
        ] {
            assert_eq!(
                refuse(&format!("http://{host}/v1")),
                BaseUrlError::Insecure { host: host.to_owned() }
            );
        }
    }

    #[test]
    fn base_url_is_refused_with_a_reason() {
        let host = |host: &str| BaseUrlError::Host { host: host.to_owned() };
        let port = |port: &str| BaseUrlError::Port { port: port.to_owned() };
        let path = |path: &str| BaseUrlError::Path { path: path.to_owned() };
        for (text, expected) in [
            ("", BaseUrlError::Empty),
            ("  ", BaseUrlError::Empty),
            ("api.deepseek.com", BaseUrlError::Scheme),
            ("localhost:11434", BaseUrlError::Scheme),
            ("ftp://llm.example", BaseUrlError::Scheme),
            ("javascript://llm.example", BaseUrlError::Scheme),
            ("https:/llm.example", BaseUrlError::Scheme),
            ("https://user:secret@llm.example", BaseUrlError::Credentials),
            ("https://llm.example@evil.example", BaseUrlError::Credentials),
            ("https://llm.example/v1?key=x", BaseUrlError::QueryOrFragment),
            ("https://llm.example#x", BaseUrlError::QueryOrFragment),
            ("https://", host("")),
            ("https:///v1", host("")),
            ("https://.example", host(".example")),
            ("https://llm..example", host("llm..example")),
            ("https://llm.example.", host("llm.example.")),
            ("https://bücher.example", host("bücher.example")),
            ("https://llm.exa mple", host("llm.exa mple")),
            ("https://llm.example\\@evil.example", BaseUrlError::Credentials),
            ("https://llm.example\\evil", host("llm.example\\evil")),
            ("https://llm%2eexample", host("llm%2eexample")),
            ("http://2130706433", host("2130706433")),
            ("http://127.1", host("127.1")),
            ("http://0x7f.0.0.1", host("0x7f.0.0.1")),
            ("http://127.0.0.0x1", host("127.0.0.0x1")),
            ("http://127.0.0.01", host("127.0.0.01")),
            ("http://[::ffff:127.0.0.1]", host("[::ffff:127.0.0.1]")),
            ("http://[::1", host("[:")),
            ("https://llm.example:0", port("0")),
            ("https://llm.example:65536", port("65536")),
            ("https://llm.example:+80", port("+80")),
            ("https://llm.example:x", port("x")),
            ("https://llm.example/a//b", path("/a//b")),
            ("https://llm.example/a/../b", path("/a/../b")),
            ("https://llm.example/a/%2E%2e/b", path("/a/%2E%2e/b")),
            ("https://llm.example/a b", path("/a b")),
            ("https://llm.example/a\\b", path("/a\\b")),
        ] {
            assert_eq!(refuse(text), expected, "{text}");
        }
        assert_eq!(refuse(&format!("https://llm.example/{}", "a".repeat(2_000))), BaseUrlError::TooLong);
    }
}
