//! What a worker does ([`actor`]), and what outlives it: threads, settings and keys, messages that wait, decisions about
//! tools and sites, the log of calls. The thinking is here, tested natively; the worker brings the browser ([`browser`]) and
//! its storage ([`KeyValue`]).
//!
//! What the user set or said is a [`Saved`] value: a part that cannot be read stays on disk as it is, and is told. What is
//! only known of models, or lives as long as the browser, is read or learnt again ([`cache`]).

pub mod actor;
pub mod attention;
pub mod browser;
pub mod cache;
pub mod call_log;
pub mod chat;
pub mod event;
pub mod grants;
pub mod history;
pub mod key_value;
pub mod latest;
pub mod open_threads;
pub mod panels;
mod pieces;
pub mod pins;
pub mod queue;
pub mod refusals;
pub mod saved;
pub mod settings;
pub mod tabs;
pub mod threads;
pub mod turns;
pub mod unfinished;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod testing;

pub use actor::Actor;
pub use attention::Attention;
pub use browser::BrowserPort;
pub use chat::Chat;
pub use event::SessionEvent;
pub use grants::GrantStore;
pub use key_value::KeyValue;
pub use open_threads::OpenThreads;
pub use panels::Panels;
pub use pins::Pins;
pub use queue::Queue;
pub use saved::Saved;
pub use settings::SettingsStore;
pub use tabs::Tabs;
pub use threads::Threads;
pub use turns::Turns;
pub use unfinished::UnfinishedThreads;
