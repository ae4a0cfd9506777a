//! The tools that pages offer: who has them, how they are reached, how risky they look, what a model calls them.
//!
//! Pure: the worker feeds a [`Catalogue`] with what relays report and reads tools back. What a page says about
//! itself is checked and capped here; identity comes from the browser's [`Place`] alone.

pub mod address;
pub mod catalogue;
mod document;
pub mod fingerprint;
pub mod offer;
pub mod risk;
pub mod tool;
pub mod visible;

pub use address::Address;
pub use catalogue::{Catalogue, Change, ToolList};
pub use fingerprint::Fingerprint;
pub use offer::{ASK_USER, Offer, OfferedTab, offer};
pub use tool::{Place, Tool};
pub use visible::{visible, visible_json};
