//! What `oneOf` and `anyOf` are to a form: values to choose from, branches to pick, or a note.

use serde_json::{Map, Value};

use crate::field::{BranchAdds, BranchLabel, FieldChoice, UnionBranch, UnionPicker};
use crate::json::Json;
use crate::json_type::JsonType;
use crate::source::{SchemaPlace, SchemaSource, child};
use crate::subschema::{Layer, Layers, SubSchema, is_null, list};

/// Maximum number of branches that are offered.
const BRANCHES: usize = 200;

/// Keywords that only check: a branch of these alone has nothing to pick.
const CHECKS: [&str; 12] = [
    "required",
    "not",
    "title",
    "description",
    "$comment",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "pattern",
    "minLength",
    "maxLength",
    "contains",
];

/// A union as a form sees it.
pub(crate) enum FormUnion {
    /// Values, and whether `null` is another.
    Choices(Vec<FieldChoice>, bool),
    /// Sets of keys of which one has to be there; empty if the branches check something else.
    Checked(Vec<Vec<String>>),
    /// Branches, and whether `null` is another.
    Picker(UnionPicker, bool),
}

/// The unions of a part.
pub(crate) fn all(source: &SchemaSource, layer: &Layer<'_>) -> Vec<FormUnion> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| read(source, layer, key)).collect()
}

fn read(source: &SchemaSource, layer: &Layer<'_>, key: &str) -> Option<FormUnion> {
    let at = child(&layer.place, key);
    let count = list(layer.map, key).len().min(BRANCHES);
    let all: Vec<_> = (0..count).map(|number| child(&at, &number.to_string())).collect();
    let constants = |places: &[SchemaPlace]| -> Option<Vec<_>> {
        places.iter().map(|place| constant(source, place)).collect()
    };
    if let Some(choices) = constants(&all).filter(|choices| !choices.is_empty()) {
        return Some(FormUnion::Choices(choices, false));
    }
    let (nulls, places): (Vec<_>, Vec<_>) = all.into_iter().partition(|place| is_null(source, place));
    if let Some(choices) = constants(&places).filter(|choices| !choices.is_empty()) {
        return Some(FormUnion::Choices(choices, true));
    }
    if places.len() < 2 {
        return None; // the only branch applies, as another part
    }
    let maps: Vec<_> = places.iter().filter_map(|place| source.map(place)).collect();
    let is_check = |map: &&Map<String, Value>| map.keys().all(|key| CHECKS.contains(&key.as_str()));
    if maps.iter().all(is_check) {
        let keys = maps.iter().map(|map| texts(map, "required")).filter(|keys| !keys.is_empty());
        return Some(FormUnion::Checked(keys.collect()));
    }
    let places: Vec<_> =
        places.into_iter().filter(|place| source.get(place) != Some(&Value::Bool(false))).collect();
    let branches = places.iter().enumerate().map(|(number, place)| branch(source, place, number + 1));
    Some(FormUnion::Picker(UnionPicker { at, branches: branches.collect() }, !nulls.is_empty()))
}

/// The one value that a branch allows.
fn constant(source: &SchemaSource, place: &SchemaPlace) -> Option<FieldChoice> {
    let map = source.map(place)?;
    let value = map.get("const").or_else(|| match list(map, "enum") {
        [only] => Some(only),
        _ => None,
    })?;
    Some(FieldChoice {
        value: Json::of(value),
        title: text(map, "title"),
        description: text(map, "description"),
    })
}

fn branch(source: &SchemaSource, place: &SchemaPlace, number: usize) -> UnionBranch {
    let layers = Layers::of(source, &SubSchema::at(vec![place.clone()]));
    let first = |key: &str| layers.first(key).and_then(Value::as_str).map(str::to_owned);
    let properties: Vec<_> =
        layers.each("properties").filter_map(Value::as_object).flat_map(|map| map.iter()).collect();
    let constants: Vec<_> = properties
        .iter()
        .filter_map(|(key, schema)| {
            let value = schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
                [only] => Some(only),
                _ => None,
            })?;
            Some(format!(
                "{key}: {}",
                FieldChoice { value: Json::of(value), title: None, description: None }.label()
            ))
        })
        .take(3)
        .collect();
    let types = layers.types();
    let label = if let Some(title) = first("title").filter(|title| !title.trim().is_empty()) {
        BranchLabel::Text(title)
    } else if !constants.is_empty() {
        BranchLabel::Text(constants.join(", "))
    } else if !properties.is_empty() {
        BranchLabel::Keys(properties.iter().take(6).map(|(key, _)| (*key).clone()).collect())
    } else if let Some([known]) = types.as_deref() {
        BranchLabel::Type(*known)
    } else {
        BranchLabel::Number(number)
    };
    UnionBranch { label, description: first("description"), adds: BranchAdds::Part(place.clone()) }
}

/// A picker of one of several types.
pub(crate) fn of_types(types: &[JsonType]) -> UnionPicker {
    let branch = |known: &JsonType| UnionBranch {
        label: BranchLabel::Type(*known),
        description: None,
        adds: BranchAdds::Type(*known),
    };
    UnionPicker { at: "type".into(), branches: types.iter().map(branch).collect() }
}

/// The types that the branches of a picker allow; `None` if one of them does not say.
pub(crate) fn types(source: &SchemaSource, picker: &UnionPicker) -> Option<Vec<JsonType>> {
    let mut all = Vec::new();
    for branch in &picker.branches {
        match &branch.adds {
            BranchAdds::Type(known) => all.push(*known),
            BranchAdds::Part(place) => {
                let layers = Layers::of(source, &SubSchema::at(vec![place.clone()]));
                let types = layers.types().or_else(|| implied(&layers).map(|known| vec![known]))?;
                all.extend(types);
            }
        }
    }
    Some(
        JsonType::ALL
            .into_iter()
            .filter(|known| all.iter().any(|other| known.and(*other).is_some()))
            .collect(),
    )
}

/// The type that the keywords of a schema without a type speak of, if it is one.
pub(crate) fn implied(layers: &Layers<'_>) -> Option<JsonType> {
    const OF: [(JsonType, &[&str]); 4] = [
        (
            JsonType::Object,
            &[
                "properties",
                "required",
                "additionalProperties",
                "patternProperties",
                "minProperties",
                "maxProperties",
                "propertyNames",
                "dependentRequired",
                "dependentSchemas",
            ],
        ),
        (
            JsonType::Array,
            &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "additionalItems", "contains"],
        ),
        (
            JsonType::Text,
            &["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"],
        ),
        (JsonType::Number, &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let speaks =
        |keys: &[&str]| layers.all.iter().any(|layer| keys.iter().any(|key| layer.map.contains_key(*key)));
    let mut found = OF.into_iter().filter(|(_, keys)| speaks(keys)).map(|(known, _)| known);
    found.next().filter(|_| found.next().is_none())
}

/// A keyword's text.
pub(crate) fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// A keyword's list of texts.
pub(crate) fn texts(map: &Map<String, Value>, key: &str) -> Vec<String> {
    list(map, key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
