use proptest::prelude::*;
use serde_json::json;

use super::*;

/// What the whole language makes of it. `None` is a mistake, in the expression or in what a function gets.
fn oracle(text: &str, value: &Value) -> Option<Value> {
    let picked = jmespath::compile(text).ok()?.search(value).ok()?;
    Some(serde_json::to_value(&picked).unwrap())
}

fn shop() -> Value {
    json!({
        "name": "Shop", "none": null, "open": true, "empty": [], "no": {}, "中": 1, "a.b": {"c d": 7},
        "items": [
            {"id": 1, "name": "Lamp", "price": 12.5, "tags": ["light", "home"], "sizes": [[1, 2], [3]], "new": true},
            {"id": 2, "name": "Bed", "price": 300, "tags": [], "maker": {"name": "Ö", "at": ["x", "y"]}},
            {"id": 3, "name": "Cup", "price": 0, "tags": ["home"], "maker": {"name": null}, "new": false},
        ],
        "rows": [[1, [2, 3]], [], [[4]], 5, null], "numbers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "words": ["a", "b", "c"], "mixed": [1, 1.0, "1", true, null, [1], {"a": 1}],
    })
}

const EXPRESSIONS: &[&str] = &[
    "name",
    "@",
    "none",
    "gone",
    "gone.deeper",
    "name.deeper",
    "\"中\"",
    "\"a.b\".\"c d\"",
    "\"\\u4e2d\"",
    "items[0].name",
    "items[-1].name",
    "items[3]",
    "items[-4]",
    "name[0]",
    "items[0].maker.name",
    "items[*].name",
    "items[*].maker.name",
    "items[*].maker.at[0]",
    "items[*].tags[0]",
    "items[*].tags",
    "items[*].tags[]",
    "items[].tags[]",
    "items[].sizes[][]",
    "items[*].sizes[*][0]",
    "rows",
    "rows[]",
    "rows[][]",
    "rows[*][]",
    "rows[*][*]",
    "[0]",
    "[*]",
    "[]",
    "[?a]",
    "{a: name}",
    "name[*]",
    "no[*]",
    "empty[*]",
    "empty[0]",
    "numbers[2:5]",
    "numbers[:3]",
    "numbers[7:]",
    "numbers[::2]",
    "numbers[::-1]",
    "numbers[5:2:-1]",
    "numbers[-3:]",
    "numbers[:-7]",
    "numbers[20:]",
    "numbers[-20:2]",
    "numbers[:]",
    "numbers[2:1]",
    "numbers[::-3]",
    "numbers[100:-100:-4]",
    "name[1:2]",
    "items[:2].name",
    "items[1:][0]",
    "items[?id==`2`].name",
    "items[?id == `2.0`].name",
    "items[?name=='Bed']",
    "items[?name!='Bed'].id",
    "items[?price>`10`].id",
    "items[?price>=`12.5`].id",
    "items[?price<`12.5`].id",
    "items[?price<=`0`].id",
    "items[?name<`1`].id",
    "items[?new].id",
    "items[?tags].id",
    "items[?maker.name].id",
    "items[?`0`].id",
    "items[?new || maker].id",
    "items[?price && tags].id",
    "items[?id==`1` || id==`3` && new].name",
    "items[?id!=`1` && price>`1`]",
    "items[?maker.name==none].id",
    "items[?tags==`[\"home\"]`].id",
    "items[?maker==`{\"name\":null}`].id",
    "items[?@.id==`1`].id",
    "items[?length(tags)>`1`].name",
    "items[?tags[?@=='light']].name",
    "items[?id][?name]",
    "items[?id].tags[?@=='home']",
    "items[*].tags[?@=='home']",
    "items[?id>`1`] | [0].name",
    "items[?id>`1`][0].name",
    "items[*] | [0]",
    "items[*].name | [-1]",
    "items[].name | @",
    "items[*].{id: id, of: maker.name}",
    "items[0].{a: name, \"b c\": tags[0]}",
    "items[*].{a: @.id, a: name}",
    "none.{a: name}",
    "name.{a: b}",
    "{all: items[*].id, first: items[0]}.all[1]",
    "items[*].maker.{n: name, at: at[*]}",
    "items | [0] | name",
    "gone || name",
    "none || gone",
    "open && name",
    "gone && name",
    "gone || none || name | @",
    "a || b && c",
    "name == 'Shop'",
    "open == `true`",
    "name == gone",
    "none == gone",
    "'it\\'s'",
    "'a\\\\b'",
    "''",
    "`1`",
    "`\"x\\`y\"`",
    "`[1, {\"a\": 2}]`[1].a",
    "mixed[?@==`1`]",
    "mixed[?@=='1']",
    "mixed[?@!=`1`]",
    "mixed[?@>`0`]",
    "mixed[?@==`[1]`]",
    "mixed[?@==`{\"a\":1}`]",
    "length(name)",
    "length(items)",
    "length(no)",
    "length(`\"中文\"`)",
    "length(none)",
    "length(open)",
    "length(`3`)",
    "items[*].length(tags)",
    "items[*].length(name)",
    "items.length(@)",
    "items[0].tags.length(@)",
    "join(', ', words)",
    "join('', items[*].name)",
    "join('-', items[].tags[])",
    "join(', ', empty)",
    "join(', ', numbers)",
    "join(`1`, words)",
    "join(', ', gone)",
    "items[*].join('+', tags)",
    "{n: length(items), all: join(' ', words)}",
    " name ",
    "items\n[ 0 ]\t. name",
    "items [ 0 : 2 ] . id",
    "{ a : name , b : open }",
    "length ( name )",
    "_a1",
    "items[*].name[0]",
    "join(', ', words)[0]",
    "rows[3:0:-1][]",
];

#[test]
fn expressions_mean_what_they_mean_in_the_whole_language() {
    for value in [
        shop(),
        json!([{"a": 1}, {"a": [2]}, [3, [4]], null]),
        json!({"a": {"b": [1]}}),
        json!("x"),
        json!(null),
    ] {
        for text in EXPRESSIONS {
            let pick = Pick::read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            assert_eq!(pick.of(&value).ok(), oracle(text, &value), "{text} of {value}");
        }
    }
    assert!(EXPRESSIONS.len() >= 60);
}

#[test]
fn picked_values_are_as_written_here() {
    for (text, expected) in [
        (
            "items[*].{id: id, of: maker.name}",
            json!([{"id": 1, "of": null}, {"id": 2, "of": "Ö"}, {"id": 3, "of": null}]),
        ),
        ("items[?price>`10`].name | join(', ', @)", json!("Lamp, Bed")),
        ("items[].tags[]", json!(["light", "home", "home"])),
        ("rows[]", json!([1, [2, 3], [4], 5])),
        ("length(items)", json!(3)),
        ("items[::-1].id", json!([3, 2, 1])),
        ("gone.deeper[0]", json!(null)),
    ] {
        assert_eq!(Pick::read(text).unwrap().of(&shop()), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_expression_is_refused_at_its_place() {
    use PickFaultKind::{BadLiteral, NotSupported, TooDeep, TooLong, Unexpected, Unfinished};
    let (long, deep) = ("a".repeat(501), "{a:".repeat(40));
    for (text, at, kind) in [
        ("", 0, Unexpected),
        ("  ", 2, Unexpected),
        ("a b", 2, Unexpected),
        ("a.", 2, Unexpected),
        (".a", 0, Unexpected),
        ("a..b", 2, Unexpected),
        ("中", 0, Unexpected),
        ("\"中\" 中", 4, Unexpected),
        ("a[0", 3, Unexpected),
        ("a[x]", 2, Unexpected),
        ("a[1:2:0]", 6, Unexpected),
        ("a[1:2:3:4]", 7, Unexpected),
        ("a[ ]", 3, Unexpected),
        ("a = b", 2, Unexpected),
        ("a[?b", 4, Unexpected),
        ("{}", 1, Unexpected),
        ("{a}", 2, Unexpected),
        ("{a: b,}", 6, Unexpected),
        ("{`1`: b}", 1, Unexpected),
        ("a{b: c}", 1, Unexpected),
        ("a.'b'", 2, Unexpected),
        ("a |", 3, Unexpected),
        ("| a", 0, Unexpected),
        ("length()", 7, Unexpected),
        ("length(a, b)", 8, Unexpected),
        ("join(a)", 6, Unexpected),
        ("@(a)", 1, Unexpected),
        ("\"length\"(a)", 8, Unexpected),
        ("a#b", 1, Unexpected),
        ("a[0:99999999999]", 4, BadLiteral),
        ("a[-0]", 2, BadLiteral),
        ("a[-]", 2, BadLiteral),
        ("`foo`", 0, BadLiteral),
        ("``", 0, BadLiteral),
        ("a[?b==`{]", 6, Unfinished),
        ("\"a\\x\"", 0, BadLiteral),
        ("'a", 0, Unfinished),
        ("a.'b\\'", 2, Unfinished),
        ("a || \"b", 5, Unfinished),
        ("*", 0, NotSupported),
        ("a.*", 2, NotSupported),
        ("a.[b]", 2, NotSupported),
        ("[a, b]", 0, NotSupported),
        ("[]a", 2, Unexpected),
        ("(a)", 0, NotSupported),
        ("!a", 0, NotSupported),
        ("&a", 0, NotSupported),
        ("a == b == c", 7, NotSupported),
        ("keys(@)", 0, NotSupported),
        ("a | sort(@)", 4, NotSupported),
        (&long, 500, TooLong),
        (&deep, 96, TooDeep),
    ] {
        assert_eq!(Pick::read(text), Err(PickFault { at, kind }), "{text}");
    }
}

#[test]
fn what_multiplies_stops() {
    let all = |text: &str, value: &Value| Pick::read(text).unwrap().of(value);
    let doubled = vec!["{a:@,b:@}"; 45].join("|");
    assert_eq!(all(&doubled, &json!(1)), Err(PickError::TooMuch));
    let listed = vec!["{a:[*],b:[*]}"; 20].join("|");
    assert_eq!(all(&listed, &json!([1])).unwrap()["a"], json!(null));
    let list: Value = (0..1_000).collect();
    assert_eq!(all("[*]", &list), Ok(list.clone()));
    let square: Value = vec![list.clone(); 1_000].into();
    assert_eq!(all("[*][*]", &square), Err(PickError::TooMuch));
    assert_eq!(all("[*].length(@)", &square).unwrap().as_array().unwrap().len(), 1_000);
    let long = json!({"text": "x".repeat(1 << 20)});
    assert_eq!(all(&format!("{{{}}}", vec!["a:text"; 60].join(",")), &long), Err(PickError::TooMuch));
    assert_eq!(
        all("join(text, list)", &json!({"text": "x".repeat(1 << 20), "list": vec![""; 1_000]})),
        Err(PickError::TooMuch)
    );
    let same = format!("[?{}]", vec!["@==@"; 60].join("&&"));
    assert_eq!(all(&same, &square), Err(PickError::TooMuch));
    let deepest = "[*]".repeat(166);
    assert_eq!(Pick::read(&deepest).map_err(|fault| fault.kind), Err(PickFaultKind::TooDeep));
    assert_eq!(all(&"[]".repeat(250), &json!([[1], 2])), Ok(json!([1, 2])));
    assert_eq!(all(&vec!["a"; 250].join("."), &square), Ok(Value::Null));
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..4).prop_map(Value::from),
        prop::sample::select(vec![0.0, 0.5, 1.0, -2.5]).prop_map(Value::from),
        "[abx中]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[abc]|d e", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn expressions() -> impl Strategy<Value = String> {
    let number = || {
        prop::option::of(-4i32..5)
            .prop_map(|number| number.map_or(String::new(), |number| number.to_string()))
    };
    let slice = (number(), number(), prop::sample::select(vec!["", ":", ":1", ":2", ":-1", ":-2"]))
        .prop_map(|(start, stop, step)| format!("[{start}:{stop}{step}]"));
    let leaf = prop_oneof![
        6 => "[abc]|\"d e\"|@".boxed(),
        1 => prop::sample::select(vec!["`1`", "`1.0`", "`null`", "`[]`", "`{\"a\": [1]}`", "'a'", "''"]).prop_map(str::to_owned),
        1 => (-3i32..4).prop_map(|index| format!("[{index}]")),
        1 => prop::sample::select(vec!["[*]", "[]"]).prop_map(str::to_owned),
        1 => slice.clone(),
    ];
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let two = || (inner.clone(), inner.clone());
        let compared = (two(), prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]));
        prop_oneof![
            4 => (inner.clone(), "\\.[abc]|\\.\"d e\"").prop_map(|(left, name)| left + &name),
            2 => (inner.clone(), -3i32..4).prop_map(|(left, index)| format!("{left}[{index}]")),
            2 => (inner.clone(), prop::sample::select(vec!["[*]", "[]"])).prop_map(|(left, each)| left + each),
            1 => (inner.clone(), slice.clone()).prop_map(|(left, slice)| left + &slice),
            2 => two().prop_map(|(left, condition)| format!("{left}[?{condition}]")),
            1 => two().prop_map(|(a, b)| format!("{{a: {a}, b: {b}}}")),
            1 => (inner.clone(), two()).prop_map(|(left, (a, b))| format!("{left}.{{a: {a}, \"d e\": {b}}}")),
            1 => two().prop_map(|(left, right)| format!("{left} | {right}")),
            1 => two().prop_map(|(left, right)| format!("{left} || {right}")),
            1 => two().prop_map(|(left, right)| format!("{left}&&{right}")),
            2 => compared.prop_map(|((left, right), sign)| format!("{left} {sign} {right}")),
            1 => inner.clone().prop_map(|of| format!("length({of})")),
            1 => two().prop_map(|(glue, texts)| format!("join({glue}, {texts})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn generated_expressions_mean_the_same(text in expressions(), value in documents()) {
        match Pick::read(&text) {
            Ok(pick) => match pick.of(&value) {
                Err(PickError::TooMuch) => {}
                picked => prop_assert_eq!(picked.ok(), oracle(&text, &value), "{} of {}", text, value),
            },
            // Comparisons came together, or what can only stand at a beginning came elsewhere.
            Err(fault) => prop_assert!(
                fault.kind == PickFaultKind::NotSupported || jmespath::compile(&text).is_err() || text.chars().count() > LONGEST,
                "{} {:?}", text, fault
            ),
        }
    }

    #[test]
    fn what_is_read_is_read_there_too(
        parts in prop::collection::vec(prop::sample::select(vec![
            "a", "b", "\"d e\"", ".", "[", "]", "[]", "[?", "[0]", "[*]", "*", "{", "}", "a:", ":", "1", "-1", ",", "|", "||",
            "&&", "&", "!", "==", "<", "(", ")", "length(", "join('', ", "@", "`1`", "'a'", " ", "keys(",
        ]), 0..12),
        value in documents(),
    ) {
        let text = parts.concat();
        match Pick::read(&text) {
            Ok(pick) => {
                prop_assert!(jmespath::compile(&text).is_ok(), "{}", text);
                prop_assert_eq!(pick.of(&value).ok(), oracle(&text, &value), "{} of {}", text, value);
            }
            Err(fault) => prop_assert!(fault.at <= text.chars().count()),
        }
    }

    #[test]
    fn no_text_breaks_it(text: String, value in documents()) {
        match Pick::read(&text) {
            Ok(pick) => drop(pick.of(&value)),
            Err(fault) => prop_assert!(fault.at <= text.chars().count()),
        }
    }
}
