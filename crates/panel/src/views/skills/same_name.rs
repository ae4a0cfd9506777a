//! What the install screen says where a SKILL of the package's name is there already: which one, where both are from, and
//! what becomes of it. Names are unique: two SKILLs of one name never stand beside each other.

use leptos::prelude::*;
use sidecar_protocol::skill::{SkillLevel, SkillReview, SkillSummary};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::{Word, Words};

use crate::phrases::skill::{level_name, level_words};
use crate::state::skills::SkillsStore;
use crate::state::skills::address::is_address;
use crate::state::skills::install::InstallStore;
use crate::word;

/// Element id of the sentences that say what becomes of the SKILL that is there.
pub const SAME_NAME: &str = "skill-same-name";

/// What installing a package means for the SKILL that has its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameName {
    /// Whether it comes from elsewhere, as far as that can be known: the name of a file says nothing.
    is_other: bool,
    /// Whether it cannot be installed as it is.
    pub is_barred: bool,
    /// What the user has to know.
    said: Vec<Word>,
}

impl SameName {
    /// Of a package from `source`, beside the SKILL of its name. `is_own`: the user says that they made it.
    fn of(known: &SkillSummary, source: &str, is_own: bool) -> Self {
        let mut said = Vec::new();
        let is_elsewhere = known.source != source && (is_address(&known.source) || is_address(source));
        if is_elsewhere && known.level != SkillLevel::Shipped {
            said.push(word::SKILLS_SAME_ELSEWHERE);
        }
        said.extend(match (known.level, is_own) {
            (SkillLevel::Shipped, true) => vec![word::SKILLS_SAME_IN_PLACE_OF_SHIPPED],
            (SkillLevel::Shipped, false) => vec![word::SKILLS_SAME_BARRED],
            (SkillLevel::Own, true) | (SkillLevel::Imported, false) => vec![word::SKILLS_SAME_IN_PLACE],
            (SkillLevel::Own, false) => vec![word::SKILLS_SAME_IN_PLACE, word::SKILLS_SAME_NO_LONGER_OWN],
            (SkillLevel::Imported, true) => vec![word::SKILLS_SAME_IN_PLACE, word::SKILLS_SAME_NOW_OWN],
        });
        let is_owned = known.level == SkillLevel::Own;
        Self {
            is_other: known.level == SkillLevel::Shipped || is_elsewhere || is_owned != is_own,
            is_barred: known.level == SkillLevel::Shipped && !is_own,
            said,
        }
    }
}

/// The SKILL that has the name of a package, and what installing that means for it. It does not change while the package
/// is being installed.
pub fn same_name(
    skills: SkillsStore,
    install: InstallStore,
    review: &SkillReview,
) -> Memo<Option<(SkillSummary, SameName)>> {
    let (id, source) = (review.id.clone(), install.origin());
    Memo::new(move |before: Option<&Option<(SkillSummary, SameName)>>| {
        if install.installing.get() {
            return before.cloned().flatten();
        }
        let known = skills.find(&id)?;
        let same = SameName::of(&known, &source, install.is_own.get());
        Some((known, same))
    })
}

/// The notice; none where the name is free.
pub fn same_name_view(
    words: Words,
    install: InstallStore,
    review: &SkillReview,
    same: Memo<Option<(SkillSummary, SameName)>>,
) -> impl IntoView + use<> {
    let (version, source) = (review.version.clone(), install.origin());
    move || {
        let (known, same) = same.get()?;
        let there =
            [known.title.as_str(), &shown(words, &known.version), words.get(level_words(known.level).0)];
        let there =
            words.fill(word::SKILLS_SAME_THERE, &[("skill", &with_source(words, &there, &known.source))]);
        let here = with_source(words, &[&shown(words, &version)], &source);
        let here = words.fill(word::SKILLS_SAME_HERE, &[("skill", &here)]);
        let SameName { is_other, said, .. } = same;
        let title = if is_other { word::SKILLS_SAME_TITLE } else { word::SKILLS_SAME_TITLE_SAME };
        Some(
            view! {
                <div
                    class="notice"
                    class:bad=is_other
                    role="group"
                    aria-labelledby="skill-same-title"
                    data-testid="skill-same-name"
                    data-level=level_name(known.level)
                    data-other=is_other.to_string()
                >
                    {icon(if is_other { Icon::Warning } else { Icon::Question })}
                    <div>
                        <h3 id="skill-same-title">{words.fill(title, &[("id", &known.id)])}</h3>
                        <p>{there}</p>
                        <p>{here}</p>
                        <div id=SAME_NAME role="status">
                            {said.into_iter().map(|word| view! { <p>{words.get(word)}</p> }).collect_view()}
                        </div>
                    </div>
                </div>
            }
            .into_any(),
        )
    }
}

/// `Shop · 1.0.0 · imported · From shop.zip`
fn with_source(words: Words, facts: &[&str], source: &str) -> String {
    let source = (!source.is_empty()).then(|| words.fill(word::SKILLS_SOURCE, &[("source", source)]));
    facts.iter().map(|fact| (*fact).to_owned()).chain(source).collect::<Vec<_>>().join(" · ")
}

fn shown(words: Words, version: &str) -> String {
    if version.is_empty() { words.get(word::SKILLS_NO_VERSION).to_owned() } else { version.to_owned() }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::skill::SkillState;

    use super::*;
    use crate::phrases::skill::tests::skill;

    fn known(level: SkillLevel, source: &str) -> SkillSummary {
        SkillSummary { level, source: source.to_owned(), ..skill(SkillState::Ok, true) }
    }

    #[test]
    fn package_is_of_another_source_by_its_level_or_its_address() {
        use SkillLevel::{Imported, Own, Shipped};
        let at = "https://a.example/shop.zip";
        for (level, before, source, is_own, is_other) in [
            (Imported, at, at, false, false),
            (Imported, at, "https://b.example/shop.zip", false, true),
            (Imported, at, "https://a.example/shop.zip?other", false, true),
            (Imported, at, "shop.zip", false, true),
            (Imported, "shop.zip", at, false, true),
            // Authors name their files by version.
            (Imported, "shop-1.0.0.zip", "shop-1.1.0.zip", false, false),
            (Imported, "shop.zip", "shop.zip", true, true),
            (Own, "shop", "shop", true, false),
            (Own, "shop", "shop", false, true),
            (Shipped, "", "shop.zip", true, true),
            (Shipped, "", at, false, true),
        ] {
            let same = SameName::of(&known(level, before), source, is_own);
            assert_eq!(same.is_other, is_other, "{level:?} of {before}, and {source}, own: {is_own}");
            assert_eq!(same.is_barred, level == Shipped && !is_own);
        }
    }

    #[test]
    fn what_becomes_of_the_one_that_is_there_is_said() {
        use SkillLevel::{Imported, Own, Shipped};
        let said = |level, source: &str, is_own| SameName::of(&known(level, "shop.zip"), source, is_own).said;
        assert_eq!(said(Imported, "shop.zip", false), [word::SKILLS_SAME_IN_PLACE]);
        assert_eq!(
            said(Imported, "https://a.example/shop.zip", false),
            [word::SKILLS_SAME_ELSEWHERE, word::SKILLS_SAME_IN_PLACE]
        );
        assert_eq!(
            said(Own, "shop.zip", false),
            [word::SKILLS_SAME_IN_PLACE, word::SKILLS_SAME_NO_LONGER_OWN]
        );
        assert_eq!(said(Imported, "shop.zip", true), [word::SKILLS_SAME_IN_PLACE, word::SKILLS_SAME_NOW_OWN]);
        assert_eq!(said(Shipped, "shop.zip", true), [word::SKILLS_SAME_IN_PLACE_OF_SHIPPED]);
        assert_eq!(said(Shipped, "https://a.example/shop.zip", false), [word::SKILLS_SAME_BARRED]);
    }
}
