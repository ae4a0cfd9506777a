//! Global keyboard shortcuts, and the dialog that lists them.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::Control;
use sidecar_protocol::thread::Activity;
use sidecar_ui::dom::focus::{is_composing, is_typing};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::words::{Word, use_words};
use web_sys::KeyboardEvent;

use crate::state::PanelState;
use crate::word;

/// Handle of the shortcut dialog, provided as context.
#[derive(Clone, Copy)]
pub struct Shortcuts {
    dialog: NodeRef<html::Dialog>,
}

impl Shortcuts {
    /// The dialog, closed.
    pub fn new() -> Self {
        Self { dialog: NodeRef::new() }
    }

    /// Opens the dialog.
    pub fn show(self) {
        if let Some(dialog) = self.dialog.get_untracked()
            && !dialog.open()
        {
            // Fails only for a dialog that is not in the document.
            let _ = dialog.show_modal();
        }
    }

    fn close(self) {
        if let Some(dialog) = self.dialog.get_untracked() {
            dialog.close();
        }
    }
}

/// Whether a dialog is open, of the shortcuts or with a picture: Escape closes it.
fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|open| open.is_some())
}

/// Listens for the global shortcuts.
pub fn listen(state: PanelState, shortcuts: Shortcuts) {
    let handle = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let plain = !event.ctrl_key() && !event.alt_key() && !event.meta_key();
        if is_composing(&event) || event.default_prevented() || !plain || is_dialog_open() {
            return;
        }
        match event.key().as_str() {
            "Escape" if state.navigation.threads_open.get_untracked() => state.navigation.write(),
            "Escape" if state.conversation.activity.get_untracked() != Activity::Resting => {
                state.conversation.control(Control::Stop);
            }
            "/" if !is_typing() => {
                event.prevent_default();
                state.navigation.write();
            }
            "?" if !is_typing() => {
                event.prevent_default();
                shortcuts.show();
            }
            _ => {}
        }
    });
    on_cleanup(move || handle.remove());
}

/// The dialog that lists the shortcuts.
#[component]
pub fn ShortcutList(shortcuts: Shortcuts) -> impl IntoView {
    let words = use_words();
    let rows: [(&[&str], Word); 10] = [
        (&["/"], word::SHORTCUTS_COMPOSE),
        (&["Enter"], word::SHORTCUTS_SEND),
        (&["Shift", "Enter"], word::SHORTCUTS_NEW_LINE),
        (&["↑"], word::SHORTCUTS_RECALL),
        (&["/"], word::SHORTCUTS_COMMANDS),
        (&["@"], word::SHORTCUTS_TAB),
        (&["Esc"], word::SHORTCUTS_ESCAPE),
        (&["←", "→"], word::SHORTCUTS_TABS),
        (&["↑", "↓"], word::SHORTCUTS_LISTS),
        (&["?"], word::SHORTCUTS_HELP),
    ];
    let rows = rows.map(|(keys, word)| {
        view! {
            <div>
                <dt>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> }.into_any()).collect_view()}</dt>
                <dd>{words.text(word)}</dd>
            </div>
        }
        .into_any()
    });
    view! {
        <dialog class="shortcuts" data-testid="shortcuts" aria-labelledby="shortcuts-title" node_ref=shortcuts.dialog>
            <div class="drawer-head">
                <h2 id="shortcuts-title">{words.text(word::SHORTCUTS_TITLE)}</h2>
                <IconButton
                    testid="shortcuts-close"
                    sign=Icon::Cross
                    word=word::SHORTCUTS_CLOSE
                    press=move |_| shortcuts.close()
                />
            </div>
            <dl>{rows}</dl>
        </dialog>
    }
}

/// Returns the dialog's handle from the context.
pub fn use_shortcuts() -> Shortcuts {
    expect_context()
}
