//! A page of ours and the worker: the page's end of their port, and what pages follow over it.

pub mod connection;
pub mod hand_run;
pub mod language;
mod port;

pub use connection::LinkConnection;
pub use port::{Incoming, LinkResponse, PageSight};
