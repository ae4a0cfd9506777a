//! Snapshots: the outline of each document, the frames' below the lines of their frames.

use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::browser_tools::failed;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionOutcome, PageAccess, TabId};

use super::frames::{ActionFrame, TabFrames};
use super::{Acted, MOST_CHARACTERS, PageActions, link, lost, outcome};
use crate::browser::BrowserPort;

/// The least that a frame's outline gets, in characters.
const LEAST_CHARACTERS: u64 = 500;

/// Maximum depth of frames in a snapshot.
const MOST_DEPTH: usize = 5;

/// How long a frame's document may take, in milliseconds.
const FRAME_LIMIT_MS: u64 = 1_500;

/// The page script's snapshot of one document.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Outline {
    id: String,
    head: OutlineHead,
    text: String,
    frames: Vec<FrameLine>,
    is_whole: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutlineHead {
    title: String,
    address: String,
    scroll: Option<Value>,
    focus: Option<String>,
    dialog: Option<String>,
    background: bool,
    changing: bool,
    invisible: u64,
}

/// The place of a frame in an outline.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
struct FrameLine {
    token: String,
    /// Number of its line, from 0; `None` where that is not among the lines of a part.
    line: Option<usize>,
    /// Its line, if there is no number.
    text: String,
    /// Number of spaces before what is in it.
    indent: usize,
}

impl<B: BrowserPort> PageActions<B> {
    /// A snapshot of a tab's page with its frames.
    pub async fn snapshot(&self, tab: TabId, options: Value) -> ToolOutcome {
        match self.take_snapshot(tab, options).await {
            Ok(text) => ToolOutcome::ok(text),
            Err(outcome) => *outcome,
        }
    }

    async fn take_snapshot(&self, tab: TabId, options: Value) -> Result<String, Box<ToolOutcome>> {
        let frames = self.frames(tab, PageAccess::Read).await?;
        let root = options["root"].as_str().unwrap_or_default().to_owned();
        let frame = frames.of_target(&root).ok_or_else(|| outcome(ActionOutcome::Stale))?;
        let (mut request, limit_ms) = (options, link::SILENCE_MS);
        request["do"] = json!("snapshot");
        request["maxChars"] = json!(MOST_CHARACTERS);
        let said = frame.ask(&self.browser, request.clone(), limit_ms).await.map_err(lost)?;
        if let Ok(Acted { outcome: Some(outcome), why, .. }) = Acted::deserialize(&said) {
            return Err(Box::new(failed(outcome, why.as_ref())));
        }
        let outline = Outline::deserialize(&said).unwrap_or_default();
        let head = head(&outline);
        let left = MOST_CHARACTERS.saturating_sub(outline.text.len() as u64);
        // A frame's snapshot belongs to that of the top document, and has its id.
        request["as"] = json!(outline.id);
        if let Some(options) = request.as_object_mut() {
            options.remove("root");
        }
        let body = self.with_frames(&frames, outline, &request, left, 0).await;
        if body.is_empty() && !request["since"].is_null() {
            return Ok(format!("{head}\n[nothing changed]"));
        }
        Ok(format!("{head}\n{body}"))
    }

    /// An outline with those of its frames.
    async fn with_frames(
        &self,
        frames: &Rc<TabFrames<B>>,
        outline: Outline,
        request: &Value,
        left: u64,
        depth: usize,
    ) -> String {
        let mut lines: Vec<String> = outline.text.lines().map(str::to_owned).collect();
        let share = (left / (outline.frames.len().max(1) as u64)).max(LEAST_CHARACTERS);
        let mut places = outline.frames;
        places.sort_by_key(|place| std::cmp::Reverse(place.line));
        let mut others = Vec::new();
        for FrameLine { token, line, text, indent } in places {
            let inner = match frames.with_token(&token) {
                // Nothing is known to be in it that was asked for.
                _ if line.is_none() && depth >= MOST_DEPTH => continue,
                None if line.is_none() => continue,
                _ if depth >= MOST_DEPTH => "[not read]".to_owned(),
                Some(frame) => Box::pin(self.frame_text(frames, &frame, request, share, depth)).await,
                None => "[not readable]".to_owned(),
            };
            let space = " ".repeat(indent);
            let inner = inner.lines().map(|line| format!("{space}{line}"));
            match line {
                Some(line) => {
                    let at = (line + 1).min(lines.len());
                    lines.splice(at..at, inner);
                }
                None => {
                    let below: Vec<_> = inner.collect();
                    if !below.is_empty() {
                        others.push([vec![text], below].concat());
                    }
                }
            }
        }
        lines.extend(others.concat());
        lines.join("\n")
    }

    async fn frame_text(
        &self,
        frames: &Rc<TabFrames<B>>,
        frame: &ActionFrame<B>,
        request: &Value,
        share: u64,
        depth: usize,
    ) -> String {
        let mut asked = request.clone();
        asked["maxChars"] = json!(share);
        match frame.ask(&self.browser, asked, FRAME_LIMIT_MS).await {
            Ok(said) => {
                let outline = Outline::deserialize(&said).unwrap_or_default();
                if outline.id.is_empty() {
                    return "[not readable]".to_owned();
                }
                if outline.text.trim().is_empty() && outline.is_whole {
                    return "[blank]".to_owned();
                }
                let left = share.saturating_sub(outline.text.len() as u64);
                self.with_frames(frames, outline, request, left, depth + 1).await
            }
            Err(link::Lost::Silent | link::Lost::Stuck) => "[loading]".to_owned(),
            Err(link::Lost::Gone | link::Lost::Left | link::Lost::Failed(_)) => "[not readable]".to_owned(),
        }
    }
}

/// What stands above an outline.
fn head(outline: &Outline) -> String {
    let OutlineHead { title, address, scroll, focus, dialog, background, changing, invisible } =
        &outline.head;
    let mut head = format!("{title}\n{address}\nsnapshot: {}", outline.id);
    if !outline.is_whole {
        head.push_str(" (in part)");
    }
    if let Some(scroll) = scroll {
        let number = |name: &str| scroll[name].as_f64().unwrap_or_default();
        let (y, height, view) = (number("y"), number("height"), number("view"));
        if height > view && height > 0.0 {
            head.push_str(&format!("; scrolled {:.0} %", 100.0 * y / (height - view).max(1.0)));
        }
    }
    for (name, value) in [("focus", focus), ("dialog", dialog)] {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            head.push_str(&format!("; {name}: {value}"));
        }
    }
    if *background {
        head.push_str("; background tab");
    }
    if *changing {
        head.push_str("; [changing]");
    }
    if *invisible > 0 {
        head.push_str(&format!("; {invisible} invisible texts left out"));
    }
    head
}
