//! Small values by name, as JSON texts. The worker of private windows reads the user's choices from disk but
//! writes nothing there: what is set in a private window is kept in memory by its browser context, until the
//! last such window closes.

use idb::{Database, DatabaseEvent, Error, Factory, ObjectStoreParams, TransactionMode};
use sidecar_agent::StoreError;
use sidecar_chrome::ChromeError;
use sidecar_chrome::extension::is_private;
use sidecar_chrome::storage::Area;
use sidecar_session::KeyValue;
use sidecar_session::browser::StorageArea;
use sidecar_session::storage_error::storage_error;
use wasm_bindgen::JsValue;

/// Name of the database, and of its object store, for private windows. There IndexedDB is in memory, outlives
/// the worker, and is invisible to other contexts.
const PRIVATE: &str = "private";

/// A storage area.
#[derive(Debug, Clone, Copy)]
pub struct Storage(pub StorageArea);

impl Storage {
    fn area(self) -> Area {
        match self.0 {
            StorageArea::Choices | StorageArea::Conversations => Area::Local,
            StorageArea::Session => Area::Session,
        }
    }

    async fn read(self, name: &str) -> Result<Option<String>, ChromeError> {
        if is_private() {
            let here = get_private(name).await.map_err(refused)?;
            if here.is_some() || self.0 != StorageArea::Choices {
                return Ok(here);
            }
        }
        self.area().get(name).await
    }

    async fn delete(self, name: &str) -> Result<(), ChromeError> {
        match is_private() {
            true => remove_private(name).await.map_err(refused),
            false => self.area().remove(name).await,
        }
    }

    async fn write(self, name: &str, text: &str) -> Result<(), ChromeError> {
        match is_private() {
            true => set_private(name, text).await.map_err(refused),
            false => self.area().set(name, text).await,
        }
    }
}

impl KeyValue for Storage {
    async fn get(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(name).await.map_err(|error| storage_error(&error.0))
    }

    async fn set(&self, name: &str, text: &str) -> Result<(), StoreError> {
        self.write(name, text).await.map_err(|error| storage_error(&error.0))
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.delete(name).await.map_err(|error| storage_error(&error.0))
    }
}

async fn get_private(name: &str) -> Result<Option<String>, Error> {
    let database = open_private().await?;
    let transaction = database.transaction(&[PRIVATE], TransactionMode::ReadOnly)?;
    let value = transaction.object_store(PRIVATE)?.get(JsValue::from_str(name))?.await;
    database.close();
    Ok(value?.and_then(|value| value.as_string()))
}

async fn set_private(name: &str, text: &str) -> Result<(), Error> {
    let database = open_private().await?;
    let transaction = database.transaction(&[PRIVATE], TransactionMode::ReadWrite)?;
    let (name, text) = (JsValue::from_str(name), JsValue::from_str(text));
    let written = transaction.object_store(PRIVATE)?.put(&text, Some(&name))?.await;
    database.close();
    written.map(drop)
}

async fn remove_private(name: &str) -> Result<(), Error> {
    let database = open_private().await?;
    let transaction = database.transaction(&[PRIVATE], TransactionMode::ReadWrite)?;
    let removed = transaction.object_store(PRIVATE)?.delete(JsValue::from_str(name))?.await;
    database.close();
    removed
}

async fn open_private() -> Result<Database, Error> {
    let mut request = Factory::new()?.open(PRIVATE, Some(1))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            // If this fails, so does the first transaction, with an error.
            let _ = database.create_object_store(PRIVATE, ObjectStoreParams::new());
        }
    });
    request.await
}

fn refused(error: Error) -> ChromeError {
    ChromeError(error.to_string())
}
