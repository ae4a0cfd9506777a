//! A tool: its form and its last result, its schema, its registration, and what is known of it.

mod facts;
mod known;
mod registered;
mod run;
mod schema;

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::page_view::PageStatus;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::definitions::Definitions;
use crate::place::{ToolName, ToolPart};
use crate::segment::Segment;
use crate::state::use_workbench;
use crate::views::marks::{risk_mark, source_name};
use crate::views::tool::facts::Facts;
use crate::views::tool::known::Known;
use crate::views::tool::run::RunView;
use crate::views::tool::schema::SchemaView;
use crate::whole_tool::WholeTool;
use crate::word;

/// The tool of this name, or that it is gone.
#[component]
pub fn ToolView(name: ToolName) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let name = StoredValue::new(name);
    let summary = Memo::new(move |_| name.with_value(|name| bench.tool(name)));
    let whole = RwSignal::new(None::<WholeTool>);
    let definitions = expect_context::<Definitions>();
    Effect::new(move |_| {
        // A worker that died may not have received the request.
        bench.connection.count.with(|_| ());
        let Some(summary) = summary.get() else { return };
        let tool = summary.tool.clone();
        bench.connection.ask(PageCommand::DescribeTool { tool }, move |response| {
            if let LinkResponse::Answer(PageAnswer::Tool { details: Some(details) }) = response {
                let told = WholeTool { summary: summary.clone(), details };
                definitions.keep(&told.summary.digest, told.definition());
                if whole.try_with_untracked(|known| known.as_ref() != Some(&told)) == Some(true) {
                    whole.set(Some(told));
                }
            }
        });
    });
    let is_gone = Memo::new(move |_| summary.with(Option::is_none));
    // A page that loads, or a worker that has just begun, has no tools yet.
    let is_loading = Memo::new(move |_| {
        bench.page.with(|page| page.tab_id.is_some() && page.status == PageStatus::Loading)
    });
    let part = Memo::new(move |_| bench.place.with(|place| place.part));
    let shown_name = name.with_value(|name| name.name.clone());
    // The beginning stands there at once, so that what is below has its place.
    let description = Signal::derive(move || {
        whole
            .with(|whole| whole.as_ref().map(|whole| whole.details.description.clone()))
            .or_else(|| summary.with(|summary| summary.as_ref().map(|summary| summary.beginning.clone())))
    });
    let copied = Signal::derive(move || {
        let copied = whole.with(|whole| whole.as_ref().map(WholeTool::copied));
        copied.and_then(|copied| serde_json::to_string_pretty(&copied).ok()).unwrap_or_default()
    });
    view! {
        <BackToList />
        <div class="tool-title">
            <h2 class="tool-name" data-testid="bench-tool-name">{shown_name}</h2>
            {move || {
                summary
                    .get()
                    .map(|tool| {
                        view! {
                            {risk_mark(words, tool.risk)}
                            <span class="mark">{source_name(&tool.source)}</span>
                        }
                            .into_any()
                    })
            }}
            <CopyButton label=word::BENCH_COPY_TOOL testid="bench-copy-tool" text=copied />
        </div>
        <div role="status">
            <Show when=move || is_gone.get() && !is_loading.get()>
                <p class="notice" data-testid="bench-gone">{words.text(word::BENCH_GONE)}</p>
            </Show>
        </div>
        <p class="description" data-testid="bench-description">
            {move || description.get()}
        </p>
        <div class="segments" role="group" aria-label=words.text(word::BENCH_PARTS)>
            <PartTab testid="part-run" word=word::PART_RUN part=ToolPart::Run />
            <PartTab testid="part-schema" word=word::PART_SCHEMA part=ToolPart::Schema />
            <PartTab testid="part-facts" word=word::PART_FACTS part=ToolPart::Facts />
        </div>
        <div class="bench-tool">
            <div class="bench-part">
                {move || {
                    let tool = whole.get()?;
                    Some(match part.get() {
                        ToolPart::Run => view! { <RunView tool=tool is_gone=is_gone /> }.into_any(),
                        ToolPart::Schema => view! { <SchemaView tool=tool /> }.into_any(),
                        ToolPart::Facts => view! { <Facts tool=tool /> }.into_any(),
                    })
                }}
            </div>
            <aside class="bench-known" aria-label=words.text(word::BENCH_KNOWN)>
                {move || whole.get().map(|tool| view! { <Known tool=tool /> }.into_any())}
            </aside>
        </div>
    }
}

/// Shows a part.
#[component]
fn PartTab(testid: &'static str, word: Word, part: ToolPart) -> impl IntoView {
    let bench = use_workbench();
    let is_open = Memo::new(move |_| bench.place.with(|place| place.part == part));
    view! { <Segment testid=testid word=word pressed=is_open press=move |()| bench.open_part(part) /> }
}

/// Goes back to the list, where only one of both has room.
#[component]
fn BackToList() -> impl IntoView {
    let bench = use_workbench();
    view! {
        <div class="bench-back">
            <WordButton
                testid="bench-back"
                class="small"
                word=word::BENCH_BACK
                press=Callback::new(move |_| bench.open_tool(None))
            />
        </div>
    }
}
