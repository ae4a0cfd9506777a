//! The tools of every tab, by document and source.

use std::collections::BTreeMap;

use sidecar_protocol::page::{ToolDescription, caps};
use sidecar_protocol::page_view::{ToolDetails, ToolSummary};
use sidecar_protocol::{DocumentId, FrameId, Source, TabId, ToolRef};

use crate::document::{Document, Listed, replaces};
use crate::tool::{OPAQUE, Place, Tool};
use crate::visible::{visible, visible_json};

/// The tools of one document from one source. A list replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList {
    /// The source of the tools.
    pub source: Source,
    /// At most [`caps::TOOLS`].
    pub tools: Vec<ToolDescription>,
    /// Number of tools in all.
    pub total: usize,
    /// Whether the page or the browser refuses WebMCP in this document.
    pub blocked: bool,
}

/// What a new list changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The tools of the tab changed.
    Tools,
    /// The tab shows another page. The lists of all its frames were dropped and have to be requested again.
    Frames,
}

/// A page that claims more tools has miscounted.
const MOST_TOOLS_CLAIMED: usize = 1_000_000;

/// Maximum bytes of the texts of tools, for the top document of a tab, and for all its frames together: one
/// full list of Chinese text.
const MOST_BYTES: usize = 4 * caps::LIST;

/// Maximum number of listed documents of a tab.
const MOST_DOCUMENTS: usize = 300;

/// The tools of all tabs.
#[derive(Debug, Default)]
pub struct Catalogue {
    documents: BTreeMap<(TabId, FrameId), Document>,
}

impl Catalogue {
    /// Takes a list of a document's tools. It replaces the list of the same source and no other, except
    /// that a page is reached either through native WebMCP or through the polyfill, so those two replace
    /// each other.
    ///
    /// Native WebMCP lists the tools of a document with an opaque origin but does not run them, so such a
    /// document gets no tools.
    ///
    /// A list from a new document of the top frame means that the tab navigated. Frames of the new page may
    /// have reported before its top frame did and cannot be told from frames of the old page, so all frames
    /// are dropped and requested again.
    pub fn update(&mut self, place: &Place, list: ToolList) -> Change {
        let key = (place.tab, place.frame);
        let is_new_page = place.frame == FrameId::TOP
            && self.documents.get(&key).is_none_or(|document| document.id != place.document);
        let others = self.documents.keys().any(|(tab, frame)| *tab == place.tab && *frame != FrameId::TOP);
        let forgets_frames = is_new_page && others;
        if is_new_page {
            self.tab_gone(place.tab);
        }
        if !self.documents.contains_key(&key) && self.documents_of(place.tab).count() >= MOST_DOCUMENTS {
            return Change::None;
        }
        let ToolList { source, tools, total, blocked } = list;
        let (tools, total) = match source {
            Source::Native if place.origin == OPAQUE => (Vec::new(), 0),
            Source::Native
            | Source::Polyfill
            | Source::Skill { .. }
            | Source::Browser
            | Source::Mcp { .. } => (tools, total),
        };
        let mut room = self.room(place, &source);
        let fits = |tool: &ToolDescription| {
            let fits = tool.size() <= room;
            room = room.saturating_sub(tool.size());
            fits
        };
        let tools: Vec<_> =
            tools.into_iter().filter_map(checked).take(caps::TOOLS).take_while(fits).collect();
        let mut tools: Vec<Tool> =
            tools.into_iter().map(|description| Tool::new(place, source.clone(), description)).collect();
        tools.sort_by(|a, b| a.id.name().cmp(b.id.name()));
        tools.dedup_by(|a, b| a.id.name() == b.id.name());
        let listed = Listed { total: total.clamp(tools.len(), MOST_TOOLS_CLAIMED), tools };
        let document = self.documents.get(&key).filter(|document| document.id == place.document);
        let before = document.and_then(|document| document.before(&source));
        let is_same = before == Some((&source, &listed));
        let is_known = |document: &Document| document.blocked == blocked && document.origin == place.origin;
        if is_same && document.is_some_and(is_known) {
            return Change::None;
        }
        let lists = match self.documents.remove(&key) {
            Some(document) if document.id == place.document => document.lists,
            Some(_) | None => BTreeMap::new(),
        };
        let (id, origin) = (place.document.clone(), place.origin.clone());
        let mut document = Document { id, origin, blocked, lists };
        document.lists.retain(|known, _| !replaces(&source, known));
        document.lists.insert(source, listed);
        self.documents.insert(key, document);
        if forgets_frames { Change::Frames } else { Change::Tools }
    }

    /// Maximum bytes that the tools of a document may take. Frames take none of the page's own.
    fn room(&self, place: &Place, source: &Source) -> usize {
        let frames = self.documents.range((place.tab, FrameId(1))..=(place.tab, FrameId(i32::MAX)));
        let others = frames.filter(|((_, frame), _)| place.frame != FrameId::TOP && *frame != place.frame);
        let others: usize = others.map(|(_, document)| document.size_beside(None)).sum();
        let own = self.documents.get(&(place.tab, place.frame)).filter(|own| own.id == place.document);
        MOST_BYTES.saturating_sub(others + own.map_or(0, |own| own.size_beside(Some(source))))
    }

    /// A document went away. Returns whether it was known.
    ///
    /// Frame ids are ignored: the last message of a page that was swapped out comes with another frame id
    /// than its lists.
    pub fn document_gone(&mut self, tab: TabId, document: &DocumentId) -> bool {
        let before = self.documents.len();
        self.documents.retain(|(of, _), known| *of != tab || known.id != *document);
        self.documents.len() != before
    }

    /// A tab was closed or navigated. Returns whether it had anything.
    pub fn tab_gone(&mut self, tab: TabId) -> bool {
        let before = self.documents.len();
        self.documents.retain(|(of, _), _| *of != tab);
        self.documents.len() != before
    }

    /// Whether the tab's top document has reported.
    #[must_use]
    pub fn knows(&self, tab: TabId) -> bool {
        self.documents.contains_key(&(tab, FrameId::TOP))
    }

    /// The tabs from which something has reported; a tab with several documents comes several times.
    pub fn tabs(&self) -> impl Iterator<Item = TabId> {
        self.documents.keys().map(|(tab, _)| *tab)
    }

    /// The tab's top document, once it has reported.
    #[must_use]
    pub fn place(&self, tab: TabId) -> Option<Place> {
        let document = self.documents.get(&(tab, FrameId::TOP))?;
        let (id, origin) = (document.id.clone(), document.origin.clone());
        Some(Place { tab, frame: FrameId::TOP, document: id, origin })
    }

    /// The documents of a tab that have reported, by frame.
    pub fn places(&self, tab: TabId) -> impl Iterator<Item = Place> {
        let documents = self.documents.range((tab, FrameId(i32::MIN))..=(tab, FrameId(i32::MAX)));
        documents.map(|((tab, frame), document)| {
            let (document, origin) = (document.id.clone(), document.origin.clone());
            Place { tab: *tab, frame: *frame, document, origin }
        })
    }

    /// The SKILLs that have tools in the tab's top document.
    #[must_use]
    pub fn skills(&self, tab: TabId) -> Vec<String> {
        let document = self.documents.get(&(tab, FrameId::TOP)).into_iter();
        let sources = document.flat_map(|document| document.lists.iter());
        let skill = |(source, listed): (&Source, &Listed)| match source {
            Source::Skill { skill } if !listed.tools.is_empty() => Some(skill.clone()),
            _ => None,
        };
        sources.filter_map(skill).collect()
    }

    /// Origin of the tab's top document, once it has reported.
    #[must_use]
    pub fn origin(&self, tab: TabId) -> Option<&str> {
        self.documents.get(&(tab, FrameId::TOP)).map(|document| document.origin.as_str())
    }

    /// Whether the tab's top document refuses WebMCP.
    #[must_use]
    pub fn is_blocked(&self, tab: TabId) -> bool {
        self.documents.get(&(tab, FrameId::TOP)).is_some_and(|document| document.blocked)
    }

    /// The tools of a tab, by frame and name. Tools for developers (`debugging`) are left out.
    pub fn tools(&self, tab: TabId) -> impl Iterator<Item = &Tool> {
        self.documents_of(tab)
            .flat_map(Document::tools)
            .filter(|tool| !tool.description.annotations.is_some_and(|hints| hints.debugging))
    }

    /// Number of tools of the tab's pages, listed or not.
    #[must_use]
    pub fn total(&self, tab: TabId) -> usize {
        let debugging = self.documents_of(tab).flat_map(Document::tools).count() - self.tools(tab).count();
        self.documents_of(tab).map(Document::total).sum::<usize>() - debugging
    }

    /// The tool with this reference, if it still exists.
    #[must_use]
    pub fn find(&self, tool: &ToolRef) -> Option<&Tool> {
        let own = tool.page().and_then(|page| self.documents.get(&(page.tab, page.frame)));
        let others = tool.tab().filter(|_| tool.page().is_none()).map(|tab| self.documents_of(tab));
        let documents = own.into_iter().chain(others.into_iter().flatten());
        documents
            .flat_map(|document| document.lists.values())
            .flat_map(|list| &list.tools)
            .find(|known| known.id == *tool)
    }

    /// The tools of a tab as a panel lists them, invisible characters written out. The user's policies are
    /// not known here.
    #[must_use]
    pub fn summaries(&self, tab: TabId) -> Vec<ToolSummary> {
        let frames = self.frame_names(tab);
        let cut = |text: &str| {
            let mut text = visible(text).into_owned();
            if let Some((end, _)) = text.char_indices().nth(ToolSummary::MOST_CHARACTERS) {
                text.truncate(end);
                text.push('…');
            }
            text
        };
        self.tools(tab)
            .map(|tool| ToolSummary {
                tool: tool.id.clone(),
                digest: tool.fingerprint().0.clone(),
                title: cut(&tool.description.title),
                beginning: cut(tool.description.description.trim().lines().next().unwrap_or_default()),
                risk: tool.risk,
                source: tool.source.clone(),
                form: tool.description.form,
                frame: frames.get(&tool.frame).cloned().unwrap_or_default(),
                origin: tool.origin.clone(),
                key: tool.own_key(),
            })
            .collect()
    }

    /// A tool's full definition, and its schema unchanged; `None` if the tool is gone.
    #[must_use]
    pub fn details(&self, tool: &ToolRef) -> Option<(ToolDetails, String)> {
        let tool = &self.find(tool)?.description;
        let schema = tool.input_schema.clone().unwrap_or_default();
        let shown = visible_json(&schema).into_owned();
        let description = visible(&tool.description).into_owned();
        let details = ToolDetails {
            title: tool.title.clone(),
            own_description: (description != tool.description).then(|| tool.description.clone()),
            description,
            own_schema: (shown != schema).then(|| schema.clone()),
            input_schema: shown,
            annotations: tool.annotations,
        };
        Some((details, schema))
    }

    /// Digests of a tab's tools whose name, title or description contains a text, in any case.
    #[must_use]
    pub fn digests_with(&self, tab: TabId, text: &str) -> Vec<String> {
        let wanted = text.trim().to_lowercase();
        let has = |own: &str| own.to_lowercase().contains(&wanted);
        self.tools(tab)
            .filter(|tool| {
                let description = &tool.description;
                has(tool.id.name()) || has(&description.title) || has(&description.description)
            })
            .map(|tool| tool.fingerprint().0.clone())
            .collect()
    }

    /// Names of a tab's frames that have tools: their hosts, numbered where several are equal.
    fn frame_names(&self, tab: TabId) -> BTreeMap<FrameId, String> {
        let mut names = BTreeMap::new();
        let mut hosts = BTreeMap::<String, usize>::new();
        for tool in self.tools(tab).filter(|tool| tool.frame != FrameId::TOP) {
            names.entry(tool.frame).or_insert_with(|| {
                let host = tool.site().to_owned();
                let count = hosts.entry(host.clone()).or_default();
                *count += 1;
                if *count == 1 { host } else { format!("{host} ({count})") }
            });
        }
        names
    }

    fn documents_of(&self, tab: TabId) -> impl Iterator<Item = &Document> {
        self.documents
            .range((tab, FrameId(i32::MIN))..=(tab, FrameId(i32::MAX)))
            .map(|(_, document)| document)
    }
}

/// A description within the caps; `None` if the name is not a valid tool name (WebMCP, "valid tool name").
/// The relay checks the same, but shares a process with the page, so it is checked again.
fn checked(mut tool: ToolDescription) -> Option<ToolDescription> {
    let valid = (1..=128).contains(&tool.name.len())
        && tool.name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    if !valid {
        return None;
    }
    cut(&mut tool.title, caps::TITLE);
    cut(&mut tool.description, caps::DESCRIPTION);
    tool.input_schema = tool.input_schema.filter(|schema| schema.len() <= 4 * caps::SCHEMA);
    Some(tool)
}

/// Cuts a text to so many characters. A text of exactly the maximum was cut by the relay, and is marked as
/// cut.
fn cut(text: &mut String, characters: usize) {
    if let Some((last, _)) = text.char_indices().nth(characters - 1) {
        text.truncate(last);
        text.push('…');
    }
}

#[cfg(test)]
mod tests;
