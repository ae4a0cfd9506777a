/** The `type` of each message of the page, as in `sidecar_protocol::page::names`. */

export const CONNECT = '__wmcp_connect';
export const BRIDGE_READY = '__wmcp_bridge_ready';
export const TOOLS_CHANGED = '__wmcp_tools_changed';
export const LIST_FACTS = '__wmcp_list_facts';
export const FACTS = '__wmcp_facts';
export const LIST_TOOLS = '__wmcp_list_tools';
export const TOOLS_LIST = '__wmcp_tools_list';
export const CALL_TOOL = '__wmcp_call_tool';
export const TOOL_RESULT = '__wmcp_tool_result';
export const CANCEL_CALL = '__wmcp_cancel_call';
export const EXPECT_CALL = '__wmcp_expect_call';
export const EXPECTED_CALL = '__wmcp_expected_call';
export const USER_INTERACTION = '__wmcp_user_interaction';
export const BRIDGE_MISSING = '__wmcp_bridge_missing';
export const PAGE_GONE = '__wmcp_page_gone';
export const PAGE_STAYS = '__wmcp_page_stays';
export const SHOW_SKILLS = '__wmcp_show_skills';
export const SKILLS_SHOWN = '__wmcp_skills_shown';
export const SKILL_CALLED = '__wmcp_skill_called';
export const SKILL_RESULT = '__wmcp_skill_result';
