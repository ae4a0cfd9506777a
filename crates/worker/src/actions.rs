//! The page actions in documents, and what the browser's own tools do with tabs.

use sidecar_chrome::scripting::{self, ScriptTarget, World};
use sidecar_chrome::tabs;
use sidecar_chrome::user_scripts::{self, UserWorld};
use sidecar_protocol::picture::{NewPicture, Picture};
use sidecar_protocol::{DocumentId, FrameId, TabId, WindowId};
use sidecar_session::browser::{
    ActionPort, CodeAccess, CodeFault, CodeRun, CrossAnswer, CrossRequest, PageFile, RequestFault,
};
use sidecar_session::tabs::TabInfo;
use wasm_bindgen::prelude::*;

use crate::browser::ThisBrowser;
use crate::cross_request;
use crate::pages::info;

/// The first file of the page script.
const ACTIONS: &str = "actions.js";

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = pictures, js_name = capture)]
    async fn capture_raw(
        window: i32,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        longest_edge: u32,
        most_bytes: u32,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = pictures, js_name = fit)]
    async fn fit_raw(url: &str, longest_edge: u32, most_bytes: u32) -> Result<JsValue, JsValue>;
}

/// A picture of `picture.js`.
fn read(picture: Result<JsValue, JsValue>) -> Option<NewPicture> {
    serde_wasm_bindgen::from_value(picture.ok()?).ok()
}

impl ActionPort for ThisBrowser {
    async fn put_actions_into(&self, tab: TabId) -> Result<Vec<(FrameId, DocumentId)>, String> {
        let ran = scripting::run_in_all_frames(tab.0, ACTIONS).await.map_err(|error| error.0)?;
        Ok(ran.into_iter().map(|(frame, document)| (FrameId(frame), DocumentId(document))).collect())
    }

    async fn put_file_into(&self, tab: TabId, document: &DocumentId, file: PageFile) -> Result<(), String> {
        let target = ScriptTarget {
            tab_id: tab.0,
            all_frames: false,
            document_ids: vec![document.0.clone()],
            frame_ids: Vec::new(),
        };
        let put = match file {
            // It reads a page once that is parsed.
            PageFile::Reader => scripting::run_file(&target, file.name(), World::Isolated).await,
            _ => scripting::run_at_once(&target, file.name()).await,
        };
        put.map_err(|error| error.0)
    }

    async fn capture(&self, window: WindowId, part: [f64; 4], longest_edge: u32) -> Option<NewPicture> {
        let [x, y, width, height] = part;
        read(capture_raw(window.0, x, y, width, height, longest_edge, Picture::MOST_BYTES).await)
    }

    async fn fit_picture(&self, media_type: &str, data: &str) -> Option<NewPicture> {
        let url = format!("data:{media_type};base64,{data}");
        read(fit_raw(&url, Picture::LONGEST_EDGE, Picture::MOST_BYTES).await)
    }

    async fn create_tab(&self, url: &str) -> Option<TabInfo> {
        tabs::create(url).await.ok().map(info)
    }

    async fn close_tab(&self, tab: TabId) -> bool {
        tabs::remove(tab.0).await.is_ok()
    }

    async fn fetch_elsewhere(&self, request: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        cross_request::fetch(request).await
    }

    async fn lead_tab(&self, tab: TabId, to: &str) -> bool {
        tabs::lead(tab.0, to).await.is_ok()
    }

    async fn code_access(&self) -> CodeAccess {
        match user_scripts::is_on().await {
            _ if !user_scripts::is_known() => CodeAccess::TooOld,
            true => CodeAccess::On,
            false => CodeAccess::Off,
        }
    }

    async fn run_code(&self, run: &CodeRun) -> Result<Option<String>, CodeFault> {
        let world = if run.is_alone { UserWorld::Own(&run.world_id) } else { UserWorld::Main };
        match user_scripts::run(run.tab.0, &run.document.0, world, &run.sources).await {
            Ok(told) => Ok(told),
            Err(_) if user_scripts::is_on().await => Err(CodeFault::Gone),
            Err(_) => Err(CodeFault::Off),
        }
    }
}
