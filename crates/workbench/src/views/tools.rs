//! The page's tools on the left, the one that is open beside them.

use leptos::prelude::*;
use sidecar_protocol::page_view::ToolSummary;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::place::ToolName;
use crate::state::{has_tools, use_workbench};
use crate::views::marks::{risk_mark, source_name};
use crate::views::no_tools::NoTools;
use crate::views::tool::ToolView;
use crate::word;

/// The view.
#[component]
pub fn ToolsView() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let open = Memo::new(move |_| bench.place.with(|place| place.tool.clone()));
    let has_tools = has_tools(bench);
    view! {
        <div class="bench-columns" data-open=Signal::derive(move || open.get().is_some().to_string())>
            <aside class="bench-list" aria-label=words.text(word::BENCH_TOOLS)>
                <Show when=move || has_tools.get() fallback=|| view! { <NoTools /> }>
                    <ToolList />
                </Show>
            </aside>
            <section class="bench-main card-frame" aria-label=words.text(word::BENCH_TOOL)>
                {move || match open.get() {
                    Some(name) => view! { <ToolView name=name /> }.into_any(),
                    None => {
                        view! {
                            <Show when=move || has_tools.get()>
                                <p class="bench-empty">{words.text(word::EMPTY_CHOOSE_TOOL)}</p>
                            </Show>
                        }
                            .into_any()
                    }
                }}
            </section>
        </div>
    }
}

/// The tools that match what is typed, by frame.
#[component]
fn ToolList() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let filter = RwSignal::new(String::new());
    let shown = Memo::new(move |_| {
        let wanted = filter.with(|filter| filter.trim().to_lowercase());
        bench.page.with(|page| {
            let fits = |tool: &&ToolSummary| {
                [tool.tool.name(), &tool.title, &tool.beginning, &tool.frame, source_name(&tool.source)]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&wanted))
            };
            page.tools.iter().filter(fits).cloned().collect::<Vec<_>>()
        })
    });
    let keys = Signal::derive(move || {
        shown.with(|tools| tools.iter().map(|tool| format!("{tool:?}")).collect::<Vec<_>>())
    });
    let row = move |at: usize| {
        let tool = shown.with_untracked(|tools| tools.get(at).cloned());
        tool.map(|tool| view! { <Row tool=tool /> }).into_any()
    };
    let all = Signal::derive(move || {
        bench.page.with(|page| {
            let tools: Vec<_> = page.tools.iter().map(digest_of).collect();
            serde_json::to_string_pretty(&tools).unwrap_or_default()
        })
    });
    view! {
        <div class="bench-list-head">
            <input
                type="search"
                data-testid="bench-filter"
                aria-label=words.text(word::BENCH_FILTER)
                placeholder=words.text(word::BENCH_FILTER)
                autocomplete="off"
                prop:value=Signal::derive(move || filter.get())
                on:input:target=move |event| filter.set(event.target().value())
            />
            <CopyButton label=word::BENCH_COPY_LIST testid="bench-copy-list" text=all />
        </div>
        <ul class="rows" on:keydown=move |event| _ = rove(&event, ".bench-row", Axis::List)>
            <KeyedList keys=keys row=row />
        </ul>
        <Show when=move || shown.with(Vec::is_empty)>
            <p class="drawer-empty" role="status">{words.text(word::BENCH_NO_MATCH)}</p>
        </Show>
    }
}

/// A tool in the list that is copied.
fn digest_of(tool: &ToolSummary) -> serde_json::Value {
    serde_json::json!({
        "name": tool.tool.name(),
        "title": tool.title,
        "description": tool.beginning,
        "origin": tool.origin,
        "source": source_name(&tool.source),
    })
}

#[component]
fn Row(tool: ToolSummary) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let name = ToolName::from(&tool);
    let is_open = {
        let name = name.clone();
        Memo::new(move |_| bench.place.with(|place| place.tool.as_ref() == Some(&name)))
    };
    let ToolSummary { title, beginning, risk, source, form, frame, .. } = tool;
    let shown = name.name.clone();
    view! {
        <li>
            <button
                type="button"
                class="row bench-row"
                data-testid="bench-row"
                data-name=name.name.clone()
                data-source=source_name(&source)
                aria-current=Signal::derive(move || is_open.get().to_string())
                on:click=move |_| bench.open_tool(Some(name.clone()))
            >
                <span class="row-main">
                    <span class="row-head">
                        <span class="tool-name">{shown}</span>
                        {risk_mark(words, risk)}
                        {form.then(|| view! { <span class="mark">{words.text(word::BENCH_FORM)}</span> }.into_any())}
                        <span class="mark">{source_name(&source)}</span>
                    </span>
                    <span class="meta summary">{if title.is_empty() { beginning } else { title }}</span>
                    {(!frame.is_empty()).then(|| view! { <span class="meta">{frame}</span> }.into_any())}
                </span>
            </button>
        </li>
    }
}
