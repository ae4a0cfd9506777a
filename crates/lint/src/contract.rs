//! The contract of a site's tools with those who call them: a snapshot of the tools, and what a later one breaks.

mod change;
mod compare;
mod schema;
mod snapshot;
#[cfg(test)]
mod tests;

pub use change::{ChangeClass, ContractChange, ContractChangeKind, name_cases};
pub use compare::compare;
pub use snapshot::{ContractFault, ContractSnapshot, ContractTool, read};
