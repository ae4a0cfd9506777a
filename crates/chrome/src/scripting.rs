//! `chrome.scripting`: runs files of the extension in pages.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = executeScript)]
    async fn execute_script_raw(injection: JsValue) -> Result<JsValue, JsValue>;
}

/// The JavaScript world in which a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum World {
    /// The page's own.
    #[serde(rename = "MAIN")]
    Main,
    /// The extension's.
    #[serde(rename = "ISOLATED")]
    Isolated,
}

/// Where in a tab a script runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScriptTarget {
    /// The tab.
    pub tab_id: i32,
    /// Every frame of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_frames: bool,
    /// Or these documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub document_ids: Vec<String>,
    /// Or these frames, whatever is in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame_ids: Vec<i32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Injection<'a> {
    target: &'a ScriptTarget,
    files: [&'a str; 1],
    world: World,
    inject_immediately: bool,
}

/// Runs a file of the extension in a tab.
///
/// # Errors
/// If the page does not allow extensions, or is gone.
pub async fn run_file(target: &ScriptTarget, file: &str, world: World) -> Result<(), ChromeError> {
    execute(&Injection { target, files: [file], world, inject_immediately: world == World::Main }).await?;
    Ok(())
}

/// Runs a file of the extension in the isolated world, immediately.
///
/// # Errors
/// As [`run_file`].
pub async fn run_at_once(target: &ScriptTarget, file: &str) -> Result<(), ChromeError> {
    let world = World::Isolated;
    execute(&Injection { target, files: [file], world, inject_immediately: true }).await?;
    Ok(())
}

/// Runs a file of the extension in the isolated world of every frame of a tab, immediately. Returns the
/// frames and documents in which it ran.
///
/// # Errors
/// As [`run_file`].
pub async fn run_in_all_frames(tab_id: i32, file: &str) -> Result<Vec<(i32, String)>, ChromeError> {
    let target = ScriptTarget { tab_id, all_frames: true, document_ids: Vec::new(), frame_ids: Vec::new() };
    let world = World::Isolated;
    let injection = Injection { target: &target, files: [file], world, inject_immediately: true };
    let ran: Vec<RanIn> = serde_wasm_bindgen::from_value(execute(&injection).await?)?;
    Ok(ran.into_iter().map(|ran| (ran.frame_id, ran.document_id)).collect())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RanIn {
    frame_id: i32,
    document_id: String,
}

/// Runs a file of the extension in the isolated world of a tab's top frame, immediately, and returns the
/// file's last value.
///
/// # Errors
/// As [`run_file`]; also if the value does not have this type.
pub async fn value_of_file<T: DeserializeOwned>(tab_id: i32, file: &str) -> Result<T, ChromeError> {
    value_in_frame(tab_id, 0, file, true).await.map(|(_, value)| value)
}

/// Runs a file of the extension in the isolated world of a frame, immediately or when the frame's document
/// is parsed. Returns the document in which it ran, and the file's last value.
///
/// # Errors
/// As [`run_file`]; also if the value does not have this type, or the document goes away before.
pub async fn value_in_frame<T: DeserializeOwned>(
    tab_id: i32,
    frame_id: i32,
    file: &str,
    inject_immediately: bool,
) -> Result<(String, T), ChromeError> {
    let target =
        ScriptTarget { tab_id, all_frames: false, document_ids: Vec::new(), frame_ids: vec![frame_id] };
    value_at(&target, file, inject_immediately).await
}

/// Runs a file of the extension in the isolated world of a document, immediately, and returns the file's
/// last value.
///
/// # Errors
/// As [`value_in_frame`].
pub async fn value_in_document<T: DeserializeOwned>(
    tab_id: i32,
    document_id: String,
    file: &str,
) -> Result<T, ChromeError> {
    let target =
        ScriptTarget { tab_id, all_frames: false, document_ids: vec![document_id], frame_ids: Vec::new() };
    value_at(&target, file, true).await.map(|(_, value)| value)
}

async fn value_at<T: DeserializeOwned>(
    target: &ScriptTarget,
    file: &str,
    inject_immediately: bool,
) -> Result<(String, T), ChromeError> {
    let injection = Injection { target, files: [file], world: World::Isolated, inject_immediately };
    let results: Vec<InjectionResult<T>> = serde_wasm_bindgen::from_value(execute(&injection).await?)?;
    let first = results.into_iter().next();
    first
        .map(|first| (first.document_id, first.result))
        .ok_or_else(|| ChromeError("the script ran nowhere".to_owned()))
}

/// `chrome.scripting.InjectionResult`
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InjectionResult<T> {
    document_id: String,
    result: T,
}

async fn execute(injection: &Injection<'_>) -> Result<JsValue, ChromeError> {
    let options = serde_wasm_bindgen::Serializer::json_compatible();
    Ok(execute_script_raw(injection.serialize(&options)?).await?)
}
