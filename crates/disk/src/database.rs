//! The database on disk (IndexedDB): connection and transactions. The submodules read and write the data.
//!
//! It has eight object stores. `threads`: id → [`sidecar_session::threads::ThreadRecord`]. `log`: [id,
//! position] → entry. `drafts`: id → [`sidecar_session::threads::AnswerDraft`]. `calls` (since version 2):
//! number → line of the log of calls. `pictures` (since version 3): [id of the thread,
//! digest] → data in base64. `evals`, `evalPlans` and
//! `evalRuns` (since version 4): id → line of an eval and what is run, [id, name] → run. Every other value is a JSON text.

mod calls;
mod evals;
mod history;

use std::cell::Cell;
use std::rc::{Rc, Weak};

use futures::channel::oneshot;
use futures::future::{Either, select};
use futures::lock::Mutex;
use idb::request::OpenDatabaseRequest;
use idb::{DatabaseEvent, Factory, ObjectStoreParams, Transaction, TransactionMode};
use serde::{Deserialize, Serialize};
use sidecar_agent::StoreError;
use sidecar_protocol::ThreadId;
use sidecar_protocol::error::StorageTrouble;
use sidecar_session::Mailbox;
use sidecar_session::event::{RequestEvent, ThreadsChange};
use sidecar_session::storage_error::storage_error;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::IdbTransaction;

const NAME: &str = "webmcp-sidecar";
const VERSION: u32 = 4;
const THREADS: &str = "threads";
const LOG: &str = "log";
const DRAFTS: &str = "drafts";
const CALLS: &str = "calls";
const PICTURES: &str = "pictures";
const EVALS: &str = "evals";
const EVAL_PLANS: &str = "evalPlans";
const EVAL_RUNS: &str = "evalRuns";

/// The database. It is opened when it is first needed, and again after a failure.
#[derive(Debug, Clone)]
pub struct Database {
    connection: Rc<Mutex<ConnectionState>>,
    /// Maximum number of lines in the log of calls.
    calls_kept: Rc<Cell<u32>>,
    /// The actor's queue, for changes of the log of calls.
    mailbox: Mailbox,
}

/// The state of the connection.
#[derive(Debug, Default)]
enum ConnectionState {
    /// There is none.
    #[default]
    Closed,
    /// A request to open it waits until an earlier connection closes. Another request would wait behind it
    /// without being told that it is blocked.
    Blocked,
    /// It is open.
    Open(Rc<idb::Database>),
}

impl Database {
    /// Does not open it yet. `calls_kept` is the maximum number of lines in the log of calls.
    pub fn new(mailbox: Mailbox, calls_kept: u32) -> Self {
        Self { connection: Rc::default(), calls_kept: Rc::new(Cell::new(calls_kept)), mailbox }
    }

    /// The connection, opened if necessary. It closes when another context upgrades or deletes the database.
    async fn connection(&self) -> Result<Rc<idb::Database>, StoreError> {
        let mut connection = self.connection.lock().await;
        match &*connection {
            ConnectionState::Open(database) => return Ok(database.clone()),
            ConnectionState::Blocked => return Err(blocked()),
            ConnectionState::Closed => {}
        }
        let (sender, is_blocked) = oneshot::channel();
        match select(request(sender)?.into_future(), is_blocked).await {
            Either::Left((opened, _)) => {
                let database = self.forgotten_when_closed(opened.map_err(failed)?);
                *connection = ConnectionState::Open(database.clone());
                Ok(database)
            }
            Either::Right((_, opening)) => {
                *connection = ConnectionState::Blocked;
                let this = self.clone();
                spawn_local(async move {
                    let opened = opening.await;
                    *this.connection.lock().await = match opened {
                        Ok(database) => ConnectionState::Open(this.forgotten_when_closed(database)),
                        Err(_) => ConnectionState::Closed,
                    };
                    // Panels that asked meanwhile were refused the list of threads.
                    this.mailbox.post(RequestEvent::ThreadsChanged { change: ThreadsChange::Added });
                });
                Err(blocked())
            }
        }
    }

    /// Sees to it that a connection that closes is no longer used.
    fn forgotten_when_closed(&self, mut database: idb::Database) -> Rc<idb::Database> {
        Rc::new_cyclic(|this: &Weak<idb::Database>| {
            let forget = {
                let (connection, this) = (self.connection.clone(), this.clone());
                move || {
                    spawn_local(async move {
                        let mut connection = connection.lock().await;
                        // A later connection may have taken its place.
                        if matches!(&*connection, ConnectionState::Open(open) if this.as_ptr() == Rc::as_ptr(open))
                        {
                            *connection = ConnectionState::Closed;
                        }
                    });
                }
            };
            database.on_version_change({
                let forget = forget.clone();
                move |event| {
                    if let Ok(database) = event.database() {
                        database.close();
                    }
                    forget();
                }
            });
            // For example when the user clears the browser's data.
            database.on_close(move |_| forget());
            database
        })
    }

    /// Reads in a single transaction.
    async fn read_in<T>(
        &self,
        stores: &[&str],
        work: impl AsyncFnOnce(&Transaction) -> Result<T, idb::Error>,
    ) -> Result<T, StoreError> {
        let database = self.connection().await?;
        let read = async { work(&database.transaction(stores, TransactionMode::ReadOnly)?).await };
        match read.await {
            Ok(value) => Ok(value),
            Err(error) => Err(self.refused(&error.to_string()).await),
        }
    }

    /// Writes in a single transaction: when this returns, all of it is on disk, or on an error nothing.
    async fn write_in<T>(
        &self,
        stores: &[&str],
        work: impl AsyncFnOnce(&Transaction) -> Result<T, idb::Error>,
    ) -> Result<T, StoreError> {
        let database = self.connection().await?;
        let raw: IdbTransaction = match database.transaction(stores, TransactionMode::ReadWrite) {
            Ok(transaction) => transaction.into(),
            Err(error) => return Err(self.refused(&error.to_string()).await),
        };
        let write = async {
            let transaction = Transaction::from(raw.clone());
            let value = work(&transaction).await?;
            Ok::<_, idb::Error>((value, transaction.commit()?.await?))
        };
        let error = match write.await {
            Ok((value, result)) if result.is_committed() => return Ok(value),
            // A full disk is reported only when the transaction completes.
            Ok(_) => None,
            Err(error) => {
                // Fails if the transaction is already aborted.
                let _ = raw.abort();
                Some(error.to_string())
            }
        };
        let cause = raw.error().map(|cause| format!("{}: {}", cause.name(), cause.message()));
        Err(self.refused(&cause.or(error).unwrap_or_default()).await)
    }

    /// The error for the browser's message. The connection itself may be broken, so it is closed and the next
    /// call opens another. Dropping it without closing it would block other contexts from upgrading the
    /// database.
    async fn refused(&self, words: &str) -> StoreError {
        let mut connection = self.connection.lock().await;
        if let ConnectionState::Open(database) = &*connection {
            database.close();
            *connection = ConnectionState::Closed;
        }
        storage_error(words)
    }
}

/// A request to open the database, which creates missing object stores. It fails if the database on disk has
/// a later version. `blocked` is used if an earlier connection has to close first.
fn request(blocked: oneshot::Sender<()>) -> Result<OpenDatabaseRequest, StoreError> {
    let mut request = Factory::new().and_then(|factory| factory.open(NAME, Some(VERSION))).map_err(failed)?;
    request.on_upgrade_needed(|event| {
        let Ok(database) = event.database() else { return };
        let there = database.store_names();
        let mut numbered = ObjectStoreParams::new();
        numbered.auto_increment(true);
        let wanted = [THREADS, LOG, DRAFTS, PICTURES, EVALS, EVAL_PLANS, EVAL_RUNS]
            .map(|name| (name, ObjectStoreParams::new()));
        for (name, params) in wanted.into_iter().chain([(CALLS, numbered)]) {
            if !there.iter().any(|known| known == name) {
                // If this fails, so does the first transaction, with an error.
                let _ = database.create_object_store(name, params);
            }
        }
    });
    request.on_blocked(move |_| {
        // The receiver is gone once the database is open.
        let _ = blocked.send(());
    });
    Ok(request)
}

fn failed(error: idb::Error) -> StoreError {
    storage_error(&error.to_string())
}

fn blocked() -> StoreError {
    StoreError::new(StorageTrouble::Blocked, "an earlier connection to the database does not close")
}

fn thread_key(thread: &ThreadId) -> JsValue {
    JsValue::from_str(&thread.0)
}

fn text(value: &impl Serialize) -> JsValue {
    JsValue::from_str(&serde_json::to_string(value).unwrap_or_default())
}

fn parse<T: for<'de> Deserialize<'de>>(value: &JsValue) -> Result<T, StoreError> {
    let text = value.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| StoreError::other(error.to_string()))
}
