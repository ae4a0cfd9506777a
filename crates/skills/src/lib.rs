//! SKILLs: tools for sites that have none.
//!
//! A SKILL is a folder. Its SKILL.md is an Agent Skill, as other programs read it; `webmcp/skill.json` holds the tools
//! that it adds to a site. This crate reads and checks what others wrote, and thinks for what runs it. Pure: it does no
//! I/O and reads no clock. Everything in a package is untrusted.
//!
//! What only import needs (packages, their check, and what is said of them) is behind the feature `import`.

#[cfg(feature = "import")]
pub mod check;
pub mod definition;
pub mod exchange;
#[cfg(feature = "import")]
pub mod import;
pub mod offer;
#[cfg(feature = "import")]
pub mod package;
pub mod pattern;
pub mod pick;
#[cfg(feature = "import")]
pub mod problem;
pub mod revoked;
pub mod rights;
pub mod run;
#[cfg(feature = "import")]
mod selector;
#[cfg(feature = "import")]
pub mod shape;
#[cfg(feature = "import")]
pub mod skill_text;
pub mod template;
pub mod typed;
#[cfg(feature = "import")]
mod word;
#[cfg(feature = "import")]
mod yaml;

#[cfg(feature = "import")]
pub use check::{CheckedPackage, check};
pub use definition::SkillDefinition;
#[cfg(feature = "import")]
pub use package::SkillPackage;
pub use pattern::{MatchPattern, PageAddress};
#[cfg(feature = "import")]
pub use problem::{PackageProblem, ProblemLevel, Reason, ReasonCode};
