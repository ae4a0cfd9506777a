//! How alike texts are: the cosine of the angle between the counts of their words, and of pairs of words.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::finding::ToolFinding;
use crate::page::LintedTool;
use crate::rule::ToolRule;
use crate::text::is_wide;

/// From here on, texts are alike. 1 is the same words in the same order.
const ALIKE: f64 = 0.7;

/// Maximum number of words of a text that count.
const WORDS: usize = 200;

/// Maximum number of texts that one is compared with.
const COMPARED: usize = 200;

/// Maximum number of uses of its terms that are looked at for one text.
const USES: usize = 50_000;

/// The words and pairs of a text, sorted, and weighted so that the whole has length 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WordVector(Vec<(u64, f64)>);

impl WordVector {
    pub(crate) fn of(text: &str) -> Self {
        let words = words(text);
        let mut terms: Vec<_> =
            words.iter().map(hash).chain(words.windows(2).map(|pair| hash(&pair))).collect();
        terms.sort_unstable();
        let counts = terms.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as f64));
        let mut counts: Vec<_> = counts.collect();
        let length = counts.iter().map(|(_, count)| count * count).sum::<f64>().sqrt();
        counts.iter_mut().for_each(|(_, count)| *count /= length);
        Self(counts)
    }

    /// From 0 (no word in common) to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        self.likeness_from(0.0, other)
    }

    /// The likeness if it is at least this one; less where the texts are less alike.
    ///
    /// What is left of two vectors adds at most the product of their lengths, so that most pairs end early.
    fn likeness_from(&self, least: f64, other: &Self) -> f64 {
        let mut sum = 0.0;
        let (mut left, mut others_left) = (1.0, 1.0);
        let mut others = other.0.iter().peekable();
        for (term, weight) in &self.0 {
            // A little less, as sums are not exact.
            let needed = least - 1e-9 - sum;
            if needed > 0.0 && left * others_left < needed * needed {
                break;
            }
            while let Some((_, other)) = others.next_if(|(other, _)| other < term) {
                others_left -= other * other;
            }
            if let Some((_, other)) = others.next_if(|(other, _)| other == term) {
                sum += weight * other;
                others_left -= other * other;
            }
            left -= weight * weight;
        }
        sum
    }
}

/// Words in lower case; in scripts without spaces each character is one.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        let is_part = c.is_alphanumeric() && !is_wide(c);
        if is_part {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
            continue;
        }
        if words.last().is_some_and(|word| !word.is_empty()) {
            if words.len() >= WORDS {
                break;
            }
            words.push(String::new());
        }
        if is_wide(c) && c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(c));
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words.truncate(WORDS);
    words
}

fn hash(term: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    term.hash(&mut hasher);
    hasher.finish()
}

/// What is known of how alike two texts are by the first terms of the later one.
#[derive(Clone, Copy, Default)]
struct PartlyAlike {
    /// The later text; numbers begin with 1.
    text: usize,
    likeness: f64,
    /// How much of the earlier text these terms are, as a square.
    seen: f64,
}

/// Finds tools whose descriptions are like that of an earlier tool.
///
/// Rare terms are looked at first. A text that is like an earlier one shares one of its first terms with it: those behind
/// which what is left is too short to make them alike. So each text is compared with few others, and only with those
/// that what is left of both can still make alike.
pub(crate) fn check(tools: &[LintedTool], found: &mut Vec<ToolFinding>) {
    let vectors: Vec<_> = tools.iter().map(|tool| WordVector::of(&tool.description.description)).collect();
    let mut uses: HashMap<u64, usize> = HashMap::new();
    for term in vectors.iter().flat_map(|vector| vector.0.iter().map(|(term, _)| term)) {
        *uses.entry(*term).or_default() += 1;
    }
    let mut by_term: HashMap<u64, Vec<(usize, f64)>> = HashMap::new();
    let mut known = vec![PartlyAlike::default(); tools.len()];
    for (number, (tool, vector)) in tools.iter().zip(&vectors).enumerate() {
        let mut terms: Vec<_> = vector.0.iter().map(|(term, weight)| (uses[term], *term, *weight)).collect();
        terms.sort_unstable_by_key(|(uses, term, _)| (*uses, *term));
        let mut left = 1.0;
        let mut first = Vec::new();
        for (_, term, weight) in terms {
            // A little more, as sums are not exact.
            if left < ALIKE * ALIKE - 1e-9 {
                break;
            }
            first.push((term, weight));
            left -= weight * weight;
        }
        let mut met = Vec::new();
        let mut looked_at = 0;
        let mut unseen = 1.0;
        for (term, weight) in &first {
            let others = by_term.get(term).map(Vec::as_slice).unwrap_or_default();
            looked_at += others.len();
            if looked_at > USES {
                break;
            }
            unseen -= weight * weight;
            for (other, its_weight) in others {
                let shared = &mut known[*other];
                if shared.text != number + 1 {
                    met.push(*other);
                    *shared = PartlyAlike { text: number + 1, ..PartlyAlike::default() };
                }
                shared.likeness += weight * its_weight;
                shared.seen += its_weight * its_weight;
            }
        }
        let may_be_alike = |other: &usize| {
            let PartlyAlike { likeness, seen, .. } = known[*other];
            likeness + (unseen * (1.0 - seen)).max(0.0).sqrt() >= ALIKE - 1e-6
        };
        let other = met.into_iter().filter(may_be_alike).take(COMPARED).find(|other| {
            let is_named_so = tools[*other].description.name == tool.description.name;
            !is_named_so && vector.likeness_from(ALIKE, &vectors[*other]) >= ALIKE
        });
        if let Some(other) = other {
            let other = &tools[other].description;
            let finding = ToolFinding::of(ToolRule::SimilarDescriptions).about(tool).at("/description");
            found.push(finding.excerpt(&other.description).with("other", &other.name));
        }
        for (term, weight) in &vector.0 {
            by_term.entry(*term).or_default().push((number, *weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sidecar_protocol::FrameId;
    use sidecar_protocol::page::ToolDescription;

    use super::*;
    use crate::page::ToolFacts;

    #[test]
    fn likeness_counts_words_and_their_order() {
        let alike = |one: &str, other: &str| WordVector::of(one).likeness(&WordVector::of(other));
        assert!((alike("Search all flights.", "search ALL flights") - 1.0).abs() < 1e-9);
        assert!(alike("dog bites man", "man bites dog") < 0.7);
        assert!(alike("搜索航班并显示结果", "搜索航班并显示列表") >= 0.7);
        assert!(alike("Adds an item", "").abs() < 1e-9);
    }

    fn tool(number: usize, text: &str) -> LintedTool {
        let description = ToolDescription {
            name: format!("t{number}"),
            title: String::new(),
            description: text.to_owned(),
            input_schema: None,
            annotations: None,
            form: false,
            definition: String::new(),
        };
        LintedTool { origin: String::new(), frame: FrameId::TOP, description, facts: ToolFacts::default() }
    }

    proptest! {
        #[test]
        fn index_finds_what_comparing_all_finds(texts in prop::collection::vec("([a-d] ){0,6}", 0..20)) {
            let tools: Vec<_> = texts.iter().enumerate().map(|(number, text)| tool(number, text)).collect();
            let mut found = Vec::new();
            check(&tools, &mut found);
            let found: Vec<_> = found.into_iter().filter_map(|finding| Some(finding.tool?.name)).collect();
            let vectors: Vec<_> = texts.iter().map(|text| WordVector::of(text)).collect();
            let is_like_earlier = |at: &usize| vectors[..*at].iter().any(|other| vectors[*at].likeness(other) >= ALIKE);
            let expected: Vec<_> = (0..texts.len()).filter(is_like_earlier).map(|at| format!("t{at}")).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
