//! The server: its lifetime and its routes.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, OriginalUri, Path, State};
use axum::http::{HeaderMap, HeaderName, Method};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::app::App;
use crate::fault::Fault;
use crate::journal::{JournalEntry, Until, WaitError};
use crate::scenario::Scenarios;
use crate::service::{ANTHROPIC, DEEPSEEK, GEMINI, OLLAMA, OPENAI, Protocol, SERVICES, Service};
use crate::{control, routes};

/// The key that a server accepts by default. It is valid for scripted servers only.
pub const DEFAULT_KEY: &str = "sk-scripted";

/// Headers that clients of some services send.
const HEADERS: [&str; 7] = [
    "authorization",
    "content-type",
    "accept",
    "x-api-key",
    "x-goog-api-key",
    "anthropic-version",
    "anthropic-dangerous-direct-browser-access",
];

/// Largest body of a request, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// How to start a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The scenarios of its models.
    pub scenarios: Scenarios,
    /// The port on 127.0.0.1; 0 for any free one.
    pub port: u16,
    /// The key that it accepts.
    pub key: String,
}

/// A running server on a thread of its own. Dropping it stops it.
#[derive(Debug)]
pub struct ScriptedModel {
    app: Arc<App>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ServerOptions {
    /// Any free port and the usual key.
    #[must_use]
    pub fn new(scenarios: Scenarios) -> Self {
        Self { scenarios, port: 0, key: DEFAULT_KEY.to_owned() }
    }
}

impl ScriptedModel {
    /// Starts a server; it is listening when this returns.
    ///
    /// # Errors
    /// If the port is in use or no thread can be created.
    pub fn start(options: ServerOptions) -> io::Result<Self> {
        let app = Arc::new(App::new(options.scenarios, options.key));
        let router = router(Arc::clone(&app));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("scripted-model".into()).spawn(move || {
            let listener = listener.tap_io(|stream| {
                // Without it small chunks wait for each other; if it fails, they are only slower.
                let _ = stream.set_nodelay(true);
            });
            runtime.block_on(async {
                tokio::select! {
                    _ = axum::serve(listener, router) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { app, address, stop: Some(stop), thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`, the base URL for a client.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL of a service by name: `deepseek`, `qwen`, `glm`, `kimi`, `minimax`, `doubao`, `openai`,
    /// `anthropic`, `gemini`, `openrouter`, `ollama`, `llama-server`, `lmstudio`, `vllm`.
    #[must_use]
    pub fn base_url(&self, service: &str) -> Option<String> {
        let service = SERVICES.iter().find(|known| known.name == service)?;
        Some(format!("{}/as/{}{}", self.url(), service.name, service.base))
    }

    /// The chat requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<JournalEntry> {
        self.app.journal.entries()
    }

    /// Blocks until a request has reached a phase.
    ///
    /// # Errors
    /// If that takes longer than `most`, or cannot happen any more.
    pub fn wait(&self, number: u32, until: Until, most: Duration) -> Result<JournalEntry, WaitError> {
        self.app.journal.wait_blocking(number, until, most)
    }

    /// Releases the held answer of one request, or all. Returns the numbers of those that were held.
    pub fn release(&self, number: Option<u32>) -> Vec<u32> {
        self.app.release(number)
    }

    /// Adds a fault.
    pub fn fault(&self, fault: Fault) {
        self.app.faults().add(fault);
    }

    /// Changes the accepted key.
    pub fn set_key(&self, key: &str) {
        self.app.set_key(key);
    }

    /// Removes requests, faults and holds, and restores the first key.
    pub fn reset(&self) {
        self.app.reset();
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // A thread that has already ended receives nothing.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn router(app: Arc<App>) -> Router {
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(HEADERS.map(HeaderName::from_static));
    let mut router = Router::new();
    for (base, service) in mounts() {
        router = router.merge(service_routes(&base, service));
    }
    // Two services have their lists at the same address; the headers of one tell which is meant.
    let list = |State(app): State<Arc<App>>, headers: HeaderMap| {
        let is_anthropic = headers.contains_key("anthropic-version");
        routes::models(if is_anthropic { &ANTHROPIC } else { &DEEPSEEK }, app, headers)
    };
    router
        .route("/v1/models", get(list))
        .layer(cors)
        .nest("/__scripted", control::routes())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .fallback(routes::nothing_here)
        .with_state(app)
}

/// The addresses of the services: each at `/as/NAME` plus the path of its base URL. At the root, services
/// whose addresses are unique; Chat Completions there are DeepSeek's.
fn mounts() -> Vec<(String, &'static Service)> {
    let named = SERVICES.iter().map(|service| (format!("/as/{}{}", service.name, service.base), service));
    let at_root = [
        ("", &DEEPSEEK),
        ("/v1", &DEEPSEEK),
        ("/v1", &OPENAI),
        ("/v1", &ANTHROPIC),
        ("/v1beta", &GEMINI),
        ("", &OLLAMA),
    ];
    named.chain(at_root.map(|(base, service)| (base.to_owned(), service))).collect()
}

/// The routes of a service under its base URL.
fn service_routes(base: &str, service: &'static Service) -> Router<Arc<App>> {
    let answer = move |model: Option<Path<String>>,
                       State(app): State<Arc<App>>,
                       OriginalUri(uri): OriginalUri,
                       headers: HeaderMap,
                       body: Bytes| async move {
        let model = model.map(|Path(model)| model).unwrap_or_default();
        match (service.protocol, model.strip_suffix(":streamGenerateContent")) {
            (Protocol::GenerateContent, None) => routes::nothing_here(Method::POST, OriginalUri(uri)).await,
            (_, name) => {
                routes::answer(service, name.unwrap_or_default().to_owned(), app, uri, headers, body).await
            }
        }
    };
    let list = move |State(app): State<Arc<App>>, headers: HeaderMap| routes::models(service, app, headers);
    let (answers, lists) = match service.protocol {
        Protocol::Chat => ("/chat/completions", "/models"),
        Protocol::Responses => ("/responses", "/models"),
        Protocol::Messages => ("/messages", "/models"),
        Protocol::GenerateContent => ("/models/{model}", "/models"),
        Protocol::Ollama => ("/api/chat", "/api/tags"),
    };
    let router = Router::new().route(&format!("{base}{answers}"), post(answer));
    let router = match service.name {
        "llama-server" => {
            router.route(&format!("{}/props", base.trim_end_matches("/v1")), get(routes::props))
        }
        "ollama" => router.route(&format!("{base}/api/show"), post(routes::show)),
        _ => router,
    };
    // Lists with a shared address are handled elsewhere.
    if base == "/v1" { router } else { router.route(&format!("{base}{lists}"), get(list)) }
}
