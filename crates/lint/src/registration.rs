//! Rules about how a tool came to the page: by which script, when, how often, by which form.

use sidecar_protocol::registration::FormFacts;

use crate::finding::ToolFinding;
use crate::look::ToolLook;
use crate::parameters::is_secret;
use crate::report::ToolReport;
use crate::rule::ToolRule;

/// Milliseconds after a page loaded from which a tool comes late.
const LATE_MS: u32 = 3_000;

/// Number of changes from which a tool is not stable.
const RESTLESS: u32 = 3;

pub(crate) fn check(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let facts = look.facts;
    if let Some(script) = facts.script_origin.as_ref().filter(|script| *script != look.origin) {
        report.add(ToolFinding::of(ToolRule::ThirdPartyRegistration).excerpt(script).with("origin", script));
    }
    match facts.registered_ms.unwrap_or_default() {
        0 => {}
        after @ ..=LATE_MS => report.add(ToolFinding::of(ToolRule::ToolsAfterLoad).with("ms", after)),
        after => report.add(ToolFinding::of(ToolRule::ToolsRegisterLate).with("seconds", after / 1_000)),
    }
    if let Some(count) = facts.changes.filter(|count| *count >= RESTLESS) {
        report.add(ToolFinding::of(ToolRule::ToolChurn).with("count", count));
    }
    if let Some(page) = facts.differs_on.first() {
        report.add(ToolFinding::of(ToolRule::CrossPageDrift).excerpt(page).with("page", page));
    }
    if let Some(form) = &facts.form {
        declared(form, report);
    }
}

pub(crate) fn declared(form: &FormFacts, report: &mut ToolReport<'_>) {
    if !form.is_described {
        report.add(ToolFinding::of(ToolRule::DeclarativeDescription).at("/form"));
    }
    for (at, field) in form.fields.iter().enumerate() {
        let finding = |rule| {
            ToolFinding::of(rule)
                .at(format!("/form/fields/{at}"))
                .excerpt(&field.name)
                .with("name", &field.name)
        };
        if !field.is_described {
            report.add(finding(ToolRule::DeclarativeFieldDescription));
        }
        if form.autosubmit && (field.kind == "password" || is_secret(&field.name)) {
            report.add(finding(ToolRule::DeclarativeAutosubmitSensitive));
        }
    }
}
