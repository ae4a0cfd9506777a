//! Looks at a page for the SKILLs that fit it, until it is as they expect.

use sidecar_skills::run::health::{HealthState, PageHealth};

use crate::actions::health::LookedAt;
use crate::browser::BrowserPort;
use crate::event::WorkEvent;
use crate::skills::on_page::SkillLook;
use crate::skills::reading;
use crate::tabs::Loading;

/// How long a page may take to become what SKILLs expect, in milliseconds, and how often it is looked at.
const LIMIT_MS: u64 = 5_000;
const INTERVAL_MS: u64 = 250;

/// Looks at a page. What is found is posted when the page is fit for all SKILLs, or at rest, or when the time is over.
pub async fn look_at_page<B: BrowserPort>(browser: B, look: SkillLook) {
    let mut definitions = Vec::new();
    for (_, place) in &look.skills {
        definitions.extend(reading::definition(&browser, place).await);
    }
    if definitions.iter().any(|definition| !definition.code_files().is_empty()) {
        let access = browser.code_access().await;
        browser.post(WorkEvent::CodeAccessKnown { access });
    }
    let began = browser.now();
    let mut told = Vec::new();
    if let Some(page) = LookedAt::open(browser.clone(), look.tab, &look.document).await {
        loop {
            let Some(found) = page.look(&definitions).await else { break };
            let waited = browser.now() - began;
            let is_over = waited >= LIMIT_MS || found.iter().all(|(_, health)| is_fit(health));
            let tab = browser.tab(look.tab).await;
            // At another address the page is looked at anew.
            if tab.as_ref().is_none_or(|tab| tab.url != look.url) {
                return;
            }
            let is_loaded = tab.is_some_and(|tab| tab.loading != Loading::Underway);
            if is_over || (is_loaded && waited >= look.patience_ms && told != found) {
                let (look, found) = (look.clone(), found.clone());
                browser.post(WorkEvent::SkillsLooked { look, found, is_over });
            }
            if is_over {
                return;
            }
            told = found;
            browser.sleep(INTERVAL_MS).await;
        }
    }
    browser.post(WorkEvent::SkillsLooked { look, found: Vec::new(), is_over: true });
}

fn is_fit(health: &PageHealth) -> bool {
    matches!(health.state, HealthState::Ok | HealthState::Worn | HealthState::OtherPage)
}
