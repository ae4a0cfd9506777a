//! Why extensions may not run on a page, and what to do instead, by the page's address.

use sidecar_ui::words::Word;

use crate::word;

/// The sentence for an address.
pub fn restricted(url: &str) -> Word {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    if url.starts_with("view-source:") {
        word::RESTRICTED_SOURCE
    } else if path.to_ascii_lowercase().ends_with(".pdf") {
        word::RESTRICTED_PDF
    } else if url.starts_with("file:") {
        word::RESTRICTED_FILE
    } else if url.starts_with("chrome-extension:") {
        word::RESTRICTED_EXTENSION
    } else {
        word::RESTRICTED_TEXT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_page_has_its_sentence() {
        for (url, sentence) in [
            ("view-source:https://shop.example/", word::RESTRICTED_SOURCE),
            ("https://shop.example/Terms.PDF?page=2", word::RESTRICTED_PDF),
            ("file:///home/user/a.pdf", word::RESTRICTED_PDF),
            ("file:///home/user/a.html", word::RESTRICTED_FILE),
            ("chrome-extension://abc/options.html", word::RESTRICTED_EXTENSION),
            ("chrome://settings/", word::RESTRICTED_TEXT),
            ("https://chromewebstore.google.com/", word::RESTRICTED_TEXT),
            ("", word::RESTRICTED_TEXT),
        ] {
            assert_eq!(restricted(url), sentence, "{url}");
        }
    }
}
