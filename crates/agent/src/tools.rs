//! What a turn knows of tools: which one a call means, the agent's own, and the page after a call.

pub mod new_page;
pub mod question;
pub mod resolve;
pub mod settled;
