//! Facts about a SKILL, of the list and of the install screen alike.

use leptos::prelude::*;
use sidecar_ui::words::Words;

use crate::word;

/// The pages on which it is of use.
pub fn sites_view(words: Words, sites: &[String]) -> AnyView {
    if sites.is_empty() {
        return view! { <p class="meta" data-testid="skill-sites">{words.text(word::SKILLS_SITES_NONE)}</p> }
            .into_any();
    }
    let site = |site: &String| view! { <li><code>{site.clone()}</code></li> }.into_any();
    view! {
        <div data-testid="skill-sites">
            <h3>{words.text(word::SKILLS_SITES)}</h3>
            <ul>{sites.iter().map(site).collect_view()}</ul>
        </div>
    }
    .into_any()
}

/// Whether somebody tried it on the live site, and when.
pub fn verified(words: Words, on: &str) -> String {
    match on {
        "" => words.get(word::SKILLS_NOT_VERIFIED).to_owned(),
        on => words.fill(word::SKILLS_VERIFIED, &[("date", on)]),
    }
}
