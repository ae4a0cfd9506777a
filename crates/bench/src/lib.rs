//! The decoder as a module of its own, built as the worker's is: what ships has no hook for measuring.

mod reading;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

/// Reads a Chat Completions stream from its pieces (an array of `Uint8Array`s), each of which comes into WASM as a
/// piece of a response's body does. Gives the bytes of its text, thoughts and arguments.
///
/// # Errors
/// What is wrong with the stream.
#[wasm_bindgen]
pub fn decode(pieces: &Array) -> Result<Vec<u32>, String> {
    let pieces = pieces.iter().map(|piece| Uint8Array::new(&piece).to_vec());
    let lengths = reading::lengths(pieces)?;
    Ok(lengths.into_iter().map(|length| u32::try_from(length).unwrap_or(u32::MAX)).collect())
}
