//! How tools are passed to the model in use, shown before the first request.

use leptos::prelude::*;
use sidecar_protocol::settings::{SettingsView, ToolForm};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// A label beside the model's name; shown only for prompted tool calling.
#[component]
pub fn ToolFormSign() -> impl IntoView {
    let words = use_words();
    let PanelState { settings, .. } = use_state();
    view! {
        <Show when=move || settings.view.with(|view| view.tool_form != ToolForm::Native)>
            <span
                class="tool-form"
                data-testid="tool-form-sign"
                title=Signal::derive(move || words.get(settings.view.with(explanation)))
            >
                {words.text(word::TOOL_FORM_SIGN)}
            </span>
        </Show>
    }
}

/// A sentence that explains how tools are passed to the model.
#[component]
pub fn ToolFormSentence() -> impl IntoView {
    let words = use_words();
    let PanelState { settings, .. } = use_state();
    view! {
        <p
            class="meta"
            role="status"
            data-testid="tool-form"
            data-form=Signal::derive(move || settings.view.with(|view| form_name(view.tool_form)))
        >
            {move || words.get(settings.view.with(explanation))}
        </p>
    }
}

fn explanation(view: &SettingsView) -> Word {
    match (view.tool_form, view.takes_tools) {
        (ToolForm::Native, Some(true)) => word::TOOL_FORM_NATIVE,
        (ToolForm::Native, Some(false) | None) => word::TOOL_FORM_UNKNOWN,
        (ToolForm::Prompted, _) => word::TOOL_FORM_WORDS,
        (ToolForm::Schema, _) => word::TOOL_FORM_SCHEMA,
    }
}

fn form_name(form: ToolForm) -> &'static str {
    match form {
        ToolForm::Native => "native",
        ToolForm::Prompted => "words",
        ToolForm::Schema => "schema",
    }
}
