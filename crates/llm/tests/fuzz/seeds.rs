//! The inputs that are changed: the project's own streams.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use sidecar_llm::WireProtocol;
use sidecar_llm::replay::{Expectations, protocol};

/// One of the streams under `fixtures/`.
#[derive(Debug, Clone)]
pub struct Seed {
    pub protocol: WireProtocol,
    pub http_status: u16,
    pub body: Vec<u8>,
}

static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let fixtures = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("fixtures");
    let mut folders: Vec<_> = fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let seeds = folders.into_iter().flat_map(|folder| {
        let text = fs::read_to_string(folder.join("expected.json")).unwrap();
        let items = serde_json::from_str::<Expectations>(&text).unwrap().items;
        items.into_iter().map(move |item| Seed {
            protocol: protocol(&item.protocol).unwrap(),
            http_status: item.http_status,
            body: fs::read(folder.join(item.file)).unwrap(),
        })
    });
    seeds.collect()
});

/// The streams of a protocol.
pub fn streams(protocol: WireProtocol) -> Vec<Seed> {
    SEEDS.iter().filter(|seed| seed.protocol == protocol && seed.http_status == 200).cloned().collect()
}

/// Error bodies, and streams that contain an error.
pub fn error_bodies() -> Vec<Seed> {
    let has_error = |seed: &&Seed| String::from_utf8_lossy(&seed.body).contains("error");
    SEEDS.iter().filter(has_error).cloned().collect()
}
