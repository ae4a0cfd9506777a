//! What a service makes of Chat Completions: one protocol, spoken by each in its own way.

/// How a service speaks Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChatDialect {
    /// The field that switches thinking on and off.
    pub(crate) switch: Switch,
    /// Where its thoughts are.
    pub(crate) thoughts: ThoughtForm,
    /// Whether it refuses a history without them.
    pub(crate) wants_thoughts: bool,
    /// Whether it can be made to call a tool.
    pub(crate) forced: ForcedSupport,
    /// How it writes calls.
    pub(crate) calls: CallSupport,
    /// Where it puts the tokens.
    pub(crate) usage: UsagePlace,
    /// The highest temperature that it takes, in tenths; 0 where it takes no temperature.
    pub(crate) hottest: u8,
    /// Whether it reads the arguments in the history, and refuses what is no JSON.
    pub(crate) reads_arguments: bool,
    /// Whether it holds answers to a schema.
    pub(crate) takes_schema: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// `thinking.type`: on unless `disabled`.
    ThinkingType,
    /// `enable_thinking`: off unless true.
    EnableThinking,
    /// `reasoning.effort`: on unless `none`.
    Reasoning,
    /// `reasoning_effort`: on unless `none`.
    ReasoningEffort,
    /// `chat_template_kwargs.enable_thinking`: on unless false.
    TemplateArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThoughtForm {
    /// `reasoning_content`
    ReasoningContent,
    /// `reasoning`
    Reasoning,
    /// `reasoning_details`, signed at their end, and the same words under `reasoning`.
    Details,
    /// `reasoning_details` where `reasoning_split` asks for them, else inside the text.
    SplitDetails,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForcedSupport {
    Yes,
    /// Not while it thinks.
    WithoutThinking,
    /// Anything but `auto` is refused.
    No,
    /// No notice is taken.
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSupport {
    /// Id and name first, then the arguments in pieces.
    Pieces,
    /// The same, with an empty id in each piece.
    EmptyIds,
    /// The same, with an empty name in each piece.
    EmptyNames,
    /// Each call in one piece.
    Whole,
    /// The same, and every one has index 0.
    WholeAtZero,
    /// In pieces, under ids such as `functions.find:0`.
    FunctionIds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsagePlace {
    /// In the chunk with the finish reason, if asked for.
    Last,
    /// The same, asked for or not.
    LastAlways,
    /// In a chunk of its own, if asked for.
    Own,
    /// In the choice of the chunk with the finish reason.
    Choice,
    /// In a chunk of its own that says the finish reason again.
    Repeated,
}
