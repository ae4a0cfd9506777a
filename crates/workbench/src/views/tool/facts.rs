//! What is known of a tool's registration, and how the chosen model is offered it.

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::{Source, ToolRef};
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::words::{Word, use_words};

use crate::state::use_workbench;
use crate::views::marks::source_name;
use crate::views::native_way::NativeWay;
use crate::views::tool::registered::Registered;
use crate::whole_tool::WholeTool;
use crate::word;

/// The facts.
#[component]
pub fn Facts(tool: WholeTool) -> impl IntoView {
    let words = use_words();
    let WholeTool { summary, details } = tool;
    let size = words.size(u64::try_from(details.input_schema.len()).unwrap_or_default());
    let (frame, document) = match &summary.tool {
        ToolRef::Page(page) => (page.frame.0.to_string(), page.document.0.clone()),
        ToolRef::Skill { skill, .. } => (String::new(), skill.clone()),
        ToolRef::Browser { .. } | ToolRef::Mcp { .. } => (String::new(), String::new()),
    };
    let is_page = summary.tool.page().is_some();
    let is_polyfilled = summary.source == Source::Polyfill;
    let kind = if summary.form { word::FACT_FORM } else { word::FACT_SCRIPT };
    let facts: [(Word, String); 8] = [
        (word::FACT_ORIGIN, summary.origin.clone()),
        (
            word::FACT_FRAME,
            if summary.frame.is_empty() { frame } else { format!("{} ({frame})", summary.frame) },
        ),
        (word::FACT_DOCUMENT, document),
        (word::FACT_SOURCE, source_name(&summary.source).to_owned()),
        (word::FACT_KIND, words.get(kind).to_owned()),
        (word::FACT_TITLE, summary.title.clone()),
        (word::FACT_SIZE, size),
        (word::FACT_DIGEST, summary.digest.clone()),
    ];
    let rows = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| view! { <div><dt>{words.text(name)}</dt> <dd>{value}</dd></div> }.into_any());
    view! {
        <dl class="facts" data-testid="facts">{rows.collect::<Vec<_>>()}</dl>
        {is_page.then(|| view! { <Registered tool=summary.tool.clone() /> }.into_any())}
        {is_polyfilled.then(|| view! { <NativeWay /> }.into_any())}
        <Offered tool=summary.tool />
    }
}

/// The tool as the chosen model is offered it.
#[component]
fn Offered(tool: ToolRef) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let told = RwSignal::new(None::<(String, Option<String>, Vec<String>)>);
    Effect::new(move |_| {
        bench.connection.count.with(|_| ());
        // Another model may be offered it otherwise.
        bench.settings.with(|_| ());
        let question = PageCommand::OfferedTool { tool: tool.clone() };
        bench.connection.ask(question, move |response| {
            if let LinkResponse::Answer(PageAnswer::Offered { model, definition, lost }) = response {
                let _ = told.try_set(Some((model, definition, lost)));
            }
        });
    });
    move || {
        let (model, definition, lost) = told.get()?;
        let title = match model.is_empty() {
            true => words.get(word::OFFERED_ANY).to_owned(),
            false => words.fill(word::OFFERED_TITLE, &[("model", &model)]),
        };
        let body = match definition {
            None => view! { <p class="meta">{words.text(word::OFFERED_NOT)}</p> }.into_any(),
            Some(definition) => {
                let text = pretty(&definition);
                let lines =
                    lost.into_iter().map(|text| view! { <li>{text}</li> }.into_any()).collect::<Vec<_>>();
                let is_whole = lines.is_empty();
                view! {
                    <p class="meta">{words.text(if is_whole { word::OFFERED_WHOLE } else { word::OFFERED_LOST })}</p>
                    <ul class="lost" data-testid="offered-lost">{lines}</ul>
                    <pre tabindex="0" data-testid="offered">{text}</pre>
                }
                .into_any()
            }
        };
        let copied = Signal::stored(told.with_untracked(|told| {
            told.as_ref().and_then(|(_, definition, _)| definition.as_deref()).map(pretty).unwrap_or_default()
        }));
        Some(
            view! {
                <div class="details-head">
                    <h3>{title}</h3>
                    <CopyButton label=word::OFFERED_COPY testid="offered-copy" text=copied />
                </div>
                {body}
            }
            .into_any(),
        )
    }
}
