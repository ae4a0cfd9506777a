//! The panel's words, from `locales/`: a constant a text.

include!(concat!(env!("OUT_DIR"), "/words.rs"));
use sidecar_ui::words::Word;
