//! The Tools view: the tools of the page, by frame.

use leptos::prelude::*;
use sidecar_link::{LinkResponse, ask_anew};
use sidecar_protocol::TabId;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::page_view::PageStatus;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::page_state::PageState;
use crate::views::tools::groups::{Groups, grouped, keys, tools_of};
use crate::views::tools::lint::Lint;
use crate::views::tools::row::Row;
use crate::views::tools::site_switches::SiteSwitches;
use crate::word;

mod groups;
pub mod hand_runs;
mod lint;
mod policy_choice;
mod row;
mod run;
mod run_history;
mod run_result;
mod site_switches;

/// The Tools view.
#[component]
pub fn Tools() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, .. } = use_state();
    let filter = RwSignal::new(String::new());
    let has_tools =
        Memo::new(move |_| page.view.with(|page| page.status == PageStatus::Ready && !page.tools.is_empty()));
    // Only the worker has the full descriptions; it searches them.
    let found = RwSignal::new((String::new(), Vec::<String>::new()));
    let asked_for = StoredValue::new(String::new());
    ask_anew(
        connection.link,
        move || {
            page.view.with(|_| ());
            filter.with(|_| ());
        },
        move || {
            let text = filter.with_untracked(|filter| filter.trim().to_owned());
            asked_for.set_value(text.clone());
            (!text.is_empty()).then_some(PageCommand::FindTools { text })
        },
        move |response| {
            if let LinkResponse::Answer(PageAnswer::FoundTools { digests }) = response
                && let Some(about) = asked_for.try_get_value()
            {
                let _ = found.try_set((about, digests));
            }
        },
    );
    let groups = Memo::new(move |_| {
        page.view.with(|page| {
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
        page.view
            .with(|page| u64::try_from(page.total_tools.saturating_sub(page.tools.len())).unwrap_or_default())
    };

    let workbench = move || page.view.with(|page| workbench_address(page.tab_id, &page.origin));
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
                    <Lint />
                    <p class="bench-link">
                        <a href=workbench target="_blank" data-testid="open-workbench">{words.text(word::TOOLS_WORKBENCH)}</a>
                    </p>
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

/// The address of a workbench that is bound to a tab.
fn workbench_address(tab: Option<TabId>, origin: &str) -> String {
    let site = String::from(js_sys::encode_uri_component(origin));
    let tab = tab.map(|TabId(tab)| format!("tab={tab}&")).unwrap_or_default();
    format!("workbench.html#{tab}site={site}")
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
