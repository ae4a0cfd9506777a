//! Reads the files of SKILLs, wherever they are.

use futures::join;
use sidecar_skills::SkillDefinition;
use sidecar_skills::exchange::KeptSkill;
use sidecar_skills::offer::PlacedTool;

use super::choices::SkillChoices;
use super::past_runs::KeptRuns;
use super::texts::SkillTexts;
use super::{SkillPlace, store};
use crate::browser::{BrowserPort, StorageArea};
use crate::key_value::KeyValue as _;
use crate::saved::Persistent as _;

/// The index of the SKILLs that ship, and the list of those that may not run.
const INDEX: &str = "index.json";
const REVOKED: &str = "revoked.json";

/// Reads what is known of all SKILLs.
pub async fn texts<B: BrowserPort>(browser: &B) -> SkillTexts {
    let (choices, session) = (browser.storage(StorageArea::Choices), browser.storage(StorageArea::Session));
    let (index, revoked, choices, past) = join!(
        browser.skill_file(INDEX),
        browser.skill_file(REVOKED),
        choices.get(SkillChoices::KEY),
        session.get(KeptRuns::KEY),
    );
    SkillTexts { index, revoked, choices, past: past.ok().flatten() }
}

/// The tools of a SKILL; none if they cannot be read.
pub async fn tools<B: BrowserPort>(browser: &B, place: &SkillPlace) -> Vec<PlacedTool> {
    match place {
        SkillPlace::Shipped(id) => {
            let text = browser.skill_file(&format!("{id}.tools.json")).await.unwrap_or_default();
            serde_json::from_str(&text).unwrap_or_default()
        }
        SkillPlace::Stored(digest) => {
            store::tools(&browser.storage(StorageArea::Choices), digest).await.unwrap_or_default()
        }
    }
}

/// What a SKILL does; `None` if it cannot be read, or only has instructions.
pub async fn definition<B: BrowserPort>(browser: &B, place: &SkillPlace) -> Option<SkillDefinition> {
    let text = match place {
        SkillPlace::Shipped(id) => browser.skill_file(&format!("{id}.json")).await?,
        SkillPlace::Stored(digest) => kept(browser, digest).await?.definition,
    };
    serde_json::from_str(&text).ok()
}

/// A file of a SKILL with code. Those that ship have none.
pub async fn code<B: BrowserPort>(browser: &B, place: &SkillPlace, file: &str) -> Option<String> {
    let SkillPlace::Stored(digest) = place else { return None };
    let code = kept(browser, digest).await?.code;
    code.into_iter().find(|(path, _)| path == file).map(|(_, text)| text)
}

/// What is kept of an installed SKILL, without tools and files.
pub async fn kept<B: BrowserPort>(browser: &B, digest: &str) -> Option<KeptSkill> {
    store::skill(&browser.storage(StorageArea::Choices), digest).await
}

/// A SKILL as a zip, in base64; `None` if it cannot be read.
pub async fn package<B: BrowserPort>(browser: &B, place: &SkillPlace) -> Option<String> {
    match place {
        SkillPlace::Shipped(id) => browser.skill_file(&format!("{id}.zip.txt")).await,
        SkillPlace::Stored(digest) => store::package(&browser.storage(StorageArea::Choices), digest).await,
    }
}
