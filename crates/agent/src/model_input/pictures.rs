//! The user's pictures as the model is given them. The log says which there are; their bytes are read from the disk
//! when a request is sent.

use sidecar_llm::{ChatRequest, Image, Message};
use sidecar_protocol::picture::Picture;

use crate::ports::Store;

/// Replaces pictures that are left out, or that the model would not see.
pub(crate) const LEFT_OUT: &str = "[A picture of the user was left out of the conversation.]";

/// The message with a picture of the user, or of the result of a call; without its bytes.
pub(crate) fn message(picture: &Picture, call_id: Option<String>) -> Message {
    let &Picture { ref digest, media_type, width, height, size: _ } = picture;
    let image = Image {
        digest: digest.clone(),
        media_type: media_type.name().to_owned(),
        data: String::new(),
        width,
        height,
    };
    Message::Image { call_id, image }
}

/// The request with the bytes of its pictures. Those that are no longer kept, and all of them for a model that does
/// not see, are left out.
pub(crate) async fn filled(mut request: ChatRequest, sees: Option<bool>, store: &impl Store) -> ChatRequest {
    for message in &mut request.messages {
        let Message::Image { call_id, image } = message else { continue };
        let data = if sees == Some(false) { None } else { store.picture(&image.digest).await };
        match data {
            Some(data) => image.data = data,
            None if call_id.is_none() => *message = Message::User { text: LEFT_OUT.to_owned() },
            // The text of the result names it; a message of the user may not stand between results.
            None => {}
        }
    }
    request
        .messages
        .retain(|message| !matches!(message, Message::Image { image, .. } if image.data.is_empty()));
    request
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use sidecar_protocol::picture::PictureType;

    use super::*;
    use crate::testing::MemoryDisk;

    #[test]
    fn pictures_are_read_for_models_that_see_and_left_out_otherwise() {
        let disk = MemoryDisk::default();
        disk.pictures.borrow_mut().insert("here".to_owned(), "QQ==".to_owned());
        let filled = |digest: &str, sees| {
            let picture = Picture {
                digest: digest.to_owned(),
                media_type: PictureType::Png,
                width: 2,
                height: 1,
                size: 1,
            };
            let request = ChatRequest { messages: vec![message(&picture, None)], ..ChatRequest::default() };
            match block_on(filled(request, sees, &disk)).messages.remove(0) {
                Message::Image { image, .. } => Some((image.media_type, image.data)),
                Message::User { text } => {
                    assert_eq!(text, LEFT_OUT);
                    None
                }
                other => panic!("{other:?}"),
            }
        };
        let sent = Some(("image/png".to_owned(), "QQ==".to_owned()));
        assert_eq!((filled("here", None), filled("here", Some(true))), (sent.clone(), sent));
        assert_eq!((filled("here", Some(false)), filled("gone", Some(true))), (None, None));
    }
}
