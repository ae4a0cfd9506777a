//! Saving a SKILL as a file.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use sidecar_protocol::link::{SkillsAnswer, SkillsCommand};
use sidecar_protocol::skill::SkillSummary;
use sidecar_ui::dom::download::download;

use super::SkillsStore;
use super::base64::decode;
use crate::state::library_state::file_name;
use sidecar_link::LinkResponse;

impl SkillsStore {
    /// Saves a SKILL as a zip.
    pub fn export(self, skill: &SkillSummary) {
        let name = zip_name(&skill.id, &skill.version);
        let text = Rc::new(RefCell::new(String::new()));
        self.connection.ask(SkillsCommand::Export { id: skill.id.clone() }, move |response| match response {
            LinkResponse::Answer(SkillsAnswer::Piece { text: piece }) => text.borrow_mut().push_str(&piece),
            LinkResponse::Done => save(&text.take(), &name),
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Answer(_) | LinkResponse::Lost => {}
        });
    }
}

fn save(text: &str, name: &str) {
    let mut bytes = Vec::new();
    if decode(text, &mut bytes).is_some() {
        download(&Array::of1(&Uint8Array::from(bytes.as_slice())), name, "application/zip");
    }
}

/// The name of the file: `name-1.2.0.zip`.
fn zip_name(id: &str, version: &str) -> String {
    // A version is of letters, digits, dots, hyphens and plus signs, unless its author wrote something else.
    let version: Vec<String> = version.split('.').map(file_name).filter(|part| !part.is_empty()).collect();
    let parts = [file_name(id), version.join(".")];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "skill.zip".to_owned() } else { format!("{}.zip", parts.join("-")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zip_is_named_by_id_and_version() {
        for (id, version, name) in [
            ("city-library", "0.1.0", "city-library-0.1.0.zip"),
            ("city-library", "", "city-library.zip"),
            ("城市图书馆", "1.0.0-beta.2", "城市图书馆-1.0.0-beta.2.zip"),
            ("a", "../../x", "a-x.zip"),
            ("", "", "skill.zip"),
        ] {
            assert_eq!(zip_name(id, version), name, "{id} {version}");
        }
    }
}
