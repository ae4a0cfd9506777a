//! md
pub mod tree;
