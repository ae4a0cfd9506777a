//! Resolves a model's call: which of the tools on offer it means, with which arguments, and what had to be
//! repaired.

use sidecar_llm::{CallRecord, arguments, names};
use sidecar_protocol::CallId;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::Repair;
use sidecar_protocol::{Risk, TabId, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{ASK_USER, Offer};

use crate::browser_tools::{self, use_skill};
use crate::call_log::mask;
use crate::log::{Call, Target};
use crate::ports::ToolHost;
use crate::tools::question;

/// Maximum number of tool names that a model is told.
const NAMES_TOLD: usize = 32;

/// Resolves the call that a model made in `record`; `is_inline` if it stood in the text. `earlier` is the
/// tool that a name meant in an earlier call.
pub async fn call<'l>(
    id: CallId,
    record: CallRecord,
    is_inline: bool,
    offers: &[Offer],
    earlier: &dyn Fn(&str) -> Option<&'l Target>,
    tools: &impl ToolHost,
) -> Call {
    let mut repaired = Vec::new();
    if is_inline {
        repaired.push(Repair::Leaked);
    }
    let offered = offers.iter().map(|offer| offer.model_name.as_str());
    let own = (!offers.is_empty()).then_some(ASK_USER);
    let name = names::resolve(&record.name, offered.chain(own));
    if let Some(ASK_USER) = name {
        return asking(id, record, repaired);
    }
    let offer = match name {
        Some(name) => offers.iter().find(|offer| offer.model_name == name),
        None => by_other_name(&record.name, offers, earlier),
    };
    let Some(offer) = offer else {
        let mistake = Some(format!("There is no tool named {:?}. {}", record.name, told(offers)));
        let secrets = Vec::new();
        return Call {
            id,
            record,
            name: None,
            target: None,
            arguments: None,
            repaired,
            mistake,
            off_pattern: false,
            secrets,
            question: None,
        };
    };
    if offer.model_name != record.name {
        repaired.push(Repair::Name);
    }
    let schema = offer.schema.as_deref();
    let wanted = schema.and_then(|schema| serde_json::from_str(schema).ok()).unwrap_or_default();
    let (arguments, mistake) = match arguments::repair(&record.arguments, &wanted) {
        Ok(sound) => {
            repaired.extend(&sound.repairs);
            let mistake = match schema {
                Some(schema) => tools.mistake(schema, &sound.arguments).await,
                None => None,
            };
            (Some(sound.arguments).filter(|sound| *sound != record.arguments), mistake)
        }
        Err(text) => (None, Some(Mistake { text, off_pattern: false })),
    };
    let in_tab = match other_tab(offer, arguments.as_deref().unwrap_or(&record.arguments)) {
        Some(tab) => Some(tools.in_tab(offer, tab).await),
        None => None,
    };
    let (target, mistake) = match in_tab {
        Some(Ok(there)) => (target_of(&there), mistake),
        Some(Err(text)) => (target_of(offer), mistake.or(Some(Mistake { text, off_pattern: false }))),
        None => {
            let arguments = arguments.as_deref().unwrap_or(&record.arguments);
            (use_skill::target_of_call(target_of(offer), arguments), mistake)
        }
    };
    let off_pattern = mistake.as_ref().is_some_and(|mistake| mistake.off_pattern);
    let mistake = mistake.map(|mistake| mistake.text);
    let name = Some(offer.model_name.clone()).filter(|name| *name != record.name);
    let mut call = Call {
        id,
        record,
        name,
        target: Some(target),
        arguments,
        repaired,
        mistake,
        off_pattern,
        secrets: Vec::new(),
        question: None,
    };
    call.secrets = mask::secret_places_in(schema, call.arguments());
    call
}

fn target_of(offer: &Offer) -> Target {
    Target {
        tool: offer.tool.clone(),
        site: offer.site.clone(),
        origin: offer.origin.clone(),
        read_only: offer.risk == Risk::ReadOnly,
        consequential: offer.risk == Risk::Consequential,
        fingerprint: Some(offer.fingerprint.clone()),
        skill: offer.skill.clone(),
    }
}

/// The tab that a call of one of the browser's own tools names, if it is not the one for which that is offered.
fn other_tab(offer: &Offer, arguments: &str) -> Option<TabId> {
    let ToolRef::Browser { name, tab } = &offer.tool else { return None };
    browser_tools::tab_of(name, arguments).filter(|named| Some(*named) != *tab)
}

/// Whether a tool of this name is on offer, or is the agent's own.
#[must_use]
pub fn is_known<'l>(name: &str, offers: &[Offer], earlier: &dyn Fn(&str) -> Option<&'l Target>) -> bool {
    let offered = offers.iter().map(|offer| offer.model_name.as_str());
    names::resolve(name, offered.chain([ASK_USER])).is_some()
        || by_other_name(name, offers, earlier).is_some()
}

/// The tool that is on offer under another name, but of which the model or the user has read this one: an
/// earlier call had it, or it is the page's own name, which the service does not accept or another tool
/// shares.
fn by_other_name<'o, 'l>(
    name: &str,
    offers: &'o [Offer],
    earlier: &dyn Fn(&str) -> Option<&'l Target>,
) -> Option<&'o Offer> {
    let place = |tool: &ToolRef| (tool.tab(), tool.page().map(|page| page.frame));
    let is_same = |offer: &&Offer, target: &Target| {
        offer.tool.name() == target.tool.name()
            && offer.origin == target.origin
            && place(&offer.tool) == place(&target.tool)
    };
    let before = earlier(name).and_then(|target| offers.iter().find(|offer| is_same(offer, target)));
    before.or_else(|| {
        let mut own = offers.iter().filter(|offer| offer.tool.name() == name);
        own.next().filter(|_| own.next().is_none())
    })
}

/// A call of the agent's own tool.
fn asking(id: CallId, record: CallRecord, mut repaired: Vec<Repair>) -> Call {
    let wanted = question::definition(Language::English).parameters;
    let (read, sound) = match arguments::repair(&record.arguments, &wanted) {
        Ok(sound) => {
            repaired.extend(&sound.repairs);
            (question::read(&sound.arguments), Some(sound.arguments))
        }
        Err(mistake) => (Err(mistake), None),
    };
    let arguments = sound.filter(|sound| *sound != record.arguments);
    let mistake = read.as_ref().err().cloned();
    let question = Some(read.unwrap_or_default());
    let name = Some(ASK_USER.to_owned()).filter(|name| *name != record.name);
    Call {
        id,
        record,
        name,
        target: None,
        arguments,
        repaired,
        mistake,
        off_pattern: false,
        secrets: Vec::new(),
        question,
    }
}

/// The names of the tools on offer, for a model.
#[must_use]
pub fn told(offers: &[Offer]) -> String {
    let names: Vec<_> = offers.iter().take(NAMES_TOLD).map(|offer| offer.model_name.as_str()).collect();
    match offers.len().checked_sub(names.len()) {
        _ if names.is_empty() => "There are no tools at the moment.".to_owned(),
        None | Some(0) => format!("The tools are: {}.", names.join(", ")),
        Some(more) => format!("The tools are: {}, and {more} more.", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use serde_json::json;
    use sidecar_webmcp::Fingerprint;

    use super::*;
    use crate::testing::{Page, tool_id};

    fn offer(name: &str) -> Offer {
        let parameters = json!({"type": "object", "properties": {"seats": {"type": "integer"}}});
        Offer {
            skill: None,
            model_name: name.to_owned(),
            tool: tool_id(name),
            site: "flights.example".to_owned(),
            origin: "https://flights.example".to_owned(),
            risk: Risk::ReadOnly,
            fingerprint: Fingerprint(String::new()),
            description: String::new(),
            schema: Some(parameters.to_string()),
        }
    }

    fn read(name: &str, arguments: &str, is_inline: bool) -> Call {
        let record =
            CallRecord { id: "a".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        let offers = [offer("search"), offer("list")];
        let tools = Page::without_tools();
        let call = block_on(call(CallId::from("c"), record.clone(), is_inline, &offers, &|_| None, &tools));
        assert_eq!(call.record, record, "the model's own words are kept");
        call
    }

    #[test]
    fn resolved_call_lists_its_repairs() {
        for (name, arguments, is_inline, expected, repaired) in [
            ("search", r#"{"seats": 2}"#, false, None, vec![]),
            ("search", r#"{"seats": 2}"#, true, None, vec![Repair::Leaked]),
            ("functions.search", "{}", false, None, vec![Repair::Name]),
            ("search", "{'seats': 2}", false, Some(r#"{"seats":2}"#), vec![Repair::Syntax]),
            ("search", r#"{"seats":"2"}"#, false, Some(r#"{"seats":2}"#), vec![Repair::Types]),
            ("search", "", false, Some("{}"), vec![]),
        ] {
            let call = read(name, arguments, is_inline);
            assert_eq!(
                (call.arguments.as_deref(), call.repaired),
                (expected, repaired),
                "{name} {arguments}"
            );
            assert_eq!((call.mistake, call.target.unwrap().tool), (None, tool_id("search")));
        }
    }

    #[test]
    fn resolved_call_has_a_mistake_when_it_cannot_be_repaired() {
        let call = read("book", "{}", false);
        let mistake = "There is no tool named \"book\". The tools are: search, list.";
        assert_eq!((call.mistake.as_deref(), call.target), (Some(mistake), None));
        assert_eq!(
            read("search", "{'seats': 'two'}", false).mistake.unwrap(),
            "The arguments do not fit the tool's input schema: seats: expected an integer, but got the string \"two\"."
        );
        assert!(read("search", "{\"seats\":", false).mistake.unwrap().contains("not valid JSON"));
    }

    #[test]
    fn resolved_call_lists_the_secrets_of_the_schema() {
        let schema = json!({"properties": {"word": {"format": "password"}}}).to_string();
        let offers = [Offer { schema: Some(schema), ..offer("login") }];
        let record = CallRecord {
            id: "a".to_owned(),
            name: "login".to_owned(),
            arguments: r#"{"user":"ann","word":"abc"}"#.to_owned(),
        };
        let tools = Page::without_tools();
        let call = block_on(call(CallId::from("c"), record, false, &offers, &|_| None, &tools));
        assert_eq!(call.secrets, ["/word"]);
    }

    #[test]
    fn browser_tool_is_that_of_the_tab_which_its_call_names() {
        let here = ToolRef::Browser { name: "snapshot".to_owned(), tab: Some(TabId(7)) };
        let there = ToolRef::Browser { name: "snapshot".to_owned(), tab: Some(TabId(9)) };
        let offers = [Offer { tool: here.clone(), schema: None, ..offer("snapshot") }];
        let read = |arguments: &str| {
            let record = CallRecord {
                id: "a".to_owned(),
                name: "snapshot".to_owned(),
                arguments: arguments.to_owned(),
            };
            let tools = Page::without_tools();
            let call = block_on(call(CallId::from("c"), record, false, &offers, &|_| None, &tools));
            let target = call.target.unwrap();
            (target.tool, target.origin, call.mistake)
        };
        let (flights, mail) = ("https://flights.example".to_owned(), "https://mail.example".to_owned());
        assert_eq!(read("{}"), (here.clone(), flights.clone(), None));
        assert_eq!(read(r#"{"tabId":7}"#), (here.clone(), flights.clone(), None));
        assert_eq!(read(r#"{"tabId":9}"#), (there, mail, None));
        let mistake = Some("Tab 8 is not part of this chat.".to_owned());
        assert_eq!(read(r#"{"tabId":8}"#), (here, flights, mistake));
    }

    #[test]
    fn mistake_lists_a_limited_number_of_tool_names() {
        assert_eq!(told(&[]), "There are no tools at the moment.");
        let many: Vec<_> = (0..40).map(|n| offer(&format!("t{n}"))).collect();
        assert!(told(&many).ends_with("t31, and 8 more."));
    }
}
