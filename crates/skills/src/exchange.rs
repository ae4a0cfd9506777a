//! What the worker asks the module that reads packages, and what that answers. Each is one JSON text.

use serde::{Deserialize, Serialize};
use sidecar_protocol::settings::Language;
use sidecar_protocol::skill::{SkillOffer, SkillUpdate};

use crate::offer::{IndexedSkill, PlacedTool};
use crate::revoked::Revocation;

/// A question about packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PackageQuestion {
    /// What are these files?
    Open {
        /// The files. A single one that is a zip is unpacked.
        files: Vec<UploadedFile>,
        /// The folder of the one that was chosen, if they hold several SKILLs.
        folder: Option<String>,
        /// Those that may not come in.
        #[serde(default)]
        revoked: Vec<Revocation>,
        /// The language of sentences.
        language: Language,
    },
    /// What does a package change of another one? Both are zips, in base64.
    Compare {
        /// The one that is installed.
        before: String,
        /// The one that would take its place.
        after: String,
        /// The language of sentences.
        language: Language,
    },
}

/// A file as it was uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedFile {
    /// Its path, with the folder that was chosen, or its name.
    pub path: String,
    /// Its bytes, in base64.
    pub data: String,
}

/// An answer about packages.
#[allow(clippy::large_enum_variant, reason = "it is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PackageAnswer {
    /// Answers [`PackageQuestion::Open`].
    Opened {
        /// What they are. A review does not say yet what it changes.
        offer: SkillOffer,
        /// What is kept if it is installed; absent unless `offer` is a review.
        kept: Option<KeptSkill>,
    },
    /// Answers [`PackageQuestion::Compare`].
    Compared {
        /// What is changed.
        update: SkillUpdate,
    },
}

/// What is kept of an installed package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptSkill {
    /// Name, titles and pages.
    pub indexed: IndexedSkill,
    /// Its tools, for the catalogue.
    pub tools: Vec<PlacedTool>,
    /// Its definition: JSON text; empty if it only has instructions.
    pub definition: String,
    /// Its instructions: the Markdown of SKILL.md.
    pub instructions: String,
    /// What it says of itself in SKILL.md: what it does and when to use it.
    pub description: String,
    /// The code of its tools, by path.
    #[serde(default)]
    pub code: Vec<(String, String)>,
    /// The package as a zip, in base64.
    pub package: String,
}
