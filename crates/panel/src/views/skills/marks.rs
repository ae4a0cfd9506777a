//! Marks about the tools of SKILLs.

use leptos::prelude::*;
use sidecar_protocol::skill::SkillToolSummary;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::{Word, Words};

use crate::word;

/// What a tool is: whether it acts, and whether it is code.
pub fn tool_marks(words: Words, tool: &SkillToolSummary) -> AnyView {
    let (sign, word, why) = match tool.acts {
        true => (Icon::Pencil, word::SKILLS_ACTS, word::SKILLS_ACTS_HINT),
        false => (Icon::Eye, word::SKILLS_READS, word::SKILLS_READS_HINT),
    };
    let code = tool.is_code.then(|| mark(words, Icon::Warning, word::SKILLS_CODE, word::SKILLS_CODE_HINT));
    view! { {mark(words, sign, word, why)}{code} }.into_any()
}

fn mark(words: Words, sign: Icon, word: Word, why: Word) -> AnyView {
    view! {
        <span class="mark" title=words.text(why)>
            {icon(sign)}
            {words.text(word)}
        </span>
    }
    .into_any()
}
