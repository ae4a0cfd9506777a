//! Paths in packages: `/` between names, inside the folder, the same on every disk.

use sidecar_locales::Word;
use unicode_normalization::UnicodeNormalization as _;

use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;

/// Maximum number of names in a path.
const MOST_NAMES: usize = 7;
/// Maximum bytes of a path.
const MOST_BYTES: usize = 400;

/// Checks that a path stays in its folder and can be kept on every disk.
///
/// # Errors
/// Why not.
pub fn check(path: &str) -> Result<(), PackageProblem> {
    let fault = |why: Word| {
        let reason = Reason::new(ReasonCode::BadPath, why, word::PATH_WAY, &[("path", path)]);
        Err(PackageProblem::error(path, reason))
    };
    if path.is_empty() || path.len() > MOST_BYTES {
        return fault(word::PATH_LENGTH);
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return fault(word::PATH_ABSOLUTE);
    }
    if path.chars().any(|char| char == '\\' || char.is_control()) {
        return fault(word::PATH_CHARACTER);
    }
    let mut names = 0;
    for name in path.split('/') {
        names += 1;
        if matches!(name, "" | "." | "..") {
            return fault(word::PATH_PARENT);
        }
    }
    if names > MOST_NAMES {
        return fault(word::PATH_DEPTH);
    }
    Ok(())
}

/// Whether a file is the system's or hidden: those are left out.
#[must_use]
pub fn is_ignored(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.') || name == "__MACOSX")
}

/// The same for paths that are one path on a disk without case, or with another form of Unicode.
#[must_use]
pub fn twin(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn path_stays_in_its_folder() {
        for good in ["SKILL.md", "webmcp/skill.json", "references/说明.md", "a/b/c/d/e/f/g.txt", "a..b"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../SKILL.md",
            "a/../../b",
            "a//b",
            "a/./b",
            "a/",
            "C:/x",
            "c:x",
            "a\\b",
            "a\0b",
            "a\nb",
            "a/b/c/d/e/f/g/h.txt",
        ] {
            assert_eq!(check(bad).unwrap_err().reason.code, ReasonCode::BadPath, "{bad:?}");
        }
        assert!(check(&"x".repeat(401)).is_err());
    }

    proptest! {
        #[test]
        fn good_path_never_leaves(path in "[a-z./\\\\:]{0,20}") {
            if check(&path).is_ok() {
                let joined = std::path::Path::new("/root").join(&path);
                let normal = joined.components().all(|part| !matches!(part, std::path::Component::ParentDir));
                prop_assert!(normal && joined.starts_with("/root"));
            }
        }
    }
}
