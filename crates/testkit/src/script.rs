//! An answer as the model writes it, token by token, and where its token limit cuts it: the same in all protocols.

use crate::answer::Answer;
use crate::pieces::pieces;
use crate::request::ChatRequest;
use crate::scenario::Finish;

/// What is written of an answer, in order: thoughts, words, calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) finish: Finish,
    /// Tokens of all of it.
    pub(crate) tokens: usize,
    /// Those of its thoughts.
    pub(crate) thinking: usize,
}

/// One step of the writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Thought(String),
    Word(String),
    /// A call begins: its place in the answer.
    Call(usize),
    /// The arguments of a call grow.
    Argument(usize, String),
}

impl Script {
    /// Writes an answer in steps of so many tokens, until it ends or its limit is reached.
    pub(crate) fn write(request: &ChatRequest, answer: &Answer, per_event: usize) -> Self {
        let mut script = Self { pieces: Vec::new(), finish: answer.finish, tokens: 0, thinking: 0 };
        for (piece, tokens) in steps(request, answer, per_event) {
            if request.max_tokens.is_some_and(|most| (script.tokens + tokens) as u64 > most) {
                script.finish = Finish::Length;
                break;
            }
            script.tokens += tokens;
            if matches!(piece, Piece::Thought(_)) {
                script.thinking += tokens;
            }
            script.pieces.push(piece);
        }
        script
    }

    /// The calls of which all was written, for protocols that have no pieces of calls.
    pub(crate) fn whole_calls(&self, answer: &Answer) -> Vec<usize> {
        let written = |call: usize| -> String {
            let arguments = self.pieces.iter().filter_map(|piece| match piece {
                Piece::Argument(at, text) if *at == call => Some(text.as_str()),
                Piece::Argument(..) | Piece::Thought(_) | Piece::Word(_) | Piece::Call(_) => None,
            });
            arguments.collect()
        };
        (0..answer.calls.len())
            .filter(|call| {
                self.pieces.contains(&Piece::Call(*call)) && written(*call) == answer.calls[*call].arguments
            })
            .collect()
    }
}

fn steps(request: &ChatRequest, answer: &Answer, per_event: usize) -> Vec<(Piece, usize)> {
    let mut steps = Vec::new();
    let mut say = |text: &str, piece: &dyn Fn(String) -> Piece| {
        steps.extend(pieces(text).chunks(per_event).map(|group| (piece(group.concat()), group.len())));
    };
    if request.thinking {
        say(&answer.reasoning, &Piece::Thought);
    }
    say(&answer.text, &Piece::Word);
    for (index, call) in answer.calls.iter().enumerate() {
        steps.push((Piece::Call(index), 1));
        let arguments = pieces(&call.arguments);
        let group = |group: &[&str]| (Piece::Argument(index, group.concat()), group.len());
        steps.extend(arguments.chunks(per_event).map(group));
    }
    steps
}
