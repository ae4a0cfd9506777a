use proptest::prelude::*;
use serde_json::{Value, json};
use sidecar_protocol::settings::Language;
use sidecar_schema::Validators;

use super::*;
use crate::field::BranchLabel;
use crate::plan::plan;
use crate::reason::RawReason;
use crate::testing::{any_arguments, any_schema, arguments, schemas, wild_schema};

fn new(schema: Value) -> FormState {
    FormState::new(&plan(&schema))
}

fn load(schema: Value, text: &str) -> FormState {
    FormState::load(&plan(&schema), text)
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn sent(form: &FormState) -> String {
    form.emit().unwrap()
}

/// Pointers and reasons of what blocks.
fn blocked(form: &FormState) -> Vec<(String, BlockReason)> {
    let blocks = form.emit().unwrap_err();
    for block in &blocks {
        for language in [Language::English, Language::Chinese] {
            assert!(!block.reason.sentence(language).contains('{'));
        }
        assert_eq!(form.pointer(block.id).as_ref(), Some(&block.pointer));
    }
    blocks.into_iter().map(|block| (block.pointer, block.reason)).collect()
}

fn at(form: &FormState, pointer: &str) -> FieldId {
    let id = form.at(pointer);
    assert_eq!(form.pointer(id).as_deref(), Some(pointer), "no such field");
    id
}

/// What was loaded is emitted, also after the schema came again, and no field is used twice.
fn comes_back(schema: &Value, text: &str) -> Result<(), String> {
    let plan = plan(schema);
    let mut form = FormState::load(&plan, text);
    let is = |form: &FormState, when: &str| match form.emit_anyway() {
        Ok(emitted) if emitted == text => Ok(()),
        other => Err(format!("{when}: {schema}\n{text}\n{other:?}")),
    };
    is(&form, "loaded")?;
    form.reconcile(&plan);
    is(&form, "again")?;
    if form.raw() != text {
        return Err(format!("raw: {}", form.raw()));
    }
    // The raw view of a form that was touched reads as the same form.
    form.text = None;
    let raw = form.raw();
    form.set_raw(&raw);
    form.read(&raw);
    is(&form, "from raw")
}

#[test]
fn inspector_case_30_what_is_loaded_is_emitted() {
    for schema in schemas() {
        for text in arguments() {
            comes_back(&schema, &text).unwrap();
        }
    }
}

/// A value that fits its schema is emitted without a word. Says whether this one fits.
fn is_silent(schema: &Value, text: &str) -> Result<bool, String> {
    let written = schema.to_string();
    let fits = sidecar_schema::problem(&written).is_none()
        && serde_json::from_str::<Value>(text).is_ok()
        && Validators::default().mistake(&written, text).is_none();
    match FormState::load(&plan(schema), text).emit() {
        Err(blocks) if fits => Err(format!("{schema}\n{text}\n{blocks:?}")),
        Ok(_) | Err(_) => Ok(fits),
    }
}

#[test]
fn inspector_case_31_a_value_that_fits_blocks_nothing() {
    let mut fitting = 0;
    for schema in schemas() {
        for text in arguments() {
            fitting += usize::from(is_silent(&schema, &text).unwrap());
        }
    }
    assert!(fitting > 1_000, "only {fitting} values fit");
}

#[test]
fn inspector_case_32_each_keyword_alone_and_recursion_ends() {
    for schema in schemas() {
        let form = FormState::new(&plan(&schema));
        assert!(form.root.count() <= 40, "{schema}");
        let _ = form.emit();
        let filled = crate::example::example(&schema, crate::example::Fill::All);
        comes_back(&schema, &filled.text).unwrap();
        is_silent(&schema, &filled.text).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn inspector_case_30_any_object_comes_back_under_any_schema(schema in any_schema(), text in any_arguments()) {
        let back = comes_back(&schema, &text);
        prop_assert!(back.is_ok(), "{}", back.unwrap_err());
    }

    #[test]
    fn inspector_case_31_any_value_that_fits_blocks_nothing(schema in any_schema(), text in any_arguments()) {
        let silent = is_silent(&schema, &text);
        prop_assert!(silent.is_ok(), "{}", silent.unwrap_err());
        let filled = crate::example::example(&schema, crate::example::Fill::All);
        let silent = is_silent(&schema, &filled.text);
        prop_assert!(silent.is_ok(), "{}", silent.unwrap_err());
    }

    #[test]
    fn inspector_case_31_what_is_no_schema_is_survived(schema in wild_schema(), text in any_arguments()) {
        let back = comes_back(&schema, &text);
        prop_assert!(back.is_ok(), "{}", back.unwrap_err());
        let silent = is_silent(&schema, &text);
        prop_assert!(silent.is_ok(), "{}", silent.unwrap_err());
        let form = FormState::new(&plan(&schema));
        prop_assert!(form.root.count() <= FIELDS);
        prop_assert!(crate::sets::sets(&schema).len() <= 16);
    }

    #[test]
    fn any_edit_of_any_form_is_done_or_refused(
        schema in any_schema(), other in any_schema(), text in any_arguments(), steps in prop::collection::vec((0_usize..40, 0_usize..16), 1..12),
    ) {
        let mut form = FormState::load(&plan(&schema), &text);
        for (field, action) in steps {
            let mut ids = Vec::new();
            collect(form.root(), &mut ids);
            let id = ids[field % ids.len()];
            match action {
                0 => { form.set_text(id, "1."); }
                1 => { form.set_text(id, "text"); }
                2 => { form.set_null(id); }
                3 => { form.unset(id); }
                4 => { form.set_empty(id); }
                5 => { form.add_row(id); }
                6 => { form.remove(id); }
                7 => { form.move_row(id, field % 3); }
                8 => { form.duplicate_row(id); }
                9 => { form.add_key(id, "a"); }
                10 => { form.rename_key(id, "b"); }
                11 => { form.use_default(id); }
                12 => { form.set_choice(id, field % 3); form.set_switch(id, true); form.toggle_check(id, 0); }
                13 => { form.paste_lines(id, "x\n\n1"); }
                14 => {
                    let picker = form.get(id).unwrap().field.pickers.first().map(|picker| picker.at.clone());
                    if let Some(at) = picker { form.pick(id, &at, field % 3); }
                }
                _ => form.reconcile(&plan(&other)),
            }
            if let Ok(emitted) = form.emit_anyway() {
                prop_assert!(serde_json::from_str::<Value>(&emitted).is_ok() || emitted.contains("E+400"));
            }
            let raw = form.raw();
            let kept = form.clone();
            form.set_raw(&raw);
            prop_assert_eq!(form.root(), kept.root());
        }
        let mut ids = Vec::new();
        collect(form.root(), &mut ids);
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), count);
    }
}

fn collect(node: &FormNode, ids: &mut Vec<FieldId>) {
    ids.push(node.id);
    node.children().into_iter().for_each(|(_, child)| collect(child, ids));
}

#[test]
fn inspector_case_34_untouched_is_absent_and_emptied_is_empty() {
    let schema = object(json!({
        "text": {"type": "string"}, "is": {"type": "boolean"}, "list": {"type": "array", "items": {"type": "string"}},
        "group": {"type": "object", "properties": {"in": {"type": "string"}}},
    }));
    let mut form = new(schema);
    assert_eq!(sent(&form), "{}");
    let (text, is, list) = (at(&form, "/text"), at(&form, "/is"), at(&form, "/list"));
    form.set_text(text, "a");
    form.set_text(text, "");
    let row = form.add_row(list).unwrap();
    assert_eq!(blocked(&form), [("/list/0".to_owned(), BlockReason::Gap)]);
    form.remove(row);
    form.set_switch(is, false);
    assert_eq!(sent(&form), r#"{"text":"","is":false,"list":[]}"#);
    for id in [text, is, list] {
        assert!(form.unset(id));
    }
    assert_eq!(sent(&form), "{}");
    let within = at(&form, "/group/in");
    form.set_text(within, "x");
    assert_eq!(sent(&form), r#"{"group":{"in":"x"}}"#);
    form.unset(within);
    assert_eq!(sent(&form), "{}", "an empty parent is not sent");
    let group = at(&form, "/group");
    form.set_empty(group);
    assert_eq!(sent(&form), r#"{"group":{}}"#);
}

#[test]
fn inspector_case_34_required_ones_are_there_or_missed() {
    let schema = json!({"type": "object", "required": ["s", "o", "l", "c", "m"], "properties": {
        "s": {"type": "string"}, "o": {"type": "object"}, "l": {"type": "array", "items": {"type": "integer"}},
        "c": {"const": 5}, "m": {"type": "array", "items": {"type": "string"}, "minItems": 2}, "k": {"const": 6}}});
    let form = new(schema.clone());
    assert_eq!(form.emit_anyway().unwrap_err().len(), 2, "two rows are empty");
    assert_eq!(blocked(&form)[0], ("/s".to_owned(), BlockReason::Missing));
    let mut form = form;
    for pointer in ["/s", "/m/0", "/m/1"] {
        let id = at(&form, pointer);
        form.set_text(id, "");
    }
    assert_eq!(sent(&form), r#"{"s":"","o":{},"l":[],"c":5,"m":["",""]}"#);
    let constant = at(&form, "/k");
    form.set_choice(constant, 0);
    assert!(sent(&form).ends_with(r#","k":6}"#));
}

#[test]
fn inspector_case_35_unset_null_and_empty_are_three() {
    for schema in [
        json!({"type": ["string", "null"], "default": null}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}),
        json!({"type": "string", "nullable": true, "default": null}),
    ] {
        let mut form = new(object(json!({"p": schema})));
        let id = at(&form, "/p");
        assert!(form.get(id).unwrap().field.is_nullable);
        assert_eq!(sent(&form), "{}");
        form.set_null(id);
        assert_eq!(sent(&form), r#"{"p":null}"#);
        form.set_text(id, "");
        assert_eq!(sent(&form), r#"{"p":""}"#);
        form.unset(id);
        form.use_default(id);
        assert_eq!(sent(&form), r#"{"p":null}"#);
    }
}

#[test]
fn inspector_case_36_drafts_block_and_digits_are_kept() {
    let mut form = new(object(json!({"n": {"type": "number"}, "i": {"type": "integer"}, "any": {}})));
    let (n, i, any) = (at(&form, "/n"), at(&form, "/i"), at(&form, "/any"));
    for draft in ["1.", "-", "1,5", ".5", "NaN"] {
        form.set_text(n, draft);
        assert_eq!(blocked(&form), [("/n".to_owned(), BlockReason::NoNumber)], "{draft}");
        assert!(form.emit_anyway().is_err());
    }
    form.set_text(n, "1e3");
    form.set_text(i, "9007199254740993");
    form.set_text(any, "[1, {\"a\": 0.10}]");
    assert_eq!(sent(&form), r#"{"n":1e3,"i":9007199254740993,"any":[1,{"a":0.10}]}"#);
    let warnings = form.warnings();
    assert_eq!(warnings.iter().map(|warning| warning.pointer.as_str()).collect::<Vec<_>>(), ["/i"]);
    assert!(warnings[0].sentence(Language::English).contains("round"));
    form.set_text(any, "[1,");
    assert_eq!(blocked(&form), [("/any".to_owned(), BlockReason::NoJson { at: 4 })]);
    form.set_text(any, " ");
    form.set_text(n, "");
    form.set_text(i, "");
    assert_eq!(sent(&form), "{}", "an empty number is not set");
}

#[test]
fn inspector_case_37_choices_are_told_by_their_place() {
    let schema = object(
        json!({"e": {"enum": [1, "1", null, {"a": 1}, 1]}, "t": {"oneOf": [{"const": "a", "title": "First"}, {"const": 2}]}}),
    );
    let mut form = new(schema);
    let (e, t) = (at(&form, "/e"), at(&form, "/t"));
    for (place, json) in [(0, "1"), (1, "\"1\""), (2, "null"), (3, "{\"a\":1}"), (4, "1")] {
        assert!(form.set_choice(e, place));
        assert_eq!(sent(&form), format!("{{\"e\":{json}}}"));
        assert_eq!(form.get(e).unwrap().value, FieldValue::Chosen(place));
    }
    assert!(!form.set_choice(e, 5));
    form.unset(e);
    form.set_choice(t, 1);
    assert_eq!(sent(&form), r#"{"t":2}"#);
    let Widget::Choice(choices) = &form.get(t).unwrap().field.widget else { panic!("no choice") };
    assert_eq!(choices.iter().map(|choice| choice.label()).collect::<Vec<_>>(), ["First", "2"]);
}

/// A list of two kinds of objects.
fn union_list() -> Value {
    object(json!({"l": {"type": "array", "items": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "same": {"type": "string"}, "n": {"type": "number"}}, "required": ["kind"]},
        {"title": "Second", "type": "object", "properties": {"kind": {"const": "b"}, "same": {"type": "string"}, "y": {"type": "string"}}, "required": ["kind", "y"]},
    ]}}}))
}

#[test]
fn inspector_case_38_switch_keeps_common_keys_and_moved_rows_keep_drafts() {
    let mut form = load(union_list(), r#"{"l":[{"kind":"a","same":"s","n":1},{"kind":"b","y":"o"}]}"#);
    let (first, second) = (at(&form, "/l/0"), at(&form, "/l/1"));
    let picker = form.get(first).unwrap().field.pickers[0].clone();
    let labels: Vec<_> = picker.branches.iter().map(|branch| branch.label.clone()).collect();
    assert_eq!(labels, [BranchLabel::Text("kind: a".to_owned()), BranchLabel::Text("Second".to_owned())]);
    assert_eq!(form.get(first).unwrap().picks[0].branch, 0);
    assert_eq!(form.get(second).unwrap().picks[0].branch, 1);

    let draft = at(&form, "/l/0/n");
    form.set_text(draft, "1.");
    let untouched = form.get(second).unwrap().clone();
    assert_eq!(form.pick(first, &picker.at, 1), Some(vec!["n".to_owned()]));
    assert_eq!(blocked(&form), [("/l/0/y".to_owned(), BlockReason::Missing)]);
    assert_eq!(form.emit_anyway().unwrap(), r#"{"l":[{"kind":"b","same":"s"},{"kind":"b","y":"o"}]}"#);
    assert_eq!(form.get(second), Some(&untouched));
    assert!(form.pick(first, &picker.at, 2).is_none());

    form.pick(first, &picker.at, 0);
    assert_eq!(form.get(draft).unwrap().value, FieldValue::Written("1.".to_owned()), "the draft returns");
    assert!(form.move_row(first, 1));
    assert_eq!(form.pointer(draft).as_deref(), Some("/l/1/n"));
    assert_eq!(blocked(&form), [("/l/1/n".to_owned(), BlockReason::NoNumber)]);

    let copy = form.duplicate_row(first).unwrap();
    assert_eq!(blocked(&form).len(), 2);
    assert!(form.remove(copy) && form.remove(first));
    assert_eq!(sent(&form), r#"{"l":[{"kind":"b","y":"o"}]}"#);
}

#[test]
fn inspector_case_38_a_new_row_is_empty_until_its_kind_is_picked() {
    let mut form = new(union_list());
    let list = at(&form, "/l");
    let row = form.add_row(list).unwrap();
    let picker = form.get(row).unwrap().field.pickers[0].clone();
    assert_eq!(form.get(row).unwrap().field.widget.clone(), new_group(&form, row));
    assert_eq!(form.pick(row, &picker.at, 0), Some(vec![]));
    assert_eq!(sent(&form), r#"{"l":[{"kind":"a"}]}"#);
}

/// A row of objects whose kind is not picked has no fields yet.
fn new_group(form: &FormState, row: FieldId) -> Widget {
    let widget = form.get(row).unwrap().field.widget.clone();
    let Widget::Group(group) = &widget else { panic!("no group") };
    assert!(group.members.is_empty());
    widget
}

#[test]
fn inspector_case_39_root_union_has_base_fields_and_a_picker() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}, "kind": {"type": "string"}}, "required": ["id", "kind"], "anyOf": [
        {"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["number"]},
        {"properties": {"kind": {"const": "cash"}}},
    ]});
    let mut form = new(schema.clone());
    let shown = |form: &FormState| {
        form.root().shown_members().iter().map(|member| member.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&form), ["id", "kind"]);
    let (root, id) = (form.root().id, at(&form, "/id"));
    form.set_text(id, "7");
    let at_ = form.root().field.pickers[0].at.clone();
    form.pick(root, &at_, 0);
    assert_eq!(shown(&form), ["id", "kind", "number"]);
    assert_eq!(blocked(&form), [("/number".to_owned(), BlockReason::Missing)]);
    let number = at(&form, "/number");
    form.set_text(number, "4");
    assert_eq!(sent(&form), r#"{"id":"7","kind":"card","number":"4"}"#);
    assert_eq!(form.pick(root, &at_, 1), Some(vec!["number".to_owned()]));
    assert_eq!(sent(&form), r#"{"id":"7","kind":"cash"}"#);

    let loaded = load(schema, r#"{"number":"4","kind":"card","id":"7"}"#);
    assert_eq!(loaded.root().picks[0].branch, 0);
    assert_eq!(shown(&loaded), ["id", "kind", "number"], "shown in the order of the schema");
    assert_eq!(sent(&loaded), r#"{"number":"4","kind":"card","id":"7"}"#, "sent in its own");
}

#[test]
fn inspector_case_40_condition_shows_a_field_and_keeps_its_draft() {
    let schema = json!({"type": "object", "properties": {"how": {"enum": ["card", "cash"]}},
        "if": {"properties": {"how": {"const": "card"}}, "required": ["how"]}, "then": {"properties": {"number": {"type": "integer"}}, "required": ["number"]},
        "dependentRequired": {"how": ["who"]}});
    let mut form = new(schema);
    assert_eq!(sent(&form), "{}");
    let how = at(&form, "/how");
    form.set_choice(how, 0);
    assert_eq!(
        blocked(&form),
        [("/number".to_owned(), BlockReason::Missing), ("/who".to_owned(), BlockReason::Missing)]
    );
    let (number, who) = (at(&form, "/number"), at(&form, "/who"));
    form.set_text(number, "4.");
    form.set_text(who, "\"me\"");
    form.set_choice(how, 1);
    assert_eq!(sent(&form), r#"{"how":"cash","who":"me"}"#);
    form.set_choice(how, 0);
    assert_eq!(at(&form, "/number"), number);
    assert_eq!(blocked(&form), [("/number".to_owned(), BlockReason::NoNumber)]);
}

#[test]
fn inspector_case_40_condition_that_nobody_can_judge_shows_both_sides_marked() {
    let schema = json!({"type": "object", "properties": {"code": {"type": "string"}},
        "if": {"properties": {"code": {"pattern": "^[a-z]$"}}}, "then": {"properties": {"low": {"type": "string"}}, "required": ["low"]},
        "else": {"properties": {"high": {"type": "string"}}}});
    let mut form = new(schema);
    let code = at(&form, "/code");
    form.set_text(code, "a");
    let marks: Vec<_> =
        form.root().shown_members().iter().map(|member| (member.key.clone(), member.origin)).collect();
    let origin = |rank, is_maybe| MemberOrigin::Declared { rank, is_maybe };
    assert_eq!(
        marks,
        [
            ("code".to_owned(), origin(0, false)),
            ("low".to_owned(), origin(1, true)),
            ("high".to_owned(), origin(2, true))
        ]
    );
    assert_eq!(sent(&form), r#"{"code":"a"}"#, "nothing is asked for");
}

#[test]
fn inspector_case_41_a_tree_opens_one_level_at_a_time() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "child": {"$ref": "#", "description": "d"}}, "required": ["name"]});
    let mut form = new(schema);
    let mut pointer = String::new();
    for level in 0..3 {
        let name = at(&form, &format!("{pointer}/name"));
        form.set_text(name, &level.to_string());
        pointer.push_str("/child");
        let child = at(&form, &pointer);
        assert_eq!(form.get(child).unwrap().value, FieldValue::Absent);
        assert!(form.set_empty(child));
    }
    assert_eq!(blocked(&form), [("/child/child/child/name".to_owned(), BlockReason::Missing)]);
    let last = at(&form, &pointer);
    form.unset(last);
    assert_eq!(sent(&form), r#"{"name":"0","child":{"name":"1","child":{"name":"2"}}}"#);
}

#[test]
fn inspector_case_41_tuple_has_slots_and_no_gaps() {
    let schema = object(
        json!({"t": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}}),
    );
    let mut form = new(schema);
    assert_eq!(sent(&form), "{}");
    let (list, first, second) = (at(&form, "/t"), at(&form, "/t/0"), at(&form, "/t/1"));
    form.set_text(second, "2");
    assert_eq!(blocked(&form), [("/t/0".to_owned(), BlockReason::Gap)]);
    form.set_text(first, "a");
    assert_eq!(sent(&form), r#"{"t":["a",2]}"#);
    let rest = form.add_row(list).unwrap();
    form.set_switch(rest, true);
    assert_eq!(sent(&form), r#"{"t":["a",2,true]}"#);
    assert!(!form.remove(first) && !form.move_row(rest, 0), "slots stay in their places");
    form.unset(second);
    assert_eq!(blocked(&form), [("/t/1".to_owned(), BlockReason::Gap)]);
    form.remove(rest);
    assert_eq!(sent(&form), r#"{"t":["a"]}"#);
}

#[test]
fn inspector_case_42_rows_of_a_map_have_exact_keys() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let mut form = new(schema);
    let root = form.root().id;
    for (key, value) in [("__proto__", "1"), ("", "2"), ("a.b/c~d", "3")] {
        let id = form.add_key(root, key).unwrap();
        form.set_text(id, value);
    }
    assert_eq!(sent(&form), r#"{"__proto__":1,"":2,"a.b/c~d":3}"#);
    let double = form.add_key(root, "").unwrap();
    form.set_text(double, "4");
    assert_eq!(blocked(&form), [("/".to_owned(), BlockReason::DoubleKey(String::new()))]);
    assert!(form.rename_key(double, "x"));
    assert!(sent(&form).ends_with(r#","x":4}"#));
    assert!(form.remove(double));
    assert_eq!(form.get(double), None);
}

#[test]
fn inspector_case_44_raw_form_raw_is_unchanged_and_invalid_text_stays() {
    let text = "{ \"n\" : 1.50,\n\n \"u\":{\"z\":[ ]} }";
    let mut form = load(object(json!({"n": {"type": "number"}})), text);
    assert_eq!(form.raw(), text);
    form.set_raw(text);
    assert_eq!(form.raw(), text);
    for invalid in ["{\"n\": 1.", "[1]", "", "null"] {
        form.set_raw(invalid);
        assert_eq!(form.raw(), invalid);
        assert!(form.root().is_raw() || invalid.is_empty());
        let is_empty = invalid.is_empty();
        assert_eq!(form.emit().is_ok(), is_empty, "{invalid}");
    }
    form.set_raw("{\"n\": 2}");
    let n = at(&form, "/n");
    form.set_text(n, "3.");
    assert_eq!(form.raw(), "{\n  \"n\": 3.\n}", "a draft is seen in the raw view");
    let kept = form.clone();
    form.set_raw(&kept.raw());
    assert_eq!(form.root(), kept.root(), "and comes back");
}

#[test]
fn inspector_case_46_what_is_missing_blocks_and_can_be_sent_anyway() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "o": {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["b"]}}});
    let mut form = new(schema);
    assert_eq!(blocked(&form), [("/a".to_owned(), BlockReason::Missing)]);
    assert_eq!(form.emit_anyway().unwrap(), "{}");
    let c = at(&form, "/o/c");
    form.set_text(c, "x");
    assert_eq!(blocked(&form)[1], ("/o/b".to_owned(), BlockReason::Missing), "only once its parent is there");
}

#[test]
fn inspector_case_47_a_cleared_default_stays_cleared() {
    let schema = |title: &str| json!({"title": title, "type": "object", "required": ["r"], "properties": {"r": {"type": "string", "default": "d"}, "o": {"type": "integer", "default": 5}}});
    let mut form = new(schema("one"));
    assert_eq!(sent(&form), r#"{"r":"d"}"#, "the default of an optional field is a hint");
    let (r, o) = (at(&form, "/r"), at(&form, "/o"));
    form.use_default(o);
    form.unset(r);
    form.reconcile(&plan(&schema("two")));
    assert_eq!(form.root().field.title.as_deref(), Some("two"));
    assert_eq!(form.emit_anyway().unwrap(), r#"{"o":5}"#);
    assert_eq!((at(&form, "/r"), at(&form, "/o")), (r, o));
}

#[test]
fn changed_schema_keeps_what_was_typed() {
    let mut form = new(object(
        json!({"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "string"}, "d": {"type": "string"}}),
    ));
    for (pointer, text) in [("/a", "x"), ("/b", "1."), ("/c", "7")] {
        let id = at(&form, pointer);
        form.set_text(id, text);
    }
    form.reconcile(&plan(&object(
        json!({"new": {"type": "string"}, "c": {"type": "integer"}, "b": {"type": "number"}}),
    )));
    let members: Vec<_> =
        form.root().shown_members().iter().map(|member| (member.key.as_str(), member.origin)).collect();
    let declared = |rank| MemberOrigin::Declared { rank, is_maybe: false };
    assert_eq!(
        members,
        [("new", declared(0)), ("c", declared(1)), ("b", declared(2)), ("a", MemberOrigin::Gone)]
    );
    let b = at(&form, "/b");
    form.set_text(b, "1.5");
    assert_eq!(sent(&form), r#"{"a":"x","b":1.5,"c":7}"#);
    let gone = at(&form, "/a");
    assert!(form.remove(gone));
}

#[test]
fn type_picker_keeps_a_text_that_converts() {
    let mut form =
        new(object(json!({"p": {"type": ["string", "integer", "array"], "items": {"type": "string"}}})));
    let p = at(&form, "/p");
    assert_eq!(form.get(p).unwrap().field.pickers[0].branches.len(), 3);
    form.set_text(p, "12");
    assert_eq!(sent(&form), r#"{"p":"12"}"#, "the first type is picked");
    assert_eq!(form.pick(p, "type", 1), Some(vec![]));
    assert_eq!(sent(&form), r#"{"p":12}"#);
    form.pick(p, "type", 0);
    form.pick(p, "type", 2);
    assert_eq!(sent(&form), r#"{"p":["12"]}"#);
    form.pick(p, "type", 0);
    form.set_text(p, "no number");
    assert_eq!(form.pick(p, "type", 1).unwrap().len(), 1, "what does not convert is told");
    assert_eq!(sent(&form), "{}");
}

#[test]
fn check_list_keeps_the_order_of_choice_and_lines_become_rows() {
    let schema = object(
        json!({"c": {"type": "array", "items": {"enum": ["x", "y", "z"]}, "uniqueItems": true}, "l": {"type": "array", "items": {"type": "number"}}}),
    );
    let mut form = new(schema);
    let (c, l) = (at(&form, "/c"), at(&form, "/l"));
    assert!(form.toggle_check(c, 2) && form.toggle_check(c, 0) && !form.toggle_check(c, 3));
    assert_eq!(form.paste_lines(l, "1\n\n 2e1 \r\nx"), 3);
    assert_eq!(blocked(&form), [("/l/2".to_owned(), BlockReason::NoNumber)]);
    let bad = at(&form, "/l/2");
    form.remove(bad);
    assert_eq!(sent(&form), r#"{"c":["z","x"],"l":[1,2e1]}"#);
    form.toggle_check(c, 2);
    form.toggle_check(c, 0);
    assert_eq!(sent(&form), r#"{"c":[],"l":[1,2e1]}"#);
}

#[test]
fn only_what_the_page_sets_itself_is_not_asked_for() {
    let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "readOnly": true, "default": "x"}}});
    assert_eq!(sent(&new(schema.clone())), "{}");
    assert_eq!(sent(&load(schema, r#"{"id":"7"}"#)), r#"{"id":"7"}"#);
}

#[test]
fn inspector_case_48_a_form_has_at_most_2000_fields_and_12_levels() {
    let wide = |count: usize| {
        object((0..count).map(|number| (format!("f{number}"), json!({"type": "string"}))).collect())
    };
    assert_eq!(new(wide(300)).root.count(), 301);
    assert_eq!(new(wide(1999)).root.count(), 2000);
    let mut form = new(wide(2000));
    assert_eq!(form.root().field.widget, Widget::Raw(RawReason::TooMany));
    let root = form.root().id;
    form.set_text(root, "{\"f1\": \"x\"}");
    assert_eq!(sent(&form), r#"{"f1":"x"}"#);

    let mut deep = json!({"type": "string"});
    for _ in 0..40 {
        deep = object(json!({"a": deep}));
    }
    let form = new(deep);
    let last = form.get(form.at(&"/a".repeat(40))).unwrap();
    assert_eq!((form.root.count(), &last.field.widget), (14, &Widget::Raw(RawReason::TooDeep)));

    // Every level twice the one before: without a limit, a million fields.
    let mut defs = json!({"d0": {"type": "string"}});
    for level in 1..20 {
        let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
        defs[format!("d{level}")] = object(json!({"x": below, "y": below}));
    }
    let form = new(json!({"$ref": "#/$defs/d19", "$defs": defs}));
    assert!(form.root.count() <= crate::planner::FIELDS, "{}", form.root.count());

    let rows = format!("{{\"l\":[{}1]}}", "1,".repeat(5000));
    let form = load(object(json!({"l": {"type": "array", "items": {"type": "integer"}}})), &rows);
    assert_eq!(form.root.count(), 1);
    assert_eq!(sent(&form), rows);
}

#[test]
fn summary_of_a_card_is_short() {
    let form = load(
        object(
            json!({"l": {"type": "array", "items": object(json!({"a": {"type": "string"}, "b": {"type": "integer"}}))}}),
        ),
        r#"{"l":[{"b":7,"a":"x"}]}"#,
    );
    assert_eq!(form.get(form.at("/l/0")).unwrap().summary(), "x, 7");
}
