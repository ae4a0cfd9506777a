//! The tools of every tab, as the relays report them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::link::{Risk, ToolView};
use sidecar_protocol::page::{Backend, ToolDescription, caps};
use sidecar_protocol::{DocumentId, FrameId, TabId};

use crate::address::Address;
use crate::problems::Problems;
use crate::risk;
use crate::visible::{visible, visible_json};

/// Where a message came from, as the browser says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The tab.
    pub tab: TabId,
    /// The frame in it; 0 is the top frame.
    pub frame: FrameId,
    /// The document in the frame.
    pub document: DocumentId,
    /// Origin of the document (`https://flights.example`); `null` for an opaque one, as in a sandboxed frame.
    pub origin: String,
}

/// What a relay's list changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The tools of the tab.
    Tools,
    /// The tab shows another page, and what was known of its frames is gone: they are to be asked again.
    Frames,
}

/// Identity of a tool: a registration in one document. After a navigation the same name is another tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolId {
    /// The tab.
    pub tab: TabId,
    /// The frame in it.
    pub frame: FrameId,
    /// The document in the frame.
    pub document: DocumentId,
    /// As the page registered it.
    pub name: String,
}

/// A tool that can be called now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Names it.
    pub id: ToolId,
    /// Origin of its document.
    pub origin: String,
    /// How it is reached.
    pub backend: Backend,
    /// What the page says about it, within the caps.
    pub description: ToolDescription,
    /// What a call may do, see [`risk::of`].
    pub risk: Risk,
    /// What is wrong with its schema, in words for its developer; empty when nothing is.
    pub schema_problem: String,
}

impl Tool {
    /// Whether its document has an origin of its own that no other document has, as a sandboxed one does.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.origin == OPAQUE
    }

    /// Host (with port) of the page that has it; `sandboxed` for a frame with an opaque origin, which must not pass
    /// for the page around it.
    #[must_use]
    pub fn site(&self) -> &str {
        match Address::of(&self.origin).site() {
            "" => "sandboxed",
            site => site,
        }
    }
}

/// What every opaque origin is called.
const OPAQUE: &str = "null";

/// A page that claims more tools than this has lost count.
const MOST_TOOLS_CLAIMED: usize = 1_000_000;

/// Most bytes of the texts of tools in the top document of a tab, and in all its frames together: one list of Chinese text.
const MOST_BYTES: usize = 4 * caps::LIST;

/// Most documents of a tab that are listed.
const MOST_DOCUMENTS: usize = 300;

/// The tools of all tabs.
#[derive(Debug, Default)]
pub struct Catalogue {
    documents: BTreeMap<(TabId, FrameId), Document>,
}

#[derive(Debug, PartialEq)]
struct Document {
    id: DocumentId,
    origin: String,
    blocked: bool,
    total: usize,
    tools: Vec<Tool>,
}

impl Catalogue {
    /// Takes a relay's list of its document's tools.
    ///
    /// Native WebMCP lists the tools of a document with an opaque origin, and runs none of them: such a document has none.
    ///
    /// A list from a new document of the top frame means that the tab navigated. Frames of the new page may have spoken
    /// before its top did, and cannot be told from those of the old one: all go, and are to be asked again.
    pub fn update(
        &mut self,
        place: &Place,
        backend: Backend,
        tools: Vec<ToolDescription>,
        total: usize,
        blocked: bool,
    ) -> Change {
        let key = (place.tab, place.frame);
        let is_new_page = place.frame == FrameId(0)
            && self.documents.get(&key).is_none_or(|document| document.id != place.document);
        let others = self.documents.keys().any(|(tab, frame)| *tab == place.tab && *frame != FrameId(0));
        let forgets_frames = is_new_page && others;
        if is_new_page {
            self.tab_gone(place.tab);
        }
        let (tools, total) = match backend {
            Backend::Native if place.origin == OPAQUE => (Vec::new(), 0),
            Backend::Native | Backend::Polyfill => (tools, total),
        };
        if !self.documents.contains_key(&key) && self.documents_of(place.tab).count() >= MOST_DOCUMENTS {
            return Change::None;
        }
        let mut room = self.room(place);
        let fits = |tool: &ToolDescription| {
            let fits = tool.size() <= room;
            room = room.saturating_sub(tool.size());
            fits
        };
        let tools: Vec<_> =
            tools.into_iter().filter_map(checked).take(caps::TOOLS).take_while(fits).collect();
        let before = self.documents.get(&key).map(|document| &document.tools).into_iter().flatten();
        let mut problems = Problems::known(before.filter_map(|tool| {
            Some((tool.description.input_schema.as_deref()?, tool.schema_problem.clone()))
        }));
        let schemas = tools.iter().map(|tool| tool.input_schema.as_deref());
        let found: Vec<_> =
            schemas.map(|schema| schema.map(|text| problems.of(text)).unwrap_or_default()).collect();
        let mut tools: Vec<Tool> = tools
            .into_iter()
            .zip(found)
            .map(|(description, schema_problem)| Tool {
                id: ToolId {
                    tab: place.tab,
                    frame: place.frame,
                    document: place.document.clone(),
                    name: description.name.clone(),
                },
                origin: place.origin.clone(),
                backend,
                risk: risk::of(&description),
                description,
                schema_problem,
            })
            .collect();
        tools.sort_by(|a, b| a.id.name.cmp(&b.id.name));
        tools.dedup_by(|a, b| a.id.name == b.id.name);
        let total = total.clamp(tools.len(), MOST_TOOLS_CLAIMED);
        let document =
            Document { id: place.document.clone(), origin: place.origin.clone(), blocked, total, tools };
        if self.documents.get(&key) == Some(&document) {
            return Change::None;
        }
        self.documents.insert(key, document);
        if forgets_frames { Change::Frames } else { Change::Tools }
    }

    /// How many bytes the tools of a document may take. Frames take none from the page around them.
    fn room(&self, place: &Place) -> usize {
        let frames = self.documents.range((place.tab, FrameId(1))..=(place.tab, FrameId(i32::MAX)));
        let others = frames.filter(|((_, frame), _)| place.frame != FrameId(0) && *frame != place.frame);
        let taken: usize =
            others.flat_map(|(_, document)| &document.tools).map(|tool| tool.description.size()).sum();
        MOST_BYTES.saturating_sub(taken)
    }

    /// A document went away. Returns whether it was known.
    ///
    /// The frame is not asked for: the goodbye of a page that was swapped out comes with another frame id than its lists
    /// did.
    pub fn document_gone(&mut self, tab: TabId, document: &DocumentId) -> bool {
        let before = self.documents.len();
        self.documents.retain(|(of, _), known| *of != tab || known.id != *document);
        self.documents.len() != before
    }

    /// A tab was closed, or went to another page. Returns whether it had anything.
    pub fn tab_gone(&mut self, tab: TabId) -> bool {
        let before = self.documents.len();
        self.documents.retain(|(of, _), _| *of != tab);
        self.documents.len() != before
    }

    /// Whether the tab's top document has reported.
    #[must_use]
    pub fn knows(&self, tab: TabId) -> bool {
        self.documents.contains_key(&(tab, FrameId(0)))
    }

    /// The tabs in which something has reported; one with several documents comes several times.
    pub fn tabs(&self) -> impl Iterator<Item = TabId> {
        self.documents.keys().map(|(tab, _)| *tab)
    }

    /// Origin of the tab's top document, once it has reported.
    #[must_use]
    pub fn origin(&self, tab: TabId) -> Option<&str> {
        self.documents.get(&(tab, FrameId(0))).map(|document| document.origin.as_str())
    }

    /// Whether the tab's top document forbids tools.
    #[must_use]
    pub fn is_blocked(&self, tab: TabId) -> bool {
        self.documents.get(&(tab, FrameId(0))).is_some_and(|document| document.blocked)
    }

    /// The tools of a tab, by frame and name. Tools for developers only (`debugging`) are left out.
    pub fn tools(&self, tab: TabId) -> impl Iterator<Item = &Tool> {
        self.documents_of(tab)
            .flat_map(|document| &document.tools)
            .filter(|tool| !tool.description.annotations.is_some_and(|hints| hints.debugging))
    }

    /// How many tools the tab's pages have, listed or not.
    #[must_use]
    pub fn total(&self, tab: TabId) -> usize {
        let hidden: usize =
            self.documents_of(tab).map(|document| document.total - document.tools.len()).sum();
        self.tools(tab).count() + hidden
    }

    /// The tool of that identity, if it is still there.
    #[must_use]
    pub fn find(&self, id: &ToolId) -> Option<&Tool> {
        let document = self.documents.get(&(id.tab, id.frame))?;
        document.tools.iter().find(|tool| tool.id == *id)
    }

    /// The tools of a tab as the panel shows them, up to a size that one message can carry, with what nobody would see
    /// written out. What the user said of them is not known here.
    #[must_use]
    pub fn views(&self, tab: TabId) -> Vec<ToolView> {
        let mut room = caps::LIST;
        let frames = self.frame_names(tab);
        self.tools(tab)
            .take_while(|tool| {
                let size = tool.description.size();
                let fits = size <= room;
                room = room.saturating_sub(size);
                fits
            })
            .map(|tool| ToolView {
                name: tool.id.name.clone(),
                title: visible(&tool.description.title).into_owned(),
                description: visible(&tool.description.description).into_owned(),
                input_schema: visible_json(tool.description.input_schema.as_deref().unwrap_or_default())
                    .into_owned(),
                schema_problem: visible(&tool.schema_problem).into_owned(),
                risk: tool.risk,
                source: tool.backend,
                form: tool.description.form,
                frame: frames.get(&tool.id.frame).cloned().unwrap_or_default(),
                origin: tool.origin.clone(),
                policy: None,
            })
            .collect()
    }

    /// What the frames of a tab are called that have tools: by their host, and numbered where several have the same.
    fn frame_names(&self, tab: TabId) -> BTreeMap<FrameId, String> {
        let mut names = BTreeMap::new();
        let mut hosts = BTreeMap::<String, usize>::new();
        for tool in self.tools(tab).filter(|tool| tool.id.frame != FrameId(0)) {
            names.entry(tool.id.frame).or_insert_with(|| {
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

/// A description within the caps; `None` when the name is not a valid tool name (WebMCP, "valid tool name"). The
/// relay already did this; it is done again because the relay shares a process with the page.
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

/// Holds a text to so many characters. One that is as long as may be was longer before the relay cut it, and says so.
fn cut(text: &mut String, characters: usize) {
    if let Some((last, _)) = text.char_indices().nth(characters - 1) {
        text.truncate(last);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidecar_protocol::page::ToolAnnotations;

    fn place(tab: i32, frame: i32, document: &str) -> Place {
        Place {
            tab: TabId(tab),
            frame: FrameId(frame),
            document: document.into(),
            origin: "https://flights.example".to_owned(),
        }
    }

    fn described(name: &str) -> ToolDescription {
        ToolDescription {
            name: name.to_owned(),
            title: String::new(),
            description: format!("Does {name}."),
            input_schema: Some("{}".to_owned()),
            annotations: None,
            form: false,
        }
    }

    fn names(catalogue: &Catalogue, tab: i32) -> Vec<String> {
        catalogue.tools(TabId(tab)).map(|tool| tool.id.name.clone()).collect()
    }

    fn put(catalogue: &mut Catalogue, place: &Place, names: &[&str]) -> Change {
        let tools = names.iter().map(|name| described(name)).collect();
        catalogue.update(place, Backend::Polyfill, tools, names.len(), false)
    }

    #[test]
    fn frames_share_a_room_and_take_none_from_the_page() {
        let mut catalogue = Catalogue::default();
        let big = |name: &str| ToolDescription {
            input_schema: Some("x".repeat(4 * caps::SCHEMA)),
            ..described(name)
        };
        let list = || (0..20).map(|number| big(&format!("t{number}"))).collect::<Vec<_>>();
        for frame in 0..4 {
            catalogue.update(&place(1, frame, &format!("d{frame}")), Backend::Polyfill, list(), 20, false);
        }
        let of = |catalogue: &Catalogue, frame| {
            catalogue.tools(TabId(1)).filter(|tool| tool.id.frame == FrameId(frame)).count()
        };
        assert_eq!([0, 1, 2, 3].map(|frame| of(&catalogue, frame)), [20, 20, 11, 0]);
        assert_eq!(catalogue.total(TabId(1)), 80);
        catalogue.update(&place(1, 0, "d0"), Backend::Polyfill, list()[..19].to_vec(), 19, false);
        assert_eq!(of(&catalogue, 0), 19);
    }

    #[test]
    fn a_page_of_very_many_frames_has_the_first_ones_listed() {
        let mut catalogue = Catalogue::default();
        for frame in 0..1_000 {
            put(&mut catalogue, &place(1, frame, &format!("d{frame}")), &["a"]);
        }
        assert_eq!(catalogue.tools(TabId(1)).count(), MOST_DOCUMENTS);
    }

    #[test]
    fn lists_by_frame_and_name_and_tells_when_something_changed() {
        let mut catalogue = Catalogue::default();
        assert_eq!(
            put(&mut catalogue, &place(1, 0, "top"), &["b", "a", "a", "not valid", ""]),
            Change::Tools
        );
        assert_eq!(put(&mut catalogue, &place(1, 4, "sub"), &["z"]), Change::Tools);
        assert_eq!(put(&mut catalogue, &place(1, 0, "top"), &["a", "b", "a", "not valid", ""]), Change::None);
        assert_eq!(put(&mut catalogue, &place(2, 0, "other"), &["c"]), Change::Tools);
        assert_eq!(names(&catalogue, 1), ["a", "b", "z"]);
        assert_eq!(names(&catalogue, 2), ["c"]);
        let views = catalogue.views(TabId(1));
        assert_eq!((views[0].frame.as_str(), views[2].frame.as_str()), ("", "flights.example"));
    }

    #[test]
    fn frames_of_one_host_are_told_apart() {
        let mut catalogue = Catalogue::default();
        for frame in 0..4 {
            let host = if frame == 2 { "https://ads.example" } else { "https://shop.example" };
            let place = Place { origin: host.to_owned(), ..place(1, frame, &format!("d{frame}")) };
            put(&mut catalogue, &place, &["pay"]);
        }
        let frames: Vec<_> = catalogue.views(TabId(1)).into_iter().map(|view| view.frame).collect();
        assert_eq!(frames, ["", "shop.example", "ads.example", "shop.example (2)"]);
    }

    #[test]
    fn a_problem_of_a_schema_is_shown_and_blocks_nothing() {
        let mut catalogue = Catalogue::default();
        let mut broken = described("a");
        broken.input_schema = Some(r#"{"properties": {"n": {"minimum": "one"}}}"#.to_owned());
        let tools = vec![broken, described("b"), ToolDescription { input_schema: None, ..described("c") }];
        catalogue.update(&place(1, 0, "top"), Backend::Native, tools.clone(), 3, false);
        let problems = |catalogue: &Catalogue| {
            let views = catalogue.views(TabId(1));
            views.into_iter().map(|view| view.schema_problem).collect::<Vec<_>>()
        };
        let said = "/properties/n/minimum: \"one\" is not of type \"number\"";
        assert_eq!(problems(&catalogue), [said, "", ""]);
        let change = catalogue.update(&place(1, 0, "top"), Backend::Native, tools[..1].to_vec(), 1, false);
        assert_eq!((change, problems(&catalogue)), (Change::Tools, vec![said.to_owned()]));
    }

    #[test]
    fn a_navigation_takes_the_tools_of_every_old_frame() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, &place(1, 0, "old"), &["a"]);
        put(&mut catalogue, &place(1, 4, "sub"), &["b"]);
        let old = catalogue.tools(TabId(1)).next().unwrap().id.clone();
        assert_eq!(put(&mut catalogue, &place(1, 0, "new"), &["a"]), Change::Frames);
        assert_eq!(names(&catalogue, 1), ["a"]);
        assert_eq!(catalogue.find(&old), None, "the same name in another document is another tool");
        // The old document's goodbye may come late and must not take the new one's tools.
        assert!(!catalogue.document_gone(TabId(1), &"old".into()));
        assert!(catalogue.knows(TabId(1)));
        assert!(catalogue.document_gone(TabId(1), &"new".into()));
        assert!(!catalogue.knows(TabId(1)));
    }

    #[test]
    fn a_goodbye_is_known_by_its_document_whatever_frame_it_comes_from() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, &place(1, 0, "top"), &["a"]);
        put(&mut catalogue, &place(1, 4, "sub"), &["b"]);
        assert!(catalogue.document_gone(TabId(1), &"top".into()));
        assert_eq!(names(&catalogue, 1), ["b"]);
        assert!(!catalogue.document_gone(TabId(2), &"sub".into()));
    }

    #[test]
    fn frames_that_spoke_before_their_top_are_to_be_asked_again() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, &place(1, 0, "old"), &["a"]);
        assert_eq!(put(&mut catalogue, &place(1, 7, "new sub"), &["b"]), Change::Tools);
        assert_eq!(put(&mut catalogue, &place(1, 0, "new"), &["c"]), Change::Frames);
        assert_eq!(names(&catalogue, 1), ["c"]);
    }

    #[test]
    fn a_frame_without_an_origin_does_not_pass_for_the_page() {
        let mut catalogue = Catalogue::default();
        let sandboxed = Place { origin: "null".to_owned(), ..place(1, 4, "ad") };
        put(&mut catalogue, &sandboxed, &["a"]);
        assert_eq!(catalogue.views(TabId(1))[0].frame, "sandboxed");
    }

    #[test]
    fn tools_of_an_opaque_document_are_left_out_where_native_webmcp_runs_none_of_them() {
        let mut catalogue = Catalogue::default();
        let sandboxed = Place { origin: OPAQUE.to_owned(), ..place(1, 0, "sandboxed") };
        catalogue.update(&sandboxed, Backend::Native, vec![described("a")], 7, false);
        assert_eq!((catalogue.knows(TabId(1)), catalogue.total(TabId(1))), (true, 0));
        catalogue.update(&sandboxed, Backend::Polyfill, vec![described("a")], 1, false);
        assert_eq!(names(&catalogue, 1), ["a"]);
        assert!(catalogue.tools(TabId(1)).all(Tool::is_opaque));
    }

    #[test]
    fn counts_what_is_not_listed_and_hides_what_is_for_developers() {
        let mut catalogue = Catalogue::default();
        let mut debug = described("debug");
        debug.annotations = Some(ToolAnnotations { debugging: true, ..ToolAnnotations::default() });
        catalogue.update(&place(1, 0, "top"), Backend::Native, vec![described("a"), debug], 5000, false);
        assert_eq!(names(&catalogue, 1), ["a"]);
        assert_eq!(catalogue.total(TabId(1)), 4999);
        catalogue.update(&place(1, 0, "top"), Backend::Native, Vec::new(), usize::MAX, false);
        catalogue.update(&place(1, 4, "sub"), Backend::Native, Vec::new(), usize::MAX, false);
        assert_eq!(catalogue.total(TabId(1)), 2 * MOST_TOOLS_CLAIMED);
    }

    #[test]
    fn what_nobody_would_see_is_shown() {
        let mut catalogue = Catalogue::default();
        let mut tool = described("a");
        tool.title = "\u{202e}kcurt".to_owned();
        tool.description = "Lists.\u{200b}".to_owned();
        tool.input_schema = Some(r#"{"title":"\u2066"}"#.to_owned());
        catalogue.update(&place(1, 0, "top"), Backend::Native, vec![tool], 1, false);
        let view = &catalogue.views(TabId(1))[0];
        assert_eq!((view.title.as_str(), view.description.as_str()), ("⟨U+202E⟩kcurt", "Lists.⟨U+200B⟩"));
        assert_eq!(view.input_schema, r#"{"title":"⟨U+2066⟩"}"#);
    }

    #[test]
    fn caps_hold_whatever_a_relay_sends() {
        let mut catalogue = Catalogue::default();
        let mut huge = described("a");
        huge.description = "字".repeat(caps::DESCRIPTION + 5);
        let many =
            (0..caps::TOOLS + 5).map(|n| described(&format!("t{n}"))).chain([huge]).collect::<Vec<_>>();
        let total = many.len();
        catalogue.update(
            &place(1, 0, "top"),
            Backend::Polyfill,
            many.into_iter().rev().collect(),
            total,
            false,
        );
        assert_eq!(catalogue.tools(TabId(1)).count(), caps::TOOLS);
        assert_eq!(catalogue.total(TabId(1)), total);
        let first = catalogue.tools(TabId(1)).next().unwrap();
        assert_eq!(first.description.description.chars().count(), caps::DESCRIPTION);
        assert!(first.description.description.ends_with("字…"));
    }
}
