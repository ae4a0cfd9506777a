use serde_json::json;
use sidecar_protocol::settings::Language;

use super::*;
use crate::field::{BranchLabel, ChoiceLook, FieldNote, OtherKeys, PlannedMember, TextKind};
use crate::json_type::JsonType;

/// The field of a property with this schema.
fn field(schema: Value) -> Arc<FormField> {
    let plan = plan(&json!({"type": "object", "properties": {"p": schema}}));
    plan.open(&plan.group().unwrap().members[0].sub)
}

fn widget(schema: Value) -> Widget {
    field(schema).widget.clone()
}

fn facts(schema: Value) -> Vec<String> {
    field(schema).facts.iter().map(|fact| fact.text(Language::English)).collect()
}

fn members(schema: Value) -> Vec<PlannedMember> {
    plan(&schema).group().unwrap().members
}

fn keys(schema: Value) -> Vec<String> {
    members(schema).into_iter().map(|member| member.key).collect()
}

#[test]
fn each_schema_has_its_widget() {
    for (schema, expected) in [
        (json!({"type": "string"}), Widget::Text(TextKind::Line)),
        (json!({"type": "string", "maxLength": 201}), Widget::Text(TextKind::Lines)),
        (json!({"type": "string", "examples": ["a\nb"]}), Widget::Text(TextKind::Lines)),
        (json!({"type": "string", "format": "date"}), Widget::Text(TextKind::Date)),
        (json!({"type": "string", "format": "time"}), Widget::Text(TextKind::Time)),
        (json!({"type": "string", "format": "date-time"}), Widget::Text(TextKind::DateTime)),
        (json!({"type": "string", "format": "password"}), Widget::Text(TextKind::Secret)),
        (json!({"type": "string", "contentEncoding": "base64"}), Widget::Text(TextKind::File)),
        (json!({"type": "string", "format": "email"}), Widget::Text(TextKind::Line)),
        (json!({"minLength": 3}), Widget::Text(TextKind::Line)),
        (json!({"type": "number"}), Widget::Number { is_whole: false }),
        (json!({"type": ["integer", "number"]}), Widget::Number { is_whole: false }),
        (json!({"type": "integer"}), Widget::Number { is_whole: true }),
        (
            json!({"allOf": [{"type": "number"}, {"type": ["integer", "string"]}]}),
            Widget::Number { is_whole: true },
        ),
        (json!({"type": "boolean"}), Widget::Boolean),
        (json!({"const": 1.50}), Widget::Fixed(Json::Number("1.5".to_owned()))),
        (json!({"enum": ["a"]}), Widget::Fixed(Json::Text("a".to_owned()))),
        (json!({"type": "null"}), Widget::Fixed(Json::Null)),
        (json!(true), Widget::Raw(RawReason::Anything)),
        (json!({}), Widget::Raw(RawReason::Anything)),
        (json!({"minLength": 3, "minimum": 1}), Widget::Raw(RawReason::Anything)),
        (json!(false), Widget::Never),
        (json!({"allOf": [{"type": "string"}, {"type": "integer"}]}), Widget::Raw(RawReason::Conflict)),
        (json!({"allOf": [{"enum": [1, 2]}, {"const": 3}]}), Widget::Raw(RawReason::Conflict)),
        (json!({"$ref": "#/no"}), Widget::Raw(RawReason::Dangling("#/no".to_owned()))),
        (json!({"anyOf": [{"type": "string"}, {"type": "object"}]}), Widget::Unpicked),
    ] {
        assert_eq!(widget(schema.clone()), expected, "{schema}");
    }
    assert_eq!(
        [7, 8, 30, 31].map(ChoiceLook::of),
        [ChoiceLook::Radio, ChoiceLook::Select, ChoiceLook::Select, ChoiceLook::Search]
    );
}

#[test]
fn inspector_case_35_null_is_a_switch_beside_the_field() {
    for schema in [
        json!({"type": ["string", "null"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": [{"const": null}, {"$ref": "#/properties/p/$defs/s"}], "$defs": {"s": {"type": "string"}}}),
        json!({"type": "string", "nullable": true}),
    ] {
        let field = field(schema.clone());
        assert_eq!((field.is_nullable, &field.widget), (true, &Widget::Text(TextKind::Line)), "{schema}");
        assert_eq!(field.types, [JsonType::Text]);
    }
    assert_eq!(field(json!({"type": "string", "nullable": true})).notes, [FieldNote::NullableKeyword]);
    assert!(!field(json!({"enum": ["a", null]})).is_nullable, "null is one of the choices");
}

#[test]
fn bounds_stand_at_the_field() {
    assert_eq!(
        facts(json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2})),
        ["at least 1", "less than 9", "a multiple of 2"]
    );
    assert_eq!(
        facts(json!({"type": "string", "minLength": 1, "pattern": "^a$", "format": "email"})),
        ["at least 1 characters", "pattern ^a$", "format email"]
    );
    assert_eq!(
        facts(json!({"type": "array", "maxItems": 3, "uniqueItems": true})),
        ["at most 3 items", "no item twice"]
    );
    assert_eq!(
        facts(json!({"allOf": [{"minimum": 1}, {"minimum": 3}], "minimum": 1})),
        ["at least 1", "at least 3"]
    );
    let object = json!({"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^b"}, "patternProperties": {"^bc": {}}});
    assert_eq!(facts(object), ["at least 1 keys", "keys of the pattern ^b", "keys of the pattern ^bc"]);
}

#[test]
fn texts_of_a_reference_are_overruled_by_what_stands_beside_it() {
    let plan = plan(&json!({"properties": {"p": {"$ref": "#/$defs/a", "title": "mine", "minLength": 2}},
        "$defs": {"a": {"type": "string", "title": "theirs", "description": "<b>text</b>", "default": "d"}}}));
    let field = plan.open(&plan.group().unwrap().members[0].sub);
    assert_eq!(field.title.as_deref(), Some("mine"));
    assert_eq!(field.description.as_deref(), Some("<b>text</b>"));
    assert_eq!(field.default, Some(Json::Text("d".to_owned())));
    assert_eq!(field.facts.len(), 1);
    assert_eq!(field.type_text(Language::English), "text");
}

#[test]
fn parts_of_all_of_are_one_object() {
    let schema = json!({"allOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"$ref": "#/$defs/more"}, {"allOf": [{"properties": {"c": {"type": "null"}}}]},
    ], "$defs": {"more": {"properties": {"a": {"minLength": 2}, "b": {"type": "integer"}}, "required": ["b"]}}});
    let members = members(schema.clone());
    let told: Vec<_> = members.iter().map(|member| (member.key.as_str(), member.is_required)).collect();
    assert_eq!(told, [("a", true), ("b", true), ("c", false)]);
    let a = plan(&schema).open(&members[0].sub);
    assert_eq!((&a.widget, a.facts.len()), (&Widget::Text(TextKind::Line), 1));
}

#[test]
fn key_that_one_part_refuses_cannot_be_set() {
    let schema = json!({"allOf": [{"properties": {"a": true}, "additionalProperties": false}, {"properties": {"b": {"type": "string"}}}]});
    let plan = plan(&schema);
    let group = plan.group().unwrap();
    assert_eq!(group.others, OtherKeys::Refused);
    let b = plan.open(&group.members[1].sub);
    assert_eq!((&b.widget, b.notes.as_slice()), (&Widget::Never, [FieldNote::Never].as_slice()));
}

#[test]
fn required_key_without_a_property_gets_a_field() {
    let schema = json!({"properties": {"a": {"type": "string"}}, "required": ["a", "z"]});
    let members = members(schema.clone());
    assert_eq!(
        (members[1].key.as_str(), members[1].is_required, members[1].is_undeclared),
        ("z", true, true)
    );
    assert_eq!(plan(&schema).open(&members[1].sub).widget, Widget::Raw(RawReason::Anything));
    let form = crate::FormState::new(&plan(&schema));
    let notes = form.root().member_notes(form.root().shown_members()[1]);
    assert_eq!(notes, [FieldNote::Undeclared]);
}

#[test]
fn other_keys_are_refused_or_any_or_mapped() {
    let others = |schema: Value| plan(&schema).group().unwrap().others;
    assert_eq!(others(json!({"additionalProperties": false})), OtherKeys::Refused);
    assert_eq!(others(json!({"propertyNames": false})), OtherKeys::Refused);
    assert_eq!(others(json!({"type": "object"})), OtherKeys::Any);
    assert_eq!(others(json!({"additionalProperties": {"type": "string"}})), OtherKeys::Mapped);
    assert_eq!(
        others(json!({"patternProperties": {"a": {}}, "additionalProperties": false})),
        OtherKeys::Mapped
    );
}

#[test]
fn inspector_case_42_several_patterns_of_one_key_all_apply() {
    let plan = plan(
        &json!({"patternProperties": {"^x": {"type": "integer"}, "y$": {"minimum": 3}}, "additionalProperties": {"type": "string"}}),
    );
    let mut form = crate::FormState::new(&plan);
    let root = form.root().id;
    let told = ["xy", "x", "other"].map(|key| {
        let id = form.add_key(root, key).unwrap();
        let field = form.get(id).unwrap().field.clone();
        (field.widget.clone(), field.facts.len())
    });
    let whole = Widget::Number { is_whole: true };
    assert_eq!(told, [(whole.clone(), 1), (whole, 0), (Widget::Text(TextKind::Line), 0)]);
}

#[test]
fn branches_are_called_by_title_constant_keys_type_or_number() {
    let field = field(json!({"oneOf": [
        {"title": "T", "type": "object"}, {"properties": {"k": {"const": "a"}, "v": {}}}, {"properties": {"x": {}, "y": {}}},
        {"type": "array"}, {"$ref": "#"}, {"not": {}},
    ]}));
    let labels: Vec<_> = field.pickers[0].branches.iter().map(|branch| branch.label.clone()).collect();
    let keys = |keys: &[&str]| BranchLabel::Keys(keys.iter().map(|key| (*key).to_owned()).collect());
    assert_eq!(
        labels,
        [
            BranchLabel::Text("T".to_owned()),
            BranchLabel::Text("k: a".to_owned()),
            keys(&["x", "y"]),
            BranchLabel::Type(JsonType::Array),
            keys(&["p"]),
            BranchLabel::Number(6),
        ]
    );
    assert_eq!(BranchLabel::Number(6).text(Language::Chinese), "形式 6");
}

#[test]
fn branches_with_only_required_keys_are_a_note() {
    let schema = json!({"properties": {"a": {}, "b": {}, "c": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]});
    let root = plan(&schema).root();
    assert!(root.pickers.is_empty());
    assert_eq!(root.notes[0].sentence(Language::English), "One of these has to be set: a | b + c");
}

#[test]
fn inspector_case_39_root_union_has_fields_and_a_picker() {
    let schema = json!({"properties": {"id": {"type": "string"}}, "anyOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}]});
    assert_eq!((keys(schema.clone()), plan(&schema).root().pickers.len()), (vec!["id".to_owned()], 1));
    let bare = json!({"oneOf": [{"type": "object", "properties": {"k": {}}}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}});
    assert_eq!((keys(bare.clone()), plan(&bare).root().pickers.len()), (vec![], 1));
}

#[test]
fn odd_names_and_order_are_kept() {
    let schema = json!({"properties": {"z": {}, "": {}, "a.b": {}, "a/b": {}, "__proto__": {}, "type": {}, "~1": {"type": "boolean"}}});
    assert_eq!(keys(schema.clone()), ["z", "", "a.b", "a/b", "__proto__", "type", "~1"]);
    let plan = plan(&schema);
    assert_eq!(plan.open(&plan.group().unwrap().members[6].sub).widget, Widget::Boolean);
}

#[test]
fn tool_without_schema_or_with_another_root() {
    for schema in
        [Value::Null, json!({"type": "object", "properties": {}}), json!({"additionalProperties": false})]
    {
        assert_eq!(plan(&schema).root().notes, [FieldNote::NoArguments], "{schema}");
    }
    for schema in [json!({"type": "array"}), json!({"type": ["string", "null"]})] {
        let reason = plan(&schema).raw_reason().unwrap();
        assert_eq!(reason, RawReason::NoObject);
        assert!(reason.sentence(Language::English).contains("object"));
    }
    assert_eq!(
        plan(&json!({"type": ["object", "null"], "properties": {"a": {}}})).group().unwrap().members.len(),
        1
    );
    assert_eq!(
        plan(&json!({"$ref": "https://x.example/s"})).raw_reason(),
        Some(RawReason::Remote("https://x.example/s".to_owned()))
    );
}

#[test]
fn inspector_case_41_recursion_is_planned_one_level_at_a_time() {
    let plan = plan(
        &json!({"$anchor": "node", "type": "object", "properties": {"more": {"type": "array", "items": {"$ref": "#node"}}, "next": {"$ref": "#/properties/next"}}}),
    );
    let more = plan.open(&plan.group().unwrap().members[0].sub);
    let Widget::List(items) = &more.widget else { panic!("no list") };
    let node = plan.open(items.rest.as_ref().unwrap());
    assert_eq!(node.widget, plan.root().widget);
    assert_eq!(
        plan.open(&plan.group().unwrap().members[1].sub).widget,
        Widget::Raw(RawReason::Anything),
        "a reference to itself says nothing"
    );
}

#[test]
fn parts_without_end_are_too_many() {
    let parts: Vec<_> = (0..100).map(|number| json!({"minLength": number})).collect();
    assert_eq!(widget(json!({"allOf": parts})), Widget::Raw(RawReason::TooComplex));
}

#[test]
fn items_have_slots_a_rest_and_checks() {
    let items = |schema: Value| match widget(schema) {
        Widget::List(items) => items,
        other => panic!("{other:?}"),
    };
    let old = items(
        json!({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false, "minItems": 1}),
    );
    assert_eq!((old.slots.len(), old.rest.is_some(), old.least), (2, false, 1));
    let new = items(json!({"prefixItems": [{}], "items": {"type": "string"}}));
    assert_eq!((new.slots.len(), new.rest.is_some()), (1, true));
    assert_eq!(items(json!({"type": "array", "items": false})).rest, None);
    let checks = |schema: Value| items(schema).checks.map(|checks| checks.len());
    assert_eq!(checks(json!({"items": {"enum": ["a", "b"]}, "uniqueItems": true})), Some(2));
    assert_eq!(checks(json!({"items": {"enum": ["a", "b"]}})), None);
    assert_eq!(
        checks(json!({"items": {"enum": [1, 1.0]}, "uniqueItems": true})),
        None,
        "two that are the same"
    );
}

#[test]
fn secret_fields_are_hidden_by_format_or_name() {
    let form = crate::FormState::new(&plan(
        &json!({"properties": {"cardNumber": {"type": "string"}, "x": {"type": "string", "format": "password"}, "y": {"type": "string"}, "token": {"type": "boolean"}}}),
    ));
    let hidden: Vec<_> = form.root().shown_members().iter().map(|member| member.is_secret()).collect();
    assert_eq!(hidden, [true, true, false, false]);
}
