//! The test bridge in pages (`docs/test-bridge.md`): how its content scripts are registered with the browser, one for each
//! origin.

/// Begins the id of each of these content scripts; the origin follows.
const ID: &str = "test-bridge ";

/// The id of the content script for an origin.
#[must_use]
pub fn script_id(origin: &str) -> String {
    format!("{ID}{origin}")
}

/// The origin that a content script is for; `None` if it is another one.
#[must_use]
pub fn origin_of(script_id: &str) -> Option<&str> {
    script_id.strip_prefix(ID)
}

/// The match pattern for all addresses of an origin, and of no other. One without a port would match every port.
/// `None` if the origin is not one of web pages.
#[must_use]
pub fn match_pattern(origin: &str) -> Option<String> {
    let (scheme, host) = origin.split_once("://")?;
    let usual_port = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    // An IPv6 address has colons of its own, in brackets.
    let has_port = host.rsplit(']').next().is_some_and(|rest| rest.contains(':'));
    Some(if has_port { format!("{origin}/*") } else { format!("{origin}:{usual_port}/*") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_id_has_its_origin() {
        let origin = "http://localhost:8123";
        assert_eq!(origin_of(&script_id(origin)), Some(origin));
        assert_eq!(origin_of("another script"), None);
    }

    #[test]
    fn match_pattern_names_the_port() {
        let pattern = |origin| match_pattern(origin).unwrap();
        assert_eq!(pattern("https://flights.example"), "https://flights.example:443/*");
        assert_eq!(pattern("http://flights.example"), "http://flights.example:80/*");
        assert_eq!(pattern("http://localhost:8123"), "http://localhost:8123/*");
        assert_eq!(pattern("http://[::1]"), "http://[::1]:80/*");
        assert_eq!(pattern("http://[::1]:8123"), "http://[::1]:8123/*");
        assert_eq!(match_pattern("file://"), None);
        assert_eq!(match_pattern("null"), None);
    }
}
