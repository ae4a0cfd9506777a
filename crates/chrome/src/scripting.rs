//! `chrome.scripting`: runs files of the extension in pages, and registers content scripts.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::ChromeError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = executeScript)]
    async fn execute_script_raw(injection: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = getRegisteredContentScripts)]
    async fn get_registered_raw() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = registerContentScripts)]
    async fn register_raw(scripts: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = unregisterContentScripts)]
    async fn unregister_raw(filter: JsValue) -> Result<JsValue, JsValue>;
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

/// Runs a file of the extension in the isolated world of every frame of a tab, immediately. Returns the documents in
/// which it ran, with the file's last value there.
///
/// # Errors
/// As [`run_file`]; also if a value does not have this type.
pub async fn values_in_all_frames<T: DeserializeOwned>(
    tab_id: i32,
    file: &str,
) -> Result<Vec<(String, T)>, ChromeError> {
    let target = ScriptTarget { tab_id, all_frames: true, document_ids: Vec::new(), frame_ids: Vec::new() };
    values_at(&target, file, true).await
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
    let values = values_at(target, file, inject_immediately).await?;
    values.into_iter().next().ok_or_else(|| ChromeError("the script ran nowhere".to_owned()))
}

async fn values_at<T: DeserializeOwned>(
    target: &ScriptTarget,
    file: &str,
    inject_immediately: bool,
) -> Result<Vec<(String, T)>, ChromeError> {
    let injection = Injection { target, files: [file], world: World::Isolated, inject_immediately };
    let results: Vec<InjectionResult<T>> = serde_wasm_bindgen::from_value(execute(&injection).await?)?;
    Ok(results.into_iter().map(|one| (one.document_id, one.result)).collect())
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

/// A file of the extension that the browser puts into documents at their start, before their own scripts run, also after it
/// was started again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredScript {
    /// Its id.
    pub id: String,
    /// The match pattern of the documents, in tabs and in frames; empty ones count as what opened them.
    pub matches: String,
    /// The file.
    pub file: &'static str,
    /// Where it runs.
    pub world: World,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registration<'a> {
    id: &'a str,
    matches: [&'a str; 1],
    js: [&'a str; 1],
    world: World,
    run_at: &'a str,
    all_frames: bool,
    match_origin_as_fallback: bool,
    persist_across_sessions: bool,
}

/// The ids of the content scripts that are registered.
///
/// # Errors
/// The browser's.
pub async fn registered_content_scripts() -> Result<Vec<String>, ChromeError> {
    #[derive(Deserialize)]
    struct Known {
        id: String,
    }
    let scripts: Vec<Known> = serde_wasm_bindgen::from_value(get_registered_raw().await?)?;
    Ok(scripts.into_iter().map(|script| script.id).collect())
}

/// Registers content scripts: all of them, or none.
///
/// # Errors
/// If an id is taken or a match pattern is not valid.
pub async fn register_content_scripts(scripts: &[RegisteredScript]) -> Result<(), ChromeError> {
    let registration = |script: &RegisteredScript| {
        let details = Registration {
            id: &script.id,
            matches: [&script.matches],
            js: [script.file],
            world: script.world,
            run_at: "document_start",
            all_frames: true,
            match_origin_as_fallback: true,
            persist_across_sessions: true,
        };
        details.serialize(&serde_wasm_bindgen::Serializer::json_compatible())
    };
    let scripts = scripts.iter().map(registration).collect::<Result<js_sys::Array, _>>()?;
    register_raw(scripts.into()).await?;
    Ok(())
}

/// Unregisters content scripts.
///
/// # Errors
/// If one of them is not registered.
pub async fn unregister_content_scripts(ids: &[String]) -> Result<(), ChromeError> {
    #[derive(Serialize)]
    struct Filter<'a> {
        ids: &'a [String],
    }
    let filter = Filter { ids }.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?;
    unregister_raw(filter).await?;
    Ok(())
}
