//! What a run of a tool by hand came to, in every form in which it is shown or taken along; and turns of chats as cases.
//!
//! A result that is JSON is shown as a table ([`table()`]) or as lines of a foldable tree ([`lines`]), and two of them as
//! their [`difference()`]. Runs are found by a [`RunFilter`]. They are taken along as JSON and JSON Lines ([`export`]), as
//! code ([`code`]) and as a case of a suite ([`case()`]), without what looks secret. A turn of a chat becomes such a case as
//! well ([`recording`]). Results come from pages, so nothing
//! here panics, and all work is bounded. Pure: no browser, no clock.

pub mod append;
pub mod case;
pub mod class;
pub mod code;
pub mod difference;
mod expected;
pub mod export;
mod fault;
pub mod filter;
mod masked;
mod moment;
mod own_words;
pub mod page_change;
mod recorded;
pub mod recording;
mod schema_at;
mod secrets;
pub mod table;
mod taken;
#[cfg(test)]
mod testing;
pub mod tree;
mod wording;

pub use append::append;
pub use case::case;
pub use class::RunClass;
pub use difference::{ResultChange, ResultChanges, difference};
pub use fault::CaseFault;
pub use filter::RunFilter;
pub use table::{ResultTable, table};
pub use taken::TakenRun;
pub use tree::{TreeLine, TreeLines, lines};
