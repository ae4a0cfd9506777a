//! The report about a SKILL that a page no longer fits, for its author: in English, and without anything of the page.

use js_sys::Date;
use leptos::prelude::*;
use sidecar_protocol::link::{SkillsAnswer, SkillsCommand};
use sidecar_protocol::skill::{SkillState, SkillSummary, SkillTrace, TracedStep};
use sidecar_ui::widgets::copy_button::{CopyMadeButton, TextToCome};
use wasm_bindgen::JsValue;

use crate::phrases::skill::{level_name, state_name};
use crate::state::{PanelState, use_state};
use crate::word;
use sidecar_link::LinkResponse;

/// How much of a digest is told, in characters.
const DIGEST: usize = 12;

/// The button that copies the report.
#[component]
pub fn CopyReport(skill: Memo<SkillSummary>) -> impl IntoView {
    let PanelState { connection, page, .. } = use_state();
    let make = move |()| {
        let skill = skill.get_untracked();
        let site = page.view.with_untracked(|page| page.origin.clone());
        let command = SkillsCommand::Trace { id: skill.id.clone() };
        Box::pin(async move {
            let trace = match connection.response(command).await {
                LinkResponse::Answer(SkillsAnswer::Traced { trace }) => trace,
                // What is known without it is worth telling.
                LinkResponse::Answer(_)
                | LinkResponse::Done
                | LinkResponse::Refused(_)
                | LinkResponse::Lost => None,
            };
            let began = trace.as_ref().map(|trace| moment(trace.began)).unwrap_or_default();
            Some(report(&skill, &site, trace.as_ref(), &began))
        }) as TextToCome
    };
    view! { <CopyMadeButton label=word::SKILLS_COPY_REPORT testid="skill-copy-report" make=Callback::new(make) /> }
}

/// Whether there is something to report: the page is not as the SKILL expects.
pub fn has_report(state: SkillState) -> bool {
    match state {
        SkillState::Worn | SkillState::Changed | SkillState::Paused => true,
        SkillState::Elsewhere
        | SkillState::Checking
        | SkillState::Ok
        | SkillState::SignedOut
        | SkillState::Challenge
        | SkillState::OtherPage
        | SkillState::Off
        | SkillState::OffHere
        | SkillState::NeedsSwitch
        | SkillState::Revoked
        | SkillState::Newer
        | SkillState::Unreadable => false,
    }
}

fn moment(moment: u64) -> String {
    Date::new(&JsValue::from_f64(moment as f64)).to_iso_string().into()
}

/// What is told: which SKILL, how it fares (kind of page, probe and locator), and what the steps of its last run did,
/// without the values that they read. `site` is the origin of the page that is shown; `began`, when the run began.
fn report(skill: &SkillSummary, site: &str, trace: Option<&SkillTrace>, began: &str) -> String {
    let SkillSummary { id, version, level, digest, state, detail, .. } = skill;
    let digest: String = digest.chars().take(DIGEST).collect();
    let facts = [
        ("SKILL", format!("{id} {version}")),
        ("level", level_name(*level).to_owned()),
        ("digest", digest),
        ("extension", env!("CARGO_PKG_VERSION").to_owned()),
        ("site", site.to_owned()),
        ("state", state_name(*state).to_owned()),
        ("detail", detail.clone()),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let mut lines: Vec<_> = known.map(|(name, value)| format!("{name}: {}", value.trim_end())).collect();
    if let Some(SkillTrace { tool, origin, steps, outcome, .. }) = trace {
        lines.push(format!("last run: {tool}, {origin}, {began}, {outcome}"));
        lines.extend(steps.iter().map(step_line));
    }
    lines.join("\n") + "\n"
}

/// `  steps[2] read, locator price (way 2): ok`
fn step_line(TracedStep { step, does, locator, alternative, value, outcome }: &TracedStep) -> String {
    let locator = if locator.is_empty() { String::new() } else { format!(", locator {locator}") };
    let way = alternative.map(|place| format!(" (way {place})")).unwrap_or_default();
    // That a field has no value is no value.
    let outcome = if does == "field" && value.is_empty() { "not there" } else { outcome.as_str() };
    format!("  {step} {does}{locator}{way}: {outcome}")
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::skill::SkillLevel;

    use super::*;
    use crate::phrases::skill::tests::skill;

    #[test]
    fn report_names_skill_state_and_steps_and_nothing_that_was_read() {
        let skill = SkillSummary {
            id: "shop".to_owned(),
            version: "1.2.0".to_owned(),
            digest: "0123456789abcdef".to_owned(),
            level: SkillLevel::Imported,
            source: "https://a.example/shop.zip?token=secret".to_owned(),
            detail: "list: 1 (rows)".to_owned(),
            ..skill(SkillState::Changed, true)
        };
        let step =
            |step: &str, does: &str, locator: &str, alternative, value: &str, outcome: &str| TracedStep {
                step: step.to_owned(),
                does: does.to_owned(),
                locator: locator.to_owned(),
                alternative,
                value: value.to_owned(),
                outcome: outcome.to_owned(),
            };
        let trace = SkillTrace {
            tool: "shop_search".to_owned(),
            origin: "https://m.shop.example".to_owned(),
            began: 1,
            steps: vec![
                step("steps[0]", "navigate", "", None, "", "ok"),
                step("steps[1]", "extract", "rows", Some(2), "[{\"name\":\"Ann's order\"}]", "ok"),
                step("steps[1].rating", "field", "", None, "", "ok"),
                step("steps[2]", "read", "total", None, "", "changed"),
            ],
            outcome: "changed".to_owned(),
        };
        let told = report(&skill, "https://shop.example", Some(&trace), "2026-11-28T10:00:00.000Z");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            told,
            format!(
                "SKILL: shop 1.2.0\nlevel: imported\ndigest: 0123456789ab\nextension: {version}\n\
                 site: https://shop.example\nstate: changed\ndetail: list: 1 (rows)\n\
                 last run: shop_search, https://m.shop.example, 2026-11-28T10:00:00.000Z, changed\n  steps[0] navigate: ok\n  \
                 steps[1] extract, locator rows (way 2): ok\n  steps[1].rating field: not there\n  \
                 steps[2] read, locator total: changed\n"
            )
        );
        let bare =
            SkillSummary { version: String::new(), digest: String::new(), detail: String::new(), ..skill };
        assert!(report(&bare, "", None, "").starts_with("SKILL: shop\nlevel: imported\nextension: "));
    }
}
