//! The tools that a model is offered: those of one or several tabs, under names that every provider
//! accepts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sidecar_protocol::skill::SkillRelease;
use sidecar_protocol::{FrameId, Risk, TabId, ToolRef};

use crate::catalogue::Catalogue;
use crate::fingerprint::Fingerprint;
use crate::tool::Tool;

/// Maximum length of a name that every provider accepts.
pub const NAME_LIMIT: usize = 63;

/// Maximum length of the suffix for a frame or a tab.
const SUFFIX_LIMIT: usize = 30;

/// Maximum number of page tools in a request. Every provider accepts one more, the agent's own
/// ([`ASK_USER`]); with more than that, providers refuse the request.
pub const MOST_TOOLS: usize = 127;

/// The name of the agent's own tool, with which it asks the user. No tool of a page gets it.
pub const ASK_USER: &str = "ask_user";

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Matches `^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`; unique within an offer.
    pub model_name: String,
    /// The tool that it stands for.
    pub tool: ToolRef,
    /// Host (with port) of its page.
    pub site: String,
    /// Origin of its document.
    pub origin: String,
    /// What a call may do.
    pub risk: Risk,
    /// Digest of its current definition.
    pub fingerprint: Fingerprint,
    /// The description for the model.
    pub description: String,
    /// The schema of its arguments as the page gave it (JSON text); absent if it gave none. How a model
    /// sees it depends on its service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The SKILL that it is of, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillRelease>,
}

impl Offer {
    /// Digest of all tools on offer, with their documents.
    #[must_use]
    pub fn fingerprint_of(offers: &[Self]) -> Fingerprint {
        let mut tools: Vec<_> = offers.iter().map(|offer| (&offer.tool, &offer.fingerprint)).collect();
        tools.sort_by_key(|(tool, _)| *tool);
        Fingerprint::of_text(&serde_json::to_string(&tools).unwrap_or_default())
    }
}

/// A tab whose tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTab {
    /// The tab.
    pub id: TabId,
    /// Host and port of its page.
    pub site: String,
}

/// The tools of some tabs, in the order of the tabs, by frame and name; at most [`MOST_TOOLS`], of each tab
/// as many as of the others, as far as it has them.
///
/// The tools of the first tab's top frame keep their names; a tool whose name is taken gets the name of its
/// frame or the site of its tab as a suffix. Frame ids grow, so a new frame takes no name from an existing
/// one. If there are several tabs, each description says which tab the tool is in. A tool that is off is
/// not offered but reserves its name, so that the names of the others do not depend on it.
#[must_use]
pub fn offer(catalogue: &Catalogue, tabs: &[OfferedTab], is_off: impl Fn(&Tool) -> bool) -> Vec<Offer> {
    let is_on = |tool: &&Tool| !is_off(tool);
    let counts: Vec<_> = tabs.iter().map(|tab| catalogue.tools(tab.id).filter(is_on).count()).collect();
    let shares = shares(&counts);
    let mut taken = BTreeSet::from([key(ASK_USER)]);
    let mut offers = Vec::new();
    for (number, tab) in tabs.iter().enumerate() {
        let top = catalogue.origin(tab.id);
        let mut left = shares[number];
        for tool in catalogue.tools(tab.id) {
            if left == 0 {
                break;
            }
            let name = plain(tool.id.name());
            let is_taken = taken.contains(&key(&name));
            let frame = Frame::of(tool, top).filter(|_| is_taken);
            let suffix = match (number, frame) {
                _ if !is_taken => None,
                (0, frame) => frame.map(Frame::suffix),
                (_, _) => Some(of_site(tool.site())),
            };
            let mut description = tool.description.description.clone();
            let sentences =
                [frame.map(Frame::sentence), (tabs.len() > 1).then(|| sentence_of(number + 1, tabs))];
            for sentence in sentences.into_iter().flatten() {
                description.push_str("\n\n");
                description.push_str(&sentence);
            }
            let model_name = free(suffix.map_or(name.clone(), |suffix| joined(&name, &suffix)), &mut taken);
            if is_off(tool) {
                continue;
            }
            left -= 1;
            offers.push(Offer {
                model_name,
                tool: tool.id.clone(),
                site: tool.site().to_owned(),
                origin: tool.origin.clone(),
                risk: tool.risk,
                fingerprint: tool.fingerprint().clone(),
                description,
                schema: tool.description.input_schema.clone(),
                skill: None,
            });
        }
    }
    offers
}

/// Says which of several tabs a tool is in. A tab's title would read better, but it changes while the user
/// looks, and it is the page's own text.
fn sentence_of(number: usize, tabs: &[OfferedTab]) -> String {
    format!("This tool belongs to tab {number} of {}, {}.", tabs.len(), tabs[number - 1].site)
}

/// How many tools of each tab are offered: one of each in turn, until the maximum is reached.
fn shares(counts: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; counts.len()];
    let mut left = MOST_TOOLS;
    while left > 0 && shares != counts {
        for (share, count) in shares.iter_mut().zip(counts) {
            if *share < *count && left > 0 {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

/// A suffix for tools of this site: the end of a long host, which says whose it is.
fn of_site(site: &str) -> String {
    let suffix = accepted(site);
    suffix[suffix.len().saturating_sub(SUFFIX_LIMIT)..].to_owned()
}

/// The frame of a tool outside the top frame.
#[derive(Clone, Copy)]
enum Frame<'a> {
    /// A frame of the page's own origin.
    Own,
    /// A frame that shows another site.
    Other(&'a str),
}

impl<'a> Frame<'a> {
    fn of(tool: &'a Tool, top: Option<&str>) -> Option<Self> {
        match tool.frame {
            FrameId::TOP => None,
            _ if top == Some(tool.origin.as_str()) => Some(Self::Own),
            _ => Some(Self::Other(tool.site())),
        }
    }

    fn suffix(self) -> String {
        match self {
            Self::Own => "frame".to_owned(),
            Self::Other(site) => of_site(site),
        }
    }

    fn sentence(self) -> String {
        match self {
            Self::Own => "This tool belongs to a frame inside the page.".to_owned(),
            Self::Other(site) => format!("This tool belongs to a frame inside the page, from {site}."),
        }
    }
}

/// The page's name with only characters that every provider accepts.
fn plain(page_name: &str) -> String {
    let mut name = accepted(page_name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name.truncate(NAME_LIMIT);
    name
}

/// The text with only characters that every provider accepts in a name.
fn accepted(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Name and suffix within the maximum length; the name is cut.
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

/// Providers differ in whether names are case-sensitive, so ours never differ by case alone.
fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ToolList;
    use crate::tool::Place;
    use sidecar_protocol::Source;
    use sidecar_protocol::page::ToolDescription;

    const TAB: TabId = TabId(1);

    fn tab(id: TabId, site: &str) -> OfferedTab {
        OfferedTab { id, site: site.to_owned() }
    }

    /// The frame of a page, with the tools of these names.
    fn put(catalogue: &mut Catalogue, frame: i32, origin: &str, names: &[&str]) {
        put_into(catalogue, TAB, frame, origin, names);
    }

    fn put_into(catalogue: &mut Catalogue, tab: TabId, frame: i32, origin: &str, names: &[&str]) {
        let place = Place {
            tab,
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
            definition: String::new(),
        };
        let tools = names.iter().map(tool).collect();
        // Native WebMCP runs none of the tools of an opaque origin.
        let source = if origin == "null" { Source::Polyfill } else { Source::Native };
        catalogue.update(&place, ToolList { source, tools, total: names.len(), blocked: false });
    }

    /// Frame and name of each tool on offer.
    fn names(catalogue: &Catalogue) -> Vec<(i32, String)> {
        let offers = offer(catalogue, &[tab(TAB, "Shop")], |_| false);
        offers
            .into_iter()
            .map(|offer| (offer.tool.page().map_or(0, |page| page.frame.0), offer.model_name))
            .collect()
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
    fn tool_of_a_frame_is_told_apart_by_its_frame() {
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
        let offers = offer(&catalogue, &[tab(TAB, "Shop")], |_| false);
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
    fn tools_of_several_tabs_are_told_apart_by_their_sites_and_say_where_they_are() {
        const OTHER: TabId = TabId(2);
        const THIRD: TabId = TabId(3);
        let mut catalogue = Catalogue::default();
        put_into(&mut catalogue, TAB, 0, TOP, &["search", "pay"]);
        put_into(&mut catalogue, OTHER, 0, "https://post.example", &["search", "send"]);
        put_into(&mut catalogue, OTHER, 5, MAPS, &["search"]);
        put_into(&mut catalogue, THIRD, 0, TOP, &["search"]);
        let names = |tabs: &[OfferedTab]| {
            let offers = offer(&catalogue, tabs, |_| false);
            offers
                .iter()
                .map(|offer| (offer.tool.tab().map_or(0, |tab| tab.0), offer.model_name.clone()))
                .collect::<Vec<_>>()
        };
        let named = |expected: &[(i32, &str)]| {
            expected.iter().map(|(tab, name)| (*tab, (*name).to_owned())).collect::<Vec<_>>()
        };
        let all = [tab(TAB, "shop.example"), tab(OTHER, "post.example"), tab(THIRD, "shop.example")];
        let first = [(1, "pay"), (1, "search")];
        let other = [(2, "search_post_example"), (2, "send"), (2, "search_maps_example_8443")];
        let third = [(3, "search_shop_example")];
        assert_eq!(names(&all), named(&[&first[..], &other[..], &third[..]].concat()));
        assert_eq!(names(&all[..2]), named(&[&first[..], &other[..]].concat()), "another tab renames none");
        assert_eq!(names(&all[..1]), named(&first));
        let offers = offer(&catalogue, &all, |_| false);
        assert_eq!(offers[0].description, "Lists.\n\nThis tool belongs to tab 1 of 3, shop.example.");
        assert!(
            offers[4].description.ends_with("to tab 2 of 3, post.example."),
            "a frame of another site is in it"
        );
        assert!(offers[5].description.ends_with("to tab 3 of 3, shop.example."));
    }

    #[test]
    fn page_tool_cannot_take_the_agents_own_name() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, 0, TOP, &["Ask_User"]);
        assert_eq!(names(&catalogue), named(&[(0, "Ask_User_2")]));
    }

    #[test]
    fn tab_with_very_many_tools_leaves_room_for_those_of_others() {
        let mut catalogue = Catalogue::default();
        let many: Vec<String> = (0..MOST_TOOLS).map(|n| format!("t{n:03}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        put_into(&mut catalogue, TAB, 0, TOP, &many);
        put_into(&mut catalogue, TabId(2), 0, MAPS, &many);
        let offers = offer(&catalogue, &[tab(TAB, "Shop"), tab(TabId(2), "Maps")], |_| false);
        assert_eq!(offers.len(), MOST_TOOLS);
        assert_eq!(offers.iter().filter(|offer| offer.tool.tab() == Some(TabId(2))).count(), MOST_TOOLS / 2);
        assert_eq!(offer(&catalogue, &[], |_| false), []);
        assert_eq!(shares(&[200, 10, 0]), [MOST_TOOLS - 10, 10, 0]);
    }

    #[test]
    fn tool_that_is_off_takes_no_room_and_keeps_its_name() {
        let mut catalogue = Catalogue::default();
        let many: Vec<String> = (0..2 * MOST_TOOLS).map(|n| format!("t{n:03}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        put(&mut catalogue, 0, TOP, &many);
        let offers = offer(&catalogue, &[tab(TAB, "Shop")], |tool| tool.id.name() < "t127");
        assert_eq!((offers.len(), offers[0].model_name.as_str()), (MOST_TOOLS, "t127"));
        put(&mut catalogue, 4, TOP, &["t000"]);
        let others = super::offer(&catalogue, &[tab(TAB, "Shop")], |tool| tool.frame == FrameId::TOP);
        assert_eq!(others[0].model_name, "t000_frame");
    }

    #[test]
    fn frame_that_comes_or_goes_renames_no_tool_of_others() {
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
        // A top frame without tools still decides which frames have the page's origin.
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
    fn offer_leads_back_to_the_tool() {
        let mut catalogue = Catalogue::default();
        put(&mut catalogue, 0, "https://flights.example:8443", &["list.flights"]);
        let offers = offer(&catalogue, &[tab(TAB, "Shop")], |_| false);
        assert_eq!(offers[0].model_name, "list_flights");
        assert_eq!(offers[0].site, "flights.example:8443");
        assert!(catalogue.find(&offers[0].tool).is_some());
    }
}
