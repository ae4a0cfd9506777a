//! Domains of everybody.

/// Domains under which anybody can have a host: what acts below one acts everywhere. Not the whole list of public
/// suffixes: the registries that a user of this product meets, and hosts of other people's pages.
const SUFFIXES: &[&str] = &[
    "ac.cn",
    "ac.jp",
    "ac.kr",
    "ac.uk",
    "amazonaws.com",
    "appspot.com",
    "azurewebsites.net",
    "blogspot.com",
    "cloudfront.net",
    "co.in",
    "co.jp",
    "co.kr",
    "co.nz",
    "co.uk",
    "co.za",
    "com.au",
    "com.br",
    "com.cn",
    "com.hk",
    "com.mx",
    "com.my",
    "com.sg",
    "com.tr",
    "com.tw",
    "edu.au",
    "edu.cn",
    "edu.hk",
    "edu.tw",
    "firebaseapp.com",
    "fly.dev",
    "gitee.io",
    "github.io",
    "gitlab.io",
    "glitch.me",
    "go.jp",
    "gov.au",
    "gov.cn",
    "gov.uk",
    "herokuapp.com",
    "me.uk",
    "myshopify.com",
    "ne.jp",
    "net.au",
    "net.cn",
    "netlify.app",
    "notion.site",
    "onrender.com",
    "or.jp",
    "or.kr",
    "org.au",
    "org.cn",
    "org.hk",
    "org.tw",
    "org.uk",
    "pages.dev",
    "r2.dev",
    "surge.sh",
    "tumblr.com",
    "vercel.app",
    "web.app",
    "workers.dev",
];

/// Whether anybody can have a host below this domain.
pub(super) fn is_public_suffix(domain: &str) -> bool {
    domain != "localhost" && (!domain.contains('.') || SUFFIXES.binary_search(&domain).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_everybody_are_known() {
        assert!(SUFFIXES.is_sorted());
        for suffix in ["com", "cn", "com.cn", "co.uk", "github.io"] {
            assert!(is_public_suffix(suffix), "{suffix}");
        }
        for domain in ["a.example", "taobao.com", "localhost", "a.github.io"] {
            assert!(!is_public_suffix(domain), "{domain}");
        }
    }
}
