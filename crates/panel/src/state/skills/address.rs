//! Addresses from which a SKILL may be read.

/// Whether the extension reads what is at an address: `https`, or `http` on this computer.
pub fn is_address(address: &str) -> bool {
    let Some((scheme, rest)) = address.trim().split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name =
        host.strip_prefix("[::1]").map_or_else(|| host.split(':').next().unwrap_or_default(), |_| "[::1]");
    match scheme.to_ascii_lowercase().as_str() {
        "https" => !name.is_empty() && !host.contains(char::is_whitespace),
        "http" => matches!(name.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_of_the_web_or_of_this_computer() {
        for address in [
            "https://a.example",
            " https://a.example/b.zip?c ",
            "HTTPS://a.example:8443/",
            "http://localhost:8000/a",
            "http://127.0.0.1",
            "http://[::1]:80/",
        ] {
            assert!(is_address(address), "{address}");
        }
        for address in [
            "",
            "a.example",
            "http://a.example",
            "http://localhost.a.example",
            "https://",
            "https:///a",
            "file:///a",
            "javascript:alert(1)",
        ] {
            assert!(!is_address(address), "{address}");
        }
    }
}
