//! Typed bindings of the `chrome.*` calls the extension makes, each as thin as can be. Nothing else in the house says
//! `chrome`.

pub mod link;
