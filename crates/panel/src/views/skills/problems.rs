//! What is wrong with a package: where, why, and what to do about it.

use leptos::prelude::*;
use sidecar_protocol::skill::SkillProblem;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::Words;

use crate::word;

/// The problems, errors first.
pub fn problem_list(words: Words, problems: &[SkillProblem]) -> AnyView {
    let (errors, others): (Vec<_>, Vec<_>) = problems.iter().partition(|problem| problem.is_error);
    let items = errors.into_iter().chain(others).map(|problem| item(words, problem)).collect_view();
    view! { <ul class="skill-problems">{items}</ul> }.into_any()
}

fn item(words: Words, problem: &SkillProblem) -> AnyView {
    let (at, why) = (place(problem), problem.why.clone());
    let (sign, kind) = match problem.is_error {
        true => (Icon::Cross, word::SKILLS_PROBLEM_ERROR),
        false => (Icon::Warning, word::SKILLS_PROBLEM_WARNING),
    };
    let at = (!at.is_empty()).then(|| view! { <code class="skill-place">{at}</code> }.into_any());
    let way_out = (!problem.way_out.is_empty())
        .then(|| view! { <p class="meta">{problem.way_out.clone()}</p> }.into_any());
    view! {
        <li data-testid="skill-problem" data-code=problem.code.clone() data-error=problem.is_error.to_string()>
            {icon(sign)}
            <div>
                {at}
                <p>
                    <span class="visually-hidden">{words.text(kind)} " "</span>
                    {why}
                </p>
                {way_out}
            </div>
        </li>
    }
    .into_any()
}

/// Where a problem is: `webmcp/skill.json:12 · tools[0].steps[2].at`.
fn place(SkillProblem { file, line, place, .. }: &SkillProblem) -> String {
    let file = match line {
        Some(line) if !file.is_empty() => format!("{file}:{line}"),
        _ => file.clone(),
    };
    [file.as_str(), place.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_of_a_problem_has_what_is_known_of_it() {
        let at = |file: &str, line, at: &str| {
            place(&SkillProblem {
                is_error: true,
                code: "badLocator".to_owned(),
                file: file.to_owned(),
                line,
                place: at.to_owned(),
                why: String::new(),
                way_out: String::new(),
            })
        };
        assert_eq!(at("webmcp/skill.json", Some(12), "tools[0]"), "webmcp/skill.json:12 · tools[0]");
        assert_eq!(at("SKILL.md", Some(3), ""), "SKILL.md:3");
        assert_eq!(at("SKILL.md", None, ""), "SKILL.md");
        assert_eq!(at("", Some(3), "name"), "name");
        assert_eq!(at("", None, ""), "");
    }
}
