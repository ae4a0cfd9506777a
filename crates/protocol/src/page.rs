//! The `__wmcp_*` messages: bridge (MAIN world) ↔ relay (ISOLATED world) ↔ worker.
//!
//! The legs between bridge and relay run over a `MessagePort` that Rust never sees; they use the same
//! shapes and the names in [`names`]. A page wrote everything here, or could have: show it as text, and
//! check it as data.

use serde::{Deserialize, Serialize};

use crate::ids::CallId;
use crate::tool::Source;

/// The property of a page's window with which scripts of the page list and call its tools, where the user allows it. No
/// message: nothing of it leaves the page.
pub const TEST_BRIDGE: &str = "__wmcp_bridge";

/// The `type` of each message, spelt once. `extension/shared/names.js` holds the same constants.
pub mod names {
    /// relay → MAIN, on the window: hands over a `MessagePort`. The only message the page's window ever sees.
    pub const CONNECT: &str = "__wmcp_connect";
    /// MAIN → relay: the answer to [`CONNECT`].
    pub const BRIDGE_READY: &str = "__wmcp_bridge_ready";
    /// MAIN → relay → worker: the whole current list.
    pub const TOOLS_CHANGED: &str = "__wmcp_tools_changed";
    /// worker → relay → MAIN: asks for the list.
    pub const LIST_TOOLS: &str = "__wmcp_list_tools";
    /// MAIN → relay → worker: answers [`LIST_TOOLS`].
    pub const TOOLS_LIST: &str = "__wmcp_tools_list";
    /// worker → relay → MAIN: asks how the tools came to be.
    pub const LIST_FACTS: &str = "__wmcp_list_facts";
    /// MAIN → relay: answers [`LIST_FACTS`].
    pub const FACTS: &str = "__wmcp_facts";
    /// worker → relay → MAIN: runs a tool.
    pub const CALL_TOOL: &str = "__wmcp_call_tool";
    /// MAIN → relay → worker: answers [`CALL_TOOL`].
    pub const TOOL_RESULT: &str = "__wmcp_tool_result";
    /// worker → relay → MAIN: aborts a running call.
    pub const CANCEL_CALL: &str = "__wmcp_cancel_call";
    /// relay → MAIN, on native pages: the next run of this tool with this input is ours; report its real
    /// error.
    pub const EXPECT_CALL: &str = "__wmcp_expect_call";
    /// MAIN → relay: [`EXPECT_CALL`] was noted (`expecting`), or the expected run failed (`failed`).
    pub const EXPECTED_CALL: &str = "__wmcp_expected_call";
    /// MAIN → relay → worker: a tool starts or stops waiting for the user.
    pub const USER_INTERACTION: &str = "__wmcp_user_interaction";
    /// relay → worker: no bridge answered in this document; please put one in.
    pub const BRIDGE_MISSING: &str = "__wmcp_bridge_missing";
    /// relay → worker: this document is going away (or into the back/forward cache).
    pub const PAGE_GONE: &str = "__wmcp_page_gone";
    /// relay → worker: the document began to unload but is still here. Is its tab loading?
    pub const PAGE_STAYS: &str = "__wmcp_page_stays";
    /// worker → relay → MAIN: the tools of SKILLs that other agents are to find in this page.
    pub const SHOW_SKILLS: &str = "__wmcp_show_skills";
    /// MAIN → relay: which of them are registered now.
    pub const SKILLS_SHOWN: &str = "__wmcp_skills_shown";
    /// MAIN → relay → worker: somebody in the page calls one.
    pub const SKILL_CALLED: &str = "__wmcp_skill_called";
    /// worker → relay → MAIN: answers [`SKILL_CALLED`].
    pub const SKILL_RESULT: &str = "__wmcp_skill_result";

    /// Every name, for the check that JavaScript and documentation agree.
    pub const ALL: [&str; 20] = [
        CONNECT,
        BRIDGE_READY,
        TOOLS_CHANGED,
        LIST_TOOLS,
        TOOLS_LIST,
        LIST_FACTS,
        FACTS,
        CALL_TOOL,
        TOOL_RESULT,
        CANCEL_CALL,
        EXPECT_CALL,
        EXPECTED_CALL,
        USER_INTERACTION,
        BRIDGE_MISSING,
        PAGE_GONE,
        PAGE_STAYS,
        SHOW_SKILLS,
        SKILLS_SHOWN,
        SKILL_CALLED,
        SKILL_RESULT,
    ];
}

/// Size caps that hold on every leg. What is larger is cut or refused at the first place that sees it.
pub mod caps {
    /// Number of tools listed for one document.
    pub const TOOLS: usize = 1000;
    /// Total characters of the JSON texts of all tools of one list.
    pub const LIST: usize = 8_388_608;
    /// Characters of a tool's description (the rest is cut).
    pub const DESCRIPTION: usize = 16_384;
    /// Characters of a tool's title (the rest is cut).
    pub const TITLE: usize = 1024;
    /// Characters of the JSON text of an input schema (a larger one is left out and the tool marked).
    pub const SCHEMA: usize = 262_144;
    /// Characters of the JSON text of arguments (a larger call is refused).
    pub const ARGUMENTS: usize = 4_194_304;
    /// Characters of a result (a larger one is a failed call).
    pub const RESULT: usize = 4_194_304;
    /// Characters of an error message (the rest is cut).
    pub const ERROR: usize = 4096;
    /// Characters of the address of a script that registered a tool (the rest is cut).
    pub const ADDRESS: usize = 2048;

    /// Name and value of each, for the check that the JavaScript side agrees.
    pub const ALL: [(&str, usize); 9] = [
        ("TOOLS", TOOLS),
        ("LIST", LIST),
        ("DESCRIPTION", DESCRIPTION),
        ("TITLE", TITLE),
        ("SCHEMA", SCHEMA),
        ("ARGUMENTS", ARGUMENTS),
        ("RESULT", RESULT),
        ("ERROR", ERROR),
        ("ADDRESS", ADDRESS),
    ];
}

/// How a document's tools are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Backend {
    /// The browser's own WebMCP, from the ISOLATED world.
    Native,
    /// The bridge's `document.modelContext`, in a browser or page without WebMCP.
    Polyfill,
}

impl From<Backend> for Source {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Native => Self::Native,
            Backend::Polyfill => Self::Polyfill,
        }
    }
}

/// A page's description of one of its tools. Untrusted, but within [`caps`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// 1–128 of `A-Za-z0-9_.-` (WebMCP, "valid tool name"); checked again by the catalogue.
    pub name: String,
    /// For people; empty if the page gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// For the model.
    pub description: String,
    /// JSON text of the input schema; absent when the page gave none or one too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<String>,
    /// Hints; absent when the page gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Whether the page has a form that declares a tool of this name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub form: bool,
    /// Digest of what it does, where that is known: of a SKILL's tool. Empty for tools of pages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
}

impl ToolDescription {
    /// Total size of its texts in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let schema = self.input_schema.as_ref().map_or(0, String::len);
        self.name.len() + self.title.len() + self.description.len() + schema
    }
}

/// The page's hints about a tool (WebMCP, `ToolAnnotations`). Claims, not facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// The tool claims to change nothing.
    pub read_only_hint: bool,
    /// The tool claims that its output contains text of others.
    pub untrusted_content_hint: bool,
    /// The tool claims that its effect is serious.
    pub consequential_hint: bool,
    /// The tool claims to destroy something. Not a hint of WebMCP, but of polyfills.
    pub destructive_hint: bool,
    /// The tool is meant for developers only.
    pub debugging: bool,
}

/// relay → worker. Tab, frame, document and origin come from the browser's `sender`, never from the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum RelayMessage {
    /// The whole list, sent whenever it changed, and once when the relay starts.
    #[serde(rename = "__wmcp_tools_changed")]
    ToolsChanged {
        /// How this document's tools are reached now.
        backend: Backend,
        /// At most [`caps::TOOLS`].
        tools: Vec<ToolDescription>,
        /// Number of tools that the page has in all.
        total: usize,
        /// The page or the browser refuses WebMCP in this document (permissions policy, agent cluster, a
        /// frame of another origin). `tools` is then empty. Only in the main frame does this concern the
        /// user.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        blocked: bool,
        /// Whether the document shows tools of SKILLs, as far as its relay was last told ([`RelayCommand::ShowSkills`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        skills: bool,
    },
    /// The whole list, as the answer to [`RelayCommand::ListTools`].
    #[serde(rename = "__wmcp_tools_list")]
    ToolsList {
        /// The id of the command.
        request_id: CallId,
        /// How this document's tools are reached now.
        backend: Backend,
        /// At most [`caps::TOOLS`].
        tools: Vec<ToolDescription>,
        /// Number of tools that the page has in all.
        total: usize,
        /// The page or the browser refuses WebMCP in this document (permissions policy, agent cluster, a
        /// frame of another origin). `tools` is then empty. Only in the main frame does this concern the
        /// user.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        blocked: bool,
        /// Whether the document shows tools of SKILLs, as far as its relay was last told ([`RelayCommand::ShowSkills`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        skills: bool,
    },
    /// A tool starts or stops waiting for the user.
    #[serde(rename = "__wmcp_user_interaction")]
    UserInteraction {
        /// The call, if it is one of ours.
        request_id: Option<CallId>,
        /// The tool that waits.
        tool_name: String,
        /// Whether the wait starts or ends.
        phase: InteractionPhase,
        /// What the user is asked for.
        kind: InteractionKind,
    },
    /// A script of the page, or another agent in it, calls a tool of a SKILL. Answered by a
    /// [`RelayCommand::SkillResult`].
    #[serde(rename = "__wmcp_skill_called")]
    SkillCalled {
        /// The id of the call, drawn by the relay.
        request_id: CallId,
        /// As the SKILL names it.
        tool_name: String,
        /// JSON text of an object.
        args: String,
    },
    /// No bridge answered in this document (it was open before the extension was installed): inject one.
    #[serde(rename = "__wmcp_bridge_missing")]
    BridgeMissing,
    /// The document is being unloaded.
    #[serde(rename = "__wmcp_page_gone")]
    PageGone,
    /// The document began to unload but is still here. The answer to any message is the state of its tab.
    #[serde(rename = "__wmcp_page_stays")]
    PageStays,
}

/// The start or the end of a tool's wait for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InteractionPhase {
    /// The tool asked the user something.
    Started,
    /// The user answered, or the tool gave up.
    Ended,
}

/// What a tool asks of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InteractionKind {
    /// Whatever the page shows (`requestUserInteraction`, an older WebMCP API).
    Callback,
    /// To check the form that the call has filled in, and submit it (WebMCP, declarative tools without
    /// `toolautosubmit`).
    Form,
}

/// worker → relay. Calls go over a port to the document (`chrome.tabs.connect`), one port for each document
/// that a turn calls; lists are requested with `chrome.tabs.sendMessage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum RelayCommand {
    /// List the tools: answered by a [`RelayMessage::ToolsList`] from each frame that receives it.
    #[serde(rename = "__wmcp_list_tools")]
    ListTools {
        /// To be repeated in the answer.
        request_id: CallId,
    },
    /// Say how the tools came to be: answered at once by the text of a [`crate::registration::DocumentFacts`].
    #[serde(rename = "__wmcp_list_facts")]
    ListFacts {
        /// The id of this command.
        request_id: CallId,
        /// The tool that is meant; absent for all of them, and the forms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_name: Option<String>,
    },
    /// Run a tool: answered over the same port by a [`ToolResult`]. Sending the same id again returns the
    /// same run's result and never starts a second run.
    #[serde(rename = "__wmcp_call_tool")]
    CallTool {
        /// The id of this run.
        request_id: CallId,
        /// As the page registered it.
        tool_name: String,
        /// JSON text of an object.
        args: String,
    },
    /// Abort a run. Its result is then a failure with code [`FailureCode::Cancelled`].
    #[serde(rename = "__wmcp_cancel_call")]
    CancelCall {
        /// The id of the run.
        request_id: CallId,
    },
    /// Register these tools of SKILLs in the page, in place of those of the last such command.
    #[serde(rename = "__wmcp_show_skills")]
    ShowSkills {
        /// The id of this command.
        request_id: CallId,
        /// At most [`caps::TOOLS`].
        tools: Vec<ToolDescription>,
    },
    /// What a call of the page came to ([`RelayMessage::SkillCalled`]).
    #[serde(rename = "__wmcp_skill_result")]
    SkillResult {
        /// The id of the call.
        request_id: CallId,
        /// Whether there is a result.
        ok: bool,
        /// The result, or why there is none, in words for an agent.
        text: String,
    },
}

impl RelayCommand {
    /// The command as a message.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The answer to [`RelayCommand::CallTool`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Always [`names::TOOL_RESULT`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The id of the call.
    pub request_id: CallId,
    /// Whether the tool's promise was fulfilled.
    pub ok: bool,
    /// The tool's return value as text, as Chromium renders it (a string as it is, an object as JSON).
    /// `None` with `ok`: the call navigated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The page's own error message, or ours for the other codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FailureCode>,
}

/// Why a call has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureCode {
    /// The tool threw or rejected; the message is the page's.
    Threw,
    /// No tool of that name is registered any more.
    NotFound,
    /// The arguments were not a JSON object, or too large. The tool did not run.
    BadArguments,
    /// The result was larger than [`caps::RESULT`]. The tool did run.
    TooLarge,
    /// The worker cancelled it.
    Cancelled,
    /// The document went away during the call: its effect is unknown.
    Navigated,
    /// The page or the browser refuses tool calls here.
    Blocked,
}
