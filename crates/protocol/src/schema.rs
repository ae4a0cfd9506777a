//! What a model's service takes of JSON Schema.

/// The part of JSON Schema (draft 2020-12) that a service takes in the parameters of a tool. References are never in it:
/// they are replaced by what they lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaProfile {
    /// The keywords that it takes; absent for all.
    pub keywords: Option<&'static [&'static str]>,
    /// The values of `format` that it takes; absent for all.
    pub formats: Option<&'static [&'static str]>,
    /// Whether `type` may be a list.
    pub type_lists: bool,
    /// Whether a part may have no `type`, an object no `properties`, and `true` stand for a part.
    pub untyped: bool,
    /// Whether an `enum` may have values that are no strings.
    pub any_enum: bool,
    /// Whether the whole may have `allOf`, `anyOf`, `oneOf`, `not`, `enum` and `const` beside its type.
    pub root_choices: bool,
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

    /// All of it, below a whole that is a plain object.
    pub const PLAIN_ROOT: Self = Self { root_choices: false, ..Self::FULL };

    /// What every service takes.
    pub const PORTABLE: Self = Self {
        keywords: Some(&["type", "properties", "required", "items", "enum", "description", "format"]),
        formats: Some(&["email", "hostname", "ipv4", "ipv6", "uuid"]),
        type_lists: false,
        untyped: false,
        any_enum: false,
        root_choices: false,
    };

    /// Whether it takes a keyword.
    #[must_use]
    pub fn takes(&self, keyword: &str) -> bool {
        self.keywords.is_none_or(|keywords| keywords.contains(&keyword))
    }
}
