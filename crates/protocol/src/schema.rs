//! What a model's service supports of JSON Schema.

use serde::{Deserialize, Serialize};

/// The subset of JSON Schema (draft 2020-12) that a service accepts for a tool's parameters. It never
/// includes references: they are inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaProfile {
    /// Accepted keywords; absent for all.
    pub keywords: Option<&'static [&'static str]>,
    /// Accepted values of `format`; absent for all.
    pub formats: Option<&'static [&'static str]>,
    /// Whether `type` may be a list.
    pub type_lists: bool,
    /// Whether a subschema may lack `type`, an object may lack `properties`, and `true` may be a subschema.
    pub untyped: bool,
    /// Whether an `enum` may contain values other than strings.
    pub any_enum: bool,
    /// Whether the root may have `allOf`, `anyOf`, `oneOf`, `not`, `enum` and `const` beside its type.
    pub root_choices: bool,
}

/// The name of a [`SchemaProfile`], for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProfileName {
    /// [`SchemaProfile::FULL`]
    Full,
    /// [`SchemaProfile::PLAIN_ROOT`]
    PlainRoot,
    /// [`SchemaProfile::PORTABLE`]
    Portable,
}

impl ProfileName {
    /// The profile of this name.
    #[must_use]
    pub fn profile(self) -> SchemaProfile {
        match self {
            Self::Full => SchemaProfile::FULL,
            Self::PlainRoot => SchemaProfile::PLAIN_ROOT,
            Self::Portable => SchemaProfile::PORTABLE,
        }
    }
}

impl SchemaProfile {
    /// All of JSON Schema.
    pub const FULL: Self = Self {
        keywords: None,
        formats: None,
        type_lists: true,
        untyped: true,
        any_enum: true,
        root_choices: true,
    };

    /// All of JSON Schema, except that the root is a plain object.
    pub const PLAIN_ROOT: Self = Self { root_choices: false, ..Self::FULL };

    /// What every service accepts.
    pub const PORTABLE: Self = Self {
        keywords: Some(&["type", "properties", "required", "items", "enum", "description", "format"]),
        formats: Some(&["email", "hostname", "ipv4", "ipv6", "uuid"]),
        type_lists: false,
        untyped: false,
        any_enum: false,
        root_choices: false,
    };

    /// Whether it accepts a keyword.
    #[must_use]
    pub fn takes(&self, keyword: &str) -> bool {
        self.keywords.is_none_or(|keywords| keywords.contains(&keyword))
    }
}
