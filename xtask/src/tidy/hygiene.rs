//! Nothing private to the machine it was written on, and nothing unfinished.

use anyhow::Result;
use regex_lite::Regex;

use crate::tidy::Finding;
use crate::tidy::tree::Tree;

/// Source files, in which words mark unfinished work.
const SOURCE: [&str; 7] = [".rs", ".js", ".mjs", ".css", ".html", ".toml", ".json"];

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    // Written in pieces, so that this file does not find itself.
    let home = Regex::new(concat!(r#"(?:^|[\s"'`(=:<>\[])(/"#, r"(?:home|root|work|Users)/[\w.-]+)"))?;
    let unfinished = Regex::new(concat!(r"\b(TO", r"DO|FIX", r"ME)\b"))?;
    let mut findings = Vec::new();
    for (path, text) in tree.all() {
        let lock = path.ends_with("package-lock.json");
        let source = !lock && SOURCE.iter().any(|ending| path.ends_with(ending));
        for (index, line) in text.lines().enumerate() {
            let mut add = |what: String| findings.push(Finding::new(format!("{path}:{}", index + 1), what));
            if let Some(found) = home.captures(line) {
                add(format!("{} is a path of one machine", &found[1]));
            }
            if let Some(found) = unfinished.find(line).filter(|_| source) {
                add(format!("{} marks unfinished work", found.as_str()));
            }
            if lock && line.trim_start().starts_with("\"resolved\":") {
                add("a lock file must not say where packages come from (npm: omit-lockfile-registry-resolved)".to_owned());
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of([(path, text)])).unwrap().into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn path_of_one_machine_is_found() {
        let bad = format!("see {}/ann/project", "/home");
        assert_eq!(places("docs/x.md", &bad), ["docs/x.md:1"]);
        assert_eq!(
            places("docs/x.md", "https://example.com/home/page ~/.cache /usr/bin"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn unfinished_work_is_found_in_source() {
        let bad = concat!("// TO", "DO: later");
        assert_eq!(places("crates/x/src/a.rs", bad), ["crates/x/src/a.rs:1"]);
        assert_eq!(places("README.md", bad), Vec::<String>::new());
    }

    #[test]
    fn registry_in_a_lock_file_is_found() {
        let bad = "{\n  \"resolved\": \"https://registry.example/x.tgz\"\n}";
        assert_eq!(places("tests/package-lock.json", bad), ["tests/package-lock.json:2"]);
    }
}
