//! An answer as the model writes it, token by token, and cut by its token limit: the same in all protocols.

use crate::answer::ScriptedAnswer;
use crate::pieces::pieces;
use crate::request::ReceivedRequest;
use crate::scenario::Finish;

/// The steps of writing an answer: reasoning, text, calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) pieces: Vec<WritingStep>,
    pub(crate) finish: Finish,
    /// Number of tokens.
    pub(crate) tokens: usize,
    /// Number of reasoning tokens.
    pub(crate) thinking: usize,
}

/// One step of the writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WritingStep {
    Thought(String),
    Word(String),
    /// A call begins: its index in the answer.
    Call(usize),
    /// The arguments of a call grow.
    Argument(usize, String),
}

impl Script {
    /// Splits an answer into steps of this many tokens, until it ends or reaches its limit.
    pub(crate) fn write(request: &ReceivedRequest, answer: &ScriptedAnswer, per_event: usize) -> Self {
        let mut script = Self { pieces: Vec::new(), finish: answer.finish, tokens: 0, thinking: 0 };
        for (piece, tokens) in steps(request, answer, per_event) {
            if request.max_tokens.is_some_and(|most| (script.tokens + tokens) as u64 > most) {
                script.finish = Finish::Length;
                break;
            }
            script.tokens += tokens;
            if matches!(piece, WritingStep::Thought(_)) {
                script.thinking += tokens;
            }
            script.pieces.push(piece);
        }
        script
    }

    /// The calls that were written completely, for protocols without partial calls.
    pub(crate) fn whole_calls(&self, answer: &ScriptedAnswer) -> Vec<usize> {
        let written = |call: usize| -> String {
            let arguments = self.pieces.iter().filter_map(|piece| match piece {
                WritingStep::Argument(at, text) if *at == call => Some(text.as_str()),
                WritingStep::Argument(..)
                | WritingStep::Thought(_)
                | WritingStep::Word(_)
                | WritingStep::Call(_) => None,
            });
            arguments.collect()
        };
        (0..answer.calls.len())
            .filter(|call| {
                self.pieces.contains(&WritingStep::Call(*call))
                    && written(*call) == answer.calls[*call].arguments
            })
            .collect()
    }
}

fn steps(request: &ReceivedRequest, answer: &ScriptedAnswer, per_event: usize) -> Vec<(WritingStep, usize)> {
    let mut steps = Vec::new();
    let mut say = |text: &str, piece: &dyn Fn(String) -> WritingStep| {
        steps.extend(pieces(text).chunks(per_event).map(|group| (piece(group.concat()), group.len())));
    };
    if request.thinking {
        say(&answer.reasoning, &WritingStep::Thought);
    }
    say(&answer.text, &WritingStep::Word);
    for (index, call) in answer.calls.iter().enumerate() {
        steps.push((WritingStep::Call(index), 1));
        let arguments = pieces(&call.arguments);
        let group = |group: &[&str]| (WritingStep::Argument(index, group.concat()), group.len());
        steps.extend(arguments.chunks(per_event).map(group));
    }
    steps
}
