//! Functions of a module as plain JavaScript: what TypeScript adds in simple places is taken out.
//!
//! Only what can be nothing else in JavaScript is touched. What is left and no JavaScript is a mistake of syntax when
//! the tool runs, and never does something else.

use super::literal::{JsSource, past_bracket};
use super::tokens::{ScriptToken, ScriptTokenKind};

/// Names after which `<…>` before a bracket says types.
const GENERIC: [&str; 8] =
    ["querySelector", "querySelectorAll", "closest", "Promise", "Map", "Set", "Array", "Record"];
/// Words before a bracket that is no list of parameters, though a block follows.
const CONTROL: [&str; 6] = ["if", "for", "while", "switch", "with", "await"];
/// Maximum depth of types in types.
const MOST_DEPTH: usize = 20;
/// Words that only TypeScript begins a statement with.
const DECLARATIONS: [&str; 4] = ["interface", "enum", "declare", "namespace"];

/// A function as an expression of JavaScript. `None` if the value is no function written in place, or has types that
/// cannot be taken out.
pub(super) fn function(source: &JsSource<'_>, whole: &str) -> Option<String> {
    let tokens = source.tokens.as_slice();
    if !source.is_method && !is_function(tokens) {
        return None;
    }
    let plain = without_types(tokens, whole, source.is_method)?;
    Some(match (source.is_method, source.is_async) {
        (false, _) => plain,
        (true, false) => format!("function {plain}"),
        (true, true) => format!("async function {plain}"),
    })
}

/// `(a) => …`, `a => …`, `function (a) { … }`, each perhaps `async`.
fn is_function(tokens: &[ScriptToken<'_>]) -> bool {
    let tokens = match tokens {
        [first, rest @ ..] if first.is_word("async") => rest,
        all => all,
    };
    match tokens {
        [first, ..] if first.is_word("function") => {
            // And nothing after its body.
            let body =
                tokens.iter().position(|token| token.is("(")).and_then(|at| after_parameters(tokens, at));
            body.and_then(|body| past_bracket(tokens, body)) == Some(tokens.len())
        }
        [first, arrow, ..] if first.kind == ScriptTokenKind::Name => arrow.is("=>"),
        [first, ..] if first.is("(") => after_parameters(tokens, 0)
            .and_then(|after| tokens.get(after))
            .is_some_and(|arrow| arrow.is("=>")),
        _ => false,
    }
}

/// The number of the token after a list of parameters, and after the type of what is returned.
fn after_parameters(tokens: &[ScriptToken<'_>], at: usize) -> Option<usize> {
    let after = past_bracket(tokens, at)?;
    match tokens.get(after) {
        Some(colon) if colon.is(":") => type_end(tokens, after + 1),
        _ => Some(after),
    }
}

/// The source of tokens without types.
fn without_types(tokens: &[ScriptToken<'_>], whole: &str, is_method: bool) -> Option<String> {
    let mut removed = vec![false; tokens.len()];
    let mut remove = |from: usize, to: usize| removed[from..to].fill(true);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let next = tokens.get(at + 1);
        if DECLARATIONS.iter().any(|word| token.is_word(word))
            && next.is_some_and(|next| next.kind == ScriptTokenKind::Name && !next.after_break)
        {
            return None;
        }
        if is_cast(token, before) {
            remove(at, type_end(tokens, at + 1)?);
        } else if ["const", "let", "var"].iter().any(|word| token.is_word(word)) {
            let named = match next {
                Some(next) if next.is("{") || next.is("[") => past_bracket(tokens, at + 1)?,
                _ => at + 2,
            };
            if tokens.get(named).is_some_and(|colon| colon.is(":")) {
                remove(named, type_end(tokens, named + 1)?);
            }
        } else if token.is("(") {
            let after = past_bracket(tokens, at)?;
            if is_parameters(tokens, at, after, is_method) {
                parameters(tokens, at + 1, after - 1, &mut remove)?;
            }
            // The function's own: of others `a ? (b) : c => d` may look the same.
            let is_own = tokens[..at].iter().all(|token| token.kind == ScriptTokenKind::Name);
            if is_own && tokens.get(after).is_some_and(|colon| colon.is(":")) {
                remove(after, type_end(tokens, after + 1)?);
            }
        } else if token.is("<") && before.is_some_and(|name| GENERIC.contains(&name.text)) {
            if let Some(after) =
                generics_end(tokens, at, 0).filter(|after| tokens.get(*after).is_some_and(|it| it.is("(")))
            {
                remove(at, after);
            }
        } else if token.is("!") && is_not_null(token, before, next) {
            remove(at, at + 1);
        }
    }
    let begin = tokens.first()?.start;
    let mut plain = String::new();
    let mut from = begin;
    for (at, token) in tokens.iter().enumerate().filter(|(at, _)| removed[*at]) {
        if at == 0 || !removed[at - 1] {
            plain.push_str(&whole[from..token.start]);
        }
        from = token.end();
    }
    plain.push_str(&whole[from..tokens.last()?.end()]);
    Some(plain)
}

/// `x as T`: two values one after the other, which JavaScript never has on one line.
fn is_cast(token: &ScriptToken<'_>, before: Option<&ScriptToken<'_>>) -> bool {
    let is_word = token.is_word("as") || token.is_word("satisfies");
    is_word && !token.after_break && before.is_some_and(|before| before.ends_value() || before.is("}"))
}

/// `x!.y`: in JavaScript a `!` after a value comes before `=` only.
fn is_not_null(
    token: &ScriptToken<'_>,
    before: Option<&ScriptToken<'_>>,
    next: Option<&ScriptToken<'_>>,
) -> bool {
    let ends = [".", ")", "]", "[", ";", ",", "}"];
    !token.after_break
        && before.is_some_and(|before| before.ends_value() && before.end() == token.start)
        && next.is_none_or(|next| ends.iter().any(|sign| next.is(sign)))
}

/// Whether the bracket from `at` to before `after` holds the parameters of a function.
fn is_parameters(tokens: &[ScriptToken<'_>], at: usize, after: usize, is_method: bool) -> bool {
    if at == 0 {
        return is_method || is_function(tokens);
    }
    let before = &tokens[at - 1];
    let next = tokens.get(after);
    if next.is_some_and(|next| next.is("=>")) || before.is_word("function") || before.is_word("catch") {
        return true;
    }
    if at == 1 && before.is_word("async") {
        return true;
    }
    before.kind == ScriptTokenKind::Name
        && !CONTROL.contains(&before.text)
        && next.is_some_and(|next| next.is("{") && !next.after_break)
}

/// Takes the types out of a list of parameters.
fn parameters(
    tokens: &[ScriptToken<'_>],
    from: usize,
    to: usize,
    remove: &mut impl FnMut(usize, usize),
) -> Option<()> {
    let mut at = from;
    let mut in_default = false;
    while at < to {
        let token = &tokens[at];
        if token.is(",") {
            in_default = false;
        } else if token.is("=") {
            in_default = true;
        } else if token.is_word("this") && !in_default {
            return None;
        } else if token.is("?") && !in_default {
            remove(at, at + 1);
        } else if token.is(":") && !in_default {
            let end = type_end(tokens, at + 1)?;
            // Else a part of the type would stay behind.
            let is_whole = end == to || (end < to && (tokens[end].is(",") || tokens[end].is("=")));
            if !is_whole {
                return None;
            }
            remove(at, end);
            at = end;
            continue;
        } else if ["(", "[", "{"].iter().any(|sign| token.is(sign)) {
            at = past_bracket(tokens, at)?;
            continue;
        }
        at += 1;
    }
    Some(())
}

/// The number of the token after the type that begins at `at`.
fn type_end(tokens: &[ScriptToken<'_>], at: usize) -> Option<usize> {
    type_end_in(tokens, at, 0)
}

fn type_end_in(tokens: &[ScriptToken<'_>], at: usize, depth: usize) -> Option<usize> {
    let is = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| token.is(sign));
    let mut at = if is(at, "|") { at + 1 } else { at };
    loop {
        at = one_type_end(tokens, at, depth)?;
        if !is(at, "|") && !is(at, "&") || is(at + 1, "|") || is(at + 1, "&") {
            return Some(at);
        }
        at += 1;
    }
}

fn one_type_end(tokens: &[ScriptToken<'_>], at: usize, depth: usize) -> Option<usize> {
    if depth > MOST_DEPTH {
        return None;
    }
    let token = tokens.get(at)?;
    let mut end = match token.kind {
        ScriptTokenKind::Name if ["keyof", "typeof", "readonly"].contains(&token.text) => {
            return one_type_end(tokens, at + 1, depth + 1);
        }
        ScriptTokenKind::Name => {
            let mut end = at + 1;
            while let [dot, name, ..] = &tokens[end..]
                && dot.is(".")
                && name.kind == ScriptTokenKind::Name
            {
                end += 2;
            }
            generics_end(tokens, end, depth + 1).unwrap_or(end)
        }
        ScriptTokenKind::Text | ScriptTokenKind::Number | ScriptTokenKind::Template => at + 1,
        ScriptTokenKind::Sign if token.is("{") || token.is("[") => past_bracket(tokens, at)?,
        ScriptTokenKind::Sign if token.is("(") => {
            let after = past_bracket(tokens, at)?;
            match tokens.get(after) {
                Some(arrow) if arrow.is("=>") => return type_end_in(tokens, after + 1, depth + 1),
                _ => after,
            }
        }
        ScriptTokenKind::Sign | ScriptTokenKind::Regex => return None,
    };
    while tokens.get(end).is_some_and(|open| open.is("[") && !open.after_break) {
        end = past_bracket(tokens, end)?;
    }
    Some(end)
}

/// The number of the token after `<A, B>`.
fn generics_end(tokens: &[ScriptToken<'_>], at: usize, depth: usize) -> Option<usize> {
    if !tokens.get(at)?.is("<") {
        return None;
    }
    let mut end = type_end_in(tokens, at + 1, depth)?;
    while tokens.get(end)?.is(",") {
        end = type_end_in(tokens, end + 1, depth)?;
    }
    tokens.get(end)?.is(">").then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::script::literal::{self, JsValue};
    use crate::import::script::tokens::tokens;

    fn plain(source: &str) -> Option<String> {
        let tokens = tokens(source).ok()?;
        match literal::read(&tokens, 0).ok()? {
            (JsValue::Source(part), _) => function(&part, source),
            _ => None,
        }
    }

    #[test]
    fn types_are_taken_out_and_nothing_else() {
        for (source, made) in [
            ("(a: string) => a", "(a) => a"),
            ("async (p: { q: string, n?: number[] }): Promise<void> => { go(p) }", "async (p) => { go(p) }"),
            ("({ q }: { q: string }, n: number = 1) => q", "({ q }, n = 1) => q"),
            ("(a?: string, b = c ? d : e) => a", "(a, b = c ? d : e) => a"),
            ("function (a: A.B<C, D[]> | null) { return a }", "function (a) { return a }"),
            (
                "() => { const x: X = y as unknown as HTMLInputElement; x!.click(); return x! }",
                "() => { const x = y  ; x.click(); return x }",
            ),
            (
                "() => document.querySelector<HTMLElement>('a < b > (c)')!.click()",
                "() => document.querySelector('a < b > (c)').click()",
            ),
            (
                "() => new Promise<void>((r: any) => setTimeout(r, 5))",
                "() => new Promise((r) => setTimeout(r, 5))",
            ),
            ("() => { try { a() } catch (e: any) { b(e) } }", "() => { try { a() } catch (e) { b(e) } }"),
            (
                "() => { const { a, b }: X = c; let d: number | string; }",
                "() => { const { a, b } = c; let d; }",
            ),
            ("x => x", "x => x"),
        ] {
            let squeezed = |text: &str| {
                text.split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace(" ;", ";")
                    .replace(" ,", ",")
                    .replace(" )", ")")
            };
            assert_eq!(plain(source).as_deref().map(squeezed), Some(squeezed(made)), "{source}");
        }
    }

    #[test]
    fn plain_javascript_stays_as_it_is() {
        for source in [
            "(a = b ? c : d) => a ? { b: c } : [d]",
            "() => { if (a != b && !c) { as(x.as) } label: for (;;) { break label } return a < b > (c) }",
            "async function (a, { b: c }) { switch (a) { case 'x': return !b } return `${a as b}` }",
            "(a) => { return a\n!b }",
            "(x) => ({ a: x.as, as: 1, const: 2 })",
            "() => cond ? (a) : (b) => c",
        ] {
            assert_eq!(plain(source).as_deref(), Some(source));
        }
    }

    #[test]
    fn what_is_no_function_in_place_is_refused() {
        for source in [
            "handler",
            "make(1)",
            "a.b",
            "() + 1",
            "(this: X) => 1",
            "(a: => b) => 1",
            "function () {}()",
            "() => { interface X { a: 1 } }",
        ] {
            assert_eq!(plain(source), None, "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_source_is_read_or_refused(source in "(\\(|\\)|=>|:|\\?|<|>|,|\\{|\\}|\\[|\\]|!|\\||a| as | const |function |async |'x'|=|\\.){0,40}") {
            let _ = plain(&source);
        }
    }
}
