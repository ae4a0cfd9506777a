//! SKILLs: which are there, how they fare, and how others come in.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::skill::{SkillLevel, SkillOffer, SkillSummary, SkillTrace};

/// Commands for SKILLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SkillsCommand {
    /// Send the list; answered by [`SkillsAnswer::Listed`].
    List,
    /// Switch a SKILL on or off.
    Switch {
        /// Its name.
        id: String,
        /// Whether it is on.
        on: bool,
    },
    /// Switch a SKILL on or off on the site that is shown.
    SwitchHere {
        /// Its name.
        id: String,
        /// Whether it is on there.
        on: bool,
    },
    /// Switch a tool of a SKILL on or off.
    SwitchTool {
        /// The name of the SKILL.
        id: String,
        /// The name of the tool.
        tool: String,
        /// Whether it is on.
        on: bool,
    },
    /// Show the tools of a SKILL to other agents in the page, or no longer.
    Register {
        /// Its name.
        id: String,
        /// Whether they are shown.
        on: bool,
    },
    /// Offer the tools of a SKILL again that is paused on the site that is shown.
    Resume {
        /// Its name.
        id: String,
    },
    /// Read files that may be a SKILL, sent in pieces; the answer to the last one is [`SkillsAnswer::Offered`].
    Upload {
        /// The next piece of a JSON text: `[{"path": …, "data": base64}]`. A single file that is a zip is unpacked.
        text: String,
        /// Whether there are further pieces.
        more: bool,
    },
    /// Read what is at an address that the user entered; answered by [`SkillsAnswer::Offered`].
    Fetch {
        /// The address.
        address: String,
    },
    /// Read one of the SKILLs that the files hold; answered by [`SkillsAnswer::Offered`].
    Choose {
        /// Its folder.
        folder: String,
    },
    /// Install the package that was read last.
    Install {
        /// Its digest, as it was shown.
        digest: String,
        /// Whose it is: [`SkillLevel::Own`] or [`SkillLevel::Imported`].
        level: SkillLevel,
    },
    /// Go back to an earlier version.
    RollBack {
        /// The SKILL.
        id: String,
        /// The digest of that version.
        digest: String,
    },
    /// Remove an installed SKILL. It can be restored for [`crate::history::UNDO_MS`].
    Remove {
        /// Its name.
        id: String,
    },
    /// Restore a SKILL that was just removed.
    Restore {
        /// Its name.
        id: String,
    },
    /// Send a SKILL as a zip; answered by [`SkillsAnswer::Piece`]s.
    Export {
        /// Its name.
        id: String,
    },
    /// Send the last run of a tool of a SKILL; answered by [`SkillsAnswer::Traced`].
    Trace {
        /// Its name.
        id: String,
    },
}

/// Answers a [`SkillsCommand`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SkillsAnswer {
    /// All SKILLs.
    Listed {
        /// Those for the page that is shown first.
        skills: Vec<SkillSummary>,
    },
    /// What became of files.
    Offered {
        /// What they are.
        offer: SkillOffer,
    },
    /// The next piece of a file: base64.
    Piece {
        /// The piece.
        text: String,
    },
    /// The last run.
    Traced {
        /// Absent if no tool ran since the browser was started.
        trace: Option<SkillTrace>,
    },
}

/// The SKILLs changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SkillsEvent {
    /// The list is another now, or how one of them fares.
    Changed,
}

impl Domain for SkillsCommand {
    type Answer = SkillsAnswer;

    fn command(self) -> Command {
        Command::Skills(self)
    }

    fn answer(answer: Answer) -> Option<SkillsAnswer> {
        if let Answer::Skills(answer) = answer { Some(answer) } else { None }
    }
}
