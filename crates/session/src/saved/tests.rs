//! Tests of what reading and saving keep.

use std::collections::BTreeMap;

use futures::executor::block_on;
use serde::Deserialize;
use serde_json::json;
use sidecar_protocol::error::StorageTrouble;

use super::*;
use crate::testing::Memory;

/// A value with everything that saved values have: members with defaults, a map, a list, bounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Garden {
    season: Season,
    beds: BTreeMap<String, Bed>,
    visitors: Vec<Visitor>,
    size: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Season {
    #[default]
    Spring,
    Summer,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Bed {
    plant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    season: Option<Season>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Visitor {
    name: String,
}

impl Persistent for Garden {
    const NAME: SavedName = SavedName::Settings;
    const KEY: &'static str = "garden";

    fn is_sound(&self) -> bool {
        self.size.is_none_or(|size| size <= 10)
    }

    fn fall_back(&mut self, unread: &UnreadParts) {
        if unread.has("season") {
            self.season = Season::Summer;
        }
    }
}

fn load(text: &str) -> (Memory, Saved<Garden, Memory>) {
    let memory = Memory::with("garden", text);
    (memory.clone(), block_on(Saved::load(memory)))
}

fn places(saved: &Saved<Garden, Memory>) -> Vec<String> {
    saved.unread().map(|unread| unread.places).unwrap_or_default()
}

fn save(saved: &mut Saved<Garden, Memory>, change: impl FnOnce(&mut Garden)) {
    let mut garden = saved.value().clone();
    change(&mut garden);
    block_on(saved.save(garden)).unwrap();
}

#[test]
fn value_is_the_default_when_nothing_is_saved() {
    let memory = Memory::default();
    let mut saved = block_on(Saved::<Garden, _>::load(memory.clone()));
    assert_eq!((saved.value(), saved.unread()), (&Garden::default(), None));
    save(&mut saved, |garden| garden.size = Some(3));
    assert_eq!(memory.text("garden"), r#"{"season":"spring","beds":{},"visitors":[],"size":3}"#);
}

#[test]
fn unknown_variant_falls_back_and_stays_on_disk() {
    let (memory, mut saved) = load(r#"{"season":"monsoon","size":2}"#);
    assert_eq!(saved.value().season, Season::Summer, "what is safe, not what is usual");
    assert_eq!(places(&saved), ["season"]);
    save(&mut saved, |garden| garden.size = Some(4));
    assert_eq!(memory.json("garden")["season"], "monsoon");
    assert_eq!(memory.json("garden")["size"], 4);
    assert_eq!(places(&saved), ["season"]);
}

#[test]
fn unreadable_part_is_replaced_when_the_user_changes_it() {
    let (memory, mut saved) = load(r#"{"season":"monsoon"}"#);
    save(&mut saved, |garden| garden.season = Season::Spring);
    assert_eq!((memory.json("garden")["season"].clone(), saved.unread()), (json!("spring"), None));
}

#[test]
fn unknown_member_stays_on_disk() {
    let (memory, mut saved) = load(r#"{"beds":{"a":{"plant":"pea","depth":3}},"fence":true}"#);
    assert_eq!(saved.unread(), None);
    save(&mut saved, |garden| garden.beds.get_mut("a").unwrap().plant = "bean".to_owned());
    save(&mut saved, |garden| garden.size = Some(1));
    let kept = memory.json("garden");
    assert_eq!((&kept["fence"], &kept["beds"]["a"]), (&json!(true), &json!({"plant": "bean", "depth": 3})));
}

#[test]
fn unreadable_map_entry_leaves_the_others() {
    let (memory, mut saved) =
        load(r#"{"beds":{"a":{"plant":"pea"},"b":7,"c":{"plant":"kale","season":"dry"}}}"#);
    assert_eq!(saved.value().beds.keys().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(
        (saved.value().beds["c"].plant.as_str(), places(&saved)),
        ("kale", vec!["beds.b".to_owned(), "beds.c.season".to_owned()])
    );
    save(&mut saved, |garden| {
        garden.beds.remove("a");
        garden.beds.insert("d".to_owned(), Bed::default());
    });
    let kept = memory.json("garden");
    assert_eq!(kept["beds"]["b"], 7);
    assert_eq!(kept["beds"]["c"], json!({"plant": "kale", "season": "dry"}));
    assert_eq!((kept["beds"].get("a"), kept["beds"]["d"]["plant"].clone()), (None, json!("")));
    save(&mut saved, |garden| drop(garden.beds.insert("b".to_owned(), Bed::default())));
    assert_eq!(places(&saved), ["beds.c.season"], "what was written now can be read");
}

#[test]
fn unreadable_element_stays_behind_the_one_before_it() {
    let text = r#"{"visitors":[{"nick":"x"},{"name":"ann"},{"nick":"y"},{"name":"bob"}]}"#;
    let visitor = |name: &str| Visitor { name: name.to_owned() };
    let kept_after = |visitors: &[&str]| {
        let (memory, mut saved) = load(text);
        assert_eq!(saved.value().visitors, [visitor("ann"), visitor("bob")]);
        save(&mut saved, |garden| garden.visitors = visitors.iter().map(|name| visitor(name)).collect());
        let kept = memory.json("garden")["visitors"].clone();
        let name =
            |kept: &Value| kept.get("name").or(kept.get("nick")).and_then(Value::as_str).unwrap().to_owned();
        kept.as_array().unwrap().iter().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kept_after(&["ann", "bob", "cy"]), "x ann y bob cy");
    assert_eq!(kept_after(&["bob"]), "x y bob");
    assert_eq!(kept_after(&["ann"]), "x ann y");
    assert_eq!(kept_after(&["cy", "bob", "ann"]), "x cy bob ann y");
    assert_eq!(kept_after(&[]), "x y");
}

#[test]
fn removing_an_equal_element_keeps_unreadable_ones() {
    let (memory, mut saved) = load(r#"{"visitors":[{"name":"ann"},1,{"name":"ann"},2]}"#);
    save(&mut saved, |garden| drop(garden.visitors.pop()));
    assert_eq!(memory.json("garden")["visitors"], json!([{"name": "ann"}, 1, 2]));
}

#[test]
fn part_out_of_bounds_counts_as_unreadable() {
    let (memory, mut saved) = load(r#"{"size":11,"season":"spring"}"#);
    assert_eq!((saved.value().size, places(&saved)), (None, vec!["size".to_owned()]));
    save(&mut saved, |garden| garden.season = Season::Summer);
    assert_eq!(memory.json("garden"), json!({"beds": {}, "season": "summer", "size": 11, "visitors": []}));
}

#[test]
fn unreadable_text_is_never_overwritten() {
    for text in ["", "not JSON", "[]", "null", "7", r#"{"season":"#] {
        let (memory, mut saved) = load(text);
        let unread = saved.unread().unwrap();
        assert_eq!((unread.is_whole, unread.places.len()), (true, 0), "{text}");
        assert_eq!(saved.value().season, Season::Summer);
        let garden = Garden { size: Some(1), ..saved.value().clone() };
        assert_eq!(block_on(saved.save(garden.clone())), Err(NotSaved::Unread));
        assert_eq!(saved.value().size, None);
        saved.hold(garden);
        assert_eq!((saved.value().size, memory.text("garden").as_str()), (Some(1), text));
        block_on(saved.give_up_unread()).unwrap();
        assert_eq!((memory.json("garden")["size"].clone(), saved.unread()), (json!(1), None));
        save(&mut saved, |garden| garden.size = Some(2));
        assert_eq!(memory.json("garden")["size"], 2);
    }
}

#[test]
fn storage_that_cannot_be_read_is_not_written_to() {
    let memory = Memory::with("garden", r#"{"size":3}"#);
    memory.refuse(true);
    let mut saved = block_on(Saved::<Garden, _>::load(memory.clone()));
    memory.refuse(false);
    assert!(saved.unread().unwrap().is_whole);
    assert_eq!(block_on(saved.save(Garden::default())), Err(NotSaved::Unread));
    assert_eq!(memory.text("garden"), r#"{"size":3}"#);
}

#[test]
fn discarding_drops_unreadable_parts_and_keeps_the_rest() {
    let (memory, mut saved) = load(r#"{"season":"monsoon","beds":{"a":{"plant":"pea"},"b":7}}"#);
    block_on(saved.give_up_unread()).unwrap();
    assert_eq!(saved.unread(), None);
    let beds = json!({"a": {"plant": "pea"}});
    assert_eq!(
        memory.json("garden"),
        json!({"season": "summer", "beds": beds, "visitors": [], "size": null})
    );
}

#[test]
fn refusal_of_storage_leaves_the_value_and_the_text() {
    let (memory, mut saved) = load(r#"{"season":"monsoon"}"#);
    memory.refuse(true);
    let full = StoreError::new(StorageTrouble::Full, "quota exceeded");
    assert_eq!(block_on(saved.save(Garden::default())), Err(NotSaved::Refused(full.clone())));
    assert_eq!(block_on(saved.give_up_unread()), Err(full));
    assert_eq!((saved.value().season, places(&saved).len()), (Season::Summer, 1));
    memory.refuse(false);
    save(&mut saved, |garden| garden.size = Some(1));
    assert_eq!(memory.json("garden")["season"], "monsoon");
}

#[test]
fn held_value_is_saved_by_the_next_save() {
    let (memory, mut saved) = load("{}");
    let mut garden = Garden { size: Some(5), ..Garden::default() };
    saved.hold(garden.clone());
    garden.season = Season::Summer;
    block_on(saved.save(garden)).unwrap();
    assert_eq!(
        (&memory.json("garden")["size"], &memory.json("garden")["season"]),
        (&json!(5), &json!("summer"))
    );
}

#[test]
fn unread_places_are_limited_in_number_and_length() {
    let visitors = json!({"visitors": vec![0; 50], "beds": {"x".repeat(200): 1}});
    let (_, saved) = load(&visitors.to_string());
    let unread = saved.unread().unwrap();
    assert_eq!(unread.places.len(), UnreadValue::MOST_PLACES);
    assert!(unread.places.iter().all(|place| place.chars().count() <= UnreadValue::MOST_OF_PLACE));
}
