//! Limits of a schema and of a check against it.

/// Maximum bytes of a schema that arguments are checked against.
pub const SCHEMA_LIMIT: usize = 64 * 1024;

/// Maximum bytes of a compiled pattern: its cost for each byte of a text grows with its size.
pub(crate) const PATTERN_LIMIT: usize = 16 * 1024;

/// Maximum nesting of a schema with references inlined, in JSON values.
pub(crate) const DEPTH_LIMIT: usize = 64;

/// Maximum work of a check: values of the schema times values of the arguments, patterns times bytes.
pub(crate) const WORK_LIMIT: usize = 200_000;

/// Maximum number of values of a schema whose set of values is computed.
pub(crate) const SET_VALUES_LIMIT: usize = 1_000;

/// Maximum number of its alternatives and conditions.
pub(crate) const SET_BRANCHES_LIMIT: usize = 16;
