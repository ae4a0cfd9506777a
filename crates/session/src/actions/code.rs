//! Runs code of SKILLs: files of packages, as bodies of functions. The browser runs them where the user allows that
//! (docs/decisions/0040-code-tools.md).

use std::cell::Cell;
use std::pin::pin;

use futures::future::{Either, select};
use sidecar_protocol::{DocumentId, TabId};
use sidecar_skills::definition::CodeWorld;

use crate::browser::{BrowserPort, CodeFault, CodeRun};
use crate::skills::lifecycle::{LifecyclePhase, LifecycleQueue, LifecycleStep};
use crate::skills::{SkillPlace, reading};
use source::{CodeEnd, CodeSource};

mod source;

/// How long code may take, in milliseconds.
const LIMIT_MS: u64 = 30_000;
/// How long code that was told to stop may take to do so, in milliseconds: it is not waited for then.
const STOP_MS: u64 = 1_000;

/// A file of a SKILL that is run in a document.
pub struct SkillCode<'c> {
    /// Where the SKILL's files are.
    pub place: &'c SkillPlace,
    /// The file's path in the package.
    pub file: &'c str,
    /// Its text.
    pub text: &'c str,
    /// Where it runs.
    pub world: CodeWorld,
    /// JSON text.
    pub input: &'c str,
}

/// What came of code.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeResult {
    /// It came to its end, with this value.
    Value(Option<serde_json::Value>),
    /// It threw or rejected, or cannot be read: what it says, which is text of others, and the line in the file.
    Threw(String, Option<u32>),
    /// Its value is too large.
    TooLarge,
    /// It took too long, and was told to stop.
    Timeout,
    /// It began, and its document went away, or told nothing that makes sense.
    Unknown,
    /// It did not begin: the document is gone.
    Gone,
    /// It did not begin: the user does not allow it.
    Off,
}

/// The name of the world that the code of a SKILL shares, and nobody else. `None` for those that ship: they have no code.
/// Another version has another digest, and finds nothing of the one before.
pub fn world_of(place: &SkillPlace) -> Option<String> {
    match place {
        SkillPlace::Stored(digest) => Some(format!("skill-{digest}")),
        SkillPlace::Shipped(_) => None,
    }
}

/// Runs code in a document, and waits for its end. When this is dropped, the code is told to stop.
pub async fn run<B: BrowserPort>(
    browser: &B,
    tab: TabId,
    document: &DocumentId,
    code: SkillCode<'_>,
) -> CodeResult {
    let SkillCode { place, file, text, world, input } = code;
    let Some(world_id) = world_of(place) else { return CodeResult::Off };
    let nonce = browser.nonce();
    let is_alone = world != CodeWorld::Main;
    let source = CodeSource { file, text, input, nonce: &nonce, is_alone };
    let run = CodeRun { tab, document: document.clone(), world_id, is_alone, sources: source.sources() };
    let stop = CodeRun { sources: CodeSource::stopping(&nonce), ..run.clone() };
    let guard = StopGuard { browser, stop: Cell::new(Some(stop)) };
    let ran = {
        let running = pin!(browser.run_code(&run));
        match select(running, pin!(browser.sleep(LIMIT_MS))).await {
            Either::Left((ran, _)) => Some(ran),
            Either::Right(_) => None,
        }
    };
    let Some(ran) = ran else { return CodeResult::Timeout };
    guard.stop.take();
    match ran {
        Err(CodeFault::Off) => CodeResult::Off,
        Err(CodeFault::Gone) => CodeResult::Gone,
        Ok(told) => match CodeEnd::read(told.as_deref()) {
            CodeEnd::Value(value) => CodeResult::Value(value),
            CodeEnd::Threw { message, line } => CodeResult::Threw(message, line),
            CodeEnd::TooLarge => CodeResult::TooLarge,
            CodeEnd::Stopped | CodeEnd::Nothing => CodeResult::Unknown,
        },
    }
}

/// Runs what is in a queue, one after the other.
pub async fn run_lifecycle<B: BrowserPort>(browser: B, queue: LifecycleQueue) {
    loop {
        let Some(step) = queue.borrow().front().cloned() else { return };
        run_step(&browser, &step).await;
        queue.borrow_mut().pop_front();
    }
}

/// A mark in the SKILL's world, which lives as long as the document: a worker that comes after one that died finds it.
const MARK: &str = "globalThis[Symbol.for('sidecar-active')]";

async fn run_step<B: BrowserPort>(browser: &B, step: &LifecycleStep) {
    let LifecycleStep { tab, document, place, phase } = step;
    let Some(definition) = reading::definition(browser, place).await else { return };
    let (code, name) = match phase {
        LifecyclePhase::Activate => (&definition.on_activate, "onActivate"),
        LifecyclePhase::Deactivate => (&definition.on_deactivate, "onDeactivate"),
    };
    // The mark is also set where nothing else is run, so that the end of it is run.
    let (file, text) = match code {
        Some(code) => {
            let text = reading::code(browser, place, &code.file).await.unwrap_or_default();
            (code.file.as_str(), text)
        }
        None => (name, String::new()),
    };
    if *phase == LifecyclePhase::Activate {
        let url = browser.tab(*tab).await.map(|tab| tab.url).unwrap_or_default();
        if !definition.is_for(&url) {
            return;
        }
    }
    let marked = match phase {
        LifecyclePhase::Activate => format!("if ({MARK}) return; {MARK} = true; "),
        LifecyclePhase::Deactivate => format!("if (!{MARK}) return; delete {MARK}; "),
    };
    let text = format!("{marked}{text}");
    let code = SkillCode { place, file, text: &text, world: CodeWorld::Isolated, input: "{}" };
    let why = match run(browser, *tab, document, code).await {
        CodeResult::Value(_) | CodeResult::TooLarge | CodeResult::Gone | CodeResult::Off => return,
        CodeResult::Threw(message, line) => {
            format!("{message} ({file}{})", line.map(|line| format!(", line {line}")).unwrap_or_default())
        }
        CodeResult::Timeout => "it took too long".to_owned(),
        CodeResult::Unknown => "its end is unknown".to_owned(),
    };
    browser.warn(&format!("{}, {name}: {why}", definition.id));
}

/// Tells code to stop when nobody waits for it any more.
struct StopGuard<'g, B: BrowserPort> {
    browser: &'g B,
    stop: Cell<Option<CodeRun>>,
}

impl<B: BrowserPort> Drop for StopGuard<'_, B> {
    fn drop(&mut self) {
        let Some(stop) = self.stop.take() else { return };
        let browser = self.browser.clone();
        self.browser.spawn(async move {
            // A page that is stuck does not hear it.
            let stopping = pin!(browser.run_code(&stop));
            let _ = select(stopping, pin!(browser.sleep(STOP_MS))).await;
        });
    }
}
