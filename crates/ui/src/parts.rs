//! Parts of a module that are loaded when they are needed (docs/decisions/0036).

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

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

/// How long [`after_paint`] waits in a window that is not painted, in milliseconds.
const UNPAINTED_MS: u64 = 200;

/// Waits until the next frame has been painted, so that what is loaded then does not delay it.
pub async fn after_paint() {
    let (done, painted) = oneshot::channel();
    let done = Rc::new(Cell::new(Some(done)));
    let is_done = move || {
        let _ = done.take().map(|done| done.send(()));
    };
    let unpainted = is_done.clone();
    // The callback comes before the paint, a task after it.
    request_animation_frame(move || set_timeout(is_done, Duration::ZERO));
    set_timeout(unpainted, Duration::from_millis(UNPAINTED_MS));
    let _ = painted.await;
}
