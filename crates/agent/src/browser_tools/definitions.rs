//! The definitions of the browser's tools, and which of them are offered.

use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::{DocumentId, FrameId, PageAccess, Risk, Source, TabId};
use sidecar_webmcp::{Place, Tool};

/// A tool of the extension itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrowserTool {
    /// Its name, for models and outside agents alike.
    pub name: &'static str,
    /// What the user must have allowed on the page's site; `None` for asking for that.
    pub needs: Option<PageAccess>,
    /// What a call may do, as far as the tool alone says.
    pub risk: Risk,
    /// For the model.
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub schema: &'static str,
}

/// The tool with which the agent asks to use a site's pages. Its approval is the consent.
pub const PAGE_ACCESS: &str = "request_page_access";

/// The tool that is offered to models that see only.
pub const SCREENSHOT: &str = "screenshot";

/// Maximum bytes of all definitions together.
pub const MOST_BYTES: usize = 8_000;

const READ: Option<PageAccess> = Some(PageAccess::Read);
const ACT: Option<PageAccess> = Some(PageAccess::Act);

/// Every tool, in the order in which they are offered.
pub const TOOLS: &[BrowserTool] = &[
    BrowserTool {
        name: PAGE_ACCESS,
        needs: None,
        risk: Risk::Acting,
        description: "Asks the user to let you use the page in front: `read` for reading it, `act` for reading, clicking and \
                      typing. Call it when the task needs the page and no tool of the page does it. Then more tools are offered.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"access":{"type":"string","enum":["read","act"]}},"required":["access"]}"#,
    },
    BrowserTool {
        name: "snapshot",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "The page as an outline: roles, names, values, states, and a `ref` for each element to use with the other \
                      tools. `query` finds elements by words or role, `root` shows one part, `since` shows what changed after \
                      an earlier snapshot.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"query":{"type":"string"},"root":{"type":"string","description":"a ref"},"since":{"type":"string","description":"id of a snapshot, as s3"}}}"#,
    },
    BrowserTool {
        name: "page_text",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "The page's main text as Markdown, for reading and summing up. Long pages come in parts: pass `offset`.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"offset":{"type":"integer","minimum":0}}}"#,
    },
    BrowserTool {
        name: SCREENSHOT,
        needs: READ,
        risk: Risk::ReadOnly,
        description: "A picture of what is visible of the page in front, or of the element `selector`: for what an outline does \
                      not tell, as charts, maps and looks.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"}}}"#,
    },
    BrowserTool {
        name: "find_elements",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "The elements that match a CSS selector: ref, role, name, text.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"css":{"type":"string"}},"required":["css"]}"#,
    },
    BrowserTool {
        name: "scroll",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "Scrolls the page, or the part `selector`, up or down by a screen, to its top or bottom, or to the element \
                      with a ref.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"to":{"type":"string","description":"up, down, top, bottom, or a ref"},"selector":{"type":"string"}},"required":["to"]}"#,
    },
    BrowserTool {
        name: "wait_for",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "Waits until a text or element is there (or, with `gone`, no longer there).",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"text":{"type":"string"},"selector":{"type":"string"},"gone":{"type":"boolean"},"seconds":{"type":"integer","minimum":1,"maximum":30}}}"#,
    },
    BrowserTool {
        name: "list_tabs",
        needs: READ,
        risk: Risk::ReadOnly,
        description: "The open tabs: number, title, address. The tools for pages take the `tabId` of one that is `inChat`; else they work in \
                      the tab in front.",
        schema: r#"{"type":"object","properties":{}}"#,
    },
    BrowserTool {
        name: "click_element",
        needs: ACT,
        risk: Risk::Acting,
        description: "Clicks the element with a ref of the latest snapshot (or the only one that matches a CSS selector); \
                      `count` 2 is a double click.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"},"count":{"type":"integer","enum":[1,2]}},"required":["selector"]}"#,
    },
    BrowserTool {
        name: "hover",
        needs: ACT,
        risk: Risk::Acting,
        description: "Moves the pointer over an element, for menus that open so.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"}},"required":["selector"]}"#,
    },
    BrowserTool {
        name: "input_text",
        needs: ACT,
        risk: Risk::Acting,
        description: "Types into a field, or into several with `fields`; replaces what is there unless `append`. Dates are \
                      YYYY-MM-DD. `submit` sends the form afterwards. For a password, card, code or file give that field alone: the user \
                      is asked to fill it.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"},"text":{"type":"string"},"fields":{"type":"array","items":{"type":"object","properties":{"selector":{"type":"string"},"text":{"type":"string"}},"required":["selector","text"]}},"append":{"type":"boolean"},"submit":{"type":"boolean"}}}"#,
    },
    BrowserTool {
        name: "select_option",
        needs: ACT,
        risk: Risk::Acting,
        description: "Chooses options of a list by their labels, or switches a checkbox, radio button or switch `on` or off.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"},"values":{"type":"array","items":{"type":"string"}},"on":{"type":"boolean"}},"required":["selector"]}"#,
    },
    BrowserTool {
        name: "press_key",
        needs: ACT,
        risk: Risk::Acting,
        description: "Presses a key (Enter, Escape, Tab, ArrowDown, a …), with modifiers as in Control+a, in the focused element \
                      or in `selector`.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"key":{"type":"string"},"selector":{"type":"string"}},"required":["key"]}"#,
    },
    BrowserTool {
        name: "drag",
        needs: ACT,
        risk: Risk::Acting,
        description: "Drags an element onto another.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"},"to":{"type":"string","description":"a ref"}},"required":["selector","to"]}"#,
    },
    BrowserTool {
        name: "submit_form",
        needs: ACT,
        risk: Risk::Acting,
        description: "Submits the form that `selector` is, or is in.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"selector":{"type":"string"}},"required":["selector"]}"#,
    },
    BrowserTool {
        name: "navigate_to",
        needs: ACT,
        risk: Risk::Acting,
        description: "Opens an address in the tab (or `back`, `forward`, `reload`) and waits until it has loaded.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"},"url":{"type":"string"}},"required":["url"]}"#,
    },
    BrowserTool {
        name: "open_tab",
        needs: ACT,
        risk: Risk::Acting,
        description: "Opens an address in a new tab, in the background.",
        schema: r#"{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}"#,
    },
    BrowserTool {
        name: "switch_tab",
        needs: ACT,
        risk: Risk::Acting,
        description: "Brings a tab to the front.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"}},"required":["tabId"]}"#,
    },
    BrowserTool {
        name: "close_tab",
        needs: ACT,
        risk: Risk::Acting,
        description: "Closes a tab that you opened.",
        schema: r#"{"type":"object","properties":{"tabId":{"type":"integer"}},"required":["tabId"]}"#,
    },
];

/// The definition with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static BrowserTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The tools on offer beside a page that the agent may use so far.
pub fn offered(access: Option<PageAccess>) -> impl Iterator<Item = &'static BrowserTool> {
    TOOLS.iter().filter(move |tool| tool.fits(access))
}

impl BrowserTool {
    /// Whether it is of use on a page that the agent may use so far.
    #[must_use]
    pub fn fits(&self, access: Option<PageAccess>) -> bool {
        match self.needs {
            Some(needs) => access >= Some(needs),
            None => access < Some(PageAccess::Act),
        }
    }

    /// Whether it works in the page of a tab, which `tabId` can name.
    #[must_use]
    pub fn takes_tab(&self) -> bool {
        !matches!(self.name, "list_tabs" | "open_tab" | "switch_tab" | "close_tab")
    }
}

/// A tool as it is on a page of this origin.
#[must_use]
pub fn tool(definition: &BrowserTool, tab: TabId, origin: &str) -> Tool {
    of_place(tab, origin, self::definition(definition), definition.risk)
}

/// A stand-in under whose key the consent for a site is kept, as an *allow*.
#[must_use]
pub fn access_tool(access: PageAccess, origin: &str) -> Tool {
    let description = ToolDescription {
        name: access.name().to_owned(),
        title: String::new(),
        description: String::new(),
        input_schema: None,
        annotations: None,
        form: false,
        definition: String::new(),
    };
    of_place(TabId(0), origin, description, Risk::Acting)
}

/// The definition in the form of the catalogue.
#[must_use]
pub fn definition(tool: &BrowserTool) -> ToolDescription {
    ToolDescription {
        name: tool.name.to_owned(),
        title: String::new(),
        description: tool.description.to_owned(),
        input_schema: Some(tool.schema.to_owned()),
        annotations: None,
        form: false,
        definition: String::new(),
    }
}

fn of_place(tab: TabId, origin: &str, description: ToolDescription, risk: Risk) -> Tool {
    let document = DocumentId(String::new());
    let place = Place { tab, frame: FrameId::TOP, document, origin: origin.to_owned() };
    let mut tool = Tool::new(&place, Source::Browser, description);
    tool.risk = risk;
    tool
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn names(access: Option<PageAccess>) -> Vec<&'static str> {
        offered(access).map(|tool| tool.name).collect()
    }

    #[test]
    fn offer_without_consent_is_the_request_alone() {
        assert_eq!(names(None), [PAGE_ACCESS]);
    }

    #[test]
    fn offer_with_reading_has_no_tool_that_acts_but_the_request_for_more() {
        let reading = names(Some(PageAccess::Read));
        assert!(reading.contains(&"snapshot") && reading.contains(&PAGE_ACCESS));
        let acts = |name: &&str| named(name).unwrap().risk != Risk::ReadOnly;
        assert_eq!(reading.into_iter().filter(acts).collect::<Vec<_>>(), [PAGE_ACCESS]);
    }

    #[test]
    fn offer_with_acting_has_every_tool_but_the_request() {
        assert_eq!(names(Some(PageAccess::Act)).len(), TOOLS.len() - 1);
    }

    #[test]
    fn definitions_fit_their_budget_and_have_valid_schemas_and_unique_names() {
        let size: usize =
            TOOLS.iter().map(|tool| tool.name.len() + tool.description.len() + tool.schema.len()).sum();
        assert!(size <= MOST_BYTES, "{size}");
        let names: BTreeSet<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        for tool in TOOLS {
            let schema: Value = serde_json::from_str(tool.schema).unwrap();
            if tool.takes_tab() {
                assert_eq!(schema["properties"]["tabId"]["type"], "integer", "{}", tool.name);
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{}", tool.name);
            }
        }
    }

    #[test]
    fn consent_is_kept_under_the_site_and_its_kind() {
        let key = access_tool(PageAccess::Read, "https://shop.example").own_key();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(text, r#"{"action":{"origin":"https://shop.example","action":"read"}}"#);
    }
}
