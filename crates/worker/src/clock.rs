//! Time, from the browser.

use futures::channel::oneshot;
use futures::future::{Either, select};
use futures::pin_mut;
use gloo_timers::future::TimeoutFuture;
use sidecar_protocol::Timestamp;
use sidecar_protocol::settings::Language;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;

/// Period of the extension calls that keep the worker alive during long work, in milliseconds. Chrome stops a
/// worker that has made none for 30 s.
const AWAKE_INTERVAL_MS: u32 = 25_000;

/// Waits.
pub async fn sleep(milliseconds: u64) {
    TimeoutFuture::new(u32::try_from(milliseconds).unwrap_or(u32::MAX)).await;
}

#[wasm_bindgen]
extern "C" {
    /// 122 random bits, as text.
    #[wasm_bindgen(js_namespace = crypto, js_name = randomUUID)]
    pub fn random_uuid() -> String;
}

/// Now.
pub fn now() -> Timestamp {
    js_sys::Date::now() as Timestamp
}

/// Runs work that may take long. The browser does not stop the worker meanwhile.
pub async fn awake<T>(work: impl Future<Output = T>) -> T {
    let signs_of_life = async {
        loop {
            TimeoutFuture::new(AWAKE_INTERVAL_MS).await;
            sidecar_chrome::runtime::stay_awake().await;
        }
    };
    pin_mut!(work, signs_of_life);
    match select(work, signs_of_life).await {
        Either::Left((output, _)) => output,
        Either::Right((never, _)) => never,
    }
}

/// Keeps the worker alive while that is switched on.
#[derive(Debug, Default)]
pub struct Awake(Option<oneshot::Sender<()>>);

impl Awake {
    /// Switches it on or off.
    pub fn keep(&mut self, is_wanted: bool) {
        if is_wanted != self.0.is_some() {
            self.0 = is_wanted.then(|| {
                let (awake, end) = oneshot::channel();
                spawn_local(awake_until(end));
                awake
            });
        }
    }
}

async fn awake_until(end: oneshot::Receiver<()>) {
    let _ = awake(end).await;
}

/// The user's date and weekday, for the model.
pub fn today(language: Language) -> String {
    let date = js_sys::Date::new_0();
    let (year, month, day) = (date.get_full_year(), date.get_month() + 1, date.get_date());
    let weekday = date.get_day() as usize % 7;
    match language {
        Language::English => {
            let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
            format!("{year}-{month:02}-{day:02} ({})", names[weekday])
        }
        Language::Chinese => {
            let names = ["日", "一", "二", "三", "四", "五", "六"];
            format!("{year}-{month:02}-{day:02}（星期{}）", names[weekday])
        }
    }
}
