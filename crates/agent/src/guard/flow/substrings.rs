//! All substrings of a text, for comparing other texts with it: a suffix automaton. Reading another text
//! takes at most two steps per character.
//!
//! Source: Blumer et al., *The smallest automaton recognizing the subwords of a text*, 1985.

use std::ops::Range;

/// The substrings of a text.
pub(super) struct Substrings {
    states: Vec<AutomatonState>,
}

#[derive(Clone, Default)]
struct AutomatonState {
    next: Vec<(char, usize)>,
    /// Length of its longest substring.
    length: usize,
    /// The state of the longest suffix of that substring that is in another state.
    suffix: Option<usize>,
    /// Where its substrings first end in the text.
    end: usize,
}

/// Which substrings occur in other texts: for each state, the length of the longest one.
pub(super) struct Marks(Vec<usize>);

/// A substring that also occurs in another text and cannot be extended to the right there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    /// Its range in the other text.
    pub(super) theirs: Range<usize>,
    /// Its first range in this text.
    pub(super) ours: Range<usize>,
}

const START: usize = 0;

impl Substrings {
    pub(super) fn of(text: &[char]) -> Self {
        let mut all = Self { states: vec![AutomatonState::default()] };
        let mut last = START;
        for (at, c) in text.iter().enumerate() {
            last = all.extend(last, at + 1, *c);
        }
        all
    }

    fn extend(&mut self, last: usize, end: usize, c: char) -> usize {
        let length = self.states[last].length + 1;
        let new = self.push(AutomatonState { length, suffix: Some(START), end, ..AutomatonState::default() });
        let mut from = Some(last);
        while let Some(state) = from
            && self.step(state, c).is_none()
        {
            self.lead(state, c, new);
            from = self.states[state].suffix;
        }
        let Some((from, to)) = from.and_then(|from| Some((from, self.step(from, c)?))) else { return new };
        let length = self.states[from].length + 1;
        if self.states[to].length == length {
            self.states[new].suffix = Some(to);
            return new;
        }
        let shorter = self.push(AutomatonState { length, ..self.states[to].clone() });
        let mut state = Some(from);
        while let Some(at) = state
            && self.step(at, c) == Some(to)
        {
            self.lead(at, c, shorter);
            state = self.states[at].suffix;
        }
        self.states[to].suffix = Some(shorter);
        self.states[new].suffix = Some(shorter);
        new
    }

    fn push(&mut self, state: AutomatonState) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    fn step(&self, state: usize, c: char) -> Option<usize> {
        let next = &self.states[state].next;
        next.binary_search_by_key(&c, |(c, _)| *c).ok().map(|at| next[at].1)
    }

    fn lead(&mut self, state: usize, c: char, to: usize) {
        let next = &mut self.states[state].next;
        match next.binary_search_by_key(&c, |(c, _)| *c) {
            Ok(at) => next[at].1 = to,
            Err(at) => next.insert(at, (c, to)),
        }
    }

    /// Reads another text. For each character, reports its position with the state and length of the
    /// longest substring that ends there. Returns the number of steps.
    fn read(&self, text: &[char], tell: &mut dyn FnMut(usize, usize, usize)) -> usize {
        let (mut state, mut length, mut steps) = (START, 0, 0);
        for (at, c) in text.iter().enumerate() {
            loop {
                steps += 1;
                if let Some(to) = self.step(state, *c) {
                    (state, length) = (to, length + 1);
                    break;
                }
                match self.states[state].suffix {
                    Some(shorter) => (state, length) = (shorter, self.states[shorter].length),
                    None => {
                        length = 0;
                        break;
                    }
                }
            }
            tell(at, state, length);
        }
        steps
    }

    /// All maximal common substrings of at least this length.
    pub(super) fn matches(&self, text: &[char], least: usize) -> Vec<Match> {
        let mut matches: Vec<Match> = Vec::new();
        self.read(text, &mut |at, state, length| {
            if length < least {
                return;
            }
            let end = self.states[state].end;
            let found = Match { theirs: at + 1 - length..at + 1, ours: end - length..end };
            match matches.last_mut() {
                Some(last) if last.theirs.start == found.theirs.start => *last = found,
                _ => matches.push(found),
            }
        });
        matches
    }

    /// Marks the substrings that occur in other texts.
    pub(super) fn marks(&self, texts: &[Vec<char>]) -> Marks {
        let mut longest = vec![0; self.states.len()];
        for text in texts {
            self.read(text, &mut |_, state, length| longest[state] = longest[state].max(length));
        }
        // A text that contains a substring contains its suffixes: propagate from the longest to the
        // shortest.
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_unstable_by_key(|state| std::cmp::Reverse(self.states[*state].length));
        for state in order {
            if longest[state] > 0
                && let Some(suffix) = self.states[state].suffix
            {
                longest[suffix] = self.states[suffix].length;
            }
        }
        Marks(longest)
    }

    /// Whether one of the marked texts contains this.
    pub(super) fn is_marked(&self, marks: &Marks, part: &[char]) -> bool {
        let state = part.iter().try_fold(START, |state, c| self.step(state, *c));
        state.is_some_and(|state| marks.0[state] >= part.len())
    }

    /// Length of the longest beginning of a text that occurs in this one.
    pub(super) fn prefix(&self, text: &[char]) -> usize {
        let mut state = START;
        text.iter()
            .take_while(|c| match self.step(state, **c) {
                Some(to) => {
                    state = to;
                    true
                }
                None => false,
            })
            .count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn substrings_read_a_text_in_two_steps_per_character_at_most() {
        let ours = format!("{}b{}c", "a".repeat(3_000), "ab".repeat(3_000));
        let theirs = format!("{}d", "a".repeat(2_999)).repeat(20) + &"aab".repeat(5_000);
        let all = Substrings::of(&chars(&ours));
        assert!(all.states.len() <= 2 * ours.len());
        let text = chars(&theirs);
        assert!(all.read(&text, &mut |_, _, _| {}) <= 2 * text.len());
    }

    proptest! {
        #[test]
        fn substrings_of_two_texts_are_found_marked_and_counted(ours in "[ab]{0,24}", theirs in "[abc]{0,24}") {
            let all = Substrings::of(&chars(&ours));
            let (own, other) = (chars(&ours), chars(&theirs));
            let matches = all.matches(&other, 2);
            for found in &matches {
                prop_assert_eq!(&own[found.ours.clone()], &other[found.theirs.clone()]);
            }
            let marks = all.marks(std::slice::from_ref(&other));
            for start in 0..other.len() {
                for end in start + 2..=other.len() {
                    let part: String = other[start..end].iter().collect();
                    let is_within = matches.iter().any(|it| it.theirs.start <= start && end <= it.theirs.end);
                    prop_assert_eq!(ours.contains(&part), is_within, "{}", part);
                }
            }
            for start in 0..own.len() {
                for end in start + 1..=own.len() {
                    let part: String = own[start..end].iter().collect();
                    prop_assert_eq!(theirs.contains(&part), all.is_marked(&marks, &own[start..end]), "{}", part);
                }
            }
            let prefix: String = other[..all.prefix(&other)].iter().collect();
            prop_assert!(ours.contains(&prefix));
        }
    }
}
