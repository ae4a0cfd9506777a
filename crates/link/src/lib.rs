//! A page of ours and the worker: the page's end of their port, and what pages follow over it.

mod ask_anew;
pub mod connection;
pub mod hand_run;
pub mod language;
mod port;

pub use ask_anew::ask_anew;
pub use connection::LinkConnection;
pub use port::{Incoming, LinkResponse, PageSight};
