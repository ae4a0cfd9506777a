//! SKILLs: tools for sites that have none.
//!
//! A SKILL is a folder. Its SKILL.md is an Agent Skill, as other programs read it; `webmcp/skill.json` holds the tools
//! that it adds to a site. This crate reads and checks what others wrote, and thinks for what runs it. Pure: it does no
//! I/O and reads no clock. Everything in a package is untrusted.
//!
//! What only import needs (zip, YAML, the shape of skill.json) is behind the feature `import`.

pub mod definition;
pub mod package;
pub mod pattern;
pub mod problem;
#[cfg(feature = "import")]
pub mod shape;
#[cfg(feature = "import")]
pub mod skill_text;
pub mod template;
mod word;
#[cfg(feature = "import")]
mod yaml;

pub use definition::SkillDefinition;
pub use package::SkillPackage;
pub use pattern::MatchPattern;
pub use problem::{PackageProblem, ProblemLevel, Reason, ReasonCode};
