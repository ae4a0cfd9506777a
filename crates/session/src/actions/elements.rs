//! What simulations of evals look at in a page.

use serde_json::{Value, json};
use sidecar_protocol::{PageAccess, TabId};

use super::PageActions;
use super::link::{self, Lost};
use crate::browser::BrowserPort;

/// Why elements of a page cannot be looked at.
const ELSEWHERE: &str = "its tab shows another site";
const SILENT: &str = "it does not answer";

impl<B: BrowserPort> PageActions<B> {
    /// What elements of the top document are like, for simulations, if it is of this origin. Of a document that goes meanwhile
    /// the next one is asked.
    ///
    /// # Errors
    /// Why nobody can say.
    pub async fn elements(&self, tab: TabId, origin: &str, looks: &Value) -> Result<Value, &'static str> {
        for _ in 0..2 {
            let frames = self.frames(tab, PageAccess::Read).await.map_err(|_| SILENT)?;
            let top = frames.top().ok_or(SILENT)?;
            if top.origin != origin {
                return Err(ELSEWHERE);
            }
            let request = json!({"do": "elements", "looks": looks});
            match top.ask(&self.browser, request, link::SILENCE_MS).await {
                Ok(mut answer) => return Ok(answer["seen"].take()),
                Err(Lost::Gone | Lost::Left) => self.loaded(tab).await,
                Err(Lost::Silent | Lost::Stuck | Lost::Failed(_)) => return Err(SILENT),
            };
        }
        Err(SILENT)
    }
}
