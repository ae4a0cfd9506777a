//! The words of this crate's own widgets, from `locales/`.

use super::Word;

include!(concat!(env!("OUT_DIR"), "/words.rs"));
