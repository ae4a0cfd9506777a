//! Sensitive sites: on those that deal with money, mail, health or administration every page action asks
//! first, also in automatic mode. The lists are data; what they do not know acts as the mode says.

use sidecar_protocol::SensitiveSite;

struct SensitiveNames {
    kind: SensitiveSite,
    /// Domains, with everything below them.
    domains: &'static [&'static str],
    /// Words of a label of the host, between hyphens.
    words: &'static [&'static str],
}

const SITES: [SensitiveNames; 4] = [
    SensitiveNames {
        kind: SensitiveSite::Money,
        domains: &[
            "paypal.com",
            "alipay.com",
            "tenpay.com",
            "unionpay.com",
            "95516.com",
            "stripe.com",
            "wise.com",
            "revolut.com",
            "chase.com",
            "wellsfargo.com",
            "citi.com",
            "hsbc.com",
            "barclays.co.uk",
            "fidelity.com",
            "schwab.com",
            "vanguard.com",
            "coinbase.com",
            "binance.com",
            "icbc.com.cn",
            "ccb.com",
            "abchina.com",
            "boc.cn",
            "bankcomm.com",
            "cmbchina.com",
            "psbc.com",
            "spdb.com.cn",
            "cib.com.cn",
            "pingan.com",
        ],
        words: &[
            "bank",
            "banking",
            "ebank",
            "ebanking",
            "netbank",
            "netbanking",
            "onlinebanking",
            "pay",
            "wallet",
        ],
    },
    SensitiveNames {
        kind: SensitiveSite::Mail,
        domains: &[
            "outlook.com",
            "outlook.live.com",
            "outlook.office.com",
            "outlook.office365.com",
            "fastmail.com",
            "gmail.com",
            "exmail.qq.com",
        ],
        words: &["mail", "webmail", "email"],
    },
    SensitiveNames {
        kind: SensitiveSite::Health,
        domains: &["nhs.uk", "haodf.com", "guahao.com", "zocdoc.com"],
        words: &["health", "healthcare", "hospital", "clinic", "patient", "patients", "mychart", "pharmacy"],
    },
    SensitiveNames {
        kind: SensitiveSite::Administration,
        domains: &[
            "console.aws.amazon.com",
            "console.cloud.google.com",
            "admin.google.com",
            "portal.azure.com",
            "console.aliyun.com",
            "console.cloud.tencent.com",
            "console.huaweicloud.com",
            "dash.cloudflare.com",
        ],
        words: &["admin", "administrator", "cpanel", "phpmyadmin"],
    },
];

/// First segments of a path below which a site is administered.
const ADMIN_PATHS: [&str; 5] = ["admin", "wp-admin", "administrator", "phpmyadmin", "cpanel"];

/// The endings of a bank's name in one word (`examplebank.com`), and words that end so by chance.
const BANK: &str = "bank";
const NO_BANKS: [&str; 7] =
    ["databank", "foodbank", "powerbank", "bloodbank", "riverbank", "wordbank", "stockbank"];

/// The kind of a sensitive site, by the address of its page (a URL as the browser writes it).
#[must_use]
pub fn kind_of(url: &str) -> Option<SensitiveSite> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let labels: Vec<&str> = host.split('.').collect();
    let (top, names) = labels.split_last()?;
    if *top == BANK {
        return Some(SensitiveSite::Money);
    }
    let is_below =
        |domain: &&str| host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let has_word =
        |words: &[&str]| names.iter().flat_map(|label| label.split('-')).any(|word| words.contains(&word));
    let listed = SITES.iter().find(|site| site.domains.iter().any(is_below) || has_word(site.words));
    if let Some(site) = listed {
        return Some(site.kind);
    }
    if names.iter().any(|label| label.ends_with(BANK) && !NO_BANKS.contains(label)) {
        return Some(SensitiveSite::Money);
    }
    let first = path.strip_prefix('/').unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    let is_admin = ADMIN_PATHS.iter().any(|admin| first.eq_ignore_ascii_case(admin));
    is_admin.then_some(SensitiveSite::Administration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitive_sites_are_known_by_domain_word_and_path() {
        use SensitiveSite::{Administration, Health, Mail, Money};
        for (url, kind) in [
            ("https://www.paypal.com/home", Some(Money)),
            ("https://paypal.com", Some(Money)),
            ("https://notpaypal.com/", None),
            ("https://paypal.com.example/", None),
            ("https://mybank.example/login", Some(Money)),
            ("https://online-banking.example:8443/", Some(Money)),
            ("https://first.bank/", Some(Money)),
            ("https://pay.weixin.qq.com/", Some(Money)),
            ("https://www.icbc.com.cn/icbc/", Some(Money)),
            ("https://riverbank.example/", None),
            ("https://bankside.example/", None),
            ("https://mail.google.com/mail/u/0/#inbox", Some(Mail)),
            ("https://mail.qq.com/", Some(Mail)),
            ("https://outlook.live.com/mail/0/", Some(Mail)),
            ("https://gmail.com.", Some(Mail)),
            ("https://mailchecker.example/", None),
            ("https://www.nhs.uk/", Some(Health)),
            ("https://patient.clinic.example/", Some(Health)),
            ("https://console.aliyun.com/", Some(Administration)),
            ("https://blog.example/wp-admin/post.php", Some(Administration)),
            ("https://shop.example/ADMIN?tab=1", Some(Administration)),
            ("https://shop.example/articles/admin", None),
            ("https://shop.example/administration", None),
            ("https://user:admin@shop.example/", None),
            ("https://shop.example/?u=https://paypal.com/", None),
            ("http://localhost:8080/", None),
            ("chrome://settings/", None),
            ("", None),
        ] {
            assert_eq!(kind_of(url), kind, "{url}");
        }
    }
}
