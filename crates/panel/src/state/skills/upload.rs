//! Sends files to the worker, as the JSON text `[{"path": …, "data": base64}]` in pieces. Only one piece is in memory.

use js_sys::{Array, Uint8Array};
use leptos::prelude::GetUntracked;
use sidecar_protocol::history::IMPORT_PIECE;
use sidecar_protocol::link::{Refusal, SkillsAnswer, SkillsCommand};
use sidecar_protocol::skill::{SkillOffer, UPLOAD_LIMIT};
use sidecar_ui::dom::folder::FolderFile;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::base64::encode;
use crate::state::connection::ConnectionStore;
use sidecar_link::LinkResponse;

/// How many bytes of a file are read at once; three divides it, so that their base64 can be put together.
const READ_AT_ONCE: usize = 150_000;

/// A file to send.
#[derive(Debug, Clone)]
pub struct UploadFile {
    path: String,
    content: Blob,
}

impl UploadFile {
    /// A file that the user chose.
    pub fn chosen(file: File) -> Self {
        Self { path: file.name(), content: file.into() }
    }

    /// A text that the user pasted.
    pub fn pasted(text: &str) -> Option<Self> {
        let content = Blob::new_with_str_sequence(&Array::of1(&JsValue::from_str(text))).ok()?;
        Some(Self { path: pasted_name(text).to_owned(), content })
    }
}

impl UploadFile {
    /// The name of its outermost folder, or its own if it was chosen alone.
    pub fn top(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }
}

impl From<FolderFile> for UploadFile {
    fn from(FolderFile { path, file }: FolderFile) -> Self {
        Self { path, content: file.into() }
    }
}

/// Why files did not reach the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadError {
    /// They have more than [`UPLOAD_LIMIT`] bytes.
    TooLarge,
    /// The browser cannot read a file: it changed, or is gone.
    Unreadable,
    /// The connection broke.
    Lost,
    /// The worker refused them.
    Refused(Refusal),
    /// The user no longer wants to send them.
    Cancelled,
}

/// Sends files. `goes_on` is given the part of them that was sent, in percent, and says whether they are still wanted.
///
/// # Errors
/// See [`UploadError`].
pub async fn upload(
    connection: ConnectionStore,
    files: &[UploadFile],
    goes_on: impl Fn(u32) -> bool,
) -> Result<SkillOffer, UploadError> {
    let mut text = "[".to_owned();
    let begun = connection.count.get_untracked();
    // A worker that starts meanwhile has not heard the beginning.
    let is_one_connection = move || !connection.is_lost() && connection.count.get_untracked() == begun;
    let goes_on = |percent| if goes_on(percent) { Ok(()) } else { Err(UploadError::Cancelled) };
    let goes_on = |percent| if is_one_connection() { goes_on(percent) } else { Err(UploadError::Lost) };
    goes_on(0)?;
    let all = send_pieces(connection, files, &mut text, &goes_on).await;
    if let Err(UploadError::Cancelled | UploadError::Unreadable) = all {
        // Ends the upload, so that the next one begins anew. The answer does not matter.
        connection.response(SkillsCommand::Upload { text: String::new(), more: false }).await;
    }
    all?;
    offered(connection.response(SkillsCommand::Upload { text, more: false }).await)
}

/// Sends the pieces of the files but the last, which is left in `text`.
async fn send_pieces(
    connection: ConnectionStore,
    files: &[UploadFile],
    text: &mut String,
    goes_on: impl Fn(u32) -> Result<(), UploadError>,
) -> Result<(), UploadError> {
    let whole: f64 = files.iter().map(|file| file.content.size()).sum();
    if whole > UPLOAD_LIMIT as f64 {
        return Err(UploadError::TooLarge);
    }
    let mut sent = 0.0;
    for (place, UploadFile { path, content }) in files.iter().enumerate() {
        text.push_str(&head(place, path));
        let mut from = 0.0;
        while from < content.size() {
            let to = (from + READ_AT_ONCE as f64).min(content.size());
            encode(&bytes(content, from, to).await.ok_or(UploadError::Unreadable)?, text);
            (from, sent) = (to, sent + to - from);
            goes_on(percent(sent, whole))?;
            while let Some(piece) = take_piece(text) {
                match connection.response(SkillsCommand::Upload { text: piece, more: true }).await {
                    LinkResponse::Done => {}
                    LinkResponse::Refused(why) => return Err(UploadError::Refused(why)),
                    LinkResponse::Answer(_) | LinkResponse::Lost => return Err(UploadError::Lost),
                }
                goes_on(percent(sent, whole))?;
            }
        }
        text.push_str("\"}");
    }
    text.push(']');
    Ok(())
}

/// The offer in a response.
///
/// # Errors
/// See [`UploadError`].
pub fn offered(response: LinkResponse<SkillsAnswer>) -> Result<SkillOffer, UploadError> {
    match response {
        LinkResponse::Answer(SkillsAnswer::Offered { offer }) => Ok(offer),
        LinkResponse::Refused(why) => Err(UploadError::Refused(why)),
        LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => Err(UploadError::Lost),
    }
}

async fn bytes(content: &Blob, from: f64, to: f64) -> Option<Vec<u8>> {
    let part = content.slice_with_f64_and_f64(from, to).ok()?;
    let buffer = JsFuture::from(part.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// The JSON text before a file's data.
fn head(place: usize, path: &str) -> String {
    let path = serde_json::to_string(path).unwrap_or_default();
    format!("{}{{\"path\":{path},\"data\":\"", if place > 0 { "," } else { "" })
}

/// Takes a piece from the beginning of a text, if that has more than one.
fn take_piece(text: &mut String) -> Option<String> {
    let (end, _) = text.char_indices().nth(IMPORT_PIECE)?;
    let rest = text.split_off(end);
    Some(std::mem::replace(text, rest))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
fn percent(part: f64, whole: f64) -> u32 {
    (part / whole.max(1.0) * 100.0) as u32
}

/// The name for a text that the user pasted, by which the worker knows what it is.
fn pasted_name(text: &str) -> &'static str {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') {
        "skill.json"
    } else if text.starts_with("---") {
        "SKILL.md"
    } else {
        "skill.js"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_is_named_by_its_beginning() {
        for (text, name) in [
            ("{\"format\": 1}", "skill.json"),
            ("\u{feff}\n {", "skill.json"),
            ("---\nname: a\n---\n", "SKILL.md"),
            ("// ==WebMCP==\n", "skill.js"),
            ("", "skill.js"),
        ] {
            assert_eq!(pasted_name(text), name, "{text}");
        }
    }

    #[test]
    fn pieces_of_a_text_are_cut_between_characters() {
        let whole = "图".repeat(2 * IMPORT_PIECE + 1);
        let mut text = whole.clone();
        let mut pieces = Vec::new();
        while let Some(piece) = take_piece(&mut text) {
            assert_eq!(piece.chars().count(), IMPORT_PIECE);
            pieces.push(piece);
        }
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces.concat() + &text, whole);
    }

    #[test]
    fn text_of_one_piece_is_left_for_the_end() {
        let mut text = "x".repeat(IMPORT_PIECE);
        assert_eq!(take_piece(&mut text), None);
    }

    #[test]
    fn path_of_a_file_is_json() {
        assert_eq!(head(0, "a\"/b"), r#"{"path":"a\"/b","data":""#);
        assert_eq!(head(1, "图"), r#",{"path":"图","data":""#);
    }

    #[test]
    fn progress_is_in_percent() {
        assert_eq!([percent(0.0, 0.0), percent(1.0, 3.0), percent(3.0, 3.0)], [0, 33, 100]);
    }
}
