//! What a page with all its frames is asked: its elements by CSS, and whether something has come or gone.

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::browser_tools::{Why, failed};
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionOutcome, FrameId, PageAccess, TabId};

use super::frames::{ask_each, is_ref};
use super::link::{self, Lost};
use super::{Acted, MOST_CHARACTERS, PageActions, lost, outcome};
use crate::browser::BrowserPort;

/// How long the documents are asked at a time, in milliseconds: after it those that have come meanwhile are asked too.
const ROUND_MS: u64 = 2_000;

/// What a round of looking at a page found.
struct WaitRound {
    is_so: bool,
    /// Whether a document went away meanwhile, whose place another one takes.
    is_cut: bool,
    /// Why it may not have come true.
    why: Option<Why>,
}

impl<B: BrowserPort> PageActions<B> {
    /// The elements of a page that match a CSS selector, by document.
    pub async fn find(&self, tab: TabId, css: &str) -> ToolOutcome {
        match self.found(tab, css).await {
            Ok(outcome) => outcome,
            Err(outcome) => *outcome,
        }
    }

    async fn found(&self, tab: TabId, css: &str) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let frames = self.frames(tab, PageAccess::Read).await?;
        let top = frames.top().ok_or_else(|| outcome(ActionOutcome::Navigated))?;
        let request = json!({"do": "find", "css": css, "maxChars": MOST_CHARACTERS});
        let found = top.ask(&self.browser, request.clone(), link::SILENCE_MS).await.map_err(lost)?;
        if let Ok(Acted { outcome: Some(outcome), why, .. }) = Acted::deserialize(&found)
            && outcome != ActionOutcome::Ok
        {
            return Ok(failed(outcome, why.as_ref()));
        }
        let mut content = vec![Content::Text(found.to_string())];
        let length = |text: &str| text.chars().count() as u64;
        let mut left = MOST_CHARACTERS.saturating_sub(length(&found.to_string()));
        let shown = frames.tree().await.map_err(lost)?.shown();
        let others: Vec<_> = shown.into_iter().filter(|frame| frame.frame != FrameId::TOP).collect();
        for (frame, found) in ask_each(&self.browser, &others, &request, 0, |_| false).await {
            let Ok(found) = found else { continue };
            let Some(count) = found["count"].as_u64().filter(|count| *count > 0) else { continue };
            let rows = found.to_string();
            let text = match left.checked_sub(length(&rows)) {
                Some(rest) => {
                    left = rest;
                    rows
                }
                None => format!("[{count} elements in a frame: too much text; use a narrower selector]"),
            };
            match frames.other_origin(&frame) {
                Some(site) => {
                    content.push(Content::Text(format!("[of {site}]")));
                    content.push(Content::Framed(FrameText { origin: frame.origin.clone(), site, text }));
                }
                None => content.push(Content::Text(text)),
            }
        }
        Ok(ToolOutcome::Ok { content, page: PageEffect::Stayed })
    }

    /// Waits until a text or an element is in a page or one of its frames, or in none of them any more.
    pub async fn wait(&self, tab: TabId, options: &Value, milliseconds: u64) -> ToolOutcome {
        let mut left = milliseconds;
        loop {
            let (round, began) = (left.min(ROUND_MS), self.browser.now());
            let WaitRound { is_so, is_cut, why } = match self.look(tab, options, round).await {
                Ok(found) => found,
                Err(outcome) => return *outcome,
            };
            if is_so {
                return ToolOutcome::ok("ok: it is so now.");
            }
            // The page that comes is looked at once, however late.
            if left <= ROUND_MS && (!is_cut || left == 0) {
                return failed(ActionOutcome::Timeout, why.as_ref());
            }
            let took = self.browser.now().saturating_sub(began);
            left = left.saturating_sub(if is_cut { took } else { took.max(round) });
        }
    }

    /// Looks whether what is waited for comes true within a time, in the documents that are shown now.
    async fn look(
        &self,
        tab: TabId,
        options: &Value,
        milliseconds: u64,
    ) -> Result<WaitRound, Box<ToolOutcome>> {
        let frames = self.frames(tab, PageAccess::Read).await?;
        let is_gone = options["gone"] == true;
        let (shown, mut is_page_lost) = match frames.tree().await {
            Ok(tree) => (tree.shown(), frames.top().is_none()),
            // Another document comes in its place.
            Err(_) => (Vec::new(), true),
        };
        let asked: Vec<_> = match options["target"].as_str() {
            Some(target) if is_ref(target) => match frames.of_target(target) {
                Some(frame) => shown.into_iter().filter(|shown| shown.document == frame.document).collect(),
                None if is_gone => return Ok(WaitRound { is_so: true, is_cut: false, why: None }),
                None => return Err(outcome(ActionOutcome::Stale)),
            },
            Some(_) | None => shown,
        };
        if asked.is_empty() && !is_page_lost {
            if !is_gone {
                // The frame of a ref may come into sight.
                self.browser.sleep(milliseconds).await;
            }
            return Ok(WaitRound { is_so: is_gone, is_cut: false, why: None });
        }
        let mut request = options.clone();
        request["do"] = json!("wait");
        request["timeout"] = json!(milliseconds);
        // In one document is enough for what comes, and enough against what goes.
        let is_enough = |said: &Result<Value, Lost>| match outcome_of(said) {
            Some(ActionOutcome::Ok) => !is_gone,
            Some(ActionOutcome::Timeout) => is_gone,
            Some(_) => true,
            None => false,
        };
        let said = ask_each(&self.browser, &asked, &request, milliseconds, is_enough).await;
        let mut is_frame_lost = false;
        for (frame, said) in &said {
            match said {
                Ok(answer) => match outcome_of(said) {
                    Some(ActionOutcome::Ok | ActionOutcome::Timeout) => {}
                    Some(other) => {
                        let why = Acted::deserialize(answer).ok().and_then(|acted| acted.why);
                        return Err(Box::new(failed(other, why.as_ref())));
                    }
                    None => return Err(outcome(ActionOutcome::Blocked)),
                },
                Err(Lost::Gone | Lost::Left) if frame.frame == FrameId::TOP => is_page_lost = true,
                Err(Lost::Gone | Lost::Left) => is_frame_lost = true,
                Err(lost_now) if frame.frame == FrameId::TOP => return Err(lost(lost_now.clone())),
                Err(_) => {}
            }
        }
        if is_page_lost {
            self.loaded(tab).await;
            return Ok(WaitRound { is_so: false, is_cut: true, why: None });
        }
        let is_in_one = |wanted| said.iter().any(|(_, said)| outcome_of(said) == Some(wanted));
        // Of what is being replaced nobody knows whether it is gone for good.
        let is_so = match is_gone {
            true => !is_frame_lost && !is_in_one(ActionOutcome::Timeout),
            false => is_in_one(ActionOutcome::Ok),
        };
        let why = said.iter().find_map(|(_, said)| Acted::deserialize(said.as_ref().ok()?).ok()?.why);
        Ok(WaitRound { is_so, is_cut: is_frame_lost && !is_so, why })
    }
}

/// The outcome that a document told.
fn outcome_of(said: &Result<Value, Lost>) -> Option<ActionOutcome> {
    said.as_ref().ok().and_then(|said| Acted::deserialize(said).ok()).and_then(|acted| acted.outcome)
}
