//! Cities by their Chinese and English names, and the route in a text.

use serde::Serialize;

/// A city with an airport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct City {
    /// IATA code of its airport.
    pub code: &'static str,
    /// English name.
    pub en: &'static str,
    /// Chinese name.
    pub zh: &'static str,
}

/// The route that a text asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) origin: Option<City>,
    pub(super) destination: Option<City>,
}

const CITIES: &[City] = &[
    City { code: "PEK", en: "Beijing", zh: "北京" },
    City { code: "SHA", en: "Shanghai", zh: "上海" },
    City { code: "CAN", en: "Guangzhou", zh: "广州" },
    City { code: "SZX", en: "Shenzhen", zh: "深圳" },
    City { code: "CTU", en: "Chengdu", zh: "成都" },
    City { code: "HGH", en: "Hangzhou", zh: "杭州" },
    City { code: "XIY", en: "Xi'an", zh: "西安" },
    City { code: "CKG", en: "Chongqing", zh: "重庆" },
    City { code: "KMG", en: "Kunming", zh: "昆明" },
    City { code: "WUH", en: "Wuhan", zh: "武汉" },
    City { code: "NKG", en: "Nanjing", zh: "南京" },
    City { code: "XMN", en: "Xiamen", zh: "厦门" },
    City { code: "TAO", en: "Qingdao", zh: "青岛" },
    City { code: "SYX", en: "Sanya", zh: "三亚" },
    City { code: "HKG", en: "Hong Kong", zh: "香港" },
    City { code: "HND", en: "Tokyo", zh: "东京" },
    City { code: "SIN", en: "Singapore", zh: "新加坡" },
];

/// Other names of a city, in lower case.
const OTHER_NAMES: &[(&str, &str)] =
    &[("peking", "PEK"), ("canton", "CAN"), ("xi’an", "XIY"), ("xian", "XIY"), ("hongkong", "HKG")];

/// Other airports of a city.
const OTHER_CODES: &[(&str, &str)] = &[("PKX", "PEK"), ("PVG", "SHA"), ("TFU", "CTU"), ("NRT", "HND")];

/// The names of all cities known, in the given language (`zh` or `en`).
#[must_use]
pub fn city_names(language: &str) -> Vec<&'static str> {
    CITIES.iter().map(|city| if language == "zh" { city.zh } else { city.en }).collect()
}

/// The city with a code.
pub(super) fn find(code: &str) -> Option<City> {
    CITIES.iter().find(|city| city.code == code).copied()
}

/// The first route in a text. Words beside a city ("from", "to", "从", "到") say which end it is; cities
/// without such a word fill the remaining ends in order.
pub(super) fn find_route(text: &str) -> Route {
    let mut route = Route::default();
    let mut unmarked = Vec::new();
    for mention in mentions(text) {
        let place = match mention.end_of_route(text) {
            Some(RouteEnd::Origin) => &mut route.origin,
            Some(RouteEnd::Destination) => &mut route.destination,
            None => {
                unmarked.push(mention.city);
                continue;
            }
        };
        place.get_or_insert(mention.city);
    }
    for city in unmarked {
        if route.origin.is_none() {
            route.origin = Some(city);
        } else {
            route.destination.get_or_insert(city);
        }
    }
    route
}

enum RouteEnd {
    Origin,
    Destination,
}

struct Mention {
    start: usize,
    end: usize,
    city: City,
}

/// The positions of cities in a text, in order. Codes count in capitals only: "can" is a word.
fn mentions(text: &str) -> Vec<Mention> {
    let folded = text.to_ascii_lowercase();
    let others = |table: &'static [(&str, &str)]| {
        table.iter().filter_map(|(name, code)| Some(((*name).to_owned(), find(code)?)))
    };
    let names = CITIES
        .iter()
        .flat_map(|city| [city.en.to_ascii_lowercase(), city.zh.to_owned()].map(|name| (name, *city)))
        .chain(others(OTHER_NAMES))
        .flat_map(|(name, city)| places(&folded, &name, city));
    let codes = CITIES
        .iter()
        .map(|city| (city.code.to_owned(), *city))
        .chain(others(OTHER_CODES))
        .flat_map(|(code, city)| places(text, &code, city));
    let mut found: Vec<Mention> = names.chain(codes).collect();
    found.sort_by_key(|mention| mention.start);
    found
}

fn places(text: &str, name: &str, city: City) -> Vec<Mention> {
    text.match_indices(name)
        .map(|(start, name)| Mention { start, end: start + name.len(), city })
        .filter(|mention| mention.is_whole_word(text))
        .collect()
}

impl Mention {
    /// Chinese has no spaces, so only Latin names must be whole words.
    fn is_whole_word(&self, text: &str) -> bool {
        let is_latin = |c: char| c.is_ascii_alphanumeric();
        let inside = text[self.start..self.end].starts_with(is_latin);
        !(inside && (text[..self.start].ends_with(is_latin) || text[self.end..].starts_with(is_latin)))
    }

    fn end_of_route(&self, text: &str) -> Option<RouteEnd> {
        let before = text[..self.start].trim_end().to_ascii_lowercase();
        let after = text[self.end..].trim_start();
        let ends_with_word = |words: &[&str]| {
            words.iter().any(|word| {
                before
                    .strip_suffix(word)
                    .is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
            })
        };
        if ["从", "由", "自"].iter().any(|word| before.ends_with(word))
            || after.starts_with("出发")
            || ends_with_word(&["from", "leaving", "departing"])
        {
            Some(RouteEnd::Origin)
        } else if ["到", "去", "飞往", "飞", "至", "往", "抵达", "前往", "→", "->"]
            .iter()
            .any(|word| before.ends_with(word))
            || ends_with_word(&["to", "into", "reach", "visit"])
        {
            Some(RouteEnd::Destination)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> (Option<&'static str>, Option<&'static str>) {
        let route = find_route(text);
        (route.origin.map(|city| city.code), route.destination.map(|city| city.code))
    }

    #[test]
    fn both_ends_in_any_order() {
        for text in [
            "北京到上海",
            "从北京飞上海",
            "去上海，从北京出发",
            "北京 上海 明天",
            "from Beijing to Shanghai",
            "to SHANGHAI from beijing",
            "PEK-SHA",
            "Beijing → Shanghai",
            "a flight to Shanghai leaving Beijing",
        ] {
            assert_eq!(codes(text), (Some("PEK"), Some("SHA")), "{text}");
        }
    }

    #[test]
    fn one_end_or_none() {
        assert_eq!(codes("flights to Hong Kong"), (None, Some("HKG")));
        assert_eq!(codes("从深圳出发"), (Some("SZX"), None));
        assert_eq!(codes("from Atlantis to Gotham"), (None, None));
        assert_eq!(codes("Can I fly? I cannot."), (None, None));
        assert_eq!(codes("Can I fly from CAN TO PVG?"), (Some("CAN"), Some("SHA")));
    }

    #[test]
    fn every_city_is_known_by_code_and_both_names() {
        for city in CITIES {
            for name in [city.code, city.en, city.zh] {
                assert_eq!(find_route(&format!("to {name}")).destination, Some(*city), "{name}");
            }
        }
    }
}
