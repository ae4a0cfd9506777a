//! The page's tools on the left, the one that is open beside them.

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::page_view::ToolSummary;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::widgets::copy_button::{CopyMadeButton, TextToCome};
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::place::ToolName;
use crate::state::{Workbench, has_tools, use_workbench};
use crate::views::marks::{risk_mark, source_name};
use crate::views::no_tools::NoTools;
use crate::views::tool::ToolView;
use crate::whole_tool::WholeTool;
use crate::word;

/// Most tools of the list that is copied: each is asked for.
const MOST_COPIED: usize = 500;

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
    // How many tools go into the copy, and of how many, where some are left out.
    let partial = RwSignal::new(None::<(usize, usize)>);
    let copy = Callback::new(move |()| {
        partial.set(None);
        let (tools, total) =
            bench.page.with_untracked(|page| (page.tools.clone(), page.total_tools.max(page.tools.len())));
        Box::pin(async move {
            let list = whole_list(bench, tools).await?;
            // The list may be gone by now.
            let _ = partial.try_set((list.len() < total).then_some((list.len(), total)));
            serde_json::to_string_pretty(&list).ok()
        }) as TextToCome
    });
    // Other tools are another list.
    Effect::new(move |_| {
        bench.page.with(|_| ());
        partial.set(None);
    });
    let left_out = move || {
        let (count, total) = partial.get()?;
        let [count, total] =
            [count, total].map(|number| words.number(u64::try_from(number).unwrap_or_default()));
        let said = words.fill(word::BENCH_COPY_PART, &[("count", &count), ("total", &total)]);
        Some(view! { <p class="meta" data-testid="bench-copy-part">{said}</p> }.into_any())
    };
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
            <CopyMadeButton label=word::BENCH_COPY_LIST testid="bench-copy-list" make=copy />
        </div>
        <div role="status">{left_out}</div>
        <ul class="rows" on:keydown=move |event| _ = rove(&event, ".bench-row", Axis::List)>
            <KeyedList keys=keys row=row />
        </ul>
        <Show when=move || shown.with(Vec::is_empty)>
            <p class="drawer-empty" role="status">{words.text(word::BENCH_NO_MATCH)}</p>
        </Show>
    }
}

/// The definitions of these tools, for the copy of the list; nothing if the worker does not give them.
async fn whole_list(bench: Workbench, tools: Vec<ToolSummary>) -> Option<Vec<serde_json::Value>> {
    let mut list = Vec::new();
    for summary in tools.into_iter().take(MOST_COPIED) {
        let question = PageCommand::DescribeTool { tool: summary.tool.clone() };
        match bench.connection.response(question).await {
            LinkResponse::Answer(PageAnswer::Tool { details: Some(details) }) => {
                list.push(WholeTool { summary, details }.copied());
            }
            // It went meanwhile.
            LinkResponse::Answer(PageAnswer::Tool { details: None }) => {}
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Refused(_) | LinkResponse::Lost => {
                return None;
            }
        }
    }
    Some(list)
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
