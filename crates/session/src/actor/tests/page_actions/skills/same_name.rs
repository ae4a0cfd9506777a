//! Packages that have the name of a SKILL that is there, and those that are revoked.

use sidecar_protocol::skill::SkillLevel;

use super::*;

fn install_as(level: &str, review: &SkillReview) -> Value {
    json!({"install": {"digest": review.digest, "level": level}})
}

fn is_on(world: &mut ActorWorld, heard: &PanelMessages, tool: &str) -> bool {
    let listed = world.listed(heard, "helper").unwrap();
    listed.tools.iter().find(|listed| listed.name == tool).unwrap().is_on
}

#[test]
fn version_that_is_gone_back_to_is_again_whose_it_was() {
    let (mut world, heard) = on_the_shop();
    let first = world.install(&heard, &package("1.0.0", &read_steps("text")));
    let second = world.review(&heard, &package("1.1.0", &read_steps("markdown")));
    assert_eq!(world.skills(&heard, install_as("own", &second)), Ok(Answer::Done));
    assert!(is_on(&mut world, &heard, "put_in"), "what the user made may act");
    let back = json!({"rollBack": {"id": "helper", "digest": first.digest}});
    assert_eq!(world.skills(&heard, back), Ok(Answer::Done));
    assert_eq!(world.listed(&heard, "helper").unwrap().level, SkillLevel::Imported);
    assert!(!is_on(&mut world, &heard, "put_in"), "what others made does not gain by that");
    let back = json!({"rollBack": {"id": "helper", "digest": second.digest}});
    assert_eq!(world.skills(&heard, back), Ok(Answer::Done));
    assert_eq!(world.listed(&heard, "helper").unwrap().level, SkillLevel::Own);
}

#[test]
fn switch_of_a_tool_ends_when_the_users_own_takes_the_place_of_one_that_ships() {
    let mut world = shipping_skill();
    let tools = |what: &str| {
        let package: Value = serde_json::from_str(&package("1.0.0", &read_steps(what))).unwrap();
        use base64::Engine as _;
        let data = package[1]["data"].as_str().unwrap();
        let text = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        serde_json::from_slice::<sidecar_skills::SkillDefinition>(&text).unwrap()
    };
    let shipped = tools("text");
    for (name, value) in [
        ("index.json", json!([sidecar_skills::offer::indexed(&shipped)])),
        ("helper.tools.json", json!(sidecar_skills::offer::placed(&shipped))),
    ] {
        world.browser.0.skill_files.borrow_mut().insert(name.to_owned(), value.to_string());
    }
    let heard = world.panel();
    assert!(world.listed(&heard, "helper").is_some());
    for tool in ["read_name", "put_in"] {
        let off = json!({"switchTool": {"id": "helper", "tool": tool, "on": false}});
        assert_eq!(world.skills(&heard, off), Ok(Answer::Done));
    }
    let own = world.review(&heard, &package("2.0.0", &read_steps("markdown")));
    assert_eq!(world.skills(&heard, install_as("own", &own)), Ok(Answer::Done));
    assert!(is_on(&mut world, &heard, "read_name"), "the switch was another tool's");
    assert!(!is_on(&mut world, &heard, "put_in"), "it is the same tool as before");
}

#[test]
fn case_43_revoked_package_is_refused_and_one_that_was_installed_before_is_off() {
    let revoked = |versions: &[&str]| json!([{"id": "helper", "versions": versions, "reason": {"en": "It sells what it reads."}, "link": "https://a.example/1"}]);
    let (mut world, heard) = on_the_shop();
    let earlier = world.install(&heard, &package("1.0.0", &read_steps("text")));
    world.install(&heard, &package("1.1.0", &read_steps("markdown")));

    // An update of the extension, with another list, starts another worker.
    let mut world = world.restart();
    let list = revoked(&["1.0.0", "1.2.0"]).to_string();
    world.browser.0.skill_files.borrow_mut().insert("revoked.json".to_owned(), list);
    world.has_documents(page(json!({"conditions": conditions()})));
    let heard = world.panel();
    let package = package("1.2.0", &read_steps("text"));
    let offered = world.skills(&heard, json!({"upload": {"text": package, "more": false}}));
    let Ok(Answer::Skills(SkillsAnswer::Offered { offer: SkillOffer::Refused { problems } })) = offered
    else {
        panic!("{offered:?}")
    };
    assert_eq!((problems[0].code.as_str(), problems[0].is_error), ("revoked", true));
    assert!(problems[0].why.contains("It sells what it reads."));
    assert!(problems[0].way_out.contains("https://a.example/1"));
    assert_ne!(
        world.listed(&heard, "helper").unwrap().state,
        SkillState::Revoked,
        "1.1.0 is not on the list"
    );
    let back = json!({"rollBack": {"id": "helper", "digest": earlier.digest}});
    assert_eq!(world.skills(&heard, back), Ok(Answer::Done));
    let listed = world.listed(&heard, "helper").unwrap();
    assert_eq!((listed.state, listed.detail.as_str()), (SkillState::Revoked, "It sells what it reads."));
    world.tell_tools(&[]);
    assert_eq!(world.offered(), [PAGE_ACCESS], "neither its tools nor its instructions");
}
