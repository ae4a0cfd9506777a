//! Pictures of pages.

use serde::Deserialize;
use serde_json::json;
use sidecar_agent::browser_tools::{Why, failed};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionOutcome, PageAccess, TabId};

use super::{Acted, ActionFrame, PageActions, link, lost, outcome};
use crate::browser::BrowserPort;

/// Where the page script says that the picture is, in CSS pixels of the viewport.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VisiblePart {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    view_width: f64,
    view_height: f64,
}

impl VisiblePart {
    /// In fractions of the viewport; `None` if nothing of it is visible.
    fn fractions(&self) -> Option<[f64; 4]> {
        let part = [
            self.x / self.view_width,
            self.y / self.view_height,
            self.width / self.view_width,
            self.height / self.view_height,
        ];
        let is_visible =
            part.iter().all(|number| (0.0..=1.0).contains(number)) && part[2] > 0.0 && part[3] > 0.0;
        is_visible.then_some(part)
    }
}

impl<B: BrowserPort> PageActions<B> {
    /// A picture of what is visible of a page, or of one of its elements. The browser takes pictures of what a window
    /// shows only, so the tab has to be in front, before and after.
    pub async fn screenshot(&self, tab: TabId, target: Option<&str>) -> ToolOutcome {
        let taken = async {
            let frames = self.frames(tab, PageAccess::Read).await?;
            let top = frames.top().ok_or_else(|| outcome(ActionOutcome::Navigated))?;
            let frame =
                frames.of_target(target.unwrap_or_default()).ok_or_else(|| outcome(ActionOutcome::Stale))?;
            if frame.document != top.document {
                return Err(because("crossFrame"));
            }
            let seen = self.in_front(tab).await.ok_or_else(|| because("frontOnly"))?;
            let picture = self.capture(&top, seen.window, target).await;
            let show = json!({"do": "screenshot", "done": true});
            let _ = top.ask(&self.browser, show, link::SILENCE_MS).await;
            let picture = picture?;
            // Another page may have come to the front meanwhile.
            match self.in_front(tab).await {
                Some(now) if now.url == seen.url => Ok(picture),
                Some(_) | None => Err(outcome(ActionOutcome::Changed)),
            }
        };
        match taken.await {
            Ok(content) => ToolOutcome::Ok { content, page: PageEffect::Stayed },
            Err(outcome) => *outcome,
        }
    }

    async fn capture(
        &self,
        top: &ActionFrame<B>,
        window: sidecar_protocol::WindowId,
        target: Option<&str>,
    ) -> Result<Vec<Content>, Box<ToolOutcome>> {
        let request = json!({"do": "screenshot", "target": target});
        let answer = top.ask(&self.browser, request, link::SILENCE_MS).await.map_err(lost)?;
        if let Ok(Acted { outcome: Some(outcome), why, .. }) = Acted::deserialize(&answer) {
            return Err(Box::new(failed(outcome, why.as_ref())));
        }
        let part = VisiblePart::deserialize(&answer).unwrap_or_default();
        let fractions = part.fractions().ok_or_else(|| because("outOfView"))?;
        let picture =
            self.browser.capture(window, fractions).await.ok_or_else(|| outcome(ActionOutcome::Blocked))?;
        let what = if target.is_some() { "the element" } else { "what is visible of the page" };
        let said = format!("{what}, {:.0} × {:.0} CSS pixels:", part.width, part.height);
        let mime_type = picture.media_type.name().to_owned();
        Ok(vec![Content::Text(said), Content::Image { mime_type, data: picture.data }])
    }

    /// The tab, if its window shows it.
    async fn in_front(&self, tab: TabId) -> Option<crate::tabs::TabInfo> {
        let window = self.browser.tab(tab).await?.window;
        self.browser.active_tab(window).await.filter(|shown| shown.id == Some(tab))
    }
}

fn because(code: &str) -> Box<ToolOutcome> {
    let why = Why { code: code.to_owned(), ..Why::default() };
    Box::new(failed(ActionOutcome::Blocked, Some(&why)))
}
