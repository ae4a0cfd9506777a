//! Checkboxes that show what the worker says, and marks about tools.

use leptos::prelude::*;
use sidecar_protocol::skill::SkillToolSummary;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::{Word, Words};

use crate::word;

/// A checkbox with a label.
#[component]
pub fn SkillSwitch(
    /// Its `data-testid`.
    testid: &'static str,
    /// Whether it is checked.
    checked: Signal<bool>,
    /// Whether it takes no clicks.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Sends what the user wants.
    #[prop(into)]
    change: Callback<bool>,
    /// Its label.
    children: Children,
) -> impl IntoView {
    view! {
        <label class="site-switch skill-switch">
            <input
                type="checkbox"
                data-testid=testid
                prop:checked=checked
                disabled=disabled
                on:change:target=move |event| {
                    let target = event.target();
                    let wanted = target.checked();
                    // The checkbox follows the worker's state, not the click.
                    target.set_checked(!wanted);
                    change.run(wanted);
                }
            />
            <span>{children()}</span>
        </label>
    }
}

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
