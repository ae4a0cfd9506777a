//! Pictures of pages.

use std::pin::pin;

use futures::future::{Either, select};
use serde::Deserialize;
use serde_json::json;
use sidecar_agent::browser_tools::{Why, failed};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::picture::{NewPicture, Picture};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionCard, ActionOutcome, CallId, DocumentId, PageAccess, TabId, WindowId};

use super::examine::ExaminedAction;
use super::{ACTION_LIMIT_MS, Acted, ActionFrame, PageActions, link, lost, outcome};
use crate::browser::BrowserPort;
use crate::tabs::TabInfo;

/// What is shown around the element of a card, in CSS pixels.
const MARGIN_OF_CARD: u32 = 48;

/// Time limit for the picture of a card, in milliseconds. The browser allows two pictures a second.
const CARD_LIMIT_MS: u64 = 1_500;

/// What a picture is taken of.
#[derive(Clone, Copy)]
struct View<'a> {
    /// An element; without one, what is visible of the page.
    target: Option<&'a str>,
    /// In CSS pixels, around the element.
    margin: u32,
    /// The picture's longest edge, in pixels.
    edge: u32,
    /// How long it may take, in milliseconds.
    limit: u64,
}

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
            let (edge, limit) = (Picture::LONGEST_EDGE, ACTION_LIMIT_MS);
            let view = View { target, margin: 0, edge, limit };
            let (part, picture) = self.capture((tab, &seen), &top, view).await?;
            let what = if target.is_some() { "the element" } else { "what is visible of the page" };
            let said = format!("{what}, {:.0} × {:.0} CSS pixels:", part.width, part.height);
            let mime_type = picture.media_type.name().to_owned();
            Ok(vec![Content::Text(said), Content::Image { mime_type, data: picture.data }])
        };
        match taken.await {
            Ok(content) => ToolOutcome::Ok { content, page: PageEffect::Stayed },
            Err(outcome) => *outcome,
        }
    }

    /// A picture of the element of an examined call, with what is around it; `None` if its tab is not in front, it is
    /// in a frame, or a frame of a hidden site is there.
    pub async fn picture(&self, call: &CallId) -> Option<NewPicture> {
        let (tab, target) = {
            let examined = self.examined.borrow();
            let ExaminedAction { tab, target, .. } = examined.get(call)?;
            (*tab, target.clone())
        };
        let frames = self.frames(tab, PageAccess::Read).await.ok()?;
        let is_examined = |document: &DocumentId| {
            self.examined.borrow().get(call).is_some_and(|it| it.document == *document)
        };
        let top = frames.top().filter(|top| is_examined(&top.document))?;
        let seen = self.in_front(tab).await?;
        let view = View {
            target: Some(&target),
            margin: MARGIN_OF_CARD,
            edge: ActionCard::EDGE_OF_PICTURE,
            limit: CARD_LIMIT_MS,
        };
        let (_, picture) = self.capture((tab, &seen), &top, view).await.ok()?;
        Some(picture)
    }

    /// Takes a picture of a tab that is in front, if it stays there and no frame of a hidden site is or comes into it.
    async fn capture(
        &self,
        (tab, seen): (TabId, &TabInfo),
        top: &ActionFrame<B>,
        view: View<'_>,
    ) -> Result<(VisiblePart, NewPicture), Box<ToolOutcome>> {
        self.refuse_hidden(tab).await?;
        let taking = pin!(self.capture_now(top, seen.window, view));
        let taken = match select(taking, pin!(self.browser.sleep(view.limit))).await {
            Either::Left((taken, _)) => taken,
            Either::Right(_) => Err(outcome(ActionOutcome::Timeout)),
        };
        let show = json!({"do": "screenshot", "done": true});
        let _ = top.ask(&self.browser, show, link::SILENCE_MS).await;
        let taken = taken?;
        self.refuse_hidden(tab).await?;
        // Another page may have come to the front meanwhile.
        match self.in_front(tab).await {
            Some(now) if now.url == seen.url => Ok(taken),
            Some(_) | None => Err(outcome(ActionOutcome::Changed)),
        }
    }

    async fn refuse_hidden(&self, tab: TabId) -> Result<(), Box<ToolOutcome>> {
        let frames = self.frames(tab, PageAccess::Read).await?;
        match frames.may_show_hidden(&self.hidden.borrow()) {
            true => Err(because("hiddenFrame")),
            false => Ok(()),
        }
    }

    async fn capture_now(
        &self,
        top: &ActionFrame<B>,
        window: WindowId,
        View { target, margin, edge, .. }: View<'_>,
    ) -> Result<(VisiblePart, NewPicture), Box<ToolOutcome>> {
        let request = json!({"do": "screenshot", "target": target, "margin": margin});
        let answer = top.ask(&self.browser, request, link::SILENCE_MS).await.map_err(lost)?;
        if let Ok(Acted { outcome: Some(outcome), why, .. }) = Acted::deserialize(&answer) {
            return Err(Box::new(failed(outcome, why.as_ref())));
        }
        let part = VisiblePart::deserialize(&answer).unwrap_or_default();
        let fractions = part.fractions().ok_or_else(|| because("outOfView"))?;
        let picture = self.browser.capture(window, fractions, edge).await;
        Ok((part, picture.ok_or_else(|| outcome(ActionOutcome::Blocked))?))
    }

    /// The tab, if its window shows it.
    async fn in_front(&self, tab: TabId) -> Option<TabInfo> {
        let window = self.browser.tab(tab).await?.window;
        self.browser.active_tab(window).await.filter(|shown| shown.id == Some(tab))
    }
}

fn because(code: &str) -> Box<ToolOutcome> {
    let why = Why { code: code.to_owned(), ..Why::default() };
    Box::new(failed(ActionOutcome::Blocked, Some(&why)))
}
