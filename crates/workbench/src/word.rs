//! The workbench's words: one constant for each text in `locales/`, and those that pages share.

use sidecar_ui::words::Word;
pub use sidecar_ui::words::word::*;

include!(concat!(env!("OUT_DIR"), "/words.rs"));
