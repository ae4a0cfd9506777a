//! Pictures that the user adds to messages: checked, named by their digests and kept beside the log.

use sha2::{Digest, Sha256};
use sidecar_agent::StoreError;
use sidecar_protocol::ThreadId;
use sidecar_protocol::picture::{NewPicture, Picture};

use super::{LogStore, Threads};

/// The pictures as the log names them; `None` if there are too many, one is too large, or one is not what it says.
pub(crate) fn named(pictures: &[NewPicture]) -> Option<Vec<Picture>> {
    let named: Option<Vec<_>> = pictures.iter().map(name).collect();
    named.filter(|pictures| Picture::are_sound(pictures))
}

fn name(picture: &NewPicture) -> Option<Picture> {
    let &NewPicture { media_type, width, height, ref data } = picture;
    let size = picture.size()?;
    let digest = Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Picture { digest, media_type, width, height, size })
}

impl<S: LogStore + Clone> Threads<S> {
    /// Keeps the data of pictures, named as they are in the log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn keep_pictures(
        &self,
        thread: &ThreadId,
        names: &[Picture],
        pictures: Vec<NewPicture>,
    ) -> Result<(), StoreError> {
        let data = names.iter().zip(pictures).map(|(name, new)| (name.digest.clone(), new.data)).collect();
        match self.open.get(thread) {
            Some(open) if thread.is_temporary() => open.log.remember_pictures(data),
            _ => self.store.keep_pictures(thread, data).await?,
        }
        Ok(())
    }
}
