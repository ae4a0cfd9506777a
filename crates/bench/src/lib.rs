//! The decoder as a separate WASM module, built like the worker: the shipped module has no hooks for
//! measuring.

mod reading;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

/// Decodes a Chat Completions stream given in pieces (an array of `Uint8Array`s). Each piece is copied into
/// WASM memory like a piece of a response body. Returns the lengths of the answer's text, reasoning and
/// arguments, in bytes.
///
/// # Errors
/// The decoder's message if the stream is invalid.
#[wasm_bindgen]
pub fn decode(pieces: &Array) -> Result<Vec<u32>, String> {
    let pieces = pieces.iter().map(|piece| Uint8Array::new(&piece).to_vec());
    let lengths = reading::lengths(pieces)?;
    Ok(lengths.into_iter().map(|length| u32::try_from(length).unwrap_or(u32::MAX)).collect())
}
