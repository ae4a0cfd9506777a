//! Reads the modules of a crate, and which others each uses, from the source.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use crate::tidy::tree::Tree;

/// A module with a file of its own. Modules within a file count as the file's.
#[derive(Debug)]
pub struct Module {
    pub file: String,
    /// The modules that it uses, each with the first line where it does.
    pub uses: BTreeMap<String, usize>,
}

/// The modules of a crate by path (`a::b`; empty for the root), without those of tests. Macro bodies are
/// read too.
pub fn read(tree: &Tree, source: &str) -> Result<BTreeMap<String, Module>> {
    let mut files = Vec::new();
    let mut for_tests = Vec::new();
    for (file, text) in tree.below(source, ".rs") {
        let path = module_path(&file[source.len()..]);
        if path.iter().any(|name| name == "tests") {
            continue;
        }
        let tokens: TokenStream = text.parse().map_err(|why| anyhow!("{file} is no Rust: {why}"))?;
        let (tokens, tests) = without_tests(tokens);
        for_tests.extend(tests.into_iter().map(|name| [path.as_slice(), &[name]].concat()));
        files.push((file, path, tokens));
    }
    files.retain(|(_, path, _)| !for_tests.iter().any(|test| path.starts_with(test)));
    let known: BTreeSet<Vec<String>> = files.iter().map(|(_, path, _)| path.clone()).collect();
    let mut modules = BTreeMap::new();
    for (file, path, tokens) in files {
        let mut reader = ModuleReader { known: &known, names: BTreeMap::new(), uses: BTreeMap::new() };
        reader.read(&tokens, &path);
        reader.uses.remove(&path);
        let uses = reader.uses.into_iter().map(|(path, line)| (path.join("::"), line));
        // `lib.rs` and `main.rs` are both the root.
        let module = modules
            .entry(path.join("::"))
            .or_insert_with(|| Module { file: file.to_owned(), uses: BTreeMap::new() });
        module.uses.extend(uses);
    }
    Ok(modules)
}

/// `a/b.rs` is `a::b`.
fn module_path(file: &str) -> Vec<String> {
    let mut path: Vec<_> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(path.as_slice(), [root] if root == "lib" || root == "main")
        || path.last().is_some_and(|last| last == "mod")
    {
        path.pop();
    }
    path
}

/// Tokens without the items that are built for tests only, and the names of the files that are declared so.
pub fn without_tests(tokens: TokenStream) -> (Vec<TokenTree>, Vec<String>) {
    let mut kept = Vec::new();
    let mut files = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_for_tests = is_punct(&token, '#')
            && matches!(tokens.peek(), Some(TokenTree::Group(attribute)) if is_for_tests(attribute));
        if !is_for_tests {
            kept.push(token);
            continue;
        }
        let mut item = Vec::new();
        for token in tokens.by_ref() {
            let is_end = is_punct(&token, ';') || braces(&token).is_some();
            item.push(token);
            if is_end {
                break;
            }
        }
        if let [.., TokenTree::Ident(keyword), TokenTree::Ident(name), end] = item.as_slice()
            && keyword == "mod"
            && is_punct(end, ';')
        {
            files.push(name.to_string());
        }
    }
    (kept, files)
}

fn is_for_tests(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

pub fn braces(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

/// The tokens after `::`, if that comes next.
fn behind_separator(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(first), second, rest @ ..]
            if first.as_char() == ':' && first.spacing() == Spacing::Joint && is_punct(second, ':') =>
        {
            Some(rest)
        }
        _ => None,
    }
}

/// Reads one file.
struct ModuleReader<'a> {
    known: &'a BTreeSet<Vec<String>>,
    /// Imported modules, by their local names.
    names: BTreeMap<String, Vec<String>>,
    uses: BTreeMap<Vec<String>, usize>,
}

impl ModuleReader<'_> {
    /// Reads the tokens of a module: the file's, or one within the file.
    fn read(&mut self, mut tokens: &[TokenTree], module: &[String]) {
        while let Some((token, rest)) = tokens.split_first() {
            tokens = match (token, rest) {
                (TokenTree::Ident(keyword), [TokenTree::Ident(name), body, rest @ ..])
                    if keyword == "mod" && braces(body).is_some() =>
                {
                    self.read_inside(body, &[module, &[name.to_string()]].concat());
                    rest
                }
                (TokenTree::Ident(first), _) if behind_separator(rest).is_some() => {
                    let start = self.start(&first.to_string(), module);
                    self.path(start, first.span().start().line, rest)
                }
                // Another crate's (`::name`), or what a type has (`<T>::name`).
                (TokenTree::Punct(_), _) if behind_separator(tokens).is_some() => self.path(None, 0, tokens),
                _ => {
                    self.read_inside(token, module);
                    rest
                }
            };
        }
    }

    fn read_inside(&mut self, token: &TokenTree, module: &[String]) {
        if let TokenTree::Group(group) = token {
            let (tokens, _) = without_tests(group.stream());
            // `pub(in path)` uses nothing.
            if !matches!(tokens.first(), Some(TokenTree::Ident(word)) if word == "in") {
                self.read(&tokens, module);
            }
        }
    }

    /// The module that the first name of a path refers to; `None` if it is not in this crate.
    fn start(&self, name: &str, module: &[String]) -> Option<Vec<String>> {
        match name {
            "crate" => Some(Vec::new()),
            "self" => Some(module.to_vec()),
            "super" => Some(module[..module.len().saturating_sub(1)].to_vec()),
            name => {
                let child = [module, &[name.to_owned()]].concat();
                self.names.get(name).cloned().or_else(|| self.known.contains(&child).then_some(child))
            }
        }
    }

    /// Follows a path, or a tree of paths, from its first name. Returns the tokens after it.
    fn path<'t>(
        &mut self,
        mut path: Option<Vec<String>>,
        line: usize,
        mut tokens: &'t [TokenTree],
    ) -> &'t [TokenTree] {
        while let Some(rest) = behind_separator(tokens) {
            tokens = match rest {
                [TokenTree::Ident(name), rest @ ..] => {
                    path = path.map(|path| step(path, &name.to_string()));
                    rest
                }
                [TokenTree::Group(tree), rest @ ..] => {
                    if let Some(path) = path {
                        self.branches(&path, tree);
                    }
                    return rest;
                }
                rest => {
                    tokens = rest; // `*`, or arguments of a type
                    break;
                }
            };
        }
        if let Some(path) = path {
            self.end(path, line, tokens);
        }
        tokens
    }

    /// The paths between the braces of a tree.
    fn branches(&mut self, path: &[String], tree: &Group) {
        let tokens: Vec<_> = tree.stream().into_iter().collect();
        for branch in tokens.split(|token| is_punct(token, ',')) {
            match branch {
                [TokenTree::Ident(name), rest @ ..] => {
                    let path = step(path.to_vec(), &name.to_string());
                    self.path(Some(path), name.span().start().line, rest);
                }
                [star, ..] => self.end(path.to_vec(), star.span().start().line, &[]),
                [] => {}
            }
        }
    }

    /// A path ends: it uses the module that contains its last name.
    fn end(&mut self, mut path: Vec<String>, line: usize, rest: &[TokenTree]) {
        if self.known.contains(&path) {
            let name = match rest {
                [TokenTree::Ident(keyword), TokenTree::Ident(name), ..] if keyword == "as" => {
                    Some(name.to_string())
                }
                _ => path.last().cloned(),
            };
            self.names.extend(name.map(|name| (name, path.clone())));
        }
        while !self.known.contains(&path) && path.pop().is_some() {}
        self.uses.entry(path).or_insert(line);
    }
}

/// Appends one name.
fn step(mut path: Vec<String>, name: &str) -> Vec<String> {
    match name {
        "self" => {}
        "super" => drop(path.pop()),
        name => path.push(name.trim_start_matches("r#").to_owned()),
    }
    path
}
