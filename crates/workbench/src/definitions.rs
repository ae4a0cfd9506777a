//! The definitions of tools that the workbench has seen, so that a later one can be compared.

use std::collections::HashMap;

use leptos::prelude::*;

/// Maximum number of definitions.
const MOST: usize = 300;

/// Longest definition that is kept, in bytes.
const LONGEST: usize = 64 * 1024;

/// The definitions, by digest. A handle: copies share them.
#[derive(Clone, Copy)]
pub struct Definitions(StoredValue<HashMap<String, String>>);

impl Definitions {
    /// Makes them known below.
    pub fn provide() {
        provide_context(Self(StoredValue::new(HashMap::new())));
    }

    /// Keeps a definition (JSON text), unless it is too long or there are too many.
    pub fn keep(self, digest: &str, definition: String) {
        self.0.update_value(|known| {
            if definition.len() <= LONGEST && known.len() < MOST {
                known.insert(digest.to_owned(), definition);
            }
        });
    }

    /// The definition with this digest.
    pub fn of(self, digest: &str) -> Option<String> {
        self.0.with_value(|known| known.get(digest).cloned())
    }
}
