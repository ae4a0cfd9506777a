//! The tools of the page, by frame.

use std::collections::HashSet;

use leptos::prelude::*;
use sidecar_protocol::link::{PageAnswer, PageCommand, PoliciesCommand};
use sidecar_protocol::page_view::{PageStatus, ToolDetails, ToolSummary};
use sidecar_protocol::policy::{Policy, PolicyKey, is_lasting};
use sidecar_protocol::{Risk, Source};
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::link::Response;
use crate::phrases::policy::policy_word;
use crate::state::use_state;
use crate::views::choice::{policy_name, policy_of};
use crate::views::page_state::PageState;
use crate::views::tools::site_switches::SiteSwitches;
use crate::word;

mod site_switches;

/// The Tools view.
#[component]
pub fn Tools() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let filter = RwSignal::new(String::new());
    let has_tools = Memo::new(move |_| {
        state.page.with(|page| page.status == PageStatus::Ready && !page.tools.is_empty())
    });
    // Descriptions are with the worker: it says in which of them the text stands.
    let found = RwSignal::new((String::new(), Vec::<String>::new()));
    // It is asked one question at a time: a page may change its tools without pause.
    let (asking, questions) = (RwSignal::new(false), RwSignal::new((0, 0)));
    Effect::new(move |_| {
        state.page.track();
        filter.track();
        questions.update(|(wanted, _)| *wanted += 1);
    });
    Effect::new(move |_| {
        let (wanted, asked) = questions.get();
        let text = filter.with_untracked(|filter| filter.trim().to_owned());
        if asking.get() || wanted == asked || text.is_empty() {
            return;
        }
        let about = text.clone();
        let is_sent = state.ask(PageCommand::FindTools { text }, move |response| {
            if let Response::Answer(PageAnswer::FoundTools { digests }) = response {
                found.set((about.clone(), digests));
            }
            asking.set(false);
        });
        asking.set(is_sent);
        questions.update_untracked(|(wanted, asked)| *asked = *wanted);
    });
    let groups = Memo::new(move |_| {
        state.page.with(|page| {
            filter.with(|filter| {
                found.with(|(about, digests)| {
                    let found = if about == filter.trim() { digests.as_slice() } else { &[] };
                    grouped(&page.tools, filter, found)
                })
            })
        })
    });
    let frames = Signal::derive(move || {
        groups.with(|groups| groups.iter().map(|(frame, _)| frame.clone()).collect::<Vec<_>>())
    });
    let unlisted = move || {
        state
            .page
            .with(|page| u64::try_from(page.total_tools.saturating_sub(page.tools.len())).unwrap_or_default())
    };

    view! {
        <SiteSwitches />
        <Show when=move || has_tools.get() fallback=|| view! { <div class="page"><PageState /></div> }>
            <div class="tools">
                <input
                    type="search"
                    data-testid="tool-filter"
                    aria-label=words.text(word::TOOLS_FILTER)
                    placeholder=words.text(word::TOOLS_FILTER)
                    autocomplete="off"
                    prop:value=Signal::derive(move || filter.get())
                    on:input:target=move |event| filter.set(event.target().value())
                />
                <div
                    class="tool-list"
                    on:keydown=move |event| {
                        rove(&event, ".tool-row-toggle", Axis::List);
                    }
                >
                    <KeyedList
                        keys=frames
                        row=move |place: usize| {
                            let frame = frames.with_untracked(|frames| frames.get(place).cloned().unwrap_or_default());
                            view! { <Frame frame=frame groups=groups /> }.into_any()
                        }
                    />
                    <Show when=move || groups.with(Vec::is_empty)>
                        <p class="drawer-empty" role="status">
                            {Signal::derive(move || words.fill(word::TOOLS_NO_MATCH, &[("text", filter.get().trim())]))}
                        </p>
                    </Show>
                    <Show when=move || { unlisted() > 0 }>
                        <p class="meta">
                            {Signal::derive(move || words.count((word::TOOLS_MORE_ONE, word::TOOLS_MORE_OTHER), unlisted(), &[]))}
                        </p>
                    </Show>
                </div>
            </div>
        </Show>
    }
}

/// The tools of one frame.
#[component]
fn Frame(frame: String, groups: Memo<Groups>) -> impl IntoView {
    let words = use_words();
    let tools = {
        let frame = frame.clone();
        Memo::new(move |_| groups.with(|groups| tools_of(groups, &frame)))
    };
    let keys = Signal::derive(move || tools.with(|tools| keys(tools)));
    let row = move |place: usize| {
        let tool = tools.with_untracked(|tools| tools.get(place).cloned());
        tool.map(|tool| view! { <Row tool=tool /> }).into_any()
    };
    let name = Signal::derive(move || {
        if frame.is_empty() {
            words.get(word::TOOLS_THIS_PAGE).to_owned()
        } else {
            words.fill(word::TOOLS_FRAME, &[("host", &frame)])
        }
    });
    view! {
        <section>
            <h2 title=name>{site_line(move || name.get())}</h2>
            <ul class="rows">
                <KeyedList keys=keys row=row />
            </ul>
        </section>
    }
}

#[component]
fn Row(tool: ToolSummary) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let key = tool.key.clone();
    let policy = {
        let key = key.clone();
        Memo::new(move |_| policy_name(key.as_ref().and_then(|key| state.policy(key))))
    };
    // A sandboxed document has no origin of its own, and belongs to the page around it.
    let own = is_lasting(&tool.origin).then(|| tool.origin.clone());
    let site_asks = {
        let own = own.clone();
        Memo::new(move |_| match &own {
            Some(origin) => state.site_asks(origin),
            None => state.page.with(|page| state.site_asks(&page.origin)),
        })
    };
    let is_hidden = Memo::new(move |_| match &own {
        Some(origin) => state.is_hidden(origin),
        None => state.is_page_hidden(),
    });
    let has_policy = key.is_some();
    let key = StoredValue::new(key);
    let name = tool.tool.name().to_owned();
    let ToolSummary { tool, digest, title, beginning, risk, source, form, .. } = tool;
    let digest = StoredValue::new(digest);
    let open = RwSignal::new(false);
    let details = RwSignal::new(None::<ToolDetails>);
    let tool = StoredValue::new(tool);
    Effect::new(move |_| {
        // A worker that died may not have heard it.
        state.connection.track();
        if open.get() && details.with_untracked(Option::is_none) {
            state.ask(PageCommand::DescribeTool { tool: tool.get_value() }, move |response| {
                if let Response::Answer(PageAnswer::Tool { details: Some(told) }) = response {
                    details.set(Some(told));
                }
            });
        }
    });
    let (source_name, source_word, source_hint) = match source {
        Source::Native => ("native", word::TOOLS_NATIVE, word::TOOLS_NATIVE_HINT),
        Source::Polyfill => ("polyfill", word::TOOLS_POLYFILL, word::TOOLS_POLYFILL_HINT),
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
                    {move || {
                        let problem = details.with(|details| details.as_ref().map(|details| details.schema_problem.clone()));
                        let problem = problem.filter(|problem| !problem.is_empty())?;
                        let line = Signal::derive(move || words.fill(word::TOOLS_SCHEMA_PROBLEM, &[("problem", &problem)]));
                        Some(view! { <p class="meta" data-testid="tool-schema-problem">{line}</p> }.into_any())
                    }}
                </div>
            </Show>
        </li>
    }
}

/// What is to hold for the tool, whatever the mode.
#[component]
fn PolicyChoice(
    policy: Memo<&'static str>,
    key: StoredValue<Option<PolicyKey>>,
    digest: StoredValue<String>,
) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let options = [None, Some(Policy::Allow), Some(Policy::Ask), Some(Policy::Off)].map(|choice| {
        let value = policy_name(choice);
        view! {
            <option value=value prop:selected=Signal::derive(move || policy.get() == value)>
                {words.text(policy_word(choice))}
            </option>
        }
        .into_any()
    });
    view! {
        <label class="policy">
            {words.text(word::POLICY_LABEL)}
            <select
                data-testid="tool-policy"
                on:change:target=move |event| {
                    let policy = policy_of(&event.target().value());
                    if let Some(key) = key.get_value() {
                        state.send(PoliciesCommand::Set { key, policy, digest: Some(digest.get_value()) });
                    }
                }
            >
                {options}
            </select>
        </label>
    }
}

/// A word about a tool, with a sign if it has one, and its reason as a tooltip.
fn mark(words: Words, sign: Option<Icon>, word: Word, why: Word) -> AnyView {
    view! {
        <span class="mark" title=words.text(why)>
            {sign.map(icon)}
            {words.text(word)}
        </span>
    }
    .into_any()
}

/// Frames and their tools.
type Groups = Vec<(String, Vec<ToolSummary>)>;

/// The tools that match, frame by frame in the order they come; the top frame has no name. `found`: the digests of those
/// in whose description the filter's text stands.
fn grouped(tools: &[ToolSummary], filter: &str, found: &[String]) -> Groups {
    let filter = filter.trim().to_lowercase();
    let found: HashSet<&String> = found.iter().collect();
    let is_meant = |tool: &&ToolSummary| matches(tool, &filter) || found.contains(&tool.digest);
    let mut groups = Groups::new();
    for tool in tools.iter().filter(is_meant) {
        match groups.iter_mut().find(|(frame, _)| *frame == tool.frame) {
            Some((_, group)) => group.push(tool.clone()),
            None => groups.push((tool.frame.clone(), vec![tool.clone()])),
        }
    }
    groups
}

fn matches(tool: &ToolSummary, filter: &str) -> bool {
    [tool.tool.name(), &tool.title, &tool.frame].iter().any(|text| text.to_lowercase().contains(filter))
}

fn tools_of(groups: &Groups, frame: &str) -> Vec<ToolSummary> {
    groups.iter().find(|(name, _)| name == frame).map(|(_, tools)| tools.clone()).unwrap_or_default()
}

/// A key for each tool: another when anything that its page says of it is, so that nothing outdated stays on the screen.
fn keys(tools: &[ToolSummary]) -> Vec<String> {
    tools.iter().map(|tool| format!("{tool:?}")).collect()
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::{DocumentId, FrameId, PageTool, TabId, ToolRef};

    use super::*;

    fn tool(name: &str, frame: &str) -> ToolSummary {
        let (tab, frame_id) = (TabId(1), FrameId(i32::from(!frame.is_empty())));
        let page =
            PageTool { tab, frame: frame_id, document: DocumentId("d".to_owned()), name: name.to_owned() };
        ToolSummary {
            tool: ToolRef::Page(page),
            digest: format!("digest of {name}"),
            title: "Flights".to_owned(),
            beginning: "Finds them.".to_owned(),
            risk: Risk::ReadOnly,
            form: false,
            source: Source::Native,
            frame: frame.to_owned(),
            origin: "https://flights.example".to_owned(),
            key: None,
        }
    }

    #[test]
    fn every_row_has_a_key_of_its_own_that_changes_with_its_tool() {
        let before = keys(&[tool("a", ""), tool("b", ""), tool("a", "pay.example")]);
        assert_ne!(before[0], before[2]);
        let changed = ToolSummary { digest: "another".to_owned(), ..tool("b", "") };
        let after = keys(&[tool("a", ""), changed, tool("a", "pay.example")]);
        assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
        assert_ne!(after[1], before[1]);
    }

    #[test]
    fn tools_are_grouped_by_frame_and_filtered_by_any_of_their_words() {
        let tools = [tool("a", ""), tool("b", "pay.example"), tool("c", "")];
        let whole = vec![
            (String::new(), vec![tool("a", ""), tool("c", "")]),
            ("pay.example".to_owned(), vec![tool("b", "pay.example")]),
        ];
        assert_eq!(grouped(&tools, "", &[]), whole);
        assert_eq!(grouped(&tools, " flights ", &[]), whole);
        assert_eq!(grouped(&tools, "PAY", &[]), whole[1..]);
        assert_eq!(grouped(&tools, "nothing", &[]), vec![]);
        let in_its_description = grouped(&tools, "nothing", &["digest of c".to_owned()]);
        assert_eq!(in_its_description, [(String::new(), vec![tool("c", "")])]);
    }
}
