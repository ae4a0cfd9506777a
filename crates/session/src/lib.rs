//! The worker's logic without a browser ([`Actor`]), and the data that outlives a worker: threads, settings
//! and keys, queued messages, decisions about tools and sites, the log of calls. It is tested natively; the
//! worker supplies the browser ([`browser`]) and its storage ([`KeyValue`]).
//! What the user set or decided is a saved value (`saved`): an unreadable part stays on disk as it is, and is
//! reported. Facts about models, and data that ends with the browser, are in a `cache`.

mod access;
pub mod actions;
mod actor;
pub mod attention;
pub mod browser;
mod cache;
pub mod call_log;
pub mod chat;
mod documents;
pub mod evals;
pub mod event;
mod grants;
pub mod history;
mod key_value;
mod latest;
mod lint_rules;
mod mailbox;
mod open_threads;
mod page_definitions;
pub mod panels;
mod pieces;
mod pins;
mod queue;
mod refusals;
mod saved;
pub mod settings;
pub mod skill_parts;
pub mod skills;
pub mod storage_error;
pub mod tabs;
pub mod test_bridge;
pub mod threads;
mod tool_runs;
mod turns;
pub mod unfinished;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod testing;

pub use actor::Actor;
pub use actor::code_parts::CodeParts;
pub use actor::eval_task::EvalTask;
pub use actor::hand_run_task::HandRunTask;
pub use actor::page_call_task::PageCallTask;
pub use actor::skill_look;
pub use actor::turn_task::TurnTask;
pub use browser::BrowserPort;
pub use event::SessionEvent;
pub use key_value::KeyValue;
pub use mailbox::Mailbox;
pub use turns::Turns;
