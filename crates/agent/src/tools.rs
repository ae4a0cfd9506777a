//! Tools in a turn: resolving calls, the agent's own tool, the page after a call.

pub mod new_page;
pub mod question;
pub mod resolve;
pub mod settled;
