//! The tools of pages: where they are, how they are reached, their risk, and their names for models.
//!
//! Pure: the worker passes a [`Catalogue`] what relays report, and reads tools from it. What a page says
//! about itself is checked and capped here; identity comes only from the browser's [`Place`].

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
pub use offer::{ASK_USER, MOST_TOOLS, Offer, OfferedTab, offer};
pub use tool::{Place, Tool};
pub use visible::{visible, visible_json};
