//! How much a schema and a check against it may be.

/// Longest schema that arguments are checked against, in bytes.
pub const SCHEMA_LIMIT: usize = 64 * 1024;

/// Largest compiled pattern, in bytes: what a pattern costs for each byte of a text grows with it.
pub(crate) const PATTERN_LIMIT: usize = 16 * 1024;

/// Deepest nesting of a schema whose references are written out, in JSON values.
pub(crate) const DEPTH_LIMIT: usize = 64;

/// Most work that a check may be: values of the schema times values of the arguments, patterns times bytes.
pub(crate) const WORK_LIMIT: usize = 200_000;
