//! Checks that a person is there (CAPTCHAs, and the pages that sites put before themselves): the user answers them, never
//! the agent. They are known by whose frame they are in, and by what they say; the lists are data.

use sidecar_webmcp::Address;

/// Services of such checks: a domain with everything below it, and how the paths of their frames begin.
const SERVICES: [(&str, &str); 14] = [
    ("google.com", "/recaptcha/"),
    ("recaptcha.net", "/recaptcha/"),
    ("hcaptcha.com", "/"),
    ("challenges.cloudflare.com", "/"),
    ("arkoselabs.com", "/"),
    ("funcaptcha.com", "/"),
    ("captcha-delivery.com", "/"),
    ("awswaf.com", "/"),
    ("geetest.com", "/"),
    ("captcha.qq.com", "/"),
    ("captcha.gtimg.com", "/"),
    ("captcha.qcloud.com", "/"),
    ("aliyuncs.com", "/captcha"),
    ("dun.163.com", "/"),
];

/// Roles of the elements that answer such a check. Links, entries of lists and fields tell of one, or search for it.
const ROLES: [&str; 8] = ["checkbox", "switch", "button", "slider", "img", "image", "generic", ""];

/// What such an element is called, in lower case.
const NAMES: [&str; 20] = [
    "i'm not a robot",
    "i am not a robot",
    "you are not a robot",
    "you're not a robot",
    "verify you are human",
    "verify you are a human",
    "verify that you are human",
    "verify you're human",
    "confirm you are human",
    "confirm you are a human",
    "prove you are human",
    "prove you're human",
    "我不是机器人",
    "确认您是真人",
    "确认你是真人",
    "人机身份验证",
    "点击按钮进行验证",
    "向右拖动滑块",
    "拖动到最右边",
    "拖动滑块完成",
];
/// Maximum characters of such a name: a longer one is a text about something.
const MOST: usize = 60;

/// Titles of the pages that sites put before themselves, in lower case.
const TITLES: [&str; 5] =
    ["just a moment...", "robot check", "human verification", "百度安全验证", "人机验证"];

/// Whether documents of this origin and path are those of such a check.
#[must_use]
pub fn is_frame(origin: &str, path: &str) -> bool {
    let host = Address::of(origin).host.split(':').next().unwrap_or_default();
    let is_below =
        |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    SERVICES.iter().any(|(domain, beginning)| is_below(domain) && path.starts_with(beginning))
}

/// Whether an element with this role and accessible name belongs to such a check.
#[must_use]
pub fn is_element(role: &str, name: &str) -> bool {
    if !ROLES.contains(&role) || name.chars().count() > MOST {
        return false;
    }
    let name = name.to_lowercase().replace('’', "'");
    NAMES.iter().any(|one| name.contains(one))
}

/// Whether a page with this title is such a check.
#[must_use]
pub fn is_titled(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    TITLES.contains(&title.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_services_are_known_by_host_and_path() {
        for (origin, path, is_one) in [
            ("https://www.google.com", "/recaptcha/api2/anchor", true),
            ("https://www.recaptcha.net", "/recaptcha/api2/bframe", true),
            ("https://newassets.hcaptcha.com", "/captcha/v1/static/hcaptcha.html", true),
            ("https://challenges.cloudflare.com", "/cdn-cgi/challenge-platform/h/b", true),
            ("https://t.captcha.qq.com", "/cap_union_new_show", true),
            ("https://www.google.com", "/maps/embed", false),
            ("https://www.cloudflare.com", "/", false),
            ("https://nothcaptcha.com", "/", false),
            ("https://hcaptcha.com.example", "/", false),
            ("https://www.qq.com", "/", false),
            ("null", "/recaptcha/", false),
            ("", "", false),
        ] {
            assert_eq!(is_frame(origin, path), is_one, "{origin}{path}");
        }
    }

    #[test]
    fn checks_are_known_by_what_they_say_in_both_languages() {
        for (role, name) in [
            ("checkbox", "I’m not a robot"),
            ("checkbox", "Verify you are human"),
            ("button", "点击按钮进行验证"),
            ("slider", "请向右拖动滑块"),
        ] {
            assert!(is_element(role, name), "{name}");
        }
        let long = "Why a page asks you to prove you are human, and what it does with the answer";
        for (role, name) in [
            ("button", "Robots"),
            ("button", "验证邮箱"),
            ("slider", "拖动滑块选择贷款金额"),
            ("switch", "启用人机验证"),
            ("radio", "I'm not a robot"),
            ("link", "I'm not a robot"),
            ("searchbox", "verify you are human"),
            ("button", long),
            ("button", ""),
        ] {
            assert!(!is_element(role, name), "{role} {name}");
        }
        for title in ["Just a moment...", " Robot Check ", "百度安全验证"] {
            assert!(is_titled(title), "{title}");
        }
        for title in ["Just a moment", "安全验证", "How a robot check works", ""] {
            assert!(!is_titled(title), "{title}");
        }
    }
}
