//! The server over real HTTP: what it sends, what it refuses, what can go wrong with it, and what every scenario says.

mod client;
mod flights;
