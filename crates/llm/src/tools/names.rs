//! Finds the offered tool that a model means by a name.
//!
//! Models write `functions.search` for `search`, change case, write `-` for `_`, or drop the prefix that a
//! server put before a name. A name is resolved only if it matches exactly one tool; any other is for the
//! model to correct.

/// Maximum bytes of a name.
const NAME_LIMIT: usize = 200;

/// The name among `offered` that `written` means; `None` if it matches none, or several.
#[must_use]
pub fn resolve<'a>(written: &str, offered: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if written.len() > NAME_LIMIT {
        return None;
    }
    if let Some(exact) = offered.clone().find(|name| *name == written) {
        return Some(exact);
    }
    let bare = bare(written);
    // The part after a namespace, as in `functions.search`, `default_api.search` and `mcp__shop__search`.
    let last = |name: &str| {
        let after_dot = name.rsplit(['.', '/']).next().unwrap_or_default().to_owned();
        after_dot.rsplit("__").next().unwrap_or_default().to_owned()
    };
    let ways: [&dyn Fn(&str) -> bool; 4] = [
        &|name| name == bare,
        &|name| !key(bare).is_empty() && key(name) == key(bare),
        &|name| !key(bare).is_empty() && key(name) == key(&last(bare)),
        // The model dropped the server's prefix.
        &|name| name.contains("__") && !key(bare).is_empty() && key(&last(name)) == key(bare),
    ];
    ways.iter().find_map(|means| {
        let mut found = offered.clone().filter(|name| means(name));
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    })
}

/// The name without decoration: `functions.search:0`, which is Kimi's id of a call, or `search()`.
fn bare(written: &str) -> &str {
    let name = written.trim().trim_matches(['"', '\'', '`']);
    let name = match name.rsplit_once(':') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => name,
    };
    let name = name.strip_suffix("()").unwrap_or(name);
    name.strip_prefix("functions.").unwrap_or(name)
}

/// The name without differences that models confuse: case, `-` and `_`.
fn key(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn means(offered: &[&str], written: &str, expected: Option<&str>) {
        assert_eq!(resolve(written, offered.iter().copied()), expected, "{written}");
    }

    #[test]
    fn name_is_resolved_to_its_only_match() {
        let offered = ["search_flights", "sort", "mcp__shop__add-to-cart"];
        for (written, expected) in [
            ("search_flights", "search_flights"),
            ("functions.search_flights", "search_flights"),
            ("functions.search_flights:0", "search_flights"),
            ("default_api.sort", "sort"),
            ("tools/sort", "sort"),
            ("sort()", "sort"),
            (" `sort` ", "sort"),
            ("searchFlights", "search_flights"),
            ("Search-Flights", "search_flights"),
            ("page__sort", "sort"),
            ("add_to_cart", "mcp__shop__add-to-cart"),
        ] {
            means(&offered, written, Some(expected));
        }
    }

    #[test]
    fn name_is_not_resolved_without_a_match_or_with_several() {
        let offered = ["search_flights", "searchFlights", "find", "a__open", "b__open"];
        means(&offered, "searchFlights", Some("searchFlights"));
        for written in ["", "()", "functions.", "__", "flights", "SearchFlights", "finds", "open", "f i n d"]
        {
            means(&offered, written, None);
        }
        means(&offered, &"find".repeat(100), None);
        means(&["_", "-"], "--", None);
    }
}
