//! Base URLs: browsers read what is accepted in the same way.

use proptest::prelude::*;
use sidecar_llm::check_base_url;
use url::Url;

use crate::time::spend;

const PARTS: [&str; 44] = [
    "http",
    "https",
    "HTTPS",
    "ftp",
    "://",
    ":/",
    "//",
    "/",
    "\\",
    ":",
    "@",
    "?",
    "#",
    ".",
    "..",
    "%2e",
    "%2F",
    "%",
    "-",
    "_",
    "localhost",
    "LocalHost",
    "a.localhost",
    "api.example",
    "example",
    "xn--nxasmq6b",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "192.168.1.2",
    "10.0.0.1",
    "8.8.8.8",
    "256.1.1.1",
    "[::1]",
    "[fd00::1]",
    "[::ffff:127.0.0.1]",
    ":443",
    ":80",
    ":0",
    ":65536",
    ":8080",
    "/v1",
    "/v1/chat/completions",
    "é",
];

fn address() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => prop::sample::select(&PARTS[..]).prop_map(str::to_owned),
        1 => "[ -~]{1,3}",
        1 => any::<char>().prop_map(String::from),
    ];
    let parts = prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat());
    let scheme = prop::sample::select(vec!["", "https://", "http://", " https://"]);
    (scheme, parts).prop_map(|(scheme, parts)| format!("{scheme}{parts}"))
}

#[test]
fn base_urls() {
    spend(&address(), |text| {
        let Ok(address) = check_base_url(&text) else { return Ok(()) };
        let shown = address.to_string();
        prop_assert_eq!(check_base_url(&shown), Ok(address.clone()), "it is in its one form");
        prop_assert_eq!(&shown, &format!("{}{}", address.origin(), address.path()));
        prop_assert!(!shown.ends_with('/') && shown.is_ascii());

        let Ok(url) = Url::parse(&format!("{shown}/models")) else {
            // Only the Unicode tables tell whether an international name is valid.
            prop_assert!(address.host().contains("xn--"), "a browser refuses {}", shown);
            return Ok(());
        };
        prop_assert_eq!(url.origin().ascii_serialization(), address.origin());
        prop_assert_eq!(url.path(), format!("{}/models", address.path()));
        prop_assert_eq!(url.host_str(), Some(address.host()));
        prop_assert!(url.username().is_empty() && url.query().is_none() && url.fragment().is_none());
        let is_near = address.origin().starts_with("https://")
            || match url.host() {
                Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
                Some(url::Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private(),
                Some(url::Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unique_local(),
                None => false,
            };
        prop_assert!(is_near, "{} could be read on its way", shown);
        Ok(())
    });
}
