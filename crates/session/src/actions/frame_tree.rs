//! Which document of a tab is in which, and which of them a user can see.

use std::rc::Rc;

use serde_json::{Value, json};
use sidecar_protocol::{DocumentId, FrameId};

use super::frames::{ActionFrame, TabFrames, ask_each};
use super::link::Lost;
use crate::browser::BrowserPort;

/// The documents of a tab that can be asked, as far as they said in which frames the others are.
pub struct FrameTree<B> {
    /// The top one first.
    documents: Vec<Rc<ActionFrame<B>>>,
    inner: Vec<InnerDocument>,
}

/// A document in a frame of another.
struct InnerDocument {
    above: DocumentId,
    document: DocumentId,
    is_shown: bool,
}

impl<B: BrowserPort> TabFrames<B> {
    /// Asks all documents which frames they have.
    ///
    /// # Errors
    /// The top document is [`Lost::Gone`] or [`Lost::Left`].
    pub async fn tree(&self) -> Result<FrameTree<B>, Lost> {
        let documents = self.all();
        let mut inner = Vec::new();
        if documents.len() > 1 {
            for (frame, said) in
                ask_each(&self.browser, &documents, &json!({"do": "inner"}), 0, |_| false).await
            {
                match said {
                    Ok(said) => inner.extend(self.inner_of(&frame.document, &said)),
                    Err(lost @ (Lost::Gone | Lost::Left)) if frame.frame == FrameId::TOP => return Err(lost),
                    // Nothing is known of its frames.
                    Err(_) => {}
                }
            }
        }
        Ok(FrameTree { documents, inner })
    }

    fn inner_of(&self, above: &DocumentId, said: &Value) -> Vec<InnerDocument> {
        let named = |frame: &Value| {
            let inner = self.with_token(frame["token"].as_str()?)?;
            Some(InnerDocument {
                above: above.clone(),
                document: inner.document.clone(),
                is_shown: frame["isShown"] == true,
            })
        };
        said["frames"].as_array().into_iter().flatten().filter_map(named).collect()
    }
}

impl<B> FrameTree<B> {
    /// The documents but those in hidden frames, the top one first: what is in these counts as not there, as it does in a
    /// snapshot. A document whose frame nobody names does not count as hidden.
    pub fn shown(&self) -> Vec<Rc<ActionFrame<B>>> {
        let hidden = self.inner.iter().filter(|inner| !inner.is_shown).map(|inner| inner.document.clone());
        let hidden = self.with_inner(hidden.collect());
        self.documents.iter().filter(|frame| !hidden.contains(&frame.document)).cloned().collect()
    }

    /// The documents that are lost when another one is left: those in its frames, at any depth.
    pub fn below(&self, document: &DocumentId) -> Vec<Rc<ActionFrame<B>>> {
        let below = self.with_inner(vec![document.clone()]);
        let is_below = |frame: &&Rc<ActionFrame<B>>| below[1..].contains(&frame.document);
        self.documents.iter().filter(is_below).cloned().collect()
    }

    /// These documents, then those in frames of them.
    fn with_inner(&self, mut documents: Vec<DocumentId>) -> Vec<DocumentId> {
        let mut at = 0;
        while at < documents.len() {
            let above = documents[at].clone();
            for inner in self.inner.iter().filter(|inner| inner.above == above) {
                if !documents.contains(&inner.document) {
                    documents.push(inner.document.clone());
                }
            }
            at += 1;
        }
        documents
    }
}
