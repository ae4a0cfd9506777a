//! The texts of this crate.

use sidecar_locales::Word;

include!(concat!(env!("OUT_DIR"), "/words.rs"));
