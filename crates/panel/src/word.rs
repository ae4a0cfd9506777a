//! The panel's words: one constant for each text in `locales/`.

include!(concat!(env!("OUT_DIR"), "/words.rs"));
use sidecar_ui::words::Word;
