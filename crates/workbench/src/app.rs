//! The root: what is bound, the views, and the one that is open.

use leptos::prelude::*;
use sidecar_link::language::browser_language;
use sidecar_protocol::TabId;
use sidecar_ui::dom::theme::{set_on_root, show_theme};
use sidecar_ui::words::{Words, tag};

use crate::binding;
use crate::definitions::Definitions;
use crate::frame::Header;
use crate::frame::notices::Notices;
use crate::place::{BenchPlace, BenchView};
use crate::state::Workbench;
use crate::trials::Trials;
use crate::views::compared::ComparedRuns;
use crate::views::contract::ContractView;
use crate::views::evals::EvalsView;
use crate::views::evals::draft::EvalDraft;
use crate::views::history::HistoryView;
use crate::views::lint::LintView;
use crate::views::questions::{QuestionDraft, QuestionsView};
use crate::views::sequence::Sequence;
use crate::views::tools::ToolsView;

/// The workbench; `inspected` is the tab that the developer tools inspect, if they show it.
pub fn app(inspected: Option<i32>) -> impl IntoView {
    let hash = window().location().hash().unwrap_or_default();
    let bench = Workbench::new(inspected.map(TabId), BenchPlace::read(&hash));
    let browser_language = browser_language();
    let language =
        Memo::new(move |_| bench.settings.with(|view| view.settings.language.resolve(&browser_language)));
    provide_context(Words::new(language.into()));
    provide_context(bench);
    Trials::provide(bench.connection);
    // Here, because what a view makes known outlives what it made.
    ComparedRuns::provide();
    Definitions::provide();
    Sequence::provide(bench);
    EvalDraft::provide(bench);
    QuestionDraft::provide();
    bench.evals.follow();
    Effect::new(move |_| set_on_root("lang", tag(language.get())));
    show_theme(
        Memo::new(move |_| bench.settings.with(|view| view.settings.theme)),
        bench.connection.welcomed.into(),
    );
    let binding = binding::Binding::new(bench);
    binding::follow_address(bench, binding);
    provide_context(binding);
    bench.connect();
    let view = Memo::new(move |_| bench.place.with(|place| place.view));
    view! {
        <Header />
        <main data-view=Signal::derive(move || view.get().name())>
            <Notices />
            {move || match view.get() {
                BenchView::Tools => view! { <ToolsView /> }.into_any(),
                BenchView::Lint => view! { <LintView /> }.into_any(),
                BenchView::History => view! { <HistoryView /> }.into_any(),
                BenchView::Contract => view! { <ContractView /> }.into_any(),
                BenchView::Evals => view! { <EvalsView /> }.into_any(),
                BenchView::Ask => view! { <QuestionsView /> }.into_any(),
            }}
        </main>
    }
}
