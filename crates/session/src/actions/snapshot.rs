//! Snapshots: the outline of each document, the frames' below the lines of their frames.

use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::browser_tools::failed;
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionOutcome, PageAccess, TabId};

use super::frames::{ActionFrame, FRAME_LIMIT_MS, TabFrames};
use super::{Acted, MOST_CHARACTERS, PageActions, link, lost, outcome};
use crate::browser::BrowserPort;

/// The least that a frame's outline gets, in characters.
const LEAST_CHARACTERS: u64 = 500;

/// Maximum depth of frames in a snapshot.
const MOST_DEPTH: usize = 5;

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

/// A line of an outline, and the document that has it.
struct OutlineLine<B> {
    frame: Rc<ActionFrame<B>>,
    text: String,
}

impl<B: BrowserPort> OutlineLine<B> {
    fn of(frame: &Rc<ActionFrame<B>>, text: &str) -> Self {
        Self { frame: frame.clone(), text: text.to_owned() }
    }
}

/// The lines as blocks, so that what a frame of another origin says counts as its own.
fn by_origin<B: BrowserPort>(lines: Vec<OutlineLine<B>>, frames: &TabFrames<B>) -> Vec<Content> {
    let mut blocks: Vec<Content> = Vec::new();
    for OutlineLine { frame, text } in lines {
        match (blocks.last_mut(), frames.other_origin(&frame)) {
            (Some(Content::Text(before)), None) => {
                before.push('\n');
                before.push_str(&text);
            }
            (Some(Content::Framed(before)), Some(_)) if before.origin == frame.origin => {
                before.text.push('\n');
                before.text.push_str(&text);
            }
            (_, None) => blocks.push(Content::Text(text)),
            (_, Some(site)) => {
                let origin = frame.origin.clone();
                blocks.push(Content::Framed(FrameText { origin, site, text }));
            }
        }
    }
    blocks
}

impl<B: BrowserPort> PageActions<B> {
    /// A snapshot of a tab's page with its frames.
    pub async fn snapshot(&self, tab: TabId, options: Value) -> ToolOutcome {
        match self.take_snapshot(tab, options).await {
            Ok(content) => ToolOutcome::Ok { content, page: PageEffect::Stayed },
            Err(outcome) => *outcome,
        }
    }

    async fn take_snapshot(&self, tab: TabId, options: Value) -> Result<Vec<Content>, Box<ToolOutcome>> {
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
        let mut lines: Vec<_> = head.lines().map(|line| OutlineLine::of(&frame, line)).collect();
        let body = self.with_frames(&frames, &frame, outline, &request, left, 0).await;
        if body.is_empty() && !request["since"].is_null() {
            lines.push(OutlineLine::of(&frame, "[nothing changed]"));
        }
        lines.extend(body);
        Ok(by_origin(lines, &frames))
    }

    /// An outline with those of its frames.
    async fn with_frames(
        &self,
        frames: &Rc<TabFrames<B>>,
        frame: &Rc<ActionFrame<B>>,
        outline: Outline,
        request: &Value,
        left: u64,
        depth: usize,
    ) -> Vec<OutlineLine<B>> {
        let mut lines: Vec<_> = outline.text.lines().map(|line| OutlineLine::of(frame, line)).collect();
        let share = (left / (outline.frames.len().max(1) as u64)).max(LEAST_CHARACTERS);
        let mut places = outline.frames;
        places.sort_by_key(|place| std::cmp::Reverse(place.line));
        let mut others = Vec::new();
        for FrameLine { token, line, text, indent } in places {
            let inner = match frames.with_token(&token) {
                // Nothing is known to be in it that was asked for.
                _ if line.is_none() && depth >= MOST_DEPTH => continue,
                None if line.is_none() => continue,
                _ if depth >= MOST_DEPTH => vec![OutlineLine::of(frame, "[not read]")],
                Some(inner) => {
                    let mut below = Box::pin(self.frame_lines(frames, &inner, request, share, depth)).await;
                    if let Some(site) = frames.other_origin(&inner).filter(|_| !below.is_empty()) {
                        below.insert(0, OutlineLine::of(frame, &format!("[of {site}]")));
                    }
                    below
                }
                None => vec![OutlineLine::of(frame, "[not readable]")],
            };
            let space = " ".repeat(indent);
            let inner =
                inner.into_iter().map(|line| OutlineLine { text: format!("{space}{}", line.text), ..line });
            match line {
                Some(line) => {
                    let at = (line + 1).min(lines.len());
                    lines.splice(at..at, inner);
                }
                None => {
                    let mut below = inner.peekable();
                    if below.peek().is_some() {
                        others.push(OutlineLine::of(frame, &text));
                        others.extend(below);
                    }
                }
            }
        }
        lines.extend(others);
        lines
    }

    async fn frame_lines(
        &self,
        frames: &Rc<TabFrames<B>>,
        frame: &Rc<ActionFrame<B>>,
        request: &Value,
        share: u64,
        depth: usize,
    ) -> Vec<OutlineLine<B>> {
        let instead = |word: &str| vec![OutlineLine::of(frame, word)];
        let mut asked = request.clone();
        asked["maxChars"] = json!(share);
        match frame.ask(&self.browser, asked, FRAME_LIMIT_MS).await {
            Ok(said) => {
                let outline = Outline::deserialize(&said).unwrap_or_default();
                if outline.id.is_empty() {
                    return instead("[not readable]");
                }
                if outline.text.trim().is_empty() && outline.is_whole {
                    return instead("[blank]");
                }
                let left = share.saturating_sub(outline.text.len() as u64);
                self.with_frames(frames, frame, outline, request, left, depth + 1).await
            }
            Err(link::Lost::Silent | link::Lost::Stuck) => instead("[loading]"),
            Err(link::Lost::Gone | link::Lost::Left | link::Lost::Failed(_)) => instead("[not readable]"),
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
