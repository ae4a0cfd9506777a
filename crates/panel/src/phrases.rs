//! What several views, and the live region, say of the same thing.

pub mod item;
pub mod model_error;
pub mod policy;
pub mod setting;
pub mod tool_call;
