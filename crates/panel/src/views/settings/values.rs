//! Validates what is typed into settings. The worker validates again.

use std::net::IpAddr;

/// Why a value is invalid, with the bounds to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// Not a number in these bounds.
    Number(u32, u32),
    /// Not a whole number in these bounds.
    Whole(u32, u32),
    /// Not a URL that a key may be sent to.
    Url,
}

/// Highest temperature.
const TEMPERATURE: u32 = 2;

/// Highest token limit; more than any model writes.
const TOKENS: u32 = 10_000_000;

/// Highest price of a million tokens, equal to `Price::MOST`.
const PRICE: u32 = 1_000_000;

/// Parses a temperature; empty for none.
pub fn temperature(text: &str) -> Result<Option<f64>, Invalid> {
    number(text, TEMPERATURE)
}

/// Parses a price; empty for none.
pub fn price(text: &str) -> Result<Option<f64>, Invalid> {
    number(text, PRICE)
}

/// Parses a number from 0 to `most`; empty for none. A decimal comma is accepted.
fn number(text: &str, most: u32) -> Result<Option<f64>, Invalid> {
    let text = text.trim().replace(',', ".");
    if text.is_empty() {
        return Ok(None);
    }
    // serde_json's float parser and writer are linked anyway; those of the standard library would add tables of their
    // own.
    match serde_json::from_str::<f64>(&text) {
        Ok(number) if (0.0..=f64::from(most)).contains(&number) => Ok(Some(number)),
        Ok(_) | Err(_) => Err(Invalid::Number(0, most)),
    }
}

/// Formats a number as a user types it.
pub fn written(number: f64) -> String {
    serde_json::to_string(&number).unwrap_or_default().trim_end_matches(".0").to_owned()
}

/// Parses a token limit; empty for none.
pub fn max_tokens(text: &str) -> Result<Option<u32>, Invalid> {
    if text.trim().is_empty() { Ok(None) } else { whole(text, TOKENS).map(Some) }
}

/// Parses a whole number from 1 to `most`.
pub fn whole(text: &str, most: u32) -> Result<u32, Invalid> {
    match text.trim().parse::<u32>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(Invalid::Whole(1, most)),
    }
}

/// Validates a base URL and strips a pasted `/chat/completions`; empty for the preset's own. It must use HTTPS, or
/// point to this computer or its private network.
pub fn base_url(text: &str) -> Result<String, Invalid> {
    let url = text.trim().trim_end_matches('/').trim_end_matches("/chat/completions").trim_end_matches('/');
    if url.is_empty() {
        return Ok(String::new());
    }
    let (scheme, rest) = url.split_once("://").ok_or(Invalid::Url)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let fits = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => is_near(host),
        _ => false,
    };
    let plain = !url.chars().any(|char| char.is_whitespace() || char.is_control() || "@?#".contains(char));
    if fits && plain && !host.is_empty() { Ok(url.to_owned()) } else { Err(Invalid::Url) }
}

fn is_near(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperature_is_read_from_0_to_2_or_absent() {
        assert_eq!(temperature(" "), Ok(None));
        assert_eq!(temperature("0"), Ok(Some(0.0)));
        assert_eq!(temperature("0,7"), Ok(Some(0.7)));
        assert_eq!(temperature("2"), Ok(Some(2.0)));
        for bad in ["2.1", "-0.1", "warm", "NaN", "1e999", "0x1"] {
            assert_eq!(temperature(bad), Err(Invalid::Number(0, 2)), "{bad}");
        }
    }

    #[test]
    fn price_is_read_when_not_negative_or_absent() {
        assert_eq!([price(""), price("0.28"), price("1000000")], [Ok(None), Ok(Some(0.28)), Ok(Some(1e6))]);
        assert_eq!([price("-1"), price("1000001"), price("2 ¥")], [Err(Invalid::Number(0, 1_000_000)); 3]);
    }

    #[test]
    fn number_is_formatted_as_typed() {
        assert_eq!([0.0, 0.7, 2.0].map(written), ["0", "0.7", "2"]);
    }

    #[test]
    fn limit_is_refused_when_not_whole_or_out_of_bounds() {
        assert_eq!(max_tokens(""), Ok(None));
        assert_eq!(max_tokens("4096"), Ok(Some(4096)));
        assert_eq!(whole("100", 100), Ok(100));
        for bad in ["0", "101", "-1", "1.5", "", "ten"] {
            assert_eq!(whole(bad, 100), Err(Invalid::Whole(1, 100)), "{bad}");
        }
    }

    #[test]
    fn base_url_is_refused_when_not_https_and_not_nearby() {
        let good = [
            ("https://api.example/v1/", "https://api.example/v1"),
            ("https://api.example/v1/chat/completions", "https://api.example/v1"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
            ("http://192.168.1.5:11434/v1", "http://192.168.1.5:11434/v1"),
            ("  ", ""),
        ];
        for (typed, url) in good {
            assert_eq!(base_url(typed), Ok(url.to_owned()));
        }
        for bad in [
            "api.example",
            "http://api.example",
            "http://localhost.evil.example",
            "ftp://a.example",
            "https://",
            "https://a b.example",
            "https://user:pass@a.example",
            "https://a.example?x=1",
        ] {
            assert_eq!(base_url(bad), Err(Invalid::Url), "{bad}");
        }
    }
}
