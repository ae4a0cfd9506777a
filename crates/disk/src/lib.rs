//! What the extension keeps in the browser: threads, the log of calls, pictures and evals in IndexedDB ([`Database`]), small
//! values by name in `chrome.storage` ([`Storage`]). The session says what is kept, and when; formats and their versions are
//! in `docs/decisions/0024-disk-formats.md`.

mod database;
mod storage;

pub use database::Database;
pub use storage::Storage;
