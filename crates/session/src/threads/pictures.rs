//! Pictures that the user adds to messages: checked, named by their digests and kept beside the log.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use sidecar_agent::{Entry, Store, StoreError, archive};
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
    Some(Picture { digest: digest_of(data), media_type, width, height, size })
}

/// Whether a thread with this log may have these pictures, too.
pub(crate) fn have_room(log: &[Entry], more: &[Picture]) -> bool {
    let all = log.iter().flat_map(archive::pictures).chain(more);
    // The same picture is kept once.
    let sizes: BTreeMap<_, _> = all.map(|picture| (&picture.digest, u64::from(picture.size))).collect();
    more.is_empty() || sizes.values().sum::<u64>() <= Picture::MOST_BYTES_OF_THREAD
}

/// Whether data in base64 is what a digest names.
pub(crate) fn is_named(digest: &str, data: &str) -> bool {
    digest_of(data) == digest
}

pub(crate) fn digest_of(data: &str) -> String {
    Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<S: LogStore + Clone> Threads<S> {
    /// Whether a thread may have these pictures, too.
    pub fn has_room_for(&self, thread: &ThreadId, more: &[Picture]) -> bool {
        let log = self.open.get(thread).map(|open| open.log.entries()).unwrap_or_default();
        have_room(&log, more)
    }

    /// The data of a thread's picture in base64; `None` if it is not kept or cannot be read.
    pub async fn picture(&self, thread: &ThreadId, digest: &str) -> Option<String> {
        match self.open.get(thread) {
            Some(open) => open.log.picture(digest).await,
            None => self.store.picture(thread, digest).await,
        }
    }

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
