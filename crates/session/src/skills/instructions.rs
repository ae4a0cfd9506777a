//! The SKILLs whose instructions the model may read.

use sidecar_agent::browser_tools::use_skill::{SkillListing, name_for_model};
use sidecar_webmcp::Address;

use super::{KnownSkill, KnownSkills, SkillPlace, Skills};
use crate::key_value::KeyValue;

impl<K: KeyValue> Skills<K> {
    /// The SKILLs for the list that a model is given beside pages of these addresses, the most important first: those that
    /// have tools for one of the pages, then those that only have instructions.
    pub fn listings(&self, urls: &[String]) -> Vec<SkillListing> {
        let Some(known) = self.known() else { return Vec::new() };
        let readable: Vec<_> = known.order.iter().filter(|skill| known.is_readable(skill)).collect();
        let is_of = |skill: &KnownSkill, url: &String| {
            skill.fits(url) && known.may_run(skill, &Address::of(url).origin())
        };
        let with_tools = readable.iter().filter(|skill| urls.iter().any(|url| is_of(skill, url)));
        let without = readable.iter().filter(|skill| skill.indexed.is_instructions);
        let listing = |skill: &&KnownSkill| SkillListing {
            name: skill.id().to_owned(),
            description: skill.indexed.summary.text("en").to_owned(),
        };
        with_tools.chain(without).map(listing).collect()
    }

    /// The digest of the SKILL that a model means by this name, if it may read its instructions.
    pub fn instructions_of(&self, name: &str) -> Option<&str> {
        let known = self.known()?;
        let mut readable = known.order.iter().filter(|skill| known.is_readable(skill));
        readable.find(|skill| name_for_model(skill.id()) == name).map(KnownSkill::digest)
    }
}

impl<K: KeyValue> KnownSkills<K> {
    /// Whether its instructions are kept, and it may be used. Of SKILLs that ship only the tools are there.
    fn is_readable(&self, skill: &KnownSkill) -> bool {
        matches!(skill.place, SkillPlace::Stored(_))
            && !skill.indexed.is_newer()
            && self.is_on(skill.id())
            && self.revocation(skill).is_none()
    }
}
