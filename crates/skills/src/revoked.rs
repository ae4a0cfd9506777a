//! SKILLs that were found to be harmful or broken: a list that ships with the extension. It only switches off.

use serde::{Deserialize, Serialize};

use crate::definition::wording::ByLanguage;

/// A SKILL that may no longer run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revocation {
    /// Its name.
    pub id: String,
    /// Its versions; without them, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<Vec<String>>,
    /// The digest of its files; without it, any. With it, another SKILL of the same name goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why, for the user.
    pub reason: ByLanguage,
    /// Where it is explained; may be empty.
    #[serde(default)]
    pub link: String,
}

/// The entry of a list that revokes a SKILL. Name, version and digest all have to fit, as far as the entry names them.
#[must_use]
pub fn revoked<'l>(list: &'l [Revocation], id: &str, version: &str, digest: &str) -> Option<&'l Revocation> {
    list.iter().find(|entry| {
        entry.id == id
            && entry.versions.as_ref().is_none_or(|versions| versions.iter().any(|one| one == version))
            && entry.digest.as_ref().is_none_or(|one| one == digest)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shipped_list_can_be_read() {
        serde_json::from_str::<Vec<Revocation>>(include_str!("../../../skills/revoked.json")).unwrap();
    }

    #[test]
    fn case_43_list_revokes_by_name_version_and_digest() {
        let list: Vec<Revocation> = serde_json::from_value(json!([
            {"id": "all", "reason": "It sends what it reads elsewhere.", "link": "https://a.example/1"},
            {"id": "some", "versions": ["1.0.0", "1.0.1"], "reason": {"en": "It clicks too much.", "zh": "点击过多。"}},
            {"id": "files", "digest": "abc", "reason": "A copy with a harmful file."},
        ]))
        .unwrap();
        let reason = |id: &str, version: &str, digest: &str| {
            revoked(&list, id, version, digest).map(|entry| entry.reason.text("zh-CN"))
        };
        assert_eq!(reason("all", "9.9.9", "x"), Some("It sends what it reads elsewhere."));
        assert_eq!(reason("some", "1.0.1", "x"), Some("点击过多。"));
        assert_eq!(reason("some", "1.0.2", "x"), None);
        assert_eq!(reason("some", "", "x"), None, "a version that nobody knows is not among them");
        assert_eq!(reason("files", "1.0.0", "abc"), Some("A copy with a harmful file."));
        assert_eq!(reason("files", "1.0.0", "abd"), None);
        assert_eq!(reason("other", "1.0.0", "abc"), None);
        assert_eq!(revoked(&list, "all", "", "").unwrap().link, "https://a.example/1");
    }
}
