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
        definition: String::new(),
    }
}

fn list_of(source: Source, tools: Vec<ToolDescription>, total: usize) -> ToolList {
    ToolList { source, tools, total, blocked: false }
}

fn names(catalogue: &Catalogue, tab: i32) -> Vec<String> {
    catalogue.tools(TabId(tab)).map(|tool| tool.id.name().to_owned()).collect()
}

fn put(catalogue: &mut Catalogue, place: &Place, names: &[&str]) -> Change {
    let tools = names.iter().map(|name| described(name)).collect();
    catalogue.update(place, list_of(Source::Polyfill, tools, names.len()))
}

#[test]
fn frames_share_a_room_and_take_none_from_the_page() {
    let mut catalogue = Catalogue::default();
    let big =
        |name: &str| ToolDescription { input_schema: Some("x".repeat(4 * caps::SCHEMA)), ..described(name) };
    let list = || (0..20).map(|number| big(&format!("t{number}"))).collect::<Vec<_>>();
    for frame in 0..4 {
        catalogue.update(&place(1, frame, &format!("d{frame}")), list_of(Source::Polyfill, list(), 20));
    }
    let of = |catalogue: &Catalogue, frame| {
        catalogue.tools(TabId(1)).filter(|tool| tool.frame == FrameId(frame)).count()
    };
    assert_eq!([0, 1, 2, 3].map(|frame| of(&catalogue, frame)), [20, 20, 11, 0]);
    assert_eq!(catalogue.total(TabId(1)), 80);
    catalogue.update(&place(1, 0, "d0"), list_of(Source::Polyfill, list()[..19].to_vec(), 19));
    assert_eq!(of(&catalogue, 0), 19);
}

#[test]
fn page_of_very_many_frames_has_the_first_ones_listed() {
    let mut catalogue = Catalogue::default();
    for frame in 0..1_000 {
        put(&mut catalogue, &place(1, frame, &format!("d{frame}")), &["a"]);
    }
    assert_eq!(catalogue.tools(TabId(1)).count(), MOST_DOCUMENTS);
}

#[test]
fn lists_by_frame_and_name_and_tells_when_something_changed() {
    let mut catalogue = Catalogue::default();
    assert_eq!(put(&mut catalogue, &place(1, 0, "top"), &["b", "a", "a", "not valid", ""]), Change::Tools);
    assert_eq!(put(&mut catalogue, &place(1, 4, "sub"), &["z"]), Change::Tools);
    assert_eq!(put(&mut catalogue, &place(1, 0, "top"), &["a", "b", "a", "not valid", ""]), Change::None);
    assert_eq!(put(&mut catalogue, &place(2, 0, "other"), &["c"]), Change::Tools);
    assert_eq!(names(&catalogue, 1), ["a", "b", "z"]);
    assert_eq!(names(&catalogue, 2), ["c"]);
    let views = catalogue.summaries(TabId(1));
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
    let frames: Vec<_> = catalogue.summaries(TabId(1)).into_iter().map(|view| view.frame).collect();
    assert_eq!(frames, ["", "shop.example", "ads.example", "shop.example (2)"]);
}

#[test]
fn details_come_with_the_schema_as_the_page_gave_it() {
    let mut catalogue = Catalogue::default();
    let odd = "{\"title\": \"a\u{202e}b\"}";
    let tools = vec![
        ToolDescription { input_schema: Some(odd.to_owned()), ..described("a") },
        ToolDescription {
            input_schema: None,
            annotations: Some(ToolAnnotations::default()),
            ..described("b")
        },
    ];
    catalogue.update(&place(1, 0, "top"), list_of(Source::Native, tools, 2));
    let [a, b] = catalogue.summaries(TabId(1)).try_into().unwrap();
    let (details, schema) = catalogue.details(&a.tool).unwrap();
    assert_eq!((schema.as_str(), details.input_schema.contains('\u{202e}')), (odd, false));
    let (other, schema) = catalogue.details(&b.tool).unwrap();
    assert_eq!((schema.as_str(), other.own_description), ("", None));
    assert_eq!((details.annotations, other.annotations), (None, Some(ToolAnnotations::default())));
}

#[test]
fn navigation_takes_the_tools_of_every_old_frame() {
    let mut catalogue = Catalogue::default();
    put(&mut catalogue, &place(1, 0, "old"), &["a"]);
    put(&mut catalogue, &place(1, 4, "sub"), &["b"]);
    let old = catalogue.tools(TabId(1)).next().unwrap().id.clone();
    assert_eq!(put(&mut catalogue, &place(1, 0, "new"), &["a"]), Change::Frames);
    assert_eq!(names(&catalogue, 1), ["a"]);
    assert_eq!(catalogue.find(&old), None, "the same name in another document is another tool");
    // The old document may report late that it goes away. That must not remove the new one's tools.
    assert!(!catalogue.document_gone(TabId(1), &"old".into()));
    assert!(catalogue.knows(TabId(1)));
    assert!(catalogue.document_gone(TabId(1), &"new".into()));
    assert!(!catalogue.knows(TabId(1)));
}

#[test]
fn goodbye_is_known_by_its_document_whatever_frame_it_comes_from() {
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
fn frame_without_an_origin_does_not_pass_for_the_page() {
    let mut catalogue = Catalogue::default();
    let sandboxed = Place { origin: "null".to_owned(), ..place(1, 4, "ad") };
    put(&mut catalogue, &sandboxed, &["a"]);
    assert_eq!(catalogue.summaries(TabId(1))[0].frame, "sandboxed");
}

#[test]
fn tools_of_an_opaque_document_are_left_out_where_native_webmcp_runs_none_of_them() {
    let mut catalogue = Catalogue::default();
    let sandboxed = Place { origin: OPAQUE.to_owned(), ..place(1, 0, "sandboxed") };
    catalogue.update(&sandboxed, list_of(Source::Native, vec![described("a")], 7));
    assert_eq!((catalogue.knows(TabId(1)), catalogue.total(TabId(1))), (true, 0));
    catalogue.update(&sandboxed, list_of(Source::Polyfill, vec![described("a")], 1));
    assert_eq!(names(&catalogue, 1), ["a"]);
    assert!(catalogue.tools(TabId(1)).all(Tool::is_opaque));
}

#[test]
fn counts_what_is_not_listed_and_hides_what_is_for_developers() {
    let mut catalogue = Catalogue::default();
    let mut debug = described("debug");
    debug.annotations = Some(ToolAnnotations { debugging: true, ..ToolAnnotations::default() });
    catalogue.update(&place(1, 0, "top"), list_of(Source::Native, vec![described("a"), debug], 5000));
    assert_eq!(names(&catalogue, 1), ["a"]);
    assert_eq!(catalogue.total(TabId(1)), 4999);
    catalogue.update(&place(1, 0, "top"), list_of(Source::Native, Vec::new(), usize::MAX));
    catalogue.update(&place(1, 4, "sub"), list_of(Source::Native, Vec::new(), usize::MAX));
    assert_eq!(catalogue.total(TabId(1)), 2 * MOST_TOOLS_CLAIMED);
}

#[test]
fn invisible_characters_are_written_out_in_summaries() {
    let mut catalogue = Catalogue::default();
    let mut tool = described("a");
    tool.title = "\u{202e}kcurt".to_owned();
    tool.description = "Lists.\u{200b}".to_owned();
    tool.input_schema = Some(r#"{"title":"\u2066"}"#.to_owned());
    catalogue.update(&place(1, 0, "top"), list_of(Source::Native, vec![tool], 1));
    let summary = &catalogue.summaries(TabId(1))[0];
    assert_eq!((summary.title.as_str(), summary.beginning.as_str()), ("⟨U+202E⟩kcurt", "Lists.⟨U+200B⟩"));
    let (details, _) = catalogue.details(&summary.tool).unwrap();
    assert_eq!(details.description, "Lists.⟨U+200B⟩");
    assert_eq!((details.title.as_str(), details.description()), ("\u{202e}kcurt", "Lists.\u{200b}"));
    assert_eq!(details.input_schema, r#"{"title":"⟨U+2066⟩"}"#);
    assert_eq!(details.schema(), r#"{"title":"\u2066"}"#, "as the page gave it");
}

#[test]
fn summaries_hold_little_of_long_texts_and_a_digest_of_all_of_them() {
    let mut catalogue = Catalogue::default();
    let long = |end: &str| format!("Finds flights.\n{}{end}", "word ".repeat(800));
    let put = |catalogue: &mut Catalogue, end| {
        let tool = ToolDescription { description: long(end), title: "字".repeat(500), ..described("a") };
        catalogue.update(&place(1, 0, "top"), list_of(Source::Native, vec![tool], 1));
        catalogue.summaries(TabId(1)).remove(0)
    };
    let before = put(&mut catalogue, "one");
    let after = put(&mut catalogue, "two");
    assert_eq!((before.beginning.as_str(), before.title.clone()), ("Finds flights.", "字".repeat(200) + "…"));
    assert_eq!(ToolSummary { digest: before.digest.clone(), ..after.clone() }, before);
    assert_ne!(before.digest, after.digest);
    assert_eq!(catalogue.digests_with(TabId(1), " WORD two"), [after.digest.as_str()]);
    assert_eq!(catalogue.digests_with(TabId(1), "word one"), [] as [&str; 0]);
    assert_eq!(catalogue.digests_with(TabId(2), "two"), [] as [&str; 0]);
}

#[test]
fn caps_hold_whatever_a_relay_sends() {
    let mut catalogue = Catalogue::default();
    let mut huge = described("a");
    huge.description = "字".repeat(caps::DESCRIPTION + 5);
    let many = (0..caps::TOOLS + 5).map(|n| described(&format!("t{n}"))).chain([huge]).collect::<Vec<_>>();
    let total = many.len();
    catalogue.update(&place(1, 0, "top"), list_of(Source::Polyfill, many.into_iter().rev().collect(), total));
    assert_eq!(catalogue.tools(TabId(1)).count(), caps::TOOLS);
    assert_eq!(catalogue.total(TabId(1)), total);
    let first = catalogue.tools(TabId(1)).next().unwrap();
    assert_eq!(first.description.description.chars().count(), caps::DESCRIPTION);
    assert!(first.description.description.ends_with("字…"));
}

fn skill() -> Source {
    Source::Skill { skill: "flights-helper".to_owned() }
}

fn sources(catalogue: &Catalogue) -> Vec<(String, Source)> {
    catalogue.tools(TabId(1)).map(|tool| (tool.id.name().to_owned(), tool.source.clone())).collect()
}

#[test]
fn list_replaces_only_the_one_of_its_source() {
    let mut catalogue = Catalogue::default();
    let top = place(1, 0, "top");
    catalogue.update(&top, list_of(Source::Native, vec![described("a")], 1));
    catalogue.update(&top, list_of(skill(), vec![described("b")], 1));
    catalogue.update(&top, list_of(Source::Native, Vec::new(), 0));
    assert_eq!(sources(&catalogue), [("b".to_owned(), skill())]);
    assert_eq!(catalogue.update(&top, list_of(skill(), vec![described("b")], 1)), Change::None);
}

#[test]
fn page_has_one_list_whichever_way_it_is_reached() {
    let mut catalogue = Catalogue::default();
    let top = place(1, 0, "top");
    catalogue.update(&top, list_of(Source::Polyfill, vec![described("a"), described("b")], 2));
    assert_eq!(catalogue.update(&top, list_of(Source::Native, vec![described("a")], 1)), Change::Tools);
    assert_eq!(sources(&catalogue), [("a".to_owned(), Source::Native)]);
    assert_eq!(catalogue.update(&top, list_of(Source::Polyfill, vec![described("a")], 1)), Change::Tools);
    assert_eq!(sources(&catalogue), [("a".to_owned(), Source::Polyfill)]);
}

#[test]
fn tool_of_the_page_comes_before_one_of_the_same_name_from_a_skill() {
    let mut catalogue = Catalogue::default();
    let top = place(1, 0, "top");
    catalogue.update(&top, list_of(skill(), vec![described("a"), described("b")], 2));
    catalogue.update(&top, list_of(Source::Polyfill, vec![described("a")], 1));
    let expected = [("a".to_owned(), Source::Polyfill), ("b".to_owned(), skill())];
    assert_eq!((sources(&catalogue), catalogue.total(TabId(1))), (expected.to_vec(), 2));
    let hidden = ToolRef::Skill { skill: "flights-helper".to_owned(), name: "a".to_owned(), tab: TabId(1) };
    assert_eq!(catalogue.find(&hidden).map(|tool| &tool.source), Some(&skill()));
}

#[test]
fn lists_of_one_document_share_its_room() {
    let mut catalogue = Catalogue::default();
    let big = |name: String| ToolDescription {
        input_schema: Some("x".repeat(4 * caps::SCHEMA)),
        ..described(&name)
    };
    let tools = |count: usize| (0..count).map(|n| big(format!("t{n}"))).collect::<Vec<_>>();
    let top = place(1, 0, "top");
    catalogue.update(&top, list_of(Source::Native, tools(20), 20));
    catalogue.update(&top, list_of(Source::Browser, tools(20), 20));
    let listed = |source: Source| catalogue.documents[&(TabId(1), FrameId::TOP)].lists[&source].tools.len();
    assert_eq!((listed(Source::Native), listed(Source::Browser)), (20, 11));
}
