//! The pictures in what a tool answers.

use serde::Deserialize;
use serde_json::Value;
use sidecar_protocol::content::Content;
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::ToolRun;

use crate::browser::BrowserPort;

/// The pictures in an outcome, made to fit.
pub(super) async fn pictures_of<B: BrowserPort>(browser: &B, outcome: &ToolOutcome) -> Vec<NewPicture> {
    let ToolOutcome::Ok { content, .. } = outcome else { return Vec::new() };
    let mut images = Vec::new();
    for block in content {
        match block {
            Content::Image { mime_type, data } => {
                images.push(ImageBlock { mime_type: mime_type.clone(), data: data.clone() });
            }
            Content::Text(text) => images.extend(images_in(text)),
            Content::Picture(_) | Content::Structured(_) | Content::Framed(_) => {}
        }
    }
    let mut pictures = Vec::new();
    for ImageBlock { mime_type, data } in images.into_iter().take(ToolRun::MOST_PICTURES) {
        pictures.extend(browser.fit_picture(&mime_type, &data).await);
    }
    pictures
}

/// An image in a result as MCP writes it (content blocks of a tool's result, revision 2025-06-18).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageBlock {
    mime_type: String,
    /// Base64.
    data: String,
}

/// The images in a result of a page: a browser passes it on as JSON text.
fn images_in(text: &str) -> Vec<ImageBlock> {
    if !text.starts_with('{') || !text.contains("\"image\"") {
        return Vec::new();
    }
    let result: Value = serde_json::from_str(text).unwrap_or_default();
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks
        .filter(|block| block["type"] == "image")
        .filter_map(|block| ImageBlock::deserialize(block).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn images_are_those_of_content_blocks_and_nothing_else() {
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AA=="});
        let found = |result: Value| images_in(&result.to_string()).len();
        let text = json!({"type": "text", "text": "image"});
        assert_eq!(found(json!({"content": [text, image, image]})), 2);
        assert_eq!(found(json!({"content": image})), 0);
        assert_eq!(found(json!([image])), 0);
        assert_eq!(found(json!({"content": [{"type": "image", "data": "AA=="}, {"type": "image"}, 7]})), 0);
        assert_eq!(images_in("{\"image\"").len(), 0);
        let [one] = images_in(&json!({"content": [image]}).to_string()).try_into().ok().unwrap();
        assert_eq!((one.mime_type.as_str(), one.data.as_str()), ("image/png", "AA=="));
    }
}
