//! A package: the files of a SKILL's folder.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;

pub mod path;
pub mod zip;

/// Maximum number of files.
pub const MOST_FILES: usize = 200;
/// Maximum bytes of all files together.
pub const MOST_BYTES: usize = 20 * 1024 * 1024;
/// Maximum bytes of a file.
pub const MOST_FILE_BYTES: usize = 1024 * 1024;
/// Maximum bytes of SKILL.md.
pub const MOST_TEXT_BYTES: usize = 256 * 1024;
/// Maximum bytes of skill.json.
pub const MOST_JSON_BYTES: usize = 512 * 1024;
/// Maximum number of SKILLs that are found in one upload.
pub const MOST_SKILLS: usize = 80;

/// The files with which a SKILL begins.
const TEXTS: [&str; 2] = ["SKILL.md", "skill.md"];
/// Where the tools are.
pub const TOOLS_FILE: &str = "webmcp/skill.json";

/// The files of a SKILL by their paths in its folder. Its paths are safe, its sizes within the limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillPackage {
    files: BTreeMap<String, Vec<u8>>,
}

impl SkillPackage {
    /// Takes the files of a folder. Returns what was left out as well.
    ///
    /// # Errors
    /// The first problem because of which nothing is taken.
    pub fn of(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<(Self, Vec<PackageProblem>), PackageProblem> {
        let mut package = Self::default();
        let (mut left_out, mut twins, mut bytes) = (Vec::new(), BTreeMap::new(), 0);
        for (path, content) in files {
            path::check(&path)?;
            if path::is_ignored(&path) {
                left_out.push(ignored(&path));
                continue;
            }
            if let Some(twin) = twins.insert(path::twin(&path), path.clone()) {
                let reason = Reason::new(
                    ReasonCode::BadPath,
                    word::PATH_TWIN,
                    word::PATH_TWIN_WAY,
                    &[("path", &path), ("twin", &twin)],
                );
                return Err(PackageProblem::error(&path, reason));
            }
            bytes += content.len();
            check_sizes(&path, content.len(), bytes, package.files.len() + 1)?;
            package.files.insert(path, content);
        }
        Ok((package, left_out))
    }

    /// The bytes of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// Path and bytes of SKILL.md.
    #[must_use]
    pub fn text_file(&self) -> Option<(&'static str, &[u8])> {
        TEXTS.iter().find_map(|name| Some((*name, self.file(name)?)))
    }

    /// SHA-256, in hexadecimal, over the paths and the SHA-256 of each file. It does not depend on how the files
    /// were packed.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut all = Sha256::new();
        for (path, content) in self.files() {
            all.update(format!("{} {path}\n", hex(&Sha256::digest(content))));
        }
        hex(&all.finalize())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ignored(path: &str) -> PackageProblem {
    PackageProblem::repair(
        path,
        Reason::new(ReasonCode::Ignored, word::FILE_IGNORED, word::FILE_IGNORED_WAY, &[]),
    )
}

/// Checks a file's size, that of all so far, and their number.
pub(crate) fn check_sizes(path: &str, size: usize, bytes: usize, files: usize) -> Result<(), PackageProblem> {
    let most = match path {
        path if TEXTS.contains(&path) => MOST_TEXT_BYTES,
        TOOLS_FILE => MOST_JSON_BYTES,
        _ => MOST_FILE_BYTES,
    };
    let too_large = |file: &str, most: usize| {
        let most = format!("{} KiB", most / 1024);
        PackageProblem::error(
            file,
            Reason::new(
                ReasonCode::TooLarge,
                word::FILE_TOO_LARGE,
                word::FILE_TOO_LARGE_WAY,
                &[("most", &most)],
            ),
        )
    };
    if size > most {
        return Err(too_large(path, most));
    }
    if bytes > MOST_BYTES {
        return Err(too_large("", MOST_BYTES));
    }
    if files > MOST_FILES {
        let most = MOST_FILES.to_string();
        let reason = Reason::new(
            ReasonCode::TooMany,
            word::FILES_TOO_MANY,
            word::FILES_TOO_MANY_WAY,
            &[("most", &most)],
        );
        return Err(PackageProblem::error("", reason));
    }
    Ok(())
}

/// The folders that hold a SKILL, of the paths of an upload; the empty path is its root. A folder inside another one's
/// is not listed: it belongs to that one.
///
/// # Errors
/// There is none, or there are too many.
pub fn folders<'p>(paths: impl IntoIterator<Item = &'p str>) -> Result<Vec<String>, PackageProblem> {
    let mut found: Vec<String> = Vec::new();
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if TEXTS.contains(&name) && !path::is_ignored(path) {
            found.push(folder.to_owned());
        }
    }
    found.sort();
    found.dedup();
    let all = found.clone();
    found.retain(|folder| !all.iter().any(|other| other != folder && inside(folder, other).is_some()));
    match found.len() {
        0 => Err(PackageProblem::error(
            "",
            Reason::new(ReasonCode::NotASkill, word::SKILL_MISSING, word::SKILL_MISSING_WAY, &[]),
        )),
        number if number > MOST_SKILLS => {
            let most = MOST_SKILLS.to_string();
            let reason = Reason::new(
                ReasonCode::TooMany,
                word::SKILLS_TOO_MANY,
                word::SKILLS_TOO_MANY_WAY,
                &[("most", &most)],
            );
            Err(PackageProblem::error("", reason))
        }
        _ => Ok(found),
    }
}

/// A path inside a folder, if it is in it.
#[must_use]
pub fn inside<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<(String, Vec<u8>)> {
        paths.iter().map(|path| ((*path).to_owned(), path.as_bytes().to_vec())).collect()
    }

    fn code(paths: &[&str]) -> ReasonCode {
        SkillPackage::of(files(paths)).unwrap_err().reason.code
    }

    #[test]
    fn files_of_the_system_are_left_out_and_told() {
        let (package, told) = SkillPackage::of(files(&[
            "SKILL.md",
            "__MACOSX/SKILL.md",
            ".git/config",
            "references/.DS_Store",
        ]))
        .unwrap();
        assert_eq!(package.files().map(|(path, _)| path).collect::<Vec<_>>(), ["SKILL.md"]);
        assert_eq!(told.len(), 3);
        assert!(told.iter().all(|problem| problem.reason.code == ReasonCode::Ignored));
    }

    #[test]
    fn case_09_paths_that_are_one_on_some_disks_are_refused() {
        assert_eq!(code(&["SKILL.md", "skill.md"]), ReasonCode::BadPath);
        assert_eq!(code(&["a/ä.txt", "a/a\u{308}.txt"]), ReasonCode::BadPath);
        assert_eq!(code(&["a/../b"]), ReasonCode::BadPath);
    }

    #[test]
    fn sizes_and_numbers_have_limits() {
        let at = |path: &str, size: usize| SkillPackage::of([(path.to_owned(), vec![0; size])]).map(|_| ());
        assert!(at("SKILL.md", MOST_TEXT_BYTES).is_ok());
        for (path, most) in
            [("SKILL.md", MOST_TEXT_BYTES), (TOOLS_FILE, MOST_JSON_BYTES), ("assets/a.png", MOST_FILE_BYTES)]
        {
            assert_eq!(at(path, most + 1).unwrap_err().reason.code, ReasonCode::TooLarge, "{path}");
        }
        let many = |number: usize| (0..number).map(|n| (format!("f{n}"), Vec::new()));
        assert!(SkillPackage::of(many(MOST_FILES)).is_ok());
        assert_eq!(SkillPackage::of(many(MOST_FILES + 1)).unwrap_err().reason.code, ReasonCode::TooMany);
        let large = (0..21).map(|n| (format!("f{n}"), vec![0; MOST_FILE_BYTES]));
        assert_eq!(SkillPackage::of(large).unwrap_err().reason.code, ReasonCode::TooLarge);
    }

    #[test]
    fn digest_depends_on_paths_and_bytes_alone() {
        let of = |files: &[(&str, &str)]| {
            let owned = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
            SkillPackage::of(owned).unwrap().0.digest()
        };
        let digest = of(&[("SKILL.md", "a"), ("b", "c")]);
        assert_eq!(digest.len(), 64);
        assert_eq!(of(&[("b", "c"), ("SKILL.md", "a")]), digest);
        assert_ne!(of(&[("SKILL.md", "a"), ("b", "d")]), digest);
        assert_ne!(of(&[("SKILL.md", "a"), ("d", "c")]), digest);
    }

    #[test]
    fn folders_with_a_skill_are_found_and_what_is_inside_one_is_its_own() {
        assert_eq!(folders(["SKILL.md", "references/SKILL.md"]).unwrap(), [""]);
        assert_eq!(
            folders([
                "repo/b/skill.md",
                "repo/a/SKILL.md",
                "repo/a/x/SKILL.md",
                "repo/README.md",
                "repo/ab/SKILL.md"
            ])
            .unwrap(),
            ["repo/a", "repo/ab", "repo/b"]
        );
        assert_eq!(
            folders(["README.md", "__MACOSX/SKILL.md"]).unwrap_err().reason.code,
            ReasonCode::NotASkill
        );
        let many: Vec<_> = (0..=MOST_SKILLS).map(|n| format!("s{n}/SKILL.md")).collect();
        assert_eq!(folders(many.iter().map(String::as_str)).unwrap_err().reason.code, ReasonCode::TooMany);
        assert_eq!(inside("repo/a/SKILL.md", "repo/a"), Some("SKILL.md"));
        assert_eq!(inside("repo/ab/SKILL.md", "repo/a"), None);
    }
}
