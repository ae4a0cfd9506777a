//! Parts of a module that are loaded when they are needed (docs/decisions/0036).

use futures::FutureExt;
use futures::channel::oneshot;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Whether a part is loaded; loads it. `load` is the loader that `wasm_split` makes.
pub fn when_loaded(load: impl Future<Output = ()> + 'static) -> Signal<bool> {
    let mut load = Box::pin(load);
    let is_loaded = RwSignal::new((&mut load).now_or_never().is_some());
    if !is_loaded.get_untracked() {
        spawn_local(async move {
            load.await;
            // What waited may be gone.
            let _ = is_loaded.try_set(true);
        });
    }
    is_loaded.into()
}

/// The next frame: what is loaded after it does not delay the paint before it.
pub async fn next_frame() {
    let (done, frame) = oneshot::channel();
    request_animation_frame(move || {
        let _ = done.send(());
    });
    let _ = frame.await;
}
