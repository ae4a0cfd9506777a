//! The tools of the page, by frame.

use leptos::prelude::*;
use sidecar_protocol::link::{PageStatus, ToolView};
use sidecar_protocol::page::Backend;

use crate::arguments::pretty;
use crate::empty::PageState;
use crate::focus::{Axis, rove};
use crate::icons::{Icon, icon};
use crate::state::use_state;
use crate::when::When;
use crate::words::{Word, use_words};

/// The Tools view.
#[component]
pub fn Tools() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let filter = RwSignal::new(String::new());
    let has_tools = Memo::new(move |_| {
        state.page.with(|page| page.status == PageStatus::Ready && !page.tools.is_empty())
    });
    let groups =
        Memo::new(move |_| state.page.with(|page| filter.with(|filter| grouped(&page.tools, filter))));
    let frames =
        move || groups.with(|groups| groups.iter().map(|(frame, _)| frame.clone()).collect::<Vec<_>>());
    let unlisted = move || {
        state
            .page
            .with(|page| u64::try_from(page.total_tools.saturating_sub(page.tools.len())).unwrap_or_default())
    };

    view! {
        <When test=move || has_tools.get() fallback=|| view! { <div class="page"><PageState /></div> }>
            <div class="tools">
                <input
                    type="search"
                    data-testid="tool-filter"
                    aria-label=words.text(Word::ToolsFilter)
                    placeholder=words.text(Word::ToolsFilter)
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
                    <For
                        each=frames
                        key=Clone::clone
                        children=move |frame| {
                            let tools = {
                                let frame = frame.clone();
                                move || tools_of(&groups, &frame)
                            };
                            view! {
                                <section>
                                    <h2>
                                        {Signal::derive(move || {
                                            if frame.is_empty() {
                                                words.get(Word::ToolsThisPage).to_owned()
                                            } else {
                                                words.fill(Word::ToolsFrame, &[("host", &frame)])
                                            }
                                        })}
                                    </h2>
                                    <ul class="rows">
                                        <For each=tools key=Clone::clone children=|tool| view! { <Row tool=tool.0 /> } />
                                    </ul>
                                </section>
                            }
                        }
                    />
                    <When test=move || groups.with(Vec::is_empty)>
                        <p class="drawer-empty" role="status">
                            {Signal::derive(move || words.fill(Word::ToolsNoMatch, &[("text", filter.get().trim())]))}
                        </p>
                    </When>
                    <When test=move || { unlisted() > 0 }>
                        <p class="meta">
                            {Signal::derive(move || words.count((Word::ToolsMoreOne, Word::ToolsMoreOther), unlisted(), &[]))}
                        </p>
                    </When>
                </div>
            </div>
        </When>
    }
}

/// A tool, and its place among tools of the same content, so that each has a key of its own.
type Keyed = (ToolKey, usize);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ToolKey(ToolView);

impl std::hash::Hash for ToolKey {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.0.name.hash(hasher);
    }
}

#[component]
fn Row(tool: ToolKey) -> impl IntoView {
    let words = use_words();
    let ToolView { name, title, description, input_schema, read_only, source, frame: _ } = tool.0;
    let open = RwSignal::new(false);
    let (source_name, source_word, source_hint) = match source {
        Backend::Native => ("native", Word::ToolsNative, Word::ToolsNativeHint),
        Backend::Polyfill => ("polyfill", Word::ToolsPolyfill, Word::ToolsPolyfillHint),
    };
    let summary = if title.is_empty() { first_line(&description) } else { title };
    let details = StoredValue::new((description, input_schema));
    view! {
        <li
            class="tool-row"
            data-testid="tool-row"
            data-name=name
            data-source=source_name
            data-readonly=read_only.to_string()
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
                        {read_only
                            .then(|| {
                                view! {
                                    <span class="mark" title=words.text(Word::ToolsReadOnlyHint)>
                                        {icon(Icon::Eye)}
                                        {words.text(Word::ToolReadOnly)}
                                    </span>
                                }
                            })}
                        <span class="mark" title=words.text(source_hint)>
                            {words.text(source_word)}
                        </span>
                    </span>
                    <When test=move || !open.get()>
                        <span class="meta summary">{summary.clone()}</span>
                    </When>
                </span>
            </button>
            <When test=move || open.get()>
                <div class="details">
                    <p class="description" data-testid="tool-description">
                        {Signal::derive(move || {
                            details
                                .with_value(|(description, _)| {
                                    if description.is_empty() {
                                        words.get(Word::ToolsNoDescription).to_owned()
                                    } else {
                                        description.clone()
                                    }
                                })
                        })}
                    </p>
                    <h3>{words.text(Word::ToolsSchema)}</h3>
                    <div data-testid="tool-schema">
                        {move || {
                            details
                                .with_value(|(_, schema)| {
                                    if schema.is_empty() {
                                        view! { <p>{words.get(Word::ToolsNoSchema)}</p> }.into_any()
                                    } else {
                                        view! { <pre tabindex="0">{pretty(schema)}</pre> }.into_any()
                                    }
                                })
                        }}
                    </div>
                </div>
            </When>
        </li>
    }
}

/// The tools that match, frame by frame in the order they come; the top frame has no name.
fn grouped(tools: &[ToolView], filter: &str) -> Vec<(String, Vec<ToolView>)> {
    let filter = filter.trim().to_ascii_lowercase();
    let mut groups: Vec<(String, Vec<ToolView>)> = Vec::new();
    for tool in tools.iter().filter(|tool| matches(tool, &filter)) {
        match groups.iter_mut().find(|(frame, _)| *frame == tool.frame) {
            Some((_, group)) => group.push(tool.clone()),
            None => groups.push((tool.frame.clone(), vec![tool.clone()])),
        }
    }
    groups
}

fn matches(tool: &ToolView, filter: &str) -> bool {
    [&tool.name, &tool.title, &tool.description, &tool.frame]
        .iter()
        .any(|text| text.to_ascii_lowercase().contains(filter))
}

fn tools_of(groups: &Memo<Vec<(String, Vec<ToolView>)>>, frame: &str) -> Vec<Keyed> {
    let tools = groups.with(|groups| {
        groups.iter().find(|(name, _)| name == frame).map(|(_, tools)| tools.clone()).unwrap_or_default()
    });
    let mut keyed: Vec<Keyed> = Vec::with_capacity(tools.len());
    for tool in tools {
        let twins = keyed.iter().filter(|(other, _)| other.0 == tool).count();
        keyed.push((ToolKey(tool), twins));
    }
    keyed
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, frame: &str) -> ToolView {
        ToolView {
            name: name.to_owned(),
            title: String::new(),
            description: "Finds Flights".to_owned(),
            input_schema: String::new(),
            read_only: true,
            source: Backend::Native,
            frame: frame.to_owned(),
        }
    }

    #[test]
    fn tools_are_grouped_by_frame_and_filtered_by_any_of_their_words() {
        let tools = [tool("a", ""), tool("b", "pay.example"), tool("c", "")];
        let whole = vec![
            (String::new(), vec![tool("a", ""), tool("c", "")]),
            ("pay.example".to_owned(), vec![tool("b", "pay.example")]),
        ];
        assert_eq!(grouped(&tools, ""), whole);
        assert_eq!(grouped(&tools, " flights "), whole);
        assert_eq!(grouped(&tools, "PAY"), whole[1..]);
        assert_eq!(grouped(&tools, "nothing"), vec![]);
    }
}
