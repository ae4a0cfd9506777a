//! A tool: one line, and its details on demand.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::page_view::{ToolDetails, ToolSummary};
use sidecar_protocol::policy::{Policy, is_lasting};
use sidecar_protocol::{Risk, Source, ToolRef};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::parts::when_loaded;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::policy::policy_word;
use crate::state::{PanelState, use_state};
use crate::views::choice::{policy_name, policy_of};
use crate::views::tools::hand_runs::HandRuns;
use crate::views::tools::policy_choice::PolicyChoice;
use crate::views::tools::run::{load_run, run_tool};
use crate::word;
use sidecar_link::LinkResponse;
use sidecar_link::hand_run::RunTarget;

#[component]
pub fn Row(tool: ToolSummary) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, policies, .. } = use_state();
    let key = tool.key.clone();
    let policy = {
        let key = key.clone();
        Memo::new(move |_| policy_name(key.as_ref().and_then(|key| policies.policy(key))))
    };
    // A sandboxed document has no origin of its own; it counts as the page around it.
    let own = is_lasting(&tool.origin).then(|| tool.origin.clone());
    let site_asks = {
        let own = own.clone();
        Memo::new(move |_| match &own {
            Some(origin) => policies.site_asks(origin),
            None => page.view.with(|page| policies.site_asks(&page.origin)),
        })
    };
    let is_hidden = Memo::new(move |_| match &own {
        Some(origin) => policies.is_hidden(origin),
        None => policies.is_page_hidden(),
    });
    let has_policy = key.is_some();
    let can_run = match &tool.tool {
        ToolRef::Page(_) | ToolRef::Skill { .. } => true,
        ToolRef::Browser { .. } | ToolRef::Mcp { .. } => false,
    };
    let key = StoredValue::new(key);
    let target = StoredValue::new(RunTarget {
        tool: tool.tool.clone(),
        origin: tool.origin.clone(),
        digest: tool.digest.clone(),
    });
    let run_key = StoredValue::new(HandRuns::key(&tool));
    let name = tool.tool.name().to_owned();
    let ToolSummary { tool, digest, title, beginning, risk, source, form, .. } = tool;
    let digest = StoredValue::new(digest);
    // A tool that is being run stays open when the page registers it anew.
    let open = RwSignal::new(run_key.with_value(|key| expect_context::<HandRuns>().is_open(key)));
    let details = RwSignal::new(None::<ToolDetails>);
    let problem = RwSignal::new(None::<String>);
    let tool = StoredValue::new(tool);
    Effect::new(move |_| {
        // A worker that died may not have received the request.
        connection.count.with(|_| ());
        if !open.get() {
            return;
        }
        if details.with_untracked(Option::is_none) {
            connection.ask(PageCommand::DescribeTool { tool: tool.get_value() }, move |response| {
                if let LinkResponse::Answer(PageAnswer::Tool { details: Some(told) }) = response {
                    details.set(Some(told));
                }
            });
        }
        if problem.with_untracked(Option::is_none) {
            connection.ask(PageCommand::CheckSchema { tool: tool.get_value() }, move |response| {
                if let LinkResponse::Answer(PageAnswer::SchemaProblem { problem: Some(told) }) = response {
                    problem.set(Some(told));
                }
            });
        }
    });
    let skill = if let Source::Skill { skill } = &source { Some(skill.clone()) } else { None };
    let (source_name, source_word, source_hint) = match source {
        Source::Native => ("native", word::TOOLS_SITE, word::TOOLS_NATIVE_HINT),
        Source::Polyfill => ("polyfill", word::TOOLS_SITE, word::TOOLS_POLYFILL_HINT),
        Source::Skill { .. } => ("skill", word::TOOLS_SKILL, word::TOOLS_SKILL_HINT),
        Source::Browser => ("browser", word::TOOLS_BROWSER, word::TOOLS_BROWSER_HINT),
        Source::Mcp { .. } => ("mcp", word::TOOLS_MCP, word::TOOLS_MCP_HINT),
    };
    let begins = StoredValue::new(beginning.clone());
    let summary = if title.is_empty() { beginning } else { title };
    view! {
        <li
            class="tool-row"
            data-testid="tool-row"
            data-name=name
            data-source=source_name
            data-readonly=(risk == Risk::ReadOnly).to_string()
            data-policy=policy
            data-hidden=Signal::derive(move || is_hidden.get().to_string())
        >
            <button
                type="button"
                class="row tool-row-toggle"
                data-testid="tool-row-toggle"
                aria-expanded=Signal::derive(move || open.get().to_string())
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {icon(Icon::Chevron)}
                <span class="row-main">
                    <span class="row-head">
                        <span class="tool-name">{name.clone()}</span>
                        {match risk {
                            Risk::ReadOnly => {
                                mark(words, Some(Icon::Eye), word::TOOL_READ_ONLY, word::TOOLS_READ_ONLY_HINT)
                            }
                            Risk::Acting => ().into_any(),
                            Risk::Consequential => {
                                mark(words, Some(Icon::Warning), word::TOOLS_CONSEQUENTIAL, word::TOOLS_CONSEQUENTIAL_HINT)
                            }
                        }}
                        {move || {
                            let policy = policy_of(policy.get())?;
                            Some(mark(words, (policy == Policy::Off).then_some(Icon::Barred), policy_word(Some(policy)), word::POLICY_HINT))
                        }}
                        {move || {
                            site_asks
                                .get()
                                .then(|| mark(words, None, word::SITE_ASKS_MARK, word::SITE_ASKS_HINT))
                        }}
                        {move || {
                            is_hidden
                                .get()
                                .then(|| mark(words, Some(Icon::Barred), word::HIDDEN_MARK, word::HIDDEN_HINT))
                        }}
                        {form.then(|| mark(words, None, word::TOOLS_FORM, word::TOOLS_FORM_HINT))}
                        {mark(words, None, source_word, source_hint)}
                        {skill.map(|skill| view! { <span class="mark" data-testid="tool-skill">{skill}</span> }.into_any())}
                    </span>
                    <Show when=move || !open.get()>
                        <span class="meta summary">{summary.clone()}</span>
                    </Show>
                </span>
            </button>
            <Show when=move || open.get()>
                <div class="details">
                    <p class="description" data-testid="tool-description">
                        {Signal::derive(move || {
                            let own = details.with(|details| details.as_ref().map(|details| details.description.clone()));
                            let own = own.unwrap_or_else(|| begins.get_value());
                            if own.is_empty() { words.get(word::TOOLS_NO_DESCRIPTION).to_owned() } else { own }
                        })}
                    </p>
                    <Show when=move || has_policy>
                        <PolicyChoice policy=policy key=key digest=digest />
                    </Show>
                    {can_run
                        .then(|| {
                            view! {
                                <Show when=when_loaded(
                                    load_run(),
                                )>{run_tool(target, run_key).now_or_never()}</Show>
                            }
                                .into_any()
                        })}
                    <Show when=move || details.with(Option::is_some)>
                        <h3>{words.text(word::TOOLS_SCHEMA)}</h3>
                        <div data-testid="tool-schema">
                            {move || {
                                let schema = details.with(|details| details.as_ref().map(|details| pretty(&details.input_schema)));
                                match schema.filter(|schema| !schema.is_empty()) {
                                    None => view! { <p>{words.get(word::TOOLS_NO_SCHEMA)}</p> }.into_any(),
                                    Some(schema) => view! { <pre tabindex="0">{schema}</pre> }.into_any(),
                                }
                            }}
                        </div>
                    </Show>
                    <div role="status">
                        {move || {
                            let problem = problem.get().filter(|problem| !problem.is_empty())?;
                            let line = Signal::derive(move || words.fill(word::TOOLS_SCHEMA_PROBLEM, &[("problem", &problem)]));
                            Some(view! { <p class="meta" data-testid="tool-schema-problem">{line}</p> }.into_any())
                        }}
                    </div>
                </div>
            </Show>
        </li>
    }
}

/// A label about a tool, with an optional icon and a tooltip that explains it.
fn mark(words: Words, sign: Option<Icon>, word: Word, why: Word) -> AnyView {
    view! {
        <span class="mark" title=words.text(why)>
            {sign.map(icon)}
            {words.text(word)}
        </span>
    }
    .into_any()
}
