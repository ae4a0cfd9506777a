//! Tools as models write them: a name that is nearly one that was offered, arguments that are nearly right, and the
//! schema that every service takes.

pub mod arguments;
pub mod names;
pub(crate) mod parameters;
