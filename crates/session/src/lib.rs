//! The worker's logic without a browser ([`actor`]), and the data that outlives a worker: threads, settings
//! and keys, queued messages, decisions about tools and sites, the log of calls. It is tested natively; the
//! worker supplies the browser ([`browser`]) and its storage ([`KeyValue`]).
//! What the user set or decided is a [`Saved`] value: an unreadable part stays on disk as it is, and is
//! reported. Facts about models, and data that ends with the browser, are in a [`cache`].

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
