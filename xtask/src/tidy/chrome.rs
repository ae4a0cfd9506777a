//! Only `crates/chrome` binds the `chrome` namespace, so that there is one place that knows the browser's calls.

use anyhow::Result;
use regex_lite::Regex;

use crate::tidy::tree::Tree;
use crate::tidy::{Finding, source};

const HOME: &str = "crates/chrome/";

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    // As a namespace of a binding, as a property to look up, or called from inline JavaScript.
    let binding =
        Regex::new(r#"js_namespace\s*=\s*\[?\s*"?chrome\b|"chrome"|\bchrome\.[a-z]\w*\.[a-z]\w*\("#)?;
    let mut findings = Vec::new();
    for (path, text) in tree.below("crates/", ".rs").filter(|(path, _)| !path.starts_with(HOME)) {
        let lines = source::code(text).filter(|(_, code)| binding.is_match(code));
        findings.extend(lines.map(|(line, code)| {
            Finding::new(format!("{path}:{line}"), format!("`{}` belongs into {HOME}", code.trim()))
        }));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, source: &str) -> Vec<String> {
        check(&Tree::of([(path, source)])).unwrap().into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn binding_elsewhere_is_found() {
        for bad in [
            "#[wasm_bindgen(js_namespace = [\"chrome\", \"tabs\"])]",
            "#[wasm_bindgen(js_namespace = chrome)]",
            "Reflect::get(&global, &\"chrome\".into())",
            "#[wasm_bindgen(inline_js = \"export const f = () => chrome.tabs.query({})\")]",
        ] {
            assert_eq!(places("crates/worker/src/x.rs", bad), ["crates/worker/src/x.rs:1"], "{bad}");
        }
    }

    #[test]
    fn its_home_and_mere_words_pass() {
        assert_eq!(
            places("crates/chrome/src/tabs.rs", "js_namespace = [\"chrome\", \"tabs\"]"),
            Vec::<String>::new()
        );
        let words = "use sidecar_chrome::tabs; // chrome.tabs.query(\nlet url = \"chrome://extensions\";";
        assert_eq!(places("crates/worker/src/x.rs", words), Vec::<String>::new());
    }
}
