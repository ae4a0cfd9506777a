//! Digests of tool definitions, for comparison with the definition that the user allowed.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sidecar_protocol::page::ToolDescription;

/// A digest of a tool's definition: it changes with name, description, schema and hints. To give two
/// definitions the same fingerprint, a page would have to find a collision.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(
    /// The first 16 bytes of the SHA-256 of the definition's JSON text, in hexadecimal digits.
    pub String,
);

impl Fingerprint {
    /// The fingerprint of a definition.
    #[must_use]
    pub fn of(tool: &ToolDescription) -> Self {
        // Our own types always serialise, with members in a fixed order.
        Self::of_text(&serde_json::to_string(tool).unwrap_or_default())
    }

    /// The fingerprint of a text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        Self(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::page::ToolAnnotations;

    use super::*;

    #[test]
    fn every_part_of_a_definition_counts() {
        let tool = ToolDescription {
            name: "search".to_owned(),
            title: String::new(),
            description: "Searches.".to_owned(),
            input_schema: Some("{}".to_owned()),
            annotations: None,
            form: false,
            definition: String::new(),
        };
        let before = Fingerprint::of(&tool);
        assert_eq!((before.0.len(), &before), (32, &Fingerprint::of(&tool.clone())));
        let does = "another".to_owned();
        let read_only = Some(ToolAnnotations { read_only_hint: true, ..ToolAnnotations::default() });
        for other in [
            ToolDescription { name: "search2".to_owned(), ..tool.clone() },
            ToolDescription { title: "Search".to_owned(), ..tool.clone() },
            ToolDescription { description: "Searches and pays.".to_owned(), ..tool.clone() },
            ToolDescription { input_schema: None, ..tool.clone() },
            ToolDescription { annotations: read_only, ..tool.clone() },
            ToolDescription { definition: does, ..tool.clone() },
        ] {
            assert_ne!(Fingerprint::of(&other), before, "{other:?}");
        }
    }
}
