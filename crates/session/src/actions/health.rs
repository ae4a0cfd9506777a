//! Looks whether a page is as SKILLs expect, over a channel of its own: that of a turn stays as it is.

use std::rc::Rc;

use serde_json::Value;
use sidecar_protocol::{DocumentId, TabId};
use sidecar_skills::SkillDefinition;
use sidecar_skills::run::health::{PageHealth, health};
use sidecar_skills::run::{AskPort, NoAnswer};

use super::link::{DocumentLink, Lost};
use crate::browser::{BrowserPort, ContentScript, PageFile};

/// How long a document may be silent, in milliseconds.
const SILENCE_MS: u64 = 2_000;
/// The same while a tool runs that it calls itself, which may request something.
const CALL_SILENCE_MS: u64 = 32_000;

/// A document that is looked at. Dropping it closes the channel.
pub struct LookedAt<B> {
    browser: B,
    link: Rc<DocumentLink>,
}

impl<B: BrowserPort> LookedAt<B> {
    /// Puts the page script into a document, and opens a channel. `None` if it is gone or lets nobody in.
    pub async fn open(browser: B, tab: TabId, document: &DocumentId) -> Option<Self> {
        for file in [PageFile::Actions, PageFile::Skill] {
            browser.put_file_into(tab, document, file).await.ok()?;
        }
        let channel = browser.open_channel(tab, document, ContentScript::Health).ok()?;
        let link = DocumentLink::over(&browser, channel, |_| {});
        Some(Self { browser, link })
    }

    /// How SKILLs fare on it. `None` if it is gone.
    pub async fn look(&self, definitions: &[SkillDefinition]) -> Option<Vec<(String, PageHealth)>> {
        let mut found = Vec::with_capacity(definitions.len());
        for definition in definitions {
            found.push((definition.id.clone(), health(self, definition).await));
        }
        (!self.link.is_closed()).then_some(found)
    }
}

impl<B> Drop for LookedAt<B> {
    fn drop(&mut self) {
        self.link.close();
    }
}

impl<B: BrowserPort> LookedAt<B> {
    /// Asks for a tool that the page calls, whose requests may take longer.
    pub async fn ask_for_call(&self, request: Value) -> Result<Value, NoAnswer> {
        self.ask_within(request, CALL_SILENCE_MS).await
    }

    async fn ask_within(&self, request: Value, silence_ms: u64) -> Result<Value, NoAnswer> {
        match self.link.ask(&self.browser, request, silence_ms).await {
            Ok(answer) if answer["outcome"] == "tooLarge" => Err(NoAnswer::TooLarge),
            Ok(answer) if answer["outcome"].is_string() => Err(NoAnswer::Silent),
            Ok(answer) => Ok(answer),
            Err(Lost::Gone | Lost::Left) => Err(NoAnswer::Left),
            Err(Lost::Silent | Lost::Stuck | Lost::Failed(_)) => Err(NoAnswer::Silent),
        }
    }
}

impl<B: BrowserPort> AskPort for LookedAt<B> {
    async fn ask(&self, request: Value) -> Result<Value, NoAnswer> {
        self.ask_within(request, SILENCE_MS).await
    }
}
