//! How a SKILL fares, in words, and what the user can do about it.

use leptos::prelude::*;
use sidecar_protocol::skill::{SkillLevel, SkillRelease, SkillState, SkillSummary};
use sidecar_ui::icons::Icon;
use sidecar_ui::words::{Word, Words};

use crate::word;

/// The one thing that helps a SKILL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Switch it on.
    SwitchOn,
    /// Switch it on on the site that is shown.
    SwitchOnHere,
    /// Offer its tools again.
    Resume,
    /// Look at the page again.
    CheckAgain,
    /// Allow user scripts on the browser's page about the extension.
    AllowScripts,
}

/// What helps in this state, if something does.
pub fn remedy(state: SkillState) -> Option<Remedy> {
    match state {
        SkillState::Off => Some(Remedy::SwitchOn),
        SkillState::OffHere => Some(Remedy::SwitchOnHere),
        SkillState::Paused => Some(Remedy::Resume),
        SkillState::Changed | SkillState::SignedOut | SkillState::Challenge => Some(Remedy::CheckAgain),
        SkillState::NeedsSwitch => Some(Remedy::AllowScripts),
        SkillState::Elsewhere
        | SkillState::Checking
        | SkillState::Ok
        | SkillState::Worn
        | SkillState::OtherPage
        | SkillState::Revoked
        | SkillState::Newer
        | SkillState::Unreadable => None,
    }
}

/// The state to show: of a SKILL for other pages, too, it matters that it is off.
pub fn shown_state(skill: &SkillSummary) -> SkillState {
    if skill.state == SkillState::Elsewhere && !skill.is_on { SkillState::Off } else { skill.state }
}

/// Where a SKILL stands in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillSection {
    /// It is for the page that is shown.
    Here,
    /// It is for other pages.
    Elsewhere,
    /// It runs nowhere.
    Stopped,
}

/// Where a SKILL in this state stands in the list.
pub fn place(state: SkillState) -> SkillSection {
    match state {
        SkillState::Elsewhere => SkillSection::Elsewhere,
        SkillState::Revoked | SkillState::Newer | SkillState::Unreadable => SkillSection::Stopped,
        SkillState::Checking
        | SkillState::Ok
        | SkillState::Worn
        | SkillState::Changed
        | SkillState::SignedOut
        | SkillState::Challenge
        | SkillState::OtherPage
        | SkillState::Paused
        | SkillState::Off
        | SkillState::OffHere
        | SkillState::NeedsSwitch => SkillSection::Here,
    }
}

/// Whether a SKILL for the page that is shown gives it no tools, and could.
pub fn is_offered(skill: &SkillSummary) -> bool {
    match skill.state {
        SkillState::Changed
        | SkillState::SignedOut
        | SkillState::Challenge
        | SkillState::Paused
        | SkillState::Off
        | SkillState::OffHere
        | SkillState::NeedsSwitch => !skill.tools.is_empty(),
        SkillState::Elsewhere
        | SkillState::Checking
        | SkillState::Ok
        | SkillState::Worn
        | SkillState::OtherPage
        | SkillState::Revoked
        | SkillState::Newer
        | SkillState::Unreadable => false,
    }
}

/// The name of a state in the document.
pub fn state_name(state: SkillState) -> &'static str {
    match state {
        SkillState::Elsewhere => "elsewhere",
        SkillState::Checking => "checking",
        SkillState::Ok => "ok",
        SkillState::Worn => "worn",
        SkillState::Changed => "changed",
        SkillState::SignedOut => "signedOut",
        SkillState::Challenge => "challenge",
        SkillState::OtherPage => "otherPage",
        SkillState::Paused => "paused",
        SkillState::Off => "off",
        SkillState::OffHere => "offHere",
        SkillState::NeedsSwitch => "needsSwitch",
        SkillState::Revoked => "revoked",
        SkillState::Newer => "newer",
        SkillState::Unreadable => "unreadable",
    }
}

/// A state in a few words.
pub fn state_word(state: SkillState) -> Word {
    match state {
        SkillState::Elsewhere => word::SKILLS_STATE_ELSEWHERE,
        SkillState::Checking => word::SKILLS_STATE_CHECKING,
        SkillState::Ok => word::SKILLS_STATE_OK,
        SkillState::Worn => word::SKILLS_STATE_WORN,
        SkillState::Changed => word::SKILLS_STATE_CHANGED,
        SkillState::SignedOut => word::SKILLS_STATE_SIGNED_OUT,
        SkillState::Challenge => word::SKILLS_STATE_CHALLENGE,
        SkillState::OtherPage => word::SKILLS_STATE_OTHER_PAGE,
        SkillState::Paused => word::SKILLS_STATE_PAUSED,
        SkillState::Off => word::SKILLS_STATE_OFF,
        SkillState::OffHere => word::SKILLS_STATE_OFF_HERE,
        SkillState::NeedsSwitch => word::SKILLS_STATE_NEEDS_SWITCH,
        SkillState::Revoked => word::SKILLS_STATE_REVOKED,
        SkillState::Newer => word::SKILLS_STATE_NEWER,
        SkillState::Unreadable => word::SKILLS_STATE_UNREADABLE,
    }
}

/// The icon of a state.
pub fn state_icon(state: SkillState) -> Icon {
    match state {
        SkillState::Elsewhere | SkillState::OtherPage => Icon::Puzzle,
        SkillState::Checking => Icon::Spinner,
        SkillState::Ok => Icon::Check,
        SkillState::Worn | SkillState::Changed => Icon::Warning,
        SkillState::SignedOut | SkillState::NeedsSwitch => Icon::Lock,
        SkillState::Challenge => Icon::Question,
        SkillState::Paused => Icon::Pause,
        SkillState::Off | SkillState::OffHere => Icon::Barred,
        SkillState::Revoked | SkillState::Unreadable => Icon::Cross,
        SkillState::Newer => Icon::Clock,
    }
}

/// What a state means for the user, where its name does not say it.
pub fn reason(state: SkillState) -> Option<Word> {
    match state {
        SkillState::Worn => Some(word::SKILLS_REASON_WORN),
        SkillState::Changed => Some(word::SKILLS_REASON_CHANGED),
        SkillState::SignedOut => Some(word::SKILLS_REASON_SIGNED_OUT),
        SkillState::Challenge => Some(word::SKILLS_REASON_CHALLENGE),
        SkillState::Paused => Some(word::SKILLS_REASON_PAUSED),
        SkillState::NeedsSwitch => Some(word::SKILLS_REASON_NEEDS_SWITCH),
        SkillState::Revoked => Some(word::SKILLS_REASON_REVOKED),
        SkillState::Newer => Some(word::SKILLS_REASON_NEWER),
        SkillState::Unreadable => Some(word::SKILLS_REASON_UNREADABLE),
        SkillState::Elsewhere
        | SkillState::Checking
        | SkillState::Ok
        | SkillState::OtherPage
        | SkillState::Off
        | SkillState::OffHere => None,
    }
}

/// A SKILL and its version, where there is little room.
pub fn brief(skill: &SkillRelease) -> String {
    format!("{} {}", skill.id, skill.version).trim_end().to_owned()
}

/// The line that says which SKILL a tool is of: its name, its version, whose it is.
pub fn of_skill(words: Words, skill: &SkillRelease) -> AnyView {
    let (name, level) = (brief(skill), level_words(skill.level).0);
    let line = move || words.fill(word::SKILLS_OF, &[("skill", &name), ("level", words.get(level))]);
    view! { <p class="meta" data-testid="of-skill">{line}</p> }.into_any()
}

/// The name of a level in the document.
pub fn level_name(level: SkillLevel) -> &'static str {
    match level {
        SkillLevel::Own => "own",
        SkillLevel::Shipped => "shipped",
        SkillLevel::Imported => "imported",
    }
}

/// Whose a SKILL is, in a word, and what that means.
pub fn level_words(level: SkillLevel) -> (Word, Word) {
    match level {
        SkillLevel::Own => (word::SKILLS_OWN, word::SKILLS_OWN_HINT),
        SkillLevel::Shipped => (word::SKILLS_SHIPPED, word::SKILLS_SHIPPED_HINT),
        SkillLevel::Imported => (word::SKILLS_IMPORTED, word::SKILLS_IMPORTED_HINT),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use sidecar_protocol::skill::SkillToolSummary;

    use super::*;

    const ALL: [SkillState; 15] = [
        SkillState::Elsewhere,
        SkillState::Checking,
        SkillState::Ok,
        SkillState::Worn,
        SkillState::Changed,
        SkillState::SignedOut,
        SkillState::Challenge,
        SkillState::OtherPage,
        SkillState::Paused,
        SkillState::Off,
        SkillState::OffHere,
        SkillState::NeedsSwitch,
        SkillState::Revoked,
        SkillState::Newer,
        SkillState::Unreadable,
    ];

    /// A SKILL for tests, with a tool that reads.
    pub(crate) fn skill(state: SkillState, is_on: bool) -> SkillSummary {
        let tool = SkillToolSummary {
            name: "read".to_owned(),
            title: String::new(),
            description: String::new(),
            acts: false,
            is_code: false,
            is_on: true,
            shadowed_by: String::new(),
        };
        SkillSummary {
            id: "a".to_owned(),
            title: "A".to_owned(),
            summary: String::new(),
            version: "1.0.0".to_owned(),
            digest: String::new(),
            level: SkillLevel::Shipped,
            source: String::new(),
            sites: Vec::new(),
            state,
            detail: String::new(),
            link: String::new(),
            is_on,
            is_on_here: true,
            is_registered: true,
            tools: vec![tool],
            verified_on: String::new(),
            last_success: None,
            earlier: Vec::new(),
        }
    }

    #[test]
    fn state_that_the_user_can_end_has_one_button() {
        let found: Vec<_> = ALL.into_iter().filter_map(|state| Some((state, remedy(state)?))).collect();
        assert_eq!(
            found,
            [
                (SkillState::Changed, Remedy::CheckAgain),
                (SkillState::SignedOut, Remedy::CheckAgain),
                (SkillState::Challenge, Remedy::CheckAgain),
                (SkillState::Paused, Remedy::Resume),
                (SkillState::Off, Remedy::SwitchOn),
                (SkillState::OffHere, Remedy::SwitchOnHere),
                (SkillState::NeedsSwitch, Remedy::AllowScripts),
            ]
        );
    }

    #[test]
    fn skill_for_other_pages_is_shown_as_off_when_it_is() {
        assert_eq!(shown_state(&skill(SkillState::Elsewhere, false)), SkillState::Off);
        assert_eq!(shown_state(&skill(SkillState::Elsewhere, true)), SkillState::Elsewhere);
        assert_eq!(shown_state(&skill(SkillState::Revoked, false)), SkillState::Revoked);
        assert_eq!(place(skill(SkillState::Elsewhere, false).state), SkillSection::Elsewhere);
    }

    #[test]
    fn skill_is_offered_when_it_is_for_the_page_and_gives_no_tools() {
        let offered: Vec<_> = ALL.into_iter().filter(|state| is_offered(&skill(*state, true))).collect();
        assert!(offered.iter().all(|state| place(*state) == SkillSection::Here));
        assert_eq!(offered.len(), 7, "{offered:?}");
        let instructions = SkillSummary { tools: Vec::new(), ..skill(SkillState::Off, false) };
        assert!(!is_offered(&instructions));
    }

    #[test]
    fn states_have_names_of_their_own() {
        let names: std::collections::BTreeSet<_> = ALL.into_iter().map(state_name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
