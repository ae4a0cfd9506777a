//! Tests with settings and keys from other versions, damaged text and full disks.

use futures::executor::block_on;
use serde_json::{Value, json};
use sidecar_protocol::settings::{Effort, LanguageChoice, Theme};

use super::*;
use crate::testing::Memory;

fn store(memory: &Memory) -> SettingsStore<Memory> {
    block_on(SettingsStore::load(memory.clone()))
}

fn with_settings(settings: &Value) -> (Memory, SettingsStore<Memory>) {
    let memory = Memory::with("settings", &settings.to_string());
    let store = store(&memory);
    (memory, store)
}

fn places(store: &SettingsStore<Memory>) -> Vec<String> {
    store.unread().flat_map(|unread| unread.places).collect()
}

fn save(store: &mut SettingsStore<Memory>, change: impl FnOnce(&mut Settings)) -> Result<(), SaveError> {
    let mut settings = store.settings().clone();
    change(&mut settings);
    block_on(store.save(settings))
}

fn choice(provider: &str, model: &str) -> ModelChoice {
    ModelChoice { provider: provider.to_owned(), model: model.to_owned() }
}

const KIMI: &str = r#"{"kimi":{"key":"sk-kimi","origin":"https://api.moonshot.cn"}}"#;

#[test]
fn mode_of_a_newer_version_is_confirm_and_stays_on_disk() {
    let (memory, mut store) = with_settings(&json!({"mode": "confirm-strict", "provider": "kimi"}));
    assert_eq!((store.settings().mode, store.settings().provider.as_str()), (Mode::Confirm, "kimi"));
    assert_eq!(places(&store), ["mode"]);
    save(&mut store, |settings| settings.theme = Theme::Dark).unwrap();
    let kept = memory.json("settings");
    assert_eq!((&kept["mode"], &kept["theme"]), (&json!("confirm-strict"), &json!("dark")));
    save(&mut store, |settings| settings.mode = Mode::Automatic).unwrap();
    assert_eq!((&memory.json("settings")["mode"], places(&store).len()), (&json!("automatic"), 0));
}

#[test]
fn unreadable_settings_are_safe_and_not_overwritten() {
    for text in ["not JSON", "[1]", "[]", "\"settings\"", r#"{"mode":"confirm""#] {
        let memory = Memory::with("settings", text);
        memory.put("keys", KIMI);
        let mut store = store(&memory);
        assert_eq!(store.settings().mode, Mode::Confirm, "{text}");
        assert!(!store.view(true).ready, "no service that the user did not choose is asked");
        assert_eq!(store.settings().calls_kept, Settings::MOST_CALLS_KEPT);
        let saved = save(&mut store, |settings| settings.theme = Theme::Dark);
        assert_eq!(saved, Err(SaveError::Unread(SavedName::Settings)));
        assert_eq!((store.settings().theme, memory.text("settings").as_str()), (Theme::Dark, text));
        block_on(store.remember_used(choice("kimi", "k")));
        assert_eq!(memory.text("settings"), text);
        block_on(store.give_up_settings()).unwrap();
        assert_eq!((&memory.json("settings")["theme"], store.unread().count()), (&json!("dark"), 0));
        assert_eq!(memory.text("keys"), KIMI);
    }
}

#[test]
fn unknown_values_fall_back_field_by_field() {
    let newer = json!({
        "theme": "sepia", "language": "fr", "temperature": "hot", "maxTokens": -1, "provider": "kimi",
        "limits": {"toolCalls": 1000, "toolSeconds": 20, "pages": 4},
        "providers": {
            "kimi": {"model": "kimi-k3", "effort": "ultra", "region": "eu"},
            "later": {"baseUrl": "https://later.example", "model": "l"},
            "glm": ["another", "shape"],
        },
        "recent": [{"provider": "later", "model": "l"}, {"provider": "kimi", "model": "kimi-k3"}, {"id": 7}],
    });
    let (memory, mut store) = with_settings(&newer);
    let settings = store.settings();
    assert_eq!(
        (settings.mode, settings.theme, settings.language),
        (Mode::Automatic, Theme::System, LanguageChoice::Browser)
    );
    assert_eq!((settings.temperature, settings.max_tokens), (None, None));
    assert_eq!((settings.limits.tool_calls, settings.limits.tool_seconds), (10, 20));
    assert_eq!(
        (settings.providers["kimi"].model.as_str(), settings.providers["kimi"].effort),
        ("kimi-k3", None)
    );
    assert_eq!(settings.recent, [choice("kimi", "kimi-k3")]);
    save(&mut store, |settings| settings.limits.tool_seconds = 30).unwrap();
    save(&mut store, |settings| settings.used(choice("deepseek", "d"))).unwrap();
    let kept = memory.json("settings");
    assert_eq!(kept["recent"][0], json!({"provider": "later", "model": "l"}));
    assert_eq!(
        kept["limits"],
        json!({"toolCalls": 1000, "toolSeconds": 30, "turnSeconds": 60, "resultCharacters": 20_000, "pages": 4})
    );
    assert_eq!(kept["providers"]["kimi"], newer["providers"]["kimi"]);
    for field in ["theme", "language", "temperature", "maxTokens"] {
        assert_eq!(kept[field], newer[field], "{field}");
    }
    assert_eq!(
        (&kept["providers"]["later"], &kept["providers"]["glm"]),
        (&newer["providers"]["later"], &newer["providers"]["glm"])
    );
}

#[test]
fn provider_of_a_newer_version_sends_nothing_until_the_user_chooses() {
    let (memory, mut store) = with_settings(&json!({"provider": "later", "mode": "automatic"}));
    memory.put("keys", KIMI);
    assert_eq!((store.settings().provider.as_str(), store.settings().mode), ("", Mode::Automatic));
    assert!(!store.view(false).ready);
    assert_eq!(store.connection(&store.chosen()), Connection::default());
    save(&mut store, |settings| settings.theme = Theme::Light).unwrap();
    assert_eq!(memory.json("settings")["provider"], "later");
    save(&mut store, |settings| settings.provider = "kimi".to_owned()).unwrap();
    assert_eq!(memory.json("settings")["provider"], "kimi");
}

#[test]
fn calls_kept_of_a_newer_version_removes_none() {
    let (_, store) = with_settings(&json!({"callsKept": 1_000_000}));
    assert_eq!(store.settings().calls_kept, Settings::MOST_CALLS_KEPT);
}

#[test]
fn unreadable_key_leaves_the_other_keys() {
    let memory = Memory::with(
        "keys",
        r#"{"kimi":{"key":"sk-kimi","origin":"https://api.moonshot.cn"},"glm":{"sealed":"x"}}"#,
    );
    let mut store = store(&memory);
    assert_eq!(places(&store), ["glm"]);
    assert_eq!(store.access("kimi").key.as_deref(), Some("sk-kimi"));
    block_on(store.save_key("deepseek", "sk-deep")).unwrap();
    let kept = memory.json("keys");
    assert_eq!(kept["glm"], json!({"sealed": "x"}));
    assert_eq!((&kept["kimi"]["key"], &kept["deepseek"]["key"]), (&json!("sk-kimi"), &json!("sk-deep")));
    block_on(store.save_key("kimi", "")).unwrap();
    assert_eq!(
        (memory.json("keys").get("kimi"), &memory.json("keys")["glm"]),
        (None, &json!({"sealed": "x"}))
    );
    block_on(store.save_key("glm", "sk-glm")).unwrap();
    assert_eq!((&memory.json("keys")["glm"]["key"], store.unread().count()), (&json!("sk-glm"), 0));
}

#[test]
fn unreadable_keys_are_not_overwritten() {
    let memory = Memory::with("keys", "garbage");
    let mut store = store(&memory);
    assert_eq!(block_on(store.save_key("kimi", "sk-kimi")), Err(SaveError::Unread(SavedName::Keys)));
    assert_eq!(
        (store.access("kimi").key.as_deref(), memory.text("keys").as_str()),
        (Some("sk-kimi"), "garbage")
    );
    block_on(store.give_up_keys()).unwrap();
    assert_eq!(memory.json("keys")["kimi"]["key"], "sk-kimi");
}

#[test]
fn settings_out_of_bounds_are_refused_and_change_nothing() {
    let memory = Memory::default();
    let mut store = store(&memory);
    for (change, field) in [
        ((|settings| settings.limits.tool_calls = 0) as fn(&mut Settings), "limits.toolCalls"),
        (|settings| settings.provider = "later".to_owned(), "provider"),
        (|settings| settings.temperature = Some(3.0), "temperature"),
        (|settings| settings.calls_kept = 0, "callsKept"),
        (|settings| settings.recent = vec![choice("later", "l")], "recent"),
        (
            |settings| {
                settings.providers.entry("kimi".to_owned()).or_default().base_url = "ftp://x".to_owned()
            },
            "providers.kimi.baseUrl",
        ),
    ] {
        assert_eq!(save(&mut store, change), Err(SaveError::BadField(field.to_owned())));
    }
    assert_eq!((store.settings(), memory.text("settings").as_str()), (&Settings::default(), ""));
}

#[test]
fn settings_that_storage_refuses_change_nothing() {
    let memory = Memory::default();
    let mut store = store(&memory);
    memory.refuse(true);
    let refused = save(&mut store, |settings| settings.theme = Theme::Dark);
    assert!(matches!(refused, Err(SaveError::Storage(_))), "{refused:?}");
    assert_eq!(store.settings().theme, Theme::System);
    assert!(block_on(store.remember_used(choice("kimi", "k"))), "what was used holds all the same");
    assert!(!block_on(store.remember_used(choice("kimi", "k"))));
}

#[test]
fn key_is_only_for_the_origin_it_was_given_for() {
    let memory = Memory::default();
    let mut store = store(&memory);
    block_on(store.save_key("kimi", " sk-kimi ")).unwrap();
    assert_eq!(store.access("kimi").key.as_deref(), Some("sk-kimi"));
    save(&mut store, |settings| {
        settings.providers.entry("kimi".to_owned()).or_default().base_url =
            "https://proxy.example/v1".to_owned();
    })
    .unwrap();
    assert_eq!(store.access("kimi").key, None);
    assert_eq!(block_on(store.save_key("kimi", "schlüssel")), Err(SaveError::BadField("key".to_owned())));
    let nowhere = SaveError::BadField("providers.custom.baseUrl".to_owned());
    assert_eq!(block_on(store.save_key("custom", "sk-x")), Err(nowhere));
}

#[test]
fn connections_can_be_made_for_any_provider_and_model() {
    let (_, mut store) = with_settings(&json!({
        "provider": "deepseek", "temperature": 0.5, "maxTokens": 900,
        "providers": {
            "kimi": {"model": "kimi-k3", "effort": "low", "prices": {"kimi-k3": {"currency": "¥", "input": 4.0, "output": 16.0}}},
            "custom": {"baseUrl": "http://127.0.0.1:1/v1", "toolsInWords": true},
        },
    }));
    block_on(store.remember_refused(&choice("kimi", "kimi-k3"), "temperature"));
    let kimi = store.connection(&choice("kimi", "kimi-k3"));
    assert_eq!(
        (kimi.endpoint.provider.as_str(), kimi.model.as_str(), kimi.effort),
        ("kimi", "kimi-k3", Some(Effort::Low))
    );
    assert_eq!(
        (kimi.temperature, kimi.max_tokens, kimi.leave_out.clone()),
        (Some(0.5), Some(900), vec!["temperature".to_owned()])
    );
    assert!(kimi.price.is_some() && kimi.window.is_some());
    assert_eq!(store.connection(&choice("kimi", "another")).price, None);
    let custom = store.connection(&choice("custom", "m"));
    assert_eq!(
        (custom.leave_out.clone(), custom.effort, custom.price.clone()),
        (vec![prompted::TOOLS.to_owned()], None, None)
    );
    assert!(block_on(store.remember_tools(&kimi.endpoint, "kimi-k3", true)));
    assert!(block_on(store.remember_window(&custom.endpoint, "m", 4_096)));
    assert_eq!(store.connection(&choice("kimi", "kimi-k3")).takes_tools, Some(true));
    assert_eq!(store.connection(&choice("custom", "m")).window, Some(4_096));
    assert_eq!(store.chosen().provider, "deepseek");
    assert_eq!(store.connection(&choice("later", "l")).endpoint.base_url, "");
}

#[test]
fn model_defaults_to_the_first_of_its_provider() {
    let (_, mut store) = with_settings(&json!({"provider": "kimi"}));
    assert_eq!(store.chosen().model, preset("kimi").unwrap().models[0].id);
    save(&mut store, |settings| {
        settings.providers.entry("kimi".to_owned()).or_default().model = " k ".to_owned()
    })
    .unwrap();
    assert_eq!(store.chosen(), choice("kimi", "k"));
}

#[test]
fn unreadable_facts_are_learned_again() {
    let memory = Memory::with("takesTools", "garbage");
    let mut store = store(&memory);
    let endpoint = store.connection(&choice("kimi", "k")).endpoint;
    assert!(block_on(store.remember_tools(&endpoint, "k", false)));
    assert!(!block_on(store.remember_tools(&endpoint, "k", false)));
    assert_eq!(memory.json("takesTools").as_object().unwrap().len(), 1);
    assert_eq!(store.connection(&choice("kimi", "k")).leave_out, [prompted::TOOLS]);
}
