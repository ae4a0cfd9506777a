//! The tools of one document, by source.

use std::collections::BTreeMap;

use sidecar_protocol::{DocumentId, Source};

use crate::tool::Tool;

#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) id: DocumentId,
    pub(crate) origin: String,
    pub(crate) blocked: bool,
    /// By source, in order of precedence.
    pub(crate) lists: BTreeMap<Source, Listed>,
}

/// The tools of one source.
#[derive(Debug, PartialEq)]
pub(crate) struct Listed {
    /// Number of tools in all.
    pub(crate) total: usize,
    /// By unique name.
    pub(crate) tools: Vec<Tool>,
}

impl Document {
    /// Its tools, by source and name. Of several with one name, the one of the first source.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.lists.iter().flat_map(move |(source, list)| {
            let before: Vec<&Listed> = self.lists.range(..source).map(|(_, list)| list).collect();
            list.tools.iter().filter(move |tool| !before.iter().any(|list| list.has(tool.id.name())))
        })
    }

    /// Number of tools, listed or not.
    pub(crate) fn total(&self) -> usize {
        let hidden: usize = self.lists.values().map(|list| list.total - list.tools.len()).sum();
        self.tools().count() + hidden
    }

    /// Bytes of the texts of its tools, without those that a list of this source would replace.
    pub(crate) fn size_beside(&self, source: Option<&Source>) -> usize {
        let is_replaced = |known: &Source| source.is_some_and(|source| replaces(source, known));
        let lists = self.lists.iter().filter(|(known, _)| !is_replaced(known));
        lists.flat_map(|(_, list)| &list.tools).map(|tool| tool.description.size()).sum()
    }

    /// The list that a list of this source replaces.
    pub(crate) fn before(&self, source: &Source) -> Option<(&Source, &Listed)> {
        self.lists.iter().find(|(known, _)| replaces(source, known))
    }
}

impl Listed {
    fn has(&self, name: &str) -> bool {
        self.tools.binary_search_by(|tool| tool.id.name().cmp(name)).is_ok()
    }
}

/// Whether a list of one source replaces one of another. A page is reached in one way at a time.
pub(crate) fn replaces(source: &Source, known: &Source) -> bool {
    let is_page = |source: &Source| matches!(source, Source::Native | Source::Polyfill);
    source == known || (is_page(source) && is_page(known))
}
