//! Rules about the project that no compiler checks. Each rule is one file, with tests that show it fail.

mod arrows;
mod chrome;
mod circles;
mod hygiene;
mod imports;
mod inner_html;
mod languages;
mod messages;
mod modules;
mod purity;
mod source;
mod test_ids;
mod tree;
mod type_names;

use std::fmt;

use anyhow::{Result, bail};

use self::tree::Tree;
use crate::{paths, say};

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// A file, or a file and a line.
    place: String,
    /// What is wrong, and what to do if that is not obvious.
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// The name of a rule, and its check.
type Rule = (&'static str, fn(&Tree) -> Result<Vec<Finding>>);

const RULES: [Rule; 11] = [
    ("crates depend only downwards", arrows::check),
    ("modules of a crate form no circle", circles::check),
    ("a type has its name to itself", type_names::check),
    ("pure crates stay pure", purity::check),
    ("page messages agree in Rust, JavaScript and docs", messages::check),
    ("JavaScript modules import in one direction", imports::check),
    ("all languages have the same words", languages::check),
    ("test ids are those of docs/testing.md", test_ids::check),
    ("only crates/chrome names chrome", chrome::check),
    ("the panel writes no HTML text", inner_html::check),
    ("nothing private or unfinished", hygiene::check),
];

/// Check every rule and print the findings.
pub fn check() -> Result<()> {
    say::stage("tidy", || {
        let tree = Tree::read(&paths::root())?;
        let mut count = 0;
        for (name, check) in RULES {
            let findings = check(&tree)?;
            println!("  {} {name}", if findings.is_empty() { "✓" } else { "✗" });
            findings.iter().for_each(say::note);
            count += findings.len();
        }
        match count {
            0 => Ok(()),
            1 => bail!("1 place breaks a rule"),
            many => bail!("{many} places break a rule"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_is_tidy() {
        let tree = Tree::read(&paths::root()).unwrap();
        let findings = RULES.iter().flat_map(|(_, check)| check(&tree).unwrap());
        let findings: Vec<_> = findings.map(|finding| finding.to_string()).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
