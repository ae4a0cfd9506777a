//! Saves a file for the user through a link in the document, which needs no permission.

use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// How long the object URL is kept; by then the browser has begun to save.
const BEGUN: Duration = Duration::from_secs(60);

/// Saves a file with this name. Its parts are texts or typed arrays.
pub fn download(parts: &Array, name: &str, media_type: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let Ok(blob) = Blob::new_with_str_sequence_and_options(parts, &options) else { return };
    let Ok(url) = Url::create_object_url_with_blob(&blob) else { return };
    let link = document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(link) = link {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // Cannot fail for a URL created above.
    set_timeout(move || drop(Url::revoke_object_url(&url)), BEGUN);
}
