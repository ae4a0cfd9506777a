//! The documents of a tab, which frame each is in, and which frame is in which.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::task::Poll;

use futures::future::{Either, select};
use serde_json::{Value, json};
use sidecar_agent::{HiddenSites, challenge};
use sidecar_protocol::{DocumentId, FrameId, TabId};
use sidecar_webmcp::Address;

use super::link::{Asked, CoverQuestion, DocumentLink, Lost, SILENCE_MS};
use crate::browser::{BrowserPort, ContentScript, PageFile};

/// Maximum number of documents of a tab that are read.
const MOST_FRAMES: usize = 60;

/// How long a frame's document may take to say who it is, in milliseconds.
const HELLO_LIMIT_MS: u64 = 1_500;

/// How long a frame's document may take to answer what a whole page is asked, in milliseconds.
pub const FRAME_LIMIT_MS: u64 = 1_500;

/// How often and at which interval in milliseconds the pairing of frames is looked at.
const PAIRING_TRIES: u32 = 10;
const PAIRING_INTERVAL_MS: u64 = 20;

/// Maximum depth of frames.
const MOST_DEPTH: usize = 8;

/// The documents of a tab.
pub struct TabFrames<B> {
    pub(super) browser: B,
    tab: TabId,
    frames: RefCell<Vec<Rc<ActionFrame<B>>>>,
    /// Documents of frames that did not answer.
    silent: RefCell<Vec<DocumentId>>,
    /// Documents of hidden sites: they are asked only whose they are, and only the user's hand there is heard.
    hidden: RefCell<Vec<Rc<ActionFrame<B>>>>,
    /// Whether there are more documents than are looked at.
    are_too_many: Cell<bool>,
    prefixes: Prefixes,
    /// The number that the next ref in the tab's top frame gets: not used again by its next page.
    next_ref: Cell<u64>,
    on_event: Rc<dyn Fn(PageSignal)>,
}

/// How the refs of a tab's documents begin. No two documents of a turn have the same, so that a ref of one tab
/// means nothing in another.
#[derive(Debug)]
pub struct Prefixes {
    top: String,
    /// The last number of the turn; numbers are not used again.
    last: Rc<Cell<u32>>,
}

impl Prefixes {
    /// Those of a tab. The refs of the top document of the turn's own tab begin with nothing.
    pub fn of_tab(is_own: bool, last: Rc<Cell<u32>>) -> Self {
        let top = if is_own { String::new() } else { next_prefix(&last) };
        Self { top, last }
    }
}

fn next_prefix(last: &Cell<u32>) -> String {
    last.set(last.get() + 1);
    format!("f{}", last.get())
}

/// What happens in a page that the agent uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSignal {
    /// The user pressed Stop there.
    Stop,
    /// The page removes what says that it is used.
    LightRemoved,
    /// The user pressed a key or a button there.
    UserActed,
}

/// A document and its place.
pub struct ActionFrame<B> {
    browser: std::marker::PhantomData<B>,
    tab: TabId,
    /// Its frame; 0 is the top frame.
    pub frame: FrameId,
    /// Its document.
    pub document: DocumentId,
    /// Begins its refs: empty for the top frame of the turn's own tab, else `f2`.
    pub prefix: String,
    /// Its origin; `null` in a sandbox.
    pub origin: String,
    /// The origin of its address, or of the document around it if its address has none: by it consent and
    /// hidden sites are judged, because a sandbox only takes the document's own origin away.
    pub home: String,
    /// Whether it is a frame of a service that checks that a person is there.
    pub is_challenge: bool,
    /// Whether it is a PDF, which the browser shows in a viewer that no extension can look into.
    pub is_pdf: bool,
    /// Whether it says that the agent uses it.
    pub is_lit: Cell<bool>,
    /// The later files of the page script that are in its document.
    files: RefCell<Vec<PageFile>>,
    link: Rc<DocumentLink>,
}

impl<B: BrowserPort> ActionFrame<B> {
    /// Asks its document, after the file that answers was put into it.
    ///
    /// # Errors
    /// [`Lost`]
    pub async fn ask(&self, browser: &B, request: Value, silence_ms: u64) -> Result<Value, Lost> {
        if let Some(file) = request["do"].as_str().and_then(PageFile::answering)
            && !self.files.borrow().contains(&file)
        {
            self.put(browser, file, silence_ms).await?;
        }
        self.link.ask(browser, request, silence_ms).await
    }

    /// Puts a file into its document, unless that takes too long: a dialog of the page stops it.
    async fn put(&self, browser: &B, file: PageFile, limit_ms: u64) -> Result<(), Lost> {
        let putting = browser.put_file_into(self.tab, &self.document, file);
        match select(pin!(putting), pin!(browser.sleep(limit_ms))).await {
            Either::Left((Ok(()), _)) => self.files.borrow_mut().push(file),
            // The first file was put there, so it is the document that is gone.
            Either::Left((Err(_), _)) => return Err(Lost::Gone),
            Either::Right(_) => return Err(Lost::Silent),
        }
        Ok(())
    }

    /// Whether its site is hidden.
    pub fn is_of_hidden(&self, hidden: &HiddenSites) -> bool {
        hidden.hides(&self.origin) || hidden.hides(&self.home)
    }

    /// Closes its channel, so that nothing goes on there.
    pub fn give_up(&self) {
        self.link.close();
    }

    /// Whether its channel is closed: the document is gone, or was given up.
    pub fn is_given_up(&self) -> bool {
        self.link.is_closed()
    }

    /// What the frame above sent into it.
    pub fn token(&self) -> String {
        self.link.token()
    }
}

impl<B: BrowserPort> TabFrames<B> {
    /// No document is known yet.
    pub fn new(browser: B, tab: TabId, prefixes: Prefixes, on_event: Rc<dyn Fn(PageSignal)>) -> Self {
        let (frames, silent, hidden, are_too_many) = Default::default();
        Self {
            browser,
            tab,
            frames,
            silent,
            hidden,
            are_too_many,
            prefixes,
            next_ref: Cell::new(1),
            on_event,
        }
    }

    /// Makes sure that every document of the tab has the page actions and a channel, but those of hidden
    /// sites.
    ///
    /// # Errors
    /// The browser's message, if the extension may not do anything in the tab.
    pub async fn attach(self: &Rc<Self>, hidden: &HiddenSites) -> Result<(), String> {
        let documents = self.browser.put_actions_into(self.tab).await?;
        for frame in self.frames.borrow().iter().filter(|frame| frame.frame == FrameId::TOP) {
            self.next_ref.set(self.next_ref.get().max(frame.link.next_ref()));
        }
        let is_there = |frame: &Rc<ActionFrame<B>>| {
            !frame.is_given_up()
                && !frame.is_of_hidden(hidden)
                && documents.iter().any(|(_, document)| *document == frame.document)
        };
        self.frames.borrow_mut().retain(is_there);
        self.silent.borrow_mut().retain(|silent| documents.iter().any(|(_, document)| document == silent));
        self.hidden.borrow_mut().clear(); // each is asked again below
        self.are_too_many.set(documents.len() > MOST_FRAMES);
        let is_new = |document: &DocumentId| {
            !self.silent.borrow().contains(document)
                && !self.frames.borrow().iter().any(|known| known.document == *document)
        };
        let new: Vec<_> =
            documents.into_iter().take(MOST_FRAMES).filter(|(_, document)| is_new(document)).collect();
        if new.is_empty() {
            return Ok(());
        }
        all(new.into_iter().map(|(frame, document)| self.add(frame, document, hidden))).await;
        self.frames.borrow_mut().sort_by_key(|known| known.frame != FrameId::TOP);
        self.pair().await;
        Ok(())
    }

    /// Opens a document, unless its site is hidden. A frame that does not answer is not asked again.
    async fn add(self: &Rc<Self>, frame: FrameId, document: DocumentId, hidden: &HiddenSites) {
        match self.open(frame, document.clone()).await {
            Some(frame) if frame.is_of_hidden(hidden) => self.hidden.borrow_mut().push(Rc::new(frame)),
            Some(frame) => self.frames.borrow_mut().push(Rc::new(frame)),
            None if frame == FrameId::TOP => {}
            None => self.silent.borrow_mut().push(document),
        }
    }

    /// Whether a picture of the tab may show a document of a hidden site: there is one, or there are documents
    /// that were not asked whose they are.
    pub fn may_show_hidden(&self, hidden: &HiddenSites) -> bool {
        let are_all_known = !self.are_too_many.get() && self.silent.borrow().is_empty();
        !self.hidden.borrow().is_empty() || (!hidden.is_empty() && !are_all_known)
    }

    async fn open(self: &Rc<Self>, frame: FrameId, document: DocumentId) -> Option<ActionFrame<B>> {
        let channel = self.browser.open_channel(self.tab, &document, ContentScript::Actions).ok()?;
        let (tab, asking) = (Rc::downgrade(self), document.clone());
        let browser = self.browser.clone();
        let on_event = self.on_event.clone();
        let on_asked = move |asked: Asked| match asked {
            Asked::Cover(question) => {
                let (tab, asking) = (tab.clone(), asking.clone());
                browser.spawn(async move { answer_cover(&tab, &asking, question).await });
            }
            Asked::Stop => on_event(PageSignal::Stop),
            Asked::LightRemoved => on_event(PageSignal::LightRemoved),
            Asked::UserActed { scrolls } => {
                let Some(tab) = tab.upgrade() else { return };
                tab.interrupt_others(&asking);
                // What the user does on a hidden site is not told.
                if !scrolls && tab.frames.borrow().iter().any(|frame| frame.document == asking) {
                    on_event(PageSignal::UserActed);
                }
            }
        };
        let link = DocumentLink::over(&self.browser, channel, on_asked);
        let (prefix, next) = if frame == FrameId::TOP {
            (self.prefixes.top.clone(), self.next_ref.get())
        } else {
            (next_prefix(&self.prefixes.last), 1)
        };
        let hello = json!({"do": "hello", "prefix": prefix, "next": next});
        let said = link.ask(&self.browser, hello, HELLO_LIMIT_MS).await.ok()?;
        let origin = said["origin"].as_str().unwrap_or_default().to_owned();
        let home = said["home"].as_str().unwrap_or(&origin).to_owned();
        Some(ActionFrame {
            browser: std::marker::PhantomData,
            tab: self.tab,
            frame,
            document,
            prefix,
            is_challenge: frame != FrameId::TOP
                && challenge::is_frame(&home, said["path"].as_str().unwrap_or_default()),
            origin,
            home,
            is_pdf: said["type"] == "application/pdf",
            is_lit: Cell::default(),
            files: RefCell::default(),
            link,
        })
    }

    /// Ends an action that runs in another document than this one, in which the user acted.
    fn interrupt_others(&self, document: &DocumentId) {
        for frame in self.frames.borrow().iter() {
            if frame.document != *document && frame.files.borrow().contains(&PageFile::Act) {
                frame.link.tell(json!({"do": "interrupt"}));
            }
        }
    }

    /// Finds out which document is in which frame.
    async fn pair(&self) {
        let frames = self.frames.borrow().clone();
        if frames.len() < 2 {
            return;
        }
        all(frames.iter().map(async |frame| {
            let _ = frame.ask(&self.browser, json!({"do": "pair"}), HELLO_LIMIT_MS).await;
        }))
        .await;
        for _ in 0..PAIRING_TRIES {
            let is_paired =
                |frame: &Rc<ActionFrame<B>>| frame.frame == FrameId::TOP || !frame.token().is_empty();
            if frames.iter().all(is_paired) {
                return;
            }
            self.browser.sleep(PAIRING_INTERVAL_MS).await;
        }
    }

    /// The top document.
    pub fn top(&self) -> Option<Rc<ActionFrame<B>>> {
        self.frames.borrow().iter().find(|frame| frame.frame == FrameId::TOP).cloned()
    }

    /// All documents that can be asked, the top one first.
    pub fn all(&self) -> Vec<Rc<ActionFrame<B>>> {
        self.frames.borrow().clone()
    }

    /// The document into which the frame above sent this token.
    pub fn with_token(&self, token: &str) -> Option<Rc<ActionFrame<B>>> {
        self.frames.borrow().iter().find(|frame| !token.is_empty() && frame.token() == token).cloned()
    }

    /// The document that a ref names; the top document for a CSS selector and for no target.
    pub fn of_target(&self, target: &str) -> Option<Rc<ActionFrame<B>>> {
        match prefix_of(target) {
            Some(prefix) => self.frames.borrow().iter().find(|frame| frame.prefix == prefix).cloned(),
            None => self.top(),
        }
    }

    /// The site of a document, if its origin is not that of the top document.
    pub fn other_origin(&self, frame: &ActionFrame<B>) -> Option<String> {
        let top = self.top()?;
        if frame.origin == top.origin {
            return None;
        }
        let site = Address::of(&frame.origin).site().to_owned();
        Some(if site.is_empty() { "a sandboxed frame".to_owned() } else { site })
    }

    /// What covers a document's point in the documents around it: each looks at the frame that it is in. If one of
    /// them cannot be asked, nobody knows what lies over its frame, so it counts as covered.
    async fn covered(&self, document: &DocumentId, mut x: f64, mut y: f64) -> Value {
        let frames = self.frames.borrow().clone();
        let mut inner = frames.iter().find(|frame| frame.document == *document).cloned();
        for _ in 0..MOST_DEPTH {
            let Some(frame) = inner else { break };
            if frame.frame == FrameId::TOP {
                return json!({});
            }
            let token = frame.token();
            if token.is_empty() {
                break;
            }
            let mut outer = None;
            for frame in frames.iter().filter(|frame| frame.token() != token) {
                let request = json!({"do": "probe", "token": token, "x": x, "y": y});
                let Ok(said) = frame.ask(&self.browser, request, SILENCE_MS).await else { continue };
                if said["unknown"] != true && !said["x"].is_null() {
                    outer = Some((frame.clone(), said));
                    break;
                }
            }
            let Some((frame, mut said)) = outer else { break };
            if !said["covered"].is_null() {
                return json!({"covered": said["covered"].take()});
            }
            (x, y) = (said["x"].as_f64().unwrap_or(x), said["y"].as_f64().unwrap_or(y));
            inner = Some(frame);
        }
        json!({"covered": {"role": "iframe", "name": "", "ref": ""}})
    }
}

/// Whether a target is a ref, else a CSS selector.
pub fn is_ref(target: &str) -> bool {
    prefix_of(target).is_some()
}

/// How a ref begins: `f2` in `f2e17`.
fn prefix_of(target: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_prefix = |text: &str| text.is_empty() || text.strip_prefix('f').is_some_and(is_number);
    let (prefix, number) = target.split_once('e')?;
    (is_number(number) && is_prefix(prefix)).then_some(prefix)
}

/// Does all of this at the same time.
async fn all(works: impl Iterator<Item = impl Future<Output = ()>>) {
    until_enough(works, |()| false).await;
}

/// Does all of this at the same time, until one result is enough; what is not done by then is dropped. Returns the results
/// there are, in the order of the works.
async fn until_enough<T>(
    works: impl Iterator<Item = impl Future<Output = T>>,
    is_enough: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut works: Vec<_> = works.map(Box::pin).enumerate().collect();
    let mut results = Vec::new();
    poll_fn(|context| {
        let mut is_done = false;
        works.retain_mut(|(at, work)| {
            let Poll::Ready(result) = work.as_mut().poll(context) else { return true };
            is_done |= is_enough(&result);
            results.push((*at, result));
            false
        });
        if is_done || works.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A document, and what it said.
pub type FrameAnswer<B> = (Rc<ActionFrame<B>>, Result<Value, Lost>);

/// Asks documents of a tab at the same time, until one answer is enough. A document may say nothing for `takes_ms`
/// longer than one that only looks; frames get less time than the top document, because a page can do without them.
pub async fn ask_each<B: BrowserPort>(
    browser: &B,
    frames: &[Rc<ActionFrame<B>>],
    request: &Value,
    takes_ms: u64,
    is_enough: impl Fn(&Result<Value, Lost>) -> bool,
) -> Vec<FrameAnswer<B>> {
    let works = frames.iter().map(async |frame| {
        let limit_ms = if frame.frame == FrameId::TOP { SILENCE_MS } else { FRAME_LIMIT_MS };
        (frame.clone(), frame.ask(browser, request.clone(), takes_ms + limit_ms).await)
    });
    until_enough(works, |(_, said)| is_enough(said)).await
}

async fn answer_cover<B: BrowserPort>(
    tab: &Weak<TabFrames<B>>,
    asking: &DocumentId,
    question: CoverQuestion,
) {
    let Some(tab) = tab.upgrade() else { return };
    let answer = tab.covered(asking, question.x, question.y).await;
    let frame = tab.frames.borrow().iter().find(|frame| frame.document == *asking).cloned();
    if let Some(frame) = frame {
        frame.link.answer(question.number, answer);
    }
}
