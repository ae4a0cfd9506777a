//! What a model is offered: a tab's tools under names that every provider accepts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sidecar_protocol::link::Risk;
use sidecar_protocol::{FrameId, TabId};

use crate::catalogue::{Catalogue, Tool, ToolId};
use crate::fingerprint::Fingerprint;

/// Longest name that every provider accepts.
const NAME_LIMIT: usize = 63;

/// Longest suffix that a frame gives.
const SUFFIX_LIMIT: usize = 30;

/// Most tools that every provider accepts in one request; with more the whole request is refused.
pub const MOST_TOOLS: usize = 128;

/// A tool as it is offered to a model, with the way back to the page's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Matches `^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`; unique in one offer.
    pub model_name: String,
    /// The tool it stands for.
    pub tool: ToolId,
    /// Host (with port) of the page that has it.
    pub site: String,
    /// Origin of the document that has it.
    pub origin: String,
    /// What a call may do.
    pub risk: Risk,
    /// What the page says of the tool now, as a digest.
    pub fingerprint: Fingerprint,
    /// What the model reads about it.
    pub description: String,
    /// The schema of its input as the page gave it (JSON text); absent when it gave none. What a model is shown of it is
    /// its service's matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// The offer for a tab's tools, by frame and name; those beyond [`MOST_TOOLS`] are left out.
///
/// The top frame's tools keep their names; a tool of another frame whose name is taken is told apart by its frame. Frame
/// ids grow, so a frame that comes takes no name from those that are there.
#[must_use]
pub fn offer(catalogue: &Catalogue, tab: TabId) -> Vec<Offer> {
    let top = catalogue.origin(tab);
    let mut taken = BTreeSet::new();
    catalogue
        .tools(tab)
        .take(MOST_TOOLS)
        .map(|tool| {
            let name = plain(&tool.id.name);
            let frame = Frame::of(tool, top).filter(|_| taken.contains(&key(&name)));
            let name = frame.map_or(name.clone(), |frame| joined(&name, &frame.suffix()));
            let about = &tool.description.description;
            Offer {
                model_name: free(name, &mut taken),
                tool: tool.id.clone(),
                site: tool.site().to_owned(),
                origin: tool.origin.clone(),
                risk: tool.risk,
                fingerprint: Fingerprint::of(&tool.description),
                description: frame.map_or(about.clone(), |frame| format!("{about}\n\n{}", frame.sentence())),
                schema: tool.description.input_schema.clone(),
            }
        })
        .collect()
}

/// Where in the page a tool is that is not in the top frame.
#[derive(Clone, Copy)]
enum Frame<'a> {
    /// A frame of the page's own origin.
    Own,
    /// A frame that shows another site.
    Other(&'a str),
}

impl<'a> Frame<'a> {
    fn of(tool: &'a Tool, top: Option<&str>) -> Option<Self> {
        match tool.id.frame {
            FrameId(0) => None,
            _ if top == Some(tool.origin.as_str()) => Some(Self::Own),
            _ => Some(Self::Other(tool.site())),
        }
    }

    fn suffix(self) -> String {
        match self {
            Self::Own => "frame".to_owned(),
            // The end of a long host says whose it is.
            Self::Other(site) => {
                let suffix = accepted(site);
                suffix[suffix.len().saturating_sub(SUFFIX_LIMIT)..].to_owned()
            }
        }
    }

    fn sentence(self) -> String {
        match self {
            Self::Own => "This tool belongs to a frame inside the page.".to_owned(),
            Self::Other(site) => format!("This tool belongs to a frame inside the page, from {site}."),
        }
    }
}

/// The page's name as every provider accepts it.
fn plain(page_name: &str) -> String {
    let mut name = accepted(page_name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name.truncate(NAME_LIMIT);
    name
}

/// The text with nothing but characters that every provider accepts in a name.
fn accepted(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Name and suffix within the limit, at the cost of the name.
fn joined(name: &str, suffix: &str) -> String {
    format!("{}_{suffix}", &name[..name.len().min(NAME_LIMIT - 1 - suffix.len())])
}

/// The name, with a number if it is taken.
fn free(wanted: String, taken: &mut BTreeSet<String>) -> String {
    let mut name = wanted.clone();
    let mut n = 2;
    while !taken.insert(key(&name)) {
        name = joined(&wanted, &n.to_string());
        n += 1;
    }
    name
}

/// Providers differ in whether case tells names apart, so ours never differ by case alone.
fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Place;
    use sidecar_protocol::page::{Backend, ToolDescription};

    const TAB: TabId = TabId(1);

    /// The frame of a page, with the tools of these names.
    fn put(catalogue: &mut Catalogue, frame: i32, origin: &str, names: &[&str]) {
        let place = Place {
            tab: TAB,
            frame: FrameId(frame),
            document: format!("d{frame}").as_str().into(),
            origin: origin.to_owned(),
        };
        let tool = |name: &&str| ToolDescription {
            name: (*name).to_owned(),
            title: String::new(),
            description: "Lists.".to_owned(),
            input_schema: None,
            annotations: None,
            form: false,
        };
        let tools = names.iter().map(tool).collect();
        catalogue.update(&place, Backend::Native, tools, names.len(), false);
    }

    /// Frame and name of each tool on offer.
    fn names(catalogue: &Catalogue) -> Vec<(i32, String)> {
        let offers = offer(catalogue, TAB);
        offers.into_iter().map(|offer| (offer.tool.frame.0, offer.model_name)).collect()
    }

    fn named(expected: &[(i32, &str)]) -> Vec<(i32, String)> {
        expected.iter().map(|(frame, name)| (*frame, (*name).to_owned())).collect()
    }

    const TOP: &str = "https://shop.example";
    const MAPS: &str = "https://maps.example:8443";

    #[test]
    fn names_fit_every_provider_and_stay_apart() {
        let mut taken = BTreeSet::new();
        let mut name = |page: &str| free(plain(page), &mut taken);
        assert_eq!(name("searchFlights"), "searchFlights");
        assert_eq!(name("SEARCHFLIGHTS"), "SEARCHFLIGHTS_2");
        assert_eq!(name("search.flights"), "search_flights");
        assert_eq!(name("search_flights"), "search_flights_2");
        assert_eq!(name("9lives"), "_9lives");
        assert_eq!(name("-x"), "_-x");
        let long = "a".repeat(128);
        assert_eq!(name(&long), "a".repeat(63));
        assert_eq!(name(&long), format!("{}_2", "a".repeat(61)));
    }

    #[test]
    fn a_tool_of_a_frame_is_told_apart_by_its_frame() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, 0, TOP, &["pay", "search"]);
        put(&mut catalogue, 4, TOP, &["Search", "zoom"]);
        put(&mut catalogue, 7, MAPS, &["search"]);
        put(&mut catalogue, 9, MAPS, &["search", "zoom"]);
        put(&mut catalogue, 11, "null", &["search"]);
        let expected = named(&[
            (0, "pay"),
            (0, "search"),
            (4, "Search_frame"),
            (4, "zoom"),
            (7, "search_maps_example_8443"),
            (9, "search_maps_example_8443_2"),
            (9, "zoom_maps_example_8443"),
            (11, "search_sandboxed"),
        ]);
        assert_eq!(names(&catalogue), expected);
        let offers = offer(&catalogue, TAB);
        let about = |n: usize| offers[n].description.as_str();
        assert_eq!(about(1), "Lists.");
        assert_eq!(about(2), "Lists.\n\nThis tool belongs to a frame inside the page.");
        assert_eq!(about(3), "Lists.");
        assert_eq!(
            about(4),
            "Lists.\n\nThis tool belongs to a frame inside the page, from maps.example:8443."
        );
    }

    #[test]
    fn a_frame_that_comes_or_goes_renames_no_tool_of_others() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, 0, TOP, &["search"]);
        put(&mut catalogue, 4, TOP, &["search"]);
        let before = named(&[(0, "search"), (4, "search_frame")]);
        assert_eq!(names(&catalogue), before);
        put(&mut catalogue, 7, MAPS, &["search", "zoom"]);
        put(&mut catalogue, 9, TOP, &["search"]);
        let all = names(&catalogue);
        assert_eq!(all[..2], before);
        assert_eq!(all[2..], named(&[(7, "search_maps_example_8443"), (7, "zoom"), (9, "search_frame_2")]));
        catalogue.document_gone(TAB, &"d7".into());
        assert_eq!(names(&catalogue), named(&[(0, "search"), (4, "search_frame"), (9, "search_frame_2")]));
        // A top frame without tools is still the one that the others are compared with.
        put(&mut catalogue, 0, TOP, &[]);
        assert_eq!(names(&catalogue), named(&[(4, "search"), (9, "search_frame")]));
    }

    #[test]
    fn names_with_suffixes_fit_every_provider_too() {
        let mut catalogue = Catalogue::default();
        let long = "a".repeat(128);
        put(&mut catalogue, 0, TOP, &[&long]);
        let host = format!("https://{}.maps.example", "b".repeat(60));
        put(&mut catalogue, 4, &host, &[&long]);
        put(&mut catalogue, 5, &host, &[&long]);
        let told_apart = format!("{}_{}_maps_example", "a".repeat(32), "b".repeat(17));
        let numbered = format!("{}_2", &told_apart[..61]);
        let expected = named(&[(0, &"a".repeat(63)), (4, &told_apart), (5, &numbered)]);
        assert_eq!(names(&catalogue), expected);
    }

    #[test]
    fn an_offer_leads_back_to_the_tool() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, 0, "https://flights.example:8443", &["list.flights"]);
        let offers = offer(&catalogue, TAB);
        assert_eq!(offers[0].model_name, "list_flights");
        assert_eq!(offers[0].site, "flights.example:8443");
        assert!(catalogue.find(&offers[0].tool).is_some());
    }
}
