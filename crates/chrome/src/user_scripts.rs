//! `chrome.userScripts`: runs code that did not come with the extension. The user allows that with a switch of the
//! browser; without it, and without the permission, the functions are not there or throw.

use js_sys::{Array, Function, Promise, Reflect};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::ChromeError;

/// What code in a world of its own may load: nothing.
const CSP: &str = "default-src 'none'";

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"], js_name = request)]
    async fn request_raw(permissions: JsValue) -> Result<JsValue, JsValue>;
}

/// Calls a function of `chrome.userScripts`. Where the switch is off they are not there, or throw before they promise
/// anything, which a binding of its own would not survive.
async fn call(name: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    let functions = Reflect::get(&Reflect::get(&js_sys::global(), &"chrome".into())?, &"userScripts".into())?;
    let function: Function = Reflect::get(&functions, &name.into())?.dyn_into()?;
    let promise = if argument.is_undefined() {
        function.call0(&functions)?
    } else {
        function.call1(&functions, argument)?
    };
    JsFuture::from(Promise::resolve(&promise)).await
}

/// Whether the browser can run code at once: Chrome 135 and later. Where the switch was never on, the browser shows nothing
/// of these functions, and it is taken to be recent.
#[must_use]
pub fn is_known() -> bool {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).unwrap_or_default();
    let functions = get(&get(&js_sys::global(), "chrome"), "userScripts");
    !functions.is_object() || get(&functions, "execute").is_instance_of::<Function>()
}

/// Whether the user allows it now.
pub async fn is_on() -> bool {
    call("getScripts", &JsValue::UNDEFINED).await.is_ok()
}

#[derive(Serialize)]
struct WantedPermissions {
    permissions: [&'static str; 1],
}

/// Asks for the permission, for which the browser shows nothing: what it warns of is granted. Has to come of a click.
/// Returns whether it is granted; the switch is the user's.
///
/// # Errors
/// Without a click.
pub async fn ask_permission() -> Result<bool, ChromeError> {
    let wanted = WantedPermissions { permissions: ["userScripts"] };
    let granted = request_raw(serde_wasm_bindgen::to_value(&wanted)?).await?;
    Ok(granted.is_truthy())
}

/// The JavaScript world in which code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserWorld<'a> {
    /// One of its own, by name: at most 256 bytes, without `_` at the beginning.
    Own(&'a str),
    /// The page's.
    Main,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorldProperties<'a> {
    world_id: &'a str,
    csp: &'a str,
    messaging: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConfiguredWorld {
    #[serde(default)]
    world_id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserInjection<'a> {
    target: UserTarget<'a>,
    js: Vec<UserSource<'a>>,
    world: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    world_id: Option<&'a str>,
    inject_immediately: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserTarget<'a> {
    tab_id: i32,
    document_ids: [&'a str; 1],
}

#[derive(Serialize)]
struct UserSource<'a> {
    code: &'a str,
}

/// Runs sources in a document, one after the other, and waits for what the last one promises. Returns that if it is a
/// text. What is thrown, and a document that goes away meanwhile, have no result.
///
/// # Errors
/// If it does not begin: it is not allowed, or the document is gone.
pub async fn run(
    tab_id: i32,
    document_id: &str,
    world: UserWorld<'_>,
    sources: &[String],
) -> Result<Option<String>, ChromeError> {
    let options = serde_wasm_bindgen::Serializer::json_compatible();
    let (world, world_id) = match world {
        UserWorld::Own(id) => ("USER_SCRIPT", Some(id)),
        UserWorld::Main => ("MAIN", None),
    };
    if let Some(world_id) = world_id {
        configure(world_id).await?;
    }
    let injection = UserInjection {
        target: UserTarget { tab_id, document_ids: [document_id] },
        js: sources.iter().map(|code| UserSource { code }).collect(),
        world,
        world_id,
        inject_immediately: true,
    };
    let results = Array::from(&call("execute", &injection.serialize(&options)?).await?);
    let get = |name: &str| Reflect::get(&results.get(0), &name.into()).ok().and_then(|it| it.as_string());
    match get("error") {
        Some(error) => Err(ChromeError(error)),
        None => Ok(get("result")),
    }
}

/// Sets what a world may do. That holds for documents in which the world is not there yet, and until the next update of
/// the extension, so it is set before each use. The browser keeps 100 worlds; then another one has to go.
async fn configure(world_id: &str) -> Result<(), ChromeError> {
    let options = serde_wasm_bindgen::Serializer::json_compatible();
    let properties = WorldProperties { world_id, csp: CSP, messaging: false }.serialize(&options)?;
    if call("configureWorld", &properties).await.is_ok() {
        return Ok(());
    }
    let known: Vec<ConfiguredWorld> =
        serde_wasm_bindgen::from_value(call("getWorldConfigurations", &JsValue::UNDEFINED).await?)?;
    if let Some(other) = known.iter().find(|known| !known.world_id.is_empty() && known.world_id != world_id) {
        call("resetWorldConfiguration", &other.world_id.as_str().into()).await?;
    }
    call("configureWorld", &properties).await?;
    Ok(())
}
