//! The test bridge in pages (`docs/test-bridge.md`).

use sidecar_agent::new_page::Location;
use sidecar_chrome::scripting::{self, RegisteredScript, ScriptTarget, World};
use sidecar_chrome::{ChromeError, tabs};
use sidecar_session::browser::TestBridgePort;
use sidecar_session::test_bridge::{match_pattern, origin_of, script_id};
use wasm_bindgen_futures::spawn_local;

use crate::browser::ThisBrowser;
use crate::pages::PAGE_ADDRESS;

/// The script that offers it, and the one that takes it away.
const OFFER: &str = "test-bridge.js";
const TAKE_AWAY: &str = "test-bridge-off.js";

impl TestBridgePort for ThisBrowser {
    async fn offer_test_bridge(&self, origins: &[String]) -> Result<(), String> {
        offer(origins).await.map_err(|error| error.0)
    }
}

async fn offer(origins: &[String]) -> Result<(), ChromeError> {
    let offered = offered_origins().await?;
    let gone: Vec<_> = offered.iter().filter(|origin| !origins.contains(origin)).cloned().collect();
    let new: Vec<_> = origins.iter().filter(|origin| !offered.contains(origin)).cloned().collect();
    if !gone.is_empty() {
        let ids: Vec<_> = gone.iter().map(|origin| script_id(origin)).collect();
        scripting::unregister_content_scripts(&ids).await?;
    }
    if !new.is_empty() {
        let script = |origin: &String| {
            let matches = match_pattern(origin)?;
            Some(RegisteredScript { id: script_id(origin), matches, file: OFFER, world: World::Main })
        };
        scripting::register_content_scripts(&new.iter().filter_map(script).collect::<Vec<_>>()).await?;
    }
    let changed = [gone, new].concat();
    if changed.is_empty() {
        return Ok(());
    }
    for tab in tabs::all().await?.into_iter().filter(|tab| !tab.discarded).filter_map(|tab| tab.id) {
        let changed = changed.clone();
        // A page that does not answer holds up nobody else.
        spawn_local(async move { drop(follow(tab, &changed).await) });
    }
    Ok(())
}

/// The origins for which the test bridge is registered.
async fn offered_origins() -> Result<Vec<String>, ChromeError> {
    let ids = scripting::registered_content_scripts().await?;
    Ok(ids.iter().filter_map(|id| origin_of(id)).map(str::to_owned).collect())
}

/// Makes the open documents of a tab follow what is registered for their origins once these are known: the user may have
/// changed it again meanwhile.
async fn follow(tab: i32, changed: &[String]) -> Result<(), ChromeError> {
    let documents = scripting::values_in_all_frames::<Location>(tab, PAGE_ADDRESS).await?;
    let offered = offered_origins().await?;
    for (document, Location { origin, .. }) in documents {
        if changed.contains(&origin) {
            let target = ScriptTarget {
                tab_id: tab,
                all_frames: false,
                document_ids: vec![document],
                frame_ids: Vec::new(),
            };
            let file = if offered.contains(&origin) { OFFER } else { TAKE_AWAY };
            // The document may be gone.
            let _ = scripting::run_file(&target, file, World::Main).await;
        }
    }
    Ok(())
}
