//! Golden files of stored values. To change one of them is to change a format on disk.

use futures::executor::block_on;
use sidecar_agent::HiddenSites;
use sidecar_llm::Endpoint;
use sidecar_protocol::settings::{ModelChoice, Settings};
use sidecar_protocol::{TabId, WindowId};

use crate::open_threads::OpenThreads;
use crate::pins::Pins;
use crate::queue::WaitingMessages;
use crate::saved::{Persistent, Saved};
use crate::settings::{SavedKeys, SettingsStore};
use crate::testing::{Bell, Memory};
use crate::unfinished::UnfinishedThreads;

/// Checks that a file can be read completely and is written back unchanged.
fn is_kept<T: Persistent + Clone + PartialEq + std::fmt::Debug>(file: &str) -> T {
    let file = file.trim_end();
    let memory = Memory::with(T::KEY, file);
    let mut saved = block_on(Saved::<T, _>::load(memory.clone()));
    assert_eq!(saved.unread(), None);
    let value = saved.value().clone();
    memory.put(T::KEY, "");
    block_on(saved.save(value.clone())).unwrap();
    assert_eq!(memory.text(T::KEY), file);
    assert_ne!(value, T::default(), "the file shows something");
    value
}

#[test]
fn settings_round_trip() {
    let settings = is_kept::<Settings>(include_str!("../fixtures/settings.json"));
    assert_eq!(
        (settings.provider.as_str(), settings.limits.tool_calls, settings.recent.len()),
        ("kimi", 12, 2)
    );
    assert_eq!(settings.providers["kimi"].prices["kimi-k3"].cached, Some(1.0));
}

#[test]
fn default_settings_are_written_as_in_the_golden_file() {
    let memory = Memory::default();
    let mut saved = block_on(Saved::<Settings, _>::load(memory.clone()));
    block_on(saved.save(Settings::default())).unwrap();
    assert_eq!(memory.text(Settings::KEY), include_str!("../fixtures/settings-default.json").trim_end());
}

#[test]
fn keys_round_trip() {
    let keys = is_kept::<SavedKeys>(include_str!("../fixtures/keys.json"));
    assert_eq!(keys.get("kimi", "https://api.moonshot.cn"), Some("sk-kimi"));
}

#[test]
fn queued_messages_round_trip() {
    is_kept::<WaitingMessages>(include_str!("../fixtures/queue.json"));
}

#[test]
fn hidden_sites_round_trip() {
    let sites = is_kept::<HiddenSites>(include_str!("../fixtures/hiddenSites.json"));
    assert!(sites.hides("https://bank.example"));
}

#[test]
fn facts_about_models_round_trip() {
    let files = [
        ("refusedFields", include_str!("../fixtures/refusedFields.json")),
        ("takesTools", include_str!("../fixtures/takesTools.json")),
        ("windows", include_str!("../fixtures/windows.json")),
    ];
    let choice = |model: &str| ModelChoice { provider: "ollama".to_owned(), model: model.to_owned() };
    let endpoint = Endpoint { provider: "ollama".to_owned(), base_url: "http://localhost:11434".to_owned() };
    let written = Memory::default();
    let mut store = block_on(SettingsStore::load(written.clone()));
    block_on(store.remember_refused(&choice("gemma3:1b"), "tools"));
    block_on(store.remember_tools(&endpoint, "gemma3:1b", false));
    block_on(store.remember_tools(&endpoint, "qwen3:8b", true));
    block_on(store.remember_window(&endpoint, "qwen3:8b", 40_960));
    let read = Memory::default();
    for (name, file) in files {
        assert_eq!(written.text(name), file.trim_end(), "{name}");
        read.put(name, file);
    }
    let store = block_on(SettingsStore::load(read));
    let small = store.connection(&choice("gemma3:1b"));
    assert_eq!((small.takes_tools, small.leave_out), (Some(false), vec!["tools".to_owned()]));
    assert_eq!(store.connection(&choice("qwen3:8b")).takes_tools, Some(true));
}

#[test]
fn pinned_tabs_round_trip() {
    let file = include_str!("../fixtures/pinnedTabs.json").trim_end();
    let written = Memory::default();
    let mut pins = block_on(Pins::load(written.clone()));
    block_on(pins.set(Some(&"19a-0001".into()), WindowId(1), TabId(12), true));
    block_on(pins.set(Some(&"19a-0001".into()), WindowId(1), TabId(7), true));
    block_on(pins.set(None, WindowId(3), TabId(9), true));
    assert_eq!(written.text("pinnedTabs"), file);
    let pins = block_on(Pins::load(Memory::with("pinnedTabs", file)));
    assert_eq!(
        (pins.of(Some(&"19a-0001".into()), WindowId(1)), pins.of(None, WindowId(3))),
        (&[TabId(12), TabId(7)][..], &[TabId(9)][..])
    );
}

#[test]
fn open_threads_round_trip() {
    let file = include_str!("../fixtures/openThreads.json").trim_end();
    let written = Memory::default();
    let mut open = block_on(OpenThreads::load(written.clone()));
    block_on(open.open(WindowId(1), Some("19a-0001".into())));
    block_on(open.open(WindowId(3), Some("19a-0002".into())));
    block_on(open.open(WindowId(5), Some("19a-0003".into())));
    block_on(open.leave(&"19a-0003".into()));
    assert_eq!(written.text("openThreads"), file);
    let open = block_on(OpenThreads::load(Memory::with("openThreads", file)));
    assert_eq!((open.of(WindowId(3)), open.of(WindowId(5))), (Some(&"19a-0002".into()), None));
}

#[test]
fn unfinished_threads_round_trip() {
    let file = include_str!("../fixtures/unfinishedThreads.json").trim_end();
    let written = Memory::default();
    let mut list = block_on(UnfinishedThreads::load(written.clone(), Bell::default()));
    block_on(list.add(&"19a-0001".into()));
    block_on(list.add(&"19a-0002".into()));
    assert_eq!(written.text("unfinishedThreads"), file);
    let mut list =
        block_on(UnfinishedThreads::load(Memory::with("unfinishedThreads", file), Bell::default()));
    block_on(list.remove(&"19a-0001".into()));
    assert_eq!(list.all(), ["19a-0002".into()]);
}
