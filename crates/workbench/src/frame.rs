//! The frame: the bound tab, and the views.

pub mod notices;

use leptos::prelude::*;
use sidecar_protocol::TabId;
use sidecar_protocol::link::PageCommand;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::words::{Word, use_words};

use crate::binding::Binding;
use crate::place::BenchView;
use crate::state::{NO_TAB, use_workbench};
use crate::word;

/// The header.
#[component]
pub fn Header() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    view! {
        <header class="bench-header">
            <h1>{words.text(word::BENCH_TITLE)}</h1>
            {if bench.is_inspecting {
                view! { <span class="bench-page">{move || bench.page.with(|page| page.site.clone())}</span> }.into_any()
            } else {
                view! { <TabChoice /> }.into_any()
            }}
            <IconButton
                testid="bench-refresh"
                sign=Icon::Refresh
                word=word::BENCH_REFRESH
                press=move |_| _ = bench.connection.send(PageCommand::Refresh)
            />
            <nav
                class="bench-tabs"
                aria-label=words.text(word::BENCH_VIEWS)
                on:keydown=move |event| _ = rove(&event, ".bench-tab", Axis::Tabs)
            >
                <BenchTab testid="bench-tools" word=word::BENCH_TOOLS view=BenchView::Tools />
                <BenchTab testid="bench-ask" word=word::BENCH_ASK view=BenchView::Ask />
                <BenchTab testid="bench-lint" word=word::BENCH_LINT view=BenchView::Lint />
                <BenchTab testid="bench-history" word=word::BENCH_HISTORY view=BenchView::History />
                <BenchTab testid="bench-contract" word=word::BENCH_CONTRACT view=BenchView::Contract />
                <BenchTab testid="bench-evals" word=word::BENCH_EVALS view=BenchView::Evals />
            </nav>
        </header>
    }
}

/// Opens a view.
#[component]
fn BenchTab(testid: &'static str, word: Word, view: BenchView) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let is_open = Memo::new(move |_| bench.place.with(|place| place.view == view));
    view! {
        <button
            type="button"
            class="bench-tab"
            data-testid=testid
            aria-current=Signal::derive(move || if is_open.get() { "page" } else { "false" })
            on:click=move |_| bench.open(view)
        >
            {words.text(word)}
        </button>
    }
}

/// The choice of the tab.
#[component]
fn TabChoice() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let binding = expect_context::<Binding>();
    let bound = Memo::new(move |_| bench.page.with(|page| page.tab_id).unwrap_or(NO_TAB));
    let options = move || {
        let tabs = binding.tabs.get();
        let now = bound.get();
        // The bound tab stands there even if its page may not be named.
        let own = (now != NO_TAB && !tabs.iter().any(|tab| tab.tab_id == now)).then(|| {
            let text = bench
                .page
                .with(|page| if page.title.is_empty() { page.url.clone() } else { page.title.clone() });
            (now, text)
        });
        let others = tabs.into_iter().map(|tab| {
            let title = tab.address.text.lines().next().unwrap_or_default().to_owned();
            (tab.tab_id, format!("{} — {title}", tab.address.site))
        });
        own.into_iter()
            .chain(others)
            .map(|(tab, text)| {
                view! {
                    <option value=tab.0.to_string() prop:selected=Signal::derive(move || bound.get() == tab)>{text}</option>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    view! {
        <select
            class="bench-page"
            data-testid="bench-page"
            aria-label=words.text(word::BENCH_PAGE)
            on:focus=move |_| binding.list()
            on:change:target=move |event| {
                if let Ok(tab) = event.target().value().parse() {
                    binding.bind(TabId(tab));
                }
            }
        >
            <option value="-1" disabled=true prop:selected=Signal::derive(move || bound.get() == NO_TAB)>
                {words.text(word::BENCH_CHOOSE)}
            </option>
            {options}
        </select>
        <IconButton
            testid="bench-show-page"
            sign=Icon::Eye
            word=word::BENCH_SHOW_PAGE
            press=move |_| {
                let tab_id = bound.get_untracked();
                bench.connection.send(PageCommand::ShowTab { tab_id });
            }
        />
    }
}
